#include "treewright/adaboost/rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "treewright/base/error.hpp"
#include "treewright/base/exact_sum.hpp"

namespace treewright::adaboost {
namespace {

constexpr int kGridBits = 51;  // the rounded weights may add up to a little more than the weights

/// Rounds a number below 2^51 to the nearest whole one by an addition, which compilers vectorise:
/// std::nearbyint is a call (100,000 rows: 0.3 instead of 0.03 ms).
double nearest(double x) {
    constexpr double kOnes = 0x1.8p52;
    return (x + kOnes) - kOnes;
}

/// A number, or 0. Which rows are wrong is unpredictable, so a branch would be mispredicted: 3 ns a
/// row.
double where(bool holds, double x) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & -std::uint64_t{holds});
}

/// Adds up f(row); in several sums, to break the dependency chain. For whole numbers
/// that add exactly.
template <class F>
double add_up(std::size_t n_rows, F&& f) {
    constexpr std::size_t kLanes = 8;
    double lanes[kLanes] = {};
    std::size_t row = 0;
    for (; row + kLanes <= n_rows; row += kLanes)
        for (std::size_t i = 0; i < kLanes; ++i) lanes[i] += f(row + i);
    double sum = 0.0;
    for (const double lane : lanes) sum += lane;
    for (; row < n_rows; ++row) sum += f(row);
    return sum;
}

/// The power of two that brings a positive number into [1/2, 1).
double power_to_one(double x) {
    int exponent = 0;
    std::frexp(x, &exponent);
    return std::ldexp(1.0, -exponent);
}

}  // namespace

AdaBoostRows::AdaBoostRows(std::vector<double> first_weight, std::vector<std::int32_t> class_of_row,
                           std::uint32_t class_count)
    : weight(std::move(first_weight)),
      classes(std::move(class_of_row)),
      n_classes(class_count),
      grid(weight.size()) {
    require(classes.empty() || classes.size() == weight.size(), "a class for every row");
    for (const std::int32_t k : classes)
        require(k >= 0 && static_cast<std::uint32_t>(k) < n_classes, "a class of the target");
    const double sum = sum_of_weights();
    require(sum > 0.0 && std::isfinite(sum), "weights with a finite sum above 0");
    lay_grid(sum);
    first_grid = grid;
    first_total = total;
}

double AdaBoostRows::sum_of_weights() const {
    ExactSum sum;
    for (const double each : weight) sum.add(each);
    return sum.value();
}

double AdaBoostRows::n_counted() const {
    return add_up(weight.size(),
                  [&](std::size_t row) { return first_grid[row] > 0.0 ? 1.0 : 0.0; });
}

void AdaBoostRows::lay_grid(double about) {
    const double power = power_to_one(about);  // exact: weights shrink, but not to nothing
    scale = std::ldexp(1.0, kGridBits);
    for (std::size_t row = 0; row < weight.size(); ++row) {
        weight[row] *= power;
        grid[row] = nearest(weight[row] * scale);
    }
    total = add_up(grid.size(), [&](std::size_t row) { return grid[row]; });
}

std::vector<double> AdaBoostRows::shares() const {
    std::vector<double> share(weight.size());
    const double reciprocal = scale / total;
    for (std::size_t row = 0; row < share.size(); ++row) share[row] = weight[row] * reciprocal;
    return share;
}

double AdaBoostRows::wrong_on_grid(std::span<const std::int32_t> predicted) const {
    require(predicted.size() == classes.size(), "a prediction for every row");
    return add_up(predicted.size(), [&](std::size_t row) {
        return where(predicted[row] != classes[row], grid[row]);
    });
}

double AdaBoostRows::mean(std::span<const double> of_row) const {
    require(of_row.size() == grid.size(), "a number for every row");
    ExactSum sum;
    for (std::size_t row = 0; row < grid.size(); ++row)
        if (grid[row] > 0.0) sum.add_product(grid[row], of_row[row]);
    return sum.value() / total;
}

double AdaBoostRows::error(std::span<const std::int32_t> predicted) const {
    return wrong_on_grid(predicted) / total;
}

double AdaBoostRows::reward(std::span<const std::int32_t> predicted, double factor) {
    const double wrong = wrong_on_grid(predicted);
    const double left = wrong + (total - wrong) * factor;
    const double kept = left / total;
    require(left > 0.0, "weight left");
    const double factors[] = {1.0, factor};
    for (std::size_t row = 0; row < predicted.size(); ++row)
        weight[row] *= factors[predicted[row] == classes[row] ? 1 : 0];
    lay_grid(left / scale);
    return kept;
}

double AdaBoostRows::multiply(std::span<const double> factor) {
    require(factor.size() == weight.size(), "a factor for every row");
    const double before = total / scale;
    for (std::size_t row = 0; row < weight.size(); ++row) weight[row] *= factor[row];
    const double sum = sum_of_weights();
    require(sum > 0.0 && std::isfinite(sum), "weights with a finite sum above 0");
    lay_grid(sum);
    return sum / before;
}

double AdaBoostRows::vote(std::span<const std::int32_t> predicted, double strength) {
    require(predicted.size() == classes.size(), "a prediction for every row");
    so_far.resize(classes.size() * n_classes, 0.0);
    const double wrong = add_up(predicted.size(), [&](std::size_t row) {
        double* votes = so_far.data() + row * n_classes;
        votes[predicted[row]] += strength;
        const auto said =
            n_classes == 2
                ? static_cast<std::int32_t>(votes[1] > votes[0])
                : static_cast<std::int32_t>(std::max_element(votes, votes + n_classes) - votes);
        return where(said != classes[row], first_grid[row]);
    });
    return wrong / first_total;
}

}  // namespace treewright::adaboost
