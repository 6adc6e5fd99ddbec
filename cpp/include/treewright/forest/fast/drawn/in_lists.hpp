/// Drawn cuts of large nodes (grower_drawn_cuts.cpp): columns are judged one by one, each gathered
/// by the list of the node's rows; the cells of the best so far are kept, and dividing the node
/// moves what is known of its rows.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "treewright/base/prefetch.hpp"
#include "treewright/forest/fast/drawn/nodes.hpp"

namespace treewright::forest {

template <class T>
struct DrawnInLists : DrawnNodes<T> {
    using Base = DrawnNodes<T>;
    using Base::Base;
    using Base::best;
    using Base::blocks;
    using Base::buffers;
    using Base::class_left;
    using Base::data;
    using Base::gaps;
    using Base::is_nominal;
    using Base::is_two;
    using Base::is_weighed;
    using Base::judge_classes;
    using Base::kOpen;
    using Base::loops;
    using Base::masks;
    using Base::n_classes;
    using Base::nodes;
    using Base::parts;
    using Base::shared;
    using Base::sums_values;
    using Base::table;
    using typename Base::Block;
    using typename Base::Found;
    using typename Base::Rows;

    /// Draws columns and judges them one by one; the cells of the best so far are kept.
    void judge_fetched(const OpenNode& node, const Judgement& judgement, FastLeader leader) {
        while (nodes.lacks_varying() || nodes.lacks_cut()) {
            Found found;
            found.cut.column = nodes.draw_column();
            if (const auto next = nodes.draw_ahead(1); !next.empty()) call_for_cells(node, next[0]);
            const auto [low, high] = fetch(node, found.cut.column);
            found.cut.is_constant = !(low < high);
            if (!found.cut.is_constant) {
                if (is_nominal(found.cut.column)) {
                    send_names(node, found);
                } else {
                    const DrawnCut<T> drawn(node.key, found.cut.column, low, high);
                    found.at = drawn.at;
                    found.bound = drawn.bound;
                }
                found.cut.decrease = judge(node, judgement, found);
            }
            if (node.has_gaps && gaps.in_column(found.cut.column))
                settle_fetched(node, judgement, found);
            nodes.note_column(found.cut.is_constant);
            nodes.note_cut(found.cut);
            if (!leader.meets(found.cut)) continue;
            best = found;
            best_cells = at_hand;
            std::swap(fetched, kept);
            std::swap(names, best_names);
        }
    }

    /// Marks the rows of the best column above its bound; returns how many are not.
    std::uint32_t mark_right(const OpenNode& node) {
        this->for_blocks(node, [&](std::uint32_t from, std::uint32_t n, Block& block) {
            std::uint16_t* own = masks.data() + from / kMarksPerWord;
            block.n_left = loops.mark_right(best_cells + from, n, best.bound, own);
            for (std::uint32_t i = 0; i < n && best.cut.gaps == GapSide::first; ++i) {
                if (best_cells[from + i] == best_cells[from + i]) continue;
                own[i / kMarksPerWord] &= static_cast<std::uint16_t>(~(1U << (i % kMarksPerWord)));
                ++block.n_left;
            }
        });
        std::uint32_t n_left = 0;
        for (const Block& block : blocks) n_left += block.n_left;
        return n_left;
    }

    /// Moves the rows of the children that grow: the first stays (or the one that grows alone), the
    /// second goes to the other buffer.
    void move_rows(const OpenNode& node, std::uint32_t n_left, const bool* grows,
                   OpenNode* children) {
        const bool both = grows[0] && grows[1];
        children[0].end = children[1].begin = node.begin + n_left;
        if (both) children[1].buffer = static_cast<std::uint8_t>(1 - node.buffer);
        else if (grows[1]) {
            children[1].begin = node.begin;
            children[1].end = node.begin + (node.size() - n_left);
        }
        Rows& from = buffers[node.buffer];
        Rows& to = buffers[children[1].buffer];
        const auto move = [&](auto* own, auto* other, auto pick) {
            own += node.begin;
            other += children[1].begin;
            pick(own, node.size(), masks.data(), grows[0] ? own : nullptr,
                 grows[1] ? other : nullptr, node.size() - n_left);
        };
        const auto move_doubles = [&](FarVector<double>& own, FarVector<double>& other) {
            move(own.data(), other.data(), loops.pick_doubles);
        };
        parts.share(is_weighed ? 4 : 3, [&](std::size_t which, std::size_t) {
            if (which == 0) move(from.row.data(), to.row.data(), loops.pick_words);
            else if (which == 1) move(from.weight.data(), to.weight.data(), loops.pick_words);
            else if (which == 3) move_doubles(from.full, to.full);
            else if (sums_values()) move_doubles(from.value, to.value);
            else move(from.target.data(), to.target.data(), loops.pick_words);
        });
    }

    void make_room(std::size_t n) {
        fetched.resize(n + kArrayPadding);
        kept.resize(n + kArrayPadding);
    }

    NameSides best_names;  ///< of the best column, if it has names

private:
    /// Prefetches the cells of the column that is drawn next, while another one is judged: those of
    /// few rows are far apart.
    void call_for_cells(const OpenNode& node, std::uint32_t column) const {
        constexpr std::uint32_t kMostRows = 2048;
        if (node.size() > kMostRows) return;
        const std::uint32_t* rows = buffers[node.buffer].row.data() + node.begin;
        const auto call = [rows, n = node.size()](const auto* cells) {
            for (std::uint32_t i = 0; i < n; ++i) treewright::prefetch(cells + rows[i]);
        };
        if (table.few[column].any()) call(table.few[column].codes.data());
        else call(table.by_column.data() + table.begin[column]);
    }

    /// Gathers a column, unless the node has all rows; returns the least and the greatest
    /// cell.
    std::pair<T, T> fetch(const OpenNode& node, std::uint32_t column) {
        const T* cells = table.by_column.data() + table.begin[column];
        const FewValues<T>& few = table.few[column];
        const std::uint32_t* rows = buffers[node.buffer].row.data() + node.begin;
        const bool is_whole = node.size() == data.n_rows && !few.any();
        at_hand = is_whole ? cells : fetched.data();
        this->for_blocks(node, [&](std::uint32_t from, std::uint32_t n, Block& block) {
            if (few.any()) few.gather(rows + from, n, fetched.data() + from);
            else if (!is_whole) loops.gather(cells, rows + from, n, fetched.data() + from);
            loops.range(at_hand + from, n, block.low, block.high);
        });
        std::pair<T, T> range(blocks[0].low, blocks[0].high);
        for (const Block& block : blocks)
            range = {std::min(range.first, block.low), std::max(range.second, block.high)};
        return range;
    }

    /// Sends the names of the gathered column to sides, which take their places: 0 or 1.
    void send_names(const OpenNode& node, Found& found) {
        const std::uint32_t column = found.cut.column;
        names.find(node.size(), shared.coded[column].n_codes,
                   [cells = at_hand](std::uint32_t i) { return cells[i]; });
        names.draw(node.key.with(column));
        for (std::uint32_t i = 0; i < node.size(); ++i) fetched[i] = names.side_of(at_hand[i]);
        at_hand = fetched.data();
        found.at = 0.5;
        found.bound = static_cast<T>(0.5);
    }

    /// Sums up the rows of the gathered column that are up to a bound.
    void count(const OpenNode& node, Found& found) {
        const Rows& rows = buffers[node.buffer];
        this->for_blocks(node, [&](std::uint32_t from, std::uint32_t n, Block& block) {
            const T* cells = at_hand + from;
            const std::uint32_t at = node.begin + from;
            const std::uint32_t* weights = rows.weight.data() + at;
            const auto count_values = [&](const FarVector<double>& values, double& weight,
                                          double& sum) {
                loops.count_values(cells, n, found.bound, weights, values.data() + at, weight, sum);
            };
            if (is_weighed) {
                count_values(rows.full, block.copies, block.weight);
                count_values(rows.value, block.copies, block.sum);
            } else if (is_two) {
                loops.count_two(cells, n, found.bound, weights, rows.target.data() + at,
                                block.weight, block.sum);
            } else {
                count_values(rows.value, block.weight, block.sum);
            }
        });
        for (const Block& block : blocks) {  // exact: in any order
            found.weight_left += block.weight;
            found.sum_left += block.sum;
            found.copies_left += block.copies;
        }
    }

    [[nodiscard]] static double decrease_of(const Judgement& judgement, const Found& found) {
        return judgement.decrease(found.weight_left, found.sum_left, found.copies_left);
    }

    /// The decrease of the impurity by a cut of the gathered column.
    [[nodiscard]] double judge(const OpenNode& node, const Judgement& judgement, Found& found) {
        if (n_classes <= 2) {
            count(node, found);
            return decrease_of(judgement, found);
        }
        this->for_blocks(node, [&](std::uint32_t from, std::uint32_t n, Block& block) {
            const std::uint32_t* targets = this->targets_of(node) + node.begin + from;
            const std::uint32_t* weights = this->weights_of(node) + node.begin + from;
            const T* cells = at_hand + from;
            block.classes.assign(n_classes, 0);
            for (std::uint32_t i = 0; i < n; ++i)
                block.classes[targets[i]] += cells[i] <= found.bound ? weights[i] : 0;
        });
        class_left.assign(n_classes, 0);
        for (const Block& block : blocks)
            for (std::uint32_t k = 0; k < n_classes; ++k) class_left[k] += block.classes[k];
        return judge_classes(node, judgement);
    }

    /// Judges the cut of a gathered column with missing values on the first side as well.
    void settle_fetched(const OpenNode& node, const Judgement& judgement, Found& found) {
        const std::vector<std::uint32_t> left = class_left;
        Found known = found;
        known.at = kOpen;
        known.bound = std::numeric_limits<T>::infinity();
        known.weight_left = known.sum_left = known.copies_left = 0.0;
        known.cut.decrease = judge(node, judgement, known);
        known.cut.is_constant = false;
        known.cut.gaps = GapSide::second;
        if (n_classes > 2)
            known.weight_left = std::accumulate(class_left.begin(), class_left.end(), 0.0);
        if (known.weight_left == node.weight || known.weight_left == 0.0) return;
        if (found.cut.is_constant) {
            found = known;
            return;
        }
        found.cut.gaps = GapSide::second;
        Found other = found;
        other.cut.gaps = GapSide::first;
        if (n_classes > 2) {
            for (std::uint32_t k = 0; k < n_classes; ++k)
                class_left[k] = left[k] + (nodes.classes[node.classes + k] - class_left[k]);
            other.cut.decrease = judge_classes(node, judgement);
        } else {
            other.weight_left += node.weight - known.weight_left;
            other.sum_left += node.sum - known.sum_left;
            other.copies_left += is_weighed ? node.copies - known.copies_left : 0.0;
            other.cut.decrease = decrease_of(judgement, other);
        }
        if (first_side_is_better(other.cut.decrease, found.cut.decrease, judgement.purity))
            found = other;
    }

    FarVector<T> fetched;           ///< the column at hand of a large node
    FarVector<T> kept;              ///< the best column so far
    const T* at_hand = nullptr;     ///< where the cells of the former are
    const T* best_cells = nullptr;  ///< and those of the latter
    NameSides names;                ///< of the column at hand
};

}  // namespace treewright::forest
