/// The columns of a table by row, as numbers of their values: what the grower on rows reads
/// (row_runs.hpp). Made once for all trees of a forest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/huge_pages.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/data/column.hpp"
#include "treewright/data/order.hpp"

namespace treewright::forest {

/// Codes number the values of a column from the least to the greatest; equal codes, equal values.
struct CodedColumn {
    /// Columns of up to so many values have codes of one byte.
    static constexpr std::uint32_t kFewValues = 255;

    static constexpr std::uint32_t kNoCode = ~0U;

    std::uint32_t n_codes = 0;  ///< as a code: the value is missing
    bool has_gaps = false;
    bool has_many = false;          ///< more values than narrow codes tell: not coded yet
    std::uint32_t usual = kNoCode;  ///< the code of most rows, where there is one
    /// By code: a row of the table that has the value. Ordered columns of many values have none.
    std::vector<std::uint32_t> first_row;
    SideVector<std::uint8_t> narrow;  ///< by row; of these three only one is not empty
    SideVector<std::uint16_t> medium;
    SideVector<std::uint32_t> wide;

    /// Columns of many values may have bins, of about as many rows each: of neighbouring codes, up
    /// to kMostBins. A code that many rows have is a bin of its own.
    static constexpr std::size_t kMostBins = 256;
    SideVector<std::uint8_t> bins;         ///< by row; empty: there are none
    std::vector<std::uint32_t> bin_begin;  ///< the first code of each bin, and n_codes

    /// For drawn cuts, which need the values themselves: those of narrow codes, or those of the
    /// rows, and no codes.
    std::vector<double> values;
    FarVector<double> cells;

    [[nodiscard]] bool is_narrow() const { return !narrow.empty(); }

    /// Notes the usual code, by how many rows have each: three quarters of them, so that whether a
    /// row has it is predicted.
    void note_usual(std::uint32_t code, std::size_t n_rows_of_code, std::size_t n_rows) {
        if (4 * n_rows_of_code >= 3 * n_rows) usual = code;
    }

    /// Calls f(codes by row).
    template <class F>
    decltype(auto) visit(F&& f) const {
        if (!narrow.empty()) return f(narrow.data());
        if (!medium.empty()) return f(medium.data());
        return f(wide.data());
    }
};

/// Codes of a column of few values, found without sorting it; if it has more, none.
[[nodiscard]] CodedColumn code_few(const data::Column& column, std::size_t n_rows);

/// Whether most rows have the same few values in a column, as some rows tell.
[[nodiscard]] bool is_sparse(const data::Column& column, std::size_t n_rows);

/// The values of a column as drawn cuts read them.
[[nodiscard]] CodedColumn code_values(const data::Column& column, std::size_t n_rows);

/// Codes of any column; `rows` are all rows of the table, ascending. `in_bins`: a column of many
/// values and no gaps gets bins, too (binned_runs.hpp).
[[nodiscard]] CodedColumn code_sorted(const data::Column& column,
                                      std::span<const std::uint32_t> rows,
                                      data::OrderScratch& scratch, Progress& progress,
                                      bool in_bins = false);

}  // namespace treewright::forest
