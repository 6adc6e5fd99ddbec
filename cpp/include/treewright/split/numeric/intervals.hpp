/// Several cuts of one column at once, found by MDLP or CAL5 and judged by the criterion.
#pragma once

#include "treewright/split/branches.hpp"
#include "treewright/split/numeric/cal5.hpp"
#include "treewright/split/numeric/mdlp.hpp"

namespace treewright::split {

/// Turns the branches of the runs, which ascend, into a question: one cut or several. With all
/// known rows in branch 0 the question is whether the value is known.
inline void ask_in_order(const Tally& tally, Candidate& best) {
    std::uint32_t position = 0;
    best.cuts.clear();
    for (std::size_t i = 0; i + 1 < tally.n_runs(); ++i) {
        position += tally.n_entries[i];
        if (best.branch_of_run[i] == best.branch_of_run[i + 1]) continue;
        best.cuts.push_back({tally.last_row[i], tally.row[i + 1]});
        best.cut_position = position;
        best.cut_code = tally.code.empty() ? 0 : tally.code[i];
    }
    if (best.cuts.size() > 1) {
        best.question = Question::intervals;
        return;
    }
    best.question = Question::cut;
    best.is_open = best.cuts.empty();
    if (best.is_open) {
        best.cut_position = position + tally.n_entries.back();
        best.cut_code = tally.code.empty() ? 0 : tally.code.back();
        return;
    }
    best.row_below = best.cuts[0].below;
    best.row_above = best.cuts[0].above;
    best.cuts.clear();
}

/// `starts` are the runs that begin a new interval, ascending.
template <criteria::Criterion C>
void judge_intervals(Judge<C>& judge, std::span<const std::uint32_t> starts, SearchScratch& scratch,
                     Candidate& best) {
    const Tally& tally = judge.tally;
    if (tally.n_runs() < 2) return;
    best.guard = Guard::no_cut;
    best.n_cuts = static_cast<std::uint32_t>(starts.size());
    if (starts.empty()) return;
    best.branch_of_run.assign(tally.n_runs(), 0);
    for (const std::uint32_t start : starts) ++best.branch_of_run[start];
    for (std::size_t i = 1; i < tally.n_runs(); ++i)
        best.branch_of_run[i] += best.branch_of_run[i - 1];
    best.guard = Guard::limits;
    if (!judge_branches(judge, starts.size() + 1, scratch, best)) return;
    best.guard = Guard::none;
    ask_in_order(tally, best);
}

}  // namespace treewright::split
