/// Cells of other codes than the most frequent one of their slot, row by row.
///
/// Where most rows share a code (0 in a table of counts, say), adding up the others takes less time
/// than adding up all: the sums of the common code are those of the leaf less the rest, exactly,
/// being whole numbers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/boosting/row_blocks.hpp"

namespace treewright::boosting {

/// The codes of a slot, one byte a row, for listing the rare ones.
struct SparseCodes {
    const std::uint8_t* codes = nullptr;
    std::uint8_t common = 0;
    std::size_t offset = 0;  ///< of its first entry in a histogram
};

/// Which of n rows have another code than the common one: a bit each.
void rows_of_others(const std::uint8_t* codes, std::size_t n, std::uint8_t common,
                    std::uint64_t* words);

struct RareCells {
    std::vector<std::uint64_t> start;  ///< of the cells of each row, and after the last
    std::vector<std::uint32_t> entry;  ///< of a histogram, one for each cell
    std::size_t first_entry = 0;       ///< of a histogram that is of such a slot
    std::size_t n_entries = 0;         ///< from there on

    [[nodiscard]] bool empty() const { return start.empty(); }
    [[nodiscard]] std::span<const std::uint32_t> of(std::size_t row) const {
        return {entry.data() + start[row], entry.data() + start[row + 1]};
    }
    /// Cells of a row, in the mean.
    [[nodiscard]] double per_row() const {
        if (empty()) return 0.0;
        return static_cast<double>(entry.size()) / static_cast<double>(start.size() - 1);
    }

    void list(std::span<const SparseCodes> slots, std::size_t n_rows, Team& team);

    /// Adds rows to the entries of their cells.
    template <class Entry>
    void add(const RowRange& rows, const Entry* of_row, Entry* histogram) const;
};

/// The sums of rare cells of few rows, without a histogram to clear and to read: which entries
/// have any is known.
template <class Entry>
class RareSums {
public:
    void add_up(const RareCells& cells, const RowRange& rows, const Entry* of_row);
    /// Calls use(entry - begin, sums) for the entries of [begin, end) that have any, ascending.
    template <class Use>
    void for_each(std::size_t begin, std::size_t end, Use&& use) const;

private:
    std::vector<Entry> sums;             ///< 0 where not present
    std::vector<std::uint64_t> present;  ///< a bit each
    std::size_t first_entry = 0;
};

template <class Entry>
template <class Use>
void RareSums<Entry>::for_each(std::size_t begin, std::size_t end, Use&& use) const {
    const std::size_t low = begin - first_entry;
    const std::size_t high = end - first_entry;
    for (std::size_t word = low / 64; word * 64 < high; ++word) {
        std::uint64_t left = present[word];
        if (word == low / 64) left &= ~std::uint64_t{0} << (low % 64);
        if (high - word * 64 < 64) left &= (std::uint64_t{1} << (high - word * 64)) - 1;
        for (; left != 0; left &= left - 1) {
            const std::size_t at = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
            use(at - low, sums[at]);
        }
    }
}

}  // namespace treewright::boosting
