/// Sums over the nodes of a tree, from the bottom up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::prune {

/// For each node the sum of the values of the nodes below it; nodes come after their parent, and
/// nodes below one that `stops` are not counted above it (empty: none stops).
std::vector<double> sums_below(std::span<const std::int32_t> parent, std::span<const double> values,
                               std::span<const bool> stops);

/// A bottom-up pass over a tree that turns nodes into leaves. Spans are by node.
struct FromBelow {
    std::span<const std::int32_t> first_child;
    std::span<const std::int32_t> n_branches;
    std::span<const double> figure;     ///< of a node as a leaf; a subtree has those of its leaves
    std::span<const double> questions;  ///< and what its questions add; empty: nothing
    /// A node becomes a leaf if its subtree, as it is by then, has at least this, less the slack.
    std::span<const double> bound;
    double slack = 0.0;
    bool only_leaf_parents = false;  ///< only where all children are leaves by then
};
/// The nodes that became leaves, in order, and the figures of their subtrees.
struct CutNodes {
    std::vector<std::int64_t> node;
    std::vector<double> subtree;
};
CutNodes cut_from_below(const FromBelow& way);

/// The penalty per leaf at which each node would become a leaf, whatever happens above it
/// (Breiman et al. 1984, chapter 3: weakest links); infinite at leaves. `risk` is the cost of each
/// node as a leaf.
std::vector<double> weakest_links(std::span<const std::int32_t> first_child,
                                  std::span<const std::int32_t> n_branches,
                                  std::span<const double> risk);

}  // namespace treewright::prune
