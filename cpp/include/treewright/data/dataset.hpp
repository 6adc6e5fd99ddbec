/// The data that a tree is grown from: raw columns, the target and the rows' weights. Views only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/data/column.hpp"
#include "treewright/data/row_targets.hpp"

namespace treewright::data {

struct Dataset {
    std::size_t n_rows = 0;
    std::vector<Column> columns;
    Target target;
    std::span<const double> weight;  ///< importance of each row; empty = all 1
    /// Importance without the factors of classes, by which rpart judges surrogates; empty = weight.
    std::span<const double> case_weight;
    std::span<const double> copies;  ///< how many rows each row stands for in limits; empty = all 1
};

}  // namespace treewright::data
