#pragma once

#include "treewright/base/exp.hpp"
#include "treewright/boosting/losses/concept.hpp"

namespace treewright::boosting {

/// -log of the probability 1 / (1 + exp(-F)) of class 1, or of the rest for class 0. With three or
/// more classes the scores of a row belong together (boosting/block_gradients.cpp); traits and
/// range are these.
struct LogLoss {
    static constexpr std::string_view name = "log_loss";
    static constexpr LossTraits traits{.is_of_odds = true};

    [[nodiscard]] DerivativeRange range() const { return {1.0, 0.25}; }
    [[nodiscard]] Derivatives derivatives(double score, double y) const {
        const double p = 1.0 / (1.0 + exp_of(-score));
        return {p - y, p * (1.0 - p)};
    }
};
static_assert(Loss<LogLoss>);

}  // namespace treewright::boosting
