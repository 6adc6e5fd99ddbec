/// Impurity of regression nodes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/exact_sum.hpp"
#include "treewright/criteria/traits.hpp"
#include "treewright/data/row_targets.hpp"

namespace treewright::criteria {

/// Median and mean absolute deviation of weighted values; the mean of the two middle values where
/// exactly half of the weight lies on each side.
struct MedianOf {
    double median = 0.0;
    double deviation = 0.0;
};
[[nodiscard]] MedianOf median_of(std::vector<std::pair<double, double>>& value_and_weight);

/// The impurity that the user's function gives rows of one output with this mean and this sum of
/// squares about it.
[[nodiscard]] double given_impurity(const data::Impurity& function, double weight, double mean,
                                    double squares);

/// Converts a sum of squares about the mean into the units of the criterion.
[[nodiscard]] inline double impurity_of_squares(const Traits& criterion, double squares,
                                                double weight) {
    if (criterion.sums_over_rows) return squares;
    const double variance = std::max(0.0, squares / weight);
    if (criterion.power_of_variance == 1.0) return variance;
    return criterion.power_of_variance == 0.5 ? std::sqrt(variance)
                                              : std::pow(variance, criterion.power_of_variance);
}

/// Impurity of a regression node, in the criterion's own units, averaged over the outputs.
/// `weights` empty = all 1.
[[nodiscard]] double value_impurity(const Traits& criterion, const data::Target& target,
                                    std::span<const std::uint32_t> table_rows,
                                    std::span<const double> weights);

}  // namespace treewright::criteria
