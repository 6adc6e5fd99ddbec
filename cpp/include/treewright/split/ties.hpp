/// Ties between splits. Scores that differ by rounding alone are ties, and ties go to
/// the split found first: the lower code, the lower column (or the one drawn first), the older
/// node. Every engine takes its tolerance from here; they differ because their sums are rounded
/// differently.
///
/// The rule itself stands where candidates are compared: numeric/threshold.hpp (the lower cut),
/// numeric/fused_scan.cpp, selection.hpp (columns; C5.0's own order), missing/surrogates.hpp,
/// forest/fast/nodes.hpp and its kernels, adaboost/stumps.cpp, boosting/split_search.cpp.
#pragma once

#include <cmath>

namespace treewright::split {

/// Relative size of the rounding errors of a sum of purities, with room to spare.
inline constexpr double kTie = 1e-14;

/// For the gains of gradient histograms, whose sums are whole numbers: only the quotients are
/// rounded, but a gain is the small difference of three of them.
inline constexpr double kHistogramTie = 1e-12;

/// Of numbers that a few more operations are made from: gain ratios, gains weighed by costs.
inline constexpr double kScoreTie = 1e-13;

/// Of agreements with a surrogate's question: sums of weights, compared as products.
inline constexpr double kAgreementTie = 1e-12;

/// Of logarithms of p-values, and near a p-value of 1, where they vanish.
inline constexpr double kLogPTie = 1e-11;
inline constexpr double kLogPTieNearOne = 1e-13;

/// Improvements of whole nodes, which best-first growth compares, are equal if they agree in so
/// many bits.
inline constexpr int kNodeTieBits = 40;

/// The improvement of a node, rounded so that values that differ by rounding alone are equal.
[[nodiscard]] inline double rounded_improvement(double improvement) {
    int exponent = 0;
    const double mantissa = std::frexp(improvement, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(mantissa, kNodeTieBits)), exponent - kNodeTieBits);
}

}  // namespace treewright::split
