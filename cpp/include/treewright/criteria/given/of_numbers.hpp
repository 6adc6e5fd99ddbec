#pragma once

#include <array>
#include <span>

#include "treewright/criteria/concept.hpp"

namespace treewright::criteria {

/// An impurity that the user gives as a function of weight, sum and sum of squares of the target
/// (data::Target::impurity), in the target's own units; the gain is its decrease, branches weighted
/// by their share. Two branches are one call.
struct GivenOfNumbers : SquareSums, Additive<GivenOfNumbers> {
    static constexpr Traits traits{.name = "given_of_numbers",
                                   .task = Task::numbers,
                                   .impurity = "impurity",
                                   .is_bounded = false,
                                   .is_offered = false};
    explicit GivenOfNumbers(const data::Target& target)
        : SquareSums(target), function(target.impurity), origin(target.n_outputs, 0.0) {}

    /// Says what the whole numbers of a node's rows stand for: value = offset + number / scale.
    void lay(std::span<const double> offset, double scale) {
        if (!offset.empty()) origin.assign(offset.begin(), offset.end());
        unit = scale > 0.0 ? 1.0 / scale : 1.0;
    }

    [[nodiscard]] double purity(const double* sums) const { return purities<1>({sums}); }
    [[nodiscard]] double pair(const double* left, const double* right) const {
        return purities<2>({left, right});
    }
    [[nodiscard]] double impurity(const double*) const { return 0.0; }  // see grow/summary.hpp

private:
    template <std::size_t N>
    [[nodiscard]] double purities(const std::array<const double*, N>& branches) const {
        double total = 0.0;
        for (std::size_t output = 0; output < n_outputs; ++output) {
            std::array<Moments, N> moments{};
            std::array<const double*, N> lines{};
            for (std::size_t b = 0; b < N; ++b) {
                moments[b] = moments_of(branches[b], output);
                lines[b] = moments[b].data();
            }
            std::array<double, N> found{};
            function(lines, moments[0].size(), found);
            for (std::size_t b = 0; b < N; ++b)
                if (branches[b][kWeight] > 0.0) total -= branches[b][kWeight] * found[b];
        }
        return total / static_cast<double>(n_outputs);
    }

    using Moments = std::array<double, 3>;
    /// Weight, sum and sum of squares about 0, from the mean and the spread about it.
    [[nodiscard]] Moments moments_of(const double* sums, std::size_t output) const {
        const double weight = sums[kWeight];
        if (!(weight > 0.0)) return {};
        const double mean =
            origin[output] + unit * (centre[output] + sum_of(sums, output) / weight);
        return {weight, weight * mean,
                weight * mean * mean + unit * unit * spread(sums, output) / weight};
    }

    data::Impurity function;
    std::vector<double> origin;
    double unit = 1.0;
};
static_assert(Criterion<GivenOfNumbers>);

}  // namespace treewright::criteria
