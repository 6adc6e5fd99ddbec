/// Columns drawn without replacement, for a node or for a tree: every engine draws the same way, so
/// that the same seed gives the same tree whichever grows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "treewright/base/random.hpp"

namespace treewright::grow {

/// A node draws its columns from the generator of its key mixed with this; those of single columns
/// are mixed with the column.
inline constexpr std::uint64_t kColumnDraws = ~std::uint64_t{0};

/// Moves one of the columns not drawn yet, each with equal probability, to position `i`: a step of
/// a shuffle (Durstenfeld 1964, after Fisher and Yates).
template <class Columns>
void draw_next(Columns& columns, std::size_t i, Generator& generator) {
    std::swap(columns[i], columns[i + generator.below(columns.size() - i)]);
}

}  // namespace treewright::grow
