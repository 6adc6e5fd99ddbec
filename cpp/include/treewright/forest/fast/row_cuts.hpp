/// The best cut of a column in growing on rows, and its place: the same numbers as from sorted
/// lists (list_cuts.hpp), from the sums of runs of equal values.
///
/// Rows without a value are on the second side of every cut, and of the question whether the value
/// is known; where there are some, the cuts are judged once more with them on the first side.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "treewright/base/error.hpp"
#include "treewright/forest/fast/bit_home.hpp"
#include "treewright/forest/fast/gaps.hpp"
#include "treewright/forest/fast/grower.hpp"
#include "treewright/forest/fast/kernels/scan.hpp"
#include "treewright/forest/fast/name_search.hpp"
#include "treewright/forest/fast/nodes.hpp"
#include "treewright/forest/fast/row_draws.hpp"
#include "treewright/forest/fast/row_runs.hpp"
#include "treewright/split/selection.hpp"
#include "treewright/split/ties.hpp"

namespace treewright::forest {

struct RowCuts {
    enum class Kind : std::uint8_t { two_classes, classes, values };

    RowCuts(const FastData& shared, const grow::GrowOptions& options)
        : shared(shared),
          data(*shared.data),
          nodes(options, data.target, data.columns.size()),
          n_classes(data.target.is_classification() ? data.target.n_classes[0] : 0),
          kind(n_classes == 0            ? Kind::values
               : data.target.is_binary() ? Kind::two_classes
                                         : Kind::classes),
          least(std::max({1.0, std::ceil(options.min_leaf), std::ceil(options.min_leaf_weight)})) {
        nodes.is_unpacked = shared.has_names;
    }

    /// Working memory of one thread.
    struct Scratch {
        RowRuns runs;
        std::unique_ptr<NameSearch> names;
        double share_of_choice = 0.0;  ///< that the last column judged pays (split/selection.hpp)
        std::vector<std::uint8_t> side_of_code;  ///< of the names that were located
        std::vector<double> left;  ///< sums of squares of the class counts on either side
        std::vector<double> right;
        std::vector<double> weight;  ///< of the first side
        std::vector<double> class_left;
        std::vector<double> class_right;
    };

    [[nodiscard]] NodeRows rows_of(const FastNode& node) const {
        return {words + node.begin, node.size()};
    }

    /// Calls f(codes of a column) by the numbers that the rows of the node have.
    template <class F>
    decltype(auto) with_codes(const FastNode& node, std::uint32_t column, F&& f) const {
        if (node.is_home) return f(home.codes(column));
        return shared.coded[column].visit(f);
    }

    void collect(const FastNode& node, std::uint32_t column, RowRuns& runs) const {
        const CodedColumn& coded = shared.coded[column];
        with_codes(node, column, [&](const auto& codes) {
            if (kind == Kind::two_classes) runs.collect(rows_of(node), coded, codes, PairSums{});
            else if (kind == Kind::values)
                runs.collect(rows_of(node), coded, codes, ValueSums{on_grid});
            else runs.collect_classes(rows_of(node), coded, codes, class_of_row, n_classes);
        });
    }
    [[nodiscard]] FastCut judge(const FastNode& node, std::uint32_t column, Scratch& room) const {
        RowRuns& runs = room.runs;
        room.share_of_choice = 0.0;
        if (is_nominal(column)) return judge_names(node, column, room);
        if (is_drawn()) return judge_drawn(node, column, room);
        collect(node, column, runs);
        if (runs.n + (runs.has_missing ? 1U : 0U) < 2) return {column, true, kNoPlainCut};
        if (node.size() == 2 && kind != Kind::classes) return judge_pair(node, column);
        double found = best(node, room, {GapSide::second, runs.has_missing});
        if (runs.has_missing) found = std::max(found, best(node, room, {GapSide::first, false}));
        return {column, false, decrease_of(node, found)};
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
        if (room.names == nullptr) room.names = make_name_search(data, nodes.options);
        return room.names->seek(room.runs, node.weight, node.sum, node.key.with(column));
    }
    [[nodiscard]] FastCut judge_names(const FastNode& node, std::uint32_t column,
                                      Scratch& room) const {
        const split::Candidate& found = seek_names(node, column, room);
        const bool is_constant = found.guard == split::Guard::constant;
        if (found.question == split::Question::none) return {column, is_constant, kNoPlainCut};
        if (nodes.options.guard_many_values)
            room.share_of_choice = share_of_choice(found, data.columns[column],
                                                   node.weight * nodes.options.distinct_share);
        return {column, false, found.gain};
    }

    /// Draws a cut and sums up its sides.
    [[nodiscard]] DrawnCut draw(const FastNode& node, std::uint32_t column, RowRuns& runs) const {
        const CodedColumn& coded = shared.coded[column];
        const NodeRows rows = rows_of(node);
        const DrawnCut made = draw_cut(rows, coded, Generator(node.key.with(column)));
        if (!made.varies && !(made.any_known && made.has_missing)) return made;
        with_values(coded, [&](const auto& value_at) {
            if (kind == Kind::classes)
                runs.collect_parted_classes(rows, value_at, made.at, class_of_row, n_classes);
            else if (kind == Kind::values)
                runs.collect_parted(rows, value_at, made.at, made.has_missing, ValueSums{on_grid},
                                    {node.weight, node.sum});
            else
                runs.collect_parted(rows, value_at, made.at, made.has_missing, PairSums{},
                                    static_cast<std::uint64_t>(node.weight) << 32 |
                                        static_cast<std::uint64_t>(node.sum));
        });
        return made;
    }
    /// Rows without a value take the better side of a drawn cut.
    [[nodiscard]] FastCut judge_drawn(const FastNode& node, std::uint32_t column,
                                      Scratch& room) const {
        const DrawnCut made = draw(node, column, room.runs);
        if (!made.varies) {
            if (!made.has_missing || !made.any_known) return {column, true, kNoPlainCut};
            return {column, false, decrease_of(node, best(node, room, {GapSide::second, true})),
                    GapSide::second};
        }
        const double second = decrease_of(node, best(node, room, {GapSide::second, false}));
        if (!made.has_missing) return {column, false, second};
        const double first = decrease_of(node, best(node, room, {GapSide::first, false}));
        if (first_side_is_better(first, second, nodes.purity_of(node)))
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
        const split::Candidate* names = nullptr;  ///< sides by Scratch::side_of_code instead
        double weight = 0.0;  ///< of the first side; of more than two classes not set, as the next
        double target = 0.0;
    };

    /// Of cuts that tie the first one is taken, those with the gaps on the second side before the
    /// others; the question whether the value is known only if it is better than all of them
    /// (split/numeric/threshold.hpp, split/known.hpp).
    [[nodiscard]] Located locate(const FastNode& node, const FastCut& cut, double purity,
                                 Scratch& room) const {
        if (is_nominal(cut.column)) return locate_names(node, cut.column, room);
        if (is_drawn()) return locate_drawn(node, cut, room);
        RowRuns& runs = room.runs;
        collect(node, cut.column, runs);
        const auto enough_for = [&](double most) { return most - split::kTie * (purity + most); };
        if (!runs.has_missing) {
            if (node.size() == 2 && kind != Kind::classes)
                return located(runs, 0, GapSide::heavier);
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

    const FastData& shared;
    const data::Dataset& data;
    FastNodes nodes;
    std::uint32_t n_classes;
    Kind kind;
    double least;                          ///< weight that either side of a cut must have
    const std::uint32_t* words = nullptr;  ///< of the tree's rows; a node is a range of them
    const double* on_grid = nullptr;       ///< targets on the grid, by row of the node at hand
    const std::int32_t* class_of_row = nullptr;  ///< more than two classes, by row as well
    BitHome home;

private:
    static constexpr std::uint32_t kNowhere = ~0U;

    /// Which cuts are gone through.
    struct Cuts {
        GapSide gaps = GapSide::second;  ///< where rows without a value are
        bool asks_known = false;         ///< on the second side: also the cut between them and all
    };

    [[nodiscard]] Located locate_drawn(const FastNode& node, const FastCut& cut,
                                       Scratch& room) const {
        const DrawnCut made = draw(node, cut.column, room.runs);
        Located found = located(room.runs, 0, cut.gaps);
        found.is_open = !made.varies;
        found.is_drawn = true;
        found.drawn = made.at;
        return found;
    }

    [[nodiscard]] Located locate_names(const FastNode& node, std::uint32_t column,
                                       Scratch& room) const {
        const RowRuns& runs = room.runs;
        Located found;
        found.names = &seek_names(node, column, room);
        const split::Candidate& names = *found.names;
        room.side_of_code.assign(std::size_t{shared.coded[column].n_codes} + 1, 1);
        double weight_before = 0.0;
        double target_before = 0.0;
        for (std::uint32_t i = 0; i < runs.n; ++i) {
            const auto side = static_cast<std::uint8_t>(names.branch_of_run[i]);
            room.side_of_code[runs.code[i]] = side;
            if (side == 0 && kind != Kind::classes) {
                found.weight += runs.weight[i] - weight_before;
                found.target += runs.target[i] - target_before;
            }
            weight_before = runs.weight[i];
            target_before = runs.target[i];
        }
        if (names.missing_branch < 0) return found;
        found.gaps = names.missing_branch == 0 ? GapSide::first : GapSide::second;
        if (found.gaps == GapSide::second) return found;
        room.side_of_code.back() = 0;
        found.weight += runs.missing_weight;
        found.target += runs.missing_target;
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
        return found;
    }

    /// The decrease of the impurity, per unit of weight, that a measure of for_each_cut means.
    [[nodiscard]] double decrease_of(const FastNode& node, double measure) const {
        if (measure == kNoPlainCut) return kNoPlainCut;
        if (kind == Kind::two_classes) return 2.0 * measure;
        if (kind == Kind::values) return measure;
        return std::max(0.0, measure / node.weight - nodes.purity_of(node));
    }
    [[nodiscard]] double measure_for(const FastNode& node, double decrease) const {
        if (kind == Kind::two_classes) return decrease / 2.0;
        if (kind == Kind::values) return decrease;
        return (decrease + nodes.purity_of(node)) * node.weight;
    }

    /// The first cut of enough decrease: the run that it follows.
    [[nodiscard]] std::uint32_t first_of(const FastNode& node, Scratch& room, const Cuts& cuts,
                                         double enough) const {
        const double least_measure = measure_for(node, enough);
        std::uint32_t found = kNowhere;
        for_each_cut(node, room, cuts, [&](std::uint32_t run, double measure) {
            if (!(measure >= least_measure)) return false;
            found = run;
            return true;
        });
        return found;
    }
    /// The greatest measure of a cut.
    [[nodiscard]] double best(const FastNode& node, Scratch& room, const Cuts& cuts) const {
        double most = kNoPlainCut;
        for_each_cut(node, room, cuts, [&](std::uint32_t, double measure) {
            most = std::max(most, measure);
            return false;
        });
        return most;
    }

    /// Calls f(run before the cut, measure) for every admissible cut until it returns true. The
    /// measure is that of the kernels (kernels/scan.hpp), in the same operations.
    template <class F>
    void for_each_cut(const FastNode& node, Scratch& room, const Cuts& cuts, F&& f) const {
        const RowRuns& runs = room.runs;
        const std::uint32_t n_cuts = runs.n - (cuts.asks_known ? 0U : 1U);
        if (runs.n == 0 || n_cuts == 0) return;
        const double all = node.weight;
        const double most = all - least;
        if (kind == Kind::classes) {
            accumulate(node, room, cuts);
            for (std::uint32_t i = 0; i < n_cuts; ++i) {
                const double w = room.weight[i];
                if (w < least || w > most) continue;
                if (f(i, room.left[i] / w + room.right[i] / (all - w))) return;
            }
            return;
        }
        const bool is_first = cuts.gaps == GapSide::first;
        const double more_weight = is_first ? runs.missing_weight : 0.0;
        const double more_target = is_first ? runs.missing_target : 0.0;
        const FastList list{nullptr, node.size(), static_cast<std::uint32_t>(least),
                            static_cast<std::uint32_t>(all), node.sum};
        const FastMean mean(list, kind == Kind::two_classes);
        for (std::uint32_t i = 0; i < n_cuts; ++i) {
            const double w = runs.weight[i] + more_weight;
            if (w < least) continue;
            if (w > most) return;
            const double s = runs.target[i] + more_target;
            const double excess = (s - mean.whole * w) - mean.rest * w;
            if (f(i, excess * excess / (w * (all - w)))) return;
        }
    }

    /// Sums of squares of the class counts on both sides of every cut.
    void accumulate(const FastNode& node, Scratch& room, const Cuts& cuts) const {
        const RowRuns& runs = room.runs;
        for (auto* each : {&room.left, &room.right, &room.weight})
            if (each->size() < runs.n) each->resize(runs.n);
        room.class_left.assign(n_classes, 0.0);
        room.class_right.assign(nodes.classes.begin() + node.classes,
                                nodes.classes.begin() + node.classes + n_classes);
        double of_left = 0.0;
        double of_right = 0.0;
        for (const double count : room.class_right) of_right += count * count;
        double weight = 0.0;
        const auto add = [&](const RowRuns::Event& event) {
            const double w = event.weight;
            double& left = room.class_left[event.class_number];
            double& right = room.class_right[event.class_number];
            of_left += w * (2.0 * left + w);
            of_right -= w * (2.0 * right - w);
            left += w;
            right -= w;
            weight += w;
        };
        if (cuts.gaps == GapSide::first)
            for (const RowRuns::Event& event : runs.missing_events) add(event);
        std::uint32_t next = 0;
        for (std::uint32_t i = 0; i < runs.n; ++i) {
            for (; next < runs.event_end[i]; ++next) add(runs.events[next]);
            room.left[i] = of_left;
            room.right[i] = of_right;
            room.weight[i] = weight;
        }
    }
};

}  // namespace treewright::forest
