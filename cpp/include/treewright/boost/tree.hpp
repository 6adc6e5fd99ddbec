/// A tree of a boosted ensemble, asking codes: one tree for one output of one round.
#pragma once

#include <cstdint>
#include <vector>

namespace treewright {

struct BoostNode {
    std::int32_t first_child = -1;  ///< -1: a leaf; the second child follows it
    std::uint32_t column = 0;
    std::uint32_t cut = 0;     ///< numbers: codes up to it go to the first child
    std::int32_t subset = -1;  ///< categories: where their bits start; set: the first child
    bool missing_first = false;
    std::uint32_t n_rows = 0;
    double weight = 0.0;  ///< sum of hessians
    double gain = 0.0;
    double value = 0.0;  ///< what a leaf adds to the score

    [[nodiscard]] bool is_leaf() const { return first_child < 0; }
};

struct BoostTree {
    std::vector<BoostNode> nodes;
    std::vector<std::uint64_t> subsets;

    /// The branch of a row, by its code of the node's column.
    [[nodiscard]] bool goes_second(const BoostNode& node, std::uint32_t code,
                                   std::uint32_t missing) const {
        if (code == missing) return !node.missing_first;
        if (node.subset < 0) return code > node.cut;
        return (subsets[static_cast<std::size_t>(node.subset) + code / 64] >> (code % 64) & 1) == 0;
    }
};

}  // namespace treewright
