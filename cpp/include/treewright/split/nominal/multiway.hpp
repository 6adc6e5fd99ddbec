/// One branch per value of the column.
#pragma once

#include <numeric>

#include "treewright/split/branches.hpp"

namespace treewright::split {

template <criteria::Criterion C>
void best_multiway(Judge<C>& judge, SearchScratch& scratch, Candidate& best) {
    const std::size_t n_runs = judge.tally.n_runs();
    if (n_runs < 2) return;
    best.guard = Guard::limits;
    best.branch_of_run.resize(n_runs);
    std::iota(best.branch_of_run.begin(), best.branch_of_run.end(), 0U);
    if (!judge_branches(judge, n_runs, scratch, best)) return;
    best.guard = Guard::none;
    best.question = Question::categories;
    best.n_cuts = 1;
}

}  // namespace treewright::split
