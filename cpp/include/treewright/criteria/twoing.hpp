#pragma once

#include "treewright/criteria/gini.hpp"

namespace treewright::criteria {

/// Twoing, pL pR / 4 (sum_k |p(k|L) - p(k|R)|)^2 (Breiman et al. 1984, section 4.3): judges two
/// branches together, so it exists for binary splits only.
struct Twoing : ClassSums {
    static constexpr Traits traits{.name = "twoing", .score = "twoing", .is_binary = true};
    explicit Twoing(const data::Target& target) : ClassSums(target), gini(target) {}

    [[nodiscard]] double purity(const double*) const { return 0.0; }
    [[nodiscard]] double pair(const double* left, const double* right) const {
        const double left_weight = left[kWeight];
        const double right_weight = right[kWeight];
        if (left_weight <= 0.0 || right_weight <= 0.0) return 0.0;
        double mean = 0.0;
        for (std::size_t output = 0; output < n_outputs; ++output) {
            double apart = 0.0;
            for (std::size_t k = start[output]; k < start[output + 1]; ++k)
                apart += std::abs(left[k] / left_weight - right[k] / right_weight);
            mean += apart * apart;
        }
        const double total = left_weight + right_weight;
        return left_weight / total * (right_weight / total) / 4.0 * mean /
               static_cast<double>(n_outputs);
    }
    [[nodiscard]] double scale(const double*) const { return 1.0; }
    /// Twoing belongs to a split; a node is described by its Gini index.
    [[nodiscard]] double impurity(const double* sums) const { return gini.impurity(sums); }

private:
    Gini gini;
};
static_assert(Criterion<Twoing>);

}  // namespace treewright::criteria
