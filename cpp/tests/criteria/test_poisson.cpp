#include <vector>

#include "check.hpp"
#include "treewright/criteria/poisson.hpp"
#include "treewright/split/nominal/multiway.hpp"

using namespace treewright;
using namespace treewright::criteria;
using namespace treewright::split;

namespace {

/// Runs of one row each with these counts, beside a missing row.
Tally runs_of(const std::vector<double>& counts, double missing) {
    Tally tally;
    tally.clear(kStatistics + 1);
    for (std::uint32_t i = 0; i < counts.size(); ++i) {
        tally.row.push_back(i);
        for (const double x : {1.0, 1.0, counts[i]}) tally.sums.push_back(x);
        add_to(tally.known.data(), tally.run(i), tally.width);
    }
    tally.any_missing = true;
    tally.missing = {1.0, 1.0, missing};
    return tally;
}

/// Where the missing row goes in a question with a branch for each run; -1 if it is refused.
std::int32_t branch_of_missing(const std::vector<double>& counts, double missing) {
    const Tally tally = runs_of(counts, missing);
    data::Target target;
    target.n_outputs = 1;
    Poisson criterion(target);
    std::vector<double> all = tally.known;
    add_to(all.data(), tally.missing.data(), tally.width);
    criterion.begin_node(all.data());
    SearchScratch scratch;
    Judge<Poisson> judge(criterion, tally, MissingPart::sides, {}, scratch.total);
    Candidate best;
    best_multiway(judge, scratch, best);
    return best.n_branches > 0 ? best.missing_branch : -1;
}

}  // namespace

CASE(a_missing_row_may_save_one_branch_of_zeros_and_not_two) {
    CHECK(branch_of_missing({2.0, 0.0, 3.0}, 1.0) == 1);
    CHECK(branch_of_missing({2.0, 0.0, 0.0}, 1.0) == -1);
    CHECK(branch_of_missing({0.0, 0.0}, 1.0) == -1);
    CHECK(branch_of_missing({2.0, 0.0}, 0.0) == -1);
    CHECK(branch_of_missing({2.0, 5.0}, 5.0) == 1);
}

CASE(known_rows_that_count_nothing_are_not_divided_where_missing_ones_do) {
    data::Target target;
    target.n_outputs = 1;
    Poisson criterion(target);
    const double node[] = {3.0, 3.0, 1.0};
    const double known[] = {2.0, 2.0, 0.0};
    const double side[] = {1.0, 1.0, 0.0};
    criterion.begin_node(node);
    criterion.enter(known);
    CHECK(std::isinf(criterion.purity(side)));
    criterion.begin_node(known);  // of nothing but zeros there is nothing to say
    CHECK(criterion.purity(side) == 0.0);
}
