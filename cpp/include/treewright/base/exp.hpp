/// The exponential function without a branch or a table, so that compilers vectorise loops of it;
/// the same bits on every processor, as no multiplication is fused with an addition. Relative error
/// below 3e-16 (cpp/tests/boosting/test_booster.cpp).
#pragma once

#include <bit>
#include <cstdint>

namespace treewright {

inline double exp_of(double x) {
    constexpr double kMost = 709.0;    // exp(709) is near the largest double
    constexpr double kLeast = -708.0;  // exp(-708) is near the least normal one
    x = x > kMost ? kMost : x;
    x = x < kLeast ? kLeast : x;
    // x = k ln 2 + r with |r| <= ln(2) / 2; adding kRound leaves k in the low bits.
    constexpr double kRound = 0x1.8p52;
    constexpr double kPerLn2 = 0x1.71547652b82fep+0;
    constexpr double kLn2High = 0x1.62e42fee00000p-1;  // enough zeros that k times it is exact
    constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
    const double shifted = x * kPerLn2 + kRound;
    const double k = shifted - kRound;
    const double r = (x - k * kLn2High) - k * kLn2Low;
    // Taylor series to the 13th power: the rest is below 2^-56.
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r * r + r + 1.0;
    const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
    return p * std::bit_cast<double>(power);
}

}  // namespace treewright
