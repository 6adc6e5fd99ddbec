/// What rows hold, apart from where they stand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "treewright/data/dataset.hpp"

namespace treewright::data {

/// A hash of what a row holds, the values of all columns and targets: equal for equal rows.
[[nodiscard]] std::uint64_t content_hash(const Dataset& data, std::size_t row);

}  // namespace treewright::data
