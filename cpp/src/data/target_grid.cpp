#include "treewright/data/target_grid.hpp"

#include <algorithm>
#include <cmath>

namespace treewright::data {
namespace {

/// Weights that differ by more than this cannot all be whole multiples of the smallest and leave
/// room for the target: their sums are then rounded like any others.
constexpr double kMostUnits = 0x1p26;

/// The largest power of two that divides a number.
double power_of_two_in(double weight) {
    int exponent = 0;
    double mantissa = std::frexp(weight, &exponent);
    for (int bits = 1; bits <= 53; ++bits) {
        mantissa *= 2.0;
        --exponent;
        if (mantissa == std::floor(mantissa)) return std::ldexp(1.0, exponent);
        mantissa -= std::floor(mantissa);
    }
    return std::ldexp(1.0, exponent);
}

}  // namespace

double grid_offset(double lowest, double highest) {
    const double half_range = highest / 2.0 - lowest / 2.0;
    const double unit = half_range > 0.0 ? std::ldexp(1.0, std::ilogb(half_range) - 8) : 0.0;
    return unit > 0.0 ? std::nearbyint((lowest / 2.0 + highest / 2.0) / unit) * unit : lowest;
}

double grid_scale(double farthest, double units) {
    if (!(farthest > 0.0)) return 1.0;
    const int room = 50 - std::ilogb(units);
    return std::ldexp(1.0, std::clamp(room - std::ilogb(farthest) - 1, -1000, 1000));
}

Gridding::Gridding(const Dataset& data, bool keep_zero) : data(data), keep_zero(keep_zero) {
    if (data.weight.empty()) return;
    double unit = std::numeric_limits<double>::infinity();
    double largest = 0.0;
    double total = 0.0;
    for (const double weight : data.weight) {
        if (!(weight > 0.0)) continue;
        // Most weights are multiples of the current unit, which is quick to check.
        if (weight < unit || weight / unit != std::floor(weight / unit))
            unit = std::min(unit, power_of_two_in(weight));
        largest = std::max(largest, weight);
        total += weight;
    }
    const double coarse = std::ldexp(1.0, std::ilogb(largest));
    smallest_weight = total / unit <= kMostUnits ? unit : coarse;
}

bool Gridding::refine(Block& block, std::span<const std::uint32_t> rows, Grid& grid) const {
    const std::size_t n_outputs = data.target.n_outputs;
    double units = static_cast<double>(rows.size());
    if (!block.weight.empty()) {
        units = 0.0;
        for (const std::uint32_t row : rows) units += block.weight[row];
        units = std::max(units / smallest_weight, 1.0);
    }
    const auto offset_of = [&](std::size_t output, double& reach) {
        double lowest = std::numeric_limits<double>::infinity();
        double highest = -lowest;
        for (const std::uint32_t row : rows) {
            const double value = block.raw[row * n_outputs + output];
            lowest = std::min(lowest, value);
            highest = std::max(highest, value);
        }
        const double offset = keep_zero ? 0.0 : grid_offset(lowest, highest);
        reach = std::max(std::abs(highest - offset), std::abs(lowest - offset));
        return offset;
    };
    double farthest = 0.0;
    for (std::size_t output = 0; output < n_outputs; ++output) {
        double reach = 0.0;
        offset_of(output, reach);
        farthest = std::max(farthest, reach);
    }
    const double scale = grid_scale(farthest, units);
    if (scale < 16.0 * grid.scale) return false;
    grid.scale = scale;
    grid.offset.resize(n_outputs);
    for (std::size_t output = 0; output < n_outputs; ++output) {
        double reach = 0.0;
        grid.offset[output] = offset_of(output, reach);
        for (const std::uint32_t row : rows) {
            const std::size_t at = row * n_outputs + output;
            block.values[at] = std::nearbyint((block.raw[at] - grid.offset[output]) * scale);
        }
    }
    return true;
}

}  // namespace treewright::data
