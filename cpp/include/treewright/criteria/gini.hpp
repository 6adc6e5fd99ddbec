#pragma once

#include "treewright/criteria/concept.hpp"

namespace treewright::criteria {

/// Gini index 1 - sum_k p_k^2 (Breiman et al. 1984, section 4.3).
struct Gini : ClassSums, Additive<Gini> {
    static constexpr Traits traits{.name = "gini", .is_fused = true, .judges_stumps = true};
    using ClassSums::ClassSums;

    [[nodiscard]] double purity(const double* sums) const {
        if (sums[kWeight] <= 0.0) return 0.0;
        const double reciprocal = 1.0 / sums[kWeight];
        double squares = 0.0;
        for (std::size_t k = kStatistics; k < width(); ++k) squares += sums[k] * sums[k];
        return squares * reciprocal;  // a product, as in the fused scan: the same bits
    }
    /// Purities are summed over the outputs; gains are their mean.
    [[nodiscard]] double scale(const double* total) const {
        return 1.0 / (total[kWeight] * static_cast<double>(n_outputs));
    }
    [[nodiscard]] double impurity(const double* sums) const {
        if (sums[kWeight] <= 0.0) return 0.0;
        const double reciprocal = 1.0 / sums[kWeight];
        const double same = over_outputs(sums, [&](const double* begin, const double* end) {
            double squares = 0.0;
            for (const double* count = begin; count != end; ++count) squares += *count * *count;
            return squares * reciprocal;
        });
        return std::max(0.0, 1.0 - same / sums[kWeight]);
    }
};
static_assert(Criterion<Gini>);

}  // namespace treewright::criteria
