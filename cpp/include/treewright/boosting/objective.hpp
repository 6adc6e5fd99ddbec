/// What boosting makes small: a loss of the registry, row by row, or one of the two that are not of
/// this form.
#pragma once

#include <cstdint>
#include <string_view>

#include "treewright/boosting/losses/registry.hpp"

namespace treewright::boosting {

/// Where gradients and hessians come from.
enum class GradientSource : std::uint8_t {
    loss,         ///< each row's score and target
    multinomial,  ///< log loss of three or more classes: all scores of a row together
    given         ///< from outside: a function of the user's
};

struct Objective {
    GradientSource source = GradientSource::loss;
    AnyLoss loss;  ///< LogLoss where multinomial; where given it means nothing

    /// Traits and range of what is made small; nothing is known of what is given.
    [[nodiscard]] LossTraits traits() const;
    [[nodiscard]] DerivativeRange range() const;
};

/// The objective of a name: a loss's, "multinomial" or "given".
[[nodiscard]] Objective objective_named(std::string_view name, double parameter);

}  // namespace treewright::boosting
