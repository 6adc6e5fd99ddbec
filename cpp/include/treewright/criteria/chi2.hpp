#pragma once

#include "treewright/criteria/gini.hpp"

namespace treewright::criteria {

/// Pearson's statistic of the table branch x class, sum (observed - expected)^2 / expected.
/// With p_k the share of class k in the node it equals sum_b sum_k c_bk^2 / (n_b p_k) - N, so it
/// adds over branches. Several outputs: the mean of their statistics.
struct ChiSquare : ClassSums {
    static constexpr Traits traits{
        .name = "chi2", .score = "chi2", .is_bounded = false, .sums_over_rows = true};
    explicit ChiSquare(const data::Target& target)
        : ClassSums(target), share(width(), 0.0), gini(target) {}

    void enter(const double* total) {
        for (std::size_t i = kStatistics; i < width(); ++i) share[i] = total[i] / total[kWeight];
    }
    [[nodiscard]] double purity(const double* sums) const {
        if (sums[kWeight] <= 0.0) return 0.0;
        return over_outputs(sums, [&](const double* begin, const double* end) {
            double sum = 0.0;
            for (const double* count = begin; count != end; ++count) {
                const double expected = share[static_cast<std::size_t>(count - sums)];
                if (expected > 0.0) sum += *count * *count / expected;
            }
            return sum / sums[kWeight];
        });
    }
    [[nodiscard]] double pair(const double* left, const double* right) const {
        return purity(left) + purity(right);
    }
    [[nodiscard]] double scale(const double*) const { return 1.0; }
    /// The statistic belongs to a split; a node is described by its Gini index.
    [[nodiscard]] double impurity(const double* sums) const { return gini.impurity(sums); }

private:
    std::vector<double> share;
    Gini gini;
};
static_assert(Criterion<ChiSquare>);

}  // namespace treewright::criteria
