#pragma once

#include "treewright/criteria/concept.hpp"

namespace treewright::criteria {

/// Squared error that also keeps the squares of the values, as an analysis of variance of some of
/// a node's rows needs them (CHAID compares pairs of values; split/chaid/merge.hpp).
struct Anova : SquareSums, Additive<Anova> {
    static constexpr Traits traits{.name = "anova",
                                   .task = Task::numbers,
                                   .impurity = "variance",
                                   .power_of_unit = 2.0,
                                   .is_bounded = false,
                                   .is_offered = false};
    using SquareSums::SquareSums;

    [[nodiscard]] double purity(const double* sums) const {
        if (sums[kWeight] <= 0.0) return 0.0;
        double total = 0.0;
        for (std::size_t output = 0; output < n_outputs; ++output)
            total += sum_of(sums, output) * sum_of(sums, output) / sums[kWeight];
        return total / static_cast<double>(n_outputs);
    }
    [[nodiscard]] double impurity(const double*) const { return 0.0; }  // see grow/summary.hpp
};
static_assert(Criterion<Anova>);

}  // namespace treewright::criteria
