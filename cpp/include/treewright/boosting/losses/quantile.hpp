#pragma once

#include "treewright/boosting/losses/concept.hpp"

namespace treewright::boosting {

/// Pinball loss of the `level` quantile (Koenker and Bassett 1978).
struct Quantile {
    static constexpr std::string_view name = "quantile";
    static constexpr LossTraits traits{.has_same_hessian = true, .answers_by_residuals = true};
    double level = 0.5;

    [[nodiscard]] DerivativeRange range() const { return {1.0, 1.0}; }
    [[nodiscard]] Derivatives derivatives(double score, double y) const {
        return {score >= y ? 1.0 - level : -level, 1.0};
    }
    [[nodiscard]] double residual_level() const { return level; }
};
static_assert(Loss<Quantile>);

}  // namespace treewright::boosting
