/// Sums over the nodes of a tree, from the bottom up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treewright {

/// For each node the sum of what is at the nodes below it; nodes come after their parent, and what
/// lies below one that `stops` is not seen from above (empty: none stops).
std::vector<double> sums_below(std::span<const std::int32_t> parent, std::span<const double> values,
                               std::span<const bool> stops);

/// The penalty per leaf at which each node would become a leaf, whatever happens above it
/// (Breiman et al. 1984, chapter 3: weakest links); infinite at leaves. `risk` is what each node
/// costs as a leaf.
std::vector<double> weakest_links(std::span<const std::int32_t> first_child,
                                  std::span<const std::int32_t> n_branches,
                                  std::span<const double> risk);

}  // namespace treewright
