/// Hashes of the content of rows, independent of their position.
#pragma once

#include <cstddef>
#include <cstdint>

#include "treewright/data/dataset.hpp"

namespace treewright::data {

/// A hash of the values of all columns and targets of a row: equal for equal rows.
[[nodiscard]] std::uint64_t content_hash(const Dataset& data, std::size_t row);

/// The same for rows [begin, end): a row alone waits for each multiplication of its values.
void content_hashes(const Dataset& data, std::size_t begin, std::size_t end, std::uint64_t* into);

}  // namespace treewright::data
