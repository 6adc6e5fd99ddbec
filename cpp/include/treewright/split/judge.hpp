/// What every search needs to know of its node: which branches are admissible, the gain of a sum of
/// purities, and how missing values enter the comparison.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "treewright/criteria/concept.hpp"
#include "treewright/split/candidate.hpp"
#include "treewright/split/tally.hpp"
#include "treewright/split/ties.hpp"

namespace treewright::split {

/// How the missing rows of a tally take part in a search (set by missing/registry.hpp).
enum class MissingPart : std::uint8_t {
    absent,  ///< not at all: gains are over the known rows, times their share of the node
    none,    ///< there are none left: they were given a value, or are a run of their own
    sides,   ///< tried with each branch
    branch   ///< a branch of their own beside those of the search
};

struct SearchLimits {
    double min_copies = 1.0;
    double min_weight = 0.0;
    bool two_branches_suffice = false;
    bool class_boundaries = false;

    [[nodiscard]] bool admits(const double* branch) const {
        return branch[criteria::kCopies] >= min_copies && branch[criteria::kWeight] >= min_weight &&
               branch[criteria::kWeight] > 0.0;
    }
};

/// Size of the terms that cancel inside a purity, where the criterion provides it.
template <criteria::Criterion C>
[[nodiscard]] double magnitude_of(const C& criterion, const double* total) {
    if constexpr (requires { criterion.magnitude(total); }) return criterion.magnitude(total);
    else return 0.0;
}

/// Entropy in bits of the branch weights; divided missing rows are one more part (C4.5).
[[nodiscard]] inline double split_information(const std::vector<double>& weights) {
    double all = 0.0;
    for (const double weight : weights) all += weight;
    double bits = 0.0;
    for (const double weight : weights)
        if (weight > 0.0) bits -= weight / all * std::log2(weight / all);
    return bits;
}

/// A monotonic constraint: the value right of a cut may not be lower (direction 1) or higher (-1),
/// and both sides stay within the bounds their ancestors set.
struct Monotone {
    int direction = 0;
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
};

/// Whether a cut with these values left and right of it keeps to a constraint on its column.
[[nodiscard]] inline bool respects(const Monotone& rule, double left, double right) {
    return left >= rule.lower && left <= rule.upper && right >= rule.lower && right <= rule.upper &&
           (right - left) * rule.direction >= 0.0;
}

template <criteria::Criterion C>
struct Judge {
    C& criterion;
    const Tally& tally;
    MissingPart part;
    SearchLimits limits;
    std::vector<double>& total;  ///< sums of the rows compared
    double parent = 0.0;
    double scale = 1.0;

    Judge(C& criterion, const Tally& tally, MissingPart part, const SearchLimits& limits,
          std::vector<double>& total)
        : criterion(criterion), tally(tally), part(part), limits(limits), total(total) {
        total = tally.known;
        if (part != MissingPart::absent)
            for (std::size_t j = 0; j < total.size(); ++j) total[j] += tally.missing[j];
        criterion.enter(total.data());
        parent = criterion.purity(total.data());
        scale = criterion.scale(total.data());
        if (part == MissingPart::absent && tally.any_missing)
            scale *= tally.known[criteria::kWeight] /
                     (tally.known[criteria::kWeight] + tally.missing[criteria::kWeight]);
    }

    [[nodiscard]] bool tries_sides() const {
        return part == MissingPart::sides && tally.any_missing;
    }
    [[nodiscard]] bool has_missing_branch() const {
        return part == MissingPart::branch && tally.any_missing;
    }
    [[nodiscard]] bool admits(const double* branch) const { return limits.admits(branch); }
    [[nodiscard]] double magnitude() const { return magnitude_of(criterion, total.data()); }
    /// Purities this close to one another differ by rounding: they are ties.
    [[nodiscard]] double slack(double purity) const {
        if constexpr (C::traits.compares_last_bits) return 0.0;
        return kTie * (std::abs(purity) + magnitude());
    }
    /// Whether a purity is better than the best so far; of equals the first stays.
    [[nodiscard]] bool beats(double purity, double best) const {
        return std::isinf(best) ? purity > best : purity > best + slack(best);
    }

    /// Writes the gain that follows from a sum of purities over the branches.
    void settle(double purities, Candidate& candidate) const {
        candidate.gain = std::max(0.0, (purities - parent) * scale);
        if constexpr (C::traits.compares_last_bits) candidate.exact_gain = purities - parent;
        candidate.noise = kTie * (std::abs(purities) + std::abs(parent) + magnitude()) * scale;
    }
};

inline void add_to(double* into, const double* sums, std::size_t width) {
    for (std::size_t j = 0; j < width; ++j) into[j] += sums[j];
}
inline void subtract_from(double* into, const double* sums, std::size_t width) {
    for (std::size_t j = 0; j < width; ++j) into[j] -= sums[j];
}
inline void difference(double* into, const double* a, const double* b, std::size_t width) {
    for (std::size_t j = 0; j < width; ++j) into[j] = a[j] - b[j];
}

/// Memory for the sums of branches.
struct SearchScratch {
    std::vector<double> left;
    std::vector<double> right;
    std::vector<double> total;
    std::vector<double> branches;
    std::vector<std::uint32_t> order;
    std::vector<double> key;
};

}  // namespace treewright::split
