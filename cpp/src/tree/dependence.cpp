#include "treewright/tree/dependence.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "treewright/base/error.hpp"
#include "treewright/base/parallel.hpp"

namespace treewright::tree {
namespace {

constexpr std::size_t kTreesPerThread = 4;  ///< that are prepared at a time

using Blocks = std::vector<std::unique_ptr<ShapBlock>>;

std::uint64_t rows_of(const ShapBlock& block) {
    return block.n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << block.n) - 1;
}

Blocks read_all(const ShapModel& model, const Rows& rows) {
    Blocks blocks;
    for (std::size_t begin = 0; begin < rows.n_rows; begin += ShapBlock::kRows)
        blocks.push_back(model.read(rows, begin, std::min(ShapBlock::kRows, rows.n_rows - begin)));
    return blocks;
}

void answer_block(const ShapModel& model, std::size_t index, const ShapTree& tree, const Rows& rows,
                  const ShapBlock& block, ShapAnswers& answers) {
    answers.second.assign(tree.askers.size(), 0);
    answers.divided.assign(tree.askers.size(), 0);
    answers.several.assign(tree.askers.size(), 0);
    model.answer(index, tree, rows, block, answers);
}

/// Which points lead to which leaf of a tree.
struct Points {
    struct Run {
        std::uint32_t begin;
        std::uint32_t end;
    };
    /// A point that is divided among branches, with its share in every leaf.
    struct Divided {
        std::uint32_t point;
        std::vector<double> share;
    };
    bool is_mixed = false;                 ///< a set column decides questions together with others
    std::vector<std::uint8_t> is_set;      ///< by asker; empty: the tree asks no set column
    std::vector<std::uint32_t> run_start;  ///< leaves + 1
    std::vector<Run> runs;
    std::vector<Divided> divided;

    [[nodiscard]] std::span<const Run> runs_of(std::size_t leaf) const {
        return std::span(runs).subspan(run_start[leaf], run_start[leaf + 1] - run_start[leaf]);
    }
};

/// A tree with the points of every setting.
struct Prepared {
    std::unique_ptr<ShapTree> tree;
    std::vector<Points> points;
};

/// Rows of a block that reach leaves with the set columns left open: all that one walk needs.
struct Walk {
    struct Visit {
        std::int32_t child;
        std::uint64_t rows;
    };
    struct Part {
        std::int32_t child;
        double share;
    };
    std::vector<Visit> stack;
    std::vector<Part> parts;
};

/// Calls reached(leaf, rows) for leaves that any of `rows` reaches, whole; rows that another
/// question divides are walked alone, by part(leaf, row, share).
template <class Reached, class Part>
void walk(const ShapTree& tree, std::span<const std::uint8_t> is_set, const ShapAnswers& answers,
          std::uint64_t rows, Walk& bench, Reached&& reached, Part&& part) {
    const auto left_open = [&](std::size_t i) { return !is_set.empty() && is_set[i] != 0; };
    std::uint64_t odd = 0;
    for (std::size_t i = 0; i < tree.askers.size(); ++i)
        if (!left_open(i)) odd |= answers.divided[i];
    odd &= rows;
    const std::int32_t root = tree.askers.empty() ? ~0 : 0;
    bench.stack.assign(1, {root, rows & ~odd});
    while (!bench.stack.empty()) {
        const auto [child, here] = bench.stack.back();
        bench.stack.pop_back();
        if (here == 0) continue;
        if (child < 0) {
            reached(static_cast<std::size_t>(~child), here);
            continue;
        }
        const auto i = static_cast<std::size_t>(child);
        const bool both = left_open(i);
        const std::uint64_t second = answers.second[i];
        bench.stack.push_back({tree.askers[i].child[1], both ? here : here & second});
        bench.stack.push_back({tree.askers[i].child[0], both ? here : here & ~second});
    }
    for (; odd != 0; odd &= odd - 1) {
        const auto row = static_cast<std::size_t>(std::countr_zero(odd));
        bench.parts.assign(1, {root, 1.0});
        while (!bench.parts.empty()) {
            const auto [child, share] = bench.parts.back();
            bench.parts.pop_back();
            if (share == 0.0) continue;
            if (child < 0) {
                part(static_cast<std::size_t>(~child), row, share);
                continue;
            }
            const auto i = static_cast<std::size_t>(child);
            const ShapTree::Asker& asker = tree.askers[i];
            double first = 1.0;
            double other = 1.0;
            if (!left_open(i)) {
                const bool second = (answers.second[i] >> row & 1) != 0;
                first = (answers.divided[i] >> row & 1) != 0 ? asker.cover : second ? 0.0 : 1.0;
                other = 1.0 - first;
            }
            bench.parts.push_back({asker.child[1], share * other});
            bench.parts.push_back({asker.child[0], share * first});
        }
    }
}

class Depending {
public:
    Depending(const ShapModel& model, const Rows& rows, std::span<const Setting> settings,
              const DependenceOptions& options, Progress& progress)
        : model(model),
          rows(rows),
          settings(settings),
          options(options),
          progress(progress),
          place(model.n_columns),
          found(settings.size()),
          is_mixed(settings.size()) {
        for (std::uint32_t i = 0; i < model.asked.size(); ++i) place[model.asked[i]] = i;
        blocks = read_all(model, rows);
        for (const Setting& setting : settings) points.push_back(read_all(model, *setting.points));
    }

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
            std::vector<Prepared> trees(n);
            team.for_each(n, [&](std::size_t k, std::size_t) { trees[k] = prepare(begin + k); });
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
    [[nodiscard]] std::size_t n_points(std::size_t s) const { return settings[s].points->n_rows; }

    Prepared prepare(std::size_t index) {
        const ShapSource source = model.source(index);
        Prepared prepared{std::make_unique<ShapTree>(source, place), {}};
        require(prepared.tree->lines.empty(), "leaves without linear models");
        prepared.points.resize(settings.size());
        for (std::size_t s = 0; s < settings.size(); ++s) {
            const auto& set = settings[s].columns;
            const auto is_among = [&](std::uint32_t column) {
                return std::binary_search(set.begin(), set.end(), column);
            };
            Points& own = prepared.points[s];
            if (std::any_of(source.further.begin(), source.further.end(), is_among)) {
                own.is_mixed = true;
            } else {
                prepare_points(index, *prepared.tree, s, own);
            }
        }
        return prepared;
    }

    void refuse_mixed(const std::vector<Prepared>& trees) {
        for (const Prepared& each : trees)
            for (std::size_t s = 0; s < settings.size(); ++s)
                if (each.points[s].is_mixed) is_mixed[s] = 1;
    }

    /// Finds which points lead to which leaf.
    void prepare_points(std::size_t index, const ShapTree& tree, std::size_t s, Points& own) {
        const auto& set = settings[s].columns;
        std::vector<std::uint8_t> is_set(tree.askers.size());
        bool any = false;
        for (std::size_t i = 0; i < tree.askers.size(); ++i) {
            const std::uint32_t column = model.asked[tree.askers[i].place];
            is_set[i] = std::binary_search(set.begin(), set.end(), column) ? 1 : 0;
            any = any || is_set[i] != 0;
        }
        if (!any) return;
        own.is_set = std::move(is_set);
        const std::size_t n_words = points[s].size();
        std::vector<std::uint64_t> at_leaf(tree.n_leaves * n_words);
        std::vector<std::uint64_t> reach(tree.askers.size());
        ShapAnswers answers;
        for (std::size_t w = 0; w < n_words; ++w) {
            const ShapBlock& block = *points[s][w];
            answer_block(model, index, tree, *settings[s].points, block, answers);
            std::uint64_t odd = 0;
            for (std::size_t i = 0; i < tree.askers.size(); ++i)
                if (own.is_set[i] != 0) odd |= answers.divided[i];
            reach[0] = rows_of(block) & ~odd;
            const auto give = [&](std::int32_t child, std::uint64_t mask) {
                if (child < 0) at_leaf[static_cast<std::size_t>(~child) * n_words + w] = mask;
                else reach[static_cast<std::size_t>(child)] = mask;
            };
            for (std::size_t i = 0; i < tree.askers.size(); ++i) {
                const bool decides = own.is_set[i] != 0;
                const std::uint64_t second = answers.second[i];
                give(tree.askers[i].child[0], decides ? reach[i] & ~second : reach[i]);
                give(tree.askers[i].child[1], decides ? reach[i] & second : reach[i]);
            }
            for (; odd != 0; odd &= odd - 1)
                divide_point(tree, own, answers, static_cast<std::size_t>(std::countr_zero(odd)),
                             static_cast<std::uint32_t>(w * ShapBlock::kRows));
        }
        list_runs(at_leaf, n_words, own, tree.n_leaves);
    }

    static void divide_point(const ShapTree& tree, Points& own, const ShapAnswers& answers,
                             std::size_t bit, std::uint32_t first_point) {
        Points::Divided point{first_point + static_cast<std::uint32_t>(bit),
                              std::vector<double>(tree.n_leaves)};
        std::vector<double> share(tree.askers.size());
        share[0] = 1.0;
        const auto give = [&](std::int32_t child, double part) {
            if (child < 0) point.share[static_cast<std::size_t>(~child)] = part;
            else share[static_cast<std::size_t>(child)] = part;
        };
        for (std::size_t i = 0; i < tree.askers.size(); ++i) {
            double first = 1.0;
            double other = 1.0;
            if (own.is_set[i] != 0) {
                const bool second = (answers.second[i] >> bit & 1) != 0;
                first = (answers.divided[i] >> bit & 1) != 0 ? tree.askers[i].cover
                        : second                             ? 0.0
                                                             : 1.0;
                other = 1.0 - first;
            }
            give(tree.askers[i].child[0], share[i] * first);
            give(tree.askers[i].child[1], share[i] * other);
        }
        own.divided.push_back(std::move(point));
    }

    static void list_runs(std::span<const std::uint64_t> at_leaf, std::size_t n_words, Points& own,
                          std::size_t n_leaves) {
        own.run_start.assign(1, 0);
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
            const std::size_t first_run = own.runs.size();
            for (std::size_t w = 0; w < n_words; ++w) {
                std::uint64_t mask = at_leaf[leaf * n_words + w];
                const auto offset = static_cast<std::uint32_t>(w * ShapBlock::kRows);
                while (mask != 0) {
                    const auto low = static_cast<std::uint32_t>(std::countr_zero(mask));
                    const auto n = static_cast<std::uint32_t>(std::countr_one(mask >> low));
                    const bool goes_on =
                        own.runs.size() > first_run && own.runs.back().end == offset + low;
                    if (goes_on) own.runs.back().end = offset + low + n;
                    else own.runs.push_back({offset + low, offset + low + n});
                    mask = low + n == 64 ? 0 : mask & (~std::uint64_t{0} << (low + n));
                }
            }
            own.run_start.push_back(static_cast<std::uint32_t>(own.runs.size()));
        }
    }

    /// Adds `weight` x the answer of a leaf at the points that lead to it.
    static void add_leaf(const ShapTree& tree, const Points& own, std::size_t leaf, double weight,
                         std::size_t n_points, double* into) {
        for (std::size_t o = 0; o < tree.n_outputs; ++o) {
            const double value = weight * tree.leaves[o * tree.n_leaves + leaf].lane[0];
            double* line = into + (tree.first_output + o) * n_points;
            for (const auto [begin, end] : own.runs_of(leaf))
                for (std::uint32_t p = begin; p < end; ++p) line[p] += value;
            for (const Points::Divided& each : own.divided)
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
    std::vector<std::size_t> asked_by(const Prepared& prepared, bool& any_plain) const {
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
    void add_sums(std::size_t begin, const std::vector<Prepared>& trees, Team& team) {
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

    void sum_tree(std::size_t index, const Prepared& prepared, Dependence& sums,
                  std::vector<double>& plain, std::size_t thread) {
        const ShapTree& tree = *prepared.tree;
        bool any_plain = false;
        const std::vector<std::size_t> asked = asked_by(prepared, any_plain);
        std::vector<double> weight((asked.size() + 1) * tree.n_leaves);  // the last: plain
        ShapAnswers answers;
        Walk bench;
        for (const auto& block : blocks) {
            progress.check(thread == 0);
            answer_block(model, index, tree, rows, *block, answers);
            for (std::size_t a = 0; a < asked.size() + (any_plain ? 1 : 0); ++a) {
                double* at = weight.data() + a * tree.n_leaves;
                const std::span<const std::uint8_t> is_set =
                    a < asked.size()
                        ? std::span<const std::uint8_t>(prepared.points[asked[a]].is_set)
                        : std::span<const std::uint8_t>{};
                walk(
                    tree, is_set, answers, rows_of(*block), bench,
                    [&](std::size_t leaf, std::uint64_t mask) {
                        at[leaf] += weight_of(*block, mask);
                    },
                    [&](std::size_t leaf, std::size_t row, double share) {
                        at[leaf] += share * weight_of(block->begin + row);
                    });
            }
        }
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
    void add_rows(std::size_t begin, const std::vector<Prepared>& trees, const ShapBlock& block,
                  std::size_t thread) {
        ShapAnswers answers;
        Walk bench;
        std::vector<double> plain;
        for (std::size_t k = 0; k < trees.size(); ++k) {
            progress.check(thread == 0);
            const ShapTree& tree = *trees[k].tree;
            answer_block(model, begin + k, tree, rows, block, answers);
            bool any_plain = false;
            const std::vector<std::size_t> asked = asked_by(trees[k], any_plain);
            for (const std::size_t s : asked) {
                const Points& own = trees[k].points[s];
                const auto add = [&](std::size_t leaf, std::size_t row, double share) {
                    add_leaf(tree, own, leaf, share, n_points(s), at_row(s, block.begin + row));
                };
                walk(
                    tree, own.is_set, answers, rows_of(block), bench,
                    [&](std::size_t leaf, std::uint64_t mask) {
                        for (; mask != 0; mask &= mask - 1)
                            add(leaf, static_cast<std::size_t>(std::countr_zero(mask)), 1.0);
                    },
                    add);
            }
            if (any_plain) add_plain(trees[k], answers, block, bench, plain);
        }
    }

    /// The same for settings whose columns the tree does not ask.
    void add_plain(const Prepared& prepared, const ShapAnswers& answers, const ShapBlock& block,
                   Walk& bench, std::vector<double>& plain) {
        const ShapTree& tree = *prepared.tree;
        plain.assign(block.n * tree.n_outputs, 0.0);
        const auto add = [&](std::size_t leaf, std::size_t row, double share) {
            for (std::size_t o = 0; o < tree.n_outputs; ++o)
                plain[row * tree.n_outputs + o] +=
                    share * tree.leaves[o * tree.n_leaves + leaf].lane[0];
        };
        walk(
            tree, {}, answers, rows_of(block), bench,
            [&](std::size_t leaf, std::uint64_t mask) {
                for (; mask != 0; mask &= mask - 1)
                    add(leaf, static_cast<std::size_t>(std::countr_zero(mask)), 1.0);
            },
            add);
        for (std::size_t s = 0; s < settings.size(); ++s) {
            if (is_mixed[s] != 0 || !prepared.points[s].is_set.empty()) continue;
            for (std::size_t row = 0; row < block.n; ++row)
                add_everywhere(tree, std::span(plain).subspan(row * tree.n_outputs, tree.n_outputs),
                               n_points(s), at_row(s, block.begin + row));
        }
    }

    double* at_row(std::size_t s, std::size_t row) {
        return found[s].data() + row * model.n_outputs * n_points(s);
    }

    const ShapModel& model;
    const Rows& rows;
    std::span<const Setting> settings;
    const DependenceOptions& options;
    Progress& progress;
    std::vector<std::uint32_t> place;  ///< of each column among the asked ones
    Dependence found;
    std::vector<std::uint8_t> is_mixed;  ///< by setting
    Blocks blocks;
    std::vector<Blocks> points;  ///< by setting
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
