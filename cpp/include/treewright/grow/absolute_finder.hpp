/// Splits by mean absolute deviation from the median (Breiman et al. 1984, section 8.11).
///
/// The deviation of a set is not a sum over its rows, so there is no tally: the rows of the growing
/// left side are kept in a Fenwick tree over the ranks of the target, from which the weighted
/// median and the sums below and above it are read in O(log n). A best subset has no ordering
/// theorem here; Python refuses that combination.
#pragma once

#include <memory>

#include "treewright/grow/column_finder.hpp"

namespace treewright::grow {

[[nodiscard]] std::unique_ptr<Finder> make_absolute_finder(const data::Dataset& data,
                                                           const GrowOptions& options,
                                                           Progress& progress);

}  // namespace treewright::grow
