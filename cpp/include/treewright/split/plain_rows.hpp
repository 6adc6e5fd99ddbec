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
#include <vector>

#include "treewright/base/random.hpp"

namespace treewright {

inline constexpr std::size_t kLanes = 8;  ///< columns that are looked at together

/// Some rows of a table whose rows may be read up to kReadOver cells beyond their end.
template <class T>
struct RowList {
    const T* cells;
    std::size_t stride;         ///< from one row to the next
    const std::uint32_t* rows;  ///< which
    std::uint32_t n;            ///< how many, at least one
};
inline constexpr std::size_t kReadOver = 16;
inline constexpr std::uint32_t kFew = 16;  ///< rows up to which bits tell which are on a side

/// What cuts of a node are judged by: for two classes or numbers, the decrease of the impurity per
/// unit of weight is factor x (excess of the sum of one side)^2 / (weights of both sides).
struct Judgement {
    double weight;
    double least;       ///< weight that either side must have
    double mean_whole;  ///< of the node, as a whole number and a rest
    double mean_rest;
    double factor;
    double purity;  ///< which ties are relative to (PlainLeader)

    [[nodiscard]] double decrease(double weight_left, double sum_left) const {
        if (weight_left < least || weight - weight_left < least) return kNoCut;
        const double excess = (sum_left - mean_whole * weight_left) - mean_rest * weight_left;
        return factor * (excess * excess / (weight_left * (weight - weight_left)));
    }
    static constexpr double kNoCut = -1.0;
};

/// What is counted of the rows of a node.
struct RowSums {
    const std::uint32_t* words;  ///< in the order of the node: weights, or pairs if values are null
    const double* values;        ///< by row, whole numbers
    /// A pair is weight | weight of class 1 << kPairShift.
    static constexpr unsigned kPairShift = 16;
    static constexpr std::uint32_t kPairMask = (1U << kPairShift) - 1U;
};

/// Columns of a node that are looked at together, and what is found: bit i of `varies` and of a
/// row's mark is the i-th column.
template <class T>
struct Lanes {
    std::uint32_t slot[kLanes] = {};    ///< where the column lies in a row
    std::uint64_t column[kLanes] = {};  ///< what its draws are keyed by
    double at[kLanes];                  ///< the threshold
    double weight[kLanes];              ///< of the rows up to it, as the next
    double sum[kLanes];
    double decrease[kLanes];
    std::uint32_t n_wanted;  ///< columns that must be compared if all of them vary
    std::uint32_t winner;    ///< then the best of them as PlainLeader has it; kLanes: not known
    std::uint8_t varies;     ///< columns whose cells are not all the same
    std::uint32_t marked[kLanes];     ///< bits of the rows up to the threshold, if these are kFew
    std::vector<std::uint8_t> marks;  ///< otherwise, by row: columns whose cell is up to it
    std::vector<T> picked;

    /// Whether the i-th of n rows is up to the threshold of a lane.
    [[nodiscard]] bool is_marked(std::uint32_t i, std::uint32_t n, std::size_t lane) const {
        return ((n <= kFew ? marked[lane] >> i : std::uint32_t{marks[i]} >> lane) & 1U) != 0;
    }
};

template <class T>
struct RowLoops {
    /// Draws a threshold for each lane between the least and the greatest cell of its column, keyed
    /// by the node and the column (DrawnCut), and judges it. `lanes.picked` (kLanes cells a row),
    /// `lanes.marks` and `sums.words` have room for kRowPadding more rows.
    void (*look)(const RowList<T>& list, Mixed key, const RowSums& sums, const Judgement& judgement,
                 Lanes<T>& lanes);
    /// Puts the rows and words that are marked in a lane to the front, either side in order;
    /// returns how many those are. Each of `spare` has room for n words and kRowPadding more.
    std::uint32_t (*divide)(const Lanes<T>& lanes, std::size_t lane, std::uint32_t n,
                            std::uint32_t* rows, std::uint32_t* words, std::uint32_t* const* spare);
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
