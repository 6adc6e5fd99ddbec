/// Number of doubles in the widest register: the unit of loops for wide registers.
#pragma once

#include <cstddef>

namespace treewright {

inline constexpr std::size_t kLanes = 8;

}  // namespace treewright
