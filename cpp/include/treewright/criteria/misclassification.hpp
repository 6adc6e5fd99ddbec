#pragma once

#include "treewright/criteria/concept.hpp"

namespace treewright::criteria {

/// Share of the rows outside the largest class, 1 - max_k p_k (Breiman et al. 1984, section 4.1).
struct Misclassification : ClassSums, Additive<Misclassification> {
    static constexpr Traits traits{
        .name = "misclassification", .impurity = "misclassification", .judges_stumps = true};
    using ClassSums::ClassSums;

    [[nodiscard]] double purity(const double* sums) const {
        return over_outputs(sums, [](const double* begin, const double* end) {
            return begin == end ? 0.0 : *std::max_element(begin, end);
        });
    }
    [[nodiscard]] double impurity(const double* sums) const {
        return sums[kWeight] <= 0.0 ? 0.0 : std::max(0.0, 1.0 - purity(sums) / sums[kWeight]);
    }
};
static_assert(Criterion<Misclassification>);

}  // namespace treewright::criteria
