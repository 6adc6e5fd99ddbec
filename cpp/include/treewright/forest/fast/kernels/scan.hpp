/// The inner loops of the fast grower: the best cut of a column's list, and partitioning a list.
///
/// For two classes and for regression alike, with s the sum of the targets (1 for the second class)
/// and w the weight left of a cut, S and W of the node,
///
///     decrease of the sum of squares = W / (w (W - w)) * (s - w S / W)^2,
///
/// so that one loop serves both (Gini of two classes is twice that). Each loop exists for AVX-512
/// and for any processor; both do the same operations on the same doubles. Regression sums are
/// whole (data/target_grid.hpp): the whole part of S / W is subtracted from them without rounding.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace treewright::forest {

/// One entry of a list: row << 6 | weight << 2 | positive << 1 | tie, as in data/block.hpp with the
/// number of times the row was drawn; a row drawn more often is in the list again.
inline constexpr std::uint32_t kSameValueBit = 1;
inline constexpr std::uint32_t kPositive = 2;
inline constexpr unsigned kWeightAt = 2;
inline constexpr std::uint32_t kMostWeight = 15;
inline constexpr unsigned kRowAt = 6;
inline constexpr std::uint32_t kMostRows = 1U << (32 - kRowAt);
inline constexpr std::uint32_t kPocket = 16;  ///< rows of a node that is a set of bits
inline constexpr std::size_t kPadding = 32;   ///< entries behind a list that may be read
inline constexpr std::uint32_t weight_of(std::uint32_t entry) {
    return (entry >> kWeightAt) & kMostWeight;
}
inline constexpr std::uint32_t row_of(std::uint32_t entry) {
    return entry >> kRowAt;
}

/// The sides of rows as bits, eight rows a byte.
struct SideBits {
    static constexpr unsigned kRowsAt = 3;  ///< of a byte, from this bit of a row on
    static void set(std::uint8_t* bits, std::uint32_t row, unsigned side) {
        std::uint8_t& byte = bits[row >> kRowsAt];
        const unsigned at = row & ((1U << kRowsAt) - 1U);
        byte = static_cast<std::uint8_t>((byte & ~(1U << at)) | side << at);
    }
    [[nodiscard]] static unsigned of(const std::uint8_t* bits, std::uint32_t row) {
        return static_cast<unsigned>(bits[row >> kRowsAt]) >> (row & ((1U << kRowsAt) - 1U)) & 1U;
    }
};

/// A node's part of a column's list.
struct FastList {
    const std::uint32_t* entries;
    std::uint32_t n;
    std::uint32_t least;  ///< weight that either side must have, at least 1
    std::uint32_t weight;
    double sum;
};

/// The position of a cut, and the sums left of it.
struct FastPlace {
    std::uint32_t position = 0;
    std::uint32_t weight = 0;
    double sum = 0.0;
};

inline constexpr double kNoPlainCut = -1.0;

/// Up to sixteen rows in the order of each column; columns are padded to lanes of eight.
struct FastPocket {
    static constexpr std::size_t kLanes = 8;
    std::uint32_t n = 0;
    std::size_t n_slots = 0;
    /// By position and column: run of equal values << 4 | row.
    std::vector<std::uint8_t> order;
    double values[kPocket] = {};  ///< by row: weight x target
    double weights[kPocket] = {};
};

/// S / W as a whole number and a rest; the whole number is 0 for two classes.
struct FastMean {
    double whole;
    double rest;

    explicit FastMean(const FastList& list, bool is_share)
        : FastMean(list.sum, list.weight, is_share) {}
    FastMean(double sum, double weight, bool is_share) {
        whole = is_share ? 0.0 : std::nearbyint(sum / weight);
        rest = (sum - whole * weight) / weight;
    }
};

/// The loops of one kind of processor.
struct FastLoops {
    /// Greatest (s - w S / W)^2 / (w (W - w)) of any cut of two classes, or `floor`, at least 0, if
    /// that is greater; kNoPlainCut if there is no cut. Cuts not above the floor cost less.
    double (*best_two)(const FastList&, double floor);
    /// The first cut whose value reaches `enough`.
    FastPlace (*locate_two)(const FastList&, double enough);
    /// The same for numbers: `values` are weight x target by row.
    double (*best_values)(const FastList&, const double* values, double floor);
    FastPlace (*locate_values)(const FastList&, const double* values, double enough);
    /// The same for every column of some rows of a pocket, as bits; `list` has their
    /// sums. Bit i % kLanes of varies[i / kLanes]: not all values of the i-th column are the same.
    void (*best_pocket)(const FastPocket& pocket, std::uint32_t rows, const FastList& list,
                        double* best, std::uint8_t* varies);
    /// Marks the columns, among the bits of `among`, whose value is at least (1 - tie) x the
    /// greatest; returns how many. 0 if there is no value above 0, or if one is below that but
    /// above (1 - 8 tie) x the greatest.
    std::uint32_t (*level_with_best)(const double* best, std::size_t n_slots,
                                     const std::uint8_t* among, double tie, std::uint8_t* level);
    /// Greatest left[i] / w[i] + right[i] / (W - w[i]) of the cuts after entry i, and the first
    /// that reaches `enough`.
    double (*best_scores)(const FastList&, const double* left, const double* right,
                          const double* w);
    std::uint32_t (*locate_scores)(const FastList&, const double* left, const double* right,
                                   const double* w, double enough);
    /// Writes the list of a tree from the order of all rows (order.hpp): `words` holds the entry of
    /// each row but for the tie, 0 for rows that are not in the tree. Returns the number of ties.
    std::uint32_t (*fill)(const std::uint32_t* order, std::size_t n, const std::uint32_t* words,
                          std::uint32_t* list);
    /// Renumbers the rows of a list.
    void (*rename)(std::uint32_t* list, std::uint32_t n, const std::uint32_t* new_row);
    /// Writes the entries of up to 16 whose row's bit is set, then zeros up to 16; recomputes ties.
    void (*pick)(const std::uint32_t* list, std::uint32_t n, std::uint32_t rows, std::uint32_t* to);
    /// Entries of rows with side 0 to the front, the others to `other`, either in order; ties are
    /// recomputed. `side` may be read 3 bytes past its end. Returns 1 if the first have ties, plus
    /// 2 if the others do.
    unsigned (*divide)(std::uint32_t* list, std::uint32_t n, const std::uint8_t* side,
                       std::uint32_t* other);
    /// The same for lists that have no ties.
    void (*divide_untied)(std::uint32_t* list, std::uint32_t n, const std::uint8_t* side,
                          std::uint32_t* other);
    /// The same of very many rows, whose sides are bits (SideBits): a nearer cache holds them.
    void (*divide_untied_by_bits)(std::uint32_t* list, std::uint32_t n, const std::uint8_t* bits,
                                  std::uint32_t* other);
    /// Entries of the rows with this side to the front; the rest of the range is undefined.
    void (*keep)(std::uint32_t* list, std::uint32_t n, const std::uint8_t* side,
                 std::uint8_t which);
};

/// The loops for the processor we run on.
[[nodiscard]] const FastLoops& fast_loops();
/// The loops for any processor, to compare with.
[[nodiscard]] const FastLoops& portable_loops();
/// The loops for processors with AVX-512 (x86-64 only).
[[nodiscard]] const FastLoops& avx512_loops();

}  // namespace treewright::forest
