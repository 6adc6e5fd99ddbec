#include <cstdint>
#include <vector>

#include "check.hpp"
#include "made_data.hpp"
#include "treewright/grow/grower.hpp"
#include "treewright/tree/plan.hpp"

using namespace treewright;
using namespace treewright::tree;
using namespace treewright::split;
using namespace treewright::missing;
using namespace treewright::grow;

namespace {

GrowOptions oblique_options(const MadeData& made, const char* criterion, ObliqueSearch search) {
    GrowOptions options = grow_options(made, criterion);
    options.oblique.search = search;
    options.oblique.n_restarts = 3;
    for (std::uint32_t j = 0; j < made.reals.size(); ++j) options.oblique.columns.push_back(j);
    return options;
}

constexpr ObliqueSearch kSearches[] = {ObliqueSearch::oc1, ObliqueSearch::hhcart,
                                       ObliqueSearch::hhcart_dominant, ObliqueSearch::cart_lc,
                                       ObliqueSearch::random_projections};

}  // namespace

CASE(sums_grow_one_tree_for_any_number_of_threads) {
    for (const ObliqueSearch search : kSearches)
        for (const std::uint32_t n_classes : {0, 2, 3}) {
            const auto made = make_data(
                {.n_rows = 1500, .n_classes = n_classes, .missing = 0.02, .distinct = 300}, 8);
            GrowOptions options =
                oblique_options(*made, n_classes == 0 ? "squared_error" : "gini", search);
            options.max_depth = 6;
            Progress progress(nullptr);
            const Tree reference = grow::grow(made->data, options, progress);
            std::size_t n_sums = 0;
            for (const TreeNode& node : reference.nodes) n_sums += node.kind == 4 ? 1 : 0;
            CHECK(n_sums > 0);
            for (const std::size_t n_threads : {2, 4}) {
                options.n_threads = n_threads;
                const Tree tree = grow::grow(made->data, options, progress);
                CHECK(tree.nodes.size() == reference.nodes.size());
                CHECK(tree.value == reference.value);
                CHECK(tree.terms.column == reference.terms.column);
                CHECK(tree.terms.coefficient == reference.terms.coefficient);
            }
        }
}

CASE(rows_are_predicted_where_they_were_counted) {
    for (const ObliqueSearch search : kSearches)
        for (const Policy& policy : {policy_named("learned_side"), policy_named("majority"),
                                     policy_named("own_branch"), policy_named("surrogates")}) {
            const auto made = make_data({.n_rows = 700, .missing = 0.05, .distinct = 60}, 4);
            GrowOptions options = oblique_options(*made, "entropy", search);
            options.missing = policy;
            Progress progress(nullptr);
            const Tree tree = grow::grow(made->data, options, progress);
            const std::vector<std::int32_t> unseen(tree.nodes.size(), -1);
            const Plan plan(view_of(tree, unseen, unstopped), {2}, 1, unstopped);
            std::vector<std::int64_t> leaf(made->data.n_rows);
            plan.apply({made->data.n_rows, made->data.columns}, 1, unstopped, leaf);
            std::vector<std::int64_t> counted(tree.nodes.size(), 0);
            for (const std::int64_t each : leaf) ++counted[static_cast<std::size_t>(each)];
            for (std::size_t i = 0; i < tree.nodes.size(); ++i)
                if (tree.nodes[i].n_branches == 0) CHECK(counted[i] == tree.nodes[i].n_rows);
        }
}

CASE(looking_at_a_sum_repeats_its_growing) {
    const auto made = make_data({.n_rows = 400, .missing = 0.05, .distinct = 80}, 31);
    for (const ObliqueSearch search : kSearches) {
        const GrowOptions options = oblique_options(*made, "gini", search);
        Progress progress(nullptr);
        const Tree tree = grow::grow(made->data, options, progress);
        std::size_t node = 0;
        std::vector<std::uint32_t> path;
        while (tree.nodes[node].n_branches > 0) {
            const TreeNode& grown = tree.nodes[node];
            const Inspection seen = inspect(made->data, options, path, progress);
            CHECK(seen.chosen >= 0);
            const auto& chosen = seen.candidates[static_cast<std::size_t>(seen.chosen)];
            CHECK(static_cast<int>(chosen.candidate.question) == grown.kind);
            CHECK(chosen.candidate.gain == grown.gain);
            if (grown.kind == 4) {
                CHECK(chosen.threshold == grown.threshold);
                const auto at = static_cast<std::size_t>(grown.term_offset);
                for (std::size_t i = 0; i < chosen.candidate.terms.size(); ++i)
                    CHECK(chosen.candidate.terms.coefficient[i] == tree.terms.coefficient[at + i]);
            }
            path.push_back(1);
            node = static_cast<std::size_t>(grown.first_child) + 1;
        }
    }
}
