/// Sums of gradients, hessians and rows by code, in whole numbers: their order does not matter, and
/// the histogram of a child is the parent's less its sibling's, exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "treewright/boosting/coded_table.hpp"
#include "treewright/boosting/gradients.hpp"
#include "treewright/boosting/row_blocks.hpp"

namespace treewright::boosting {

/// Working memory of a thread: copies of records, and the gradients and hessians of their rows.
template <class Entry>
struct NearRows {
    std::vector<std::uint64_t> records;
    std::vector<Entry> entries;
};

/// Adds rows to the entries of a histogram.
template <class Row>
void add_rows(const CodedTable& table, const RowRange& rows, const GradientView& gradients,
              const FixedPoint& fixed, NearRows<typename Row::Entry>& near,
              typename Row::Entry* histogram);

}  // namespace treewright::boosting
