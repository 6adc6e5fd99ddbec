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

}  // namespace

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

}  // namespace treewright::split
