/// What boosting makes small: a loss of the registry, row by row, or one of the two that are not of
/// this form.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "treewright/base/parallel.hpp"
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

/// Rows that thresholds between ordered classes are learned from.
struct ThresholdRows {
    std::span<const double> y;  ///< classes, by index
    std::span<const double> scores;
    std::span<const double> weight;  ///< empty: 1 each
};

/// Takes a Newton step of the thresholds, which stay in order: `bounds` are -inf, the thresholds,
/// inf. Returns the largest move. The sums do not depend on the order of the rows or on threads.
/// Scores and thresholds may be shifted together; with `keeps_mean` that is left to the scores, so
/// that two classes are boosted as by log loss.
double move_thresholds(std::span<double> bounds, const ThresholdRows& rows, bool keeps_mean,
                       Team& team);

/// The objective of a name: a loss's, "multinomial" or "given".
[[nodiscard]] Objective objective_named(std::string_view name, double parameter);

}  // namespace treewright::boosting
