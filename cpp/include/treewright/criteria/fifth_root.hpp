#pragma once

#include "treewright/criteria/concept.hpp"

namespace treewright::criteria {

/// Fifth root of the variance: Weka's M5P uses it instead of the standard deviation (the source,
/// class Impurity with order 5). It favours branches that are nearly constant.
struct FifthRoot : SquareSums, Additive<FifthRoot> {
    static constexpr Traits traits{.name = "fifth_root",
                                   .task = Task::numbers,
                                   .impurity = "variance ** 0.2",
                                   .power_of_unit = 0.4,
                                   .power_of_variance = 0.2,
                                   .is_bounded = false};
    using SquareSums::SquareSums;

    [[nodiscard]] double purity(const double* sums) const {
        const double weight = sums[kWeight];
        if (weight <= 0.0) return 0.0;
        double total = 0.0;
        for (std::size_t output = 0; output < n_outputs; ++output)
            total -=
                weight * std::pow(std::max(0.0, spread(sums, output)) / (weight * weight), 0.2);
        return total / static_cast<double>(n_outputs);
    }
    [[nodiscard]] double impurity(const double*) const { return 0.0; }  // see grow/summary.hpp
};
static_assert(Criterion<FifthRoot>);

}  // namespace treewright::criteria
