/// The first and second derivatives of losses by the score F of a row. `y` is the target as a
/// number (classes: their index). Sources: Friedman, Annals of Statistics 29 (2001), for all but
/// gamma and Tweedie deviance (Jorgensen 1997) and the pinball loss (Koenker and Bassett 1978).
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "treewright/base/exp.hpp"

namespace treewright::boosting {

struct Slope {
    double gradient;
    double hessian;
};

/// The largest gradient, by size, and hessian that there can be; 0: not known beforehand.
struct SlopeRange {
    double gradient = 0.0;
    double hessian = 0.0;
};

/// (F - y)^2 / 2
struct SquaredLoss {
    static constexpr bool kSameHessian = true;
    [[nodiscard]] SlopeRange range() const { return {}; }
    [[nodiscard]] Slope slope(double score, double y) const { return {score - y, 1.0}; }
};

/// |F - y|; leaves answer the median of what is left to explain.
struct AbsoluteLoss {
    static constexpr bool kSameHessian = true;
    [[nodiscard]] SlopeRange range() const { return {1.0, 1.0}; }
    [[nodiscard]] Slope slope(double score, double y) const {
        return {static_cast<double>((score > y) - (score < y)), 1.0};
    }
};

/// Pinball loss of the `level` quantile.
struct QuantileLoss {
    double level = 0.5;
    static constexpr bool kSameHessian = true;
    [[nodiscard]] SlopeRange range() const { return {1.0, 1.0}; }
    [[nodiscard]] Slope slope(double score, double y) const {
        return {score >= y ? 1.0 - level : -level, 1.0};
    }
};

/// Squares up to `delta`, straight lines beyond.
struct HuberLoss {
    double delta = 1.0;
    static constexpr bool kSameHessian = true;
    [[nodiscard]] SlopeRange range() const { return {delta, 1.0}; }
    [[nodiscard]] Slope slope(double score, double y) const {
        const double r = score - y;
        return {r > delta ? delta : (r < -delta ? -delta : r), 1.0};
    }
};

/// exp(F) - y F: half the Poisson deviance but for what depends on y alone; exp(F) is the expected
/// count.
struct PoissonLoss {
    static constexpr bool kSameHessian = false;
    [[nodiscard]] SlopeRange range() const { return {}; }
    [[nodiscard]] Slope slope(double score, double y) const {
        const double mean = exp_of(score);
        return {mean - y, mean};
    }
};

/// F + y exp(-F): half the gamma deviance but for what depends on y alone.
struct GammaLoss {
    static constexpr bool kSameHessian = false;
    [[nodiscard]] SlopeRange range() const { return {}; }
    [[nodiscard]] Slope slope(double score, double y) const {
        const double ratio = y * exp_of(-score);
        return {1.0 - ratio, ratio};
    }
};

/// exp((2 - p) F) / (2 - p) - y exp((1 - p) F) / (1 - p): half the Tweedie deviance of variance
/// power 1 < p < 2 but for what depends on y alone.
struct TweedieLoss {
    double power = 1.5;
    static constexpr bool kSameHessian = false;
    [[nodiscard]] SlopeRange range() const { return {}; }
    [[nodiscard]] Slope slope(double score, double y) const {
        const double a = y * exp_of((1.0 - power) * score);
        const double b = exp_of((2.0 - power) * score);
        return {b - a, (2.0 - power) * b - (1.0 - power) * a};
    }
};

/// -log of the probability 1 / (1 + exp(-F)) of class 1, or of the rest for class 0.
struct LogisticLoss {
    static constexpr bool kSameHessian = false;
    [[nodiscard]] SlopeRange range() const { return {1.0, 0.25}; }
    [[nodiscard]] Slope slope(double score, double y) const {
        const double p = 1.0 / (1.0 + exp_of(-score));
        return {p - y, p * (1.0 - p)};
    }
};

/// exp(-F) for class 1, exp(F) for class 0: AdaBoost's.
struct ExponentialLoss {
    static constexpr bool kSameHessian = false;
    [[nodiscard]] SlopeRange range() const { return {}; }
    [[nodiscard]] Slope slope(double score, double y) const {
        const double sign = y > 0.5 ? 1.0 : -1.0;
        const double off = exp_of(-sign * score);
        return {-sign * off, off};
    }
};

enum class LossKind : std::uint8_t {
    squared,
    absolute,
    quantile,
    huber,
    poisson,
    gamma,
    tweedie,
    logistic,
    exponential,
    multinomial,
    given  ///< gradients and hessians come from outside
};

/// Calls work with the loss of a kind; multinomial and given ones are not of this form.
template <class Work>
auto with_loss(LossKind kind, double parameter, Work&& work) {
    switch (kind) {
        case LossKind::absolute: return work(AbsoluteLoss{});
        case LossKind::quantile: return work(QuantileLoss{parameter});
        case LossKind::huber: return work(HuberLoss{parameter});
        case LossKind::poisson: return work(PoissonLoss{});
        case LossKind::gamma: return work(GammaLoss{});
        case LossKind::tweedie: return work(TweedieLoss{parameter});
        case LossKind::logistic: return work(LogisticLoss{});
        case LossKind::exponential: return work(ExponentialLoss{});
        default: return work(SquaredLoss{});
    }
}

[[nodiscard]] LossKind loss_kind_of(std::string_view name);

}  // namespace treewright::boosting
