#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "treewright/base/error.hpp"
#include "treewright/base/exp.hpp"
#include "treewright/base/parallel.hpp"
#include "treewright/base/simd.hpp"
#include "treewright/tree/dependence_tree.hpp"

namespace treewright::tree {
namespace {

constexpr std::size_t kRows = ShapBlock::kRows;
constexpr int kGridBits = 61;
constexpr int kMany = 12;  ///< rows of a block from which on all are added to, by a mask

/// One point of all rows of a block: what its sums become, added up with weights.
struct Column {
    alignas(64) double score[kRows];
};

TREEWRIGHT_SIMD_INLINE double weighted_sum(const double* value, const double* weight) {
    double part[kLanes] = {};
    for (std::size_t r = 0; r < kRows; r += kLanes)
        for (std::size_t i = 0; i < kLanes; ++i) part[i] += value[r + i] * weight[r + i];
    return ((part[0] + part[4]) + (part[2] + part[6])) +
           ((part[1] + part[5]) + (part[3] + part[7]));
}

/// Adds the steps that begin at each point, and what the link makes of the sums to `into`.
TREEWRIGHT_SIMD void add_linked(const std::int64_t* steps, std::size_t n_points, Link link,
                                double scale, double start, const double* weight, double* into) {
    std::int64_t sum[kRows] = {};
    Column column;
    for (std::size_t p = 0; p < n_points; ++p) {
        const std::int64_t* step = steps + p * kRows;
        for (std::size_t r = 0; r < kRows; ++r) sum[r] += step[r];
        for (std::size_t r = 0; r < kRows; ++r)
            column.score[r] = start + scale * static_cast<double>(sum[r]);
        if (link == Link::log)
            for (std::size_t r = 0; r < kRows; ++r) column.score[r] = exp_of(column.score[r]);
        else
            for (std::size_t r = 0; r < kRows; ++r)
                column.score[r] = 1.0 / (1.0 + exp_of(-column.score[r]));
        into[p] += weighted_sum(column.score, weight);
    }
}

/// The same of one score a class: `steps` of the outputs one after the other.
TREEWRIGHT_SIMD void add_softmax(const std::int64_t* steps, std::size_t n_points,
                                 std::size_t n_outputs, double scale, const double* start,
                                 const double* weight, std::int64_t* sums, Column* columns,
                                 double* into) {
    std::fill_n(sums, n_outputs * kRows, 0);
    for (std::size_t p = 0; p < n_points; ++p) {
        double most[kRows];
        double total[kRows] = {};
        std::fill_n(most, kRows, -std::numeric_limits<double>::infinity());
        for (std::size_t o = 0; o < n_outputs; ++o) {
            const std::int64_t* step = steps + (o * (n_points + 1) + p) * kRows;
            std::int64_t* sum = sums + o * kRows;
            double* score = columns[o].score;
            for (std::size_t r = 0; r < kRows; ++r) sum[r] += step[r];
            for (std::size_t r = 0; r < kRows; ++r)
                score[r] = start[o] + scale * static_cast<double>(sum[r]);
            for (std::size_t r = 0; r < kRows; ++r)
                most[r] = most[r] > score[r] ? most[r] : score[r];
        }
        for (std::size_t o = 0; o < n_outputs; ++o) {
            double* score = columns[o].score;
            for (std::size_t r = 0; r < kRows; ++r) score[r] = exp_of(score[r] - most[r]);
            for (std::size_t r = 0; r < kRows; ++r) total[r] += score[r];
        }
        for (std::size_t r = 0; r < kRows; ++r) total[r] = weight[r] / total[r];
        for (std::size_t o = 0; o < n_outputs; ++o)
            into[o * n_points + p] += weighted_sum(columns[o].score, total);
    }
}

/// Adds a value to the rows of a mask: many of them at once.
TREEWRIGHT_SIMD void add_to_many(std::int64_t* on, std::int64_t* off, std::int64_t value,
                                 std::uint64_t mask) {
    for (std::size_t r = 0; r < kRows; ++r) {
        const auto taken = static_cast<std::int64_t>(mask >> r & 1);
        const std::int64_t added = -taken & value;
        on[r] += added;
        off[r] -= added;
    }
}

/// Adds a value each to the rows of a mask, at all points.
TREEWRIGHT_SIMD void add_still(std::int64_t* on, const std::int64_t* value, std::uint64_t mask) {
    for (std::size_t r = 0; r < kRows; ++r) {
        const auto taken = static_cast<std::int64_t>(mask >> r & 1);
        on[r] += -taken & value[r];
    }
}

/// Working memory of a thread.
struct Bench {
    std::vector<DependenceRows> at;   ///< by tree
    std::vector<std::int64_t> plain;  ///< trees x outputs of a tree x rows: their whole answer
    std::vector<std::int64_t> steps;  ///< outputs x (points + 1) x rows
    std::vector<std::int64_t> sums;
    std::vector<Column> columns;
    DependenceWalk walk;
};

class Linking {
public:
    Linking(const ShapModel& model, const Rows& rows, std::span<const Setting> settings,
            const LinkedOptions& options, Progress& progress)
        : model(model),
          rows(rows),
          options(options),
          progress(progress),
          blocks(read_blocks(model, rows)),
          read(model, settings),
          trees(model.n_trees),
          on_grid_of(model.n_trees) {
        int exponent = 0;
        std::frexp(largest_sum(model, options.base), &exponent);
        grid = std::ldexp(1.0, kGridBits - exponent);
    }

    Dependence run() {
        Team team(std::max<std::size_t>(1, options.n_threads), progress);
        team.for_each(model.n_trees, [&](std::size_t k, std::size_t) {
            trees[k] = prepare_tree(model, k, read);
            const ShapTree& tree = *trees[k].tree;
            on_grid_of[k].resize(tree.n_outputs * tree.n_leaves);
            for (std::size_t o = 0; o < tree.n_outputs; ++o)
                for (std::size_t leaf = 0; leaf < tree.n_leaves; ++leaf)
                    on_grid_of[k][o * tree.n_leaves + leaf] = on_grid(value_of(tree, o, leaf));
        });
        const std::size_t n = read.settings.size();
        std::vector<std::uint8_t> is_mixed(n);
        for (const DependenceTree& each : trees)
            for (std::size_t s = 0; s < n; ++s)
                if (each.points[s].is_mixed) is_mixed[s] = 1;
        std::vector<std::size_t> start(n + 1);
        for (std::size_t s = 0; s < n; ++s)
            start[s + 1] = start[s] + (is_mixed[s] != 0 ? 0 : model.n_outputs * read.n_points(s));
        std::vector<std::vector<double>> parts(blocks.size());
        std::vector<Bench> benches(team.size());
        team.for_each(blocks.size(), [&](std::size_t b, std::size_t thread) {
            parts[b].assign(start[n], 0.0);
            link_block(*blocks[b], is_mixed, start, benches[thread], parts[b], thread);
        });
        Dependence found(n);
        for (std::size_t s = 0; s < n; ++s) {
            found[s].assign(start[s + 1] - start[s], 0.0);
            for (const std::vector<double>& part : parts)
                for (std::size_t i = 0; i < found[s].size(); ++i) found[s][i] += part[start[s] + i];
        }
        return found;
    }

private:
    [[nodiscard]] std::int64_t on_grid(double value) const {
        return static_cast<std::int64_t>(std::llround(value * grid));
    }

    [[nodiscard]] double value_of(const ShapTree& tree, std::size_t o, std::size_t leaf) const {
        return tree.leaves[o * tree.n_leaves + leaf].lane[0];
    }

    void link_block(const ShapBlock& block, std::span<const std::uint8_t> is_mixed,
                    std::span<const std::size_t> start, Bench& bench, std::span<double> into,
                    std::size_t thread) {
        double weight[kRows] = {};
        for (std::size_t r = 0; r < block.n; ++r)
            weight[r] = options.weight.empty() ? 1.0 : options.weight[block.begin + r];
        bench.at.resize(trees.size());
        bench.plain.assign(trees.size() * model.n_outputs * kRows, 0);
        for (std::size_t k = 0; k < trees.size(); ++k) {
            progress.check(thread == 0);
            bench.at[k].follow(model, k, *trees[k].tree, rows, block);
            add_plain(k, bench);
        }
        for (std::size_t s = 0; s < read.settings.size(); ++s) {
            if (is_mixed[s] != 0) continue;
            progress.check(thread == 0);
            add_steps(s, bench);
            finish(s, weight, bench, into.data() + start[s]);
        }
    }

    /// What a tree answers the rows, whatever the columns.
    void add_plain(std::size_t k, Bench& bench) {
        const ShapTree& tree = *trees[k].tree;
        std::int64_t* plain = bench.plain.data() + k * model.n_outputs * kRows;
        const std::int64_t* value = on_grid_of[k].data();
        for (std::size_t o = 0; o < tree.n_outputs; ++o) {
            std::int64_t* sums = plain + o * kRows;
            for (std::size_t leaf = 0; leaf < tree.n_leaves; ++leaf)
                for (std::uint64_t mask = bench.at[k].leaf[leaf]; mask != 0; mask &= mask - 1)
                    sums[std::countr_zero(mask)] += value[o * tree.n_leaves + leaf];
            walk_odd(tree, {}, bench.at[k], bench.walk,
                     [&](std::size_t leaf, std::size_t row, double share) {
                         sums[row] += on_grid(share * value_of(tree, o, leaf));
                     });
        }
    }

    void add_steps(std::size_t s, Bench& bench) {
        const std::size_t stride = (read.n_points(s) + 1) * kRows;
        bench.steps.assign(model.n_outputs * stride, 0);
        for (std::size_t k = 0; k < trees.size(); ++k) {
            const ShapTree& tree = *trees[k].tree;
            const LeafPoints& own = trees[k].points[s];
            std::int64_t* first = bench.steps.data() + tree.first_output * stride;
            // Whole rows that come to no question about a set column answer as they do without.
            std::uint64_t still = bench.at[k].whole;
            for (const std::uint32_t top : own.tops) still &= ~bench.at[k].reach[top];
            if (own.is_set.empty()) still = ~std::uint64_t{0};
            const std::int64_t* plain = bench.plain.data() + k * model.n_outputs * kRows;
            for (std::size_t o = 0; o < tree.n_outputs; ++o)
                add_still(first + o * stride, plain + o * kRows, still);
            if (own.is_set.empty()) continue;
            const auto add = [&](std::size_t leaf, std::uint64_t mask, double share) {
                for (std::size_t o = 0; o < tree.n_outputs; ++o) {
                    const double value = share * value_of(tree, o, leaf);
                    const std::int64_t whole =
                        share == 1.0 ? on_grid_of[k][o * tree.n_leaves + leaf] : on_grid(value);
                    std::int64_t* steps = first + o * stride;
                    for (const auto [begin, end] : own.runs_of(leaf))
                        add_step(steps, begin, end, whole, mask);
                    for (const LeafPoints::Divided& each : own.divided)
                        if (each.share[leaf] != 0.0)
                            add_step(steps, each.point, each.point + 1,
                                     on_grid(value * each.share[leaf]), mask);
                }
            };
            walk_open(tree, own, bench.at[k], bench.walk,
                      [&](std::size_t leaf, std::uint64_t mask) { add(leaf, mask, 1.0); });
            walk_odd(tree, own.is_set, bench.at[k], bench.walk,
                     [&](std::size_t leaf, std::size_t row, double share) {
                         add(leaf, std::uint64_t{1} << row, share);
                     });
        }
    }

    /// Adds a value at the points from `begin` to before `end`, to the rows of a mask.
    static void add_step(std::int64_t* steps, std::uint32_t begin, std::uint32_t end,
                         std::int64_t value, std::uint64_t mask) {
        std::int64_t* on = steps + begin * kRows;
        std::int64_t* off = steps + end * kRows;
        if (std::popcount(mask) >= kMany) {
            add_to_many(on, off, value, mask);
            return;
        }
        for (; mask != 0; mask &= mask - 1) {
            const int r = std::countr_zero(mask);
            on[r] += value;
            off[r] -= value;
        }
    }

    void finish(std::size_t s, const double* weight, Bench& bench, double* into) {
        const double scale = options.factor / grid;
        if (options.link != Link::softmax) {
            add_linked(bench.steps.data(), read.n_points(s), options.link, scale,
                       options.factor * options.base[0], weight, into);
            return;
        }
        bench.sums.resize(model.n_outputs * kRows);
        bench.columns.resize(model.n_outputs);
        add_softmax(bench.steps.data(), read.n_points(s), model.n_outputs, scale,
                    options.base.data(), weight, bench.sums.data(), bench.columns.data(), into);
    }

    const ShapModel& model;
    const Rows& rows;
    const LinkedOptions& options;
    Progress& progress;
    ShapBlocks blocks;
    ReadSettings read;
    std::vector<DependenceTree> trees;
    std::vector<std::vector<std::int64_t>> on_grid_of;  ///< by tree: outputs x leaves
    double grid = 1.0;                                  ///< in one
};

}  // namespace

double largest_sum(const ShapModel& model, std::span<const double> base) {
    std::vector<double> size(base.size());
    for (std::size_t k = 0; k < model.n_trees; ++k) {
        const ShapSource source = model.source(k);
        for (std::size_t o = 0; o < source.n_outputs; ++o) {
            double most = 0.0;
            for (std::size_t i = 0; i < source.nodes.size(); ++i)
                most = std::max(most, std::abs(source.value[i * source.n_outputs + o]));
            size[source.first_output + o] += most;
        }
    }
    double largest = 0.0;
    for (std::size_t o = 0; o < base.size(); ++o)
        largest = std::max(largest, size[o] + std::abs(base[o]));
    return largest;
}

Dependence linked_dependence(const ShapModel& model, const Rows& rows,
                             std::span<const Setting> settings, const LinkedOptions& options,
                             Progress& progress) {
    require(rows.columns.size() == model.n_columns, "the columns of the model");
    require(options.weight.empty() || options.weight.size() == rows.n_rows, "a weight by row");
    require(options.base.size() == model.n_outputs, "a base by output");
    require(options.link == Link::softmax || model.n_outputs == 1, "one score");
    for (const Setting& setting : settings)
        require(setting.points->columns.size() == model.n_columns, "points like the rows");
    return Linking(model, rows, settings, options, progress).run();
}

}  // namespace treewright::tree
