#pragma once

#include "treewright/base/exp.hpp"
#include "treewright/boosting/losses/concept.hpp"

namespace treewright::boosting {

/// exp(F) - y F: half the Poisson deviance but for what depends on y alone; exp(F) is the expected
/// count.
struct Poisson {
    static constexpr std::string_view name = "poisson";
    static constexpr LossTraits traits{};

    [[nodiscard]] DerivativeRange range() const { return {}; }
    [[nodiscard]] Derivatives derivatives(double score, double y) const {
        const double mean = exp_of(score);
        return {mean - y, mean};
    }
};
static_assert(Loss<Poisson>);

}  // namespace treewright::boosting
