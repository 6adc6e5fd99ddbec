#include "treewright/split/numeric/fused_scan.hpp"

#include "treewright/base/simd.hpp"
#include "treewright/split/judge.hpp"

#include <algorithm>
#include <cstring>

namespace treewright::split {
namespace {

using Ints = std::int32_t __attribute__((vector_size(32)));
using Shorts = std::uint16_t __attribute__((vector_size(16)));

template <class Vector, class T>
TREEWRIGHT_SIMD_INLINE Vector load(const T* from) {
    Vector vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
}

TREEWRIGHT_SIMD_INLINE Longs ties(const std::uint16_t* list) {
    return __builtin_convertvector(load<Shorts>(list) & 1, Longs);
}
TREEWRIGHT_SIMD_INLINE Longs ties(const std::uint32_t* list) {
    return __builtin_convertvector(load<Ints>(list) & 1, Longs);
}

TREEWRIGHT_SIMD_INLINE double greatest(Doubles v) {
    double most = v[0];
    for (std::size_t lane = 1; lane < kLanes; ++lane) most = std::max(most, v[lane]);
    return most;
}

/// Scans the cuts after entries [begin, end). `lanes(i)` gives eight scores from entry i on and
/// `one(i)` a single one, both without regard to ties.
template <class Word, class LaneScores, class OneScore>
TREEWRIGHT_SIMD_INLINE double scan(const Word* list, std::size_t begin, std::size_t end,
                                   const LaneScores& lanes, const OneScore& one,
                                   std::uint32_t* position) {
    const Doubles none = kNoCut - Doubles{};
    Doubles best_lanes = none;
    std::size_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
        const Doubles scores = ties(list + i + 1) != 0 ? none : lanes(i);
        best_lanes = scores > best_lanes ? scores : best_lanes;
    }
    double best = greatest(best_lanes);
    const std::size_t tail = i;
    for (; i < end; ++i)
        if ((list[i + 1] & 1) == 0) best = std::max(best, one(i));
    if (position == nullptr || best == kNoCut) return best;
    const double enough = best - kTie * best;  // as Judge::slack: the lowest of tied cuts
    for (i = begin; i < tail; i += kLanes) {
        const Doubles scores = ties(list + i + 1) != 0 ? none : lanes(i);
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            if (scores[lane] >= enough) {
                *position = static_cast<std::uint32_t>(i + lane + 1);
                return best;
            }
    }
    for (; i < end; ++i)
        if ((list[i + 1] & 1) == 0 && one(i) >= enough) break;
    *position = static_cast<std::uint32_t>(i + 1);
    return best;
}

/// Scores from numerators kept in two arrays.
template <class Word>
TREEWRIGHT_SIMD double scan_numerators(const Word* list, std::size_t begin, std::size_t end,
                                       const double* left, const double* right,
                                       const double* per_left, const double* per_right,
                                       std::uint32_t* position) {
    const auto lanes = [&](std::size_t i) __attribute__((always_inline)) {
        return load<Doubles>(left + i) * load<Doubles>(per_left + i + 1) +
               load<Doubles>(right + i) * load<Doubles>(per_right + i + 1);
    };
    const auto one = [&](std::size_t i) __attribute__((always_inline)) {
        return left[i] * per_left[i + 1] + right[i] * per_right[i + 1];
    };
    return scan(list, begin, end, lanes, one, position);
}

/// Scores from the number of positives among the first i + 1 entries.
template <class Word>
TREEWRIGHT_SIMD double scan_counts(const Word* list, std::size_t begin, std::size_t end,
                                   const std::int32_t* counts, double n, double n_positive,
                                   const double* per_left, const double* per_right,
                                   std::uint32_t* position) {
    const Doubles ramp = {1, 2, 3, 4, 5, 6, 7, 8};
    const auto lanes = [&](std::size_t i) __attribute__((always_inline)) {
        const Doubles left_positive = __builtin_convertvector(load<Ints>(counts + i), Doubles);
        const Doubles left_negative = ramp + static_cast<double>(i) - left_positive;
        const Doubles right_positive = n_positive - left_positive;
        const Doubles right_negative = (n - n_positive) - left_negative;
        return (left_negative * left_negative + left_positive * left_positive) *
                   load<Doubles>(per_left + i + 1) +
               (right_negative * right_negative + right_positive * right_positive) *
                   load<Doubles>(per_right + i + 1);
    };
    const auto one = [&](std::size_t i) __attribute__((always_inline)) {
        const double left_positive = counts[i];
        const double left_negative = static_cast<double>(i + 1) - left_positive;
        const double right_positive = n_positive - left_positive;
        const double right_negative = (n - n_positive) - left_negative;
        return (left_negative * left_negative + left_positive * left_positive) * per_left[i + 1] +
               (right_negative * right_negative + right_positive * right_positive) *
                   per_right[i + 1];
    };
    return scan(list, begin, end, lanes, one, position);
}

/// Scores from the sum of the values of the first i + 1 entries.
template <class Word>
TREEWRIGHT_SIMD double scan_sums(const Word* list, std::size_t begin, std::size_t end,
                                 const double* sums, double total, const double* per_left,
                                 const double* per_right, std::uint32_t* position) {
    const auto lanes = [&](std::size_t i) __attribute__((always_inline)) {
        const Doubles left = load<Doubles>(sums + i);
        const Doubles right = total - left;
        return left * left * load<Doubles>(per_left + i + 1) +
               right * right * load<Doubles>(per_right + i + 1);
    };
    const auto one = [&](std::size_t i) __attribute__((always_inline)) {
        const double left = sums[i];
        const double right = total - left;
        return left * left * per_left[i + 1] + right * right * per_right[i + 1];
    };
    return scan(list, begin, end, lanes, one, position);
}

/// Entries after which a list may be cut, [begin, end).
struct Cuts {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// Reciprocals of the weights on either side of each cut, and which cuts the limits admit.
template <class Word>
Cuts weigh_cuts(const OutputsNode<Word>& node, FusedScratch& scratch) {
    const data::Block& block = *node.block;
    scratch.per_left.resize(node.n + 1);
    scratch.per_right.resize(node.n + 1);
    double left[2] = {0.0, 0.0};  // copies, weight
    double right[2];
    Cuts cuts{node.n, 0};
    for (std::uint32_t i = 0; i + 1 < node.n; ++i) {
        const std::uint32_t row = data::Entry<Word>::row(node.list[i]);
        left[criteria::kCopies] += block.copies_of(row);
        left[criteria::kWeight] += block.weight_of(row);
        difference(right, node.total, left, 2);
        scratch.per_left[i + 1] = 1.0 / left[criteria::kWeight];
        scratch.per_right[i + 1] = 1.0 / right[criteria::kWeight];
        if (!node.limits.admits(right)) break;  // only lighter from here
        if (!node.limits.admits(left)) continue;
        cuts.begin = std::min<std::size_t>(cuts.begin, i);
        cuts.end = i + 1;
    }
    return cuts;
}

/// One row further to the left: its values are added to the sums left of the cut.
struct Squares {
    double left = 0.0;
    double right = 0.0;
};
TREEWRIGHT_SIMD_INLINE Squares move_left(const double* values, double weight, const double* centre,
                                         const double* total, std::size_t n, double* sums) {
    Doubles left_squares = {};
    Doubles right_squares = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const Doubles left = load<Doubles>(sums + i) +
                             weight * (load<Doubles>(values + i) - load<Doubles>(centre + i));
        const Doubles right = load<Doubles>(total + i) - left;
        std::memcpy(sums + i, &left, sizeof left);
        left_squares += left * left;
        right_squares += right * right;
    }
    if (i < n) {
        Doubles left = {};
        Doubles right = {};
        for (std::size_t lane = 0; i + lane < n; ++lane) {
            sums[i + lane] += weight * (values[i + lane] - centre[i + lane]);
            left[lane] = sums[i + lane];
            right[lane] = total[i + lane] - sums[i + lane];
        }
        left_squares += left * left;
        right_squares += right * right;
    }
    return {sum_of_lanes(left_squares), sum_of_lanes(right_squares)};
}

/// Squares of the sums on either side of the cuts after entries [begin, end).
template <class Word>
TREEWRIGHT_SIMD void sum_squares(const OutputsNode<Word>& node, std::size_t begin, std::size_t end,
                                 const double* centre, std::size_t n_outputs, double* sums,
                                 double* left, double* right) {
    const double* values = node.block->values.data();
    const double* weight = node.block->weight.empty() ? nullptr : node.block->weight.data();
    for (std::size_t i = begin; i < end; ++i) {
        const std::size_t row = data::Entry<Word>::row(node.list[i]);
        const Squares squares =
            move_left(values + row * n_outputs, weight == nullptr ? 1.0 : weight[row], centre,
                      node.total + criteria::kStatistics, n_outputs, sums);
        left[i] = squares.left;
        right[i] = squares.right;
    }
}

/// Sums of squares of the class weights of some entries, and of all other entries.
template <class Word>
Squares squares_of_sides(const OutputsNode<Word>& node, const criteria::ClassSums& classes,
                         std::uint32_t begin, std::uint32_t end, FusedScratch& scratch) {
    scratch.class_left.assign(classes.width(), 0.0);
    for (std::uint32_t i = begin; i < end; ++i) {
        const std::uint32_t row = data::Entry<Word>::row(node.list[i]);
        classes.add(scratch.class_left.data(), *node.block, row, node.block->weight_of(row));
    }
    Squares squares;
    for (std::size_t k = criteria::kStatistics; k < classes.width(); ++k) {
        const double others = node.total[k] - scratch.class_left[k];
        squares.left += scratch.class_left[k] * scratch.class_left[k];
        squares.right += others * others;
    }
    return squares;
}

/// The same of the sums of the values.
template <class Word>
TREEWRIGHT_SIMD Squares squares_of_values(const OutputsNode<Word>& node,
                                          const criteria::ValueSums& values, std::uint32_t begin,
                                          std::uint32_t end, double* sums) {
    const std::size_t n_outputs = values.n_outputs;
    const double* centre = values.centre.data();
    Squares squares;
    for (std::uint32_t i = begin; i < end; ++i) {
        const std::size_t row = data::Entry<Word>::row(node.list[i]);
        const double weight = node.block->weight.empty() ? 1.0 : node.block->weight[row];
        const double* of_row = node.block->values.data() + row * n_outputs;
        if (i + 1 == end) {
            squares = move_left(of_row, weight, centre, node.total + criteria::kStatistics,
                                n_outputs, sums);
            break;
        }
        TREEWRIGHT_INDEPENDENT
        for (std::size_t o = 0; o < n_outputs; ++o) sums[o] += weight * (of_row[o] - centre[o]);
    }
    return squares;
}
template <class Word>
Squares squares_of_sides(const OutputsNode<Word>& node, const criteria::ValueSums& values,
                         std::uint32_t begin, std::uint32_t end, FusedScratch& scratch) {
    scratch.class_left.assign(values.n_outputs, 0.0);
    return squares_of_values(node, values, begin, end, scratch.class_left.data());
}

/// The best cut from the numerators in scratch.left and scratch.right.
template <class Word>
double best_of_outputs(const OutputsNode<Word>& node, const Cuts& cuts, FusedScratch& scratch,
                       std::uint32_t* position) {
    return scan_numerators(node.list, cuts.begin, cuts.end, scratch.left.data(),
                           scratch.right.data(), scratch.per_left.data(), scratch.per_right.data(),
                           position);
}

}  // namespace

template <class Word>
double fused_outputs(const OutputsNode<Word>& node, const criteria::ClassSums& classes,
                     FusedScratch& scratch, Progress& progress, std::uint32_t* position) {
    const Cuts cuts = weigh_cuts(node, scratch);
    if (cuts.begin >= cuts.end) return kNoCut;
    scratch.left.resize(std::max<std::size_t>(scratch.left.size(), node.n));
    scratch.right.resize(std::max<std::size_t>(scratch.right.size(), node.n));
    scratch.class_left.assign(classes.width(), 0.0);
    scratch.class_right.assign(node.total, node.total + classes.width());
    double left = 0.0;  // sums of squares of the class weights, kept up to date row by row
    double right = 0.0;
    for (std::size_t k = criteria::kStatistics; k < classes.width(); ++k)
        right += scratch.class_right[k] * scratch.class_right[k];
    in_blocks(progress, cuts.end, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t row = data::Entry<Word>::row(node.list[i]);
            const double weight = node.block->weight_of(row);
            const std::uint32_t* class_of = node.block->classes.data() + row * classes.n_outputs;
            for (std::size_t output = 0; output < classes.n_outputs; ++output) {
                const std::size_t k = classes.start[output] + class_of[output];
                left += weight * (2.0 * scratch.class_left[k] + weight);
                right -= weight * (2.0 * scratch.class_right[k] - weight);
                scratch.class_left[k] += weight;
                scratch.class_right[k] -= weight;
            }
            scratch.left[i] = left;
            scratch.right[i] = right;
        }
    });
    return best_of_outputs(node, cuts, scratch, position);
}

template <class Word>
double fused_outputs(const OutputsNode<Word>& node, const criteria::ValueSums& values,
                     FusedScratch& scratch, Progress& progress, std::uint32_t* position) {
    const Cuts cuts = weigh_cuts(node, scratch);
    if (cuts.begin >= cuts.end) return kNoCut;
    scratch.left.resize(std::max<std::size_t>(scratch.left.size(), node.n));
    scratch.right.resize(std::max<std::size_t>(scratch.right.size(), node.n));
    scratch.class_left.assign(values.n_outputs, 0.0);
    constexpr std::size_t kCellsPerCheck = 1 << 22;  // a few milliseconds
    const std::size_t n_rows_at_once = kCellsPerCheck / values.n_outputs + 1;
    for (std::size_t begin = 0; begin < cuts.end; begin += n_rows_at_once) {
        if (begin > 0) progress.check(true);
        sum_squares(node, begin, std::min(cuts.end, begin + n_rows_at_once), values.centre.data(),
                    values.n_outputs, scratch.class_left.data(), scratch.left.data(),
                    scratch.right.data());
    }
    return best_of_outputs(node, cuts, scratch, position);
}

template <class Word, class Sums>
double fused_cut(const OutputsNode<Word>& node, const Sums& sums, std::uint32_t n_below,
                 FusedScratch& scratch) {
    const bool is_left_smaller = n_below <= node.n / 2;
    const std::uint32_t begin = is_left_smaller ? 0 : n_below;
    const std::uint32_t end = is_left_smaller ? n_below : node.n;
    double smaller[2] = {0.0, 0.0};  // copies, weight
    double larger[2];
    if (node.block->copies.empty() && node.block->weight.empty())
        std::fill_n(smaller, 2, static_cast<double>(end - begin));
    else
        for (std::uint32_t i = begin; i < end; ++i) {
            const std::uint32_t row = data::Entry<Word>::row(node.list[i]);
            smaller[criteria::kCopies] += node.block->copies_of(row);
            smaller[criteria::kWeight] += node.block->weight_of(row);
        }
    difference(larger, node.total, smaller, 2);
    if (!node.limits.admits(smaller) || !node.limits.admits(larger)) return kNoCut;
    const Squares squares = squares_of_sides(node, sums, begin, end, scratch);
    return squares.left * (1.0 / smaller[criteria::kWeight]) +
           squares.right * (1.0 / larger[criteria::kWeight]);
}

template <class Word>
double fused_two_classes(const FusedNode<Word>& node, std::uint32_t n_positive,
                         const Reciprocals& reciprocals, FusedScratch& scratch, Progress& progress,
                         std::uint32_t* position) {
    if (node.n < 2 * node.min_leaf) return kNoCut;
    if (scratch.counts.size() < node.n) scratch.counts.resize(node.n);
    std::int32_t* counts = scratch.counts.data();
    std::int32_t count = 0;
    in_blocks(progress, node.n, [&](std::size_t begin, std::size_t end) {
        std::int32_t own = count;  // in a register
        for (std::size_t i = begin; i < end; ++i) {
            own += (node.list[i] & data::Entry<Word>::kPositive) >> 1;
            counts[i] = own;
        }
        count = own;
    });
    return scan_counts(node.list, node.min_leaf - 1, node.n - node.min_leaf, counts,
                       static_cast<double>(node.n), static_cast<double>(n_positive),
                       reciprocals.forward.data(), reciprocals.backward_from(node.n), position);
}

template <class Word>
double fused_classes(const FusedNode<Word>& node, const std::uint32_t* class_of_row,
                     const double* totals, std::size_t n_classes, const Reciprocals& reciprocals,
                     FusedScratch& scratch, Progress& progress, std::uint32_t* position) {
    if (node.n < 2 * node.min_leaf) return kNoCut;
    if (scratch.left.size() < node.n) {
        scratch.left.resize(node.n);
        scratch.right.resize(node.n);
    }
    scratch.class_left.assign(n_classes, 0.0);
    scratch.class_right.assign(totals, totals + n_classes);
    double left = 0.0;  // sums of squares of the class counts, kept up to date row by row
    double right = 0.0;
    for (const double total : scratch.class_right) right += total * total;
    in_blocks(progress, node.n, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t k = class_of_row[data::Entry<Word>::row(node.list[i])];
            left += 2.0 * scratch.class_left[k] + 1.0;
            right -= 2.0 * scratch.class_right[k] - 1.0;
            scratch.class_left[k] += 1.0;
            scratch.class_right[k] -= 1.0;
            scratch.left[i] = left;
            scratch.right[i] = right;
        }
    });
    return scan_numerators(node.list, node.min_leaf - 1, node.n - node.min_leaf,
                           scratch.left.data(), scratch.right.data(), reciprocals.forward.data(),
                           reciprocals.backward_from(node.n), position);
}

template <class Word>
double fused_values(const FusedNode<Word>& node, const double* value_of_row, double centre,
                    double total, const Reciprocals& reciprocals, FusedScratch& scratch,
                    Progress& progress, std::uint32_t* position) {
    if (node.n < 2 * node.min_leaf) return kNoCut;
    if (scratch.left.size() < node.n) scratch.left.resize(node.n);
    double* sums = scratch.left.data();
    double sum = 0.0;
    in_blocks(progress, node.n, [&](std::size_t begin, std::size_t end) {
        double own = sum;  // in a register
        for (std::size_t i = begin; i < end; ++i) {
            own += value_of_row[data::Entry<Word>::row(node.list[i])] - centre;
            sums[i] = own;
        }
        sum = own;
    });
    return scan_sums(node.list, node.min_leaf - 1, node.n - node.min_leaf, sums, total,
                     reciprocals.forward.data(), reciprocals.backward_from(node.n), position);
}

template double fused_two_classes<data::Narrow>(const FusedNode<data::Narrow>&, std::uint32_t,
                                                const Reciprocals&, FusedScratch&, Progress&,
                                                std::uint32_t*);
template double fused_two_classes<data::Wide>(const FusedNode<data::Wide>&, std::uint32_t,
                                              const Reciprocals&, FusedScratch&, Progress&,
                                              std::uint32_t*);
template double fused_classes<data::Narrow>(const FusedNode<data::Narrow>&, const std::uint32_t*,
                                            const double*, std::size_t, const Reciprocals&,
                                            FusedScratch&, Progress&, std::uint32_t*);
template double fused_classes<data::Wide>(const FusedNode<data::Wide>&, const std::uint32_t*,
                                          const double*, std::size_t, const Reciprocals&,
                                          FusedScratch&, Progress&, std::uint32_t*);
template double fused_values<data::Narrow>(const FusedNode<data::Narrow>&, const double*, double,
                                           double, const Reciprocals&, FusedScratch&, Progress&,
                                           std::uint32_t*);
template double fused_values<data::Wide>(const FusedNode<data::Wide>&, const double*, double,
                                         double, const Reciprocals&, FusedScratch&, Progress&,
                                         std::uint32_t*);
template double fused_outputs<data::Narrow>(const OutputsNode<data::Narrow>&,
                                            const criteria::ClassSums&, FusedScratch&, Progress&,
                                            std::uint32_t*);
template double fused_outputs<data::Wide>(const OutputsNode<data::Wide>&,
                                          const criteria::ClassSums&, FusedScratch&, Progress&,
                                          std::uint32_t*);
template double fused_outputs<data::Narrow>(const OutputsNode<data::Narrow>&,
                                            const criteria::ValueSums&, FusedScratch&, Progress&,
                                            std::uint32_t*);
template double fused_outputs<data::Wide>(const OutputsNode<data::Wide>&,
                                          const criteria::ValueSums&, FusedScratch&, Progress&,
                                          std::uint32_t*);
template double fused_cut<data::Narrow, criteria::ClassSums>(const OutputsNode<data::Narrow>&,
                                                             const criteria::ClassSums&,
                                                             std::uint32_t, FusedScratch&);
template double fused_cut<data::Wide, criteria::ClassSums>(const OutputsNode<data::Wide>&,
                                                           const criteria::ClassSums&,
                                                           std::uint32_t, FusedScratch&);
template double fused_cut<data::Narrow, criteria::ValueSums>(const OutputsNode<data::Narrow>&,
                                                             const criteria::ValueSums&,
                                                             std::uint32_t, FusedScratch&);
template double fused_cut<data::Wide, criteria::ValueSums>(const OutputsNode<data::Wide>&,
                                                           const criteria::ValueSums&,
                                                           std::uint32_t, FusedScratch&);

}  // namespace treewright::split
