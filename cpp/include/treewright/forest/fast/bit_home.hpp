/// The cells of a node's rows, where all columns of a table have at most two values: bits, by
/// column, in a few kilobytes that stay in a near cache. Below a node of so many rows only they
/// are read; rows are numbered anew for them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "treewright/base/huge_pages.hpp"
#include "treewright/base/prefetch.hpp"

namespace treewright::forest {

/// All cells of a table of bits, by row.
struct BitRows {
    std::size_t n_words = 0;  ///< of a row; 0: the table is another one
    FarVector<std::uint64_t> words;

    [[nodiscard]] bool any() const { return n_words > 0; }
    [[nodiscard]] const std::uint64_t* row(std::size_t row) const {
        return words.data() + row * n_words;
    }
};

/// Codes of a column that are bits, read like an array.
struct BitCodes {
    const std::uint64_t* bits;
    std::uint32_t operator[](std::uint32_t row) const {
        return static_cast<std::uint32_t>(bits[row / 64] >> (row % 64) & 1U);
    }
};

/// Swaps rows and columns of 64 x 64 bits, bit j of word i being row i, column j (Warren, Hacker's
/// Delight, section 7-3).
inline void transpose(std::array<std::uint64_t, 64>& tile) {
    std::uint64_t mask = 0x00000000ffffffffULL;
    for (unsigned width = 32; width != 0; width >>= 1, mask ^= mask << width)
        for (unsigned i = 0; i < 64; i = (i + width + 1) & ~width) {
            const std::uint64_t moved = (tile[i] >> width ^ tile[i + width]) & mask;
            tile[i] ^= moved << width;
            tile[i + width] ^= moved;
        }
}

class BitHome {
public:
    static constexpr std::uint32_t kMostRows = 4096;

    /// Reads the cells of n rows; `row_at(i)` is the row of the table that gets number i.
    template <class RowAt>
    void fill(const BitRows& table, std::size_t n_columns, std::uint32_t n, const RowAt& row_at) {
        bits.resize(n_columns * kWords);
        std::array<std::uint64_t, 64> tile{};
        for (std::uint32_t begin = 0; begin < n; begin += 64) {
            const std::uint32_t n_here = std::min(64U, n - begin);
            for (std::uint32_t i = begin + n_here; i < std::min(n, begin + 128); ++i)
                prefetch(table.row(row_at(i)));
            for (std::size_t word = 0; word < table.n_words; ++word) {
                for (std::uint32_t i = 0; i < n_here; ++i)
                    tile[i] = table.row(row_at(begin + i))[word];
                std::fill(tile.begin() + n_here, tile.end(), 0U);
                transpose(tile);
                const std::size_t first = word * 64;
                const std::size_t n_there = std::min<std::size_t>(64, n_columns - first);
                for (std::size_t j = 0; j < n_there; ++j)
                    bits[(first + j) * kWords + begin / 64] = tile[j];
            }
        }
    }
    [[nodiscard]] BitCodes codes(std::size_t column) const {
        return {bits.data() + column * kWords};
    }

private:
    static constexpr std::size_t kWords = kMostRows / 64;
    std::vector<std::uint64_t> bits;
};

}  // namespace treewright::forest
