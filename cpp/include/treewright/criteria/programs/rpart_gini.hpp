#pragma once

#include "treewright/criteria/concept.hpp"

namespace treewright::criteria {

/// Gini's index as rpart computes it (gini.c): sums of weight p (1 - p), class by class, left and
/// right in turn. Tables of small numbers have many splits that are exactly as good as one another,
/// of which rpart takes the one that its rounding favours; the same trees need the same rounding.
struct RpartGini : ClassSums, Additive<RpartGini> {
    static constexpr Traits traits{
        .name = "rpart_gini", .compares_last_bits = true, .is_offered = false};
    using ClassSums::ClassSums;

    [[nodiscard]] double purity(const double* sums) const {
        return -mean_over_outputs([&](std::size_t k) { return spread(sums, k); });
    }
    [[nodiscard]] double pair(const double* left, const double* right) const {
        double total = 0.0;
        for (std::size_t output = 0; output < n_outputs; ++output) {
            double both = 0.0;
            for (std::size_t k = start[output]; k < start[output + 1]; ++k) {
                both += spread(left, k);
                both += spread(right, k);
            }
            total += both;
        }
        return -total / static_cast<double>(n_outputs);
    }
    [[nodiscard]] double impurity(const double* sums) const {
        return sums[kWeight] <= 0.0 ? 0.0 : std::max(0.0, -purity(sums) / sums[kWeight]);
    }

private:
    static double spread(const double* sums, std::size_t k) {
        if (sums[kWeight] <= 0.0) return 0.0;
        const double p = sums[k] / sums[kWeight];
        return sums[kWeight] * (p * (1.0 - p));
    }
    template <class F>
    [[nodiscard]] double mean_over_outputs(F&& f) const {
        double total = 0.0;
        for (std::size_t output = 0; output < n_outputs; ++output) {
            double one = 0.0;
            for (std::size_t k = start[output]; k < start[output + 1]; ++k) one += f(k);
            total += one;
        }
        return total / static_cast<double>(n_outputs);
    }
};
static_assert(Criterion<RpartGini>);

}  // namespace treewright::criteria
