#include <cmath>
#include <cstring>
#include <optional>

#include "check.hpp"
#include "fast_tables.hpp"
#include "treewright/data/exact_weights.hpp"
#include "treewright/forest/fast/grower.hpp"
#include "treewright/grow/engines.hpp"
#include "treewright/grow/grower.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::tree;
using namespace treewright::split;
using namespace treewright::grow;
using namespace treewright::forest;

namespace {

PackedTree grown_fast(const FastTable& table, const GrowOptions& options, Engine engine,
                      std::size_t n_threads = 1) {
    Progress progress(nullptr);
    Team team(n_threads, unstopped);
    CHECK(grow::fast_grower_serves(options, table.data));
    const auto shared = make_fast_data(table.data, options, team, engine);
    CHECK(shared != nullptr);
    const auto grower = make_fast_grower(*shared, options, progress);
    (void)grower->grow(table.copies, options.tree + 1, true,
                       team);  // memory is kept, trees are not
    return grower->grow(table.copies, options.tree, true, team);
}

/// The same on rows that weigh differently.
PackedTree grown_weighed(const FastTable& table, const GrowOptions& options,
                         std::span<const double> weight, std::size_t n_threads = 1,
                         std::optional<Engine> engine = std::nullopt) {
    Progress progress(nullptr);
    Team team(n_threads, unstopped);
    const auto shared = make_fast_data(table.data, options, team, engine, true);
    CHECK(shared != nullptr &&
          shared->engine == engine.value_or(engine_of(options, table.data, true)));
    const auto grower = make_fast_grower(*shared, options, progress);
    return grower->grow({table.copies, weight}, options.tree, true, team);
}

Tree grown_generally(const FastTable& table, const GrowOptions& options,
                     std::span<const double> factor) {
    Progress progress(nullptr);
    const std::vector<double> copies(table.copies.begin(), table.copies.end());
    std::vector<double> weight = copies;
    for (std::size_t row = 0; row < weight.size(); ++row) weight[row] *= factor[row];
    Dataset data = table.data;
    data.weight = weight;
    data.copies = copies;
    return grow::grow(data, options, progress);
}

/// The tree of the grower that knows everything, on rows that weigh what they are drawn.
Tree grown_generally(const FastTable& table, const GrowOptions& options) {
    Progress progress(nullptr);
    const std::vector<double> weight(table.copies.begin(), table.copies.end());
    Dataset data = table.data;
    data.weight = weight;
    data.copies = weight;
    return grow::grow(data, options, progress);
}

bool close(double a, double b) {
    return std::abs(a - b) <= 1e-9 * (1.0 + std::abs(a));
}

/// Node by node from the roots; numbers of nodes may differ.
void check_same(const UnpackedTree& unpacked, const Tree& general) {
    const TreeArrays& plain = unpacked.arrays;
    CHECK(plain.first_child.size() == general.nodes.size());
    std::vector<std::pair<std::size_t, std::size_t>> open = {{0, 0}};
    while (!open.empty()) {
        const auto [i, j] = open.back();
        open.pop_back();
        const TreeNode& node = general.nodes[j];
        const bool same_question = plain.n_branches[i] == node.n_branches &&
                                   plain.column[i] == node.column && plain.kind[i] == node.kind &&
                                   plain.missing_branch[i] == node.missing_branch &&
                                   (node.n_branches == 0 || plain.threshold[i] == node.threshold ||
                                    (std::isnan(plain.threshold[i]) && std::isnan(node.threshold) &&
                                     plain.threshold_int[i] == node.threshold_int));
        CHECK(same_question);
        CHECK(plain.weight[i] == node.weight);
        CHECK(close(plain.impurity[i], node.impurity) && close(plain.gain[i], node.gain));
        const std::size_t width = unpacked.width;
        for (std::size_t k = 0; k < width; ++k)
            CHECK(close(plain.value[i * width + k], general.value[j * width + k]));
        if (!same_question) return;
        for (std::int32_t b = 0; b < node.n_branches; ++b)
            open.emplace_back(static_cast<std::size_t>(plain.first_child[i] + b),
                              static_cast<std::size_t>(node.first_child + b));
    }
}

/// Bit for bit.
void check_equal(const PackedTree& a, const PackedTree& b) {
    const auto agree = [](const auto& x, const auto& y) {
        return x.size() == y.size() &&
               (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0);
    };
    CHECK(agree(a.nodes, b.nodes) && agree(a.counts, b.counts) && agree(a.values, b.values));
    CHECK(agree(a.spread, b.spread) && agree(a.importance, b.importance));
}

template <class Change>
void check_all(const FastTableOptions& kind, Change&& change) {
    for (const Splitter splitter : {Splitter::best, Splitter::random})
        for (const std::uint32_t n_classes : {0U, 2U, 5U})
            for (std::uint64_t seed = 0; seed < 6; ++seed) {
                Generator random(mix(seed, n_classes));
                FastTableOptions made = kind;
                made.n_classes = n_classes;
                const auto table = make_fast_table(made, random);
                GrowOptions options = fast_options(*table);
                options.splitter = splitter;
                options.seed = seed;
                options.tree = 3;
                change(options, random);
                const PackedTree packed = grown_fast(*table, options, Engine::best_cuts);
                CHECK(is_sound(packed, n_classes, table->data.columns.size()));
                check_same(unpack(packed, n_classes, table->is_real, false, unstopped),
                           grown_generally(*table, options));
                if (options.max_leaf_nodes <= 0)
                    check_equal(packed, grown_fast(*table, options, Engine::rows));
            }
}

}  // namespace

CASE(fast_trees_are_those_of_the_general_grower) {
    for (const std::uint64_t distinct : {2, 12, 1000})
        check_all({.distinct = distinct}, [](GrowOptions&, Generator&) {});
}

CASE(fast_trees_with_drawn_columns_are_those_of_the_general_grower) {
    for (const std::size_t n_rows : {5, 40, 300})
        check_all({.n_rows = n_rows}, [](GrowOptions& options, Generator& random) {
            options.max_columns = 1 + static_cast<std::uint32_t>(random.below(4));
        });
}

CASE(fast_trees_grown_best_first_are_those_of_the_general_grower) {
    for (const double gaps : {0.0, 0.2})
        for (const std::size_t n_rows : {40, 300})
            check_all({.n_rows = n_rows, .most_copies = 20, .gaps = gaps},
                      [](GrowOptions& options, Generator& random) {
                          if (options.splitter == Splitter::random) return;
                          options.max_leaf_nodes = 2 + static_cast<std::int64_t>(random.below(30));
                          options.max_columns = 1 + static_cast<std::uint32_t>(random.below(4));
                      });
}

CASE(a_tree_grown_best_first_is_the_same_for_any_number_of_threads) {
    for (const std::uint32_t n_classes : {0U, 2U, 5U}) {
        Generator random(n_classes);
        const auto table =
            make_fast_table({.n_rows = 20000, .n_classes = n_classes, .distinct = 3000}, random);
        GrowOptions options = fast_options(*table);
        options.max_leaf_nodes = 100;
        check_equal(grown_fast(*table, options, Engine::best_cuts),
                    grown_fast(*table, options, Engine::best_cuts, 3));
    }
}

CASE(fast_trees_of_rows_drawn_often_are_those_of_the_general_grower) {
    for (const std::uint64_t most_copies : {1, 15, 16, 100})
        check_all({.most_copies = most_copies},
                  [](GrowOptions& options, Generator&) { options.max_columns = 3; });
}

CASE(fast_trees_with_gaps_are_those_of_the_general_grower) {
    for (const double gaps : {0.02, 0.3, 0.95})
        for (const std::size_t n_rows : {5, 40, 300}) {
            const FastTableOptions kind{.n_rows = n_rows, .gaps = gaps};
            check_all(kind, [](GrowOptions&, Generator&) {});
            check_all(kind, [](GrowOptions& options, Generator& random) {
                options.max_columns = 1 + static_cast<std::uint32_t>(random.below(4));
                options.min_leaf = 1.0 + static_cast<double>(random.below(5));
            });
        }
    for (const std::uint64_t most_copies : {1, 16, 100})
        check_all({.n_rows = 120, .distinct = 3, .most_copies = most_copies, .gaps = 0.2},
                  [](GrowOptions& options, Generator&) { options.max_columns = 3; });
}

CASE(fast_trees_of_weighed_rows_are_those_of_the_general_grower) {
    for (const Splitter splitter : {Splitter::best, Splitter::random})
        for (const std::uint32_t n_classes : {0U, 2U, 5U})
            for (const double gaps : {0.0, 0.2})
                for (std::uint64_t seed = 0; seed < 8; ++seed) {
                    Generator random(mix(seed, n_classes));
                    const auto table = make_fast_table(
                        {.n_rows = 90, .n_classes = n_classes, .most_copies = 20, .gaps = gaps},
                        random);
                    GrowOptions options = fast_options(*table);
                    options.splitter = splitter;
                    options.seed = seed;
                    options.max_columns = 3;
                    options.min_leaf = 1.0 + static_cast<double>(random.below(9));
                    options.min_leaf_weight = seed % 2 == 0 ? 0.0 : 2.5;
                    if (n_classes > 0 && seed % 4 > 1) options.criterion = "entropy";
                    std::vector<double> weight;
                    for (std::size_t row = 0; row < table->data.n_rows; ++row)
                        weight.push_back(static_cast<double>(random.below(17)) / 8.0);
                    const PackedTree packed = grown_weighed(*table, options, weight);
                    const PackedTree on_rows =
                        grown_weighed(*table, options, weight, 1, Engine::rows);
                    check_equal(packed, on_rows);
                    CHECK(packed.weights == on_rows.weights);
                    CHECK(packed.names.n_rows == on_rows.names.n_rows);
                    check_same(unpack(packed, n_classes, table->is_real,
                                      options.criterion == "entropy", unstopped),
                               grown_generally(*table, options, weight));
                }
}

CASE(a_tree_of_weighed_rows_is_the_same_for_any_number_of_threads) {
    for (const bool is_drawn : {false, true})
        for (const std::uint32_t n_classes : {0U, 2U, 5U}) {
            Generator random(n_classes);
            const auto table = make_fast_table(
                {.n_rows = 20000, .n_classes = n_classes, .distinct = 3000}, random);
            GrowOptions options = fast_options(*table);
            if (is_drawn) options.splitter = Splitter::random;
            std::vector<double> weight;
            for (std::size_t row = 0; row < table->data.n_rows; ++row)
                weight.push_back(random.uniform());
            data::round_to_add(weight, 40000.0);
            const PackedTree one = grown_weighed(*table, options, weight);
            const PackedTree three = grown_weighed(*table, options, weight, 3);
            check_equal(one, three);
            CHECK(one.weights == three.weights && one.names.n_rows == three.names.n_rows);
        }
}

CASE(trees_grown_on_rows_are_those_grown_in_lists) {
    // Codes of one, two and four bytes; nodes that are counted, marked and sorted.
    for (const std::uint64_t distinct : {2, 200, 100000, 10000000})
        for (const double gaps : {0.0, 0.1})
            for (const std::uint32_t n_classes : {0U, 2U, 5U}) {
                Generator random(mix(distinct, n_classes));
                const FastTableOptions kind{.n_rows = distinct > 100000 ? 70000U : 6000U,
                                            .n_classes = n_classes,
                                            .distinct = distinct,
                                            .gaps = gaps};
                const auto table = make_fast_table(kind, random);
                GrowOptions options = fast_options(*table);
                options.max_columns = 2;
                options.min_leaf = distinct > 100000 ? 40.0 : 1.0;
                check_equal(grown_fast(*table, options, Engine::best_cuts),
                            grown_fast(*table, options, Engine::rows));
            }
}

CASE(trees_of_a_rare_class_grown_on_rows_are_those_grown_in_lists) {
    // Of the rare class there are few rows in a bin.
    for (const std::uint64_t distinct : {600, 100000, 10000000})
        for (const std::int32_t rare : {0, 1})
            for (const std::uint64_t rows_per_rare : {20, 60, 300}) {
                Generator random(mix(distinct, rows_per_rare));
                const auto table = make_fast_table(
                    {.n_rows = 6000, .distinct = distinct, .most_copies = 40}, random);
                for (std::int32_t& k : table->classes)
                    k = k == rare && random.below(rows_per_rare) < 2 ? rare : 1 - rare;
                GrowOptions options = fast_options(*table);
                options.max_columns = 2;
                const PackedTree in_lists = grown_fast(*table, options, Engine::best_cuts);
                CHECK(in_lists.nodes.size() > 9);
                check_equal(in_lists, grown_fast(*table, options, Engine::rows));
                check_equal(in_lists, grown_fast(*table, options, Engine::rows, 3));
            }
}

CASE(trees_of_two_classes_grown_in_bins_are_those_grown_in_lists) {
    // Values that many rows share beside those of one row; nodes whose best cut lies in a bin,
    // between two of them, or beside a bin of one value.
    for (const std::uint64_t distinct : {400, 5000, 10000000})
        for (std::uint64_t seed = 0; seed < 8; ++seed) {
            Generator random(mix(distinct, seed));
            const auto table = make_fast_table(
                {.n_rows = 3000, .distinct = distinct, .most_copies = 1 + seed % 20}, random);
            GrowOptions options = fast_options(*table);
            options.seed = seed;
            options.max_columns = static_cast<std::uint32_t>(seed % 4);
            const PackedTree in_lists = grown_fast(*table, options, Engine::best_cuts);
            check_equal(in_lists, grown_fast(*table, options, Engine::rows));
        }
}

CASE(large_trees_whose_sides_are_bits_are_those_grown_on_rows) {
    Generator random(5);
    const auto table =
        make_fast_table({.n_rows = 450000, .distinct = std::uint64_t{1} << 52}, random);
    GrowOptions options = fast_options(*table);
    options.columns = {1, 2, 4, 5};  // floats would tie
    options.max_columns = 2;
    options.max_depth = 6;
    const PackedTree in_lists = grown_fast(*table, options, Engine::best_cuts);
    check_equal(in_lists, grown_fast(*table, options, Engine::rows));
    check_equal(in_lists, grown_fast(*table, options, Engine::best_cuts, 2));
}

CASE(trees_grown_on_rows_are_the_same_for_any_number_of_threads) {
    for (const std::uint64_t distinct : {2, 30})
        for (const std::uint32_t n_classes : {0U, 2U, 5U}) {
            Generator random(mix(distinct, n_classes));
            const auto table = make_fast_table({.n_rows = 40000,
                                                .n_classes = n_classes,
                                                .distinct = distinct,
                                                .gaps = distinct == 2 ? 0.0 : 0.05},
                                               random);
            GrowOptions options = fast_options(*table);
            options.max_columns = 3;
            const PackedTree alone = grown_fast(*table, options, Engine::rows);
            for (const std::size_t n_threads : {2, 3})
                check_equal(alone, grown_fast(*table, options, Engine::rows, n_threads));
        }
}

CASE(the_faster_grower_of_best_cuts_is_chosen) {
    CHECK(best_cuts_engine({.n_columns = 300, .n_drawn = 17, .n_few = 300}) == Engine::rows);
    CHECK(best_cuts_engine({.n_columns = 2000, .n_drawn = 44, .n_few = 0}) == Engine::rows);
    CHECK(best_cuts_engine({.n_columns = 60, .n_drawn = 7, .n_few = 0}) == Engine::best_cuts);
    CHECK(best_cuts_engine({.n_columns = 60, .n_drawn = 7, .n_sparse = 60}) == Engine::rows);
    CHECK(best_cuts_engine({.n_columns = 74, .n_drawn = 8}) == Engine::best_cuts);
    CHECK(best_cuts_engine({.n_columns = 74, .n_drawn = 8, .is_rare = true}) == Engine::rows);
    CHECK(best_cuts_engine({.n_columns = 20, .n_drawn = 4, .is_rare = true}) == Engine::rows);
    CHECK(best_cuts_engine({.n_columns = 11, .n_drawn = 3, .is_rare = true}) == Engine::best_cuts);
    CHECK(best_cuts_engine({.n_columns = 20, .n_drawn = 4, .n_few = 0}) == Engine::best_cuts);
    CHECK(best_cuts_engine({.n_columns = 11, .n_drawn = 3, .n_few = 1, .n_names = 1}) ==
          Engine::best_cuts);
    CHECK(best_cuts_engine({.n_columns = 300, .n_drawn = 300, .n_few = 300}) == Engine::best_cuts);
    CHECK(best_cuts_engine({}) == Engine::best_cuts);
}

CASE(fast_grower_refuses_gaps_of_other_policies) {
    Generator random(5);
    const auto table = make_fast_table({.gaps = 0.1}, random);
    GrowOptions options = fast_options(*table);
    Team team(1, unstopped);
    CHECK(make_fast_data(table->data, options, team) != nullptr);
    for (const char* policy : {"surrogates", "majority"}) {
        options.missing = missing::policy_named(policy);
        CHECK(make_fast_data(table->data, options, team) == nullptr);
    }
}

CASE(fast_roots_that_may_not_be_split_are_leaves) {
    for (const std::size_t n_rows : {1, 2, 4})  // many have one class, or one value
        for (const std::uint64_t most_copies : {1, 2, 40})
            check_all({.n_rows = n_rows, .distinct = 3, .most_copies = most_copies},
                      [](GrowOptions&, Generator&) {});
    check_all({.n_rows = 10}, [](GrowOptions& options, Generator& random) {
        options.min_split = 10.0 + static_cast<double>(random.below(10));
    });
    check_all({.n_rows = 10}, [](GrowOptions& options, Generator& random) {
        options.min_leaf = 4.0 + static_cast<double>(random.below(8));
    });
    check_all({.n_rows = 10}, [](GrowOptions& options, Generator&) { options.max_depth = 0; });
}

CASE(fast_trees_within_limits_are_those_of_the_general_grower) {
    check_all({.n_rows = 200}, [](GrowOptions& options, Generator& random) {
        options.min_leaf = 1.0 + static_cast<double>(random.below(20));
        options.min_split = 2.0 + static_cast<double>(random.below(40));
    });
    check_all({.n_rows = 200}, [](GrowOptions& options, Generator& random) {
        options.max_depth = 1 + static_cast<std::int64_t>(random.below(5));
        options.max_columns = 2;
    });
    check_all({.n_rows = 200}, [](GrowOptions& options, Generator& random) {
        options.min_gain = 0.02 * random.uniform();
        options.min_leaf_weight = 4.0 * random.uniform();
    });
    check_all({.n_rows = 200}, [](GrowOptions& options, Generator&) {
        options.columns = {1, 2, 6};  // the last is constant
    });
}
