/// Rows drawn by keys: the rows of the smallest are a draw without replacement where keys are
/// random numbers, and the largest of something where keys fall as it grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "treewright/base/parallel.hpp"

namespace treewright {

/// Some rows of a table, a bit each.
class RowSet {
public:
    RowSet() = default;
    explicit RowSet(std::size_t n_rows) : n_rows(n_rows), words((n_rows + 63) / 64) {}

    [[nodiscard]] bool has(std::size_t row) const { return (words[row / 64] >> row % 64 & 1) != 0; }
    void add(std::size_t row) { words[row / 64] |= std::uint64_t{1} << row % 64; }
    void add(const RowSet& other);
    /// The rows in their order.
    [[nodiscard]] std::vector<std::uint32_t> list(Team& team) const;

    std::size_t n_rows = 0;
    std::vector<std::uint64_t> words;
};

/// Writes the keys of rows [begin, end); called by several threads at once.
using KeysOfRows = std::function<void(std::size_t begin, std::size_t end, std::uint64_t* keys)>;

/// The `n_wanted` rows of the smallest (key, row) among those that are not in `without`, of which
/// there must be so many; an empty `without` has none.
[[nodiscard]] RowSet smallest_rows(std::size_t n_rows, std::size_t n_wanted,
                                   const KeysOfRows& keys_of, const RowSet& without, Team& team);

/// A key for every row, mixed from another.
[[nodiscard]] KeysOfRows random_keys(std::uint64_t key);

/// A number that falls where a double, no NaN, grows.
[[nodiscard]] std::uint64_t falling_key(double value);

}  // namespace treewright
