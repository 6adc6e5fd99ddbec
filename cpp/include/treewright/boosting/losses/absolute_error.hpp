#pragma once

#include "treewright/boosting/losses/concept.hpp"

namespace treewright::boosting {

/// |F - y|; leaves answer the median of what is left to explain (Friedman, Annals of Statistics 29,
/// 2001, algorithm 3).
struct AbsoluteError {
    static constexpr std::string_view name = "absolute_error";
    static constexpr LossTraits traits{.has_same_hessian = true, .answers_by_residuals = true};

    [[nodiscard]] DerivativeRange range() const { return {1.0, 1.0}; }
    [[nodiscard]] Derivatives derivatives(double score, double y) const {
        return {static_cast<double>((score > y) - (score < y)), 1.0};
    }
    [[nodiscard]] double residual_level() const { return 0.5; }
};
static_assert(Loss<AbsoluteError>);

}  // namespace treewright::boosting
