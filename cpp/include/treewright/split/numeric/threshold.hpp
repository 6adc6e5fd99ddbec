/// Best cut "x <= t" of one column.
#pragma once

#include "treewright/split/judge.hpp"

namespace treewright::split {

/// True if a cut between the two runs separates classes: not both wholly of one and the same
/// class (Fayyad and Irani 1992: the best cut of a concave impurity is such a boundary).
template <criteria::Criterion C>
bool is_class_boundary(const C& criterion, const double* below, const double* above) {
    std::size_t n_present = 0;
    for (std::size_t k = criteria::kStatistics; k < criterion.width(); ++k)
        n_present += (below[k] > 0.0 || above[k] > 0.0) ? 1 : 0;
    return n_present > 1;
}

/// Value of a branch that a monotonic constraint compares: share of the second class, or mean.
template <criteria::Criterion C>
double level([[maybe_unused]] const C& criterion, const double* sums) {
    if constexpr (std::is_base_of_v<criteria::ClassSums, C>)
        return sums[criteria::kStatistics + 1] / sums[criteria::kWeight];
    else return criterion.centre[0] + sums[criteria::kStatistics] / sums[criteria::kWeight];
}

/// Only cuts of a column with a direction are checked against the bounds; elsewhere the values of
/// leaves are clipped to them (as in scikit-learn).
template <criteria::Criterion C>
bool respects(const C& criterion, const Monotone& rule, const double* left, const double* right) {
    return rule.direction == 0 || respects(rule, level(criterion, left), level(criterion, right));
}

/// Purities of the cuts of a column with missing rows on one side (1: the left), kept where the
/// cut is admitted; returns the greatest. kWidth: that of the sums, 0 if it is not known before.
template <std::size_t kWidth, criteria::Criterion C, class Apart>
double judge_cuts(const Judge<C>& judge, const Monotone* monotone, double min_side_weight,
                  const Apart& apart, double beside, std::size_t side, SearchScratch& scratch,
                  Candidate& best) {
    const Tally& tally = judge.tally;
    const std::size_t width = kWidth > 0 ? kWidth : tally.width;
    const std::size_t n_cuts = tally.n_runs() - 1;
    double* left = scratch.left.data();
    double* right = scratch.right.data();
    double* purities = scratch.key.data() + side * n_cuts;
    const double* total = judge.total.data();
    double most = -std::numeric_limits<double>::infinity();
    std::fill(left, left + width, 0.0);
    if (side == 1) add_to(left, tally.missing.data(), width);
    for (std::size_t i = 0; i < n_cuts; ++i) {
        add_to(left, tally.sums.data() + i * width, width);
        if (judge.limits.class_boundaries &&
            !is_class_boundary(judge.criterion, tally.run(i), tally.run(i + 1)))
            continue;
        if (!apart(tally.last_row[i], tally.row[i + 1])) continue;
        difference(right, total, left, width);
        if (!judge.admits(left) || left[criteria::kWeight] < min_side_weight) continue;
        if (!judge.admits(right) || right[criteria::kWeight] < min_side_weight)
            break;  // only lighter from here
        if (monotone && !respects(judge.criterion, *monotone, left, right)) continue;
        best.n_cuts += side == 0 ? 1 : 0;
        const double purity = judge.criterion.pair(left, right) + beside;
        purities[i] = purity;
        most = std::max(most, purity);
    }
    return most;
}

/// Tries missing rows on the right and then, where the policy learns a side, on the left. Of cuts
/// that tie the lowest is taken. The threshold itself is chosen later, between two rows; only rows
/// that are `apart(row below, row above)` are separated.
template <criteria::Criterion C, class Apart>
void best_threshold(Judge<C>& judge, const Monotone* monotone, double min_side_weight,
                    const Apart& apart, SearchScratch& scratch, Candidate& best) {
    const Tally& tally = judge.tally;
    const std::size_t width = tally.width;
    if (tally.n_runs() < 2) return;
    best.guard = Guard::limits;
    scratch.left.resize(width);
    scratch.right.resize(width);
    const bool third = judge.has_missing_branch();
    if (third && !judge.admits(tally.missing.data())) return;
    const double beside = third ? judge.criterion.purity(tally.missing.data()) : 0.0;
    std::vector<double>& total = judge.total;
    if (third) subtract_from(total.data(), tally.missing.data(), width);

    constexpr double kNone = -std::numeric_limits<double>::infinity();
    const std::size_t n_cuts = tally.n_runs() - 1;
    std::vector<double>& purities = scratch.key;  // of each cut, missing right, then missing left
    purities.assign(judge.tries_sides() ? 2 * n_cuts : n_cuts, kNone);
    double most = kNone;
    const auto judge_side = [&]<std::size_t kWidth>(std::size_t side) {
        most = std::max(most, judge_cuts<kWidth>(judge, monotone, min_side_weight, apart, beside,
                                                 side, scratch, best));
    };
    for (std::size_t side = 0; side < purities.size() / n_cuts; ++side) {
        if (width == 3) judge_side.template operator()<3>(side);       // one number
        else if (width == 4) judge_side.template operator()<4>(side);  // two classes
        else judge_side.template operator()<0>(side);
    }
    if (third) add_to(total.data(), tally.missing.data(), width);
    if (most == kNone) return;
    const double enough = most - judge.slack(most);
    std::size_t found = 0;
    while (!(purities[found] >= enough)) ++found;

    const std::size_t cut = found % n_cuts;
    const bool missing_left = found >= n_cuts;
    best.guard = Guard::none;
    best.question = Question::cut;
    best.cut_position = 0;
    for (std::size_t i = 0; i <= cut; ++i) best.cut_position += tally.n_entries[i];
    best.cut_code = tally.code.empty() ? 0 : tally.code[cut];
    best.row_below = tally.last_row[cut];
    best.row_above = tally.row[cut + 1];
    best.n_branches = third ? 3 : 2;
    best.missing_branch = third ? 2 : (judge.tries_sides() ? (missing_left ? 0 : 1) : -1);
    judge.settle(most, best);
}

}  // namespace treewright::split
