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

/// The `n_wanted` rows of the smallest (key, row); keys that fall as a value grows select the
/// largest values. If the largest key of the result lies in `guess`, one pass over the rows
/// suffices, and only those in it are compared with each other; otherwise two.
[[nodiscard]] RowSet smallest_rows(std::size_t n_rows, std::size_t n_wanted,
                                   const KeysOfRows& keys_of, const KeyRange& guess, Team& team);

/// A range that contains the largest of the `n_wanted` smallest keys, estimated from some rows; it
/// fails one time in a thousand million.
[[nodiscard]] KeyRange guess_from_some(std::size_t n_rows, std::size_t n_wanted,
                                       const KeysOfRows& keys_of);

/// The key of the draw of rows in a round of this key.
[[nodiscard]] std::uint64_t key_of_rows(std::uint64_t key);

/// Rows drawn with probability `share` each, rows of equal content together, except those in
/// `without`. The draw does not depend on the order of the rows, nor on how often one is
/// written.
[[nodiscard]] RowSet draw_contents(std::span<const std::uint32_t> content, double share,
                                   std::uint64_t key, const RowSet& without, Team& team);

/// The rows of the content that would be drawn by the smallest share: used where none is drawn.
[[nodiscard]] RowSet first_content(std::span<const std::uint32_t> content, std::uint64_t key);

/// A number that falls as a double, not NaN, grows.
[[nodiscard]] inline std::uint64_t falling_key(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0.0 becomes 0.0
    const bool is_negative = bits >> 63 != 0;
    return is_negative ? bits : ~(bits | std::uint64_t{1} << 63);
}

}  // namespace treewright::boosting
