/// The rows of a node of at most sixteen, and of all nodes below it, in growing by best cuts:
/// the lists stay unchanged, and a node is the set of its rows, as bits, so that splitting
/// it moves nothing. For regression, all columns are judged at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/forest/fast/kernels/scan.hpp"
#include "treewright/forest/fast/nodes.hpp"
#include "treewright/split/judge.hpp"

namespace treewright::forest {

struct Pocket {
    FastPocket rows;                        ///< their order in each column, by slot
    std::uint32_t table_row[kPocket] = {};  ///< of each row of the pocket, as the next two
    std::int32_t classes[kPocket] = {};
    double targets[kPocket] = {};
    std::uint32_t picked[kPocket + kPadding] = {};  ///< entries of the node at hand
    bool has_gaps = false;                          ///< some rows lack values of its columns

    /// Room for the columns that a tree may use; `slots` are their indices.
    void make_room(std::span<const std::uint32_t> columns, const std::vector<std::size_t>& slots) {
        slot_of_column = slots.data();
        rows.n_slots = (columns.size() + kLanes - 1) / kLanes * kLanes;
        rows.order.resize(kPocket * rows.n_slots);
        best.resize(rows.n_slots);
        for (auto* each : {&varies, &columns_of_node, &level}) each->resize(rows.n_slots / kLanes);
        all_columns.assign(rows.n_slots / kLanes, 0xff);
        for (std::size_t i = columns.size(); i < rows.n_slots; ++i)
            all_columns.back() &= static_cast<std::uint8_t>(~(1U << (i % kLanes)));
    }

    /// Reads the order of the rows in a column from its list.
    void take_order(std::uint32_t column, const std::uint32_t* list) {
        std::uint8_t* to = rows.order.data() + slot_of_column[column];
        std::uint32_t run = 0;
        for (std::uint32_t i = 0; i < rows.n; ++i, to += rows.n_slots) {
            run += i > 0 && (list[i] & kSameValueBit) == 0 ? 1 : 0;
            *to = static_cast<std::uint8_t>(run << 4U | row_of(list[i]));
        }
    }

    /// Judges all columns of a node with the given sums; true if the winner is known without
    /// drawing them all: of the columns that tie with the best, the first one drawn wins, and no
    /// others matter.
    bool judge(const FastNode& node, const FastList& sums, const FastLoops& loops,
               FastNodes& nodes) {
        loops.best_pocket(rows, node.pocket, sums, best.data(), varies.data());
        if (!nodes.wants_all()) return false;
        const std::vector<std::uint8_t>& among = bits_of_columns(node, nodes);
        for (std::size_t i = 0; i < varies.size(); ++i)
            if ((among[i] & ~varies[i]) != 0) return false;
        // FastLeader's tolerance is kTie of either value: half of it, and four times it, are clear
        // cases.
        const std::uint32_t n_level = loops.level_with_best(best.data(), rows.n_slots, among.data(),
                                                            split::kTie, level.data());
        if (n_level == 0) return false;
        std::uint32_t winner = 0;
        if (n_level == 1) {
            std::size_t i = 0;
            while (level[i] == 0) ++i;
            winner =
                nodes.options
                    .columns[i * kLanes + static_cast<std::size_t>(std::countr_zero(level[i]))];
        } else {
            do winner = nodes.draw_column();
            while (!has_bit(level, winner));
        }
        nodes.note_cut({winner, false, best[slot_of_column[winner]]});
        return true;
    }
    /// The best cut found of a column.
    [[nodiscard]] FastCut judged(std::uint32_t column) const {
        return {column, !has_bit(varies, column), best[slot_of_column[column]]};
    }

private:
    static constexpr std::size_t kLanes = FastPocket::kLanes;

    /// Whether the bit of a column is set.
    [[nodiscard]] bool has_bit(const std::vector<std::uint8_t>& bits, std::uint32_t column) const {
        const std::size_t slot = slot_of_column[column];
        return (bits[slot / kLanes] >> (slot % kLanes) & 1U) != 0;
    }
    /// The columns of a node, as bits.
    const std::vector<std::uint8_t>& bits_of_columns(const FastNode& node, const FastNodes& nodes) {
        if (node.n_columns == nodes.options.columns.size()) return all_columns;
        std::fill(columns_of_node.begin(), columns_of_node.end(), std::uint8_t{0});
        for (std::uint32_t c = 0; c < node.n_columns; ++c) {
            const std::size_t slot = slot_of_column[nodes.columns[node.columns + c]];
            columns_of_node[slot / kLanes] |= static_cast<std::uint8_t>(1U << (slot % kLanes));
        }
        return columns_of_node;
    }

    const std::size_t* slot_of_column = nullptr;
    std::vector<double> best;          ///< by slot, of the node at hand
    std::vector<std::uint8_t> varies;  ///< bits by slot, as the next two
    std::vector<std::uint8_t> columns_of_node;
    std::vector<std::uint8_t> level;
    std::vector<std::uint8_t> all_columns;  ///< bits of the tree's columns
};

}  // namespace treewright::forest
