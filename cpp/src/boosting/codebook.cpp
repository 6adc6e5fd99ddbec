#include "treewright/boosting/codebook.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "treewright/base/huge_pages.hpp"
#include "treewright/data/order.hpp"

namespace treewright::boosting {
namespace {

struct Weighed {
    double value;
    double weight;
};

/// Rows that bins are computed from: all of positive weight, or some of them, evenly spread.
std::vector<std::uint32_t> rows_for_bins(const data::Dataset& data,
                                         std::span<const double> weights) {
    const std::size_t n = std::min(data.n_rows, kRowsForBins);
    std::vector<std::uint32_t> rows;
    rows.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t row = i * data.n_rows / n;
        if (weights.empty() || weights[row] > 0.0) rows.push_back(static_cast<std::uint32_t>(row));
    }
    return rows;
}

/// An integer of the same order as a float; value_of inverts it.
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

/// Sorts by eleven bits at a time, from the lowest; bits that all keys share take no pass.
template <class Key>
void radix_sort(std::vector<Key>& keys) {
    constexpr int kBits = 11;
    constexpr int kPasses = (8 * sizeof(Key) + kBits - 1) / kBits;
    const auto digit = [](Key key, int pass) {
        return static_cast<std::size_t>(key >> (pass * kBits)) & ((std::size_t{1} << kBits) - 1);
    };
    if (keys.empty()) return;
    std::vector<std::uint32_t> start(kPasses << kBits);
    for (const Key key : keys)
        for (int pass = 0; pass < kPasses; ++pass)
            ++start[(static_cast<std::size_t>(pass) << kBits) + digit(key, pass)];
    std::vector<Key> spare(keys.size());
    for (int pass = 0; pass < kPasses; ++pass) {
        std::uint32_t* own = start.data() + (static_cast<std::size_t>(pass) << kBits);
        if (own[digit(keys[0], pass)] == keys.size()) continue;
        std::exclusive_scan(own, own + (1 << kBits), own, 0U);
        for (const Key key : keys) spare[own[digit(key, pass)]++] = key;
        keys.swap(spare);
    }
}

/// The numbers of a column of few different values, and how many rows have each, found without
/// sorting its rows.
template <class T>
class FewValues {
public:
    void add(T value) {
        // Of two values both are met again at once, without a test which of them it is.
        n_of_first += value == first ? 1 : 0;
        n_of_second += value == second ? 1 : 0;
        if ((value == first) | (value == second) | (value != value) | !are_few()) return;
        if (first != first) {
            first = value;
            n_of_first = 1;
        } else if (second != second) {
            second = value;
            n_of_second = 1;
        } else add_other(value);
    }
    [[nodiscard]] bool are_few() const { return n_found <= kMost; }
    [[nodiscard]] std::vector<Weighed> ascending() const {
        std::vector<Weighed> found;
        const auto keep = [&](T value, std::uint32_t n) {
            if (n > 0) found.push_back({static_cast<double>(value + T{0}), static_cast<double>(n)});
        };
        keep(first, n_of_first);
        keep(second, n_of_second);
        for (std::size_t at = 0; at < kPlaces; ++at) keep(value_of<T>(key_at[at]), count[at]);
        std::ranges::sort(found, {}, &Weighed::value);
        return found;
    }

private:
    void add_other(T value) {
        const KeyOf<T> key = key_of(value);
        std::size_t at = key * 0x9e3779b97f4a7c15ULL >> 56;
        while (count[at] != 0 && key_at[at] != key) at = (at + 1) % kPlaces;
        if (count[at]++ != 0) return;
        key_at[at] = key;
        ++n_found;
    }
    static constexpr std::size_t kMost = 64;
    static constexpr std::size_t kPlaces = 256;
    KeyOf<T> key_at[kPlaces] = {};
    std::uint32_t count[kPlaces] = {};
    std::size_t n_found = 0;  ///< beside the first two
    T first = std::numeric_limits<T>::quiet_NaN();
    T second = std::numeric_limits<T>::quiet_NaN();
    std::uint32_t n_of_first = 0;
    std::uint32_t n_of_second = 0;
};

/// Calls use(column's index, value) for columns of floats, column by column in stretches of rows.
/// Columns are mostly adjacent: a stretch is read for all of them while it is in the cache.
template <class T, class Wanted, class Use>
void for_values(std::span<const data::Column* const> columns, std::span<const std::uint32_t> rows,
                Wanted&& is_wanted, Use&& use) {
    constexpr std::size_t kStretch = 512;
    for (std::size_t begin = 0; begin < rows.size(); begin += kStretch)
        for (std::size_t c = 0; c < columns.size(); ++c)
            if (is_wanted(c))
                for (const std::uint32_t row :
                     rows.subspan(begin, std::min(kStretch, rows.size() - begin)))
                    use(c, columns[c]->at<T>(row));
}

/// Sort keys of the known numbers of columns, in some rows.
template <class T>
std::vector<std::vector<KeyOf<T>>> keys_of(std::span<const data::Column* const> columns,
                                           std::span<const std::uint32_t> rows) {
    std::vector<std::vector<KeyOf<T>>> keys(columns.size());
    for (auto& own : keys) own.reserve(rows.size());
    for_values<T>(
        columns, rows, [](std::size_t) { return true; },
        [&](std::size_t c, T value) {
            if (value == value) keys[c].push_back(key_of(value));
        });
    return keys;
}

/// The numbers of keys, ascending, equal ones joined.
template <class T>
std::vector<Weighed> distinct_floats(std::vector<KeyOf<T>>& keys) {
    radix_sort(keys);
    std::vector<Weighed> found;
    found.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (i > 0 && keys[i] == keys[i - 1]) found.back().weight += 1.0;
        else found.push_back({static_cast<double>(value_of<T>(keys[i])), 1.0});
    return found;
}

/// The known numbers of a column with the weights of their rows, ascending, equal ones joined.
std::vector<Weighed> distinct_values(const data::Column& column,
                                     std::span<const std::uint32_t> rows,
                                     std::span<const double> weights, data::OrderScratch& scratch,
                                     Progress& progress) {
    const data::Order order = order_of(column, rows, scratch, progress);
    std::vector<Weighed> found;
    for (std::size_t i = 0; i < order.entries.size() - order.n_missing; ++i) {
        const std::uint32_t row = order.entries[i] >> 1;
        const double weight = weights.empty() ? 1.0 : weights[row];
        if (i > 0 && (order.entries[i] & 1) != 0) found.back().weight += weight;
        else found.push_back({column.number(row), weight});
    }
    return found;
}

/// A number from a up to, but not including, b > a, as near to their midpoint as there is.
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
        // The bin is full if more than half of the next value would exceed its share.
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

/// x <= cut for any x of type T, even if the cut itself is not a T.
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

constexpr std::size_t kMostSorted = 4;  ///< columns whose numbers are held at a time

/// Calls learn(column, its numbers) for floats of rows of equal weight.
template <class T, class Learn>
void for_floats(const data::Dataset& data, std::span<const std::size_t> which, data::ValueType type,
                std::span<const std::uint32_t> rows, Progress& progress, Learn&& learn) {
    std::vector<std::size_t> mine;
    std::vector<const data::Column*> columns;
    for (const std::size_t c : which)
        if (data.columns[c].type == type) {
            mine.push_back(c);
            columns.push_back(&data.columns[c]);
        }
    std::vector<FewValues<T>> few(mine.size());
    for_values<T>(
        columns, rows, [&](std::size_t i) { return few[i].are_few(); },
        [&](std::size_t i, T value) { few[i].add(value); });
    std::vector<std::size_t> many;
    for (std::size_t i = 0; i < mine.size(); ++i)
        if (few[i].are_few()) learn(mine[i], few[i].ascending());
        else many.push_back(i);
    for (std::size_t begin = 0; begin < many.size(); begin += kMostSorted) {
        const auto some =
            std::span(many).subspan(begin, std::min(kMostSorted, many.size() - begin));
        std::vector<const data::Column*> sorted;
        for (const std::size_t i : some) sorted.push_back(columns[i]);
        auto keys = keys_of<T>(sorted, rows);
        for (std::size_t i = 0; i < some.size(); ++i) {
            progress.check(true);
            learn(mine[some[i]], distinct_floats<T>(keys[i]));
        }
    }
}

}  // namespace

Codebook learn_codebook(const data::Dataset& data, std::size_t max_bins, Team& team) {
    constexpr std::size_t kMostTogether = 16;  // columns that lie in one or two lines of memory
    const std::size_t n_columns = data.columns.size();
    Codebook book;
    book.columns.resize(n_columns);
    const std::span<const double> weights = data.weight;
    const std::vector<std::uint32_t> rows = rows_for_bins(data, weights);
    std::vector<data::OrderScratch> scratch(team.size());
    const auto learn = [&](std::size_t c, const std::vector<Weighed>& values) {
        book.columns[c].cuts = cuts_of(values, max_bins);
        book.columns[c].n_codes = static_cast<std::uint32_t>(book.columns[c].cuts.size() + 1);
    };
    const std::size_t together =
        std::clamp<std::size_t>(n_columns / (2 * team.size()), 1, kMostTogether);
    const std::size_t n_groups = (n_columns + together - 1) / together;
    team.for_each(n_groups, [&](std::size_t group, std::size_t thread) {
        std::vector<std::size_t> alike;
        for (std::size_t c = group * n_columns / n_groups; c < (group + 1) * n_columns / n_groups;
             ++c) {
            const data::Column& column = data.columns[c];
            CodedColumn& coded = book.columns[c];
            coded.is_nominal = column.scale == data::Scale::nominal;
            const bool is_float =
                column.type == data::ValueType::f32 || column.type == data::ValueType::f64;
            if (coded.is_nominal) coded.n_codes = std::min(column.n_codes, kMostCategories);
            else if (weights.empty() && is_float) alike.push_back(c);
            else learn(c, distinct_values(column, rows, weights, scratch[thread], team.progress()));
        }
        for_floats<float>(data, alike, data::ValueType::f32, rows, team.progress(), learn);
        for_floats<double>(data, alike, data::ValueType::f64, rows, team.progress(), learn);
    });
    if (data.n_rows >= kRowsForBins) give_back_memory();  // before the codes are allocated
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
void Encoder::encode(const data::Column& column, std::size_t begin, std::size_t end,
                     Code* codes) const {
    if (is_nominal) {
        for (std::size_t row = begin; row < end; ++row) {
            const auto code = static_cast<std::uint32_t>(column.at<std::int32_t>(row));
            codes[row - begin] = static_cast<Code>(std::min(code, missing));
        }
    } else if (column.type == data::ValueType::f32) {
        encode_numbers(float_cuts, begin, end, codes,
                       [&](std::size_t row) { return column.at<float>(row); });
    } else if (column.type == data::ValueType::f64) {
        encode_numbers(double_cuts, begin, end, codes,
                       [&](std::size_t row) { return column.at<double>(row); });
    } else {
        encode_numbers(double_cuts, begin, end, codes,
                       [&](std::size_t row) { return column.number(row); });
    }
}

template void Encoder::encode(const data::Column&, std::size_t, std::size_t, std::uint8_t*) const;
template void Encoder::encode(const data::Column&, std::size_t, std::size_t, std::uint16_t*) const;

}  // namespace treewright::boosting
