#pragma once

#include "treewright/base/exp.hpp"
#include "treewright/boosting/losses/concept.hpp"

namespace treewright::boosting {

/// exp((2 - p) F) / (2 - p) - y exp((1 - p) F) / (1 - p): half the Tweedie deviance (Jorgensen
/// 1997) of variance power 1 < p < 2 but for what depends on y alone.
struct Tweedie {
    static constexpr std::string_view name = "tweedie";
    static constexpr LossTraits traits{};
    double power = 1.5;

    [[nodiscard]] DerivativeRange range() const { return {}; }
    [[nodiscard]] Derivatives derivatives(double score, double y) const {
        const double a = y * exp_of((1.0 - power) * score);
        const double b = exp_of((2.0 - power) * score);
        return {b - a, (2.0 - power) * b - (1.0 - power) * a};
    }
};
static_assert(Loss<Tweedie>);

}  // namespace treewright::boosting
