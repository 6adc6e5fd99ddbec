/// What a loss must offer: its derivatives by the score F of a row, and what boosting may rely on.
/// `y` is the target as a number (classes: their index). What is needed once a fit (where scores
/// start, what they mean, the loss itself, which targets it takes) is in Python's boosting/losses.
#pragma once

#include <concepts>
#include <span>
#include <string_view>

namespace treewright::boosting {

struct Derivatives {
    double gradient;
    double hessian;
};

/// The largest gradient, by size, and hessian that there can be; 0: not known beforehand.
struct DerivativeRange {
    double gradient = 0.0;
    double hessian = 0.0;
};

/// What is true of a loss whatever its parameter; a loss names what is not as usual.
struct LossTraits {
    /// Every row has the hessian 1, which needs no memory.
    bool has_same_hessian = false;
    /// Scores are log odds and gradients p or p - 1, p a probability: the hessian p (1 - p) follows
    /// from the gradient.
    bool is_of_odds = false;
    /// Gradients say too little of how far to go: a leaf answers the quantile `residual_level()` of
    /// what is left to explain of its rows, plus the mean of `limited(residual - quantile)` where
    /// there is such a function.
    bool answers_by_residuals = false;
    /// `delta` becomes the quantile `level` of the distances between targets and scores, anew in
    /// every round.
    bool delta_is_quantile = false;
    /// Classes are ordered, and the thresholds between them learned in every round: `bounds`.
    bool has_thresholds = false;
};

template <class L>
concept AnswersByResiduals = requires(const L& loss) {
    { loss.residual_level() } -> std::same_as<double>;
};

template <class L>
concept HasDelta = requires(L& loss) {
    { loss.level } -> std::same_as<double&>;
    { loss.delta } -> std::same_as<double&>;
};

template <class L>
concept HasThresholds = requires(L& loss) {
    { loss.bounds } -> std::same_as<std::span<const double>&>;
};

/// A loss with a parameter has it as its first member.
template <class L>
concept Loss =
    requires(const L& loss, double score, double y) {
        { L::name } -> std::convertible_to<std::string_view>;
        { L::traits } -> std::same_as<const LossTraits&>;
        { loss.derivatives(score, y) } -> std::same_as<Derivatives>;
        { loss.range() } -> std::same_as<DerivativeRange>;
    } && L::traits.answers_by_residuals == AnswersByResiduals<L> &&
    L::traits.delta_is_quantile == HasDelta<L> && L::traits.has_thresholds == HasThresholds<L>;

}  // namespace treewright::boosting
