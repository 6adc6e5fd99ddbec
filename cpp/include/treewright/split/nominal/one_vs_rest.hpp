/// Best test "x = v": one value against all others.
#pragma once

#include "treewright/split/judge.hpp"

namespace treewright::split {

/// Ties keep the lower code. Branch 0 is the value, branch 1 the rest.
template <criteria::Criterion C>
void best_one_vs_rest(Judge<C>& judge, SearchScratch& scratch, Candidate& best) {
    const Tally& tally = judge.tally;
    const std::size_t width = tally.width;
    if (tally.n_runs() < 2) return;
    best.guard = Guard::limits;
    scratch.left.assign(width, 0.0);
    scratch.right.assign(width, 0.0);
    double best_purity = -std::numeric_limits<double>::infinity();
    std::size_t best_run = 0;
    for (std::size_t i = 0; i < tally.n_runs(); ++i) {
        for (const bool missing_left : {false, true}) {
            if (missing_left && !judge.tries_sides()) break;
            std::copy(tally.run(i), tally.run(i) + width, scratch.left.begin());
            if (missing_left) add_to(scratch.left.data(), tally.missing.data(), width);
            difference(scratch.right.data(), judge.total.data(), scratch.left.data(), width);
            if (!judge.admits(scratch.left.data()) || !judge.admits(scratch.right.data())) continue;
            best.n_cuts += missing_left ? 0 : 1;
            const double purity = judge.criterion.pair(scratch.left.data(), scratch.right.data());
            if (!judge.beats(purity, best_purity)) continue;
            best_purity = purity;
            best_run = i;
            best.question = Question::categories;
            best.missing_branch = judge.tries_sides() ? (missing_left ? 0 : 1) : -1;
        }
    }
    if (best.question == Question::none) return;
    best.guard = Guard::none;
    best.n_branches = 2;
    best.has_rest = true;
    best.branch_of_run.assign(tally.n_runs(), 1);
    best.branch_of_run[best_run] = 0;
    judge.settle(best_purity, best);
}

}  // namespace treewright::split
