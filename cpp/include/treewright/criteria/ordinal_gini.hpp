#pragma once

#include "treewright/criteria/concept.hpp"

namespace treewright::criteria {

/// The Gini index of every cut of ordered classes in two, added up: 2 sum_k F_k (1 - F_k) with F_k
/// the share of the classes up to k. Twice the index of Piccarreta (Computational Statistics 23,
/// 2008), so that of two classes it is Gini's; the mean distance between the classes of two rows.
struct OrdinalGini : ClassSums, Additive<OrdinalGini> {
    static constexpr Traits traits{.name = "ordinal_gini",
                                   .impurity = "ordinal_gini",
                                   .is_bounded = false,
                                   .needs_order = true};
    using ClassSums::ClassSums;

    [[nodiscard]] double purity(const double* sums) const {
        if (sums[kWeight] <= 0.0) return 0.0;
        const double reciprocal = 1.0 / sums[kWeight];
        return over_outputs(sums, [&](const double* begin, const double* end) {
            double squares = 0.0;
            double below = 0.0;
            for (const double* count = begin; count + 1 < end; ++count) {
                below += *count;
                const double above = sums[kWeight] - below;
                squares += below * below + above * above;
            }
            return squares * reciprocal;
        });
    }
    [[nodiscard]] double impurity(const double* sums) const {
        if (sums[kWeight] <= 0.0) return 0.0;
        const double n_cuts = over_outputs(sums, [](const double* begin, const double* end) {
            return static_cast<double>(end - begin - 1);
        });
        return std::max(0.0, n_cuts - purity(sums) / sums[kWeight]);
    }
};
static_assert(Criterion<OrdinalGini>);

}  // namespace treewright::criteria
