/// The different numbers of columns, and how many rows have each: what bins are made of.
///
/// Columns of few values are counted; of others the rows are sorted, but for those of a value that
/// most of them have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/data/dataset.hpp"

namespace treewright::boosting {

struct Weighed {
    double value;
    double weight;
};

/// Takes a column, and its numbers: ascending, each once.
using TakeValues = std::function<void(std::size_t column, const std::vector<Weighed>& values)>;

/// Calls take(column, its known numbers) for columns of floats, with a weight of 1 for each row.
void for_distinct_floats(const data::Dataset& data, std::span<const std::size_t> columns,
                         std::span<const std::uint32_t> rows, Progress& progress,
                         const TakeValues& take);

}  // namespace treewright::boosting
