/// CAL5's intervals (Mueller and Wysotzki, Automatic construction of decision trees for
/// classification, Annals of Operations Research 52, 1994): grown from the left until it is
/// decided, at a level of confidence, whether one class dominates.
#pragma once

#include <cmath>
#include <span>

#include "treewright/split/judge.hpp"
#include "treewright/split/options.hpp"

namespace treewright::split {

/// The confidence interval of a class's share, from Chebyshev's inequality for n_i of n rows,
///
///     (2 a n_i + 1 -+ sqrt(4 a n_i (1 - n_i / n) + 1)) / (2 a n + 2)
///
/// (Unger and Wysotzki 1981), against the threshold S: a class dominates if all of it lies above,
/// and cannot if all of it lies below. Both bounds rise with n_i: the largest class decides.
struct Dominance {
    double threshold = 0.8;
    double alpha = 0.3;
    double evidence = 1.0;  ///< rows that a unit of weight stands for

    [[nodiscard]] double bound(double of_class, double all, double sign) const {
        const double n_i = of_class * evidence;
        const double n = all * evidence;
        const double root = std::sqrt(4.0 * alpha * n_i * (1.0 - of_class / all) + 1.0);
        return (2.0 * alpha * n_i + 1.0 + sign * root) / (2.0 * alpha * n + 2.0);
    }
    [[nodiscard]] bool dominates(double of_class, double all) const {
        return bound(of_class, all, -1.0) >= threshold;
    }
    [[nodiscard]] bool cannot_dominate(double of_class, double all) const {
        return bound(of_class, all, 1.0) < threshold;
    }
};

[[nodiscard]] inline Dominance dominance(const SplitOptions& options) {
    return {options.cal5_threshold, options.cal5_alpha, options.evidence};
}

/// Whether one class dominates the rows of these sums: CAL5 makes such a node a leaf.
[[nodiscard]] bool is_dominated(const double* sums, std::size_t width, const Dominance& dominance);

struct Cal5Scratch {
    std::vector<double> sums;          ///< of the interval being grown
    std::vector<std::uint32_t> start;  ///< first run of each interval
    std::vector<std::vector<std::uint32_t>>
        label;  ///< its class, or those left where none dominates
};

/// The runs that begin a new interval, ascending. An interval is closed when a class dominates it,
/// or when none can; the remainder at the end is decided by its majority. Neighbours with the same
/// class are merged, and so are neighbours without one whose remaining classes are the same: those
/// whose share is not wholly below 1 / (classes in the interval). Equal values stay together, and
/// an interval needs `min_copies` rows and `min_weight`.
void cal5_cuts(const Tally& tally, const SearchLimits& limits, const Dominance& dominance,
               Cal5Scratch& scratch, std::vector<std::uint32_t>& starts);

}  // namespace treewright::split
