#include "treewright/data/codebook.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "treewright/data/order.hpp"

namespace treewright {
namespace {

struct Weighed {
    double value;
    double weight;
};

/// Rows that bins are read from: all that count, or some of them, evenly spread.
std::vector<std::uint32_t> rows_for_bins(const Dataset& data, std::span<const double> weights) {
    const std::size_t n = std::min(data.n_rows, kRowsForBins);
    std::vector<std::uint32_t> rows;
    rows.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t row = i * data.n_rows / n;
        if (weights.empty() || weights[row] > 0.0) rows.push_back(static_cast<std::uint32_t>(row));
    }
    return rows;
}

/// A whole number that is greater where the float is; back again by value_of.
template <class T>
using KeyOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
KeyOf<T> key_of(T value) {
    const auto bits = std::bit_cast<KeyOf<T>>(value + T{0});  // -0.0 is 0.0
    constexpr int kSign = 8 * sizeof(T) - 1;
    return bits ^ (bits >> kSign != 0 ? ~KeyOf<T>{0} : KeyOf<T>{1} << kSign);
}

template <class T>
T value_of(KeyOf<T> key) {
    constexpr int kSign = 8 * sizeof(T) - 1;
    return std::bit_cast<T>(key ^ (key >> kSign != 0 ? KeyOf<T>{1} << kSign : ~KeyOf<T>{0}));
}

/// Sorts by eleven bits at a time, from the lowest.
template <class Key>
void radix_sort(std::vector<Key>& keys) {
    constexpr int kBits = 11;
    std::vector<Key> spare(keys.size());
    std::vector<std::size_t> start(std::size_t{1} << kBits);
    for (int shift = 0; shift < static_cast<int>(8 * sizeof(Key)); shift += kBits) {
        const auto digit = [&](Key key) { return (key >> shift) & ((Key{1} << kBits) - 1); };
        std::fill(start.begin(), start.end(), 0);
        for (const Key key : keys) ++start[digit(key)];
        std::exclusive_scan(start.begin(), start.end(), start.begin(), std::size_t{0});
        for (const Key key : keys) spare[start[digit(key)]++] = key;
        keys.swap(spare);
    }
}

/// The known numbers of rows that count alike, ascending, equal ones joined.
template <class T>
std::vector<Weighed> distinct_floats(const Column& column, std::span<const std::uint32_t> rows) {
    std::vector<KeyOf<T>> keys;
    keys.reserve(rows.size());
    for (const std::uint32_t row : rows) {
        const T value = column.at<T>(row);
        if (value == value) keys.push_back(key_of(value));
    }
    radix_sort(keys);
    std::vector<Weighed> found;
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (i > 0 && keys[i] == keys[i - 1]) found.back().weight += 1.0;
        else found.push_back({static_cast<double>(value_of<T>(keys[i])), 1.0});
    return found;
}

/// The known numbers of a column with the weights of their rows, ascending, equal ones joined.
std::vector<Weighed> distinct_values(const Column& column, std::span<const std::uint32_t> rows,
                                     std::span<const double> weights, OrderScratch& scratch) {
    if (weights.empty() && column.type == ValueType::f32)
        return distinct_floats<float>(column, rows);
    if (weights.empty() && column.type == ValueType::f64)
        return distinct_floats<double>(column, rows);
    const Order order = order_of(column, rows, scratch);
    std::vector<Weighed> found;
    for (std::size_t i = 0; i < order.entries.size() - order.n_missing; ++i) {
        const std::uint32_t row = order.entries[i] >> 1;
        const double weight = weights.empty() ? 1.0 : weights[row];
        if (i > 0 && (order.entries[i] & 1) != 0) found.back().weight += weight;
        else found.push_back({column.number(row), weight});
    }
    return found;
}

/// A number from a up to, but not including, b > a, as near to their middle as there is.
double midway(double a, double b) {
    if (std::isinf(a) || std::isinf(b)) {
        if (std::isinf(a) && std::isinf(b)) return 0.0;
        return std::isinf(a) ? std::nextafter(b, a) : a;
    }
    const double middle = a / 2.0 + b / 2.0;
    return middle >= a && middle < b ? middle : a;
}

std::vector<double> cuts_of(const std::vector<Weighed>& values, std::size_t max_bins) {
    std::vector<double> cuts;
    if (values.empty()) return cuts;
    double left = 0.0;
    for (const Weighed& one : values) left += one.weight;
    const bool keeps_all = values.size() <= max_bins;
    std::size_t bins_left = max_bins;
    double in_bin = 0.0;
    for (std::size_t i = 0; i + 1 < values.size() && bins_left > 1; ++i) {
        in_bin += values[i].weight;
        // Half of the next value belongs nearer to this bin than to the next one.
        const double share = left / static_cast<double>(bins_left);
        const bool is_full = in_bin + values[i + 1].weight / 2.0 > share;
        if (!keeps_all && !is_full && values.size() - i - 1 >= bins_left) continue;
        cuts.push_back(midway(values[i].value, values[i + 1].value));
        left -= in_bin;
        in_bin = 0.0;
        --bins_left;
    }
    return cuts;
}

constexpr std::size_t kTogether = 64;

/// x <= cut for any x of type T, which a cut between two of them need not be.
template <class T>
std::vector<T> padded(const std::vector<double>& cuts) {
    std::vector<T> made(std::bit_ceil(cuts.size() + 1), std::numeric_limits<T>::infinity());
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        made[i] = static_cast<T>(cuts[i]);
        if (static_cast<double>(made[i]) > cuts[i])
            made[i] = std::nextafter(made[i], -std::numeric_limits<T>::infinity());
    }
    return made;
}

/// Number of cuts below each of n <= kTogether values; NaN has none.
template <class T>
void count_below(const std::vector<T>& cuts, const T* x, std::size_t n, std::uint32_t* count) {
    for (std::size_t i = 0; i < n; ++i) count[i] = 0;
    for (std::size_t half = cuts.size() / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < n; ++i)
            count[i] += cuts[count[i] + half - 1] < x[i] ? static_cast<std::uint32_t>(half) : 0U;
}

}  // namespace

Codebook learn_codebook(const Dataset& data, std::size_t max_bins, Team& team) {
    Codebook book;
    book.columns.resize(data.columns.size());
    const std::span<const double> weights = data.weight.empty() ? data.copies : data.weight;
    const std::vector<std::uint32_t> rows = rows_for_bins(data, weights);
    std::vector<OrderScratch> scratch(team.size());
    team.for_each(data.columns.size(), [&](std::size_t c, std::size_t thread) {
        const Column& column = data.columns[c];
        CodedColumn& coded = book.columns[c];
        coded.is_nominal = column.scale == Scale::nominal;
        if (coded.is_nominal) {
            coded.n_codes = std::min(column.n_codes, kMostCategories);
            return;
        }
        coded.cuts = cuts_of(distinct_values(column, rows, weights, scratch[thread]), max_bins);
        coded.n_codes = static_cast<std::uint32_t>(coded.cuts.size() + 1);
    });
    return book;
}

Encoder::Encoder(const CodedColumn& coded)
    : is_nominal(coded.is_nominal),
      missing(coded.missing()),
      float_cuts(padded<float>(coded.cuts)),
      double_cuts(padded<double>(coded.cuts)) {}

template <class T, class Code, class ValueAt>
void Encoder::encode_numbers(const std::vector<T>& cuts, std::size_t begin, std::size_t end,
                             Code* codes, ValueAt&& value_at) const {
    T x[kTogether];
    std::uint32_t count[kTogether];
    for (std::size_t first = begin; first < end; first += kTogether) {
        const std::size_t n = std::min(kTogether, end - first);
        for (std::size_t i = 0; i < n; ++i) x[i] = value_at(first + i);
        count_below(cuts, x, n, count);
        for (std::size_t i = 0; i < n; ++i)
            codes[first - begin + i] = static_cast<Code>(x[i] == x[i] ? count[i] : missing);
    }
}

template <class Code>
void Encoder::encode(const Column& column, std::size_t begin, std::size_t end, Code* codes) const {
    if (is_nominal) {
        for (std::size_t row = begin; row < end; ++row) {
            const auto code = static_cast<std::uint32_t>(column.at<std::int32_t>(row));
            codes[row - begin] = static_cast<Code>(std::min(code, missing));
        }
    } else if (column.type == ValueType::f32) {
        encode_numbers(float_cuts, begin, end, codes,
                       [&](std::size_t row) { return column.at<float>(row); });
    } else if (column.type == ValueType::f64) {
        encode_numbers(double_cuts, begin, end, codes,
                       [&](std::size_t row) { return column.at<double>(row); });
    } else {
        encode_numbers(double_cuts, begin, end, codes,
                       [&](std::size_t row) { return column.number(row); });
    }
}

template void Encoder::encode(const Column&, std::size_t, std::size_t, std::uint8_t*) const;
template void Encoder::encode(const Column&, std::size_t, std::size_t, std::uint16_t*) const;

}  // namespace treewright
