/// How many doubles the widest register holds: what loops for wide registers count in.
#pragma once

#include <cstddef>

namespace treewright {

inline constexpr std::size_t kLanes = 8;

}  // namespace treewright
