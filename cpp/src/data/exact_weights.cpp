#include "treewright/data/exact_weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace treewright::data {
namespace {

constexpr int kBits = 52;

}  // namespace

bool are_whole(std::span<const double> weights) {
    constexpr double kMost = 0x1p26;
    double total = 0.0;
    for (const double weight : weights) {
        if (weight != std::floor(weight)) return false;
        total += weight;
    }
    return total <= kMost;
}

bool add_exactly(std::span<const double> weights) {
    int last = std::numeric_limits<int>::max();  // place of the last bit of any weight
    double total = 0.0;
    for (const double weight : weights) {
        if (!(weight > 0.0)) continue;
        int exponent = 0;
        const auto mantissa =
            static_cast<std::uint64_t>(std::ldexp(std::frexp(weight, &exponent), kBits + 1));
        last = std::min(last, exponent - kBits - 1 + std::countr_zero(mantissa));
        total += weight;
    }
    return total == 0.0 || std::ilogb(total) - last < kBits;
}

void round_to_add(std::span<double> weights, double total) {
    if (!(total > 0.0)) return;
    // One bit to spare: rounding may take the total to the next power of two.
    const double unit = std::ldexp(1.0, std::ilogb(total) + 2 - kBits);
    for (double& weight : weights)
        if (weight > 0.0) weight = std::max(1.0, std::nearbyint(weight / unit)) * unit;
}

}  // namespace treewright::data
