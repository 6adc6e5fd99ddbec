#include "treewright/data/target_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "treewright/base/simd.hpp"

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

/// A grid that is finer than another by less does not pay.
constexpr double kFiner = 16.0;

/// Half ranges below this are not compared: halving the ends may round them.
constexpr double kTiny = 0x1p-960;

/// The least and the greatest values of up to eight outputs.
struct Ranges {
    std::size_t n = 0;
    double lowest[kLanes];
    double highest[kLanes];
    double widest = 0.0;  ///< half of the widest range
};

/// `values` are those of the first row, `stride` apart from row to row.
TREEWRIGHT_SIMD Ranges ranges_of(const double* values, std::size_t stride, std::size_t n,
                                 std::span<const std::uint32_t> rows) {
    Ranges ranges;
    ranges.n = n;
    if (n == kLanes) {
        Doubles lowest = in_every_lane(std::numeric_limits<double>::infinity());
        Doubles highest = -lowest;
        for (const std::uint32_t row : rows) {
            Doubles next;
            std::memcpy(&next, values + row * stride, sizeof next);
            lowest = next < lowest ? next : lowest;
            highest = next > highest ? next : highest;
        }
        std::memcpy(ranges.lowest, &lowest, sizeof lowest);
        std::memcpy(ranges.highest, &highest, sizeof highest);
    } else {
        std::fill_n(ranges.lowest, n, std::numeric_limits<double>::infinity());
        std::fill_n(ranges.highest, n, -std::numeric_limits<double>::infinity());
        for (const std::uint32_t row : rows)
            for (std::size_t k = 0; k < n; ++k) {
                ranges.lowest[k] = std::min(ranges.lowest[k], values[row * stride + k]);
                ranges.highest[k] = std::max(ranges.highest[k], values[row * stride + k]);
            }
    }
    for (std::size_t k = 0; k < n; ++k)
        ranges.widest = std::max(ranges.widest, ranges.highest[k] / 2.0 - ranges.lowest[k] / 2.0);
    return ranges;
}

/// Whether values that are so far apart keep their parent's grid whatever their offset, which is
/// not nearer to both ends than half their range: most nodes do, and the first outputs say so.
bool is_too_wide(double half_range, double units, double scale) {
    return half_range > kTiny && grid_scale(half_range, units) < kFiner * scale;
}

TREEWRIGHT_SIMD void put_on_grid(Block& block, std::span<const std::uint32_t> rows,
                                 const Grid& grid) {
    const std::size_t n = grid.offset.size();
    const double* offset = grid.offset.data();
    const double scale = grid.scale;
    for (const std::uint32_t row : rows) {
        const double* raw = block.raw.data() + row * n;
        double* values = block.values.data() + row * n;
        TREEWRIGHT_INDEPENDENT
        for (std::size_t o = 0; o < n; ++o)
            values[o] = std::nearbyint((raw[o] - offset[o]) * scale);
    }
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

bool is_too_coarse(std::span<const double> values) {
    constexpr std::size_t kBins = 1024;
    constexpr double kFewSteps = 0x1p12;  // for the middle half
    if (values.empty()) return false;
    const auto [lowest, highest] = std::ranges::minmax(values);
    const double half_range = highest / 2.0 - lowest / 2.0;
    if (!(half_range > kTiny)) return false;
    // Usually no bin of a thousand has half of the values, which settles it without more ado.
    std::vector<std::size_t> n_in(kBins + 1, 0);
    for (const double value : values)
        ++n_in[static_cast<std::size_t>((value / 2.0 - lowest / 2.0) / half_range * kBins)];
    std::size_t most = 0;
    for (std::size_t bin = 0; bin < kBins; ++bin) most = std::max(most, n_in[bin] + n_in[bin + 1]);
    if (2 * most < values.size()) return false;
    std::vector<double> sorted(values.begin(), values.end());
    const auto quantile = [&](std::size_t quarter) {
        const auto at =
            sorted.begin() + static_cast<std::ptrdiff_t>(quarter * (sorted.size() - 1) / 4);
        std::ranges::nth_element(sorted, at);
        return *at;
    };
    const double spread = quantile(3) - quantile(1);
    const double offset = grid_offset(lowest, highest);
    const double scale =
        grid_scale(std::max(highest - offset, offset - lowest), static_cast<double>(values.size()));
    return spread > 0.0 && spread * scale < kFewSteps;
}

std::optional<FinerGrid> finer_grid(double lowest, double highest, double units, double scale) {
    if (is_too_wide(highest / 2.0 - lowest / 2.0, units, scale)) return std::nullopt;
    FinerGrid made;
    made.offset = grid_offset(lowest, highest);
    made.scale = grid_scale(
        std::max(std::abs(highest - made.offset), std::abs(lowest - made.offset)), units);
    if (made.scale < kFiner * scale) return std::nullopt;
    return made;
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
    const auto offset_of = [&](const Ranges& ranges, std::size_t k) {
        return keep_zero ? 0.0 : grid_offset(ranges.lowest[k], ranges.highest[k]);
    };
    const auto ranges_from = [&](std::size_t first) {
        return ranges_of(block.raw.data() + first, n_outputs, std::min(kLanes, n_outputs - first),
                         rows);
    };
    double farthest = 0.0;
    for (std::size_t first = 0; first < n_outputs; first += kLanes) {
        const Ranges ranges = ranges_from(first);
        if (is_too_wide(ranges.widest, units, grid.scale)) return false;
        for (std::size_t k = 0; k < ranges.n; ++k) {
            const double offset = offset_of(ranges, k);
            farthest = std::max({farthest, std::abs(ranges.highest[k] - offset),
                                 std::abs(ranges.lowest[k] - offset)});
        }
    }
    const double scale = grid_scale(farthest, units);
    if (scale < kFiner * grid.scale) return false;
    grid.scale = scale;
    grid.offset.resize(n_outputs);
    for (std::size_t first = 0; first < n_outputs; first += kLanes) {
        const Ranges ranges = ranges_from(first);
        for (std::size_t k = 0; k < ranges.n; ++k) grid.offset[first + k] = offset_of(ranges, k);
    }
    put_on_grid(block, rows, grid);
    return true;
}

}  // namespace treewright::data
