#include "check.hpp"
#include "made_data.hpp"
#include "treewright/boosting/booster.hpp"
#include "treewright/boosting/coding/bins.hpp"
#include "treewright/boosting/ensemble.hpp"
#include "treewright/boosting/pruning.hpp"

using namespace treewright;
using namespace treewright::tree;
using namespace treewright::boosting;

CASE(a_branch_stays_if_its_leaves_are_worth_it_together) {
    //        0 (gain 1)
    //      1            2 (gain 3)
    //                3      4 (gain 1.5)
    //                     5   6
    BoostTree tree;
    tree.nodes.resize(7);
    const auto split = [&](std::size_t node, int first, double gain) {
        tree.nodes[node].first_child = first;
        tree.nodes[node].gain = gain;
        tree.nodes[node].n_rows = static_cast<std::uint32_t>(100 - node);
    };
    split(0, 1, 1.0);
    split(2, 3, 3.0);
    split(4, 5, 1.5);
    BoostTree all = tree;
    const PrunedNodes same = prune_branches(all, 1.4);  // the root is worth it for what follows
    CHECK(all.nodes.size() == 7 && same.asks[4] && same.at[6] == 6);
    BoostTree some = tree;
    const PrunedNodes now = prune_branches(some, 1.6);
    CHECK(some.nodes.size() == 5 && some.nodes[4].is_leaf() && some.nodes[4].n_rows == 96);
    CHECK(now.at[5] == 4 && now.at[6] == 4 && !now.asks[4] && now.asks[2]);
    BoostTree none = tree;
    const PrunedNodes gone = prune_branches(none, 2.0);
    CHECK(none.nodes.size() == 1 && none.nodes[0].is_leaf() && none.nodes[0].n_rows == 100);
    for (std::size_t node = 0; node < 7; ++node) CHECK(gone.at[node] == 0 && !gone.asks[node]);
}

CASE(training_rows_are_where_a_pruned_tree_sends_them) {
    const auto made = make_data(
        {.n_rows = 2000, .n_classes = 0, .missing = 0.1, .distinct = 60, .signal = 0.5}, 8);
    Progress progress(nullptr);
    for (const double share : {1.0, 0.5})
        for (const double least : {2e4, 1e5, 1e12}) {
            Team team(2, progress);
            Booster booster(made->data, learn_codebook(made->data, 64, team), Objective{},
                            {share, 0.0, 0}, 1, std::vector<double>(2000), team);
            BoostGrowth growth;
            growth.max_leaves = 30;
            growth.limits.min_leaf = 3;
            growth.min_gain_per_leaf = least;
            for (std::uint64_t round = 0; round < 5; ++round)
                booster.round(growth, 0.5, round, team, progress);
            const BoostForest forest(booster.codebook(), booster.trees, 1);
            CHECK(forest.trees[0].nodes.size() < 59);
            const Rows rows{2000, made->data.columns};
            std::vector<double> scores(2000);
            forest.add_scores(rows, 0, forest.trees.size(), 2, progress, scores);
            CHECK(scores == booster.scores);
        }
}
