/// Held-out rows that follow a tree while it is being pruned, and decide nothing: their
/// cost in each subtree. A row with a missing value is divided as the training rows
/// are, and each part costs its share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/prune/changing_tree.hpp"
#include "treewright/prune/divided_rows.hpp"
#include "treewright/prune/error_estimate.hpp"

namespace treewright::prune {

class Followers {
public:
    Followers(std::span<const data::Dataset> sets, ChangingTree& tree, const LeafJudge& judge,
              Progress& progress)
        : tree(tree), judge(judge), progress(progress), local(tree.n_classes) {
        for (const data::Dataset& data : sets) shares.emplace_back(data);
        errors.resize(shares.size());
        make_room();
    }

    /// To be called when nodes were added to the tree.
    void make_room() {
        for (auto& each : errors) each.resize(tree.places.size());
    }

    /// The rows of each set that have arrived at a node, and where they go from there.
    using Arrived = std::vector<Share>;
    using Divided = std::vector<Division>;

    [[nodiscard]] std::size_t size() const { return shares.size(); }
    [[nodiscard]] Arrived everything() const;
    /// Sends what has arrived through the node's question; `fractions` are those of the training
    /// rows.
    [[nodiscard]] Divided divide(const Arrived& arrived, std::int32_t node,
                                 const std::vector<double>& fractions);
    [[nodiscard]] Arrived branch_of(const Arrived& arrived, const Divided& divided,
                                    std::int32_t branch) const;

    /// The current cost of each set below a node.
    [[nodiscard]] std::vector<double> costs(std::int32_t node) const;
    /// Stores the cost of arrived rows in a leaf.
    void settle_leaf(std::int32_t leaf, const Arrived& arrived);
    /// Stores their cost below a node whose children are done.
    void add_up(std::int32_t node);
    /// Sends the rows that have arrived at a node through its subtree; all training rows are
    /// counted there.
    void spread(std::int32_t node, const Arrived& arrived);

private:
    ChangingTree& tree;
    const LeafJudge& judge;
    Progress& progress;
    std::vector<Shares> shares;
    std::vector<std::vector<double>> errors;  ///< of each set, below each node
    std::vector<double> local;
};

}  // namespace treewright::prune
