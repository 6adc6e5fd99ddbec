/// The best cut of a column's sorted list, and its place, in growing by best cuts.
///
/// Rows without a value stand last: a scan of the list judges every cut with them on the second
/// side, and the question whether the value is known. Where there are some, the cuts are judged
/// once more in a list that begins with them:
///
///   list:    [ a b b c d | ? ? ]     turned:  [ ? ? a b b c d ]
///             ^ cuts     ^ known?                  ^ cuts
///
/// A nominal column has no list: the node's rows are counted by its codes (row_runs.hpp), and
/// `located` lists them by the sides of the question that is found.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "treewright/forest/fast/gaps.hpp"
#include "treewright/forest/fast/kernels/scan.hpp"
#include "treewright/forest/fast/name_search.hpp"
#include "treewright/forest/fast/nodes.hpp"
#include "treewright/forest/fast/row_runs.hpp"
#include "treewright/forest/fast/shown_gain.hpp"
#include "treewright/forest/fast/sorted_lists.hpp"
#include "treewright/split/selection.hpp"
#include "treewright/split/ties.hpp"

namespace treewright::forest {

struct ListCuts : SortedLists {
    ListCuts(const FastData& shared, const grow::GrowOptions& options, Progress& progress)
        : SortedLists(shared, options, progress),
          least(static_cast<std::uint32_t>(
              std::max({1.0, std::ceil(options.min_leaf), std::ceil(options.min_leaf_weight)}))) {}

    /// Working memory of one thread: sums of squares of the class counts on both sides of every
    /// cut, and a list with the rows without a value in another place.
    struct Scratch {
        std::vector<double> left;
        std::vector<double> right;
        std::vector<double> weights;
        std::vector<double> class_left;
        std::vector<double> class_right;
        std::vector<std::uint32_t> turned;
        RowRuns runs;  ///< of a nominal column
        std::unique_ptr<NameSearch> names;
    };

    /// Where a column is cut: the rows of the first side are at the front of the list.
    struct Located {
        FastList list;
        FastPlace place;
        GapSide gaps = GapSide::heavier;
        bool is_open = false;                     ///< "is the value known?"
        double gain = 0.0;                        ///< that a tree shows
        const split::Candidate* names = nullptr;  ///< the question, if it is on names
    };

    [[nodiscard]] FastList part_of(const FastNode& node, std::uint32_t column) {
        return {entries_of(node, column), size_of(node), least,
                static_cast<std::uint32_t>(node.weight), node.sum};
    }

    /// Cuts not above the floor need not be judged exactly.
    __attribute__((always_inline)) FastCut judge(const FastNode& node, std::uint32_t column,
                                                 double floor, Scratch& room) {
        if (is_nominal(column)) return judge_names(node, column, room);
        const FastList list = part_of(node, column);
        if (list.n == 2 && kind != Kind::classes) return judge_pair(list, column);
        double decrease = best_of(node, list, floor, room);
        const std::uint32_t n_known = n_known_of(column, list.entries, list.n);
        if (n_known < list.n && n_known > 0)
            decrease = std::max(decrease, best_of(node, turned(list, n_known, room.turned),
                                                  std::max(floor, decrease), room));
        const bool is_constant =
            decrease < 0.0 && has_ties[column] != 0 &&
            std::all_of(list.entries + 1, list.entries + list.n,
                        [](std::uint32_t entry) { return (entry & kSameValueBit) != 0; });
        return {column, is_constant, decrease};
    }

    // ---------------------------------------------------------------- names

    /// Codes of a column by the numbers that the rows of the node at hand have.
    template <class Codes>
    struct CodesOfNode {
        Codes of_table;
        const std::uint32_t* row_of_table;
        [[nodiscard]] auto operator[](std::uint32_t row) const {
            return of_table[row_of_table[row]];
        }
    };
    /// Calls f with them.
    template <class F>
    decltype(auto) with_codes(std::uint32_t column, F&& f) const {
        return shared.coded[column].visit([&](const auto* codes) -> decltype(auto) {
            return f(CodesOfNode<decltype(codes)>{codes, row_of_table});
        });
    }

    [[nodiscard]] const split::Candidate& seek_names(const FastNode& node, std::uint32_t column,
                                                     Scratch& room) {
        const NodeRows rows{entries_of(node, list_of_rows()), size_of(node)};
        const CodedColumn& coded = shared.coded[column];
        with_codes(column, [&](const auto& codes) {
            if (kind == Kind::classes)
                room.runs.collect_classes(rows, coded, codes, {class_of, n_classes});
            else if (kind == Kind::two_classes) room.runs.collect(rows, coded, codes, PairSums{});
            else room.runs.collect(rows, coded, codes, ListedSums{{value_of}});
        });
        if (room.names == nullptr) room.names = make_name_search(data, nodes.options, false);
        return room.names->seek(room.runs, node.weight, node.sum, node.key.with(column));
    }
    FastCut judge_names(const FastNode& node, std::uint32_t column, Scratch& room) {
        const split::Candidate& found = seek_names(node, column, room);
        if (found.question == split::Question::none)
            return {column, found.guard == split::Guard::constant, kNoPlainCut};
        const double share = nodes.options.guard_many_values
                                 ? share_of_choice(found, data.columns[column],
                                                   node.weight * nodes.options.distinct_share)
                                 : 0.0;
        return {column, false, found.gain, GapSide::heavier, share};
    }

    /// Lists the rows by the sides of the question on names that wins.
    Located located_names(const FastNode& node, std::uint32_t column) {
        const split::Candidate& found = seek_names(node, column, scratch);
        sides_of_codes(found, scratch.runs, shared.coded[column].n_codes, side_of_code);
        const FastList list = part_of(node, list_of_rows());
        by_side.resize(std::max<std::size_t>(by_side.size(), list.n + kPadding));
        other_side.resize(std::max<std::size_t>(other_side.size(), list.n));
        FastPlace place;
        with_codes(column, [&](const auto& codes) {
            std::uint32_t n_other = 0;
            for (std::uint32_t i = 0; i < list.n; ++i) {
                const std::uint32_t entry = list.entries[i];
                if (side_of_code[codes[row_of(entry)]] != 0) {
                    other_side[n_other++] = entry;
                    continue;
                }
                by_side[place.position++] = entry;
                place.weight += weight_of(entry);
                if (kind == Kind::values) place.sum += value_of[row_of(entry)];
                else if ((entry & kPositive) != 0) place.sum += weight_of(entry);
            }
        });
        std::fill_n(std::copy_n(other_side.data(), list.n - place.position,
                                by_side.data() + place.position),
                    kPadding, 0U);
        Located made{list, place};
        made.list.entries = by_side.data();
        if (found.missing_branch >= 0)
            made.gaps = found.missing_branch == 0 ? GapSide::first : GapSide::second;
        made.names = &found;
        made.gain = found.gain * (kind == Kind::values ? 1.0 / node.unit / node.unit : 1.0);
        return made;
    }

    /// The impurity of a node, of numbers that of their grid.
    [[nodiscard]] double impurity_of(const FastNode& node) {
        if (kind != Kind::values) return 1.0 - nodes.purity_of(node);
        const std::uint32_t* entries = entries_of(node, any_list(node));
        const double mean = node.sum / node.weight;
        double squares = 0.0;
        for (std::uint32_t i = 0; i < size_of(node); ++i) {
            const double weight = weight_of(entries[i]);
            const double off = value_of[row_of(entries[i])] / weight - mean;
            squares += weight * off * off;
        }
        return squares / node.weight;
    }

    // ---------------------------------------------------------------- cuts

    /// The greatest decrease by a cut of a list.
    __attribute__((always_inline)) double best_of(const FastNode& node, const FastList& list,
                                                  double floor, Scratch& room) {
        if (kind == Kind::two_classes) {
            const double found = loops.best_two(list, floor / 2.0);
            return found == kNoPlainCut ? found : 2.0 * found;
        }
        if (kind == Kind::values) return loops.best_values(list, value_of, floor);
        accumulate(node, list, room);
        const double found =
            loops.best_scores(list, room.left.data(), room.right.data(), room.weights.data());
        return found == kNoPlainCut ? found
                                    : std::max(0.0, found / node.weight - nodes.purity_of(node));
    }

    /// The list with the rows without a value first; there is no cut after them.
    static FastList turned(const FastList& list, std::uint32_t n_known,
                           std::vector<std::uint32_t>& into) {
        into.resize(std::max<std::size_t>(into.size(), list.n + kPadding));
        std::uint32_t* known =
            std::copy(list.entries + n_known, list.entries + list.n, into.data());
        std::fill_n(std::copy_n(list.entries, n_known, known), kPadding, 0U);
        *known |= kSameValueBit;
        FastList made = list;
        made.entries = into.data();
        return made;
    }

    /// The one cut of two entries is the same in every column.
    FastCut judge_pair(const FastList& list, std::uint32_t column) const {
        if ((list.entries[1] & kSameValueBit) != 0) return {column, true, kNoPlainCut};
        const double w = weight_of(list.entries[0]);
        const double rest = weight_of(list.entries[1]);
        if (std::min(w, rest) < least) return {column, false, kNoPlainCut};
        const double s = kind == Kind::values                 ? value_of[row_of(list.entries[0])]
                         : (list.entries[0] & kPositive) != 0 ? w
                                                              : 0.0;
        const double excess = (s * rest - (list.sum - s) * w) / (w + rest);  // same for both sides
        const double found = excess * excess / (w * rest);
        return {column, false, kind == Kind::values ? found : 2.0 * found};
    }

    void accumulate(const FastNode& node, const FastList& list, Scratch& room) {
        std::vector<double>& left = room.left;
        std::vector<double>& right = room.right;
        std::vector<double>& weights = room.weights;
        std::vector<double>& class_left = room.class_left;
        std::vector<double>& class_right = room.class_right;
        if (left.size() < list.n + kPadding)
            for (auto* each : {&left, &right, &weights}) each->resize(list.n + kPadding);
        class_left.assign(n_classes, 0.0);
        class_right.assign(nodes.classes.begin() + node.classes,
                           nodes.classes.begin() + node.classes + n_classes);
        double of_left = 0.0;
        double of_right = 0.0;
        for (const double count : class_right) of_right += count * count;
        double weight = 0.0;
        for (std::uint32_t i = 0; i < list.n; ++i) {
            const std::int32_t k = class_of[row_of(list.entries[i])];
            const double w = weight_of(list.entries[i]);
            of_left += w * (2.0 * class_left[k] + w);
            of_right -= w * (2.0 * class_right[k] - w);
            class_left[k] += w;
            class_right[k] -= w;
            weight += w;
            left[i] = of_left;
            right[i] = of_right;
            weights[i] = weight;
        }
    }

    /// The first cut of a list whose decrease is enough.
    [[nodiscard]] FastPlace locate(const FastNode& node, const FastList& list, double enough) {
        if (kind == Kind::two_classes) return loops.locate_two(list, enough / 2.0);
        if (kind == Kind::values) return loops.locate_values(list, value_of, enough);
        accumulate(node, list, scratch);
        FastPlace found;
        found.position = loops.locate_scores(list, scratch.left.data(), scratch.right.data(),
                                             scratch.weights.data(),
                                             (enough + nodes.purity_of(node)) * node.weight);
        for (std::uint32_t i = 0; i < found.position; ++i)
            found.weight += weight_of(list.entries[i]);
        return found;
    }

    [[nodiscard]] Located located(const FastNode& node, const FastCut& cut, double purity) {
        if (is_nominal(cut.column)) return located_names(node, cut.column);
        const FastList list = part_of(node, cut.column);
        const std::uint32_t n_known = n_known_of(cut.column, list.entries, list.n);
        if (n_known < list.n) return located_beside_gaps(node, list, n_known, cut, purity);
        const double enough = cut.decrease - split::kTie * (purity + cut.decrease);
        Located found{list, {}};
        if (list.n == 2 && kind != Kind::classes) {
            const std::uint32_t first = list.entries[0];
            const double positive = (first & kPositive) != 0 ? weight_of(first) : 0.0;
            found.place = {1, weight_of(first),
                           kind == Kind::values ? value_of[row_of(first)] : positive};
        } else {
            found.place = locate(node, list, enough);
        }
        if (nodes.needs_gains()) found.gain = gain_of(node, score_from(list, found.place, enough));
        return found;
    }

    /// Of cuts that tie the first one is taken, those with the gaps on the second side before the
    /// others; the question whether the value is known only if it is better than all of them
    /// (split/numeric/threshold.hpp, split/known.hpp).
    [[nodiscard]] Located located_beside_gaps(const FastNode& node, const FastList& list,
                                              std::uint32_t n_known, const FastCut& cut,
                                              double purity) {
        const FastPlace known = sums_of_known(list, n_known);
        const double by_known = decrease_by_known(node, list, known, n_known);
        double most = cut.decrease;
        FastList second = list;
        const FastList first = turned(list, n_known, scratch.turned);
        if (by_known >= most - 8.0 * split::kTie * (purity + most)) {
            closed_list.assign(list.entries, list.entries + list.n);
            closed_list[n_known] |= kSameValueBit;  // without that question
            closed_list.resize(list.n + kPadding, 0U);
            second.entries = closed_list.data();
            most =
                std::max(best_of(node, second, 0.0, scratch), best_of(node, first, 0.0, scratch));
            if (most < 0.0 || by_known > most + split::kTie * (2.0 * purity + by_known)) {
                const double gain = nodes.needs_gains()
                                        ? gain_of(node, score_by_known(node, list, known, n_known))
                                        : 0.0;
                return {list, known, GapSide::second, true, gain};
            }
        }
        const double enough = most - split::kTie * (purity + most);
        Located found{list, locate(node, second, enough), GapSide::second};
        const bool is_second = found.place.position > 0;
        if (is_second && !nodes.needs_gains()) return found;
        const double score = nodes.needs_gains() ? score_from(second, found.place, enough) : 0.0;
        const FastPlace on_first = locate(node, first, enough);
        if (!is_second) found = {first, on_first, GapSide::first};
        if (nodes.needs_gains())
            found.gain = gain_of(node, std::max(score, score_from(first, on_first, enough)));
        return found;
    }

    // ---------------------------------------------------------------- gains that are shown

    /// The gain of a cut with this score.
    [[nodiscard]] double gain_of(const FastNode& node, double score) const {
        const double reciprocal = 1.0 / node.weight;
        double parent = 0.0;
        double unit = 1.0;
        if (kind == Kind::two_classes) {
            const double others = node.weight - node.sum;
            parent = others * others + node.sum * node.sum;
        } else if (kind == Kind::classes) {
            for (std::uint32_t k = 0; k < n_classes; ++k) {
                const double count = nodes.classes[node.classes + k];
                parent += count * count;
            }
        } else {
            const double about_mean =
                node.sum - node.weight * std::nearbyint(node.sum / node.weight);
            parent = about_mean * about_mean;
            unit = 1.0 / node.unit / node.unit;
        }
        return std::max(0.0, (score - parent * reciprocal) * reciprocal) * unit;
    }

    /// The greatest score of the cuts from a place on; 0 if there is none. Of more than two classes
    /// the sums are those that `locate` has left.
    [[nodiscard]] double score_from(const FastList& list, const FastPlace& place,
                                    double enough) const {
        if (place.position == 0) return 0.0;
        if (kind == Kind::two_classes)
            return greatest_score<true>(list, place, enough / 2.0, [](std::uint32_t entry) {
                return (entry & kPositive) != 0 ? static_cast<double>(weight_of(entry)) : 0.0;
            });
        if (kind == Kind::values)
            return greatest_score<false>(
                list, place, enough, [&](std::uint32_t entry) { return value_of[row_of(entry)]; });
        return greatest_score(list, place.position, scratch.left.data(), scratch.right.data(),
                              scratch.weights.data());
    }

    [[nodiscard]] double score_by_known(const FastNode& node, const FastList& list,
                                        const FastPlace& known, std::uint32_t n_known) {
        if (kind == Kind::two_classes) return score_of_two(list, known.weight, known.sum);
        if (kind == Kind::values) return score_of_values(list, known.weight, known.sum);
        const auto [of_known, of_missing] = squares_by_known(node, list, n_known);
        return of_known * (1.0 / known.weight) +
               of_missing * (1.0 / (static_cast<double>(list.weight) - known.weight));
    }

    /// The place between the rows with a value and those without.
    [[nodiscard]] FastPlace sums_of_known(const FastList& list, std::uint32_t n_known) const {
        FastPlace known{n_known, list.weight, list.sum};
        for (std::uint32_t i = n_known; i < list.n; ++i) {
            const std::uint32_t entry = list.entries[i];
            known.weight -= weight_of(entry);
            if (kind == Kind::values) known.sum -= value_of[row_of(entry)];
            else if ((entry & kPositive) != 0) known.sum -= weight_of(entry);
        }
        return known;
    }

    [[nodiscard]] double decrease_by_known(const FastNode& node, const FastList& list,
                                           const FastPlace& known, std::uint32_t n_known) {
        if (known.weight < least || list.weight - known.weight < least) return kNoPlainCut;
        const double weight = known.weight;
        const double rest = static_cast<double>(list.weight) - weight;
        if (kind != Kind::classes) {
            const FastMean mean(list, kind == Kind::two_classes);
            const double excess = (known.sum - mean.whole * weight) - mean.rest * weight;
            const double found = excess * excess / (weight * rest);
            return kind == Kind::values ? found : 2.0 * found;
        }
        const auto [of_known, of_missing] = squares_by_known(node, list, n_known);
        const double score = of_known / weight + of_missing / rest;
        return std::max(0.0, score / node.weight - nodes.purity_of(node));
    }

    /// Sums of squares of the class counts of the rows with a value and of those without.
    [[nodiscard]] std::pair<double, double> squares_by_known(const FastNode& node,
                                                             const FastList& list,
                                                             std::uint32_t n_known) {
        std::vector<double>& missing = scratch.class_right;
        missing.assign(n_classes, 0.0);
        for (std::uint32_t i = n_known; i < list.n; ++i)
            missing[class_of[row_of(list.entries[i])]] += weight_of(list.entries[i]);
        std::pair<double, double> squares;
        for (std::uint32_t k = 0; k < n_classes; ++k) {
            const double here = nodes.classes[node.classes + k] - missing[k];
            squares.first += here * here;
            squares.second += missing[k] * missing[k];
        }
        return squares;
    }

    std::uint32_t least;  ///< weight that either side of a cut must have
    Scratch scratch;      ///< of the thread that grows the tree
    std::vector<std::uint32_t> closed_list;
    std::vector<std::uint8_t> side_of_code;  ///< of the names that were located
    std::vector<std::uint32_t> by_side;      ///< rows of the node, the first side first
    std::vector<std::uint32_t> other_side;
};

}  // namespace treewright::forest
