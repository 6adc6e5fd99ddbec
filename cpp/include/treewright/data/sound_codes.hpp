/// Codes are checked before compiled code follows them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treewright::data {

/// Whether n codes, `stride` bytes apart, are from `least` on and below `end`.
[[nodiscard]] bool are_between(const std::byte* codes, std::ptrdiff_t stride, std::size_t n,
                               std::int32_t least, std::uint32_t end);

}  // namespace treewright::data
