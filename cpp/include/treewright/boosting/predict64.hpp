/// 64 rows descend a tree together, from the leaves up: each node that asks holds for every row the
/// leaf that the row would reach from there, as a byte: that of its second child where the question
/// sends the row there, else that of its first child. The bytes at the root are the rows' leaves.
/// Every question is evaluated for every row, but nothing waits for a result: a node is one
/// comparison and one selection of bytes, for as many rows at once as the processor has lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace treewright::boosting {

/// A byte for each of 64 rows.
struct alignas(64) RowBytes {
    static constexpr std::size_t kRows = 64;

    std::uint8_t of[kRows];
};

/// A node that asks. Offsets are in bytes, so that they need no arithmetic.
struct BoostChoice {
    std::uint32_t codes;  ///< where the codes of its column start, or the answers to it
    std::uint16_t first;  ///< where what its children hold starts
    std::uint16_t second;
    std::uint8_t cut;  ///< codes above it go to the second child
    bool is_answered;  ///< its answers, not the codes of a column, are compared with the cut
};

/// Returns the bytes of the last choice, the root; with no choice, those of the first slot. A
/// choice's children come before it. Its bytes are written to slots from `first_free` on, one each.
const RowBytes& go_together(std::span<const BoostChoice> choices, const RowBytes* codes,
                            const RowBytes* answers, RowBytes* slots, std::size_t first_free);

/// Adds the values of their leaves to the scores of 64 rows.
void add_values(const RowBytes& leaves, const double* values, double* scores);

/// 1 for rows whose code has its bit set, else 0.
void answer_by_bits(const std::uint8_t* codes, std::span<const std::uint64_t> bits,
                    RowBytes& answers);
void answer_by_bits(const std::uint16_t* codes, std::span<const std::uint64_t> bits,
                    RowBytes& answers);

/// The same order of codes, but with the code of missing values, the highest, as the lowest.
void missing_lowest(const RowBytes& codes, std::uint8_t missing, RowBytes& moved);

/// Rows whose byte is above the cut, a bit each.
[[nodiscard]] std::uint64_t bits_above(const RowBytes& codes, std::uint8_t cut);

}  // namespace treewright::boosting
