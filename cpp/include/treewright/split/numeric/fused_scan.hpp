/// The best cut without a tally: for unweighted rows, no missing values and a criterion whose
/// purities are quotients (Gini, squared error). One sequential pass over the column's list for
/// prefix sums, one SIMD pass for the scores, eight cuts at a time:
///
///     score of the cut after entry i = A[i] * (1 / (i + 1)) + B[i] * (1 / (n - i - 1)),
///
/// A and B the purities' numerators left and right. With one row per entry the weights are the
/// positions, so both reciprocals are read from tables in order; the second table is reversed.
/// Scores are the same doubles as best_threshold computes, so both find the same cut.
#pragma once

#include <cstdint>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/criteria/sums.hpp"
#include "treewright/data/block.hpp"
#include "treewright/split/judge.hpp"

namespace treewright::split {

/// 1/n for n = 0 .. most, and the same backwards.
struct Reciprocals {
    std::vector<double> forward;
    std::vector<double> backward;

    explicit Reciprocals(std::size_t most) : forward(most + 1), backward(most + 1) {
        for (std::size_t n = 0; n <= most; ++n)
            forward[n] = n == 0 ? 0.0 : 1.0 / static_cast<double>(n);
        for (std::size_t n = 0; n <= most; ++n) backward[n] = forward[most - n];
    }
    /// of[i] = 1 / (n - i)
    [[nodiscard]] const double* backward_from(std::size_t n) const {
        return backward.data() + (backward.size() - 1 - n);
    }
};

struct FusedScratch {
    std::vector<std::int32_t> counts;
    std::vector<double> left;
    std::vector<double> right;
    std::vector<double> class_left;
    std::vector<double> class_right;
    std::vector<double> per_left;
    std::vector<double> per_right;
};

/// The node's list of one column and the targets of its rows.
template <class Word>
struct FusedNode {
    const Word* list;  ///< first entry of the node
    std::uint32_t n;
    std::uint32_t min_leaf;
};

/// The same for several outputs, whose rows may have weights that add exactly.
template <class Word>
struct OutputsNode {
    const Word* list;
    std::uint32_t n;
    const data::Block* block;  ///< weights, copies and targets of the rows
    SearchLimits limits;
    const double* total;  ///< sums of all rows
};

inline constexpr double kNoCut = -1.0;

/// Best score over all admissible cuts, kNoCut if there is none. `position` (may be null) receives
/// the number of entries left of the first cut that reaches it.
template <class Word>
double fused_two_classes(const FusedNode<Word>& node, std::uint32_t n_positive,
                         const Reciprocals& reciprocals, FusedScratch& scratch, Progress& progress,
                         std::uint32_t* position);

template <class Word>
double fused_classes(const FusedNode<Word>& node, const std::uint32_t* class_of_row,
                     const double* totals, std::size_t n_classes, const Reciprocals& reciprocals,
                     FusedScratch& scratch, Progress& progress, std::uint32_t* position);

/// Sums are taken about `centre`; `total` is the sum of all rows about it.
template <class Word>
double fused_values(const FusedNode<Word>& node, const double* value_of_row, double centre,
                    double total, const Reciprocals& reciprocals, FusedScratch& scratch,
                    Progress& progress, std::uint32_t* position);

/// Several outputs: the classes of output o count from start[o] on.
template <class Word>
double fused_outputs(const OutputsNode<Word>& node, const criteria::ClassSums& classes,
                     FusedScratch& scratch, Progress& progress, std::uint32_t* position);

/// Several outputs, sums about the centre of `values`.
template <class Word>
double fused_outputs(const OutputsNode<Word>& node, const criteria::ValueSums& values,
                     FusedScratch& scratch, Progress& progress, std::uint32_t* position);

/// The score of the cut after the first `n_below` entries, kNoCut if the limits do not admit it;
/// for any number of outputs. Sums are exact, so that only the smaller side is added up.
template <class Word, class Sums>
double fused_cut(const OutputsNode<Word>& node, const Sums& sums, std::uint32_t n_below,
                 FusedScratch& scratch);

}  // namespace treewright::split
