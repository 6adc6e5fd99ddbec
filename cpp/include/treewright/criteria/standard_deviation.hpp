#pragma once

#include "treewright/criteria/concept.hpp"

namespace treewright::criteria {

/// Standard deviation of the target; its decrease, sd(T) - sum |Ti| / |T| sd(Ti), is M5's criterion
/// (Quinlan 1992, section 2).
struct StandardDeviation : SquareSums, Additive<StandardDeviation> {
    static constexpr Traits traits{.name = "standard_deviation",
                                   .task = Task::numbers,
                                   .impurity = "standard deviation",
                                   .power_of_unit = 1.0,
                                   .power_of_variance = 0.5,
                                   .is_bounded = false};
    using SquareSums::SquareSums;

    [[nodiscard]] double purity(const double* sums) const {
        double total = 0.0;  // weight x sd is the root of the spread
        for (std::size_t output = 0; output < n_outputs; ++output)
            total -= std::sqrt(std::max(0.0, spread(sums, output)));
        return total / static_cast<double>(n_outputs);
    }
    [[nodiscard]] double impurity(const double*) const { return 0.0; }  // see grow/summary.hpp
};
static_assert(Criterion<StandardDeviation>);

}  // namespace treewright::criteria
