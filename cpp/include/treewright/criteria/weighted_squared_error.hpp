#pragma once

#include "treewright/criteria/concept.hpp"

namespace treewright {

/// The textbook's weighted squared error (chapter 3, section 3.6): *sums* of squares about the
/// branch means, weighted by n_b / n. It ranks splits differently from the total squared error.
///
/// Squares of grid values have up to 100 bits; they are summed as four digits of 26 bits, each sum
/// exact, so that this criterion does not depend on the order of rows either.
struct WeightedSquaredError : ValueSums, Additive<WeightedSquaredError> {
    static constexpr std::string_view name = "weighted_squared_error";
    using ValueSums::ValueSums;

    static constexpr std::size_t kDigits = 4;
    static constexpr unsigned kDigitBits = 26;
    static constexpr std::size_t kPerOutput = 1 + kDigits;  ///< the sum, then the digits

    [[nodiscard]] std::size_t width() const { return kStatistics + kPerOutput * n_outputs; }
    void begin_node(const double* total) { centre_on(total, kPerOutput); }
    void add(double* into, const Block& block, std::uint32_t row, double weight) const {
        __extension__ using Square = unsigned __int128;
        for (std::size_t output = 0; output < n_outputs; ++output) {
            const double value = block.values[row * n_outputs + output] - centre[output];
            double* sums = into + kStatistics + kPerOutput * output;
            sums[0] += weight * value;
            const auto whole = static_cast<std::uint64_t>(std::abs(value));
            Square square = static_cast<Square>(whole) * whole;
            for (std::size_t digit = 1; digit <= kDigits; ++digit) {
                sums[digit] += weight * static_cast<double>(static_cast<std::uint32_t>(
                                            square & ((1U << kDigitBits) - 1)));
                square >>= kDigitBits;
            }
        }
    }
    [[nodiscard]] double purity(const double* sums) const {
        double total = 0.0;
        for (std::size_t output = 0; output < n_outputs; ++output) {
            const double* of_output = sums + kStatistics + kPerOutput * output;
            double squares = 0.0;
            for (std::size_t digit = kDigits; digit > 0; --digit)
                squares = squares * static_cast<double>(1U << kDigitBits) + of_output[digit];
            total -= sums[kWeight] * squares - of_output[0] * of_output[0];
        }
        return total / static_cast<double>(n_outputs);
    }
    [[nodiscard]] double impurity(const double*) const { return 0.0; }  // see grow/summary.hpp
};
static_assert(Criterion<WeightedSquaredError>);

}  // namespace treewright
