/// Values that are missing, in the fast grower of forests: which rows lack which, and where a cut
/// sends them (missing/learned_side.hpp). Columns without gaps take no notice of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "treewright/data/column.hpp"
#include "treewright/split/ties.hpp"

namespace treewright::forest {

/// Where a cut sends rows without a value.
enum class GapSide : std::uint8_t {
    heavier,  ///< there are none in the node: to the heavier side
    first,
    second
};

/// Whether gaps go to the first side of a cut: both decreases of the impurity are those of the cut
/// with the gaps on either side, below 0 if it is not admitted; ties go to the second side
/// (split/numeric/threshold.hpp). `purity` is that of the node.
inline bool first_side_is_better(double with_first, double with_second, double purity) {
    if (with_second < 0.0) return with_first >= 0.0;
    return with_first > with_second + split::kTie * (purity + with_second);
}

/// The threshold of the question whether a value is known, which every known one meets
/// (grow/question.hpp).
inline double open_threshold(const data::Column& column) {
    return column.type == data::ValueType::code ? static_cast<double>(column.n_codes) - 1.0
                                                : std::numeric_limits<double>::infinity();
}

/// The rows of a table without a value in each column.
class TableGaps {
public:
    TableGaps() = default;
    TableGaps(std::size_t n_rows, std::size_t n_columns) : n_rows(n_rows), bits(n_columns) {}

    /// Columns may be filled in by different threads.
    void add(std::size_t column, std::size_t row) {
        std::vector<std::uint64_t>& own = bits[column];
        if (own.empty()) own.resize(n_rows / kBits + 1);
        own[row / kBits] |= std::uint64_t{1} << (row % kBits);
    }
    /// To be called when all columns are filled in.
    void finish() {
        for (const std::vector<std::uint64_t>& column : bits) {
            if (column.empty()) continue;
            in_row.resize(column.size());
            for (std::size_t i = 0; i < column.size(); ++i) in_row[i] |= column[i];
        }
    }

    [[nodiscard]] bool any() const { return !in_row.empty(); }
    [[nodiscard]] bool in_column(std::size_t column) const { return !bits[column].empty(); }
    /// Whether a row lacks the value of a column that has gaps.
    [[nodiscard]] bool at(std::size_t column, std::size_t row) const {
        return is_set(bits[column], row);
    }
    /// Whether it lacks any, where the table has gaps.
    [[nodiscard]] bool at_row(std::size_t row) const { return is_set(in_row, row); }

private:
    static constexpr std::size_t kBits = 64;

    static bool is_set(const std::vector<std::uint64_t>& those, std::size_t row) {
        return (those[row / kBits] >> (row % kBits) & 1U) != 0;
    }

    std::size_t n_rows = 0;
    std::vector<std::vector<std::uint64_t>> bits;  ///< by column; empty: it has no gaps
    std::vector<std::uint64_t> in_row;             ///< empty: the table has none
};

}  // namespace treewright::forest
