/// When a node may be split, and the limits of its branches: the same for the
/// general engine and the fast ones (boosting counts rows and hessians, boosting/split_search.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "treewright/grow/options.hpp"

namespace treewright::grow {

/// Whether a node of so many rows (copies, weight) is large enough and not too deep to be split.
/// No conditional jumps, which would be mispredicted: engines call it for every child.
[[nodiscard]] inline bool within_limits(const GrowOptions& options, std::size_t n_rows,
                                        std::int64_t depth, double copies, double weight) {
    return (n_rows >= 2) & ((options.max_depth < 0) | (depth < options.max_depth)) &
           (copies >= options.min_split) & (copies >= 2.0 * options.min_leaf) &
           (weight >= 2.0 * options.min_leaf_weight);
}

/// Rows every branch of a node must have: the limit for all nodes, or more than a share of its own.
[[nodiscard]] inline double smallest_branch(const GrowOptions& options, double n_copies) {
    if (options.min_branch_share <= 0.0) return options.min_leaf;
    // A share that is a whole number of rows must not fall short of it by rounding.
    const double share = std::floor(options.min_branch_share * n_copies * (1.0 + 1e-12));
    return std::max(options.min_leaf, share + 1.0);
}

/// Whether a split improves the tree enough: its gain, weighted by the node's share of all weight.
[[nodiscard]] inline bool gains_enough(const GrowOptions& options, double improvement) {
    return improvement >= options.min_gain;
}

}  // namespace treewright::grow
