/// What a tree is grown from: raw columns, the target and the rows' weights. Views only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/data/column.hpp"

namespace treewright {

/// Classes or values to learn, one or several outputs, stored row by row.
struct Target {
    std::size_t n_outputs = 1;
    std::vector<std::uint32_t> n_classes;   ///< per output; empty for regression
    std::span<const std::int32_t> classes;  ///< rows x outputs
    std::span<const double> values;         ///< rows x outputs

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

struct Dataset {
    std::size_t n_rows = 0;
    std::vector<Column> columns;
    Target target;
    std::span<const double> weight;  ///< importance of each row; empty = all 1
    std::span<const double> copies;  ///< how many rows each row stands for in limits; empty = all 1
};

}  // namespace treewright
