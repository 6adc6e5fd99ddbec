/// Quantiles of the target given a row (Meinshausen, Quantile Regression Forests, JMLR 7, 2006).
/// Each tree spreads a weight of 1 over the training rows in the leaf that the row falls into; the
/// mean over the trees gives the weights of the training rows, and hence of their targets:
///
///     w_i(x) = mean over trees of  weight_i [i in leaf(x)] / weight of leaf(x)
///     F(y | x) = sum of w_i(x) over y_i <= y,      Q(a | x) = min { y_i : F(y_i | x) >= a }.
#pragma once

#include <cstdint>
#include <span>

#include "treewright/base/progress.hpp"
#include "treewright/forest/leaf_rows.hpp"

namespace treewright::forest {

/// F is a sum of thousands of quotients: a level counts as reached this little below it.
inline constexpr double kLevelSlack = 1e-11;

/// `trained` stores rows by the rank of their target, `values` are the targets by rank, ascending.
/// `leaves` are rows x trees, `levels` ascend in [0, 1], `out` is rows x levels. Trees whose
/// leaf has no training row are skipped; NaN where all are.
void quantiles(const LeafRows& trained, std::span<const double> values,
               std::span<const std::int32_t> leaves, std::span<const double> levels,
               std::size_t n_threads, Progress& progress, std::span<double> out);

/// Where the targets of the training rows lie in their own distributions: F(y - 0 | x) and F(y |
/// x), rows x 2. `leaves` are those of the training rows, below 0 in trees that are to be
/// skipped; `stands_there` says whether the leaves contain the row itself, which is then left
/// out, and with it the other rows of its group. `groups` is the group of each row; empty: every
/// row is alone.
void own_shares(const LeafRows& trained, std::span<const std::int32_t> leaves, bool stands_there,
                std::span<const std::uint32_t> groups, std::size_t n_threads, Progress& progress,
                std::span<double> out);

}  // namespace treewright::forest
