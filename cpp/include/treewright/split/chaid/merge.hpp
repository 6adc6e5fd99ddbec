/// CHAID's search (Kass 1980; exhaustive: Biggs, de Ville and Suen 1991): values of a column that
/// do not differ in the target are merged, and each group that is left is a branch.
#pragma once

#include "treewright/split/chaid/group_test.hpp"
#include "treewright/split/numeric/intervals.hpp"
#include "treewright/split/options.hpp"

namespace treewright::split {

/// Which categories may be merged.
struct Categories {
    const double* sums = nullptr;  ///< n x width
    std::size_t n = 0;
    std::size_t width = 0;
    bool is_nominal = false;  ///< any two; otherwise neighbours only, but for
    bool floats = false;      ///< the last category, missing values, which may join any group

    [[nodiscard]] const double* at(std::size_t category) const { return sums + category * width; }
};

struct Grouping {
    std::vector<std::uint32_t> group_of_category;  ///< numbered by their first categories
    std::size_t n_groups = 0;
    double log_p = 0.0;           ///< of the test whether the groups differ
    double log_adjusted_p = 0.0;  ///< times the number of ways to form so many groups, at most 0
};

/// Repeatedly merges the two groups that differ least, while their p-value is above
/// alpha_merge (or, exhaustively, until two are left, and the step of the smallest p-value counts).
/// A group of three or more categories may be split in two again where that is significant at
/// alpha_resplit. Groups too small for the limits then join the one they differ least from.
///
/// The p-value of the r groups of c categories is multiplied by the number of ways to form them
/// (Kass 1980): in order C(c-1, r-1); at will S(c, r), the Stirling number of the second kind; with
/// a floating category C(c-2, r-2) + r C(c-2, r-1). Exhaustively by the number of pairs compared on
/// the way (Biggs et al.): c (c-1) / 2 in order, c (c^2-1) / 6 at will.
///
/// Of more than 128 categories, neighbours are merged first until 128 are left, whatever
/// alpha_merge and missing values; nominal ones are neighbours in the order of their class shares
/// or means. A merged group of more than ten nominal categories is split again only along that
/// order. These are heuristics.
[[nodiscard]] Grouping merge_categories(const Categories& categories, const GroupTest& test,
                                        const Merging& merging, const SearchLimits& limits);

/// The groups of a column's values as a split. Missing rows are a run of a nominal column, and a
/// floating category of any other.
template <criteria::Criterion C>
void best_merge(Judge<C>& judge, const GroupTest& test, const Merging& merging, bool is_nominal,
                SearchScratch& scratch, Candidate& best) {
    const Tally& tally = judge.tally;
    const bool floats = judge.has_missing_branch();
    std::vector<double>& sums = scratch.branches;
    sums.assign(tally.sums.begin(), tally.sums.end());
    if (floats) sums.insert(sums.end(), tally.missing.begin(), tally.missing.end());
    const std::size_t n = tally.n_runs() + (floats ? 1 : 0);
    if (n < 2) return;
    const Grouping found = merge_categories({sums.data(), n, tally.width, is_nominal, floats}, test,
                                            merging, judge.limits);
    best.guard = Guard::insignificant;
    if (found.n_groups < 2) return;
    best.guard = Guard::none;
    best.log_p = found.log_p;
    best.log_adjusted_p = found.log_adjusted_p;
    best.n_branches = static_cast<std::uint32_t>(found.n_groups);
    best.branch_of_run.assign(
        found.group_of_category.begin(),
        found.group_of_category.begin() + static_cast<std::ptrdiff_t>(tally.n_runs()));
    sum_branches(tally, best.branch_of_run, found.n_groups, sums);
    if (floats) {
        best.missing_branch = static_cast<std::int32_t>(found.group_of_category.back());
        add_to(sums.data() + found.group_of_category.back() * tally.width, tally.missing.data(),
               tally.width);
    }
    double purity = 0.0;
    for (std::size_t b = 0; b < found.n_groups; ++b)
        purity += judge.criterion.purity(sums.data() + b * tally.width);
    judge.settle(purity, best);
    if (is_nominal) best.question = Question::categories;
    else ask_in_order(tally, best);
}

}  // namespace treewright::split
