/// One branch per value of the column.
#pragma once

#include "treewright/split/judge.hpp"

namespace treewright {

/// Missing rows, where the policy learns their side, join the branch that gains most by them.
template <Criterion C>
void best_multiway(Judge<C>& judge, SearchScratch& scratch, Candidate& best) {
    const Tally& tally = judge.tally;
    const std::size_t width = tally.width;
    const std::size_t n_runs = tally.n_runs();
    if (n_runs < 2) return;
    best.guard = Guard::limits;
    double purity = 0.0;
    std::size_t n_admitted = 0;
    for (std::size_t i = 0; i < n_runs; ++i) {
        purity += judge.criterion.purity(tally.run(i));
        n_admitted += judge.admits(tally.run(i)) ? 1 : 0;
    }
    const auto run = [&](std::size_t i) { return tally.run(i); };
    if constexpr (requires { judge.criterion.together(n_runs, run); })
        purity = judge.criterion.together(n_runs, run);
    std::size_t n_needed = judge.limits.two_branches_suffice ? 2 : n_runs;
    std::int32_t missing_branch = -1;
    if (judge.tries_sides()) {
        double most = -std::numeric_limits<double>::infinity();
        std::size_t admitted_then = n_admitted;
        for (std::size_t i = 0; i < n_runs; ++i) {
            scratch.left.assign(tally.run(i), tally.run(i) + width);
            add_to(scratch.left.data(), tally.missing.data(), width);
            const bool before = judge.admits(tally.run(i));
            const bool now = judge.admits(scratch.left.data());
            const std::size_t admitted = n_admitted + ((now && !before) ? 1 : 0);
            const double more =
                judge.criterion.purity(scratch.left.data()) - judge.criterion.purity(tally.run(i));
            if (admitted < n_needed || !judge.beats(more, most)) continue;
            most = more;
            missing_branch = static_cast<std::int32_t>(i);
            admitted_then = admitted;
        }
        if (missing_branch < 0) return;
        purity += most;
        n_admitted = admitted_then;
    }
    if (n_admitted < n_needed) return;
    best.guard = Guard::none;
    best.question = Question::categories;
    best.n_cuts = 1;
    best.n_branches = static_cast<std::uint32_t>(n_runs);
    best.missing_branch = missing_branch;
    best.branch_of_run.resize(n_runs);
    for (std::size_t i = 0; i < n_runs; ++i) best.branch_of_run[i] = static_cast<std::uint32_t>(i);
    judge.settle(purity, best);
}

}  // namespace treewright
