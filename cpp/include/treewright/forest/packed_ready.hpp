/// Packed trees prepared for many rows.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "treewright/forest/packed.hpp"

namespace treewright::forest {

/// A packed node for rows of floats: half the size, so that a tree stays in a closer cache. x <= t
/// for a float x is x <= the greatest float up to t. Leaves as in PackedNode.
struct HotNode {
    float threshold;
    std::uint32_t link;  ///< first_child << 8 | column

    static constexpr std::uint32_t kNaN = 0x7fc00000U;
    static constexpr std::size_t kMostColumns = 256;
    static constexpr std::size_t kMostNodes = std::size_t{1} << 22;  // a leaf's number is in a NaN

    [[nodiscard]] std::uint32_t leaf() const {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &threshold, sizeof bits);
        return bits & ~kNaN;
    }
};

inline std::uint32_t column_of(const HotNode& node) {
    return node.link & 255U;
}
inline std::uint32_t child_of(const PackedNode& node) {
    return node.first_child;
}
inline std::uint32_t child_of(const HotNode& node) {
    return node.link >> 8;
}

/// A tree prepared for many rows: its leaf values are computed.
struct ReadyTree {
    struct Share {
        double share;
        std::uint32_t class_number;
    };
    std::vector<HotNode> hot;          ///< empty: the packed nodes serve
    std::vector<double> answers;       ///< leaves x width; empty if they are listed
    std::vector<Share> listed;         ///< the classes that a leaf has, leaf by leaf
    std::vector<std::uint32_t> start;  ///< of each leaf in the list

    /// Adds the answer of a leaf to the sums of a row.
    void add(std::size_t leaf, std::size_t width, double* sums) const {
        if (start.empty()) {
            const double* answer = answers.data() + leaf * width;
            for (std::size_t k = 0; k < width; ++k) sums[k] += answer[k];
            return;
        }
        for (std::uint32_t i = start[leaf]; i < start[leaf + 1]; ++i)
            sums[listed[i].class_number] += listed[i].share;
    }
};

/// Prepares a tree; `heats`: for rows of floats.
[[nodiscard]] ReadyTree made_ready(const PackedTree& tree, std::uint32_t n_classes,
                                   std::size_t n_columns, Vote vote, bool heats);

}  // namespace treewright::forest
