#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "treewright/base/exp.hpp"
#include "treewright/boosting/objective.hpp"
#include "treewright/boosting/row_blocks.hpp"

namespace treewright::boosting {
namespace {

/// What a class without rows counts as, as a share of all rows: its thresholds do not meet.
constexpr double kLeastShare = 1e-15;
/// A step this long makes the loss less whatever its third derivative, which is at most as large as
/// the second (Bach, Electronic Journal of Statistics 4, 2010).
constexpr double kLongestStep = 1.0;
/// Bits of thresholds that are kept: logarithms and exponentials differ among processors.
constexpr double kThresholdUnit = 0x1p-40;

/// Sums of rows as whole numbers, which do not depend on the order of the rows: of each class its
/// weight, and what its upper and its lower bound add to the first and second derivatives.
struct ClassPart {
    std::int64_t weight = 0;
    std::int64_t upper = 0;
    std::int64_t upper_curve = 0;
    std::int64_t lower = 0;
    std::int64_t lower_curve = 0;

    ClassPart& operator+=(const ClassPart& other) {
        weight += other.weight;
        upper += other.upper;
        upper_curve += other.upper_curve;
        lower += other.lower;
        lower_curve += other.lower_curve;
        return *this;
    }
};

double weight_of(const ThresholdRows& rows, std::size_t row) {
    return rows.weight.empty() ? 1.0 : rows.weight[row];
}

/// Power of two of the unit such that no sum of weights leaves 62 bits.
int unit_of(const ThresholdRows& rows) {
    auto total = static_cast<double>(rows.y.size());
    if (!rows.weight.empty()) total = std::accumulate(rows.weight.begin(), rows.weight.end(), 0.0);
    return std::ilogb(std::max(total, 1e-300)) + 2 - 62;
}

std::vector<ClassPart> parts_of(std::span<const double> bounds, const ThresholdRows& rows, int unit,
                                Team& team) {
    const std::size_t n_classes = bounds.size() - 1;
    const double per_unit = std::ldexp(1.0, -unit);
    std::vector<std::vector<ClassPart>> found(team.size(), std::vector<ClassPart>(n_classes));
    by_blocks(rows.y.size(), team, [&](std::size_t begin, std::size_t end, std::size_t thread) {
        double upper[kRowsPerBlock];  // shares below either bound, in a loop of their own: it is
        double lower[kRowsPerBlock];  // done for several rows at once
        for (std::size_t i = 0; i < end - begin; ++i) {
            const auto own = static_cast<std::size_t>(rows.y[begin + i]);
            const double score = rows.scores[begin + i];
            upper[i] = 1.0 / (1.0 + exp_of(score - bounds[own + 1]));
            lower[i] = 1.0 / (1.0 + exp_of(score - bounds[own]));
        }
        std::vector<ClassPart>& into = found[thread];
        for (std::size_t i = 0; i < end - begin; ++i) {
            const double w = weight_of(rows, begin + i) * per_unit;
            const double a = upper[i];
            const double b = lower[i];
            const auto whole = [w](double share) {  // rounded: shares are not negative
                return static_cast<std::int64_t>(share * w + 0.5);
            };
            into[static_cast<std::size_t>(rows.y[begin + i])] +=
                {whole(1.0), whole(1.0 - a), whole(a * (1.0 - a)), whole(b), whole(b * (1.0 - b))};
        }
    });
    std::vector<ClassPart>& all = found[0];
    for (std::size_t thread = 1; thread < found.size(); ++thread)
        for (std::size_t k = 0; k < n_classes; ++k) all[k] += found[thread][k];
    return all;
}

/// Solves a symmetric tridiagonal system in place of `right` (Thomas); `beside[i]` joins i - 1 and
/// i.
void solve(std::vector<double> diagonal, const std::vector<double>& beside,
           std::vector<double>& right) {
    for (std::size_t i = 1; i < right.size(); ++i) {
        const double factor = beside[i] / diagonal[i - 1];
        diagonal[i] -= factor * beside[i];
        right[i] -= factor * right[i - 1];
    }
    for (std::size_t i = right.size(); i-- > 0;) {
        if (i + 1 < right.size()) right[i] -= beside[i + 1] * right[i + 1];
        right[i] /= diagonal[i];
    }
}

/// Makes of a Newton step the one that is best among those that leave the mean as it is.
void hold_mean(const std::vector<double>& diagonal, const std::vector<double>& beside,
               std::vector<double>& step) {
    std::vector<double> along(step.size(), 1.0);
    solve(diagonal, beside, along);
    const double more = std::accumulate(step.begin(), step.end(), 0.0) /
                        std::accumulate(along.begin(), along.end(), 0.0);
    for (std::size_t i = 0; i < step.size(); ++i) step[i] -= more * along[i];
}

}  // namespace

/// With a and b as in losses/ordinal.hpp, the loss of a row of class k is
///     -log a - log (1 - b) - log (1 - exp(-gap of class k)),
/// whose derivatives by the upper bound are -(1 - a) - q and a (1 - a) + q (1 + q), by the lower
/// bound b + q and b (1 - b) + q (1 + q), by both -q (1 + q), with q = 1 / (exp(gap) - 1).
double move_thresholds(std::span<double> bounds, const ThresholdRows& rows, bool keeps_mean,
                       Team& team) {
    const std::size_t n_classes = bounds.size() - 1;
    const std::size_t n = n_classes - 1;
    if (n == 0) return 0.0;
    const int unit = unit_of(rows);
    const std::vector<ClassPart> parts = parts_of(bounds, rows, unit, team);
    std::int64_t total = 0;
    for (const ClassPart& part : parts) total += part.weight;
    std::vector<double> step(n);  // first minus the gradient; threshold i parts classes i and i + 1
    std::vector<double> curve(n);
    std::vector<double> beside(n);
    for (std::size_t k = 0; k < n_classes; ++k) {
        const double w = std::max(static_cast<double>(parts[k].weight),
                                  kLeastShare * static_cast<double>(total));
        const double q = 1.0 / std::expm1(bounds[k + 1] - bounds[k]);  // 0 at either end
        if (k < n) {
            step[k] += static_cast<double>(parts[k].upper) + w * q;
            curve[k] += static_cast<double>(parts[k].upper_curve) + w * q * (1.0 + q);
        }
        if (k > 0) {
            step[k - 1] -= static_cast<double>(parts[k].lower) + w * q;
            curve[k - 1] += static_cast<double>(parts[k].lower_curve) + w * q * (1.0 + q);
        }
        if (k > 0 && k < n) beside[k] -= w * q * (1.0 + q);
    }
    for (double& own : curve) own += 1e-12 * static_cast<double>(total);  // flat where all is sure
    solve(curve, beside, step);
    if (keeps_mean) hold_mean(curve, beside, step);
    double longest = 0.0;
    for (const double own : step) longest = std::max(longest, std::abs(own));
    double share = std::min(1.0, kLongestStep / std::max(longest, kThresholdUnit));
    for (std::size_t i = 1; i < n; ++i) {  // no gap loses more than half of itself
        const double less = step[i - 1] - step[i];
        if (less > 0.0) share = std::min(share, (bounds[i + 1] - bounds[i]) / (2.0 * less));
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double moved = bounds[i + 1] + share * step[i];
        const double rounded = std::nearbyint(moved / kThresholdUnit) * kThresholdUnit;
        // Where they lie as close as that, rounding would join them.
        bounds[i + 1] = i == 0 || rounded > bounds[i] ? rounded : bounds[i] + kThresholdUnit;
    }
    return share * longest;
}

}  // namespace treewright::boosting
