/// Stable partition of a node's rows among its children, list by list.
///
///   list of a column:  [ d a c f b e ]     side:  a=1 b=0 c=1 d=0 e=1 f=0
///   after:             [ d f b | a c e ]   order kept within each child
#pragma once

#include <cstdint>
#include <vector>

#include "treewright/data/block.hpp"

namespace treewright::data {

/// Branch of each row of the block; one byte where the branches allow it.
struct Sides {
    std::vector<std::uint8_t> narrow;
    std::vector<std::uint32_t> wide;
    bool is_narrow = true;

    void prepare(std::size_t n_rows, std::size_t n_branches) {
        is_narrow = n_branches <= 255;
        if (is_narrow && narrow.size() < n_rows) narrow.resize(n_rows);
        if (!is_narrow && wide.size() < n_rows) wide.resize(n_rows);
    }
    [[nodiscard]] std::uint32_t operator[](std::size_t row) const {
        return is_narrow ? narrow[row] : wide[row];
    }
    void set(std::size_t row, std::uint32_t branch) {
        if (is_narrow) narrow[row] = static_cast<std::uint8_t>(branch);
        else wide[row] = branch;
    }
};

struct PartitionScratch {
    std::vector<Narrow> narrow;
    std::vector<Wide> wide;
    std::vector<std::uint32_t> offset;
    std::vector<std::uint32_t> last_run;
    std::vector<std::uint32_t> missing_of_child;  ///< missing rows each child gets

    template <class Word>
    [[nodiscard]] Word* room(std::size_t n) {
        auto& words = [&]() -> auto& {
            if constexpr (std::is_same_v<Word, Narrow>) return narrow;
            else return wide;
        }();
        if (words.size() < n) words.resize(n);
        return words.data();
    }
};

/// Ties are recomputed: an entry is tied if the entry before it *in its child* has its value.
/// `n_missing` missing rows come last; scratch.missing_of_child, zero before, receives how many of
/// them each child gets. `counts` are the children's sizes.
template <class Word, class Side>
void partition_list(Word* list, std::uint32_t n, std::uint32_t n_missing, const Side* side,
                    const std::vector<std::uint32_t>& counts, PartitionScratch& scratch) {
    const std::size_t n_branches = counts.size();
    for (std::uint32_t i = n - n_missing; i < n; ++i)
        ++scratch.missing_of_child[side[Entry<Word>::row(list[i])]];

    Word* spare = scratch.room<Word>(n);
    if (n_branches == 2) {
        // Left entries stay in place, right ones go to scratch memory; no branch on the data.
        std::uint32_t n_left = 0;
        std::uint32_t n_right = 0;
        std::uint32_t run = 0;
        std::uint32_t last[2] = {~0U, ~0U};
        for (std::uint32_t i = 0; i < n; ++i) {
            const Word entry = list[i];
            const std::uint32_t branch = side[Entry<Word>::row(entry)];
            run += (entry & 1) ^ 1;
            const Word moved =
                static_cast<Word>((entry & ~Word{1}) | static_cast<Word>(last[branch] == run));
            last[branch] = run;
            list[n_left] = moved;
            spare[n_right] = moved;
            n_left += branch ^ 1;
            n_right += branch;
        }
        std::copy(spare, spare + n_right, list + n_left);
        return;
    }
    scratch.offset.assign(n_branches, 0);
    for (std::size_t b = 1; b < n_branches; ++b)
        scratch.offset[b] = scratch.offset[b - 1] + counts[b - 1];
    scratch.last_run.assign(n_branches, ~0U);
    std::uint32_t run = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        const Word entry = list[i];
        const std::uint32_t branch = side[Entry<Word>::row(entry)];
        run += (entry & 1) ^ 1;
        spare[scratch.offset[branch]++] = static_cast<Word>(
            (entry & ~Word{1}) | static_cast<Word>(scratch.last_run[branch] == run));
        scratch.last_run[branch] = run;
    }
    std::copy(spare, spare + n, list);
}

/// A new block for some rows of a node, renumbered from 0 in the order of `rows`; narrow if
/// the rows are few enough and `wide` does not forbid it. `shares`, where not empty, are the parts
/// of the rows (of their weight and copies) that the block gets: divided cases.
[[nodiscard]] std::shared_ptr<Block> extract(const Block& from, std::uint32_t begin,
                                             std::uint32_t end,
                                             const std::vector<std::uint32_t>& columns,
                                             const std::vector<std::uint32_t>& rows,
                                             const std::vector<double>& shares,
                                             std::size_t n_outputs, bool wide,
                                             std::vector<std::uint32_t>& new_row);

}  // namespace treewright::data
