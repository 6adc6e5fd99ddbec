/// Integrals as weighted sums.
#pragma once

#include <cstddef>
#include <vector>

namespace treewright {

/// The integral of f over [0, 1] is about the sum of weight[i] f(at[i]).
struct Quadrature {
    std::vector<double> at;
    std::vector<double> weight;
};

/// The rule of Gauss and Legendre with n points, exact for polynomials up to degree 2 n - 1.
[[nodiscard]] Quadrature gauss_legendre(std::size_t n);

}  // namespace treewright
