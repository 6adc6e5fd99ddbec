/// The slots of a broad table in blocks that are worked on one by one.
///
/// Where a table has hundreds of columns or more, the histogram of a leaf is larger than a near
/// cache, and a part of it would be brought near again for every step: to be cleared, for each of
/// some rows added, to be taken away from the parent's, to be searched. In a block all steps follow
/// each other, and threads share the blocks, so that none needs a histogram of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "treewright/boosting/coding/coded_table.hpp"

namespace treewright::boosting {

/// Slots that follow each other, from `low` up to, but not including, `high`.
struct SlotRange {
    std::size_t low = 0;
    std::size_t high = 0;

    [[nodiscard]] std::size_t size() const { return high - low; }
};

class SlotBlocks {
public:
    /// None if the table is not broad, or has sparse slots, whose cells are added up all together.
    SlotBlocks(const CodedTable& table, std::size_t n_threads);

    [[nodiscard]] std::size_t size() const { return n_blocks; }
    [[nodiscard]] SlotRange operator[](std::size_t block) const;
    /// Puts columns in the order of their blocks, those of a block as they were, and says where
    /// each block begins.
    void group(std::vector<std::uint32_t>& columns, std::vector<std::size_t>& begin) const;

private:
    const CodedTable& table;
    std::size_t n_blocks = 0;
    std::size_t n_together = 0;  ///< slots of a block; the last has fewer
};

}  // namespace treewright::boosting
