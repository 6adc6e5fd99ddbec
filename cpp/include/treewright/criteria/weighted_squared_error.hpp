#pragma once

#include "treewright/criteria/concept.hpp"

namespace treewright {

/// The textbook's weighted squared error (chapter 3, section 3.6): *sums* of squares about the
/// branch means, weighted by n_b / n. It ranks splits differently from the total squared error.
struct WeightedSquaredError : ValueSums, Additive<WeightedSquaredError> {
    static constexpr std::string_view name = "weighted_squared_error";
    using ValueSums::ValueSums;

    [[nodiscard]] std::size_t width() const { return kStatistics + 2 * n_outputs; }
    void add(double* into, const Block& block, std::uint32_t row, double weight) const {
        for (std::size_t output = 0; output < n_outputs; ++output) {
            const double value = block.values[row * n_outputs + output] - centre[output];
            into[kStatistics + 2 * output] += weight * value;
            into[kStatistics + 2 * output + 1] += weight * value * value;
        }
    }
    void begin_node(const double* total) { centre_on(total, 2); }
    [[nodiscard]] double purity(const double* sums) const {
        double total = 0.0;
        for (std::size_t output = 0; output < n_outputs; ++output) {
            const double sum = sums[kStatistics + 2 * output];
            total -= sums[kWeight] * sums[kStatistics + 2 * output + 1] - sum * sum;
        }
        return total / static_cast<double>(n_outputs);
    }
    [[nodiscard]] double impurity(const double*) const { return 0.0; }  // see grow/summary.hpp
};
static_assert(Criterion<WeightedSquaredError>);

}  // namespace treewright
