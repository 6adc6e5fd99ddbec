/// The inner loops of growing by drawn cuts in small nodes: the cells of a row are contiguous, so
/// that all columns of a row are evaluated together, and dividing a node moves only a list
/// of rows. Each exists for AVX-512 and for any processor, with the same results.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "treewright/base/lanes.hpp"
#include "treewright/base/random.hpp"
#include "treewright/forest/fast/gaps.hpp"

namespace treewright::forest {

// At most kLanes columns are evaluated together.
inline constexpr std::size_t kFewLanes = 4;  ///< if they are no more than these, rows take half

/// Rows with contiguous cells that may be read up to kReadOver cells beyond their end.
template <class T>
struct CellTable {
    const T* cells;
    std::size_t stride;  ///< from one row to the next
    /// Whole numbers, by row, that are summed up; null: words are pairs (RowWords).
    const double* values = nullptr;
    /// Beside these, where rows weigh differently: words are copies. Sums are exact.
    const double* weights = nullptr;

    [[nodiscard]] const T* row(std::uint32_t i) const { return cells + i * stride; }
};
inline constexpr std::size_t kReadOver = 16;

/// The judgement of the cuts of a node: for two classes or regression, the decrease of the impurity
/// per unit of weight is factor x (excess of the sum of one side)^2 / (weights of both sides).
struct Judgement {
    double weight;
    double least;       ///< weight that either side must have
    double mean_whole;  ///< of the node, as a whole number and a rest
    double mean_rest;
    double factor;
    double purity;              ///< which ties are relative to (FastLeader)
    double copies = 0.0;        ///< rows, where they weigh differently, and how many
    double least_copies = 0.0;  ///< either side must have

    [[nodiscard]] double decrease(double weight_left, double sum_left,
                                  double copies_left = 0.0) const {
        if (weight_left < least || weight - weight_left < least) return kNoCut;
        if (copies_left < least_copies || copies - copies_left < least_copies) return kNoCut;
        const double excess = (sum_left - mean_whole * weight_left) - mean_rest * weight_left;
        return factor * (excess * excess / (weight_left * (weight - weight_left)));
    }
    static constexpr double kNoCut = -1.0;
};

/// The counted word of a row: its weight or, of two classes, weight | weight of the second <<
/// kPairShift.
struct RowWords {
    static constexpr unsigned kPairShift = 16;
    static constexpr std::uint32_t kPairMask = (1U << kPairShift) - 1U;
};

/// Columns of a node that are evaluated together, and the results: bit i of `varies` and of a
/// row's mark is the i-th column.
template <class T>
struct Lanes {
    // ---- the node
    const std::uint32_t* rows;   ///< of the table
    const std::uint32_t* words;  ///< in the same order
    std::uint32_t n;             ///< rows, at least one
    Mixed key{0};
    Judgement judgement;
    // ---- the columns
    std::uint32_t width = kLanes;       ///< kFewLanes or kLanes: lanes that are evaluated
    std::uint32_t n_looked;             ///< lanes after them are undefined
    std::uint32_t n_wanted;             ///< of them, those that are compared if all of them vary
    std::uint32_t slot[kLanes] = {};    ///< where the column lies in a row
    std::uint64_t column[kLanes] = {};  ///< what its draws are keyed by
    std::uint8_t names = 0;  ///< columns of names whose codes are below kFewNames, a bit for each
    std::uint8_t many_names = 0;  ///< the same of more names, whose sides RowCache draws
    // ---- working memory
    T* picked;            ///< for `width` cells of the rows and kRowsPicked - 1 more
    std::uint8_t* marks;  ///< by row, `width` bits: columns whose cell is up to the threshold; for
                          ///< full sixteens of rows
    std::uint8_t* missing = nullptr;  ///< the same for cells that are not a number, if any may be
    // ---- results
    T low[kLanes];
    T high[kLanes];
    T bound[kLanes];        ///< the greatest T up to the threshold
    double at[kLanes];      ///< the threshold
    double weight[kLanes];  ///< of the rows up to it, as the next
    double sum[kLanes];
    double copies[kLanes];  ///< the same, only where rows weigh differently
    double decrease[kLanes];
    std::uint64_t there[kLanes];        ///< of few names: a bit for each that a row has,
    std::uint64_t second[kLanes] = {};  ///< and for each of these that goes to the second side
    std::uint32_t winner;  ///< the best of n_wanted as FastLeader has it; kLanes: not known
    std::uint8_t varies;   ///< columns whose cells are not all the same
    GapSide gaps[kLanes];  ///< set by RowCache where values are missing
    std::uint32_t missing_words[kLanes];  ///< RowLoops::find_missing: sums over those rows
    double missing_values[kLanes];
    double missing_weights[kLanes];
    const std::uint32_t* class_left = nullptr;  ///< RowLoops::judge_classes: the sums it made

    /// Whether the i-th row is up to the threshold of a lane.
    [[nodiscard]] bool is_marked(std::uint32_t i, std::size_t lane) const {
        return is_set(marks, i, lane);
    }
    /// Whether its cell is not a number.
    [[nodiscard]] bool is_missing(std::uint32_t i, std::size_t lane) const {
        return is_set(missing, i, lane);
    }
    [[nodiscard]] bool is_set(const std::uint8_t* bits, std::uint32_t i, std::size_t lane) const {
        const std::size_t bit = i * width + lane;
        return (bits[bit / 8] >> (bit % 8) & 1U) != 0;
    }
    /// Bytes of the marks of its rows.
    [[nodiscard]] std::size_t n_bytes() const { return (std::size_t{n} * width + 7) / 8; }
    void mark(std::uint32_t i, std::size_t lane) const {
        const std::size_t bit = i * width + lane;
        marks[bit / 8] |= static_cast<std::uint8_t>(1U << bit % 8);
    }
};
/// Names that have a bit each in a word.
inline constexpr std::uint32_t kFewNames = 64;

/// Of n names that were sent to sides by the first n coins of a generator (split/drawn.hpp): the
/// one that changes sides if all of them are on the same.
[[nodiscard]] inline std::uint64_t name_to_move(std::uint64_t key, std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(Mixed(key).with(n)) * n) >> 64);
}

/// Rows that are prefetched before they are copied: they are scattered in memory.
inline constexpr std::uint32_t kRowsAhead = 64;
inline constexpr std::uint32_t kRowsPicked = 4;   ///< rows that are picked together, at most
inline constexpr std::uint32_t kRowsMarked = 16;  ///< rows whose marks are read together
/// Sums by class that are filled in turn: a sum that was just written is slow to read.
inline constexpr std::uint32_t kClassTables = 4;

/// The classes of a node's rows, where there are more than two.
struct NodeClasses {
    const std::uint32_t* of_row;          ///< by row of the table
    std::span<const std::uint32_t> sums;  ///< of the counted words of the node's rows, by class
};

/// The decrease of the impurity by a cut with these sums by class, `stride` apart, on its first
/// side; more than two classes. Sums of squares are taken class by class, whichever loop does it.
[[nodiscard]] inline double decrease_by_classes(const Judgement& judgement,
                                                std::span<const std::uint32_t> sums,
                                                const std::uint32_t* left, std::size_t stride) {
    double weight = 0.0;
    double of_left = 0.0;
    double of_right = 0.0;
    for (std::size_t k = 0; k < sums.size(); ++k) {
        const double here = left[k * stride];
        const double there = sums[k] - here;
        weight += here;
        of_left += here * here;
        of_right += there * there;
    }
    const double rest = judgement.weight - weight;
    if (weight < judgement.least || rest < judgement.least) return Judgement::kNoCut;
    const double score = of_left / weight + of_right / rest;
    return std::max(0.0, score / judgement.weight - judgement.purity);
}

template <class T>
struct RowLoops {
    /// Copies rows of a table that may be read up to kLanes cells beyond its end to rows of
    /// `stride` cells, a multiple of kLanes; the additional cells are undefined.
    void (*copy)(const CellTable<T>& table, const std::uint32_t* rows, std::uint32_t n, T* to,
                 std::size_t stride);
    /// Puts the cells of the lanes side by side and finds the least and the greatest of each: for
    /// several nodes of the same width, which do not depend on each other, as all that follow.
    void (*pick)(const CellTable<T>& table, std::span<Lanes<T>> nodes);
    /// Sends names, where they are few, to sides: their cells become 0 or 1, which a drawn
    /// threshold divides.
    void (*send_names)(std::span<Lanes<T>> nodes);
    /// Draws a threshold for each lane between the least and the greatest cell of its column, keyed
    /// by the node and the column (DrawnCut), and judges it. Cells that are not a number are above
    /// every threshold.
    void (*judge)(const CellTable<T>& table, std::span<Lanes<T>> nodes);
    /// Notes the picked cells that are not a number and adds up their rows.
    void (*find_missing)(const CellTable<T>& table, Lanes<T>& lanes);
    /// More than two classes: judges a node by the classes of the rows that are marked. Their sums
    /// go to `left`, kLanes for each class, which has room for kClassTables times as many.
    void (*judge_classes)(const NodeClasses& classes, Lanes<T>& lanes, std::uint32_t* left);
    /// Puts the rows and words that are marked in a lane to the front, either side in order;
    /// returns how many those are. Each of `spare` has room for n words and kRowPadding more.
    std::uint32_t (*divide)(const Lanes<T>& lanes, std::size_t lane, std::uint32_t* rows,
                            std::uint32_t* words, std::uint32_t* const* spare);
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

/// Entries after arrays of rows that may be read or written.
inline constexpr std::size_t kRowPadding = 16;

/// The loops for the processor we run on.
template <class T>
[[nodiscard]] const RowLoops<T>& row_loops();
/// The loops for any processor, to compare with.
template <class T>
[[nodiscard]] const RowLoops<T>& row_loops_anywhere();
/// The loops for processors with AVX-512 (x86-64 only).
template <class T>
[[nodiscard]] const RowLoops<T>& row_loops_avx512();
/// RowLoops::send_names and RowLoops::judge_classes of these.
template <class T>
void send_names_avx512(std::span<Lanes<T>> nodes);
template <class T>
void judge_classes_avx512(const NodeClasses& classes, Lanes<T>& lanes, std::uint32_t* left);

}  // namespace treewright::forest
