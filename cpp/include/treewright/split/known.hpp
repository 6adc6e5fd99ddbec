/// The question "is the value known?": all known values against the missing ones.
#pragma once

#include "treewright/split/judge.hpp"

namespace treewright::split {

/// Whether missing rows can be parted from known ones: they take part, and are not a run.
template <criteria::Criterion C>
[[nodiscard]] bool can_ask_whether_known(const Judge<C>& judge) {
    return (judge.tries_sides() || judge.has_missing_branch()) && judge.tally.n_runs() > 0;
}

/// Writes the question, whose gain is settled already. Of a nominal column every declared value is
/// known, also those without rows in the node.
inline void ask_whether_known(const Tally& tally, bool is_nominal, Candidate& best) {
    best.guard = Guard::none;
    best.n_branches = 2;
    best.missing_branch = 1;
    best.is_open = true;
    best.is_drawn = best.has_rest = false;
    best.question = is_nominal ? Question::categories : Question::cut;
    if (is_nominal) {
        best.branch_of_run.assign(tally.n_runs(), 0);
        best.other_branch = 0;
        return;
    }
    best.cut_position = 0;
    for (const std::uint32_t n : tally.n_entries) best.cut_position += n;
    best.cut_code = tally.code.empty() ? 0 : tally.code.back();
    best.row_below = best.row_above = tally.last_row.back();
}

/// Takes the question if it gains more than the best of the others; of equals the others stay.
template <criteria::Criterion C>
void offer_whether_known(Judge<C>& judge, bool is_nominal, SearchScratch& scratch,
                         Candidate& best) {
    const Tally& tally = judge.tally;
    if (!can_ask_whether_known(judge)) return;
    if (best.guard == Guard::constant) best.guard = Guard::limits;
    if (!judge.admits(tally.known.data()) || !judge.admits(tally.missing.data())) return;
    ++best.n_cuts;
    scratch.left = tally.known;  // a criterion may write to the sums it is given
    scratch.right = tally.missing;
    const double purity = judge.criterion.pair(scratch.left.data(), scratch.right.data());
    if (std::isinf(purity)) return;
    Candidate known;
    judge.settle(purity, known);
    if (best.question != Question::none && !(known.gain > best.gain + known.noise)) return;
    best.gain = known.gain;
    best.noise = known.noise;
    ask_whether_known(tally, is_nominal, best);
}

}  // namespace treewright::split
