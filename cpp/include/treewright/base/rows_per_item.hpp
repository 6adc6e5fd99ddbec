/// How rows are divided among the items of a team of threads.
#pragma once

#include <algorithm>
#include <cstddef>

namespace treewright {

/// How many of `n` rows each item should have, at most `most`: such that all threads have as many
/// items, of about as many rows.
[[nodiscard]] inline std::size_t rows_per_item(std::size_t n, std::size_t most,
                                               std::size_t n_threads) {
    const auto divided_up = [](std::size_t all, std::size_t by) { return (all + by - 1) / by; };
    const std::size_t n_items = divided_up(divided_up(n, most), n_threads) * n_threads;
    return std::max<std::size_t>(divided_up(n, std::max<std::size_t>(n_items, 1)), 1);
}

}  // namespace treewright
