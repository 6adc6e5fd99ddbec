/// CRC-32C (Castagnoli; RFC 3720, appendix B.4), which processors compute: arrays of a model file
/// are checked about as fast as they are read.
#pragma once

#include <cstdint>
#include <span>

namespace treewright::state {

[[nodiscard]] std::uint32_t checksum(std::span<const unsigned char> bytes);
/// The same without the processor's instruction.
[[nodiscard]] std::uint32_t checksum_by_table(std::span<const unsigned char> bytes);

}  // namespace treewright::state
