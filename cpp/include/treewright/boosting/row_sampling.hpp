/// The rows of a round: some drawn at random, those of the largest gradients.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/boosting/row_blocks.hpp"

namespace treewright::boosting {

/// Some rows of a table, a bit each.
class RowSet {
public:
    RowSet() = default;
    explicit RowSet(std::size_t n_rows) : words((n_rows + 63) / 64) {}

    [[nodiscard]] bool has(std::size_t row) const {
        return !words.empty() && (words[row / 64] >> (row % 64) & 1) != 0;
    }
    void add(std::size_t row) { words[row / 64] |= std::uint64_t{1} << (row % 64); }
    void add(const RowSet& other);
    [[nodiscard]] std::size_t size() const;
    /// The rows in their order.
    [[nodiscard]] std::vector<std::uint32_t> list(Team& team) const;

    std::vector<std::uint64_t> words;  ///< none: no rows
};

/// Writes the keys of at most kRowsPerBlock rows.
using KeysOfRows =
    std::function<void(const RowRange& rows, std::size_t thread, std::uint64_t* keys)>;

struct KeyRange {
    std::uint64_t low = 0;
    std::uint64_t high = std::numeric_limits<std::uint64_t>::max();  ///< the last
};

/// The `n_wanted` rows of the smallest (key, row): where keys fall as something grows, those where
/// it is largest. Where the largest key of these is in `guess` rows are gone through once, and only
/// those in it are compared with each other; elsewhere twice.
[[nodiscard]] RowSet smallest_rows(std::size_t n_rows, std::size_t n_wanted,
                                   const KeysOfRows& keys_of, const KeyRange& guess, Team& team);

/// Where the largest of the `n_wanted` smallest keys is, from those of some rows, but for one time
/// in a thousand million.
[[nodiscard]] KeyRange guess_from_some(std::size_t n_rows, std::size_t n_wanted,
                                       const KeysOfRows& keys_of);

/// Rows drawn with a chance of `share` each, those of the same content together, but for those in
/// `without`. What is drawn does not depend on the order of the rows, nor on how often one is
/// written.
[[nodiscard]] RowSet draw_contents(std::span<const std::uint32_t> content, double share,
                                   std::uint64_t key, const RowSet& without, Team& team);

/// The rows of the content that would be drawn by the least share: for where none is drawn.
[[nodiscard]] RowSet first_content(std::span<const std::uint32_t> content, std::uint64_t key);

/// A number that falls where a double, no NaN, grows.
[[nodiscard]] inline std::uint64_t falling_key(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // there is one zero
    const bool is_negative = bits >> 63 != 0;
    return is_negative ? bits : ~(bits | std::uint64_t{1} << 63);
}

}  // namespace treewright::boosting
