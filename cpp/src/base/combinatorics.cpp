#include "treewright/base/combinatorics.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "treewright/base/distributions.hpp"

namespace treewright {
namespace {

/// sum_i (-1)^i (k - i)^n / (i! (k - i)!), unless its terms cancel (n not much larger than k).
std::optional<double> by_inclusion_and_exclusion(double n, std::size_t k) {
    const auto log_term = [&](std::size_t i) {
        const auto left = static_cast<double>(k - i);
        return n * std::log(left) - log_gamma(static_cast<double>(i) + 1.0) - log_gamma(left + 1.0);
    };
    const double first = log_term(0);
    double sum = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < k; ++i) {
        const double term = std::exp(log_term(i) - first);
        sum += i % 2 == 0 ? term : -term;
        size += term;
        if (!(size < 1e3)) return std::nullopt;
        if (term < 1e-18 * size) break;  // terms only get smaller from here
    }
    if (!(sum > 1e-3 * size)) return std::nullopt;
    return first + std::log(sum);
}

/// S(k + d, k) = k S(k + d - 1, k) + S(k - 1 + d, k - 1), for rising k. Where terms cancel, n is
/// below k (log k + 2) or so, and for k up to 500 the number is within a long double's 1e4932.
double by_recurrence(std::size_t n, std::size_t k) {
    std::vector<long double> of_surplus(n - k + 1, 0.0L);
    of_surplus[0] = 1.0L;
    for (std::size_t groups = 1; groups <= k; ++groups)
        for (std::size_t d = 1; d < of_surplus.size(); ++d)
            of_surplus[d] += static_cast<long double>(groups) * of_surplus[d - 1];
    return static_cast<double>(std::log(of_surplus.back()));
}

}  // namespace

double log_choose(std::size_t n, std::size_t k) {
    if (k > n) return -std::numeric_limits<double>::infinity();
    if (k == 0 || k == n) return 0.0;
    const auto all = static_cast<double>(n);
    const auto some = static_cast<double>(k);
    return log_gamma(all + 1.0) - log_gamma(some + 1.0) - log_gamma(all - some + 1.0);
}

double log_groupings(std::size_t n, std::size_t k) {
    if (k <= 1 || k == n) return 0.0;
    if (const auto sum = by_inclusion_and_exclusion(static_cast<double>(n), k)) return *sum;
    return by_recurrence(n, k);
}

}  // namespace treewright
