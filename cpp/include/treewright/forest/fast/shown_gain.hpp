/// The gain of a cut as a tree that stands alone shows it: the same double as the general grower
/// notes. That one judges cuts by their score, the sum of the purities of both sides
/// (split/numeric/fused_scan.hpp), and notes the greatest; the first cut that ties with it is
/// taken.
///
///     score = (sum of squares left) * (1 / w) + (sum of squares right) * (1 / (W - w))
#pragma once

#include <algorithm>
#include <cstdint>

#include "treewright/forest/fast/kernels/scan.hpp"

namespace treewright::forest {

/// Score of a cut of two classes with these sums left of it.
inline double score_of_two(const FastList& list, double w, double s) {
    const double all = list.weight;
    const double right = list.sum - s;
    const double left_others = w - s;
    const double right_others = (all - list.sum) - left_others;
    return (left_others * left_others + s * s) * (1.0 / w) +
           (right_others * right_others + right * right) * (1.0 / (all - w));
}

/// The same for numbers, about the mean as a whole number.
inline double score_of_values(const FastList& list, double w, double s) {
    const double all = list.weight;
    const double whole = FastMean(list, false).whole;
    const double left = s - whole * w;
    const double right = (list.sum - whole * all) - left;
    return left * left * (1.0 / w) + right * right * (1.0 / (all - w));
}

/// The greatest score of the cuts from a place on whose decrease is not much below `enough`.
template <bool kIsShare, class TargetOf>
double greatest_score(const FastList& list, const FastPlace& from, double enough,
                      const TargetOf& target_of) {
    constexpr double kSlack = 1.0 - 1e-14;
    const FastMean mean(list, kIsShare);
    const double all = list.weight;
    const std::uint32_t most = list.weight - list.least;
    std::uint32_t w = from.weight;
    double s = from.sum;
    double greatest = 0.0;
    for (std::uint32_t i = from.position; i < list.n && w <= most; ++i) {
        const double weight = w;
        const double excess = (s - mean.whole * weight) - mean.rest * weight;
        if ((list.entries[i] & kSameValueBit) == 0 && w >= list.least &&
            excess * excess >= kSlack * enough * (weight * (all - weight)))
            greatest = std::max(greatest, kIsShare ? score_of_two(list, weight, s)
                                                   : score_of_values(list, weight, s));
        w += weight_of(list.entries[i]);
        s += target_of(list.entries[i]);
    }
    return greatest;
}

/// The same of more classes, from sums of squares left and right of every cut.
inline double greatest_score(const FastList& list, std::uint32_t from, const double* left,
                             const double* right, const double* weights) {
    const double all = list.weight;
    double greatest = 0.0;
    for (std::uint32_t i = from - 1; i + 1 < list.n; ++i)
        if ((list.entries[i + 1] & kSameValueBit) == 0 && weights[i] >= list.least &&
            weights[i] <= all - list.least)
            greatest = std::max(
                greatest, left[i] * (1.0 / weights[i]) + right[i] * (1.0 / (all - weights[i])));
    return greatest;
}

}  // namespace treewright::forest
