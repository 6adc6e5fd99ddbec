#pragma once

#include <array>

#include "treewright/criteria/concept.hpp"

namespace treewright::criteria {

/// An impurity that the user gives as a function of class weights (data::Target::impurity); the
/// gain is its decrease, branches weighted by their share. Two branches are one call.
struct Given : ClassSums, Additive<Given> {
    static constexpr Traits traits{
        .name = "given", .impurity = "impurity", .is_bounded = false, .is_offered = false};
    explicit Given(const data::Target& target) : ClassSums(target), function(target.impurity) {}

    [[nodiscard]] double purity(const double* sums) const { return purities<1>({sums}); }
    [[nodiscard]] double pair(const double* left, const double* right) const {
        return purities<2>({left, right});
    }
    [[nodiscard]] double impurity(const double* sums) const {
        return sums[kWeight] <= 0.0 ? 0.0 : -purity(sums) / sums[kWeight];
    }

private:
    template <std::size_t N>
    [[nodiscard]] double purities(const std::array<const double*, N>& branches) const {
        double total = 0.0;
        for (std::size_t output = 0; output < n_outputs; ++output) {
            std::array<const double*, N> counts{};
            for (std::size_t b = 0; b < N; ++b) counts[b] = branches[b] + start[output];
            std::array<double, N> found{};
            function(counts, start[output + 1] - start[output], found);
            for (std::size_t b = 0; b < N; ++b)
                if (branches[b][kWeight] > 0.0) total -= branches[b][kWeight] * found[b];
        }
        return total / static_cast<double>(n_outputs);
    }

    data::Impurity function;
};
static_assert(Criterion<Given>);

}  // namespace treewright::criteria
