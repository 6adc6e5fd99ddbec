#pragma once

#include <cstddef>
#include <span>

#include "treewright/base/exp.hpp"
#include "treewright/boosting/losses/concept.hpp"

namespace treewright::boosting {

/// -log of the probability of a row's own class among ordered ones: class k is P(F between its
/// bounds), P(y <= k) = 1 / (1 + exp(F - bounds[k + 1])) (cumulative logits or proportional odds;
/// McCullagh, JRSS B 42, 1980). With a and b the shares below the upper and the lower bound of the
/// class, the derivatives by F are 1 - a - b and a (1 - a) + b (1 - b).
struct Ordinal {
    static constexpr std::string_view name = "ordinal";
    static constexpr LossTraits traits{.has_thresholds = true};
    double n_classes = 2.0;
    std::span<const double> bounds{};  ///< of the classes: -inf, the thresholds, inf

    [[nodiscard]] DerivativeRange range() const { return {1.0, 0.5}; }
    [[nodiscard]] Derivatives derivatives(double score, double y) const {
        const auto own = static_cast<std::size_t>(y);
        const double a = 1.0 / (1.0 + exp_of(score - bounds[own + 1]));
        const double b = 1.0 / (1.0 + exp_of(score - bounds[own]));
        return {1.0 - a - b, a * (1.0 - a) + b * (1.0 - b)};
    }
};
static_assert(Loss<Ordinal>);

}  // namespace treewright::boosting
