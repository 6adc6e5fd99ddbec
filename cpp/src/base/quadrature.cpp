#include "treewright/base/quadrature.hpp"

#include <cmath>
#include <numbers>

namespace treewright {

/// Roots of Legendre's polynomial by Newton's method from the usual estimates (Abramowitz and
/// Stegun 22.16.6), its values by the three-term recurrence (22.7.10), the weights by 25.4.29.
Quadrature gauss_legendre(std::size_t n) {
    Quadrature rule;
    const double degree = static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
        double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (degree + 0.5));
        double slope = 1.0;
        for (int step = 0; step < 100; ++step) {
            double before = 1.0;
            double value = x;
            for (std::size_t k = 2; k <= n; ++k) {
                const double order = static_cast<double>(k);
                const double next =
                    ((2.0 * order - 1.0) * x * value - (order - 1.0) * before) / order;
                before = value;
                value = next;
            }
            slope = degree * (x * value - before) / (x * x - 1.0);
            const double change = value / slope;
            x -= change;
            if (std::abs(change) < 1e-15) break;
        }
        rule.at.push_back(0.5 + 0.5 * x);
        rule.weight.push_back(1.0 / ((1.0 - x * x) * slope * slope));
    }
    return rule;
}

}  // namespace treewright
