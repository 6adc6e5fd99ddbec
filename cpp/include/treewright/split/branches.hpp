/// The gain of a split into given branches, where a search has decided which runs go together.
#pragma once

#include "treewright/split/judge.hpp"

namespace treewright::split {

/// Sums of each branch, one after the other.
inline void sum_branches(const Tally& tally, std::span<const std::uint32_t> branch_of_run,
                         std::size_t n_branches, std::vector<double>& sums) {
    sums.assign(n_branches * tally.width, 0.0);
    for (std::size_t i = 0; i < tally.n_runs(); ++i)
        add_to(sums.data() + branch_of_run[i] * tally.width, tally.run(i), tally.width);
}

/// Scores best.branch_of_run, whose branches hold the known rows; sets the gain, the number of
/// branches and where missing values go: a branch of their own, or, where the policy learns their
/// side, the branch with the largest gain. False if the limits forbid the split.
template <criteria::Criterion C>
bool judge_branches(Judge<C>& judge, std::size_t n_branches, SearchScratch& scratch,
                    Candidate& best) {
    const Tally& tally = judge.tally;
    const std::size_t width = tally.width;
    std::vector<double>& sums = scratch.branches;
    sum_branches(tally, best.branch_of_run, n_branches, sums);
    if (judge.has_missing_branch()) {
        sums.insert(sums.end(), tally.missing.begin(), tally.missing.end());
        best.missing_branch = static_cast<std::int32_t>(n_branches++);
    }
    double purity = 0.0;
    std::size_t n_admitted = 0;
    std::size_t n_forbidden = 0;  // by the criterion (Poisson: counts of 0)
    for (std::size_t b = 0; b < n_branches; ++b) {
        const double of_branch = judge.criterion.purity(sums.data() + b * width);
        if (std::isinf(of_branch)) ++n_forbidden;
        else purity += of_branch;
        n_admitted += judge.admits(sums.data() + b * width) ? 1 : 0;
    }
    const auto branch_sums = [&](std::size_t b) { return sums.data() + b * width; };
    if constexpr (requires { judge.criterion.together(n_branches, branch_sums); })
        purity = judge.criterion.together(n_branches, branch_sums);
    const std::size_t n_needed = judge.limits.two_branches_suffice ? 2 : n_branches;
    if (judge.tries_sides()) {
        double most = -std::numeric_limits<double>::infinity();
        std::size_t admitted_then = n_admitted;
        for (std::size_t b = 0; b < n_branches; ++b) {
            const double* branch = sums.data() + b * width;
            scratch.left.assign(branch, branch + width);
            add_to(scratch.left.data(), tally.missing.data(), width);
            const bool gains_admission = judge.admits(scratch.left.data()) && !judge.admits(branch);
            const std::size_t admitted = n_admitted + (gains_admission ? 1 : 0);
            // Missing rows may make a branch one that is allowed, but not two.
            const double alone = judge.criterion.purity(branch);
            const bool was_forbidden = std::isinf(alone);
            if (n_forbidden > (was_forbidden ? 1U : 0U)) continue;
            const double joined = judge.criterion.purity(scratch.left.data());
            const double more = joined - (was_forbidden ? 0.0 : alone);
            if (std::isinf(joined) || admitted < n_needed || !judge.beats(more, most)) continue;
            most = more;
            best.missing_branch = static_cast<std::int32_t>(b);
            admitted_then = admitted;
        }
        if (best.missing_branch < 0) return false;
        purity += most;
        n_admitted = admitted_then;
        n_forbidden = 0;
    }
    if (n_admitted < n_needed || n_forbidden > 0 || std::isinf(purity)) return false;
    best.n_branches = static_cast<std::uint32_t>(n_branches);
    judge.settle(purity, best);
    return true;
}

}  // namespace treewright::split
