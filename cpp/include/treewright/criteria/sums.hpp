/// The kinds of sums that criteria are made of: [copies, weight, statistics ...] of a set of rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "treewright/data/row_targets.hpp"

namespace treewright::criteria {

inline constexpr std::size_t kCopies = 0;
inline constexpr std::size_t kWeight = 1;
inline constexpr std::size_t kStatistics = 2;

/// Weights of the classes, one group of counts per output.
struct ClassSums {
    std::size_t n_outputs = 1;
    std::vector<std::size_t> start;  ///< of each output's counts; one more at the end

    explicit ClassSums(const data::Target& target) : n_outputs(target.n_outputs) {
        start.push_back(kStatistics);
        for (const std::uint32_t count : target.n_classes) start.push_back(start.back() + count);
    }
    [[nodiscard]] std::size_t width() const { return start.back(); }
    void add(double* into, const data::RowTargets& rows, std::uint32_t row, double weight) const {
        for (std::size_t output = 0; output < n_outputs; ++output)
            into[start[output] + rows.classes[row * n_outputs + output]] += weight;
    }
    void begin_node(const double*) {}
    void enter(const double*) {}

    /// Mean over the outputs of f(counts begin, counts end).
    template <class F>
    [[nodiscard]] double over_outputs(const double* sums, F&& f) const {
        if (n_outputs == 1) return f(sums + start[0], sums + start[1]);
        double total = 0.0;
        for (std::size_t output = 0; output < n_outputs; ++output)
            total += f(sums + start[output], sums + start[output + 1]);
        return total / static_cast<double>(n_outputs);
    }
};

/// into[i] += weight * (values[i] - centre[i])
void add_about(double* into, const double* values, const double* centre, double weight,
               std::size_t n);

/// into[i] = sums[i] / weight, rounded to a whole number
void round_means(double* into, const double* sums, double weight, std::size_t n);

/// The sum of the squares of n numbers, added up in eight lanes, number i in lane i modulo eight:
/// the order that loops for wide registers add in, so that they find the same doubles.
[[nodiscard]] double sum_of_squares(const double* numbers, std::size_t n);

/// Sum of the values, one per output, about a centre near the node's mean: squares of sums about a
/// distant origin would cancel. The centre is a whole number on the grid, so sums stay exact.
struct ValueSums {
    std::size_t n_outputs = 1;
    std::vector<double> centre;

    explicit ValueSums(const data::Target& target)
        : n_outputs(target.n_outputs), centre(target.n_outputs, 0.0) {}
    [[nodiscard]] std::size_t width() const { return kStatistics + n_outputs; }
    void add(double* into, const data::RowTargets& rows, std::uint32_t row, double weight) const {
        const double* values = rows.values.data() + row * n_outputs;
        if (n_outputs == 1) into[kStatistics] += weight * (values[0] - centre[0]);
        else add_about(into + kStatistics, values, centre.data(), weight, n_outputs);
    }
    /// `total` holds plain sums, about 0, at the given distance from one another.
    void centre_on(const double* total, std::size_t step) {
        for (std::size_t output = 0; output < n_outputs; ++output)
            centre[output] = std::nearbyint(total[kStatistics + step * output] / total[kWeight]);
    }
    void begin_node(const double* total) {
        round_means(centre.data(), total + kStatistics, total[kWeight], n_outputs);
    }
    void enter(const double*) {}
};

/// Sums of the values and of their squares, for criteria that need the spread itself.
///
/// Squares of grid values have up to 100 bits; they are summed as four digits of 26 bits, each sum
/// exact, so that these criteria do not depend on the order of rows either.
struct SquareSums : ValueSums {
    using ValueSums::ValueSums;

    static constexpr std::size_t kDigits = 4;
    static constexpr unsigned kDigitBits = 26;
    static constexpr std::size_t kPerOutput = 1 + kDigits;  ///< the sum, then the digits
    __extension__ using Int128 = __int128;

    [[nodiscard]] std::size_t width() const { return kStatistics + kPerOutput * n_outputs; }
    void begin_node(const double* total) { centre_on(total, kPerOutput); }
    void add(double* into, const data::RowTargets& rows, std::uint32_t row, double weight) const {
        for (std::size_t output = 0; output < n_outputs; ++output) {
            const double value = rows.values[row * n_outputs + output] - centre[output];
            double* sums = into + kStatistics + kPerOutput * output;
            sums[0] += weight * value;
            const auto whole = static_cast<Int128>(std::abs(value));
            Int128 square = whole * whole;
            for (std::size_t digit = 1; digit <= kDigits; ++digit) {
                sums[digit] += weight * static_cast<double>(static_cast<std::uint32_t>(
                                            square & ((1U << kDigitBits) - 1)));
                square >>= kDigitBits;
            }
        }
    }
    /// weight x (sum of squares) - sum^2 of an output: the squared weight times the variance. Equal
    /// values must give exactly 0: a root would magnify a rounding error. So the difference is
    /// taken in whole numbers of the finest unit that occurs (with whole weights it has 102 bits at
    /// most: the grid ensures that), otherwise a result below the rounding error of the sums counts
    /// as 0.
    [[nodiscard]] double spread(const double* sums, std::size_t output) const {
        constexpr double kNoise = 1e-13;
        const double* of_output = sums + kStatistics + kPerOutput * output;
        const double squares = squares_of(sums, output);
        int unit = finest_bit(sums[kWeight]);
        for (std::size_t i = 0; i < kPerOutput; ++i)
            unit = std::min(unit, finest_bit(of_output[i]));
        if (squares <= 0.0) return 0.0;
        if (std::ilogb(sums[kWeight]) + std::ilogb(squares) - 2 * unit < 124) {
            const double per_unit = std::ldexp(1.0, -unit);
            Int128 whole = 0;
            for (std::size_t digit = kDigits; digit > 0; --digit)
                whole = (whole << kDigitBits) + static_cast<Int128>(of_output[digit] * per_unit);
            const auto weight = static_cast<Int128>(sums[kWeight] * per_unit);
            const auto sum = static_cast<Int128>(of_output[0] * per_unit);
            return std::ldexp(static_cast<double>(weight * whole - sum * sum), 2 * unit);
        }
        const double left_over = sums[kWeight] * squares - of_output[0] * of_output[0];
        return left_over > kNoise * sums[kWeight] * squares ? left_over : 0.0;
    }
    [[nodiscard]] static double sum_of(const double* sums, std::size_t output = 0) {
        return sums[kStatistics + kPerOutput * output];
    }
    template <class Number = double>
    [[nodiscard]] static Number squares_of(const double* sums, std::size_t output = 0) {
        Number squares = 0;
        for (std::size_t digit = kDigits; digit > 0; --digit)
            squares = squares * static_cast<Number>(1U << kDigitBits) +
                      static_cast<Number>(sums[kStatistics + kPerOutput * output + digit]);
        return squares;
    }

private:
    /// The exponent of the lowest bit of a number; beyond all others for 0.
    static int finest_bit(double x) {
        if (x == 0.0) return std::numeric_limits<int>::max();
        int exponent = 0;
        const double fraction = std::frexp(x, &exponent);
        const auto bits = static_cast<std::int64_t>(std::ldexp(fraction, 53));
        return exponent - 53 + __builtin_ctzll(static_cast<std::uint64_t>(bits));
    }
};

}  // namespace treewright::criteria
