#include <cmath>

#include "check.hpp"
#include "made_data.hpp"
#include "treewright/base/quadrature.hpp"
#include "treewright/boosting/booster.hpp"
#include "treewright/boosting/coding/bins.hpp"
#include "treewright/boosting/ensemble.hpp"
#include "treewright/boosting/shap.hpp"

using namespace treewright;
using namespace treewright::tree;
using namespace treewright::boosting;

namespace {

BoostForest boosted(const MadeData& made, std::size_t n_outputs, Team& team) {
    Booster booster(made.data, learn_codebook(made.data, 255, team), Objective{}, RoundSample{},
                    n_outputs, std::vector<double>(made.data.n_rows * n_outputs), team);
    BoostGrowth growth;
    growth.max_leaves = 40;
    growth.limits.min_leaf = 3;
    Progress progress(nullptr);
    for (std::uint64_t round = 0; round < 6; ++round)
        booster.round(growth, 0.5, round, team, progress);
    return {booster.codebook(), booster.trees, n_outputs};
}

ShapResult explained(const BoostForest& forest, const Rows& rows, Cover cover,
                     std::size_t n_threads) {
    const BoostedTrees trees(forest, 0, forest.trees.size(), cover);
    ShapOptions options;
    options.n_threads = n_threads;
    Progress progress(nullptr);
    return shap_values(trees, {rows, {}}, options, progress);
}

}  // namespace

CASE(quadrature_is_exact_for_the_degrees_it_claims) {
    for (const std::size_t n : {1, 2, 3, 8, 9, 40, 150}) {
        const Quadrature rule = gauss_legendre(n);
        for (std::size_t degree = 0; degree < 2 * n; ++degree) {
            double sum = 0.0;
            for (std::size_t i = 0; i < n; ++i)
                sum += rule.weight[i] * std::pow(rule.at[i], static_cast<double>(degree));
            CHECK_NEAR(sum * static_cast<double>(degree + 1), 1.0, 1e-12);
        }
    }
}

CASE(shap_values_of_grown_trees_add_up) {
    MadeOptions options;
    options.n_rows = 500;
    options.n_classes = 0;
    options.missing = 0.1;
    options.signal = 0.7;
    for (const bool weighted : {false, true}) {
        options.weighted = weighted;
        const auto made = make_data(options, 5);
        Team team(2, unstopped);
        const BoostForest forest = boosted(*made, 1, team);
        CHECK(forest.trees.size() == 6 && forest.trees[0].nodes.size() > 20);
        const Rows rows{made->data.n_rows, made->data.columns};
        std::vector<double> scores(rows.n_rows);
        Progress progress(nullptr);
        forest.add_scores(rows, 0, forest.trees.size(), 1, progress, scores);
        for (const Cover cover : {Cover::rows, Cover::hessian}) {
            const auto found = explained(forest, rows, cover, 1);
            CHECK(found.values == explained(forest, rows, cover, 3).values);
            const std::size_t width = rows.columns.size();
            double mean = 0.0;
            for (std::size_t row = 0; row < rows.n_rows; ++row) {
                double sum = found.expected[0];
                for (std::size_t c = 0; c < width; ++c) sum += found.values[row * width + c];
                CHECK_NEAR(sum, scores[row], 1e-12);
                mean += scores[row] / static_cast<double>(rows.n_rows);
            }
            // With the training rows as cover, nothing known means the mean over them.
            if (!weighted) CHECK_NEAR(found.expected[0], mean, 1e-12);
        }
    }
}

CASE(shap_values_obey_the_call_to_stop) {
    MadeOptions options;
    options.n_classes = 0;
    const auto made = make_data(options, 6);
    Team team(1, unstopped);
    const BoostForest forest = boosted(*made, 1, team);
    const Rows rows{made->data.n_rows, made->data.columns};
    const BoostedTrees trees(forest, 0, forest.trees.size(), Cover::rows);
    ShapOptions asked;
    asked.n_threads = 2;
    Progress progress([](std::uint64_t) { throw Interrupted{}; });
    bool stopped = false;
    for (int again = 0; again < 100'000 && !stopped; ++again) {
        try {
            static_cast<void>(shap_values(trees, {rows, {}}, asked, progress));
        } catch (const Interrupted&) {
            stopped = true;
        }
    }
    CHECK(stopped);
}
