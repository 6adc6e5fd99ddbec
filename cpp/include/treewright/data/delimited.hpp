/// Delimited text (CSV, TSV) as positions of its cells, and columns of numbers or codes of them.
///
/// The rules are those of RFC 4180 read strictly: a quoted cell begins with a quote, holds
/// delimiters and line ends, writes a quote as two, and ends before a delimiter or line end. Spaces
/// before a cell are dropped; lines end with LF, CR LF or CR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treewright/base/progress.hpp"

namespace treewright::data {

/// What is wrong with a row, if anything is.
enum class RowFault : std::uint8_t {
    none,
    width,        ///< another number of cells than the first row
    after_quote,  ///< something between a closing quote and the next delimiter
    unclosed,     ///< a quote that is never closed
    large_cell,   ///< a cell of more than `kMostCharacters`
};

/// How numbers are written.
struct NumberMarks {
    std::vector<std::string> missing;  ///< texts that mean no value
    char decimal = '.';
    std::string thousands;  ///< mark between groups of three digits; empty: none
};

/// A text of a column of numbers that is none.
struct OtherText {
    std::string text;
    std::size_t n_rows = 0;
    std::size_t first_row = 0;
};

/// A column read as numbers. Whole numbers are kept while every number is one.
struct NumberColumn {
    std::vector<double> values;  ///< NaN where there is none
    std::vector<std::int64_t> wholes;
    std::vector<std::uint8_t> present;
    std::vector<OtherText> others;  ///< by first row
    std::size_t n_numbers = 0;
    bool is_whole = true;
    bool is_beyond = false;  ///< a whole number does not fit in 64 bits
};

class DelimitedRows {
public:
    static constexpr std::size_t kMostCharacters = 1 << 17;

    /// The text must outlive the rows. `first_line` is the number of its first line, `n_columns`
    /// the number of cells of a row if it is known, else 0.
    DelimitedRows(std::string_view text, std::string delimiter, std::size_t first_line,
                  std::size_t n_columns);

    /// Adds rows until there are `most_rows`, the text ends, or a row is at fault. A last row
    /// without a line end is read only if the text ends with it (`is_end`).
    void read(std::size_t most_rows, bool is_end, Progress& progress);

    [[nodiscard]] std::size_t n_rows() const { return row_begin.size(); }
    [[nodiscard]] std::size_t n_columns() const { return width; }
    /// How much of the text was read: whole rows only.
    [[nodiscard]] std::size_t consumed() const { return position; }
    /// The line after the last row that was read.
    [[nodiscard]] std::size_t next_line() const { return line; }
    [[nodiscard]] RowFault fault() const { return found_fault; }
    /// Of a row at fault: its line, and how many cells it has.
    [[nodiscard]] std::size_t fault_line() const { return line_at_fault; }
    [[nodiscard]] std::size_t fault_width() const { return width_at_fault; }
    /// The line that each row ends in.
    [[nodiscard]] const std::vector<std::int64_t>& lines() const { return line_of_row; }

    /// The text of a cell, without quotes; `scratch` holds it where it is not in the text as such.
    [[nodiscard]] std::string_view cell(std::size_t row, std::size_t column,
                                        std::string& scratch) const;
    /// A row as it is written, without its line end.
    [[nodiscard]] std::string_view row_text(std::size_t row) const;

    /// The codes of a column's texts, in order of first occurrence, and the texts.
    [[nodiscard]] std::pair<std::vector<std::int32_t>, std::vector<std::string>> coded(
        std::size_t column, std::size_t first, Progress& progress) const;
    /// A column as numbers; nothing if one in ten is none, or more than `most_others` differ.
    [[nodiscard]] std::optional<NumberColumn> numbers(std::size_t column, std::size_t first,
                                                      const NumberMarks& marks,
                                                      Progress& progress) const;

private:
    enum class RowEnd : std::uint8_t { row, blank, text_end, fault };
    RowEnd read_row(bool is_end);
    void drop_blank_end();

    std::string_view text;
    std::string delimiter;
    std::size_t position = 0;
    std::size_t line;  // of the next character
    std::size_t width;
    // row r, cell c: from the end of the cell before and its delimiter to row_begin[r] + cell_end
    std::vector<std::uint64_t> row_begin;
    std::vector<std::uint32_t> cell_end;
    std::vector<std::int64_t> line_of_row;
    std::size_t n_blank_at_end = 0;  // rows of a single column that are empty lines
    RowFault found_fault = RowFault::none;
    std::size_t line_at_fault = 0;
    std::size_t width_at_fault = 0;
};

}  // namespace treewright::data
