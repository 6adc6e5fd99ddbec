/// Numbers of ways to group things, as natural logarithms because they overflow soon.
#pragma once

#include <cstddef>

namespace treewright {

/// log of n choose k; -infinity where there is no way.
[[nodiscard]] double log_choose(std::size_t n, std::size_t k);

/// log of the number of ways to divide n things into k groups, none empty (Stirling number of the
/// second kind), for 1 <= k <= n and k up to 500.
[[nodiscard]] double log_groupings(std::size_t n, std::size_t k);

}  // namespace treewright
