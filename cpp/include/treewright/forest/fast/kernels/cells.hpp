/// The inner loops of growing by drawn cuts in large nodes: gathering a column, its range and sums,
/// and moving the data of rows. Each exists for AVX-512 and for any processor, with the same
/// results.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treewright::forest {

inline constexpr std::uint32_t kMarksPerWord = 16;  ///< rows that one word of bits stands for
inline constexpr std::size_t kArrayPadding =
    kMarksPerWord;  ///< cells behind an array that may be read

inline constexpr std::size_t kCellPadding = 32;  ///< cells behind a column that may be read

/// `marks` hold a bit for each row of a node, sixteen a word.
template <class T>
struct CellLoops {
    /// Copies the cells of n rows of a column.
    void (*gather)(const T* column, const std::uint32_t* rows, std::uint32_t n, T* to);
    /// The least and the greatest of n cells; those that are not a number (they stand for missing
    /// values) are passed over, and nothing but them has the range from infinity to -infinity.
    void (*range)(const T* cells, std::uint32_t n, T& low, T& high);
    /// Weight, and weight of class 1, of the rows whose cell is up to the bound.
    void (*count_two)(const T* cells, std::uint32_t n, T bound, const std::uint32_t* weights,
                      const std::uint32_t* positives, double& weight, double& positive);
    /// Weight and sum of the values.
    void (*count_values)(const T* cells, std::uint32_t n, T bound, const std::uint32_t* weights,
                         const double* values, double& weight, double& sum);
    /// Marks the rows whose cell is above the bound; returns how many are not.
    std::uint32_t (*mark_right)(const T* cells, std::uint32_t n, T bound, std::uint16_t* marks);
    /// Copies the entries that are not marked to `left`, which is null or the entries themselves,
    /// and the n_right marked ones to `right`, which is null, elsewhere, or the entries if left is
    /// null.
    void (*pick_words)(const std::uint32_t* from, std::uint32_t n, const std::uint16_t* marks,
                       std::uint32_t* left, std::uint32_t* right, std::uint32_t n_right);
    void (*pick_doubles)(const double* from, std::uint32_t n, const std::uint16_t* marks,
                         double* left, double* right, std::uint32_t n_right);
};

/// The loops for the processor we run on.
template <class T>
[[nodiscard]] const CellLoops<T>& cell_loops();
/// The loops for any processor, to compare with.
template <class T>
[[nodiscard]] const CellLoops<T>& cell_loops_anywhere();

}  // namespace treewright::forest
