#include "treewright/tree/dependence.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "treewright/base/error.hpp"
#include "treewright/base/parallel.hpp"
#include "treewright/tree/dependence_tree.hpp"

namespace treewright::tree {
namespace {

constexpr std::size_t kTreesPerThread = 4;  ///< that are prepared at a time

class Depending {
public:
    Depending(const ShapModel& model, const Rows& rows, std::span<const Setting> settings,
              const DependenceOptions& options, Progress& progress)
        : model(model),
          rows(rows),
          settings(settings),
          options(options),
          progress(progress),
          found(settings.size()),
          is_mixed(settings.size()),
          blocks(read_blocks(model, rows)),
          read(model, settings) {}

    Dependence run() {
        const std::size_t n_together =
            kTreesPerThread * std::max<std::size_t>(1, options.n_threads);
        const std::size_t n_items = options.by_row ? blocks.size() : model.n_trees;
        Team team(std::clamp<std::size_t>(n_items, 1, options.n_threads), progress);
        for (std::size_t s = 0; s < settings.size(); ++s)
            found[s].assign(model.n_outputs * n_points(s) * (options.by_row ? rows.n_rows : 1),
                            0.0);
        for (std::size_t begin = 0; begin < model.n_trees; begin += n_together) {
            const std::size_t n = std::min(n_together, model.n_trees - begin);
            std::vector<DependenceTree> trees(n);
            team.for_each(n, [&](std::size_t k, std::size_t) {
                trees[k] = prepare_tree(model, begin + k, read);
            });
            refuse_mixed(trees);
            if (options.by_row)
                team.for_each(blocks.size(), [&](std::size_t b, std::size_t thread) {
                    add_rows(begin, trees, *blocks[b], thread);
                });
            else add_sums(begin, trees, team);
        }
        for (std::size_t s = 0; s < settings.size(); ++s)
            if (is_mixed[s] != 0) found[s].clear();
        return std::move(found);
    }

private:
    [[nodiscard]] std::size_t n_points(std::size_t s) const { return read.n_points(s); }

    void refuse_mixed(const std::vector<DependenceTree>& trees) {
        for (const DependenceTree& each : trees)
            for (std::size_t s = 0; s < settings.size(); ++s)
                if (each.points[s].is_mixed) is_mixed[s] = 1;
    }

    /// Adds `weight` x the answer of a leaf at the points that lead to it.
    static void add_leaf(const ShapTree& tree, const LeafPoints& own, std::size_t leaf,
                         double weight, std::size_t n_points, double* into) {
        for (std::size_t o = 0; o < tree.n_outputs; ++o) {
            const double value = weight * tree.leaves[o * tree.n_leaves + leaf].lane[0];
            double* line = into + (tree.first_output + o) * n_points;
            for (const auto [begin, end] : own.runs_of(leaf))
                for (std::uint32_t p = begin; p < end; ++p) line[p] += value;
            for (const LeafPoints::Divided& each : own.divided)
                line[each.point] += value * each.share[leaf];
        }
    }

    static void add_everywhere(const ShapTree& tree, std::span<const double> value,
                               std::size_t n_points, double* into) {
        for (std::size_t o = 0; o < tree.n_outputs; ++o) {
            double* line = into + (tree.first_output + o) * n_points;
            for (std::size_t p = 0; p < n_points; ++p) line[p] += value[o];
        }
    }

    [[nodiscard]] double weight_of(std::size_t row) const {
        return options.weight.empty() ? 1.0 : options.weight[row];
    }

    [[nodiscard]] double weight_of(const ShapBlock& block, std::uint64_t mask) const {
        if (options.weight.empty()) return static_cast<double>(std::popcount(mask));
        double sum = 0.0;
        for (; mask != 0; mask &= mask - 1)
            sum += options.weight[block.begin + static_cast<std::size_t>(std::countr_zero(mask))];
        return sum;
    }

    /// Settings whose columns a tree asks, and whether there are others.
    std::vector<std::size_t> asked_by(const DependenceTree& prepared, bool& any_plain) const {
        std::vector<std::size_t> asked;
        any_plain = false;
        for (std::size_t s = 0; s < settings.size(); ++s) {
            if (is_mixed[s] != 0) continue;
            if (prepared.points[s].is_set.empty()) any_plain = true;
            else asked.push_back(s);
        }
        return asked;
    }

    /// Adds the sums over all rows, in the order of the trees.
    void add_sums(std::size_t begin, const std::vector<DependenceTree>& trees, Team& team) {
        std::vector<Dependence> of_tree(trees.size());
        std::vector<std::vector<double>> plain(trees.size());
        team.for_each(trees.size(), [&](std::size_t k, std::size_t thread) {
            sum_tree(begin + k, trees[k], of_tree[k], plain[k], thread);
        });
        for (std::size_t k = 0; k < trees.size(); ++k)
            for (std::size_t s = 0; s < settings.size(); ++s) {
                if (is_mixed[s] != 0) continue;
                if (of_tree[k][s].empty()) {
                    add_everywhere(*trees[k].tree, plain[k], n_points(s), found[s].data());
                    continue;
                }
                for (std::size_t i = 0; i < found[s].size(); ++i) found[s][i] += of_tree[k][s][i];
            }
    }

    void sum_tree(std::size_t index, const DependenceTree& prepared, Dependence& sums,
                  std::vector<double>& plain, std::size_t thread) {
        const ShapTree& tree = *prepared.tree;
        bool any_plain = false;
        const std::vector<std::size_t> asked = asked_by(prepared, any_plain);
        std::vector<double> weight((asked.size() + 1) * tree.n_leaves);  // the last: plain
        std::vector<double> odd((asked.size() + 1) * tree.n_leaves);     // of divided rows
        double* whole = weight.data() + asked.size() * tree.n_leaves;
        DependenceRows at;
        DependenceWalk bench;
        for (const auto& block : blocks) {
            progress.check(thread == 0);
            at.follow(model, index, tree, rows, *block);
            for (std::size_t leaf = 0; leaf < tree.n_leaves; ++leaf)
                if (at.leaf[leaf] != 0) whole[leaf] += weight_of(*block, at.leaf[leaf]);
            for (std::size_t a = 0; a <= asked.size(); ++a) {
                double* into = weight.data() + a * tree.n_leaves;
                double* parts = odd.data() + a * tree.n_leaves;
                std::span<const std::uint8_t> is_set;
                if (a < asked.size()) {
                    const LeafPoints& own = prepared.points[asked[a]];
                    is_set = own.is_set;
                    walk_open(tree, own, at, bench, [&](std::size_t leaf, std::uint64_t mask) {
                        into[leaf] += weight_of(*block, mask);
                    });
                }
                walk_odd(tree, is_set, at, bench,
                         [&](std::size_t leaf, std::size_t row, double share) {
                             parts[leaf] += share * weight_of(block->begin + row);
                         });
            }
        }
        // Whole rows that come to no question about a set column are where they are without.
        for (std::size_t a = 0; a < asked.size(); ++a)
            for (std::size_t leaf = 0; leaf < tree.n_leaves; ++leaf)
                if (prepared.points[asked[a]].is_below[leaf] == 0)
                    weight[a * tree.n_leaves + leaf] = whole[leaf];
        for (std::size_t i = 0; i < weight.size(); ++i) weight[i] += odd[i];
        sums.resize(settings.size());
        for (std::size_t a = 0; a < asked.size(); ++a) {
            const std::size_t s = asked[a];
            sums[s].assign(model.n_outputs * n_points(s), 0.0);
            for (std::size_t leaf = 0; leaf < tree.n_leaves; ++leaf)
                if (const double w = weight[a * tree.n_leaves + leaf]; w != 0.0)
                    add_leaf(tree, prepared.points[s], leaf, w, n_points(s), sums[s].data());
        }
        plain.assign(tree.n_outputs, 0.0);
        for (std::size_t leaf = 0; leaf < tree.n_leaves; ++leaf)
            for (std::size_t o = 0; o < tree.n_outputs; ++o)
                plain[o] += weight[asked.size() * tree.n_leaves + leaf] *
                            tree.leaves[o * tree.n_leaves + leaf].lane[0];
    }

    /// Adds what some trees answer each row of a block.
    void add_rows(std::size_t begin, const std::vector<DependenceTree>& trees,
                  const ShapBlock& block, std::size_t thread) {
        DependenceRows at;
        DependenceWalk bench;
        std::vector<double> plain;
        for (std::size_t k = 0; k < trees.size(); ++k) {
            progress.check(thread == 0);
            const ShapTree& tree = *trees[k].tree;
            at.follow(model, begin + k, tree, rows, block);
            find_plain(tree, at, block, bench, plain);
            for (std::size_t s = 0; s < settings.size(); ++s) {
                if (is_mixed[s] != 0) continue;
                const LeafPoints& own = trees[k].points[s];
                const auto add = [&](std::size_t leaf, std::size_t row, double share) {
                    add_leaf(tree, own, leaf, share, n_points(s), at_row(s, block.begin + row));
                };
                std::uint64_t still = own.is_set.empty() ? rows_of(block) : at.whole;
                for (const std::uint32_t top : own.tops) still &= ~at.reach[top];
                for (; still != 0; still &= still - 1) {
                    const auto row = static_cast<std::size_t>(std::countr_zero(still));
                    add_everywhere(tree,
                                   std::span(plain).subspan(row * tree.n_outputs, tree.n_outputs),
                                   n_points(s), at_row(s, block.begin + row));
                }
                if (own.is_set.empty()) continue;
                walk_open(tree, own, at, bench, [&](std::size_t leaf, std::uint64_t mask) {
                    for (; mask != 0; mask &= mask - 1)
                        add(leaf, static_cast<std::size_t>(std::countr_zero(mask)), 1.0);
                });
                walk_odd(tree, own.is_set, at, bench, add);
            }
        }
    }

    /// Finds what a tree answers the rows of a block, rows x its outputs.
    static void find_plain(const ShapTree& tree, const DependenceRows& at, const ShapBlock& block,
                           DependenceWalk& bench, std::vector<double>& plain) {
        plain.assign(block.n * tree.n_outputs, 0.0);
        const auto add = [&](std::size_t leaf, std::size_t row, double share) {
            for (std::size_t o = 0; o < tree.n_outputs; ++o)
                plain[row * tree.n_outputs + o] +=
                    share * tree.leaves[o * tree.n_leaves + leaf].lane[0];
        };
        for (std::size_t leaf = 0; leaf < tree.n_leaves; ++leaf)
            for (std::uint64_t mask = at.leaf[leaf]; mask != 0; mask &= mask - 1)
                add(leaf, static_cast<std::size_t>(std::countr_zero(mask)), 1.0);
        walk_odd(tree, {}, at, bench, add);
    }

    double* at_row(std::size_t s, std::size_t row) {
        return found[s].data() + row * model.n_outputs * n_points(s);
    }

    const ShapModel& model;
    const Rows& rows;
    std::span<const Setting> settings;
    const DependenceOptions& options;
    Progress& progress;
    Dependence found;
    std::vector<std::uint8_t> is_mixed;  ///< by setting
    ShapBlocks blocks;
    ReadSettings read;
};

}  // namespace

Dependence partial_dependence(const ShapModel& model, const Rows& rows,
                              std::span<const Setting> settings, const DependenceOptions& options,
                              Progress& progress) {
    require(rows.columns.size() == model.n_columns, "the columns of the model");
    require(options.weight.empty() || options.weight.size() == rows.n_rows, "a weight by row");
    for (const Setting& setting : settings)
        require(setting.points->columns.size() == model.n_columns, "points like the rows");
    return Depending(model, rows, settings, options, progress).run();
}

}  // namespace treewright::tree
