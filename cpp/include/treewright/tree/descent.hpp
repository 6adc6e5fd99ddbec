/// The questions of a tree in a form that one loop without branches goes down: cuts of decimals and
/// questions on names. A row stops at a question that its values do not decide there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/data/column.hpp"

namespace treewright::tree {

/// Contiguous rows of a table, read for descents. The cell of a name is its code + 2, so that
/// unseen (0) and missing (1) are codes as well, and codes beyond 16 bits are one, as in no
/// question. Cells have two bytes where all columns that are read have names, else eight, the bits
/// of a decimal.
class RowCells {
public:
    using Name = std::uint16_t;

    /// Whether a column can be read: not one of whole numbers beyond the decimals.
    [[nodiscard]] static bool can_read(const data::Column& column) {
        return column.type != data::ValueType::i64;
    }
    /// Reads the columns of these numbers; cells of the others hold anything.
    void read(std::span<const data::Column> columns, std::span<const std::uint32_t> which,
              std::size_t begin, std::size_t end);

    [[nodiscard]] const std::byte* first() const {
        return reinterpret_cast<const std::byte*>(cells.data());
    }
    /// Bytes from one row to the next.
    [[nodiscard]] std::size_t stride() const { return n_columns * n_bytes; }
    [[nodiscard]] bool has_decimals() const { return n_bytes == sizeof(std::uint64_t); }
    /// Whether a decimal is missing.
    [[nodiscard]] bool has_gaps() const { return gaps; }

    /// How many rows are read at once: their cells stay in a near cache.
    [[nodiscard]] static std::size_t rows_at_once(std::span<const data::Column> columns,
                                                  std::span<const std::uint32_t> which);

private:
    [[nodiscard]] static std::size_t bytes_of_cell(std::span<const data::Column> columns,
                                                   std::span<const std::uint32_t> which);

    std::vector<std::uint64_t> cells;
    std::size_t n_columns = 0;
    std::size_t n_bytes = sizeof(std::uint64_t);  ///< of a cell
    bool gaps = false;
};

class Descent {
public:
    static constexpr std::uint8_t kUndecided = 255;  ///< a branch: the row stops
    static constexpr std::size_t kMostColumns = std::size_t{1} << 16;
    static constexpr std::size_t kMostNodes = std::size_t{1} << 27;

    /// `has_cuts`: whether any question is a cut of decimals.
    Descent(std::size_t n_nodes, bool has_cuts) : has_cuts(has_cuts) { asked.reserve(n_nodes); }

    // Nodes are added in the order of their numbers; then `close` makes them ready.

    void add_leaf();
    /// Values above `threshold` go to the second child, missing ones to branch `missing`.
    void add_cut(std::uint32_t column, double threshold, std::uint32_t first_child,
                 std::uint8_t missing);
    /// `branch` of each code + 2; the last entry is that of all codes from there on.
    void add_names(std::uint32_t column, std::span<const std::uint8_t> branch,
                   std::uint32_t first_child);
    void close(Progress& progress);

    /// The node where each of `n` rows arrives or stops, and the numbers of the rows that stop.
    void find(const RowCells& rows, std::size_t n, std::uint32_t* node,
              std::vector<std::uint32_t>& stopped) const;
    /// The same for rows that are under way: those whose numbers are in `walking` go on from their
    /// nodes in `node`; those that stop again remain. `row` has the row that each number stands
    /// for.
    void go_on(const RowCells& rows, const std::uint32_t* row, std::vector<std::uint32_t>& walking,
               std::uint32_t* node) const;
    /// Whether there is no room for a table of so many entries more.
    [[nodiscard]] bool is_full(std::size_t n_more) const {
        return n_more > std::numeric_limits<RowCells::Name>::max() ||
               branches.size() + n_more > (std::size_t{1} << 31);
    }

private:
    /// A question as it was added; the branches of a leaf or a cut are entries of a table, too.
    struct Asked {
        double threshold = 0.0;
        std::uint32_t first_child = 0;
        std::uint32_t start = 0;  ///< in `branches`, up to that of the next question
        std::uint16_t column = 0;
        std::uint16_t last = 0;
        std::uint32_t if_missing = 0;
        bool is_leaf = false;
    };
    void add(Asked node, std::span<const std::uint8_t> branch);
    [[nodiscard]] std::span<const std::uint8_t> branches_of(std::size_t node) const {
        const std::size_t end = node + 1 < asked.size() ? asked[node + 1].start : branches.size();
        return std::span(branches).subspan(asked[node].start, end - asked[node].start);
    }
    void place_from(std::uint32_t top, std::size_t& n_words);
    void write(std::uint32_t node);

    // A node lies in `words` with the table of the places after it, so that it is in one or two
    // lines of the cache. Which entry comes next is the name's code + 2, at most `last`, and one
    // more for a decimal above the threshold: cuts have a `last` of 0, and no decimal is above the
    // NaN of a question on names. Byte by byte, of which the last two are in trees with cuts:
    static constexpr std::size_t kNumber = 0;      ///< u32: the node's number, and whether it asks
    static constexpr std::size_t kColumn = 4;      ///< u16
    static constexpr std::size_t kLast = 6;        ///< u16
    static constexpr std::size_t kIfMissing = 8;   ///< u32: entries more for a missing decimal
    static constexpr std::size_t kThreshold = 12;  ///< f64
    static constexpr std::size_t kWordsOfNames = 2;  ///< before the entries
    static constexpr std::size_t kWordsOfAny = 5;
    static constexpr std::uint32_t kAsks = std::uint32_t{1} << 31;

    /// Calls use(next), where `next(place, cells of a row)` is the place after one.
    template <class Use>
    void with_next(const RowCells& rows, Use&& use) const;

    bool has_cuts;
    std::vector<Asked> asked;  ///< until `close`, like `branches`
    std::vector<std::uint8_t> branches;
    std::vector<std::uint32_t> words;
    std::vector<std::uint32_t> place_of;  ///< of each node, in words
};

}  // namespace treewright::tree
