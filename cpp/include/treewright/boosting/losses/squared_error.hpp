#pragma once

#include "treewright/boosting/losses/concept.hpp"

namespace treewright::boosting {

/// (F - y)^2 / 2
struct SquaredError {
    static constexpr std::string_view name = "squared_error";
    static constexpr LossTraits traits{.has_same_hessian = true};

    [[nodiscard]] DerivativeRange range() const { return {}; }
    [[nodiscard]] Derivatives derivatives(double score, double y) const { return {score - y, 1.0}; }
};
static_assert(Loss<SquaredError>);

}  // namespace treewright::boosting
