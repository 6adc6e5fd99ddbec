#include <tuple>

#include "check.hpp"
#include "made_data.hpp"
#include "treewright/grow/grower.hpp"
#include "treewright/tree/plan.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::tree;
using namespace treewright::split;
using namespace treewright::missing;
using namespace treewright::grow;

namespace {

Tree grown(const MadeData& made, const GrowOptions& options) {
    Progress progress(nullptr);
    return grow::grow(made.data, options, progress);
}

/// NaN, in the place of a cut of another type, equals NaN.
bool same(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
        return x == y || (std::isnan(x) && std::isnan(y));
    });
}

bool same(const Tree& a, const Tree& b) {
    if (a.nodes.size() != b.nodes.size() || a.value != b.value ||
        a.branches.code != b.branches.code || a.branches.branch != b.branches.branch ||
        !same(a.cuts.real, b.cuts.real) || a.cuts.whole != b.cuts.whole)
        return false;
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
        const TreeNode& x = a.nodes[i];
        const TreeNode& y = b.nodes[i];
        const auto shape = [](const TreeNode& n) {
            return std::tuple(n.first_child, n.n_branches, n.parent, n.column, n.kind,
                              n.threshold_int, n.missing_branch, n.n_rows, n.weight, n.gain,
                              n.score, n.cut_offset, n.cut_count);
        };
        if (shape(x) != shape(y)) return false;
        if (x.threshold != y.threshold && !(std::isnan(x.threshold) && std::isnan(y.threshold)))
            return false;
    }
    return true;
}

void check_invariants(const Tree& tree, const MadeData& made) {
    CHECK(!tree.nodes.empty());
    CHECK(tree.value.size() == tree.nodes.size() * tree.width);
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const TreeNode& node = tree.nodes[i];
        if (node.n_branches == 0) {
            rows += node.n_rows;
            continue;
        }
        CHECK(node.first_child > static_cast<std::int32_t>(i));
        for (std::int32_t b = 0; b < node.n_branches; ++b)
            CHECK(tree.nodes[static_cast<std::size_t>(node.first_child + b)].parent ==
                  static_cast<std::int32_t>(i));
    }
    CHECK(rows >= tree.nodes[0].n_rows);
    CHECK(tree.nodes[0].n_rows <= static_cast<std::int64_t>(made.data.n_rows));
}

const Policy kPolicyList[] = {policy_named("divide"),
                              policy_named("learned_side"),
                              policy_named("surrogates"),
                              policy_named("most_likely"),
                              policy_named("own_branch"),
                              policy_named("majority"),
                              policy_named("most_likely_in_class")};

/// One tree whichever way columns are held and on any number of threads; it has intervals.
void check_every_way(const MadeData& made, GrowOptions options, std::int8_t kind) {
    const Tree reference = grown(made, options);
    check_invariants(reference, made);
    CHECK(std::any_of(reference.nodes.begin(), reference.nodes.end(),
                      [&](const TreeNode& node) { return node.kind == kind; }));
    options.n_threads = 3;
    CHECK(same(reference, grown(made, options)));
    options.block.wide = true;
    CHECK(same(reference, grown(made, options)));
    options.block.wide = false;
    options.block.holding = Holding::codes;
    for (const TallyWay way : {TallyWay::automatic, TallyWay::counting, TallyWay::sorting}) {
        options.tally = way;
        CHECK(same(reference, grown(made, options)));
    }
}

}  // namespace

CASE(every_way_of_tallying_gives_one_tree) {
    for (const char* criterion : {"gini", "entropy", "misclassification", "chi2", "hellinger"})
        for (const std::uint32_t n_classes : {2, 4})
            for (const double missing : {0.0, 0.15}) {
                const auto made =
                    make_data({.n_classes = n_classes, .missing = missing}, 7 + n_classes);
                GrowOptions options = grow_options(*made, criterion);
                const Tree reference = grown(*made, options);
                check_invariants(reference, *made);
                options.fuse = false;
                CHECK(same(reference, grown(*made, options)));
                options.block.wide = true;
                CHECK(same(reference, grown(*made, options)));
                options.block.wide = false;
                options.block.holding = Holding::codes;
                for (const TallyWay way :
                     {TallyWay::automatic, TallyWay::counting, TallyWay::sorting})
                    for (const std::size_t width : {1, 2, 4}) {
                        options.tally = way;
                        options.block.min_code_width = width;
                        CHECK(same(reference, grown(*made, options)));
                    }
            }
}

CASE(weighted_trees_are_the_same_with_and_without_tallies) {
    for (const Splitter splitter : {Splitter::best, Splitter::random})
        for (const std::uint32_t n_classes : {0, 2, 4})
            for (const double step : {1.0, 0x1.0p-24, 0.1}) {  // whole, of 24 bits, rounded
                const auto made = make_data({.n_classes = n_classes, .missing = 0.01}, 3);
                Generator random(n_classes);
                std::vector<double> weight;
                std::vector<double> copies;
                for (std::size_t row = 0; row < made->data.n_rows; ++row) {
                    copies.push_back(1.0 + static_cast<double>(random.below(3)));
                    const auto n_steps = static_cast<double>(1 + random.below(1U << 22));
                    weight.push_back(copies.back() * (step == 1.0 ? 1.0 : step * n_steps));
                }
                made->data.weight = weight;
                made->data.copies = copies;
                GrowOptions options =
                    grow_options(*made, n_classes == 0 ? "squared_error" : "gini");
                options.splitter = splitter;
                options.min_leaf = 2.0;
                options.min_leaf_weight = 1e-3;
                const Tree reference = grown(*made, options);
                check_invariants(reference, *made);
                CHECK(reference.nodes.size() > 9);
                options.fuse = false;
                CHECK(same(reference, grown(*made, options)));
            }
}

CASE(every_way_of_tallying_gives_the_same_intervals) {
    for (const Numeric numeric : {Numeric::mdlp, Numeric::cal5})
        for (const double missing : {0.0, 0.15}) {
            const auto made = make_data({.n_rows = 3000, .missing = missing, .signal = 0.6}, 5);
            GrowOptions options = grow_options(*made, "entropy");
            options.numeric = numeric;
            check_every_way(*made, options, 3);
        }
}

CASE(every_way_of_tallying_merges_the_same_values) {
    for (const char* criterion : {"chi2", "entropy", "anova"})
        for (const bool exhaustive : {false, true}) {
            const bool classes = std::string_view(criterion) != "anova";
            const auto made = make_data({.n_rows = 3000,
                                         .n_classes = classes ? 3U : 0U,
                                         .missing = 0.1,
                                         .distinct = 300,
                                         .signal = 0.4},
                                        11);
            GrowOptions options = grow_options(*made, criterion);
            options.merging.is_on = true;
            options.merging.exhaustive = exhaustive;
            options.missing = policy_named("own_branch");
            options.block.n_bins = 10;
            check_every_way(*made, options, 3);
        }
}

CASE(threads_do_not_change_the_tree) {
    for (const std::uint32_t n_classes : {0, 2, 3}) {
        const auto made = make_data(
            {.n_rows = 40'000, .n_real = 10, .n_classes = n_classes, .distinct = 5000}, 5);
        GrowOptions options = grow_options(*made, n_classes == 0 ? "squared_error" : "gini");
        const Tree reference = grown(*made, options);
        for (const std::size_t n_threads : {2, 4}) {
            options.n_threads = n_threads;
            CHECK(same(reference, grown(*made, options)));
        }
    }
}

CASE(all_policies_and_searches_grow_sound_trees) {
    for (const Policy& policy : kPolicyList)
        for (const Nominal nominal : {Nominal::multiway, Nominal::subset, Nominal::one_vs_rest})
            for (const Splitter splitter : {Splitter::best, Splitter::random})
                for (const char* criterion :
                     {"gini", "twoing", "squared_error", "poisson", "weighted_squared_error",
                      "standard_deviation", "fifth_root", "absolute_error"}) {
                    const bool classes = std::string_view(criterion) == "gini" ||
                                         std::string_view(criterion) == "twoing";
                    if (policy == policy_named("most_likely_in_class") && !classes) continue;
                    if (policy == policy_named("surrogates") && nominal == Nominal::multiway)
                        continue;
                    if (std::string_view(criterion) == "absolute_error" &&
                        nominal == Nominal::subset)
                        continue;
                    const auto made = make_data({.n_rows = 120,
                                                 .n_classes = classes ? 3U : 0U,
                                                 .missing = 0.2,
                                                 .weighted = true},
                                                3);
                    GrowOptions options = grow_options(*made, criterion);
                    options.missing = policy;
                    options.nominal = nominal;
                    options.splitter = splitter;
                    const Tree tree = grown(*made, options);
                    check_invariants(tree, *made);
                    options.max_leaf_nodes = 5;
                    check_invariants(grown(*made, options), *made);
                }
}

CASE(all_policies_grow_sound_intervals) {
    const auto made = make_data(
        {.n_rows = 800, .n_classes = 3, .missing = 0.2, .weighted = true, .signal = 0.5}, 3);
    for (const Numeric numeric : {Numeric::mdlp, Numeric::cal5})
        for (const Policy& policy : kPolicyList)
            for (const char* criterion : {"gini", "entropy", "misclassification", "hellinger"}) {
                if (policy == policy_named("surrogates")) continue;  // imitate two branches
                GrowOptions options = grow_options(*made, criterion);
                options.missing = policy;
                options.numeric = numeric;
                check_invariants(grown(*made, options), *made);
                options.threshold_at = ThresholdAt::training;
                options.max_leaf_nodes = 7;
                const Tree tree = grown(*made, options);
                check_invariants(tree, *made);
                for (const TreeNode& node : tree.nodes)
                    for (std::int32_t i = 1; i < node.cut_count; ++i) {
                        const auto at = static_cast<std::size_t>(node.cut_offset + i);
                        CHECK(tree.cuts.real[at - 1] < tree.cuts.real[at]);
                    }
            }
}

CASE(predictions_do_not_depend_on_the_batch) {
    const auto made = make_data({.n_rows = 3000, .missing = 0.1, .distinct = 500}, 9);
    GrowOptions options = grow_options(*made, "gini");
    options.missing = policy_named("divide");
    const Tree tree = grown(*made, options);
    std::vector<std::int32_t> unseen;
    for (const TreeNode& node : tree.nodes) unseen.push_back(node.missing_branch);
    const Plan plan(view_of(tree, unseen, unstopped), {2}, 1, unstopped);
    Rows rows{made->data.n_rows, made->data.columns};
    std::vector<double> together(rows.n_rows * 2);
    std::vector<double> threaded(rows.n_rows * 2);
    plan.predict(rows, Combine::branch_fractions, 1, unstopped, together);
    plan.predict(rows, Combine::branch_fractions, 3, unstopped, threaded);
    CHECK(together == threaded);
    for (std::size_t row = 0; row < rows.n_rows; row += 37) {
        Rows alone{1, made->data.columns};
        for (Column& column : alone.columns)
            column.data += static_cast<std::ptrdiff_t>(row) * column.stride;
        std::vector<double> one(2);
        plan.predict(alone, Combine::branch_fractions, 1, unstopped, one);
        CHECK(one[0] == together[2 * row] && one[1] == together[2 * row + 1]);
        CHECK_NEAR(one[0] + one[1], 1.0, 1e-12);
    }
}

CASE(a_deep_chain_is_an_ordinary_tree) {
    // y = 2^i: the best cut always peels off the largest value.
    MadeData made;
    const std::size_t n = 900;
    auto& x = made.reals.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = static_cast<float>(i);
        made.values.push_back(std::exp2(static_cast<double>(i) - 450.0));
    }
    Column column;
    column.data = reinterpret_cast<const std::byte*>(x.data());
    column.stride = sizeof(float);
    column.type = ValueType::f32;
    made.data.n_rows = n;
    made.data.columns = {column};
    made.data.target.values = made.values;
    const Tree tree = grown(made, grow_options(made, "squared_error"));
    check_invariants(tree, made);
    CHECK(tree.nodes.size() > 50);
}

CASE(inspection_repeats_the_growing) {
    const auto made = make_data({.n_rows = 400, .missing = 0.1}, 21);
    for (const Policy& policy : kPolicyList) {
        GrowOptions options = grow_options(*made, "entropy");
        options.missing = policy;
        options.nominal = Nominal::subset;
        if (policy == policy_named("own_branch")) options.merging.is_on = true;
        const Tree tree = grown(*made, options);
        Progress progress(nullptr);
        std::size_t node = 0;
        std::vector<std::uint32_t> path;
        while (tree.nodes[node].n_branches > 0) {
            const Inspection seen = inspect(made->data, options, path, progress);
            CHECK(seen.chosen >= 0);
            const auto& chosen = seen.candidates[static_cast<std::size_t>(seen.chosen)];
            CHECK(chosen.candidate.column == static_cast<std::uint32_t>(tree.nodes[node].column));
            CHECK_NEAR(chosen.candidate.gain, tree.nodes[node].gain, 1e-12);
            CHECK(static_cast<std::int64_t>(seen.rows.size()) == tree.nodes[node].n_rows);
            path.push_back(0);
            node = static_cast<std::size_t>(tree.nodes[node].first_child);
        }
    }
}
