#include "treewright/forest/forest.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "treewright/base/random.hpp"
#include "treewright/data/exact_weights.hpp"
#include "treewright/grow/draw_columns.hpp"
#include "treewright/grow/engines.hpp"
#include "treewright/grow/grower.hpp"
#include "treewright/grow/needed_columns.hpp"

namespace treewright::forest {

std::vector<std::uint32_t> columns_of_tree(const grow::GrowOptions& options,
                                           const ForestOptions& forest, std::uint64_t tree) {
    std::vector<std::uint32_t> columns = options.columns;
    if (forest.columns_per_tree == 0) return columns;
    Generator generator(mix(mix(options.seed, tree), 0x636f6c73ULL));  // "cols"
    if (forest.repeats_columns) {
        std::vector<std::uint32_t> drawn(forest.columns_per_tree);
        for (std::uint32_t& column : drawn) column = columns[generator.below(columns.size())];
        std::sort(drawn.begin(), drawn.end());
        drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
        return drawn;
    }
    if (forest.columns_per_tree >= columns.size()) return columns;
    for (std::size_t i = 0; i < forest.columns_per_tree; ++i)
        grow::draw_next(columns, i, generator);
    columns.resize(forest.columns_per_tree);
    std::sort(columns.begin(), columns.end());
    return columns;
}

namespace {

/// Of the rows drawn, how many are not there already.
double distinct_share_of(std::span<const std::uint32_t> copies) {
    const auto n_distinct =
        std::count_if(copies.begin(), copies.end(), [](std::uint32_t n) { return n > 0; });
    return static_cast<double>(n_distinct) / std::accumulate(copies.begin(), copies.end(), 0.0);
}

/// Multiplies the factors of the rows drawn so that all classes weigh the same.
void balance(std::span<const std::uint32_t> copies, const data::Target& target,
             std::vector<double>& factor) {
    std::vector<double> drawn(copies.begin(), copies.end());
    for (std::size_t row = 0; row < drawn.size(); ++row) drawn[row] *= factor[row];
    for (std::size_t o = 0; o < target.n_outputs; ++o) {
        std::vector<double> of_class(target.n_classes[o], 0.0);
        double total = 0.0;
        const auto class_of = [&](std::size_t row) {
            return static_cast<std::size_t>(target.classes[row * target.n_outputs + o]);
        };
        for (std::size_t row = 0; row < copies.size(); ++row) {
            of_class[class_of(row)] += drawn[row];
            total += drawn[row];
        }
        const auto n_there = static_cast<double>(
            std::count_if(of_class.begin(), of_class.end(), [](double n) { return n > 0.0; }));
        for (std::size_t row = 0; row < copies.size(); ++row)
            if (copies[row] > 0) factor[row] *= total / (n_there * of_class[class_of(row)]);
    }
}

}  // namespace

grow::Engine grow_packed(const data::Dataset& data, const grow::GrowOptions& wanted,
                         const ForestOptions& forest, const Sampling* sampling, Progress& progress,
                         std::vector<PackedTree>& trees) {
    const grow::GrowOptions options = grow::with_needed_columns(wanted, data);
    const bool is_weighed =
        sampling != nullptr ? !forest.factor.empty() || forest.balances : !data.weight.empty();
    const bool is_exact =
        sampling != nullptr || data.weight.empty() || data::add_exactly(data.weight);
    if (!is_exact || grow::engine_of(options, data, is_weighed) == grow::Engine::general)
        return grow::Engine::general;
    Team team(forest.n_threads, progress);
    const std::unique_ptr<FastData> shared =
        make_fast_data(data, options, team, forest.engine, is_weighed);
    if (shared == nullptr) return grow::Engine::general;
    struct Worker {
        grow::GrowOptions options;  ///< with the columns of its tree
        std::unique_ptr<FastGrower> grower;
        std::vector<std::uint32_t> copies;
        std::vector<double> weight;  ///< of a row each time; empty: 1
    };
    std::vector<Worker> workers(team.size());
    const auto grow = [&](std::size_t i, std::size_t thread, Team& inside) {
        Worker& worker = workers[thread];
        const std::uint64_t tree = forest.first_tree + i;
        if (worker.grower == nullptr) {
            worker.options = options;
            worker.grower = make_fast_grower(*shared, worker.options, progress);
        }
        worker.options.columns = columns_of_tree(options, forest, tree);
        if (sampling != nullptr) sampling->draw(tree, worker.copies);
        else worker.copies.assign(data.n_rows, 1);
        if (sampling != nullptr && shared->has_names)
            worker.options.distinct_share = distinct_share_of(worker.copies);
        if (sampling != nullptr && is_weighed) {
            worker.weight = factors_of(worker.copies, data, forest);
            double total = 0.0;
            for (std::size_t row = 0; row < data.n_rows; ++row)
                total += worker.copies[row] * worker.weight[row];
            worker.options.min_leaf_weight = forest.min_leaf_share * total;
        }
        const std::span<const double> weight = sampling != nullptr ? worker.weight : data.weight;
        trees[i] = worker.grower->grow({worker.copies, weight}, tree, thread == 0, inside);
    };
    // The last trees, if there are fewer than threads, are grown by several threads each.
    trees.resize(forest.n_trees);
    const std::size_t n_last = forest.n_trees % team.size();
    const std::size_t n_inside = n_last == 0 ? 1 : team.size() / n_last;
    const std::size_t n_alone = n_inside == 1 ? forest.n_trees : forest.n_trees - n_last;
    team.for_each(n_alone, [&](std::size_t i, std::size_t thread) {
        Team alone(1, progress);
        grow(i, thread, alone);
    });
    team.for_each(forest.n_trees - n_alone, [&](std::size_t i, std::size_t thread) {
        Team inside(n_inside, progress);
        grow(n_alone + i, thread, inside);
    });
    return shared->engine;
}

std::vector<double> factors_of(std::span<const std::uint32_t> copies, const data::Dataset& data,
                               const ForestOptions& forest) {
    if (forest.factor.empty() && !forest.balances) return {};
    std::vector<double> factor = forest.factor;
    if (factor.empty()) factor.assign(copies.size(), 1.0);
    if (forest.balances) balance(copies, data.target, factor);
    double total = 0.0;
    for (std::size_t row = 0; row < copies.size(); ++row) total += copies[row] * factor[row];
    data::round_to_add(factor, total);
    return factor;
}

std::vector<double> weights_of(std::span<const std::uint32_t> copies, const data::Dataset& data,
                               const ForestOptions& forest) {
    const std::vector<double> factor = factors_of(copies, data, forest);
    std::vector<double> weight(copies.begin(), copies.end());
    for (std::size_t row = 0; row < factor.size(); ++row) weight[row] *= factor[row];
    return weight;
}

std::vector<tree::Tree> grow_trees(const data::Dataset& data, const grow::GrowOptions& wanted,
                                   const ForestOptions& forest, const Sampling* sampling,
                                   Progress& progress) {
    const grow::GrowOptions options = grow::with_needed_columns(wanted, data);
    // With fewer trees than threads, the threads work inside each tree.
    const bool inside = forest.n_trees < forest.n_threads;
    Team team(inside ? 1 : forest.n_threads, progress);
    std::vector<tree::Tree> trees(forest.n_trees);
    std::optional<grow::SortedTable> table;  // unless each tree has rows of its own
    if (sampling == nullptr && forest.n_trees > 1) {
        Team sorters(forest.n_threads, progress);
        table = grow::sorted(data, options.block, sorters);
    }
    team.for_each(forest.n_trees, [&](std::size_t i, std::size_t) {
        const std::uint64_t number = forest.first_tree + i;
        grow::GrowOptions own = options;
        own.tree = number;
        own.n_threads = inside ? forest.n_threads : 1;
        own.columns = columns_of_tree(options, forest, number);
        data::Dataset drawn = data;
        std::vector<double> copies;
        std::vector<double> weight;
        if (sampling != nullptr) {
            std::vector<std::uint32_t> times;
            sampling->draw(number, times);
            copies.assign(times.begin(), times.end());
            weight = weights_of(times, data, forest);
            drawn.copies = copies;
            drawn.weight = weight;
            const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
            own.min_leaf_weight = forest.min_leaf_share * total;
            own.distinct_share = distinct_share_of(times);
            if (total > 0.0)
                own.evidence = std::accumulate(copies.begin(), copies.end(), 0.0) / total;
        }
        trees[i] = grow::grow(drawn, own, progress, table ? &*table : nullptr);
    });
    return trees;
}

}  // namespace treewright::forest
