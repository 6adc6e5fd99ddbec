/// A linear combination with readable numbers: few digits, and no training row changes sides.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/data/column.hpp"
#include "treewright/data/linear_combination.hpp"

namespace treewright::split {

/// The rows of a node with known values and the sides they are on, nearest to the cut first, so
/// that a change of sides is found early.
struct SumSides {
    std::vector<std::uint32_t> table_row;
    std::vector<std::uint8_t> is_right;
};

/// Rewrites the coefficients, up to a common factor, with as few digits as keep all rows where they
/// are: small whole numbers if possible, else each rounded to the decimal place that matters for
/// its column (`spread` = standard deviations of the terms' columns). Returns the threshold, a
/// short number in the middle of the gap between the sides.
double make_readable(std::span<const data::Column> columns, std::span<const double> spread,
                     const SumSides& sides, data::LinearTerms& terms);

/// The number of fewest digits in the middle half of ]low, high[.
[[nodiscard]] double short_number_between(double low, double high);

}  // namespace treewright::split
