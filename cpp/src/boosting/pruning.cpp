#include "treewright/boosting/pruning.hpp"

#include <utility>

namespace treewright::boosting {
namespace {

/// Whether each node has children after pruning, were it reached.
std::vector<bool> worth_asking(const BoostTree& tree, double min_gain_per_leaf) {
    std::vector<bool> asks(tree.nodes.size());
    std::vector<double> worth(tree.nodes.size());
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {  // parents come before their children
        const BoostNode& node = tree.nodes[i];
        if (node.is_leaf()) continue;
        const auto first = static_cast<std::size_t>(node.first_child);
        const double all = node.gain - min_gain_per_leaf + worth[first] + worth[first + 1];
        asks[i] = all > 0.0;
        if (asks[i]) worth[i] = all;
    }
    return asks;
}

BoostNode leaf_of(const BoostNode& node) {
    BoostNode leaf;
    leaf.n_rows = node.n_rows;
    leaf.weight = node.weight;
    leaf.value = node.value;
    return leaf;
}

}  // namespace

PrunedNodes prune_branches(BoostTree& tree, double min_gain_per_leaf) {
    PrunedNodes now{std::vector<std::uint32_t>(tree.nodes.size()),
                    worth_asking(tree, min_gain_per_leaf)};
    std::vector<BoostNode> kept;
    std::vector<bool> is_gone(tree.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const BoostNode& node = tree.nodes[i];
        if (is_gone[i]) {
            now.asks[i] = false;
        } else {
            now.at[i] = static_cast<std::uint32_t>(kept.size());
            kept.push_back(now.asks[i] ? node : leaf_of(node));
        }
        if (node.is_leaf() || now.asks[i]) continue;
        for (const int side : {0, 1}) {
            const auto child = static_cast<std::size_t>(node.first_child + side);
            is_gone[child] = true;
            now.at[child] = now.at[i];
        }
    }
    for (BoostNode& node : kept)
        if (!node.is_leaf())
            node.first_child =
                static_cast<std::int32_t>(now.at[static_cast<std::size_t>(node.first_child)]);
    tree.nodes = std::move(kept);
    return now;
}

}  // namespace treewright::boosting
