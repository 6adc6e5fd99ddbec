/// What AdaBoost keeps of each training row: its weight in the coming round and the votes so far.
///
/// Weights are rounded to a grid: whole numbers that add up to less than 2^52, so that a double
/// holds every sum of them exactly, whatever the order of the rows. Rounding to the grid changes a
/// weight by at most 2^-52 of all weight, which is what summing in floating point would cost
/// anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::adaboost {

class AdaBoostRows {
public:
    /// `weight` are the initial weights. `classes` is empty for regression.
    AdaBoostRows(std::vector<double> weight, std::vector<std::int32_t> classes,
                 std::uint32_t n_classes);

    [[nodiscard]] std::size_t n_rows() const { return weight.size(); }
    [[nodiscard]] std::uint32_t class_count() const { return n_classes; }
    [[nodiscard]] std::span<const std::int32_t> class_of_row() const { return classes; }
    /// The weights as whole numbers, and their sum.
    [[nodiscard]] std::span<const double> on_grid() const { return grid; }
    [[nodiscard]] double grid_total() const { return total; }
    /// Number of rows of positive initial weight.
    [[nodiscard]] double n_counted() const;
    /// The weights as shares of 1.
    [[nodiscard]] std::vector<double> shares() const;

    /// Weighted mean of a number of each row; the order of the rows does not matter.
    [[nodiscard]] double mean(std::span<const double> of_row) const;
    /// Weighted error of a prediction: the share of the weight that it misclassifies.
    [[nodiscard]] double error(std::span<const std::int32_t> predicted) const;
    /// Multiplies the weights of correctly classified rows; returns what is left of the
    /// sum of all weights, which is 1 before and after.
    double reward(std::span<const std::int32_t> predicted, double factor);
    /// Multiplies every weight by its own factor; returns what is left of the sum.
    double multiply(std::span<const double> factor);
    /// Adds the vote weight to the class predicted for each row; returns the share of the initial
    /// weight that the votes so far misclassify. Of classes with equal votes the first is
    /// predicted.
    double vote(std::span<const std::int32_t> predicted, double strength);

private:
    /// Lays the grid for weights that add up to about `about`, and brings the sum near 1.
    void lay_grid(double about);
    [[nodiscard]] double wrong_on_grid(std::span<const std::int32_t> predicted) const;
    [[nodiscard]] double sum_of_weights() const;

    std::vector<double> weight;
    std::vector<std::int32_t> classes;
    std::uint32_t n_classes;
    std::vector<double> first_grid;  ///< the weights before the first round
    double first_total = 0.0;
    std::vector<double> grid;
    double total = 0.0;
    double scale = 1.0;          ///< grid = nearest(weight x scale)
    std::vector<double> so_far;  ///< votes, rows x classes
};

}  // namespace treewright::adaboost
