/// Best cut "x <= t" of one column.
#pragma once

#include "treewright/split/judge.hpp"

namespace treewright {

/// True if a cut between the two runs separates classes: not both wholly of one and the same
/// class (Fayyad and Irani 1992: the best cut of a concave impurity is such a boundary).
template <Criterion C>
bool is_class_boundary(const C& criterion, const double* below, const double* above) {
    std::size_t n_present = 0;
    for (std::size_t k = kStatistics; k < criterion.width(); ++k)
        n_present += (below[k] > 0.0 || above[k] > 0.0) ? 1 : 0;
    return n_present > 1;
}

/// Value of a branch that a monotonic constraint looks at: share of the second class, or mean.
template <Criterion C>
double level([[maybe_unused]] const C& criterion, const double* sums) {
    if constexpr (std::is_base_of_v<ClassSums, C>) return sums[kStatistics + 1] / sums[kWeight];
    else return criterion.centre[0] + sums[kStatistics] / sums[kWeight];
}

/// Only cuts of a column with a direction are held to the bounds; elsewhere the values of leaves
/// are brought into them (as scikit-learn does).
template <Criterion C>
bool respects(const C& criterion, const Monotone& rule, const double* left, const double* right) {
    if (rule.direction == 0) return true;
    const double low = level(criterion, left);
    const double high = level(criterion, right);
    return low >= rule.lower && low <= rule.upper && high >= rule.lower && high <= rule.upper &&
           (high - low) * rule.direction >= 0.0;
}

/// Tries missing rows on the right and then, where the policy learns a side, on the left. Strict
/// comparison: ties keep the lower cut. The threshold itself is chosen later, between two rows.
template <Criterion C>
void best_threshold(Judge<C>& judge, const Monotone* monotone, double min_side_weight,
                    SearchScratch& scratch, Candidate& best) {
    const Tally& tally = judge.tally;
    const std::size_t width = tally.width;
    if (tally.n_runs() < 2) return;
    best.guard = Guard::limits;
    scratch.left.assign(width, 0.0);
    scratch.right.assign(width, 0.0);
    double* left = scratch.left.data();
    double* right = scratch.right.data();
    const bool third = judge.has_missing_branch();
    if (third && !judge.admits(tally.missing.data())) return;
    const double beside = third ? judge.criterion.purity(tally.missing.data()) : 0.0;
    std::vector<double>& total = judge.total;
    if (third) subtract_from(total.data(), tally.missing.data(), width);

    double best_purity = -std::numeric_limits<double>::infinity();
    for (const bool missing_left : {false, true}) {
        if (missing_left && !judge.tries_sides()) break;
        std::fill(left, left + width, 0.0);
        if (missing_left) add_to(left, tally.missing.data(), width);
        std::uint32_t position = 0;
        for (std::size_t i = 0; i + 1 < tally.n_runs(); ++i) {
            add_to(left, tally.run(i), width);
            position += tally.n_entries[i];
            if (judge.limits.class_boundaries &&
                !is_class_boundary(judge.criterion, tally.run(i), tally.run(i + 1)))
                continue;
            difference(right, total.data(), left, width);
            if (!judge.admits(left) || left[kWeight] < min_side_weight) continue;
            if (!judge.admits(right) || right[kWeight] < min_side_weight)
                break;  // only lighter from here
            if (monotone && !respects(judge.criterion, *monotone, left, right)) continue;
            best.n_cuts += missing_left ? 0 : 1;
            const double purity = judge.criterion.pair(left, right) + beside;
            if (!judge.beats(purity, best_purity)) continue;
            best_purity = purity;
            best.question = Question::cut;
            best.cut_position = position;
            best.cut_code = tally.code.empty() ? 0 : tally.code[i];
            best.row_below = tally.last_row[i];
            best.row_above = tally.row[i + 1];
            best.n_branches = third ? 3 : 2;
            best.missing_branch = third ? 2 : (judge.tries_sides() ? (missing_left ? 0 : 1) : -1);
        }
    }
    if (third) add_to(total.data(), tally.missing.data(), width);
    if (best.question == Question::none) return;
    best.guard = Guard::none;
    judge.settle(best_purity, best);
}

}  // namespace treewright
