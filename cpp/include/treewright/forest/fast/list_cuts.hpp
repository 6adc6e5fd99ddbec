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
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "treewright/forest/fast/gaps.hpp"
#include "treewright/forest/fast/kernels/scan.hpp"
#include "treewright/forest/fast/list_measures.hpp"
#include "treewright/forest/fast/name_search.hpp"
#include "treewright/forest/fast/nodes.hpp"
#include "treewright/split/selection.hpp"
#include "treewright/split/ties.hpp"

namespace treewright::forest {

struct ListCuts : ListMeasures {
    using ListMeasures::ListMeasures;

    /// Where a column is cut: the rows of the first side are at the front of the list.
    struct Located {
        FastList list;
        FastPlace place;
        GapSide gaps = GapSide::heavier;
        bool is_open = false;                     ///< "is the value known?"
        double gain = 0.0;                        ///< that a tree shows
        const split::Candidate* names = nullptr;  ///< the question, if it is on names
    };

    /// Cuts not above the floor need not be judged exactly.
    __attribute__((always_inline)) FastCut judge(const FastNode& node, std::uint32_t column,
                                                 double floor, Scratch& room) {
        if (is_nominal(column)) return judge_names(node, column, room);
        const FastList list = part_of(node, column);
        if (list.n == 2 && has_plain_pairs()) return judge_pair(list, column);
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

    /// Whether a node has every row of the table, once, and bits tell their classes.
    [[nodiscard]] bool has_all_rows(const FastNode& node) const {
        return shared.classes && size_of(node) == shared.classes->n_rows();
    }
    [[nodiscard]] const split::Candidate& seek_names(const FastNode& node, std::uint32_t column,
                                                     Scratch& room) {
        const CodedColumn& coded = shared.coded[column];
        if (has_all_rows(node) && coded.is_narrow() &&
            shared.classes->counts_pay(std::size_t{coded.n_codes} + 1)) {
            room.runs.collect_all(*shared.classes, coded);
        } else {
            const NodeRows rows{entries_of(node, list_of_rows()), size_of(node)};
            with_codes(column, [&](const auto& codes) {
                if (kind == Kind::classes)
                    room.runs.collect_classes(rows, coded, codes, {class_of, n_classes});
                else if (kind == Kind::two_classes)
                    room.runs.collect(rows, coded, codes, PairSums{});
                else room.runs.collect(rows, coded, codes, ListedSums{{value_of}});
            });
        }
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
        if (shared.bits) return -bits_of(node) / node.weight;
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

    // ---------------------------------------------------------------- places

    /// Whether two rows are judged by their sums alone.
    [[nodiscard]] bool has_plain_pairs() const { return kind != Kind::classes && !shared.bits; }
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

    [[nodiscard]] Located located(const FastNode& node, const FastCut& cut, double purity) {
        if (is_nominal(cut.column)) return located_names(node, cut.column);
        const FastList list = part_of(node, cut.column);
        const std::uint32_t n_known = n_known_of(cut.column, list.entries, list.n);
        if (n_known < list.n) return located_beside_gaps(node, list, n_known, cut, purity);
        const double enough = cut.decrease - split::kTie * (purity + cut.decrease);
        Located found{list, {}};
        if (list.n == 2 && has_plain_pairs()) {
            const std::uint32_t first = list.entries[0];
            const double positive = (first & kPositive) != 0 ? weight_of(first) : 0.0;
            found.place = {1, weight_of(first),
                           kind == Kind::values ? value_of[row_of(first)] : positive};
        } else {
            found.place = locate(node, list, enough);
        }
        if (nodes.needs_gains())
            found.gain = gain_of(node, score_from(node, list, found.place, enough));
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
        const double score =
            nodes.needs_gains() ? score_from(node, second, found.place, enough) : 0.0;
        const FastPlace on_first = locate(node, first, enough);
        if (!is_second) found = {first, on_first, GapSide::first};
        if (nodes.needs_gains())
            found.gain = gain_of(node, std::max(score, score_from(node, first, on_first, enough)));
        return found;
    }

    std::vector<std::uint32_t> closed_list;
    std::vector<std::uint8_t> side_of_code;  ///< of the names that were located
    std::vector<std::uint32_t> by_side;      ///< rows of the node, the first side first
    std::vector<std::uint32_t> other_side;
};

}  // namespace treewright::forest
