#include "treewright/criteria/sums.hpp"

#include <cmath>
#include <cstring>

#include "treewright/base/simd.hpp"

namespace treewright::criteria {

TREEWRIGHT_SIMD void add_about(double* into, const double* values, const double* centre,
                               double weight, std::size_t n) {
    TREEWRIGHT_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) into[i] += weight * (values[i] - centre[i]);
}

TREEWRIGHT_SIMD void round_means(double* into, const double* sums, double weight, std::size_t n) {
    TREEWRIGHT_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) into[i] = std::nearbyint(sums[i] / weight);
}

TREEWRIGHT_SIMD double sum_of_squares(const double* numbers, std::size_t n) {
    Doubles lanes = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        Doubles next;
        std::memcpy(&next, numbers + i, sizeof next);
        lanes += next * next;
    }
    Doubles last = {};
    for (std::size_t lane = 0; i + lane < n; ++lane) last[lane] = numbers[i + lane];
    return sum_of_lanes(lanes + last * last);
}

}  // namespace treewright::criteria
