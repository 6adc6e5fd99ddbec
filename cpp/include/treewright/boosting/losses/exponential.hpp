#pragma once

#include "treewright/base/exp.hpp"
#include "treewright/boosting/losses/concept.hpp"

namespace treewright::boosting {

/// exp(-F) for class 1, exp(F) for class 0: AdaBoost's.
struct Exponential {
    static constexpr std::string_view name = "exponential";
    static constexpr LossTraits traits{};

    [[nodiscard]] DerivativeRange range() const { return {}; }
    [[nodiscard]] Derivatives derivatives(double score, double y) const {
        const double sign = y > 0.5 ? 1.0 : -1.0;
        const double off = exp_of(-sign * score);
        return {-sign * off, off};
    }
};
static_assert(Loss<Exponential>);

}  // namespace treewright::boosting
