/// Lines in the leaves of a tree that is grown (Shi, Li and Li, Gradient boosting with piece-wise
/// linear regression trees, IJCAI 2019; LightGBM's linear_tree).
///
/// A leaf of rows with gradients g and hessians h predicts value + sum_j c_j (x_j - center_j), j
/// the numeric columns asked on its path, center_j the mean of x_j weighted by h. The slopes
/// minimise the loss to second order plus l2 / 2 sum_j (c_j spread_j)^2,
///
///     (X' H X + l2 S^2) c = -X' g      X: numbers less their means, S: spreads on the diagonal,
///
/// where spread_j is the standard deviation of the column in the whole table, so that l2 does not
/// depend on units. Numbers less their means are orthogonal to 1: value is the leaf's prediction
/// without a line. A missing or infinite number adds nothing, as if it were the mean. The
/// contribution of a line is limited to the range it has on the rows it was fitted to: with nearly
/// collinear columns, or for rows far outside, it could otherwise be arbitrarily large.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/boosting/histogram.hpp"
#include "treewright/boosting/tree.hpp"
#include "treewright/data/column.hpp"

namespace treewright::boosting {

/// A leaf's line has at most this many terms, and one for every two rows: of more columns those
/// asked first are used.
inline constexpr std::size_t kMostLineTerms = 50;

/// Standard deviation of the finite numbers of each column; 0 for columns that are not numeric, do
/// not vary, or vary beyond the largest number. `weight`: by row; empty: 1 each.
[[nodiscard]] std::vector<double> spreads_of(std::span<const data::Column> columns,
                                             std::size_t n_rows, std::span<const double> weight,
                                             Team& team);

/// The data that lines are fitted to.
struct LineRows {
    std::span<const data::Column> columns;
    std::span<const double> spread;  ///< by column
    GradientView gradients;          ///< gradients and hessians
    FixedPoint fixed;
    std::span<const std::uint32_t> sample;       ///< rows of the sample; empty: all
    std::span<const std::uint32_t> leaf_of_row;  ///< node of each row
};

/// Fits the lines of the leaves of a tree. Rows are summed in blocks that do not depend on the
/// number of threads.
template <class Row>
void fit_lines(const LineRows& rows, double l2, BoostTree& tree, Team& team);

}  // namespace treewright::boosting
