/// C5.0's groups of values: a branch for each, merged while the gain ratio does not fall.
#pragma once

#include <cmath>
#include <numbers>

#include "treewright/base/combinatorics.hpp"
#include "treewright/split/branches.hpp"

namespace treewright::split {

/// Starting from a branch per value, the two groups whose union loses least gain are merged
/// until two are left; the step of the best gain ratio is taken. Each grouping pays for having been
/// chosen among all those of its size: log2 S(values, groups) bits, S the Stirling number of the
/// second kind, over the rows (C5.0 GPL edition, subset.c). Values of the same class shares are
/// merged beforehand. At least two groups keep `min_copies` rows, once there are two such.
template <criteria::Criterion C>
class GroupSearch {
public:
    explicit GroupSearch(Judge<C>& judge) : judge(judge), least(judge.limits.min_copies) {
        const Tally& tally = judge.tally;
        known = tally.known[criteria::kWeight];
        missing = tally.missing[criteria::kWeight];
        for (std::uint32_t run = 0; run < tally.n_runs(); ++run) {
            const double* sums = tally.run(run);
            groups.push_back({{run}, {sums, sums + tally.width}, judge.criterion.purity(sums)});
            n_large += sums[criteria::kCopies] >= least ? 1 : 0;
        }
        n_values = groups.size();
    }

    /// `has_others`: there are declared values that do not occur in the node; they get a branch.
    void run(bool has_others, Candidate& best) {
        if (n_values < 2) return;
        best.guard = Guard::limits;
        if (n_large == 0) return;
        double purity = 0.0;
        for (const Group& group : groups) purity += group.purity;
        gain = std::max(0.0, (purity - judge.parent) * judge.scale);
        information = information_now();
        best_ratio = gain / information;
        keep(0.0, best);
        if (merge_alike() && groups.size() > 1) {
            information = information_now();
            const double penalty = bits();
            if (n_large >= 2 && ratio(penalty) >= best_ratio) keep(penalty, best);
        }
        purity_of_pair.assign(n_values * n_values, 0.0);
        for (std::size_t a = 0; a < groups.size(); ++a) judge_pairs_of(a);
        while (groups.size() > 2 && merge_nearest()) {
            const double penalty = bits();
            if (ratio(penalty) >= best_ratio) keep(penalty, best);
        }
        best.guard = Guard::none;
        best.question = Question::categories;
        best.noise =
            kTie * (std::abs(purity) + std::abs(judge.parent) + judge.magnitude()) * judge.scale;
        best.n_cuts = 1;
        if (has_others) best.other_branch = static_cast<std::int32_t>(best.n_branches++);
    }

private:
    struct Group {
        std::vector<std::uint32_t> runs;
        std::vector<double> sums;
        double purity = 0.0;
    };
    /// Differences that C5.0 ignores: of class shares, and of gains and rows.
    static constexpr double kAlike = 1e-3;
    static constexpr double kNear = 1e-4;

    [[nodiscard]] bool is_large(const Group& group) const {
        return group.sums[criteria::kCopies] >= least - kNear;
    }
    [[nodiscard]] double bits() const {
        return log_groupings(n_values, groups.size()) / std::numbers::ln2;
    }
    [[nodiscard]] double ratio(double penalty) const {
        return (gain - penalty / (known + missing)) / information;
    }
    [[nodiscard]] double information_now() const {
        std::vector<double> weights = {missing};
        for (const Group& group : groups) weights.push_back(group.sums[criteria::kWeight]);
        return split_information(weights);
    }

    /// Stores the current groups as the best so far.
    void keep(double penalty, Candidate& best) {
        best_ratio = ratio(penalty);
        best.gain = gain - penalty / known;
        best.n_branches = static_cast<std::uint32_t>(groups.size());
        best.branch_of_run.resize(n_values);
        for (std::uint32_t branch = 0; branch < groups.size(); ++branch)
            for (const std::uint32_t run : groups[branch].runs) best.branch_of_run[run] = branch;
    }

    void merge(std::size_t into, std::size_t from) {
        Group& kept = groups[into];
        const Group& gone = groups[from];
        const bool both = is_large(kept) && is_large(gone);
        const bool neither = !is_large(kept) && !is_large(gone);
        add_to(kept.sums.data(), gone.sums.data(), kept.sums.size());
        kept.runs.insert(kept.runs.end(), gone.runs.begin(), gone.runs.end());
        kept.purity = judge.criterion.purity(kept.sums.data());
        if (both) --n_large;
        else if (neither && is_large(kept)) ++n_large;
    }

    [[nodiscard]] bool are_alike(const Group& a, const Group& b) const {
        for (std::size_t k = criteria::kStatistics; k < a.sums.size(); ++k)
            if (std::abs(a.sums[k] / a.sums[criteria::kWeight] -
                         b.sums[k] / b.sums[criteria::kWeight]) > kAlike)
                return false;
        return true;
    }

    bool merge_alike() {
        bool any = false;
        for (std::size_t a = 0; a + 1 < groups.size(); ++a) {
            std::size_t n_kept = a + 1;
            for (std::size_t b = a + 1; b < groups.size(); ++b) {
                if (are_alike(groups[a], groups[b])) {
                    merge(a, b);
                    any = true;
                } else {
                    if (n_kept != b) groups[n_kept] = std::move(groups[b]);
                    ++n_kept;
                }
            }
            groups.resize(n_kept);
        }
        return any;
    }

    [[nodiscard]] double& pair(std::size_t a, std::size_t b) {
        return purity_of_pair[std::min(a, b) * n_values + std::max(a, b)];
    }
    void judge_pairs_of(std::size_t a) {
        std::vector<double> both;
        for (std::size_t b = 0; b < groups.size(); ++b) {
            if (b == a) continue;
            both = groups[a].sums;
            add_to(both.data(), groups[b].sums.data(), both.size());
            pair(a, b) = judge.criterion.purity(both.data());
        }
    }

    /// Merges the two groups whose union keeps most gain; false if any would leave none.
    bool merge_nearest() {
        std::size_t first = groups.size();
        std::size_t second = 0;
        double most = -kNear;
        for (std::size_t a = 0; a + 1 < groups.size(); ++a)
            for (std::size_t b = a + 1; b < groups.size(); ++b) {
                if (n_large == 2 && is_large(groups[a]) && is_large(groups[b])) continue;
                const double left =
                    gain + (pair(a, b) - groups[a].purity - groups[b].purity) * judge.scale;
                if (!(left > most + kNear)) continue;
                most = left;
                first = a;
                second = b;
            }
        if (first == groups.size()) return false;
        merge(first, second);
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(second));
        for (std::size_t a = 0; a < groups.size(); ++a)  // groups after the second shift by one
            for (std::size_t b = a + 1; b < groups.size(); ++b)
                pair(a, b) = pair(a + (a >= second ? 1 : 0), b + (b >= second ? 1 : 0));
        judge_pairs_of(first);
        gain = most;
        information = information_now();
        return true;
    }

    Judge<C>& judge;
    double least;
    double known = 0.0;
    double missing = 0.0;
    std::vector<Group> groups;
    std::size_t n_values = 0;
    std::size_t n_large = 0;  ///< groups of at least `least` rows
    double gain = 0.0;
    double information = 0.0;
    double best_ratio = 0.0;
    std::vector<double> purity_of_pair;
};

}  // namespace treewright::split
