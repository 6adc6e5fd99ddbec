#include "treewright/forest/packed_shape.hpp"

#include <algorithm>

namespace treewright::forest {

std::uint32_t depth_of(const PackedTree& tree) {
    std::vector<std::uint32_t> level(tree.nodes.size(), 0);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {  // children come after their parents
        const PackedNode& node = tree.nodes[i];
        if (node.is_leaf()) continue;
        level[node.first_child] = level[node.first_child + 1] = level[i] + 1;
    }
    return *std::max_element(level.begin(), level.end());
}

std::vector<std::uint64_t> questions_by_column(const PackedForest& forest) {
    std::vector<std::uint64_t> n_questions(forest.n_columns, 0);
    for (const PackedTree& tree : forest.trees)
        for (const PackedNode& node : tree.nodes)
            if (!node.is_leaf()) ++n_questions[node.column & ~PackedNode::kMissingFirst];
    return n_questions;
}

}  // namespace treewright::forest
