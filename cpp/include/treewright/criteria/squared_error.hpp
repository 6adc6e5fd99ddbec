#pragma once

#include "treewright/criteria/concept.hpp"

namespace treewright::criteria {

/// Variance about the mean, 1/N (Breiman et al. 1984, section 8.3). The sum of squares is the same
/// for every split of a node, so only weights and sums are kept.
struct SquaredError : ValueSums, Additive<SquaredError> {
    static constexpr Traits traits{.name = "squared_error",
                                   .task = Task::numbers,
                                   .impurity = "variance",
                                   .power_of_unit = 2.0,
                                   .is_bounded = false,
                                   .is_fused = true};
    using ValueSums::ValueSums;

    [[nodiscard]] double purity(const double* sums) const {
        if (sums[kWeight] <= 0.0) return 0.0;
        const double reciprocal = 1.0 / sums[kWeight];
        if (n_outputs == 1) return sums[kStatistics] * sums[kStatistics] * reciprocal;
        return sum_of_squares(sums + kStatistics, n_outputs) * reciprocal;
    }
    /// Purities are summed over the outputs; gains are their mean.
    [[nodiscard]] double scale(const double* total) const {
        return 1.0 / (total[kWeight] * static_cast<double>(n_outputs));
    }
    [[nodiscard]] double impurity(const double*) const { return 0.0; }  // see grow/summary.hpp
};
static_assert(Criterion<SquaredError>);

}  // namespace treewright::criteria
