#include "treewright/data/grid.hpp"

#include <algorithm>
#include <cmath>

namespace treewright {

Grid grid_of(const Dataset& data, bool keep_zero) {
    const std::size_t n_outputs = data.target.n_outputs;
    const auto values = data.target.values;
    Grid grid;
    grid.values.resize(values.size());
    double total_weight = 0.0;
    for (std::size_t row = 0; row < data.n_rows; ++row)
        total_weight += data.weight.empty() ? 1.0 : data.weight[row];

    double farthest = 0.0;
    for (std::size_t output = 0; output < n_outputs; ++output) {
        double lowest = values[output];
        double highest = values[output];
        for (std::size_t row = 0; row < data.n_rows; ++row) {
            const double value = values[row * n_outputs + output];
            lowest = std::min(lowest, value);
            highest = std::max(highest, value);
        }
        // The middle is rounded to a coarse power of two, so that whole numbers stay whole.
        const double half_range = highest / 2.0 - lowest / 2.0;
        double offset = 0.0;
        if (!keep_zero && half_range > 0.0) {
            const double unit = std::ldexp(1.0, std::ilogb(half_range) - 8);
            offset = std::nearbyint((lowest / 2.0 + highest / 2.0) / unit) * unit;
        } else if (!keep_zero) {
            offset = lowest;
        }
        const double reach = std::max(std::abs(highest - offset), std::abs(lowest - offset));
        farthest = std::max(farthest, reach);
        grid.offset.push_back(offset);
    }
    if (farthest > 0.0) {
        const int room = 51 - std::ilogb(std::max(total_weight, 1.0)) - 1;
        grid.scale = std::ldexp(1.0, std::clamp(room - std::ilogb(farthest) - 1, -1000, 1000));
    }
    for (std::size_t i = 0; i < values.size(); ++i)
        grid.values[i] = std::nearbyint((values[i] - grid.offset[i % n_outputs]) * grid.scale);
    return grid;
}

}  // namespace treewright
