/// A drawn cut of an ordered column, or drawn set of names, in growing on rows (split/drawn.hpp):
/// the rows are gone through twice, for the values that they have and for the sums of one side, and
/// never put in order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "treewright/base/random.hpp"
#include "treewright/forest/fast/coded_columns.hpp"
#include "treewright/forest/fast/row_runs.hpp"
#include "treewright/split/drawn.hpp"

namespace treewright::forest {

/// Calls f(value_at), where value_at(row of the table) is a value of the column; NaN: missing.
template <class F>
decltype(auto) with_values(const CodedColumn& column, F&& f) {
    if (column.is_narrow())
        return f([codes = column.narrow.data(), values = column.values.data()](std::uint32_t row) {
            return values[codes[row]];
        });
    return f([cells = column.cells.data()](std::uint32_t row) { return cells[row]; });
}

/// The names that the rows of a node have, each sent to a side by a fair coin.
struct DrawnNames {
    std::vector<std::uint32_t> code;    ///< of each, ascending
    std::vector<std::uint32_t> branch;  ///< of each
    std::vector<double> side_of_code;   ///< 0 or 1; not a number: the value is missing
};

struct DrawnCut {
    bool any_known = false;
    bool has_missing = false;
    bool varies = false;  ///< there are two values to draw a cut between
    double at = 0.0;      ///< values up to this one are on the first side
};

/// The least and the greatest of some values, and how many are missing.
struct ValueRange {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    std::uint32_t n_missing = 0;

    void take(double value) {
        least = value < least ? value : least;  // never if it is missing
        most = value > most ? value : most;
        n_missing += value != value ? 1 : 0;
    }
    void take(const ValueRange& other) {
        least = std::min(least, other.least);
        most = std::max(most, other.most);
        n_missing += other.n_missing;
    }
};

/// Draws a cut between the values that the rows of a node have, which are written side by side:
/// they are far apart in the table, and read again for the sums.
[[nodiscard]] inline DrawnCut draw_cut(const NodeRows& rows, const CodedColumn& column,
                                       Generator generator, std::vector<double>& values) {
    if (values.size() < rows.n) values.resize(rows.n);
    constexpr std::uint32_t kChains = 4;  // of comparisons that wait for each other
    std::array<ValueRange, kChains> ranges;
    with_values(column, [&](const auto& value_at) {
        std::uint32_t i = 0;
        for (; i + kChains <= rows.n; i += kChains)
            for (std::uint32_t chain = 0; chain < kChains; ++chain) {
                const double value = value_at(row_of(rows.words[i + chain]));
                values[i + chain] = value;
                ranges[chain].take(value);
            }
        for (; i < rows.n; ++i) {
            values[i] = value_at(row_of(rows.words[i]));
            ranges[0].take(values[i]);
        }
    });
    for (std::uint32_t chain = 1; chain < kChains; ++chain) ranges[0].take(ranges[chain]);
    const auto [least, most, n_missing] = ranges[0];
    DrawnCut made;
    made.any_known = n_missing < rows.n;
    made.has_missing = n_missing > 0;
    made.varies = least < most;
    made.at = made.varies ? split::draw_between(least, most, generator)
                          : std::numeric_limits<double>::infinity();
    return made;
}

/// Draws sides for the names that the rows of a node have, as split/drawn.hpp does; those up to the
/// cut 0.5 are on the first side.
[[nodiscard]] inline DrawnCut draw_names(const NodeRows& rows, const CodedColumn& column,
                                         Generator generator, DrawnNames& names) {
    std::array<std::uint8_t, CodedColumn::kFewValues + 1> is_there{};
    for (std::uint32_t i = 0; i < rows.n; ++i) is_there[column.narrow[row_of(rows.words[i])]] = 1;
    names.code.clear();
    names.branch.clear();
    names.side_of_code.resize(is_there.size());
    std::uint32_t n_left = 0;
    constexpr std::uint32_t kAtOnce = 8;
    for (std::uint32_t from = 0; from < column.n_codes; from += kAtOnce) {
        std::uint64_t some = 0;
        std::memcpy(&some, is_there.data() + from, sizeof some);
        for (; some != 0; some &= some - 1) {
            const auto at = from + static_cast<std::uint32_t>(std::countr_zero(some)) / 8U;
            if (at >= column.n_codes) break;
            names.code.push_back(at);
            names.branch.push_back(static_cast<std::uint32_t>(generator.next() >> 63));
            n_left += 1 - names.branch.back();
        }
    }
    DrawnCut made;
    made.any_known = !names.code.empty();
    made.has_missing = is_there[column.n_codes] != 0;
    made.varies = names.code.size() > 1;
    made.at = 0.5;
    if (made.varies) {
        const auto any = static_cast<std::size_t>(generator.below(names.code.size()));
        if (n_left == 0) names.branch[any] = 0;
        if (n_left == names.code.size()) names.branch[any] = 1;
    } else {
        std::fill(names.branch.begin(), names.branch.end(), 0U);  // is it known?
    }
    for (std::size_t i = 0; i < names.code.size(); ++i)
        names.side_of_code[names.code[i]] = names.branch[i];
    names.side_of_code[column.n_codes] = std::numeric_limits<double>::quiet_NaN();
    return made;
}

}  // namespace treewright::forest
