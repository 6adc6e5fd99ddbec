#pragma once

#include "treewright/criteria/concept.hpp"

namespace treewright {

/// Half Poisson deviance, mean of y log(y / mean) - y + mean (scikit-learn's "poisson"). The terms
/// in y alone cancel between parent and children: sum log(sum / weight) remains.
struct Poisson : ValueSums, Additive<Poisson> {
    static constexpr std::string_view name = "poisson";
    using ValueSums::ValueSums;

    [[nodiscard]] double purity(const double* sums) const {
        double total = 0.0;
        for (std::size_t output = 0; output < n_outputs; ++output) {
            const double sum = sums[kStatistics + output];
            if (sum > 0.0) total += sum * std::log(sum / sums[kWeight]);
        }
        return total / static_cast<double>(n_outputs);
    }
    [[nodiscard]] double impurity(const double*) const { return 0.0; }  // see grow/summary.hpp
};
static_assert(Criterion<Poisson>);

}  // namespace treewright
