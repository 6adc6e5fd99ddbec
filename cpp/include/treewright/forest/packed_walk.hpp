/// One step of a row down a packed tree, shared by all walks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "treewright/forest/packed.hpp"

namespace treewright::forest {

/// Rows that walk down a tree at the same time, so that their cache misses overlap.
inline constexpr std::size_t kInFlight = 16;

/// The branch of a missing value: 0, the first, or 1.
inline std::uint32_t branch_of_missing(const PackedNode& node) {
    return (node.column & PackedNode::kMissingFirst) != 0 ? 0U : 1U;
}

/// The next node of a row with this value, which may be missing; a leaf is its own.
inline std::uint32_t next_of(const PackedNode& node, double value) {
    const bool missing_first = branch_of_missing(node) == 0;
    const bool first = (value <= node.threshold) | ((value != value) & missing_first);
    return node.first_child + (first ? 0U : 1U);
}

}  // namespace treewright::forest
