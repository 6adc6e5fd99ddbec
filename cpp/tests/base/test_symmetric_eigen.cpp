#include <algorithm>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/base/symmetric_eigen.hpp"

using namespace treewright;

CASE(eigenvectors_are_what_the_matrix_stretches) {
    Generator random(5);
    for (const std::size_t n : {1, 2, 3, 8, 25}) {
        std::vector<double> matrix(n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j)
                matrix[i * n + j] = matrix[j * n + i] = random.uniform() - 0.5;
        const Eigen eigen = eigen_of(matrix, n, unstopped);
        CHECK(eigen.value.size() == n);
        CHECK(std::is_sorted(eigen.value.rbegin(), eigen.value.rend()));
        for (std::size_t e = 0; e < n; ++e) {
            double length = 0.0;
            for (std::size_t i = 0; i < n; ++i) {
                double product = 0.0;
                for (std::size_t j = 0; j < n; ++j)
                    product += matrix[i * n + j] * eigen.vector[e][j];
                CHECK_NEAR(product, eigen.value[e] * eigen.vector[e][i], 1e-12);
                length += eigen.vector[e][i] * eigen.vector[e][i];
            }
            CHECK_NEAR(length, 1.0, 1e-12);
        }
    }
}
