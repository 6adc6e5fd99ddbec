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

    explicit Descent(std::size_t n_nodes) { nodes.reserve(n_nodes); }

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
    /// Whether tables of branches have no room for so many entries more.
    [[nodiscard]] bool is_full(std::size_t n_more) const;

private:
    struct Table {
        std::uint32_t start;
        std::uint32_t last;
    };
    struct Node {
        union {
            double threshold;
            Table table;  ///< entries of `tables`
        };
        std::uint32_t first_child;
        std::uint16_t column;
        std::int8_t asks_names;  ///< 0 or -1
        std::uint8_t missing;    ///< branch of a missing decimal
    };
    static_assert(sizeof(Node) == 16);

    template <bool has_gaps>
    void find_by(const RowCells& rows, std::size_t n, std::uint32_t* node) const;

    std::vector<Node> nodes;
    std::vector<std::uint32_t> tables = {0};  ///< the next node by code + 2; a node itself: stop
};

}  // namespace treewright::tree
