#include "treewright/boosting/coding/slot_blocks.hpp"

#include <algorithm>
#include <numeric>

namespace treewright::boosting {
namespace {

/// Slots of a block: their codes are in one or two lines of the cache.
constexpr std::size_t kMostTogether = 56;
/// Blocks from which a table is broad: its histogram has about a megabyte.
constexpr std::size_t kFewestBlocks = 4;

}  // namespace

SlotBlocks::SlotBlocks(const CodedTable& table, std::size_t n_threads) : table(table) {
    const std::size_t n_slots = table.slots.size();
    const std::size_t n = (n_slots + kMostTogether - 1) / kMostTogether;
    if (n < kFewestBlocks || !table.rare.empty()) return;
    const std::size_t n_equal = (n + n_threads - 1) / n_threads * n_threads;
    n_together = (n_slots + n_equal - 1) / n_equal;
    n_blocks = (n_slots + n_together - 1) / n_together;
}

SlotRange SlotBlocks::operator[](std::size_t block) const {
    const std::size_t low = block * n_together;
    return {low, std::min(low + n_together, table.slots.size())};
}

void SlotBlocks::group(std::vector<std::uint32_t>& columns, std::vector<std::size_t>& begin) const {
    const auto block_of = [&](std::uint32_t column) {
        return table.columns[column].slot / n_together;
    };
    begin.assign(n_blocks + 1, 0);
    for (const std::uint32_t column : columns) ++begin[block_of(column) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    if (std::ranges::is_sorted(columns, {}, block_of)) return;
    std::ranges::stable_sort(columns, {}, block_of);
}

}  // namespace treewright::boosting
