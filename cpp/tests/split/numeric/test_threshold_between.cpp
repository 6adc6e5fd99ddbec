#include <cmath>
#include <cstdint>
#include <limits>

#include "check.hpp"
#include "treewright/split/numeric/threshold_between.hpp"

using namespace treewright;
using namespace treewright::split;

CASE(thresholds_separate_and_are_finite) {
    constexpr double kMost = std::numeric_limits<double>::max();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto separates = [](double below, double above) {
        const double t = threshold_between(below, above, ThresholdAt::midpoint);
        return std::isfinite(t) && below <= t && t < above;
    };
    CHECK(separates(-kMost, kMost));
    CHECK(separates(1.0, std::nextafter(1.0, 2.0)));
    CHECK(separates(0.0, std::numeric_limits<double>::denorm_min()));
    CHECK(separates(-kInfinity, 3.0));
    CHECK(separates(3.0, kInfinity));
    CHECK(separates(-kInfinity, kInfinity));
    CHECK(threshold_between(1.0, 4.0, ThresholdAt::midpoint) == 2.5);
    CHECK(threshold_between(1.0, 4.0, ThresholdAt::observed) == 1.0);
    constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
    CHECK(threshold_between(kLow, kHigh, ThresholdAt::midpoint) == -1);
    CHECK(threshold_between(kHigh - 1, kHigh, ThresholdAt::midpoint) == kHigh - 1);
}

CASE(rpart_asks_for_less_than_the_midpoint) {
    constexpr ThresholdAt kBefore = ThresholdAt::before_midpoint;
    CHECK(threshold_between(1.0, 4.0, kBefore) == std::nextafter(2.5, 0.0));
    CHECK(threshold_between(-4.0, -1.0, kBefore) == std::nextafter(-2.5, -4.0));
    CHECK(threshold_between(1.0, std::nextafter(1.0, 2.0), kBefore) == 1.0);
    CHECK(threshold_between(std::int64_t{3}, std::int64_t{5}, kBefore) == 3);
    CHECK(threshold_between(std::int64_t{3}, std::int64_t{6}, kBefore) == 4);
    CHECK(threshold_between(std::int64_t{3}, std::int64_t{4}, kBefore) == 3);
}
