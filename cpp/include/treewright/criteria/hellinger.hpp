#pragma once

#include "treewright/criteria/gini.hpp"

namespace treewright::criteria {

/// Squared Hellinger distance between the classes' distributions over the branches (Cieslak and
/// Chawla, ECML 2008), summed over pairs of classes. With a_kb the share of class k that falls in
/// branch b and K the classes present, sum_{j<k} (sqrt a_kb - sqrt a_jb)^2
/// = K sum_k a_kb - (sum_k sqrt a_kb)^2; the first part is the same for every split.
struct Hellinger : ClassSums {
    static constexpr Traits traits{.name = "hellinger", .score = "hellinger"};
    explicit Hellinger(const data::Target& target)
        : ClassSums(target), total(width(), 0.0), gini(target) {}

    void enter(const double* sums) { total.assign(sums, sums + width()); }
    [[nodiscard]] double purity(const double* sums) const {
        return over_outputs(sums, [&](const double* begin, const double* end) {
            double roots = 0.0;
            for (const double* count = begin; count != end; ++count) {
                const double all = total[static_cast<std::size_t>(count - sums)];
                // The root would magnify the rounding error that subtraction leaves in an empty
                // count.
                if (all > 0.0 && *count > 1e-12 * all) roots += std::sqrt(*count / all);
            }
            return -roots * roots;
        });
    }
    [[nodiscard]] double pair(const double* left, const double* right) const {
        return purity(left) + purity(right);
    }
    [[nodiscard]] double scale(const double*) const { return 1.0; }
    /// The distance belongs to a split; a node is described by its Gini index.
    [[nodiscard]] double impurity(const double* sums) const { return gini.impurity(sums); }

private:
    std::vector<double> total;
    Gini gini;
};
static_assert(Criterion<Hellinger>);

}  // namespace treewright::criteria
