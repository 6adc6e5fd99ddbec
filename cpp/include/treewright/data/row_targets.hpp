/// The target of a table, and targets, weights and copies of the rows of a block. This is all
/// that a criterion sees of the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace treewright::data {

/// Impurities of some sets of rows, from the weights of so many classes in each.
using Impurity = std::function<void(std::span<const double* const> counts, std::size_t n_classes,
                                    std::span<double> impurities)>;

/// Classes or values to learn, one or several outputs, stored row by row.
struct Target {
    std::size_t n_outputs = 1;
    std::vector<std::uint32_t> n_classes;   ///< per output; empty for regression
    std::span<const std::int32_t> classes;  ///< rows x outputs
    std::span<const double> values;         ///< rows x outputs
    Impurity impurity;                      ///< given by the user (criteria/given/of_classes.hpp)

    [[nodiscard]] bool is_classification() const { return !n_classes.empty(); }
    [[nodiscard]] bool is_binary() const {
        return n_outputs == 1 && n_classes.size() == 1 && n_classes[0] <= 2;
    }

    /// Numbers that describe a node: class weights of all outputs, or one value per output.
    [[nodiscard]] std::size_t width() const {
        if (!is_classification()) return n_outputs;
        std::size_t total = 0;
        for (const std::uint32_t count : n_classes) total += count;
        return total;
    }
};

/// Rows numbered from 0.
struct RowTargets {
    std::vector<double> weight;          ///< empty = all 1
    std::vector<double> copies;          ///< empty = all 1
    std::vector<std::uint32_t> classes;  ///< rows x outputs; empty for regression
    std::vector<double> raw;             ///< targets, rows x outputs; empty for classification
    std::vector<double> values;  ///< the same on the grid of the row's node (target_grid.hpp)

    [[nodiscard]] double weight_of(std::uint32_t row) const {
        return weight.empty() ? 1.0 : weight[row];
    }
    [[nodiscard]] double copies_of(std::uint32_t row) const {
        return copies.empty() ? 1.0 : copies[row];
    }
};

}  // namespace treewright::data
