/// Rows with known answers that follow a tree while it is being pruned, and decide nothing: what
/// they cost in each subtree. A row without the value asked for is divided as the training rows
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

    /// To be called when the tree has got more nodes.
    void make_room() {
        for (auto& each : errors) each.resize(tree.places.size());
    }

    /// What has arrived at a node of each set of rows, and where it goes from there.
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

    /// What each set costs below a node as it is now.
    [[nodiscard]] std::vector<double> costs(std::int32_t node) const;
    /// Notes what arrived rows cost in a leaf.
    void settle_leaf(std::int32_t leaf, const Arrived& arrived);
    /// Notes what they cost below a node whose children have been noted.
    void add_up(std::int32_t node);
    /// Sends what has arrived at a node through all below it; all training rows are counted there.
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
