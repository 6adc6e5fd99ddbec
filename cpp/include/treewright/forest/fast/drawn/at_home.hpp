/// Drawn cuts of small nodes (grower_drawn_cuts.cpp), whose rows are in a RowCache: up to eight
/// columns are judged together, and dividing a node moves no cell.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>
#include <vector>

#include "treewright/forest/fast/drawn/in_lists.hpp"

namespace treewright::forest {

template <class T>
struct DrawnAtHome : DrawnInLists<T> {
    using Base = DrawnInLists<T>;
    using Base::Base;
    using Base::best;
    using Base::buffers;
    using Base::class_left;
    using Base::data;
    using Base::gaps;
    using Base::home;
    using Base::is_two;
    using Base::is_weighed;
    using Base::judge_classes;
    using Base::kNoCut;
    using Base::kOpen;
    using Base::n_classes;
    using Base::nodes;
    using Base::sums_values;
    using Base::table;
    using typename Base::Rows;

    /// Copies the data of a node's rows to the row cache, where its subtree is grown.
    void bring_home(OpenNode& node) {
        const Rows& rows = buffers[node.buffer];
        const std::uint32_t n = node.size();
        const std::uint32_t from = node.begin;
        std::copy_n(rows.row.data() + from, n, home.row.data());
        std::copy_n(rows.weight.data() + from, n, home.weight.data());
        if (n_classes > 0) std::copy_n(rows.target.data() + from, n, home.target.data());
        if (is_weighed) std::copy_n(rows.full.data() + from, n, home.full.data());
        const bool is_pair = is_two && !is_weighed && node.weight <= RowCache<T>::kMostPairs;
        for (std::uint32_t i = 0; i < n && !is_pair; ++i)
            home.value[i] = sums_values() ? rows.value[from + i] : rows.target[from + i];
        home.move_in(table.by_row.data(), data.columns.size(), n, is_pair);
        home.has_values = n_classes == 0 || (is_two && !is_pair);
        node.is_home = true;
        node.begin = 0;
        node.end = n;
        if (!node.has_gaps) return;
        for (std::uint32_t i = 0; i < n; ++i) home.gap[i] = gaps.at_row(home.row[i]) ? 1 : 0;
        node.has_gaps = home.has_gaps(0, n);
    }

    /// Number of columns evaluated together if so many are still lacking. Where some have been
    /// found to be constant, more may be: others are evaluated in advance, as many as cost nothing,
    /// or where many are constant as a look can take.
    [[nodiscard]] std::size_t n_to_look_at(const OpenNode& node, std::size_t n_lacking) const {
        constexpr std::size_t kMany = 4;  // of so many one
        const std::size_t n_all = nodes.options.columns.size();
        const std::size_t n_dropped = n_all - node.n_columns;
        if (n_dropped == 0) return std::clamp<std::size_t>(n_lacking, 1, kLanes);
        const bool is_wide = n_lacking > kFewLanes || kMany * n_dropped > n_all;
        return std::min<std::size_t>(is_wide ? kLanes : kFewLanes, node.n_columns);
    }
    void aim(const OpenNode& node, const Judgement& judgement,
             std::span<const std::uint32_t> columns, std::size_t n_wanted, Lanes<T>& lanes) const {
        home.aim(node.begin, node.size(), node.key, judgement, columns, n_wanted, lanes);
    }

    /// Takes the best cut of a node's first evaluation if no further one is needed.
    bool take_winner(const OpenNode& node, const Lanes<T>& lanes) {
        const std::uint32_t all = (1U << lanes.n_wanted) - 1U;
        if (lanes.n_wanted != nodes.n_wanted_of(node) || n_classes > 2 ||
            (lanes.varies & all) != all || lanes.winner == kLanes)
            return false;
        take(lanes, lanes.winner, lanes.decrease[lanes.winner]);
        return true;
    }

    /// Draws columns and judges some of them together, beginning with those of the first evaluation
    /// if there was one; returns where the best was found.
    const Lanes<T>* judge_at_home(const OpenNode& node, const Judgement& judgement,
                                  Lanes<T>* first) {
        FastLeader leader(judgement.purity);
        const Lanes<T>* found = nullptr;
        for (std::size_t k = 0; nodes.lacks_varying() || nodes.lacks_cut(); ++k) {
            if (k == looks.size()) looks.emplace_back();
            Lanes<T>& lanes = k == 0 && first != nullptr ? *first : looks[k];
            if (&lanes != first) look(k, node, judgement, looks[k]);
            if (k == 0 && take_winner(node, lanes)) return &lanes;
            for (std::size_t lane = 0;
                 lane < lanes.n_looked && (nodes.lacks_varying() || nodes.lacks_cut()); ++lane) {
                FastCut cut{nodes.draw_column(), (lanes.varies >> lane & 1U) == 0, kNoCut};
                nodes.note_column(cut.is_constant);
                if (cut.is_constant) {
                    nodes.note_cut(cut);
                    continue;
                }
                cut.decrease = n_classes > 2 && lanes.gaps[lane] != GapSide::heavier
                                   ? judge_gaps(node, lanes, lane)
                                   : lanes.decrease[lane];
                nodes.note_decrease(cut.decrease);
                if (leader.meets(cut)) {
                    take(lanes, lane, cut.decrease);
                    found = &lanes;
                }
            }
        }
        return found;
    }

    /// Judges the cuts of columns with gaps with them on the first side as well. That of more than
    /// two classes waits until the column is drawn (judge_gaps).
    void settle_gaps(const OpenNode& node, Lanes<T>& lanes) {
        home.find_missing(lanes);
        for (std::size_t lane = 0; lane < lanes.n_looked; ++lane) {
            if (!gaps.in_column(lanes.column[lane])) continue;
            const auto [weight, sum, copies] = home.sums_of_missing(lanes, lane);
            if (weight == 0.0) continue;
            lanes.winner = kLanes;
            if (weight == node.weight) continue;  // nothing is known: constant
            const Judgement& judgement = lanes.judgement;
            lanes.gaps[lane] = GapSide::second;
            if ((lanes.varies >> lane & 1U) == 0) {
                lanes.varies |= static_cast<std::uint8_t>(1U << lane);
                lanes.at[lane] = kOpen;
                lanes.weight[lane] = node.weight - weight;
                lanes.sum[lane] = node.sum - sum;
                lanes.copies[lane] = is_weighed ? node.copies - copies : 0.0;
                lanes.decrease[lane] =
                    judgement.decrease(lanes.weight[lane], lanes.sum[lane], lanes.copies[lane]);
                continue;
            }
            if (n_classes > 2) continue;
            const double copies_left = is_weighed ? lanes.copies[lane] + copies : 0.0;
            const double with_first =
                judgement.decrease(lanes.weight[lane] + weight, lanes.sum[lane] + sum, copies_left);
            if (!first_side_is_better(with_first, lanes.decrease[lane], judgement.purity)) continue;
            lanes.gaps[lane] = GapSide::first;
            lanes.weight[lane] += weight;
            lanes.sum[lane] += sum;
            lanes.copies[lane] = copies_left;
            lanes.decrease[lane] = with_first;
        }
    }

    /// Divides the rows of a node by the best cut; returns how many are on the first side.
    std::uint32_t divide_home(const OpenNode& node, const Lanes<T>& lanes) {
        const bool is_open = best.at == kOpen;
        if (is_open || best.cut.gaps == GapSide::first) home.mark_gaps(lanes, best.lane, is_open);
        return home.divide(node.begin, lanes, best.lane);
    }

private:
    /// Draws columns and evaluates some of them together.
    void look(std::size_t k, const OpenNode& node, const Judgement& judgement, Lanes<T>& lanes) {
        const std::size_t n_lacking = std::clamp<std::size_t>(nodes.n_lacking(), 1, kLanes);
        aim(node, judgement, nodes.draw_ahead(n_to_look_at(node, nodes.n_lacking())), n_lacking,
            lanes);
        home.look(k, {&lanes, 1});
        if (n_classes > 2) home.look_at_classes(k, this->sums_of(node), lanes);
        if (node.has_gaps) settle_gaps(node, lanes);
    }

    void take(const Lanes<T>& lanes, std::size_t lane, double decrease) {
        best = {{static_cast<std::uint32_t>(lanes.column[lane]), false, decrease, lanes.gaps[lane]},
                lanes.at[lane],
                {},
                lanes.weight[lane],
                lanes.sum[lane],
                is_weighed ? lanes.copies[lane] : 0.0,
                lane};
    }

    /// The decrease by the cut of a lane with missing values, of more than two classes.
    [[nodiscard]] double judge_gaps(const OpenNode& node, Lanes<T>& lanes, std::size_t lane) {
        const bool is_open = std::isinf(lanes.at[lane]);
        if (is_open) home.mark_gaps(lanes, lane, true);
        class_left.assign(n_classes, 0);
        for (std::uint32_t i = 0; i < node.size(); ++i) {
            const std::uint32_t at = home.rows[node.begin + i];
            class_left[home.target[at]] += lanes.is_marked(i, lane) ? home.weight[at] : 0;
        }
        const double with_second = judge_classes(node, lanes.judgement);
        if (is_open) return with_second;
        for (std::uint32_t i = 0; i < node.size(); ++i) {
            const std::uint32_t at = home.rows[node.begin + i];
            if (lanes.is_missing(i, lane)) class_left[home.target[at]] += home.weight[at];
        }
        const double with_first = judge_classes(node, lanes.judgement);
        if (!first_side_is_better(with_first, with_second, lanes.judgement.purity))
            return with_second;
        lanes.gaps[lane] = GapSide::first;
        return with_first;
    }

    std::deque<Lanes<T>> looks;  ///< at the columns of the node at hand, some at a time
};

}  // namespace treewright::forest
