#pragma once

#include "treewright/criteria/concept.hpp"

namespace treewright::criteria {

/// The textbook's weighted squared error (chapter 3, section 3.6): *sums* of squares about the
/// branch means, weighted by n_b / n. It ranks splits differently from the total squared error.
struct WeightedSquaredError : SquareSums, Additive<WeightedSquaredError> {
    static constexpr Traits traits{.name = "weighted_squared_error",
                                   .task = Task::numbers,
                                   .impurity = "sum of squares",
                                   .power_of_unit = 2.0,
                                   .is_bounded = false,
                                   .sums_over_rows = true};
    using SquareSums::SquareSums;

    [[nodiscard]] double purity(const double* sums) const {
        double total = 0.0;
        for (std::size_t output = 0; output < n_outputs; ++output) total -= spread(sums, output);
        return total / static_cast<double>(n_outputs);
    }
    [[nodiscard]] double impurity(const double*) const { return 0.0; }  // see grow/summary.hpp
};
static_assert(Criterion<WeightedSquaredError>);

}  // namespace treewright::criteria
