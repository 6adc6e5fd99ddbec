/// Rows that walk down a tree at the same time, so that their cache misses overlap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace treewright::tree {

inline constexpr std::size_t kInFlight = 16;

/// Steps between two looks which rows have arrived.
inline constexpr int kStepsPerLook = 4;

/// `other` if so, else `one`; of which a compiler does not make a branch, as it does of `?:`.
template <class T>
inline T either(bool takes_other, T one, T other) {
    return one ^ ((one ^ other) & (T{0} - static_cast<T>(takes_other)));
}

/// From their nodes in `leaf` on to leaves go `n` rows, of which `walking` has the numbers:
/// `row_of` gives the cells of a number, and `next` the node after one, which of a leaf is the leaf
/// itself. All rows take some steps, group by group, then those that have not arrived some more:
/// paths are of different lengths. Who goes on is written without a branch, as nobody can tell it.
template <class RowOf, class Next>
inline __attribute__((always_inline)) void walk_on_in_waves(RowOf&& row_of, std::size_t n,
                                                            Next&& next, std::uint32_t* leaf,
                                                            std::uint32_t* walking) {
    const auto take_steps = [&](const std::uint32_t* rows, std::size_t n_rows, std::size_t n_on) {
        decltype(row_of(0U)) cells[kInFlight];
        std::uint32_t at[kInFlight];
        std::uint32_t number[kInFlight];
        for (std::size_t i = 0; i < n_rows; ++i) {
            number[i] = rows[i];
            cells[i] = row_of(rows[i]);
            at[i] = leaf[rows[i]];
        }
        for (int look = 1; look < kStepsPerLook; ++look) {
#pragma GCC unroll 16
            for (std::size_t i = 0; i < n_rows; ++i) at[i] = next(at[i], cells[i]);
            // One step of every row after the other: GCC would else let a row take its steps at
            // once, and what they wait for would no longer overlap.
            asm volatile("" : : : "memory");
        }
#pragma GCC unroll 16
        for (std::size_t i = 0; i < n_rows; ++i) {
            const std::uint32_t to = next(at[i], cells[i]);
            leaf[number[i]] = to;
            walking[n_on] = number[i];
            n_on += static_cast<std::size_t>(to != at[i]);
        }
        return n_on;
    };
    while (n > 0) {
        std::size_t n_on = 0;
        std::size_t i = 0;
        for (; i + kInFlight <= n; i += kInFlight) n_on = take_steps(walking + i, kInFlight, n_on);
        if (i < n) n_on = take_steps(walking + i, n - i, n_on);
        n = n_on;
    }
}

/// The leaves of `n` rows, whose cells lie `stride` apart, all from the root on. `walking` has room
/// for the numbers of the rows.
template <class T, class Next>
inline __attribute__((always_inline)) void walk_in_waves(const T* cells, std::size_t stride,
                                                         std::size_t n, Next&& next,
                                                         std::uint32_t* leaf,
                                                         std::uint32_t* walking) {
    for (std::size_t i = 0; i < n; ++i) {
        leaf[i] = 0;
        walking[i] = static_cast<std::uint32_t>(i);
    }
    walk_on_in_waves([=](std::uint32_t row) { return cells + row * stride; }, n, next, leaf,
                     walking);
}

}  // namespace treewright::tree
