#include "treewright/boosting/shap.hpp"

#include <algorithm>
#include <vector>

#include "treewright/base/error.hpp"
#include "treewright/base/quadrature.hpp"
#include "treewright/base/simd.hpp"

namespace treewright::boosting {
namespace {

constexpr std::size_t kMostPoints = 8;        ///< of the integral, evaluated in one pass
constexpr std::size_t kMostBlocks = 16;       ///< of rows that share the constants of a tree
constexpr std::size_t kMostSums = 64 * 1024;  ///< of such rows, all columns and outputs: 512 KiB
constexpr std::size_t kItemsPerThread = 4;

/// A node that asks.
struct Asker {
    std::uint32_t node = 0;      ///< its number in the tree
    std::int32_t child[2] = {};  ///< number among askers; a leaf: ~number among leaves
    std::int32_t above = -1;     ///< the nearest on the way here that asks the same column
    bool second_above = false;   ///< the way here leaves that one by its second branch
    std::uint32_t place = 0;     ///< of its column among the asked ones
    double share = 0.5;
    double passed = 1.0;    ///< z
    std::size_t terms = 0;  ///< where a pass holds its terms; 0 if none asked above
};

/// Rows of a block whose own values for the column lead here, by their next branch.
struct Known {
    std::uint64_t first;
    std::uint64_t second;
};

/// A tree prepared to explain rows.
class Explainer {
public:
    Explainer(const BoostTree& tree, std::span<const std::uint32_t> place, Cover cover) {
        std::vector<std::int32_t> number(tree.nodes.size());
        askers.reserve(tree.nodes.size() / 2);
        leaves.reserve(tree.nodes.size() / 2 + 1);
        for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
            const BoostNode& node = tree.nodes[i];
            if (node.is_leaf()) {
                number[i] = ~static_cast<std::int32_t>(leaves.size());
                leaves.emplace_back();
                std::fill_n(leaves.back().lane, kLanes, node.value);
            } else {
                number[i] = static_cast<std::int32_t>(askers.size());
                Asker& asker = askers.emplace_back();
                asker.node = static_cast<std::uint32_t>(i);
                asker.place = place[node.column];
                asker.share = share_of(tree, node, cover);
            }
        }
        std::vector<Way> ways(askers.size(), Way{-1, false, 0});
        for (std::size_t i = 0; i < askers.size(); ++i) {
            Asker& asker = askers[i];
            const auto first = static_cast<std::size_t>(tree.nodes[asker.node].first_child);
            look_up(asker, ways, static_cast<std::int32_t>(i));
            for (const bool second : {false, true}) {
                asker.child[second ? 1 : 0] = number[first + (second ? 1 : 0)];
                if (asker.child[second ? 1 : 0] < 0) continue;
                ways[static_cast<std::size_t>(asker.child[second ? 1 : 0])] = {
                    static_cast<std::int32_t>(i), second, ways[i].n_columns};
            }
        }
        expect();
    }

    std::vector<Asker> askers;
    std::vector<Eight> leaves;     ///< value of each, in every lane
    std::size_t most_columns = 0;  ///< asked on one path
    std::size_t n_terms = 1;       ///< one for all askers that are the first to ask a column
    double expected = 0.0;

private:
    /// How a node is reached.
    struct Way {
        std::int32_t from;
        bool second;
        std::size_t n_columns;  ///< different ones asked up to and at the node
    };

    static double share_of(const BoostTree& tree, const BoostNode& node, Cover cover) {
        const auto cover_of = [&](std::int32_t child) {
            const BoostNode& own = tree.nodes[static_cast<std::size_t>(child)];
            return cover == Cover::rows ? static_cast<double>(own.n_rows) : own.weight;
        };
        const double first = cover_of(node.first_child);
        const double share = first / (first + cover_of(node.first_child + 1));
        return share >= 0.0 && share <= 1.0 ? share : 0.5;  // no training rows in either
    }

    /// Finds the nodes that asked the same column on the path to an asker.
    void look_up(Asker& asker, std::vector<Way>& ways, std::int32_t own) {
        Way& way = ways[static_cast<std::size_t>(own)];
        for (Way up = way; up.from >= 0; up = ways[static_cast<std::size_t>(up.from)]) {
            const Asker& other = askers[static_cast<std::size_t>(up.from)];
            if (other.place != asker.place) continue;
            asker.above = up.from;
            asker.second_above = up.second;
            asker.passed = other.passed * (up.second ? 1.0 - other.share : other.share);
            break;
        }
        if (asker.above < 0) ++way.n_columns;
        else asker.terms = n_terms++;
        most_columns = std::max(most_columns, way.n_columns);
    }

    void expect() {
        std::vector<double> answer(askers.size());
        const auto answer_of = [&](std::int32_t child) {
            return child < 0 ? leaves[static_cast<std::size_t>(~child)].lane[0]
                             : answer[static_cast<std::size_t>(child)];
        };
        for (std::size_t i = askers.size(); i-- > 0;)
            answer[i] = askers[i].share * answer_of(askers[i].child[0]) +
                        (1.0 - askers[i].share) * answer_of(askers[i].child[1]);
        expected = answer_of(askers.empty() ? ~0 : 0);
    }
};

/// Some points of the integral, with their terms for askers.
struct Pass {
    std::size_t n_points = 0;
    std::vector<double> weight;
    std::vector<double> known;  ///< terms x points
    std::vector<double> slope;  ///< of `known` over t

    void set(const Explainer& tree, const Quadrature& points, std::size_t begin, std::size_t end) {
        n_points = end - begin;
        weight.assign(points.weight.begin() + static_cast<std::ptrdiff_t>(begin),
                      points.weight.begin() + static_cast<std::ptrdiff_t>(end));
        known.resize(tree.n_terms * n_points);
        slope.resize(tree.n_terms * n_points);
        const auto fill = [&](std::size_t terms, double passed) {
            for (std::size_t q = 0; q < n_points; ++q) {
                const double t = points.at[begin + q];
                const double came = passed + (1.0 - passed) * t;
                known[terms * n_points + q] = t / came;
                slope[terms * n_points + q] = passed / (came * came);
            }
        };
        fill(0, 1.0);
        for (const Asker& asker : tree.askers)
            if (asker.terms > 0) fill(asker.terms, asker.passed);
    }
};

/// Working memory of a thread.
struct Bench {
    std::vector<BoostBlock> blocks;
    std::vector<Quadrature> points;  ///< by their number, those that were needed
    Pass pass;
    std::vector<std::uint64_t> answers;  ///< by node
    std::vector<Known> known;            ///< by asker
    std::vector<Eight> lean;             ///< e, by asker
    std::vector<Eight> state;  ///< askers x points: reach on the way down, prediction on the way up
    std::vector<Eight> sums;   ///< outputs x asked columns x groups of eight rows
};

/// Explains eight rows: adds to sums[place x stride].
template <std::size_t N>
TREEWRIGHT_SIMD_INLINE void explain_eight(const Explainer& tree, const Pass& pass,
                                          const Known* rows, std::size_t shift, Eight* lean,
                                          Eight* state, Eight* sums, std::size_t stride) {
    const Longs bits = {1, 2, 4, 8, 16, 32, 64, 128};
    const std::size_t n = tree.askers.size();
    for (std::size_t q = 0; q < N; ++q) store(state[q], in_every_lane(pass.weight[q]));
    for (std::size_t i = 0; i < n; ++i) {
        const Asker& asker = tree.askers[i];
        const Longs first = (Longs{} + static_cast<std::int64_t>(rows[i].first >> shift)) & bits;
        const Longs second = (Longs{} + static_cast<std::int64_t>(rows[i].second >> shift)) & bits;
        const Doubles e = first != 0    ? in_every_lane(1.0 - asker.share)
                          : second != 0 ? in_every_lane(-asker.share)
                                        : Doubles{};
        store(lean[i], e);
        if (asker.child[0] < 0 && asker.child[1] < 0) continue;
        const double* known = pass.known.data() + asker.terms * N;
        const Eight* reach = state + i * N;
        Doubles to_first[N];
        for (std::size_t q = 0; q < N; ++q)
            to_first[q] = load(reach[q]) * (asker.share + known[q] * e);
        if (asker.child[1] >= 0) {
            Eight* into = state + static_cast<std::size_t>(asker.child[1]) * N;
            for (std::size_t q = 0; q < N; ++q) store(into[q], load(reach[q]) - to_first[q]);
        }
        if (asker.child[0] >= 0) {
            Eight* into = state + static_cast<std::size_t>(asker.child[0]) * N;
            for (std::size_t q = 0; q < N; ++q) store(into[q], to_first[q]);
        }
    }
    const auto answer_of = [&](std::int32_t child, std::size_t & step)
        __attribute__((always_inline)) {
        step = child < 0 ? 0 : 1;
        return child < 0 ? tree.leaves.data() + ~child
                         : state + static_cast<std::size_t>(child) * N;
    };
    for (std::size_t i = n; i-- > 0;) {
        const Asker& asker = tree.askers[i];
        const Doubles e = load(lean[i]);
        const double* known = pass.known.data() + asker.terms * N;
        const double* slope = pass.slope.data() + asker.terms * N;
        Eight* own = state + i * N;
        std::size_t first_step;
        std::size_t second_step;
        const Eight* first = answer_of(asker.child[0], first_step);
        const Eight* second = answer_of(asker.child[1], second_step);
        Doubles sum{};
        const auto climb = [&](auto weighted) __attribute__((always_inline)) {
            for (std::size_t q = 0; q < N; ++q) {
                const Doubles other = load(second[q * second_step]);
                const Doubles apart = load(first[q * first_step]) - other;
                sum += weighted(load(own[q]), q) * apart;
                store(own[q], other + (asker.share + known[q] * e) * apart);
            }
        };
        if (asker.terms == 0)
            climb([](Doubles reach, std::size_t) __attribute__((always_inline)) { return reach; });
        else
            climb([&](Doubles reach, std::size_t q)
                      __attribute__((always_inline)) { return reach * slope[q]; });
        Eight& into = sums[asker.place * stride];
        store(into, load(into) + sum * e);
    }
}

template <std::size_t N>
TREEWRIGHT_SIMD_INLINE void explain_groups(const Explainer& tree, std::size_t n_groups,
                                           Bench& bench, Eight* sums, std::size_t stride) {
    for (std::size_t group = 0; group < n_groups; ++group)
        explain_eight<N>(tree, bench.pass, bench.known.data(), group * kLanes, bench.lean.data(),
                         bench.state.data(), sums + group, stride);
}

/// Explains the first groups of eight rows of a block.
TREEWRIGHT_SIMD void explain_block(const Explainer& tree, std::size_t n_groups, Bench& bench,
                                   Eight* sums, std::size_t stride) {
    switch (bench.pass.n_points) {
        case 1: return explain_groups<1>(tree, n_groups, bench, sums, stride);
        case 2: return explain_groups<2>(tree, n_groups, bench, sums, stride);
        case 3: return explain_groups<3>(tree, n_groups, bench, sums, stride);
        case 4: return explain_groups<4>(tree, n_groups, bench, sums, stride);
        case 5: return explain_groups<5>(tree, n_groups, bench, sums, stride);
        case 6: return explain_groups<6>(tree, n_groups, bench, sums, stride);
        case 7: return explain_groups<7>(tree, n_groups, bench, sums, stride);
        default: return explain_groups<8>(tree, n_groups, bench, sums, stride);
    }
}

/// The arguments of `shap_values`, and how its rows are divided.
struct Task {
    const BoostForest& forest;
    const tree::Rows& rows;
    std::size_t first;
    std::size_t last;
    Cover cover;
    std::vector<std::uint32_t> place;  ///< of each column among the asked ones
    std::size_t blocks_per_item = 1;

    [[nodiscard]] std::size_t n_blocks() const {
        return (rows.n_rows + BoostBlock::kRows - 1) / BoostBlock::kRows;
    }
    [[nodiscard]] std::size_t rows_in(std::size_t block) const {
        return std::min(BoostBlock::kRows, rows.n_rows - block * BoostBlock::kRows);
    }
    [[nodiscard]] std::size_t stride() const {
        return blocks_per_item * BoostBlock::kRows / kLanes;
    }
};

/// Finds the rows of a block whose own values for the asked columns lead to each asker.
void divide(const Task& task, const Explainer& tree, std::size_t index, const BoostBlock& block,
            Bench& bench) {
    bench.answers.resize(task.forest.trees[index].nodes.size());
    bench.known.resize(tree.askers.size());
    task.forest.answer(index, block, bench.answers);
    for (std::size_t i = 0; i < tree.askers.size(); ++i) {
        const Asker& asker = tree.askers[i];
        std::uint64_t here = ~std::uint64_t{0};
        if (asker.above >= 0) {
            const Known& above = bench.known[static_cast<std::size_t>(asker.above)];
            here = asker.second_above ? above.second : above.first;
        }
        const std::uint64_t second = bench.answers[asker.node];
        bench.known[i] = {here & ~second, here & second};
    }
}

/// Adds a tree to the sums of some blocks.
template <class Check>
void explain_tree(const Task& task, const Explainer& tree, std::size_t index, std::size_t n_blocks,
                  Bench& bench, const Check& check) {
    const std::size_t n_points = (tree.most_columns + 1) / 2;
    if (n_points == 0) return;
    if (bench.points.size() <= n_points) bench.points.resize(n_points + 1);
    if (bench.points[n_points].at.empty()) bench.points[n_points] = gauss_legendre(n_points);
    const std::size_t n_passes = (n_points + kMostPoints - 1) / kMostPoints;
    const std::size_t n_together = (n_points + n_passes - 1) / n_passes;
    bench.lean.resize(std::max(bench.lean.size(), tree.askers.size()));
    bench.state.resize(std::max(bench.state.size(), tree.askers.size() * n_together));
    Eight* sums = bench.sums.data() +
                  index % task.forest.n_outputs * task.forest.asked().size() * task.stride();
    for (std::size_t begin = 0; begin < n_points; begin += n_together) {
        bench.pass.set(tree, bench.points[n_points], begin, std::min(n_points, begin + n_together));
        for (std::size_t b = 0; b < n_blocks; ++b) {
            check();
            divide(task, tree, index, bench.blocks[b], bench);
            explain_block(tree, (bench.blocks[b].n + kLanes - 1) / kLanes, bench,
                          sums + b * BoostBlock::kRows / kLanes, task.stride());
        }
    }
}

/// Explains the rows of an item's blocks.
template <class Check>
void explain_item(const Task& task, std::size_t item, Bench& bench, const Check& check,
                  std::span<double> values) {
    const BoostForest& forest = task.forest;
    const std::size_t first_block = item * task.blocks_per_item;
    const std::size_t n_blocks = std::min(task.blocks_per_item, task.n_blocks() - first_block);
    const std::size_t n_asked = forest.asked().size();
    bench.blocks.resize(task.blocks_per_item);
    bench.sums.assign(forest.n_outputs * n_asked * task.stride(), Eight{});
    for (std::size_t b = 0; b < n_blocks; ++b)
        forest.read_block(task.rows, (first_block + b) * BoostBlock::kRows,
                          task.rows_in(first_block + b), bench.blocks[b]);
    std::vector<double> expected(forest.n_outputs);
    for (std::size_t index = task.first; index < task.last; ++index) {
        const Explainer tree(forest.trees[index], task.place, task.cover);
        expected[index % forest.n_outputs] += tree.expected;
        explain_tree(task, tree, index, n_blocks, bench, check);
    }
    const std::size_t n_columns = forest.book.columns.size();
    const std::size_t begin = first_block * BoostBlock::kRows;
    const std::size_t end = std::min(task.rows.n_rows, begin + n_blocks * BoostBlock::kRows);
    for (std::size_t row = begin; row < end; ++row)
        for (std::size_t output = 0; output < forest.n_outputs; ++output) {
            double* into = values.data() + (row * forest.n_outputs + output) * (n_columns + 1);
            std::fill(into, into + n_columns, 0.0);
            const Eight* sums = bench.sums.data() + output * n_asked * task.stride();
            for (std::size_t at = 0; at < n_asked; ++at)
                into[forest.asked()[at]] =
                    sums[at * task.stride() + (row - begin) / kLanes].lane[(row - begin) % kLanes];
            into[n_columns] = expected[output];
        }
}

}  // namespace

void shap_values(const BoostForest& forest, const tree::Rows& rows, std::size_t first,
                 std::size_t last, Cover cover, std::size_t n_threads, Progress& progress,
                 std::span<double> values) {
    const std::size_t n_columns = forest.book.columns.size();
    require(rows.columns.size() == n_columns, "the columns of the model");
    require(first <= last && last <= forest.trees.size(), "trees there are");
    require(values.size() == rows.n_rows * forest.n_outputs * (n_columns + 1),
            "a value for every row, output and column");
    Task task{forest, rows, first, last, cover, std::vector<std::uint32_t>(n_columns)};
    for (std::uint32_t i = 0; i < forest.asked().size(); ++i) task.place[forest.asked()[i]] = i;
    const std::size_t sums =
        std::max<std::size_t>(1, forest.n_outputs * forest.asked().size() * BoostBlock::kRows);
    const std::size_t shared_out =
        n_threads > 1 ? task.n_blocks() / (kItemsPerThread * n_threads) : task.n_blocks();
    task.blocks_per_item =
        std::clamp<std::size_t>(std::min(kMostSums / sums, shared_out), 1, kMostBlocks);
    const std::size_t n_items = (task.n_blocks() + task.blocks_per_item - 1) / task.blocks_per_item;
    Team team(std::min(n_threads, n_items), progress);
    std::vector<Bench> benches(team.size());
    team.for_each(n_items, [&](std::size_t item, std::size_t thread) {
        const auto check = [&] { progress.check(thread == 0); };
        explain_item(task, item, benches[thread], check, values);
    });
}

}  // namespace treewright::boosting
