#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "treewright/adaboost/rows.hpp"
#include "treewright/adaboost/stump_votes.hpp"
#include "treewright/adaboost/stumps.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::tree;
using namespace treewright::grow;
using namespace treewright::adaboost;

namespace {

Column numbers(const std::vector<double>& values) {
    Column column;
    column.data = reinterpret_cast<const std::byte*>(values.data());
    column.stride = sizeof(double);
    return column;
}

}  // namespace

CASE(the_scale_of_the_first_weights_does_not_matter) {
    AdaBoostRows plain({3.0, 1.0, 2.0}, {0, 1, 1}, 2);
    AdaBoostRows scaled({3.0e-9, 1.0e-9, 2.0e-9}, {0, 1, 1}, 2);
    const std::vector<std::int32_t> predicted = {0, 0, 1};
    for (int round = 0; round < 5; ++round) {
        CHECK_NEAR(plain.error(predicted), scaled.error(predicted), 1e-14);
        CHECK_NEAR(plain.reward(predicted, 0.3), scaled.reward(predicted, 0.3), 1e-14);
    }
    CHECK_NEAR(plain.vote(predicted, 1.0), scaled.vote(predicted, 1.0), 1e-14);
    CHECK(plain.n_counted() == 3.0);
}

CASE(a_stump_parts_values_inside_a_bin) {
    // More values than bins, and a single place where classes change.
    constexpr std::size_t kRows = 5000;
    std::vector<double> values(kRows);
    std::vector<std::int32_t> classes(kRows);
    for (std::size_t row = 0; row < kRows; ++row) {
        values[row] = static_cast<double>((row * 1237) % kRows);
        classes[row] = values[row] > 1233.0 ? 1 : 0;
    }
    Dataset data;
    data.n_rows = kRows;
    data.columns = {numbers(values)};
    data.target.n_classes = {2};
    data.target.classes = classes;
    GrowOptions options;
    Team team(2, unstopped);
    const auto search = make_stump_search(data, options, team);
    const AdaBoostRows rows(std::vector<double>(kRows, 1.0), classes, 2);
    const FoundStump found = search->find(rows, team);
    CHECK(found.tree.nodes.size() == 3);
    CHECK(found.tree.nodes[0].threshold == 1233.5);
    CHECK(rows.error(found.predicted) == 0.0);
}

CASE(votes_by_interval_are_those_of_the_stumps) {
    const std::vector<double> values = {0.0, 1.0, 2.0, 3.0, NAN};
    Rows rows;
    rows.n_rows = values.size();
    rows.columns = {numbers(values)};
    std::vector<VotingStump> stumps(3);
    const double cuts[] = {1.0, 2.5, 1.0};
    for (std::size_t i = 0; i < stumps.size(); ++i) {
        stumps[i].column = 0;
        stumps[i].threshold = cuts[i];
        stumps[i].said[1] = 1;
        stumps[i].vote = static_cast<double>(i + 1);
    }
    stumps[2].missing_branch = 1;
    const StumpVotes votes(stumps, {0}, 2);
    std::vector<double> table(2 * values.size());
    std::vector<double> one_by_one(2 * values.size());
    votes.add_all(rows, 1, unstopped, table);
    votes.add(rows, 0, 3, unstopped, one_by_one);
    CHECK(table == one_by_one);
    CHECK(table == (std::vector<double>{6, 0, 6, 0, 2, 4, 0, 6, 3, 3}));
}
