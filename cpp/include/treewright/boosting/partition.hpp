/// Partitions a list of rows by their codes, keeping the order on either side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "treewright/boosting/coding/slots.hpp"

namespace treewright::boosting {

/// For each code, whether its rows go to the second child: a bit each.
struct Ways {
    std::vector<std::uint32_t> bits;
    std::size_t n_codes = 0;

    void reset(std::size_t n) {
        n_codes = n;
        bits.assign(n <= 512 ? 16 : (n + 31) / 32, 0);  // at least a full register
    }
    /// All codes from this one on.
    void set_from(std::size_t code) {
        const std::size_t word = code / 32;
        if (word >= bits.size()) return;
        bits[word] = ~0U << (code % 32);
        for (std::size_t i = word + 1; i < bits.size(); ++i) bits[i] = ~0U;
    }
    /// These codes, of a slot of one byte, beside others.
    void add(const CodeBits& codes) {
        for (std::size_t i = 0; i < codes.size(); ++i) bits[i] |= codes[i];
    }
    [[nodiscard]] bool goes_second(std::size_t code) const {
        return (bits[code / 32] >> (code % 32) & 1) != 0;
    }
    void set(std::size_t code, bool is_second) {
        const std::uint32_t bit = 1U << (code % 32);
        bits[code / 32] = is_second ? bits[code / 32] | bit : bits[code / 32] & ~bit;
    }
};

/// Entries after the last row that a vector store may touch; room for a few parts of a list.
inline constexpr std::size_t kStoreReach = 16;
inline constexpr std::size_t kDivideSlack = 4096;

/// Moves the rows of the second child to `second`, and compacts those of the first in place;
/// returns the number of the latter.
std::size_t divide(std::uint32_t* rows, std::size_t n, const std::uint8_t* codes, bool is_wide,
                   const Ways& ways, std::uint32_t* second);

/// The same for the rows from `first_row` on, which need not be listed.
std::size_t divide_run(std::uint32_t first_row, std::size_t n, const std::uint8_t* codes,
                       bool is_wide, const Ways& ways, std::uint32_t* rows, std::uint32_t* second);

}  // namespace treewright::boosting
