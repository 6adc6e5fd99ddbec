/// Rows of a table, and the blocks in which they are processed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "treewright/base/parallel.hpp"

namespace treewright::boosting {

/// Rows: a list, or (empty) all rows from `first` on.
struct RowRange {
    const std::uint32_t* list = nullptr;
    std::size_t first = 0;
    std::size_t n = 0;

    [[nodiscard]] std::size_t operator[](std::size_t i) const {
        return list == nullptr ? first + i : list[i];
    }
    [[nodiscard]] RowRange part(std::size_t begin, std::size_t end) const {
        return {list == nullptr ? nullptr : list + begin, first + begin, end - begin};
    }
};

inline constexpr std::size_t kRowsPerBlock = 2048;

[[nodiscard]] constexpr std::size_t n_row_blocks(std::size_t n_rows) {
    return (n_rows + kRowsPerBlock - 1) / kRowsPerBlock;
}

/// Calls work(begin, end, thread) for blocks of rows that do not depend on the number of threads;
/// a block's number is begin / kRowsPerBlock.
template <class Work>
void by_blocks(std::size_t n_rows, Team& team, Work&& work) {
    // Few rows are worked on in less time than a loop of a team takes to be set up.
    if (n_rows <= kRowsPerBlock) {
        if (n_rows > 0) work(std::size_t{0}, n_rows, std::size_t{0});
        return;
    }
    team.for_each(n_row_blocks(n_rows), [&](std::size_t block, std::size_t thread) {
        const std::size_t begin = block * kRowsPerBlock;
        work(begin, std::min(n_rows, begin + kRowsPerBlock), thread);
    });
}

}  // namespace treewright::boosting
