/// Placement of a threshold between two neighbouring values.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "treewright/split/options.hpp"

namespace treewright::split {

/// A finite threshold t with below <= t < above, halfway if possible. For an infinite neighbour it
/// is a finite number; the largest doubles do not overflow.
inline double threshold_between(double below, double above, ThresholdAt at) {
    constexpr double kMost = std::numeric_limits<double>::max();
    if (std::isinf(below)) {  // -inf: any finite number under `above` separates
        if (std::isinf(above)) return 0.0;
        return above > -kMost ? -kMost : below;
    }
    if (at == ThresholdAt::observed || std::isinf(above)) return below;
    double middle = below / 2.0 + above / 2.0;
    if (at == ThresholdAt::before_midpoint) middle = std::nextafter(middle, below);
    return middle >= below && middle < above ? middle : below;
}

inline std::int64_t threshold_between(std::int64_t below, std::int64_t above, ThresholdAt at) {
    if (at == ThresholdAt::observed) return below;
    const auto gap = static_cast<std::uint64_t>(above) - static_cast<std::uint64_t>(below);
    const std::uint64_t before = at == ThresholdAt::before_midpoint ? 1 : 0;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(below) + (gap - before) / 2);
}

}  // namespace treewright::split
