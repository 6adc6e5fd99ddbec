#pragma once

#include <algorithm>

#include "treewright/boosting/losses/concept.hpp"

namespace treewright::boosting {

/// Squares up to `delta`, straight lines beyond; delta is a quantile of the distances, and leaves
/// answer from residuals (Friedman, Annals of Statistics 29, 2001, algorithm 4).
struct Huber {
    static constexpr std::string_view name = "huber";
    static constexpr LossTraits traits{
        .has_same_hessian = true, .answers_by_residuals = true, .delta_is_quantile = true};
    double level = 0.9;
    double delta = 1.0;

    [[nodiscard]] DerivativeRange range() const { return {delta, 1.0}; }
    [[nodiscard]] Derivatives derivatives(double score, double y) const {
        const double r = score - y;
        return {r > delta ? delta : (r < -delta ? -delta : r), 1.0};
    }
    [[nodiscard]] double residual_level() const { return 0.5; }
    [[nodiscard]] double limited(double off) const { return std::clamp(off, -delta, delta); }
};
static_assert(Loss<Huber>);

}  // namespace treewright::boosting
