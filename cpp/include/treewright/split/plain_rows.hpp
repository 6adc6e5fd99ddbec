/// The inner loops of growing by drawn cuts in small nodes: the cells of a row lie side by side, so
/// that all columns of a row are looked at in one go, and dividing a node moves nothing but a list
/// of rows. Each exists for AVX-512 and for any processor, with the same results.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "treewright/base/random.hpp"

namespace treewright {

inline constexpr std::size_t kLanes = 8;  ///< columns that are looked at together

/// Some rows of a table of n_groups x kLanes columns.
template <class T>
struct RowList {
    const T* cells;
    std::size_t stride;         ///< from one row to the next
    const std::uint32_t* rows;  ///< which
    std::uint32_t n;            ///< how many, at least one
    std::size_t n_groups;
};

/// The threshold drawn for each column of a node. Of eight columns bit i of a byte is the i-th.
template <class T>
struct DrawnCuts {
    const std::uint64_t* columns;  ///< what their draws are keyed by
    double* at;
    T* bound;              ///< the greatest T up to it
    std::uint8_t* varies;  ///< bits of the columns whose cells are not all the same
};

template <class T>
struct RowLoops {
    /// Draws a threshold between the least and the greatest cell of each column, keyed by the node
    /// and the column, as random.hpp does (DrawnCut).
    void (*draw)(const RowList<T>& list, Mixed key, const DrawnCuts<T>& cuts);
    /// Sums up, by column, the words of the rows whose cell is up to the bound. Only of columns
    /// whose bit is set in `wanted`.
    void (*count)(const RowList<T>& list, const T* bound, const std::uint8_t* wanted,
                  const std::uint32_t* words, std::uint32_t* sums);
    /// The same, and the sums of values, which are whole numbers.
    void (*count_values)(const RowList<T>& list, const T* bound, const std::uint8_t* wanted,
                         const std::uint32_t* words, const double* values, std::uint32_t* sums,
                         double* value_sums);
    /// Puts the rows whose cell is up to the bound to the front, either side in order; returns how
    /// many those are. `spare` has room for n rows and kRowPadding more.
    std::uint32_t (*divide)(const T* column, std::size_t stride, T bound, std::uint32_t* rows,
                            std::uint32_t n, std::uint32_t* spare);
};

/// A threshold drawn between two values, the second excluded.
template <class T>
struct DrawnCut {
    double at;
    T bound;  ///< the greatest T up to it

    DrawnCut(Mixed node, std::uint64_t column, T low, T high) {
        constexpr double kMost = std::numeric_limits<double>::max();
        const double lowest = std::max(static_cast<double>(low), -kMost);
        const double highest = std::min(static_cast<double>(high), kMost);
        const double share = Generator(node.with(column)).uniform();
        at = lowest * (1.0 - share) + highest * share;
        if (!(at < highest)) at = lowest;
        bound = floor(at);
    }

private:
    static T floor(double value) {
        if constexpr (std::is_same_v<T, double>) return value;
        const auto near = static_cast<float>(value);
        if (static_cast<double>(near) <= value) return near;
        // One step down; the value is below a finite float, so there is one.
        const auto bits = std::bit_cast<std::int32_t>(near);
        return std::bit_cast<float>(near > 0.0F ? bits - 1 : near < 0.0F ? bits + 1 : -0x7fffffff);
    }
};

/// Entries behind arrays of rows that may be read or written.
inline constexpr std::size_t kRowPadding = 16;

/// The loops for the processor we run on.
template <class T>
[[nodiscard]] const RowLoops<T>& row_loops();
/// The loops for any processor, to compare with.
template <class T>
[[nodiscard]] const RowLoops<T>& row_loops_anywhere();

}  // namespace treewright
