/// The nodes whose questions a pruned tree asks: those of the tree that is pruned and, numbered
/// after them, of the branches that were regrown.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "treewright/tree/plan.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright::prune {

class Sources {
public:
    explicit Sources(const tree::Tree& tree) : tree(tree) {}

    /// A branch that was regrown.
    struct Grown {
        tree::Tree tree;
        tree::Plan plan;
        std::int32_t first_source;  ///< number of its first node
    };
    /// Adds a branch that was regrown below the node of a source.
    const Grown& add(tree::Tree grown, tree::Plan plan, std::int32_t below);

    [[nodiscard]] const tree::TreeNode& node(std::int32_t source) const {
        const auto [from, at] = find(source);
        return from->nodes[at];
    }
    /// The class weights of a node when it was grown.
    [[nodiscard]] const double* value(std::int32_t source) const {
        const auto [from, at] = find(source);
        return from->value.data() + at * from->width;
    }
    /// The branches that were regrown, one after the other.
    [[nodiscard]] tree::Tree joined() const;
    /// Of each of their nodes, the node of the old tree it was grown below.
    [[nodiscard]] const std::vector<std::int32_t>& origins() const { return origin; }

private:
    [[nodiscard]] std::pair<const tree::Tree*, std::size_t> find(std::int32_t source) const;

    const tree::Tree& tree;
    std::vector<std::unique_ptr<Grown>> grown;
    std::vector<std::int32_t> origin;
};

}  // namespace treewright::prune
