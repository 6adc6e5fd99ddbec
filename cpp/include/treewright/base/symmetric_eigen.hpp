/// Eigenvectors of a small symmetric matrix.
#pragma once

#include <cstddef>
#include <vector>

#include "treewright/base/progress.hpp"

namespace treewright {

struct Eigen {
    std::vector<double> value;                ///< descending
    std::vector<std::vector<double>> vector;  ///< of length 1, in the order of the values
};

/// By Jacobi's rotations (Golub and Van Loan, Matrix Computations, section 8.5): O(n^3) a sweep,
/// about ten sweeps. `matrix` is n x n, row by row.
[[nodiscard]] Eigen eigen_of(std::vector<double> matrix, std::size_t n, Progress& progress);

}  // namespace treewright
