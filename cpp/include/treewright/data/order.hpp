/// The rows of a column in ascending order of value, and the dense codes that follow from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "treewright/base/huge_pages.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/data/column.hpp"

namespace treewright::data {

/// Sorted rows of one column. `entries` holds row << 1 | tie, where tie says that the row has the
/// same value as the one before it. Missing rows stand at the end.
struct Order {
    std::vector<std::uint32_t> entries;
    std::size_t n_missing = 0;
};

/// Memory for sorting, reused from column to column.
struct OrderScratch {
    FarVector<std::uint64_t> pairs;  ///< in huge pages: a pass writes to thousands of places
    FarVector<std::uint64_t> spare;
    std::vector<std::uint64_t> run;              ///< pairs that agree in their leading bits
    std::vector<std::uint16_t> number_of_known;  ///< of the values that each known row has
};

/// Sorts the given rows (ascending row numbers) of a column, stably, by radix: O(rows).
/// Equality is equality of values: no tolerance, -0.0 is 0.0, infinities are ordinary extremes.
[[nodiscard]] Order order_of(const Column& column, std::span<const std::uint32_t> rows,
                             OrderScratch& scratch, Progress& progress);

/// Dense codes of a column in the narrowest width that holds them; equal codes, equal values.
/// `first_row[code]` is a row that has the value: with the raw column it is the codebook.
struct Codes {
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>>
        of_row;  ///< indexed like the `rows` given to order_of; n_codes means missing
    std::shared_ptr<const std::vector<std::uint32_t>> first_row;

    [[nodiscard]] std::size_t n_codes() const { return first_row ? first_row->size() : 0; }
};

/// `min_width` (1, 2 or 4 bytes) lets a test ask for wider codes than needed.
[[nodiscard]] Codes codes_of(const Order& order, std::span<const std::uint32_t> rows,
                             std::size_t n_table_rows, Progress& progress,
                             std::size_t min_width = 1);

}  // namespace treewright::data
