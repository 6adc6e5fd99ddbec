/// Columns that lie side by side in a row-major table, of two values each: as many of them at once
/// as a register of 64 bytes has room for, instead of one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "treewright/data/column.hpp"

namespace treewright::boosting {

/// Columns that are looked at together.
template <class T>
inline constexpr std::size_t kAdjacent = 64 / sizeof(T);
/// Rows that are looked at together.
inline constexpr std::size_t kRowsTogether = 16;

/// Whether a column lies after another in every row, of the same type.
[[nodiscard]] bool is_next(const data::Column& column, const data::Column& before);

/// Two values of each column, and in how many rows they were met; NaN is never met.
template <class T>
struct TwoValues {
    T first[kAdjacent<T>];
    T second[kAdjacent<T>];
    std::uint32_t n_first[kAdjacent<T>] = {};
    std::uint32_t n_second[kAdjacent<T>] = {};
};

/// Counts the values of kAdjacent<T> columns from `column` on, in some rows. If any is neither of
/// the two of its column, nothing is counted and the answer is false.
bool count_two(const data::Column& column, std::span<const std::uint32_t> rows,
               TwoValues<float>& into);
bool count_two(const data::Column& column, std::span<const std::uint32_t> rows,
               TwoValues<double>& into);

/// Encodes kAdjacent<T> columns from `column` on, rows [begin, end), by one cut each: 0 up to it, 1
/// beyond, 2 what is missing. The number of rows is divisible by eight.
void encode_two(const data::Column& column, std::size_t begin, std::size_t end, const float* cuts,
                std::uint8_t* const* codes);
void encode_two(const data::Column& column, std::size_t begin, std::size_t end, const double* cuts,
                std::uint8_t* const* codes);

}  // namespace treewright::boosting
