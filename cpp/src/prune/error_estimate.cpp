#include "treewright/prune/error_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace treewright::prune {

namespace {

/// Sums of parts of rows that are this close to a bound may be on either side of it when they are
/// added up in another order.
constexpr double kRounding = 1e-9;

/// Costs this close, relatively, are equal, as tree/leaf.py has it.
constexpr double kEqualCosts = 1e-12;

}  // namespace

double AddedErrors::none(double n) const {
    return -n * std::expm1(log_confidence / n);
}

double AddedErrors::from_one(double n, double errors) const {
    const double corrected = errors + 0.5;
    if (corrected >= n) return share_above * std::max(n - errors, least_right);
    const double inner =
        deviate_squared * (corrected * (1.0 - corrected / n) + deviate_squared / 4.0);
    const double rate = (corrected + deviate_squared / 2.0 + std::sqrt(std::max(inner, 0.0))) /
                        (n + deviate_squared);
    return n * rate - errors;
}

double AddedErrors::operator()(double n, double e) const {
    if (nothing || n <= 0.0) return 0.0;
    const bool is_none = e < no_error || e <= 0.0;
    const bool is_part = e < one_error && n > interpolate_above;
    if (!is_none && !is_part) return from_one(n, e);
    const double base = none(n);
    return is_none ? base : base + e * (from_one(n, 1.0) - base);
}

// With e errors and r = n - e rows that are right, new rows raise e or r. Three facts make a bound:
// the limit without errors, none(n), rises with n; Wilson's limit (e >= 1, r > 1/2) rises with e
// and with r; and e + share_above r, where r <= 1/2, rises with both and lies below Wilson's.
// Between no error and one the estimate lies between two of these.
double AddedErrors::at_least(double n, double e) const {
    if (nothing || n <= 0.0) return e;
    if (e >= 1.0) {
        const double right = n - e;
        if (right > 0.5 + kRounding) return e + from_one(n, e);
        return e + share_above * std::max(std::min(right, 0.5), least_right);
    }
    if (n <= interpolate_above + kRounding) return e;
    return std::min(none(n), one_error + from_one(n, one_error));
}

LeafJudge::LeafJudge(const AddedErrors& added, const LeafPrices& prices, std::size_t n_classes)
    : added(added), prices(prices), n_classes(n_classes), surely(n_classes, 1.0) {
    if (prices.cost.empty()) return;
    for (std::size_t decided = 0; decided < n_classes; ++decided) {
        surely[decided] = prices.price[decided];
        for (std::size_t k = 0; k < n_classes; ++k)
            if (k != decided)
                surely[decided] = std::min(surely[decided], prices.cost[k * n_classes + decided]);
    }
}

double LeafJudge::expected(const double* weights, std::size_t decided) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < n_classes; ++k)
        sum += weights[k] * prices.cost[k * n_classes + decided];
    return sum;
}

std::size_t LeafJudge::decide(const double* weights) const {
    if (prices.cost.empty() && prices.added.empty())
        return static_cast<std::size_t>(std::max_element(weights, weights + n_classes) - weights);
    const auto at = [&](std::size_t k) {
        return weights[k] + (prices.added.empty() ? 0.0 : prices.added[k]);
    };
    // The cost of deciding on a class; without a cost matrix, minus its own weight is equivalent.
    const auto price_of = [&](std::size_t decided) {
        if (prices.cost.empty()) return -at(decided);
        double sum = 0.0;
        for (std::size_t k = 0; k < n_classes; ++k)
            sum += at(k) * prices.cost[k * n_classes + decided];
        return sum;
    };
    std::size_t best = 0;
    double least = price_of(0);
    for (std::size_t k = 1; k < n_classes; ++k) least = std::min(least, price_of(k));
    while (price_of(best) > least + kEqualCosts * std::abs(least)) ++best;
    return best;
}

double LeafJudge::cost(const double* weights, std::size_t decided) const {
    if (!prices.cost.empty()) return expected(weights, decided);
    double total = 0.0;
    for (std::size_t k = 0; k < n_classes; ++k) total += weights[k];
    return std::max(total - weights[decided], 0.0);
}

Estimate LeafJudge::estimate(const double* weights) const {
    double total = 0.0;
    for (std::size_t k = 0; k < n_classes; ++k) total += weights[k];
    const std::size_t decided = decide(weights);
    const double wrong = std::max(total - weights[decided], 0.0);
    const double more = added(total, wrong);
    if (prices.cost.empty()) return {wrong + more, {1.0, wrong}};
    const double counted = expected(weights, decided);
    return {counted + prices.price[decided] * std::max(more, 0.0), {1.0, counted}};
}

double LeafJudge::at_least(const double* weights) const {
    double total = 0.0;
    double most = 0.0;
    for (std::size_t k = 0; k < n_classes; ++k) {
        total += weights[k];
        most = std::max(most, weights[k]);
    }
    if (prices.cost.empty() && prices.added.empty())
        return added.at_least(total, std::max(total - most, 0.0));
    // The decision may change as rows come: the least over all of them. Where errors cost more than
    // `surely` each, the excess only rises with the rows; up to there errors are counted.
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < n_classes; ++k) {
        const double wrong = std::max(total - weights[k], 0.0);
        const double counted = prices.cost.empty() ? wrong : expected(weights, k);
        least = std::min(least, counted + surely[k] * (added.at_least(total, wrong) - wrong));
    }
    return least;
}

}  // namespace treewright::prune
