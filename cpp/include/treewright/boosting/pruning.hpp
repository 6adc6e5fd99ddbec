/// Cost-complexity pruning of a tree of a round (Breiman et al. 1984, section 3.3).
#pragma once

#include <cstdint>
#include <vector>

#include "treewright/boosting/tree.hpp"

namespace treewright::boosting {

/// What became of the nodes of a tree, by their former numbers.
struct PrunedNodes {
    std::vector<std::uint32_t> at;  ///< the number of the node, or of what it is merged into
    std::vector<bool> asks;         ///< whether the node still has children
};

/// Cuts off branches whose gain is at most `min_gain_per_leaf` for each of their leaves but one.
/// From the leaves up, a branch stays if what is left of it is worth more: the result is the
/// smallest tree of least cost (section 10.2). Of a tree without lines.
PrunedNodes prune_branches(BoostTree& tree, double min_gain_per_leaf);

}  // namespace treewright::boosting
