/// The questions of a tree in a form that one loop without branches goes down: cuts of decimals and
/// questions on names. A row stops at a question that its values do not decide there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/data/column.hpp"

namespace treewright::tree {

/// Contiguous rows of a table, read for descents: eight bytes a cell, the bits of a decimal or, of
/// a name, its code + 2, so that unseen (0) and missing (1) are codes as well.
class RowCells {
public:
    /// Whether a column can be read: not one of whole numbers beyond the decimals.
    [[nodiscard]] static bool can_read(const data::Column& column) {
        return column.type != data::ValueType::i64;
    }
    /// Reads the columns of these numbers; cells of the others hold anything.
    void read(std::span<const data::Column> columns, std::span<const std::uint32_t> which,
              std::size_t begin, std::size_t end);

    [[nodiscard]] const std::uint64_t* first() const { return cells.data(); }
    [[nodiscard]] std::size_t stride() const { return n_columns; }
    /// Whether a decimal is missing.
    [[nodiscard]] bool has_gaps() const { return gaps; }

    /// How many rows of so many columns are read at once: their cells stay in a near cache.
    [[nodiscard]] static std::size_t rows_at_once(std::size_t n_columns);

private:
    std::vector<std::uint64_t> cells;
    std::size_t n_columns = 0;
    bool gaps = false;
};

class Descent {
public:
    static constexpr std::uint8_t kUndecided = 255;  ///< a branch: the row stops
    static constexpr std::size_t kMostColumns = std::size_t{1} << 16;
    static constexpr std::size_t kMostNodes = std::size_t{1} << 30;

    /// `has_cuts`: whether any question is a cut of decimals.
    Descent(std::size_t n_nodes, bool has_cuts) : has_cuts(has_cuts) { nodes.reserve(n_nodes); }

    // Nodes are added in their order, children after their parents.

    void add_leaf();
    /// Values above `threshold` go to the second child, missing ones to branch `missing`.
    void add_cut(std::uint32_t column, double threshold, std::uint32_t first_child,
                 std::uint8_t missing);
    /// `branch` of each code + 2; the last entry is that of all codes from there on.
    void add_names(std::uint32_t column, std::span<const std::uint8_t> branch,
                   std::uint32_t first_child);

    /// The node where each of `n` rows arrives or stops.
    void find(const RowCells& rows, std::size_t n, std::uint32_t* node) const;
    /// The same for rows that are under way: those whose numbers are in `walking` (which is spent)
    /// go on from their nodes in `node`. `row` has the row that each number stands for.
    void go_on(const RowCells& rows, const std::uint32_t* row, std::vector<std::uint32_t>& walking,
               std::uint32_t* node) const;
    /// Whether there is no room for a table of so many entries more.
    [[nodiscard]] bool is_full(std::size_t n_more) const;

private:
    /// A step adds up three places in `nodes`: `first_child`, that of the second child next to it
    /// for a value above `threshold`, and an entry of `tables`. Cuts look up entry 0, which is 0;
    /// names are above no threshold (NaN), and their entries are whole places.
    struct Node {
        double threshold = 0.0;
        std::uint32_t start = 0;  ///< of its entries, the last one `last` further on
        std::uint16_t last = 0;
        std::uint16_t column = 0;
        std::uint32_t first_child = 0;
        std::uint32_t missing = 0;  ///< to be added for a missing decimal
    };
    static_assert(sizeof(Node) == 24);
    /// Places count words of eight bytes, which the processor's addresses can multiply by.
    static constexpr std::uint32_t kWords = sizeof(Node) / 8;

    [[nodiscard]] std::uint32_t next_place() const {
        return static_cast<std::uint32_t>(nodes.size()) * kWords;
    }
    /// Calls use(next), where `next(place, cells of a row)` is the place after one.
    template <class Use>
    void with_next(const RowCells& rows, Use&& use) const;

    bool has_cuts;
    std::vector<Node> nodes;
    std::vector<std::uint32_t> tables = {0};  ///< the next place by code + 2; the same one: stop
};

}  // namespace treewright::tree
