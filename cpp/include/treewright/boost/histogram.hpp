/// Sums of gradients, hessians and rows by code, in whole numbers: their order does not matter, and
/// the histogram of a child is the parent's less its sibling's, exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "treewright/boost/coded_table.hpp"
#include "treewright/boost/slopes.hpp"

namespace treewright {

/// Rows of a node: a list, or (empty) all rows from `first` on.
struct RowRange {
    const std::uint32_t* list = nullptr;
    std::size_t first = 0;
    std::size_t n = 0;

    [[nodiscard]] RowRange part(std::size_t begin, std::size_t end) const {
        return {list == nullptr ? nullptr : list + begin, first + begin, end - begin};
    }
};

/// Working memory of a thread: copies of records, and what their rows add.
template <class Entry>
struct NearRows {
    std::vector<std::uint64_t> records;
    std::vector<Entry> entries;
};

/// Adds rows to the entries of a histogram.
template <class Row>
void add_rows(const CodedTable& table, const RowRange& rows, const SlopeView& slopes,
              const FixedPoint& fixed, NearRows<typename Row::Entry>& near,
              typename Row::Entry* histogram);

}  // namespace treewright
