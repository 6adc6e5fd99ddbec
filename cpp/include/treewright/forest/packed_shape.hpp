/// Depths of packed trees and the columns they ask.
#pragma once

#include <cstdint>
#include <vector>

#include "treewright/forest/packed.hpp"

namespace treewright::forest {

/// Questions on the longest path; 0 for a leaf alone.
[[nodiscard]] std::uint32_t depth_of(const PackedTree& tree);

/// How many nodes of all trees ask each column.
[[nodiscard]] std::vector<std::uint64_t> questions_by_column(const PackedForest& forest);

}  // namespace treewright::forest
