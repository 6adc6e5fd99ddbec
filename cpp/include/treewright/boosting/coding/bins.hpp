/// Learns the bins of numbers from the rows of a table.
#pragma once

#include <cstddef>

#include "treewright/base/parallel.hpp"
#include "treewright/boosting/codebook.hpp"
#include "treewright/data/dataset.hpp"

namespace treewright::boosting {

/// Larger tables compute their bins from this many rows, spread evenly over the table.
inline constexpr std::size_t kRowsForBins = 200'000;

/// A column with no more than `max_bins` different values has a bin for each. Otherwise a bin is
/// closed once it holds its share of the remaining weight, so that a frequent value gets a bin
/// of its own and the others share the rest evenly. Cuts lie midway between neighbouring values.
[[nodiscard]] Codebook learn_codebook(const data::Dataset& data, std::size_t max_bins, Team& team);

}  // namespace treewright::boosting
