#include "treewright/split/chaid/group_test.hpp"

#include <algorithm>
#include <limits>

#include "treewright/base/distributions.hpp"

namespace treewright::split {
namespace {

/// What a cell of the table group x class adds to the statistic.
double cell(double observed, double of_group, double of_class, double all, bool likelihood_ratio) {
    // Products of weights as small as this lose digits or vanish; the shares of a cell do not.
    constexpr double kLeast =
        std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
    const double product = of_group * of_class;
    if (product * all < kLeast) {
        const double in_group = observed / of_group;
        const double in_class = observed / of_class;
        if (!likelihood_ratio)
            return in_group * in_class * all - 2.0 * observed + of_group * (of_class / all);
        if (observed <= 0.0) return 0.0;
        return 2.0 * observed * (std::log(in_group) - std::log(of_class / all));
    }
    // Times `all`, so that whole counts in proportion give exactly 0.
    const double times_all = observed * all;
    if (!likelihood_ratio) return (times_all - product) * (times_all - product) / (product * all);
    return observed > 0.0 ? 2.0 * observed * std::log(times_all / product) : 0.0;
}

}  // namespace

double ClassTest::log_p(std::span<const double* const> groups) const {
    double all = 0.0;
    std::size_t n_filled = 0;
    for (const double* group : groups) {
        all += group[criteria::kWeight];
        n_filled += group[criteria::kWeight] > 0.0 ? 1 : 0;
    }
    double statistic = 0.0;
    std::size_t n_used = 0;
    for (std::size_t k = begin; k < end; ++k) {
        double of_class = 0.0;
        for (const double* group : groups) of_class += group[k];
        if (of_class <= 0.0) continue;
        ++n_used;
        for (const double* group : groups) {
            if (!(group[criteria::kWeight] > 0.0)) continue;
            statistic += cell(group[k], group[criteria::kWeight], of_class, all, likelihood_ratio);
        }
    }
    if (n_used < 2 || n_filled < 2) return 0.0;
    return log_chi_square_tail(statistic * evidence,
                               static_cast<double>((n_used - 1) * (n_filled - 1)));
}

void ClassTest::levels(const double* sums, double* into) const {
    for (std::size_t k = begin; k < end; ++k)
        *into++ = sums[criteria::kWeight] > 0.0 ? sums[k] / sums[criteria::kWeight] : 0.0;
}

double ValueTest::log_p(std::span<const double* const> groups) const {
    double weight = 0.0;
    double copies = 0.0;
    double sum = 0.0;
    double n_filled = 0.0;
    for (const double* group : groups) {
        if (!(group[criteria::kWeight] > 0.0)) continue;
        ++n_filled;
        weight += group[criteria::kWeight];
        copies += group[criteria::kCopies];
        sum += criteria::SquareSums::sum_of(group);
    }
    double between = 0.0;
    // Squares are about the node's centre, and a group may lie far from it.
    long double within = 0.0L;
    for (const double* group : groups) {
        if (!(group[criteria::kWeight] > 0.0)) continue;
        const long double of_group = criteria::SquareSums::sum_of(group);
        const double off = static_cast<double>(of_group) / group[criteria::kWeight] - sum / weight;
        between += group[criteria::kWeight] * off * off;
        within += std::max(0.0L, criteria::SquareSums::squares_of<long double>(group) -
                                     of_group * of_group / group[criteria::kWeight]);
    }
    return log_p_of_squares(between, static_cast<double>(within), n_filled - 1.0,
                            copies - n_filled);
}

void ValueTest::levels(const double* sums, double* into) const {
    *into = sums[criteria::kWeight] > 0.0
                ? criteria::SquareSums::sum_of(sums) / sums[criteria::kWeight]
                : 0.0;
}

double log_p_of_squares(double between, double within, double df1, double df2) {
    if (df1 <= 0.0 || df2 <= 0.0 || !(between > 0.0)) return 0.0;
    if (within <= 1e-12 * (between + within)) return -std::numeric_limits<double>::infinity();
    return log_f_tail((between / df1) / (within / df2), df1, df2);
}

}  // namespace treewright::split
