#pragma once

#include "treewright/base/exp.hpp"
#include "treewright/boosting/losses/concept.hpp"

namespace treewright::boosting {

/// F + y exp(-F): half the gamma deviance (Jorgensen 1997) but for what depends on y alone.
struct Gamma {
    static constexpr std::string_view name = "gamma";
    static constexpr LossTraits traits{};

    [[nodiscard]] DerivativeRange range() const { return {}; }
    [[nodiscard]] Derivatives derivatives(double score, double y) const {
        const double ratio = y * exp_of(-score);
        return {1.0 - ratio, ratio};
    }
};
static_assert(Loss<Gamma>);

}  // namespace treewright::boosting
