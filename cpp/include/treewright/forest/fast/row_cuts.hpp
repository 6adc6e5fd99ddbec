/// The best cut of a column in growing on rows, and its place: the same numbers as from sorted
/// lists (list_cuts.hpp), from the sums of runs of equal values.
///
/// Rows without a value are on the second side of every cut, and of the question whether the value
/// is known; where there are some, the cuts are judged once more with them on the first side.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "treewright/base/error.hpp"
#include "treewright/forest/fast/bit_home.hpp"
#include "treewright/forest/fast/gaps.hpp"
#include "treewright/forest/fast/grower.hpp"
#include "treewright/forest/fast/row_measures.hpp"
#include "treewright/split/selection.hpp"
#include "treewright/split/ties.hpp"

namespace treewright::forest {

struct RowCuts : RowMeasures {
    using RowMeasures::RowMeasures;

    /// Calls f(codes of a column) by the numbers that the rows of the node have.
    template <class F>
    decltype(auto) with_codes(const FastNode& node, std::uint32_t column, F&& f) const {
        if (node.is_home) return f(home.codes(column));
        return shared.coded[column].visit(f);
    }

    void collect(const FastNode& node, std::uint32_t column, RowRuns& runs) const {
        const CodedColumn& coded = shared.coded[column];
        with_codes(node, column, [&](const auto& codes) {
            if (kind == Kind::classes)
                runs.collect_classes(rows_of(node), coded, codes, row_classes());
            else if (of_classes) runs.collect(rows_of(node), coded, codes, *of_classes);
            else if (is_weighed) runs.collect(rows_of(node), coded, codes, WeighedSums{weighed});
            else if (kind == Kind::two_classes)
                runs.collect(rows_of(node), coded, codes, PairSums{});
            else runs.collect(rows_of(node), coded, codes, ValueSums{on_grid});
        });
    }
    [[nodiscard]] RowClasses row_classes() const {
        return {class_of_row, n_classes, is_weighed ? weighed : nullptr};
    }
    /// The best cut of a column. What it brings need not be exact if it is not above `floor`.
    [[nodiscard]] FastCut judge(const FastNode& node, std::uint32_t column, double floor,
                                Scratch& room) const {
        RowRuns& runs = room.runs;
        if (is_drawn() && (!is_nominal(column) || shared.coded[column].is_narrow()))
            return judge_drawn(node, column, room);
        room.is_binned = false;
        if (is_nominal(column)) return judge_names(node, column, room);
        const auto found_in_bins = collect_bins(node, column, floor, room);
        if (found_in_bins == BinnedRuns::Found::below) return {column, false, floor};
        room.is_binned = found_in_bins == BinnedRuns::Found::runs;
        if (!room.is_binned) collect(node, column, runs);
        if (runs.n + (runs.has_missing ? 1U : 0U) < 2) return {column, true, kNoPlainCut};
        if (node.size() == 2 && has_plain_pairs()) return judge_pair(node, column);
        double found = best(node, room, {GapSide::second, runs.has_missing});
        if (runs.has_missing) found = std::max(found, best(node, room, {GapSide::first, false}));
        return {column, false, decrease_of(node, found)};
    }

    /// Collects the runs of bins, if the column has some and the node rows enough.
    [[nodiscard]] BinnedRuns::Found collect_bins(const FastNode& node, std::uint32_t column,
                                                 double floor, Scratch& room) const {
        const CodedColumn& coded = shared.coded[column];
        if (coded.bins.empty() || node.size() < BinnedRuns::kLeastRows)
            return BinnedRuns::Found::too_many;
        return coded.visit([&](const auto& codes) {
            return room.binned.collect(rows_of(node), coded, codes,
                                       {node.weight, node.sum, nodes.purity_of(node)},
                                       measure_for(node, floor), room.runs);
        });
    }

    /// Keeps the runs of a column that has just been judged, if it leads: they are asked for again
    /// if it wins. Large nodes are few, and their runs many, but for those of bins.
    void keep(const FastNode& node, const FastCut& cut, Scratch& room) const {
        constexpr std::uint32_t kMostKept = 1U << 14;
        if (is_drawn() || !(cut.decrease > room.kept.decrease)) return;
        const bool is_kept = room.is_binned || node.size() <= kMostKept;
        room.kept.column = is_kept ? cut.column : kNowhere;
        room.kept.decrease = cut.decrease;
        if (!is_kept) return;
        std::swap(room.kept.runs, static_cast<Runs&>(room.runs));
        if (is_nominal(cut.column) && !room.is_rough) room.names->swap_found(room.kept.names);
    }
    /// Brings the runs of the winner, which are around its best cut, and of names what was found in
    /// them.
    void bring(const FastNode& node, const FastCut& cut, Scratch& room) const {
        if (room.kept.column == cut.column) {
            std::swap(room.kept.runs, static_cast<Runs&>(room.runs));
            return;
        }
        if (is_nominal(cut.column)) {
            static_cast<void>(seek_names(node, cut.column, room));
            room.names->swap_found(room.kept.names);
        } else if (collect_bins(node, cut.column, cut.decrease, room) != BinnedRuns::Found::runs) {
            collect(node, cut.column, room.runs);
        }
    }

    /// Whether two rows are judged without sums of runs.
    [[nodiscard]] bool has_plain_pairs() const {
        return kind != Kind::classes && !is_weighed && !entropy;
    }
    /// The one cut of two entries is the same in every column.
    [[nodiscard]] FastCut judge_pair(const FastNode& node, std::uint32_t column) const {
        const std::uint32_t* pair = rows_of(node).words;
        const double w = weight_of(pair[0]);
        const double rest = weight_of(pair[1]);
        if (std::min(w, rest) < least) return {column, false, kNoPlainCut};
        const double s = kind == Kind::values         ? w * on_grid[row_of(pair[0])]
                         : (pair[0] & kPositive) != 0 ? w
                                                      : 0.0;
        const double excess = (s * rest - (node.sum - s) * w) / (w + rest);
        const double found = excess * excess / (w * rest);
        return {column, false, kind == Kind::values ? found : 2.0 * found};
    }

    [[nodiscard]] bool is_nominal(std::uint32_t column) const {
        return data.columns[column].scale == data::Scale::nominal;
    }
    [[nodiscard]] bool is_drawn() const {
        return nodes.options.splitter == split::Splitter::random;
    }

    [[nodiscard]] const split::Candidate& seek_names(const FastNode& node, std::uint32_t column,
                                                     Scratch& room) const {
        collect(node, column, room.runs);
        return seek_in(room.runs, node, column, room);
    }
    [[nodiscard]] const split::Candidate& seek_in(const Runs& runs, const FastNode& node,
                                                  std::uint32_t column, Scratch& room) const {
        if (room.names == nullptr) room.names = make_name_search(data, nodes.options, is_weighed);
        return room.names->seek(runs, node.weight, node.sum, node.key.with(column));
    }
    [[nodiscard]] FastCut judge_names(const FastNode& node, std::uint32_t column,
                                      Scratch& room) const {
        collect(node, column, room.runs);
        room.is_rough = room.may_be_rough && has_rough_names(column, room.runs);
        if (room.is_rough) {
            if (room.runs.n < 2) return {column, true, kNoPlainCut};
            return {column, false, rough_names(node, room.runs)};
        }
        const split::Candidate& found = seek_in(room.runs, node, column, room);
        const bool is_constant = found.guard == split::Guard::constant;
        if (found.question == split::Question::none) return {column, is_constant, kNoPlainCut};
        const double share = share_paid_by(found, column, node.copies);
        return {column, false, found.gain, GapSide::heavier, share};
    }

    // Of few names the search costs far more than the cuts that it tries. They are judged by the
    // same cuts, up to rounding; the search follows only where names may win (settle_rough).

    static constexpr std::uint32_t kFewRuns = 4;
    [[nodiscard]] bool has_rough_names(std::uint32_t column, const Runs& runs) const {
        return kind == Kind::two_classes && !entropy && !is_drawn() && !runs.has_missing &&
               nodes.options.nominal == split::Nominal::subset && runs.n <= kFewRuns &&
               data.columns[column].n_codes <= split::kFewValues;  // they pay nothing
    }
    /// The best cut of the order of the names by their share of the second class
    /// (split/nominal/subset.hpp).
    [[nodiscard]] double rough_names(const FastNode& node, const Runs& runs) const {
        struct Name {
            double share;
            double weight;
            double target;
            double copies;
        };
        Name names[kFewRuns];
        Name before{};
        for (std::uint32_t i = 0; i < runs.n; ++i) {
            const double copies = is_weighed ? runs.copies[i] : 0.0;
            Name name{0.0, runs.weight[i] - before.weight, runs.target[i] - before.target,
                      copies - before.copies};
            before = {0.0, runs.weight[i], runs.target[i], copies};
            name.share = name.target / name.weight;
            std::uint32_t at = i;
            for (; at > 0 && names[at - 1].share > name.share; --at) names[at] = names[at - 1];
            names[at] = name;
        }
        const FastMean mean(node.sum, node.weight, true);
        double most = kNoPlainCut;
        Name up_to{};
        for (std::uint32_t i = 0; i + 1 < runs.n; ++i) {
            up_to.weight += names[i].weight;
            up_to.target += names[i].target;
            up_to.copies += names[i].copies;
            if (!admits(node, up_to.weight, up_to.copies)) continue;
            const double excess = up_to.target - mean.rest * up_to.weight;
            most = std::max(most, excess * excess / (up_to.weight * (node.weight - up_to.weight)));
        }
        return decrease_of(node, most);
    }
    /// Judges the cuts that were judged roughly, at some places, as the search does if they may
    /// win: if none is better by more than roundings, or if others pay for their choice.
    void settle_rough(const FastNode& node, double purity, const std::vector<std::uint32_t>& rough,
                      std::vector<FastCut>& cuts, Scratch& room) const {
        if (rough.empty()) return;
        double most = kNoPlainCut;
        bool any_pays = false;
        for (const FastCut& cut : cuts) {
            most = std::max(most, cut.decrease);
            any_pays = any_pays || cut.share > 0.0;
        }
        constexpr double kRoundings = 64.0;  // of one tie
        const double near = most - kRoundings * split::kTie * (2.0 * purity + most);
        for (const std::uint32_t i : rough) {
            FastCut& cut = cuts[i];
            if (cut.decrease < 0.0 || (cut.decrease < near && !any_pays)) continue;
            const bool is_kept = room.kept.column == cut.column;
            cut.decrease = is_kept ? seek_in(room.kept.runs, node, cut.column, room).gain
                                   : seek_names(node, cut.column, room).gain;
            if (is_kept) room.names->swap_found(room.kept.names);
        }
    }

    /// Of the impurity of a node of so many rows, for a choice among many names.
    [[nodiscard]] double share_paid_by(const split::Candidate& found, std::uint32_t column,
                                       double n_rows) const {
        if (!nodes.options.guard_many_values) return 0.0;
        return share_of_choice(found, data.columns[column], n_rows * nodes.options.distinct_share);
    }

    /// Draws a cut and sums up its sides.
    [[nodiscard]] DrawnCut draw(const FastNode& node, std::uint32_t column, Scratch& room) const {
        const CodedColumn& coded = shared.coded[column];
        const NodeRows rows = rows_of(node);
        const Generator generator(node.key.with(column));
        const DrawnCut made = is_nominal(column)
                                  ? draw_names(rows, coded, generator, room.drawn_names)
                                  : draw_cut(rows, coded, generator, room.values);
        if (!made.varies && !(made.any_known && made.has_missing)) return made;
        RowRuns& runs = room.runs;
        const auto sum_up = [&](const auto& value_at) {
            if (kind == Kind::classes)
                runs.collect_parted_classes(rows, value_at, made.at, row_classes());
            else if (is_weighed)
                runs.collect_parted(rows, value_at, made.at, made.has_missing, WeighedSums{weighed},
                                    {node.weight, node.sum, node.copies});
            else if (kind == Kind::values)
                runs.collect_parted(rows, value_at, made.at, made.has_missing, ValueSums{on_grid},
                                    {node.weight, node.sum});
            else
                runs.collect_parted(rows, value_at, made.at, made.has_missing, PairSums{},
                                    static_cast<std::uint64_t>(node.weight) << 32 |
                                        static_cast<std::uint64_t>(node.sum));
        };
        if (is_nominal(column))
            sum_up([codes = coded.narrow.data(), sides = room.drawn_names.side_of_code.data()](
                       std::uint32_t, std::uint32_t row) { return sides[codes[row]]; });
        else
            sum_up([values = room.values.data()](std::uint32_t i, std::uint32_t) {
                return values[i];
            });
        return made;
    }
    /// Rows without a value take the better side of a drawn cut.
    [[nodiscard]] FastCut judge_drawn(const FastNode& node, std::uint32_t column,
                                      Scratch& room) const {
        const DrawnCut made = draw(node, column, room);
        if (!made.varies) {
            if (!made.has_missing || !made.any_known) return {column, true, kNoPlainCut};
            return {column, false, decrease_of(node, best(node, room, {GapSide::second, true})),
                    GapSide::second};
        }
        const double second = decrease_of(node, best(node, room, {GapSide::second, false}));
        if (!made.has_missing) return {column, false, second};
        const double first = decrease_of(node, best(node, room, {GapSide::first, false}));
        if (first_side_is_better(first, second, tie_scale_of(node)))
            return {column, false, first, GapSide::first};
        return {column, false, second, GapSide::second};
    }

    /// Where a column is cut: codes up to `code` go to the first side.
    struct Located {
        std::uint32_t code = 0;
        std::uint32_t above = 0;  ///< the next code that a row of the node has
        GapSide gaps = GapSide::heavier;
        bool is_open = false;  ///< "is the value known?"
        bool is_drawn = false;
        double drawn = 0.0;
        bool is_names = false;  ///< sides by Scratch::side_of_code instead
        /// Names: what was found, where it was not drawn.
        const split::Candidate* names = nullptr;
        double weight = 0.0;  ///< of the first side; of more than two classes not set, as the next
        double target = 0.0;
        double copies = 0.0;
    };

    /// Of cuts that tie the first one is taken, those with the gaps on the second side before the
    /// others; the question whether the value is known only if it is better than all of them
    /// (split/numeric/threshold.hpp, split/known.hpp).
    [[nodiscard]] Located locate(const FastNode& node, const FastCut& cut, double purity,
                                 Scratch& room) const {
        if (is_drawn() && (!is_nominal(cut.column) || shared.coded[cut.column].is_narrow()))
            return is_nominal(cut.column) ? locate_drawn_names(node, cut, room)
                                          : locate_drawn(node, cut, room);
        if (is_nominal(cut.column)) return locate_names(node, cut, room);
        RowRuns& runs = room.runs;
        bring(node, cut, room);
        const auto enough_for = [&](double most) { return most - split::kTie * (purity + most); };
        if (!runs.has_missing) {
            if (node.size() == 2 && has_plain_pairs()) return located(runs, 0, GapSide::heavier);
            return located(runs, first_of(node, room, {}, enough_for(cut.decrease)),
                           GapSide::heavier);
        }
        const std::uint32_t last = runs.n - 1;
        double by_known = kNoPlainCut;
        for_each_cut(node, room, {GapSide::second, true}, [&](std::uint32_t run, double measure) {
            if (run == last) by_known = decrease_of(node, measure);
            return false;
        });
        double most = cut.decrease;
        bool asks_known = true;
        if (by_known >= most - 8.0 * split::kTie * (purity + most)) {
            asks_known = false;
            most = decrease_of(node, std::max(best(node, room, {GapSide::second, false}),
                                              best(node, room, {GapSide::first, false})));
            if (most < 0.0 || by_known > most + split::kTie * (2.0 * purity + by_known)) {
                Located known = located(runs, last, GapSide::second);
                known.is_open = true;
                return known;
            }
        }
        const std::uint32_t second =
            first_of(node, room, {GapSide::second, asks_known}, enough_for(most));
        if (second != kNowhere) return located(runs, second, GapSide::second);
        return located(runs, first_of(node, room, {GapSide::first, false}, enough_for(most)),
                       GapSide::first);
    }

    /// Rows of the node that have the values on either side of a cut.
    [[nodiscard]] split::CutRows rows_beside(const FastNode& node, std::uint32_t column,
                                             const Located& found) const {
        return with_codes(node, column, [&](const auto& codes) {
            const NodeRows rows = rows_of(node);
            const auto row_with = [&](std::uint32_t code) {
                std::uint32_t i = 0;
                while (codes[row_of(rows.words[i])] != code) ++i;
                return row_of(rows.words[i]);
            };
            return split::CutRows{row_with(found.code), row_with(found.above)};
        });
    }

    BitHome home;

private:
    [[nodiscard]] Located locate_drawn(const FastNode& node, const FastCut& cut,
                                       Scratch& room) const {
        const DrawnCut made = draw(node, cut.column, room);
        Located found = located(room.runs, 0, cut.gaps);
        found.is_open = !made.varies;
        found.is_drawn = true;
        found.drawn = made.at;
        return found;
    }

    [[nodiscard]] Located locate_drawn_names(const FastNode& node, const FastCut& cut,
                                             Scratch& room) const {
        Located found = locate_drawn(node, cut, room);
        found.is_names = true;
        found.is_drawn = false;
        const DrawnNames& names = room.drawn_names;
        room.side_of_code.assign(std::size_t{shared.coded[cut.column].n_codes} + 1, 1);
        for (std::size_t i = 0; i < names.code.size(); ++i)
            room.side_of_code[names.code[i]] = static_cast<std::uint8_t>(names.branch[i]);
        if (room.runs.has_missing && cut.gaps == GapSide::first) room.side_of_code.back() = 0;
        if (!room.runs.has_missing) found.gaps = GapSide::heavier;
        return found;
    }

    [[nodiscard]] Located locate_names(const FastNode& node, const FastCut& cut,
                                       Scratch& room) const {
        const RowRuns& runs = room.runs;
        Located found;
        found.is_names = true;
        bring(node, cut, room);
        found.names = &room.kept.names;
        const split::Candidate& names = *found.names;
        sides_of_codes(names, runs, shared.coded[cut.column].n_codes, room.side_of_code);
        double weight_before = 0.0;
        double target_before = 0.0;
        double copies_before = 0.0;
        for (std::uint32_t i = 0; i < runs.n; ++i) {
            if (names.branch_of_run[i] == 0 && kind != Kind::classes) {
                found.weight += runs.weight[i] - weight_before;
                found.target += runs.target[i] - target_before;
                found.copies += runs.copies[i] - copies_before;
            }
            weight_before = runs.weight[i];
            target_before = runs.target[i];
            copies_before = runs.copies[i];
        }
        if (names.missing_branch < 0) return found;
        found.gaps = names.missing_branch == 0 ? GapSide::first : GapSide::second;
        if (found.gaps == GapSide::second) return found;
        found.weight += runs.missing_weight;
        found.target += runs.missing_target;
        found.copies += runs.missing_copies;
        return found;
    }

    [[nodiscard]] static Located located(const RowRuns& runs, std::uint32_t run, GapSide gaps) {
        require(run < runs.n, "a place for the cut");
        Located found;
        found.code = runs.code[run];
        found.above = run + 1 < runs.n ? runs.code[run + 1] : found.code;
        found.gaps = gaps;
        found.weight = runs.weight[run] + (gaps == GapSide::first ? runs.missing_weight : 0.0);
        found.target = runs.target[run] + (gaps == GapSide::first ? runs.missing_target : 0.0);
        found.copies = runs.copies[run] + (gaps == GapSide::first ? runs.missing_copies : 0.0);
        return found;
    }
};

}  // namespace treewright::forest
