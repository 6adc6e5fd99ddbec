#include "treewright/split/oblique/readable.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "treewright/base/error.hpp"
#include "treewright/split/numeric/threshold_between.hpp"

namespace treewright::split {
namespace {

/// digits x 10^exponent
struct Decimal {
    std::int64_t digits = 0;
    int exponent = 0;

    /// The double nearest to it.
    [[nodiscard]] double value() const {
        char text[48];
        const int n =
            std::snprintf(text, sizeof text, "%llde%d", static_cast<long long>(digits), exponent);
        double number = 0.0;
        std::from_chars(text, text + n, number);
        return number;
    }
};

int order_of_magnitude(double x) {
    return static_cast<int>(std::floor(std::log10(std::abs(x))));
}

/// The multiple of 10^exponent nearest to x.
Decimal rounded(double x, int exponent) {
    return {std::llround(x / Decimal{1, exponent}.value()), exponent};
}

constexpr int kMostDigits = 15;
constexpr int kMostSmall = 9;                   // largest of the small whole numbers tried first
constexpr std::int64_t kMostWhole = 1'000'000;  // a larger whole number is no easier to read

/// The gap that a sum leaves between the sides; empty (low >= high) if a row has changed sides.
struct Gap {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();

    [[nodiscard]] bool is_open() const { return low < high; }
};

class Rewriter {
public:
    Rewriter(std::span<const data::Column> columns, const SumSides& sides, data::LinearTerms& terms)
        : columns(columns), sides(sides), terms(terms) {}

    [[nodiscard]] Gap gap_of(std::span<const double> coefficients) const {
        Gap gap;
        for (std::size_t i = 0; i < sides.table_row.size() && gap.is_open(); ++i) {
            const double sum = data::add_terms(coefficients, [&](std::size_t term) {
                return columns[static_cast<std::size_t>(terms.column[term])].number(
                    sides.table_row[i]);
            });
            if (sides.is_right[i] != 0) gap.high = std::min(gap.high, sum);
            else gap.low = std::max(gap.low, sum);
        }
        return gap;
    }

    /// Takes the coefficients if they keep every row where it is.
    bool take(const std::vector<double>& coefficients) {
        const Gap left = gap_of(coefficients);
        if (!left.is_open()) return false;
        terms.coefficient = coefficients;
        gap = left;
        return true;
    }

    /// The largest coefficient becomes 1, 2, ..., 9, the others the nearest whole numbers.
    bool use_small_numbers() {
        const std::vector<double> given = terms.coefficient;
        double largest = 0.0;
        for (const double each : given) largest = std::max(largest, std::abs(each));
        for (int most = 1; most <= kMostSmall; ++most) {
            std::vector<double> small;
            for (const double each : given) small.push_back(std::round(each / largest * most));
            if (std::find(small.begin(), small.end(), 0.0) == small.end() && take(small))
                return true;
        }
        return false;
    }

    /// The term that matters most gets 1; the others are rounded where their column's spread says
    /// that a digit no longer matters, from coarse to fine.
    bool round_digits(std::span<const double> spread) {
        const std::vector<double> given = terms.coefficient;
        std::size_t first = 0;
        for (std::size_t i = 1; i < given.size(); ++i)
            if (std::abs(given[i]) * spread[i] > std::abs(given[first]) * spread[first]) first = i;
        for (int half_digits = 0; half_digits <= 2 * kMostDigits; ++half_digits) {
            const double fineness = std::pow(10.0, -0.5 * half_digits);
            std::vector<Decimal> decimals;
            std::vector<double> coefficients;
            for (std::size_t i = 0; i < given.size(); ++i) {
                const double scaled = given[i] / std::abs(given[first]);
                const int matters = order_of_magnitude(fineness * spread[first] / spread[i]);
                decimals.push_back(rounded(scaled, std::min(matters, order_of_magnitude(scaled))));
                coefficients.push_back(decimals.back().value());
            }
            if (!take(coefficients)) continue;
            use_whole_numbers(decimals);
            return true;
        }
        return false;
    }

    [[nodiscard]] const Gap& left_open() const { return gap; }

private:
    /// The same coefficients without decimals, if that makes none of them long.
    void use_whole_numbers(const std::vector<Decimal>& decimals) {
        int last = decimals[0].exponent;
        for (const Decimal& each : decimals) last = std::min(last, each.exponent);
        std::vector<std::int64_t> whole;
        std::int64_t divisor = 0;
        for (const Decimal& each : decimals) {
            std::int64_t number = each.digits;
            for (int i = last; i < each.exponent && std::abs(number) <= kMostWhole; ++i)
                number *= 10;
            if (std::abs(number) > kMostWhole) return;
            whole.push_back(number);
            divisor = std::gcd(divisor, number);
        }
        std::vector<double> coefficients;
        for (const std::int64_t each : whole)
            coefficients.push_back(static_cast<double>(each / divisor));
        take(coefficients);
    }

    std::span<const data::Column> columns;
    const SumSides& sides;
    data::LinearTerms& terms;
    Gap gap;
};

}  // namespace

double short_number_between(double low, double high) {
    const double quarter = high / 4.0 - low / 4.0;
    const double from = low + quarter;
    const double to = high - quarter;
    const double middle = low / 2.0 + high / 2.0;
    const double largest = std::max(std::abs(from), std::abs(to));
    if (from <= to && largest > 0.0) {
        const int first = order_of_magnitude(largest) + 1;
        for (int exponent = first; exponent > first - kMostDigits - 2; --exponent) {
            const double number = rounded(middle, exponent).value();
            if (number >= from && number <= to && number >= low && number < high) return number;
        }
    }
    return threshold_between(low, high, ThresholdAt::midpoint);
}

double make_readable(std::span<const data::Column> columns, std::span<const double> spread,
                     const SumSides& sides, data::LinearTerms& terms) {
    Rewriter rewriter(columns, sides, terms);
    if (!rewriter.use_small_numbers() && !rewriter.round_digits(spread))
        require(rewriter.take(std::vector<double>(terms.coefficient)), "a sum keeps its own sides");
    return short_number_between(rewriter.left_open().low, rewriter.left_open().high);
}

}  // namespace treewright::split
