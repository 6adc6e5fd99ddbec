/// The rows of one subtree, numbered densely from 0, with everything that growing needs of them.
///
/// A column is held as a list of its rows in ascending order of value, missing rows last, and a
/// node is the same range [begin, end) of every list:
///
///   column 0:  [ 3 0 | 4 1 2 ]      one list per column; a node is a range,
///   column 1:  [ 0 3 | 2 1 4 ]      the same rows in each list, each in its own order
///
/// or, when few columns are considered per node, as codes by row and one list of rows.
/// Rows are renumbered and narrowed to 16 bits once a subtree is small, so that it stays in cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/data/bins.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/data/order.hpp"
#include "treewright/data/row_targets.hpp"

namespace treewright::data {

/// One entry of a list: row << 2 | positive << 1 | same value. `positive` is the class of a
/// two-class target (0 otherwise); the last bit says that the entry before it in the node has the
/// same value.
template <class Word>
struct Entry {
    static constexpr Word kSameValue = 1;
    static constexpr Word kPositive = 2;
    static constexpr std::size_t kMostRows = std::size_t{1} << (8 * sizeof(Word) - 2);

    static std::uint32_t row(Word entry) { return static_cast<std::uint32_t>(entry >> 2); }
};

using Narrow = std::uint16_t;
using Wide = std::uint32_t;

enum class Holding : std::uint8_t { lists, codes };

struct Block : RowTargets {
    Holding holding = Holding::lists;
    std::uint32_t n_rows = 0;
    std::vector<std::uint32_t> table_row;  ///< row of the table behind each row of the block

    /// lists: one list of n_rows entries per column still in use; codes: one list, in table order.
    std::variant<std::vector<Narrow>, std::vector<Wide>> entries;
    std::vector<std::uint32_t> slot_of_column;  ///< which list; columns no longer in use have none
    std::vector<Codes> codes;  ///< per column, by row of the block; empty with lists

    [[nodiscard]] bool is_narrow() const { return entries.index() == 0; }

    template <class Word>
    [[nodiscard]] Word* list(std::size_t column) {
        const std::size_t slot = holding == Holding::lists ? slot_of_column[column] : 0;
        return std::get<std::vector<Word>>(entries).data() + slot * n_rows;
    }
    template <class Word>
    [[nodiscard]] const Word* list(std::size_t column) const {
        const std::size_t slot = holding == Holding::lists ? slot_of_column[column] : 0;
        return std::get<std::vector<Word>>(entries).data() + slot * n_rows;
    }
};

/// How the first block of a tree holds its columns. Tests ask for wider words than needed.
struct BlockOptions {
    Holding holding = Holding::lists;
    bool wide = false;               ///< 32-bit entries even where 16 bits would do
    std::size_t min_code_width = 1;  ///< bytes
    std::uint32_t n_bins = 0;        ///< of numeric columns (data/bins.hpp); 0: none

    bool operator==(const BlockOptions&) const = default;
};

/// All rows of positive weight, `values` not yet on a grid. `n_missing[column]` receives the number
/// of missing values of the column among them, `bins[column]` its bins, if there are any.
[[nodiscard]] std::shared_ptr<Block> make_block(const Dataset& data, const BlockOptions& options,
                                                Team& team, std::vector<std::uint32_t>& n_missing,
                                                std::vector<Bins>& bins);

}  // namespace treewright::data
