#include "treewright/base/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace treewright {
namespace {

constexpr int kMostSweeps = 60;  // converges quadratically: ten are usual

/// Turns rows and columns p and q of the matrix so that its entry (p, q) becomes 0.
void rotate(std::vector<double>& a, std::vector<double>& v, std::size_t n, std::size_t p,
            std::size_t q) {
    const double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * a[p * n + q]);
    const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
    const double c = 1.0 / std::hypot(t, 1.0);
    const double s = t * c;
    for (std::size_t k = 0; k < n; ++k) {
        const double kp = a[k * n + p];
        const double kq = a[k * n + q];
        a[k * n + p] = c * kp - s * kq;
        a[k * n + q] = s * kp + c * kq;
    }
    for (std::size_t k = 0; k < n; ++k) {
        const double pk = a[p * n + k];
        const double qk = a[q * n + k];
        a[p * n + k] = c * pk - s * qk;
        a[q * n + k] = s * pk + c * qk;
        const double vp = v[p * n + k];
        const double vq = v[q * n + k];
        v[p * n + k] = c * vp - s * vq;
        v[q * n + k] = s * vp + c * vq;
    }
}

}  // namespace

Eigen eigen_of(std::vector<double> matrix, std::size_t n, Progress& progress) {
    std::vector<double> vectors(n * n, 0.0);  // row i is the i-th eigenvector
    for (std::size_t i = 0; i < n; ++i) vectors[i * n + i] = 1.0;
    double size = 0.0;
    for (const double entry : matrix) size = std::max(size, std::abs(entry));
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        bool any = false;
        for (std::size_t p = 0; p + 1 < n; ++p) {
            progress.check(true);
            for (std::size_t q = p + 1; q < n; ++q) {
                if (std::abs(matrix[p * n + q]) <= 1e-15 * size) continue;
                any = true;
                rotate(matrix, vectors, n, p, q);
            }
        }
        if (!any) break;
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return matrix[a * n + a] > matrix[b * n + b];
    });
    Eigen found;
    for (const std::size_t i : order) {
        found.value.push_back(matrix[i * n + i]);
        const auto begin = vectors.begin() + static_cast<std::ptrdiff_t>(i * n);
        found.vector.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(n));
    }
    return found;
}

}  // namespace treewright
