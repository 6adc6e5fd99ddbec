#include <algorithm>
#include <cmath>

#include "treewright/prune/error_based.hpp"

namespace treewright {

double AddedErrors::operator()(double n, double e) const {
    if (nothing || n <= 0.0) return 0.0;
    const auto from_one = [&](double errors) {
        const double corrected = errors + 0.5;
        if (corrected >= n) return share_above * std::max(n - errors, least_right);
        const double inner =
            deviate_squared * (corrected * (1.0 - corrected / n) + deviate_squared / 4.0);
        const double rate = (corrected + deviate_squared / 2.0 + std::sqrt(std::max(inner, 0.0))) /
                            (n + deviate_squared);
        return n * rate - errors;
    };
    const bool none = e < no_error || e <= 0.0;
    const bool part = e < one_error && n > interpolate_above;
    if (!none && !part) return from_one(e);
    const double base = -n * std::expm1(log_confidence / n);
    return none ? base : base + e * (from_one(1.0) - base);
}

}  // namespace treewright
