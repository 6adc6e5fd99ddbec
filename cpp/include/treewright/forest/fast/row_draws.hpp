/// A drawn cut of an ordered column, in growing on rows (split/drawn.hpp): its rows are read twice,
/// for the range and for the sums of one side, and never put in order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

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

struct DrawnCut {
    bool any_known = false;
    bool has_missing = false;
    bool varies = false;  ///< there are two values to draw a cut between
    double at = 0.0;      ///< values up to this one are on the first side
};

/// Draws a cut between the values that the rows of a node have.
[[nodiscard]] inline DrawnCut draw_cut(const NodeRows& rows, const CodedColumn& column,
                                       Generator generator) {
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    std::uint32_t n_missing = 0;
    with_values(column, [&](const auto& value_at) {
        for (std::uint32_t i = 0; i < rows.n; ++i) {
            const double value = value_at(row_of(rows.words[i]));
            least = value < least ? value : least;  // never if it is missing
            most = value > most ? value : most;
            n_missing += value != value ? 1 : 0;
        }
    });
    DrawnCut made;
    made.any_known = n_missing < rows.n;
    made.has_missing = n_missing > 0;
    made.varies = least < most;
    made.at = made.varies ? split::draw_between(least, most, generator)
                          : std::numeric_limits<double>::infinity();
    return made;
}

}  // namespace treewright::forest
