#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "check.hpp"
#include "fast_tables.hpp"
#include "treewright/forest/forest.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::tree;
using namespace treewright::grow;
using namespace treewright::forest;

namespace {

/// Draws of every tree by group of equal rows: `group` tells which row of the first table each is.
std::vector<std::uint32_t> draws_by_group(const Sampling& sampling, std::uint64_t tree,
                                          const std::vector<std::size_t>& group,
                                          std::size_t n_groups) {
    std::vector<std::uint32_t> copies;
    sampling.draw(tree, copies);
    std::vector<std::uint32_t> sums(n_groups, 0U);
    for (std::size_t row = 0; row < copies.size(); ++row) sums[group[row]] += copies[row];
    return sums;
}

/// One column and two classes; all rows differ.
struct Rows1 {
    std::vector<double> x;
    std::vector<std::int32_t> classes;

    explicit Rows1(std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) add(static_cast<double>(i) * 0.5, i % 3 == 0 ? 1 : 0);
    }
    void add(double value, std::int32_t label) {
        x.push_back(value);
        classes.push_back(label);
    }
    [[nodiscard]] Dataset data() const {
        Dataset data;
        data.n_rows = x.size();
        Column column;
        column.data = reinterpret_cast<const std::byte*>(x.data());
        column.stride = sizeof(double);
        data.columns = {column};
        data.target.n_classes = {2};
        data.target.classes = classes;
        return data;
    }
};

std::vector<PackedTree> forest_of(const FastTable& table, const GrowOptions& options,
                                  std::size_t n_trees) {
    Progress progress(nullptr);
    Team team(1, unstopped);
    const std::uint64_t n_draws[] = {table.data.n_rows};
    const Sampling sampling(table.data, {}, {}, n_draws, true, options.seed, team);
    ForestOptions forest;
    forest.n_trees = n_trees;
    std::vector<PackedTree> trees;
    CHECK(grow_packed(table.data, options, forest, &sampling, progress, trees) !=
          grow::Engine::general);
    return trees;
}

std::vector<double> answers_of(const PackedForest& forest, const Dataset& data, Vote vote) {
    Progress progress(nullptr);
    std::vector<double> sums(data.n_rows * forest.width());
    forest.add_answers({data.n_rows, data.columns}, 0, forest.trees.size(), vote, 1, progress,
                       sums);
    return sums;
}

std::vector<std::int32_t> leaves_of(const PackedForest& forest, const Dataset& data) {
    Progress progress(nullptr);
    std::vector<std::int32_t> leaves(data.n_rows * forest.trees.size());
    forest.apply({data.n_rows, data.columns}, 1, progress, leaves);
    return leaves;
}

}  // namespace

CASE(rows_are_drawn_alike_whatever_their_weights_and_their_order) {
    Team team(1, unstopped);
    const std::size_t n = 40;
    Generator random(5);
    const Rows1 rows(n);
    std::vector<double> weight;
    for (std::size_t i = 0; i < n; ++i) weight.push_back(static_cast<double>(random.below(4)));
    std::vector<std::size_t> place(n);  // where each row is in the other table
    std::iota(place.begin(), place.end(), 0);
    for (std::size_t i = n; i > 1; --i) std::swap(place[i - 1], place[random.below(i)]);
    Rows1 moved(0);
    std::vector<double> weight_moved;
    std::vector<std::size_t> own(n);
    std::iota(own.begin(), own.end(), 0);
    for (const std::size_t i : place) {
        moved.add(rows.x[i], rows.classes[i]);
        weight_moved.push_back(weight[i]);
    }
    const auto n_there = static_cast<std::uint64_t>(
        std::count_if(weight.begin(), weight.end(), [](double w) { return w > 0.0; }));
    for (const bool with_replacement : {true, false})
        for (const std::uint64_t n_draws : {std::uint64_t{1}, n_there / 2, n_there}) {
            const std::uint64_t each[] = {n_draws};
            const Sampling first(rows.data(), weight, {}, each, with_replacement, 7, team);
            const Sampling other(moved.data(), weight_moved, {}, each, with_replacement, 7, team);
            for (std::uint64_t tree = 0; tree < 8; ++tree) {
                const auto draws = draws_by_group(first, tree, own, n);
                CHECK(draws == draws_by_group(other, tree, place, n));
                CHECK(std::accumulate(draws.begin(), draws.end(), std::uint64_t{0}) == n_draws);
                for (std::size_t i = 0; i < n; ++i) {
                    CHECK(weight[i] > 0.0 || draws[i] == 0);
                    CHECK(with_replacement || draws[i] <= 1);
                }
            }
        }
}

CASE(strata_draw_as_many_of_each_class_as_asked) {
    Team team(1, unstopped);
    const Rows1 rows(90);
    for (const bool with_replacement : {true, false}) {
        const std::uint64_t n_draws[] = {25, 17};
        const Sampling sampling(rows.data(), {}, {}, n_draws, with_replacement, 3, team);
        std::vector<std::uint32_t> first;
        for (std::uint64_t tree = 0; tree < 5; ++tree) {
            std::vector<std::uint32_t> copies;
            sampling.draw(tree, copies);
            std::uint64_t drawn[2] = {0, 0};
            for (std::size_t row = 0; row < copies.size(); ++row)
                drawn[rows.classes[row]] += copies[row];
            CHECK(drawn[0] == 25 && drawn[1] == 17);
            CHECK(tree == 0 || copies != first);
            if (tree == 0) first = copies;
        }
    }
}

CASE(groups_are_drawn_whole_whatever_their_numbers_and_the_order_of_rows) {
    Team team(1, unstopped);
    const std::size_t n = 60;
    const Rows1 rows(n);
    Generator random(8);
    std::vector<std::uint32_t> group;
    std::vector<double> weight;
    for (std::size_t i = 0; i < n; ++i) {
        group.push_back(static_cast<std::uint32_t>(i < 12 ? i : random.below(12)));
        weight.push_back(group[i] == 11 || random.below(5) == 0 ? 0.0 : 1.0);  // 11 has none
    }
    Rows1 turned(0);
    std::vector<std::uint32_t> group_turned;
    std::vector<double> weight_turned;
    for (std::size_t i = n; i-- > 0;) {
        turned.add(rows.x[i], rows.classes[i]);
        group_turned.push_back(11 - group[i]);
        weight_turned.push_back(weight[i]);
    }
    std::vector<bool> counts(12);
    for (std::size_t i = 0; i < n; ++i) counts[group[i]] = counts[group[i]] || weight[i] > 0.0;
    const auto n_groups =
        static_cast<std::uint64_t>(std::count(counts.begin(), counts.end(), true));
    for (const bool with_replacement : {true, false})
        for (const std::uint64_t n_draws : {std::uint64_t{3}, n_groups}) {
            const std::uint64_t each[] = {n_draws};
            const Sampling first(rows.data(), weight, group, each, with_replacement, 7, team);
            const Sampling other(turned.data(), weight_turned, group_turned, each, with_replacement,
                                 7, team);
            for (std::uint64_t tree = 0; tree < 6; ++tree) {
                std::vector<std::uint32_t> copies;
                std::vector<std::uint32_t> is_out;
                std::vector<std::uint32_t> copies_turned;
                first.draw(tree, copies);
                first.left_out(tree, is_out);
                other.draw(tree, copies_turned);
                std::vector<std::uint32_t> of_group(12, ~0U);
                for (std::size_t i = 0; i < n; ++i) {
                    CHECK(copies[i] == copies_turned[n - 1 - i]);
                    if (weight[i] == 0.0) {
                        CHECK(copies[i] == 0);
                        continue;
                    }
                    CHECK(of_group[group[i]] == ~0U || of_group[group[i]] == copies[i]);
                    of_group[group[i]] = copies[i];
                }
                std::uint64_t total = 0;
                for (const std::uint32_t times : of_group) total += times == ~0U ? 0 : times;
                CHECK(total == n_draws);
                for (std::size_t i = 0; i < n; ++i) {
                    const std::uint32_t times = of_group[group[i]];
                    CHECK((is_out[i] == 1) == (times == 0 || times == ~0U));
                }
            }
        }
}

CASE(adaboost_draws_rows_in_proportion_to_weights) {
    Team team(1, unstopped);
    const Rows1 rows(4);
    const std::vector<double> weight = {0.25, 1.5, 0.0, 2.25};
    const std::uint64_t n_draws[] = {40'000};
    const Sampling sampling(rows.data(), weight, {}, n_draws, true, 1, team);
    std::vector<std::uint32_t> copies;
    sampling.draw_by(weight, 0, copies);
    for (std::size_t row = 0; row < 4; ++row)  // within five standard errors
        CHECK_NEAR(copies[row], 10'000.0 * weight[row], 5.0 * std::sqrt(10'000.0));
    CHECK(copies[2] == 0);
}

CASE(unpacked_nodes_hold_the_sums_of_their_rows) {
    for (const std::uint32_t n_classes : {0U, 2U, 5U}) {
        Generator random(n_classes);
        const auto table = make_fast_table({.n_rows = 150, .n_classes = n_classes}, random);
        GrowOptions options = fast_options(*table);
        options.max_columns = 2;
        options.min_leaf = 3;
        PackedForest forest;
        forest.n_classes = n_classes;
        forest.n_columns = table->data.columns.size();
        forest.trees = forest_of(*table, options, 1);
        const UnpackedTree tree =
            unpack(forest.trees[0], n_classes, table->is_real, false, unstopped);
        const std::size_t n_nodes = tree.arrays.weight.size();
        const auto leaves = leaves_of(forest, table->data);
        Team team(1, unstopped);
        const std::uint64_t n_draws[] = {table->data.n_rows};
        const Sampling sampling(table->data, {}, {}, n_draws, true, options.seed, team);
        std::vector<std::uint32_t> copies;
        sampling.draw(0, copies);
        const std::size_t width = tree.width;
        std::vector<double> weight(n_nodes);
        std::vector<double> sums(n_nodes * width);
        std::vector<double> squares(n_nodes);
        for (std::size_t row = 0; row < leaves.size(); ++row)
            for (std::int32_t i = leaves[row]; i >= 0;
                 i = tree.arrays.parent[static_cast<std::size_t>(i)]) {
                const auto node = static_cast<std::size_t>(i);
                weight[node] += copies[row];
                if (n_classes > 0) {
                    sums[node * width + static_cast<std::size_t>(table->classes[row])] +=
                        copies[row];
                } else {
                    sums[node] += copies[row] * table->values[row];
                    squares[node] += copies[row] * table->values[row] * table->values[row];
                }
            }
        for (std::size_t i = 0; i < n_nodes; ++i) {
            CHECK(tree.arrays.weight[i] == weight[i]);
            CHECK(tree.arrays.weight[i] >= 3.0);
            double impurity = 1.0;
            if (n_classes == 0) {
                const double mean = sums[i] / weight[i];
                CHECK_NEAR(tree.arrays.value[i], mean, 1e-9);
                impurity = squares[i] / weight[i] - mean * mean;
            } else {
                for (std::size_t k = 0; k < width; ++k) {
                    CHECK(tree.arrays.value[i * width + k] == sums[i * width + k]);
                    const double share = sums[i * width + k] / weight[i];
                    impurity -= share * share;
                }
            }
            CHECK_NEAR(tree.arrays.impurity[i], impurity, 1e-9);
        }
    }
}

CASE(compacted_trees_answer_bit_for_bit) {
    for (const std::uint32_t n_classes : {0U, 2U, 5U})
        for (const double min_leaf : {1.0, 4.0}) {
            Generator random(n_classes + 10);
            const auto table = make_fast_table({.n_rows = 1500, .n_classes = n_classes}, random);
            GrowOptions options = fast_options(*table);
            options.min_leaf = min_leaf;
            options.max_columns = 2;
            PackedForest forest;
            forest.n_classes = n_classes;
            forest.n_columns = table->data.columns.size();
            forest.trees = forest_of(*table, options, 5);
            PackedForest small = forest;
            for (PackedTree& tree : small.trees) {
                CHECK(!is_compact(tree));
                tree = compacted(tree, n_classes);
                CHECK(is_compact(tree));
                CHECK(is_sound(tree, n_classes, forest.n_columns));
                CHECK(tree.counts.empty() == (n_classes == 0));
            }
            for (const Vote vote : {Vote::soft, Vote::hard}) {
                CHECK(answers_of(forest, table->data, vote) ==
                      answers_of(small, table->data, vote));
                Dataset few = table->data;
                few.n_rows = 20;
                CHECK(answers_of(forest, few, vote) == answers_of(small, few, vote));
            }
            CHECK(leaves_of(forest, table->data) == leaves_of(small, table->data));
        }
}

CASE(damaged_trees_are_refused_or_harmless) {
    Generator random(99);
    for (const std::uint32_t n_classes : {0U, 3U}) {
        const auto table = make_fast_table({.n_rows = 50, .n_classes = n_classes}, random);
        const std::size_t n_columns = table->data.columns.size();
        const PackedTree grown = forest_of(*table, fast_options(*table), 1)[0];
        for (const bool is_small : {false, true}) {
            const PackedTree whole = is_small ? compacted(grown, n_classes) : grown;
            CHECK(is_sound(whole, n_classes, n_columns));
            int n_refused = 0;
            for (int damage = 0; damage < 3000; ++damage) {
                PackedForest forest;
                forest.n_classes = n_classes;
                forest.n_columns = n_columns;
                forest.trees = {whole};
                PackedTree& tree = forest.trees[0];
                auto* bytes = reinterpret_cast<unsigned char*>(tree.nodes.data());
                const std::size_t n_bytes = tree.nodes.size() * sizeof(PackedNode);
                const auto at = static_cast<std::size_t>(random.below(n_bytes));
                if (damage % 3 == 0) bytes[at] ^= static_cast<unsigned char>(1U << random.below(8));
                else bytes[at] = static_cast<unsigned char>(random.below(256));
                if (!is_sound(tree, n_classes, n_columns)) {
                    ++n_refused;
                    continue;
                }
                // What passes is followed everywhere; the sanitizers watch.
                for (const std::int32_t leaf : leaves_of(forest, table->data))
                    CHECK(tree.nodes[static_cast<std::size_t>(leaf)].is_leaf());
                (void)answers_of(forest, table->data, Vote::hard);
            }
            CHECK(n_refused > 1000);
        }
    }
}

CASE(trees_with_arrays_of_other_sizes_are_refused) {
    Generator random(3);
    for (const std::uint32_t n_classes : {0U, 3U}) {
        const auto table = make_fast_table({.n_rows = 50, .n_classes = n_classes}, random);
        const std::size_t n_columns = table->data.columns.size();
        GrowOptions options = fast_options(*table);
        options.min_leaf = 3;
        const PackedTree grown = forest_of(*table, options, 1)[0];
        const auto refused = [&](const PackedTree& from, auto&& damage) {
            PackedTree tree = from;
            damage(tree);
            return !is_sound(tree, n_classes, n_columns);
        };
        const PackedTree small = compacted(grown, n_classes);
        CHECK(!is_sound(grown, n_classes, 0));
        CHECK(!is_sound(grown, 2, n_columns));
        CHECK(refused(grown, [](PackedTree& tree) { tree.nodes.clear(); }));
        CHECK(refused(grown, [](PackedTree& tree) { tree.nodes.pop_back(); }));
        CHECK(refused(grown, [](PackedTree& tree) { tree.nodes.resize(tree.nodes.size() - 2); }));
        CHECK(refused(grown, [](PackedTree& tree) { tree.counts.pop_back(); }));
        CHECK(refused(grown, [](PackedTree& tree) { tree.importance.push_back(0.0); }));
        CHECK(refused(grown, [](PackedTree& tree) { tree.spread.assign(1, 0.0); }));
        CHECK(refused(small, [](PackedTree& tree) { tree.spread.assign(1, 0.0); }));
        CHECK(refused(small, [](PackedTree& tree) { tree.counts.clear(), tree.values.clear(); }));
        if (n_classes == 0) {
            CHECK(refused(grown, [](PackedTree& tree) { tree.values.pop_back(); }));
            CHECK(refused(small, [](PackedTree& tree) { tree.values.pop_back(); }));
            CHECK(refused(small, [](PackedTree& tree) { tree.counts.push_back(1); }));
        }
    }
}
