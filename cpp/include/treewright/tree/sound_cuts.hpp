/// A quick check of the trees that most are: every question a cut, no surrogates.
#pragma once

#include <optional>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/tree/arrays.hpp"

namespace treewright::tree {

/// How the values of a column may be cut.
enum class CutColumn : std::uint8_t { none, real, whole };

/// Whether a tree asks nothing but cuts and keeps every invariant of tree/invariants.py, columns
/// included where they are given. False says nothing: that file decides then, and names the fault.
[[nodiscard]] bool has_sound_cuts(const TreeView& tree,
                                  const std::optional<std::vector<CutColumn>>& columns,
                                  Progress& progress);

}  // namespace treewright::tree
