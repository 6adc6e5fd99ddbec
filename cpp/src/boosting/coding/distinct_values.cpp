#include "treewright/boosting/coding/distinct_values.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <type_traits>

#include "treewright/boosting/coding/adjacent.hpp"

namespace treewright::boosting {
namespace {

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
    /// The value that most of the rows so far have, if it is one of the first two; NaN: none.
    [[nodiscard]] T common() const {
        std::uint32_t n_others = 0;
        for (const std::uint32_t n : count) n_others += n;
        if (n_of_first > n_of_second + n_others) return first;
        if (n_of_second > n_of_first + n_others) return second;
        return std::numeric_limits<T>::quiet_NaN();
    }
    void tell(TwoValues<T>& known, std::size_t at) const {
        known.first[at] = first;
        known.second[at] = second;
    }
    /// Adds values counted elsewhere.
    void add(const TwoValues<T>& counted, std::size_t at) {
        n_of_first += counted.n_first[at];
        n_of_second += counted.n_second[at];
    }
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

/// Rows that are read for one column after the other: columns are mostly adjacent, and these are
/// in the cache then.
constexpr std::size_t kStretch = 512;

/// A stretch of rows of adjacent columns: those of two values are counted together.
template <class T>
void count_adjacent(const data::Column& column, std::span<const std::uint32_t> rows,
                    FewValues<T>* few) {
    TwoValues<T> counted;
    for (std::size_t c = 0; c < kAdjacent<T>; ++c) few[c].tell(counted, c);
    for (std::size_t begin = 0; begin < rows.size(); begin += kRowsTogether) {
        const auto some = rows.subspan(begin, std::min(kRowsTogether, rows.size() - begin));
        if (count_two(column, some, counted)) continue;
        if (std::none_of(few, few + kAdjacent<T>, [](const auto& one) { return one.are_few(); }))
            break;
        for (std::size_t c = 0; c < kAdjacent<T>; ++c) {
            for (const std::uint32_t row : some)
                few[c].add(*reinterpret_cast<const T*>(
                    column.data + static_cast<std::ptrdiff_t>(row) * column.stride +
                    static_cast<std::ptrdiff_t>(c * sizeof(T))));
            few[c].tell(counted, c);
        }
    }
    for (std::size_t c = 0; c < kAdjacent<T>; ++c) few[c].add(counted, c);
}

/// The numbers of columns of few; of others not all rows are counted.
template <class T>
std::vector<FewValues<T>> few_values_of(std::span<const data::Column* const> columns,
                                        std::span<const std::uint32_t> rows) {
    std::vector<FewValues<T>> few(columns.size());
    std::size_t n_next = 0;  // columns before this one that it is adjacent to
    std::vector<bool> ends_group(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
        n_next = c > 0 && n_next > 0 && is_next(*columns[c], *columns[c - 1]) ? n_next + 1 : 1;
        if (n_next < kAdjacent<T>) continue;
        ends_group[c] = true;
        n_next = 0;
    }
    for (std::size_t begin = 0; begin < rows.size(); begin += kStretch) {
        const auto some = rows.subspan(begin, std::min(kStretch, rows.size() - begin));
        for (std::size_t c = columns.size(); c-- > 0;) {
            if (ends_group[c]) {
                FewValues<T>* group = &few[c - (kAdjacent<T> - 1)];
                if (std::any_of(group, group + kAdjacent<T>,
                                [](const FewValues<T>& one) { return one.are_few(); })) {
                    c -= kAdjacent<T> - 1;
                    count_adjacent<T>(*columns[c], some, group);
                    continue;
                }
            }
            if (few[c].are_few())
                for (const std::uint32_t row : some) few[c].add(columns[c]->at<T>(row));
        }
    }
    return few;
}

/// Sort keys of the known numbers of a column, but for rows of the value that may be common, which
/// are only counted: most rows of many a column have one.
template <class T>
struct Keys {
    T common = std::numeric_limits<T>::quiet_NaN();
    std::size_t n_common = 0;
    std::vector<KeyOf<T>> keys;
};

template <class T>
void fill_keys(const data::Column& column, std::span<const std::uint32_t> rows, Keys<T>& into) {
    std::vector<KeyOf<T>>& keys = into.keys;
    if (into.common != into.common) {  // there is none
        for (const std::uint32_t row : rows) {
            const T value = column.at<T>(row);
            if (value == value) keys.push_back(key_of(value));
        }
        return;
    }
    // Keys are written whether they are kept or not, without a branch for each.
    std::size_t n = keys.size();
    keys.resize(n + rows.size());
    for (const std::uint32_t row : rows) {
        const T value = column.at<T>(row);
        keys[n] = key_of(value);
        n += (value == value) & (value != into.common) ? 1 : 0;
        into.n_common += value == into.common ? 1 : 0;
    }
    keys.resize(n);
}

template <class T>
void fill_keys(std::span<const data::Column* const> columns, std::span<const std::uint32_t> rows,
               std::vector<Keys<T>>& into) {
    for (Keys<T>& own : into) own.keys.reserve(rows.size());
    for (std::size_t begin = 0; begin < rows.size(); begin += kStretch)
        for (std::size_t c = 0; c < columns.size(); ++c)
            fill_keys(*columns[c], rows.subspan(begin, std::min(kStretch, rows.size() - begin)),
                      into[c]);
}

/// The numbers of keys, ascending, equal ones joined.
template <class T>
std::vector<Weighed> distinct_floats(Keys<T>& own) {
    auto& keys = own.keys;
    radix_sort(keys);
    std::vector<Weighed> found;
    found.reserve(keys.size() + 1);
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (i > 0 && keys[i] == keys[i - 1]) found.back().weight += 1.0;
        else found.push_back({static_cast<double>(value_of<T>(keys[i])), 1.0});
    if (own.n_common == 0) return found;
    const auto value = static_cast<double>(own.common + T{0});
    const auto after = std::ranges::upper_bound(found, value, {}, &Weighed::value);
    found.insert(after, {value, static_cast<double>(own.n_common)});
    return found;
}

constexpr std::size_t kMostSorted = 4;  ///< columns whose numbers are held at a time

/// Calls learn(column, its numbers) for floats of rows of equal weight.
template <class T>
void for_floats(const data::Dataset& data, std::span<const std::size_t> which, data::ValueType type,
                std::span<const std::uint32_t> rows, Progress& progress, const TakeValues& learn) {
    std::vector<std::size_t> mine;
    std::vector<const data::Column*> columns;
    for (const std::size_t c : which)
        if (data.columns[c].type == type) {
            mine.push_back(c);
            columns.push_back(&data.columns[c]);
        }
    const std::vector<FewValues<T>> few = few_values_of<T>(columns, rows);
    std::vector<std::size_t> many;
    for (std::size_t i = 0; i < mine.size(); ++i)
        if (few[i].are_few()) learn(mine[i], few[i].ascending());
        else many.push_back(i);
    for (std::size_t begin = 0; begin < many.size(); begin += kMostSorted) {
        const auto some =
            std::span(many).subspan(begin, std::min(kMostSorted, many.size() - begin));
        std::vector<const data::Column*> sorted;
        std::vector<Keys<T>> keys(some.size());
        for (std::size_t i = 0; i < some.size(); ++i) {
            sorted.push_back(columns[some[i]]);
            keys[i].common = few[some[i]].common();
        }
        fill_keys<T>(sorted, rows, keys);
        for (std::size_t i = 0; i < some.size(); ++i) {
            progress.check(true);
            learn(mine[some[i]], distinct_floats<T>(keys[i]));
        }
    }
}

}  // namespace

void for_distinct_floats(const data::Dataset& data, std::span<const std::size_t> columns,
                         std::span<const std::uint32_t> rows, Progress& progress,
                         const TakeValues& take) {
    for_floats<float>(data, columns, data::ValueType::f32, rows, progress, take);
    for_floats<double>(data, columns, data::ValueType::f64, rows, progress, take);
}

}  // namespace treewright::boosting
