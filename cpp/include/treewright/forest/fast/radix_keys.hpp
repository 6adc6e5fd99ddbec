/// Sorting the few rows of a node by the codes of one column.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright::forest {

/// Keys up to which a plain insertion sort is fastest, and from which sorting by digits is.
inline constexpr std::uint32_t kInsertion = 24;
inline constexpr std::uint32_t kDigits = 64;

/// Sorts keys of code << 32 | place, which come in the order of their places; codes are at most
/// `most`. Long ones are sorted by digits of eight bits, the last first, which keeps that order.
inline void sort_by_code(std::uint64_t* keys, std::uint32_t n, std::uint32_t most,
                         std::vector<std::uint64_t>& spare) {
    if (n <= kInsertion) {
        for (std::uint32_t i = 1; i < n; ++i) {
            const std::uint64_t key = keys[i];
            std::uint32_t j = i;
            for (; j > 0 && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
            keys[j] = key;
        }
        return;
    }
    if (n < kDigits) {
        std::sort(keys, keys + n);
        return;
    }
    constexpr unsigned kDigit = 8;
    if (spare.size() < n) spare.resize(n);
    std::uint64_t* from = keys;
    std::uint64_t* to = spare.data();
    for (unsigned shift = 32; shift < 32 + static_cast<unsigned>(std::bit_width(most));
         shift += kDigit) {
        std::array<std::uint32_t, 1U << kDigit> place{};
        for (std::uint32_t i = 0; i < n; ++i) ++place[from[i] >> shift & 255U];
        std::uint32_t before = 0;
        for (std::uint32_t& count : place) {
            const std::uint32_t own = count;
            count = before;
            before += own;
        }
        for (std::uint32_t i = 0; i < n; ++i) to[place[from[i] >> shift & 255U]++] = from[i];
        std::swap(from, to);
    }
    if (from != keys) std::copy_n(from, n, keys);
}

}  // namespace treewright::forest
