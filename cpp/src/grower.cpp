/// The growing loop. Nodes with much work are split by all threads together, column by column;
/// the subtrees below them are grown whole, one thread each. Which nodes are which depends on the
/// data alone, so the tree does not depend on the number of threads.
#include "treewright/grow/grower.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <queue>

#include "treewright/base/parallel.hpp"
#include "treewright/base/random.hpp"
#include "treewright/data/grid.hpp"
#include "treewright/grow/fragment.hpp"
#include "treewright/grow/node_rows.hpp"
#include "treewright/grow/partition.hpp"
#include "treewright/grow/question.hpp"
#include "treewright/grow/summary.hpp"
#include "treewright/missing/surrogates.hpp"
#include "treewright/split/finder.hpp"
#include "treewright/split/selection.hpp"

namespace treewright {
namespace {

/// Rows x columns of a node from which its columns are worth dividing among the threads.
constexpr std::size_t kSharedWork = std::size_t{1} << 18;

/// A node whose split has not been decided.
struct Open {
    std::shared_ptr<Block> block;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t node = 0;  ///< in its fragment
    std::int64_t depth = 0;
    std::uint64_t key = 0;
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
    bool is_settled = false;
    std::shared_ptr<const std::vector<std::uint32_t>> columns;  ///< not yet constant, ascending
    std::vector<std::uint32_t> n_missing;  ///< by column; empty if no column misses any value
    std::vector<double> total;
    Grid grid;  ///< of a regression's targets in this node

    [[nodiscard]] std::uint32_t size() const { return end - begin; }
};

/// What one thread works in.
struct Workspace {
    std::unique_ptr<Finder> finder;
    std::vector<Candidate> candidates;
    PartitionScratch partition;
    Sides sides;
    std::vector<std::uint32_t> new_row;
    std::vector<std::uint32_t> rows;  ///< of the node, branch by branch
    std::vector<std::uint32_t> missing_rows;
    std::vector<std::uint32_t> counts;  ///< rows per branch
    std::vector<std::uint32_t> drawn;
    std::vector<double> branch_sums;
    bool is_caller = false;
};

class Grower {
public:
    Grower(const Dataset& data, const GrowOptions& options, Progress& progress)
        : data(data),
          options(options),
          progress(progress),
          team(options.n_threads),
          gridding(data, options.criterion == "poisson"),
          reciprocals(options.block.holding == Holding::lists ? data.n_rows : 0) {
        for (std::size_t thread = 0; thread < team.size(); ++thread) {
            Workspace& ws = workspaces.emplace_back();
            ws.finder = make_finder(data, options, reciprocals);
            ws.is_caller = thread == 0;
        }
    }

    Tree grow_tree() {
        Fragment top;
        Open root = open_root(top);
        std::vector<Open> tasks;
        if (options.max_leaf_nodes > 0) grow_best_first(std::move(root), top);
        else grow_depth_first(std::move(root), top, workspaces[0], &tasks);

        std::vector<Fragment> fragments(tasks.size());
        std::vector<std::uint32_t> anchors(tasks.size());
        std::vector<std::size_t> by_size(tasks.size());
        std::iota(by_size.begin(), by_size.end(), std::size_t{0});
        std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
            return tasks[a].size() > tasks[b].size();
        });
        for (std::size_t i = 0; i < tasks.size(); ++i) anchors[i] = tasks[i].node;
        team.for_each(tasks.size(), [&](std::size_t item, std::size_t thread) {
            const std::size_t task = by_size[item];
            Open open = std::move(tasks[task]);
            tasks[task].block.reset();
            Fragment& fragment = fragments[task];
            fragment.nodes.push_back(top.nodes[open.node]);
            fragment.leaf_range.emplace_back();
            open.node = 0;
            grow_depth_first(std::move(open), fragment, workspaces[thread], nullptr);
        });
        Tree tree = join(std::move(top), std::move(fragments), anchors, data, options);
        if (options.threshold_at == ThresholdAt::training) move_thresholds_down(data, tree);
        return tree;
    }

    Inspection inspect_node(const std::vector<std::uint32_t>& path) {
        Fragment fragment;
        Open open = open_root(fragment);
        Workspace& ws = workspaces[0];
        for (const std::uint32_t branch : path) {
            Candidate* winner = find(open, ws, true);
            require(winner != nullptr, "the path leads below a leaf");
            std::vector<Open> children;
            require(split(open, *winner, ws, true, fragment, children, branch),
                    "the path leads below a leaf");
            require(children.size() == 1, "the path leads to no child");
            open = std::move(children[0]);
        }
        Inspection seen;
        Candidate* winner = nullptr;
        if (open.size() > 0) {
            collect_rows(open, ws.rows);
            winner = find(open, ws, true);
            if (winner != nullptr) ws.finder->locate(context_of(open), *winner);
        }
        for (std::uint32_t i = 0; i < open.size(); ++i) {
            seen.rows.push_back(open.block->table_row[ws.rows[i]]);
            seen.weight.push_back(open.block->weight_of(ws.rows[i]));
        }
        for (Candidate& c : ws.candidates) {
            if (open.size() > 0 && c.question != Question::none) {
                ws.finder->enter(context_of(open));
                ws.finder->locate(context_of(open), c);
            }
            c.gain *= unit_of(open.grid);
            InspectedCandidate shown;
            if (c.question != Question::none) {
                const Column& column = data.columns[c.column];
                if (options.empty_branches) declare_branches(c, column, *open.block);
                shown.branches = branches_of(c, column, *open.block);
                place_threshold(c, column, *open.block, options.threshold_at, shown.threshold,
                                shown.threshold_int);
            }
            shown.candidate = c;
            if (winner == &c) seen.chosen = static_cast<std::int64_t>(seen.candidates.size());
            seen.candidates.push_back(std::move(shown));
        }
        return seen;
    }

private:
    /// What a gain on the node's grid is in the target's own units.
    [[nodiscard]] double unit_of(const Grid& grid) const {
        if (data.target.is_classification()) return 1.0;
        const bool linear = options.criterion == "absolute_error" || options.criterion == "poisson";
        return linear ? 1.0 / grid.scale : 1.0 / grid.scale / grid.scale;
    }

    Open open_root(Fragment& fragment) {
        Open root;
        std::vector<std::uint32_t> n_missing;
        root.block = make_block(data, options.block, team, progress, n_missing);
        if (std::any_of(n_missing.begin(), n_missing.end(), [](auto n) { return n > 0; }))
            root.n_missing = std::move(n_missing);
        root.end = root.block->n_rows;
        root.key = mix(options.seed, options.tree);
        root.columns = std::make_shared<const std::vector<std::uint32_t>>(options.columns);
        fragment.nodes.emplace_back();
        fragment.leaf_range.emplace_back();
        Workspace& ws = workspaces[0];
        collect_rows(root, ws.rows);
        if (!data.target.is_classification()) gridding.refine(*root.block, ws.rows, root.grid);
        root.total.assign(ws.finder->width(), 0.0);
        ws.finder->add(root.total.data(), *root.block, ws.rows);
        root.is_settled = is_settled(*root.block, ws.rows, root.total.data(), *ws.finder);
        note(fragment, 0, *root.block, ws.rows, root.lower, root.upper);
        total_weight = root.total[kWeight];
        return root;
    }

    void collect_rows(const Open& open, std::vector<std::uint32_t>& rows) const {
        rows.resize(open.size());
        if (open.columns->empty()) {
            require(open.begin == 0 && open.end == open.block->n_rows, "rows without a column");
            std::iota(rows.begin(), rows.end(), 0U);
            return;
        }
        const auto collect = [&]<class Word>() {
            const Word* list = open.block->list<Word>((*open.columns)[0]) + open.begin;
            for (std::uint32_t i = 0; i < open.size(); ++i) rows[i] = Entry<Word>::row(list[i]);
        };
        if (open.block->is_narrow()) collect.template operator()<Narrow>();
        else collect.template operator()<Wide>();
    }

    /// Whether the rows agree on the target, or nearly enough to be left alone.
    [[nodiscard]] bool is_settled(const Block& block, std::span<const std::uint32_t> rows,
                                  const double* sums, const Finder& finder) const {
        if (agree(block, rows)) return true;
        if (!(options.min_impurity > 0.0)) return false;
        if (data.target.is_classification())
            return finder.impurity_of(sums) <= options.min_impurity;
        std::vector<std::uint32_t> table_rows;
        std::vector<double> weights;
        for (const std::uint32_t row : rows) {
            table_rows.push_back(block.table_row[row]);
            weights.push_back(block.weight_of(row));
        }
        return value_impurity(options.criterion, data.target, table_rows, weights) <=
               options.min_impurity;
    }

    [[nodiscard]] bool agree(const Block& block, std::span<const std::uint32_t> rows) const {
        const std::size_t n_outputs = data.target.n_outputs;
        for (std::size_t o = 0; o < n_outputs; ++o)
            for (const std::uint32_t row : rows) {
                const std::size_t at = row * n_outputs + o;
                const std::size_t first = rows[0] * n_outputs + o;
                if (block.raw.empty() ? block.classes[at] != block.classes[first]
                                      : block.raw[at] != block.raw[first])
                    return false;
            }
        return true;
    }

    /// Writes what is known of a node when it is made; medians are no sums over leaves.
    void note(Fragment& fragment, std::uint32_t node, const Block& block,
              std::span<const std::uint32_t> rows, double lower, double upper) const {
        fragment.nodes[node].n_rows = static_cast<std::int64_t>(rows.size());
        fragment.nodes[node].lower = lower;
        fragment.nodes[node].upper = upper;
        if (options.criterion != "absolute_error") return;
        const std::size_t n_outputs = data.target.n_outputs;
        fragment.medians.resize(fragment.nodes.size() * n_outputs);
        fragment.deviations.resize(fragment.nodes.size());
        double deviation = 0.0;
        for (std::size_t o = 0; o < n_outputs; ++o) {
            std::vector<std::pair<double, double>> pairs;
            for (const std::uint32_t row : rows)
                pairs.emplace_back(data.target.values[block.table_row[row] * n_outputs + o],
                                   block.weight_of(row));
            const MedianOf middle = median_of(pairs);
            fragment.medians[node * n_outputs + o] = middle.median;
            deviation += middle.deviation;
        }
        fragment.deviations[node] = deviation / static_cast<double>(n_outputs);
    }

    /// Whether a node of this size, at this depth, may be split at all.
    [[nodiscard]] bool within_limits(std::size_t n_rows, std::int64_t depth,
                                     const double* sums) const {
        return n_rows >= 2 && (options.max_depth < 0 || depth < options.max_depth) &&
               sums[kCopies] >= options.min_split && sums[kCopies] >= 2.0 * options.min_leaf &&
               sums[kWeight] >= 2.0 * options.min_leaf_weight;
    }

    [[nodiscard]] bool may_split(const Open& open) const {
        return !open.is_settled && !open.columns->empty() &&
               within_limits(open.size(), open.depth, open.total.data());
    }

    [[nodiscard]] bool is_shared(const Open& open) const {
        return static_cast<std::size_t>(open.size()) * open.columns->size() > kSharedWork;
    }

    /// `tasks`, if given, receives the subtrees that one thread should grow alone.
    void grow_depth_first(Open root, Fragment& fragment, Workspace& ws, std::vector<Open>* tasks) {
        std::vector<Open> stack;
        std::vector<Open> children;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            progress.check(ws.is_caller);
            Open open = std::move(stack.back());
            stack.pop_back();
            if (!may_split(open)) {
                close(open, ws, fragment);
                continue;
            }
            if (tasks != nullptr && !is_shared(open)) {
                tasks->push_back(std::move(open));
                continue;
            }
            Candidate* winner = find(open, ws, tasks != nullptr);
            children.clear();
            if (winner == nullptr ||
                !split(open, *winner, ws, tasks != nullptr, fragment, children, kAllBranches)) {
                close(open, ws, fragment);
                continue;
            }
            for (auto child = children.rbegin(); child != children.rend(); ++child)
                stack.push_back(std::move(*child));
        }
    }

    /// Splits the node that gains most, weighted by its rows, until there are enough leaves.
    void grow_best_first(Open root, Fragment& fragment) {
        struct Waiting {
            double improvement;
            Open open;
            Candidate winner;
        };
        const auto worse = [](const std::unique_ptr<Waiting>& a,
                              const std::unique_ptr<Waiting>& b) {
            if (a->improvement != b->improvement) return a->improvement < b->improvement;
            return a->open.node > b->open.node;
        };
        std::vector<std::unique_ptr<Waiting>> heap;
        Workspace& ws = workspaces[0];
        std::int64_t n_leaves = 1;
        const auto consider = [&](Open open) {
            Candidate* winner = may_split(open) ? find(open, ws, is_shared(open)) : nullptr;
            if (winner == nullptr) {
                close(open, ws, fragment);
                return;
            }
            ws.finder->locate(context_of(open), *winner);
            auto waiting = std::make_unique<Waiting>();
            waiting->improvement = winner->gain * unit_of(open.grid) * open.total[kWeight];
            waiting->winner = *winner;
            waiting->open = std::move(open);
            heap.push_back(std::move(waiting));
            std::push_heap(heap.begin(), heap.end(), worse);
        };
        consider(std::move(root));
        std::vector<Open> children;
        while (!heap.empty()) {
            progress.check(true);
            std::pop_heap(heap.begin(), heap.end(), worse);
            const std::unique_ptr<Waiting> next = std::move(heap.back());
            heap.pop_back();
            const auto more = static_cast<std::int64_t>(
                                  n_branches_of(next->winner, data.columns[next->winner.column])) -
                              1;
            children.clear();
            if (n_leaves + more > options.max_leaf_nodes ||
                !split(next->open, next->winner, ws, is_shared(next->open), fragment, children,
                       kAllBranches)) {
                close(next->open, ws, fragment);
                continue;
            }
            n_leaves += more;
            for (Open& child : children) consider(std::move(child));
        }
    }

    [[nodiscard]] std::size_t n_branches_of(const Candidate& c, const Column& column) const {
        const bool declared = options.empty_branches && c.question == Question::categories &&
                              options.nominal == Nominal::multiway;
        return declared ? column.n_codes + (c.owns_missing ? 1 : 0) : c.n_branches;
    }

    void close(const Open& open, Workspace& ws, Fragment& fragment) {
        if (open.size() > 0) {
            collect_rows(open, ws.rows);
            record_leaf(open.node, *open.block, ws.rows, fragment);
        }
    }

    void record_leaf(std::uint32_t node, const Block& block, std::span<const std::uint32_t> rows,
                     Fragment& fragment) {
        const std::size_t begin = fragment.leaf_rows.size();
        for (const std::uint32_t row : rows) {
            fragment.leaf_rows.push_back(block.table_row[row]);
            if (options.missing == Missing::divide)
                fragment.leaf_weights.push_back(block.weight_of(row));
        }
        fragment.leaf_range[node] = {begin, fragment.leaf_rows.size()};
        progress.advance(rows.size());
    }

    /// Monotonic bounds are kept in the target's own units; searches compare on the node's grid.
    [[nodiscard]] static double on_grid(const Grid& grid, double level) {
        return grid.offset.empty() ? level : (level - grid.offset[0]) * grid.scale;
    }
    [[nodiscard]] static double off_grid(const Grid& grid, double level) {
        return grid.offset.empty() ? level : grid.offset[0] + level / grid.scale;
    }

    [[nodiscard]] NodeContext context_of(const Open& open) const {
        NodeContext context;
        context.range = {open.block.get(), open.begin, open.end};
        context.any_column = open.columns->empty() ? 0 : (*open.columns)[0];
        context.key = open.key;
        context.lower = on_grid(open.grid, open.lower);
        context.upper = on_grid(open.grid, open.upper);
        context.total = open.total;
        return context;
    }

    [[nodiscard]] std::uint32_t n_missing_of(const Open& open, std::uint32_t column) const {
        return open.n_missing.empty() ? 0 : open.n_missing[column];
    }

    /// Moves a small node out of a wide block into a narrow one of its own.
    void rehome(Open& open, Workspace& ws) const {
        if (open.block->is_narrow() || options.block.wide || open.size() > Entry<Narrow>::kMostRows)
            return;
        collect_rows(open, ws.rows);
        open.block = extract(*open.block, open.begin, open.end, *open.columns, ws.rows, {},
                             data.target.n_outputs, false, ws.new_row);
        open.begin = 0;
        open.end = open.block->n_rows;
    }

    /// The node's best split, null if it has none. Columns found constant are dropped for good.
    Candidate* find(Open& open, Workspace& ws, bool shared) {
        rehome(open, ws);
        const NodeContext context = context_of(open);
        const std::vector<std::uint32_t>& columns = *open.columns;
        std::vector<Candidate>& candidates = ws.candidates;
        if (options.max_columns > 0 && options.max_columns < columns.size()) {
            evaluate_drawn(open, context, ws);
        } else {
            candidates.resize(columns.size());
            const auto evaluate = [&](std::size_t i, Finder& finder) {
                finder.evaluate(context, columns[i], n_missing_of(open, columns[i]), candidates[i]);
                mark_constant(open, candidates[i]);
            };
            if (shared) {
                for (Workspace& each : workspaces) each.finder->enter(context);
                team.for_each(columns.size(), [&](std::size_t i, std::size_t thread) {
                    progress.check(workspaces[thread].is_caller);
                    evaluate(i, *workspaces[thread].finder);
                });
            } else {
                ws.finder->enter(context);
                for (std::size_t i = 0; i < columns.size(); ++i) evaluate(i, *ws.finder);
            }
        }
        Candidate* winner = select(candidates, data, options, total_weight);
        drop_constant_columns(open, candidates);
        if (winner == nullptr) return nullptr;
        const double improvement =
            winner->gain * unit_of(open.grid) * open.total[kWeight] / total_weight;
        return improvement >= options.min_gain ? winner : nullptr;
    }

    /// Draws columns without replacement until enough that vary have been judged and one of them
    /// offers a split, as scikit-learn does.
    void evaluate_drawn(const Open& open, const NodeContext& context, Workspace& ws) {
        ws.finder->enter(context);
        ws.drawn.assign(open.columns->begin(), open.columns->end());
        Generator generator(mix(open.key, ~0ULL));
        ws.candidates.clear();
        std::size_t n_varying = 0;
        bool any = false;
        for (std::size_t i = 0; i < ws.drawn.size(); ++i) {
            if (n_varying >= options.max_columns && any) break;
            const std::size_t other = i + generator.below(ws.drawn.size() - i);
            std::swap(ws.drawn[i], ws.drawn[other]);
            Candidate& candidate = ws.candidates.emplace_back();
            ws.finder->evaluate(context, ws.drawn[i], n_missing_of(open, ws.drawn[i]), candidate);
            mark_constant(open, candidate);
            n_varying += candidate.guard != Guard::constant ? 1 : 0;
            any = any || candidate.guard == Guard::none;
        }
        std::sort(ws.candidates.begin(), ws.candidates.end(),
                  [](const Candidate& a, const Candidate& b) { return a.column < b.column; });
    }

    /// The fused scan does not say whether a column without a cut is constant or just too small.
    void mark_constant(const Open& open, Candidate& candidate) const {
        if (candidate.guard != Guard::limits || open.block->holding != Holding::lists) return;
        if (n_missing_of(open, candidate.column) > 0) return;
        const auto varies = [&]<class Word>() {
            const Word* list = open.block->list<Word>(candidate.column);
            for (std::uint32_t i = open.begin + 1; i < open.end; ++i)
                if ((list[i] & Entry<Word>::kTie) == 0) return true;
            return false;
        };
        const bool found = open.block->is_narrow() ? varies.template operator()<Narrow>()
                                                   : varies.template operator()<Wide>();
        if (!found) candidate.guard = Guard::constant;
    }

    void drop_constant_columns(Open& open, const std::vector<Candidate>& candidates) const {
        const auto is_dead = [&](const Candidate& c) {
            return c.guard == Guard::constant && n_missing_of(open, c.column) == 0;
        };
        const auto n_dead = std::count_if(candidates.begin(), candidates.end(), is_dead);
        if (n_dead == 0 || static_cast<std::size_t>(n_dead) == open.columns->size()) return;
        std::vector<std::uint32_t> alive;
        alive.reserve(open.columns->size());
        auto candidate = candidates.begin();
        for (const std::uint32_t column : *open.columns) {
            while (candidate != candidates.end() && candidate->column < column) ++candidate;
            const bool judged = candidate != candidates.end() && candidate->column == column;
            if (!judged || !is_dead(*candidate)) alive.push_back(column);
        }
        open.columns = std::make_shared<const std::vector<std::uint32_t>>(std::move(alive));
    }

    static constexpr std::uint32_t kAllBranches = ~0U;

    /// Partitions the node by the winner and opens its children. False if the split turns out to
    /// be not significant. With `only` one child is opened (to look at one node).
    bool split(Open& open, Candidate& winner, Workspace& ws, bool shared, Fragment& fragment,
               std::vector<Open>& children, std::uint32_t only) {
        ws.finder->locate(context_of(open), winner);
        const Column& column = data.columns[winner.column];
        if (options.empty_branches && options.nominal == Nominal::multiway)
            declare_branches(winner, column, *open.block);
        const std::size_t n_branches = winner.n_branches;
        const std::size_t width = ws.finder->width();
        route_known(open, winner, ws);
        sum_branches(*open.block, n_branches, width, ws);
        const std::uint32_t heaviest = heaviest_branch(n_branches, width, ws);
        const bool settles_missing = options.missing != Missing::divide;
        if (settles_missing && winner.missing_branch < 0)
            winner.missing_branch = static_cast<std::int32_t>(heaviest);

        std::vector<FoundSurrogate> surrogates;
        if (options.missing == Missing::surrogates) surrogates = find_surrogates(open, winner, ws);
        if (options.max_p_value < 1.0 &&
            ws.finder->p_value(ws.branch_sums.data(), n_branches, sum_of_squares(open, ws)) >
                options.max_p_value)
            return false;

        TreeNode& node = fragment.nodes[open.node];
        node.kind = winner.question == Question::cut ? 1 : 2;
        node.column = static_cast<std::int32_t>(winner.column);
        node.n_branches = static_cast<std::int32_t>(n_branches);
        node.first_child = static_cast<std::int32_t>(fragment.nodes.size());
        node.missing_branch = winner.missing_branch;
        node.gain = winner.gain * unit_of(open.grid);
        node.score = options.selection == Selection::gain && options.cost_rule == CostRule::none
                         ? node.gain
                         : winner.score;
        if (winner.question == Question::cut) {
            place_threshold(winner, column, *open.block, options.threshold_at, node.threshold,
                            node.threshold_int);
        } else {
            const CodeBranches branches = branches_of(winner, column, *open.block);
            node.code_offset = append_branches(fragment.branches, branches);
            node.code_count = static_cast<std::int32_t>(branches.code.size());
        }
        for (FoundSurrogate& found : surrogates) {
            if (found.surrogate.is_cut)
                place_between(data.columns[found.surrogate.column], *open.block, found.row_below,
                              found.row_above, options.threshold_at, found.surrogate.threshold,
                              found.surrogate.threshold_int);
            node.surrogates.push_back(std::move(found.surrogate));
        }
        open_children(open, winner, ws, shared, fragment, children, only);
        return true;
    }

    /// Sends every row with a known value to its branch; the others are listed in missing_rows.
    void route_known(const Open& open, const Candidate& winner, Workspace& ws) const {
        const Block& block = *open.block;
        ws.sides.prepare(block.n_rows, winner.n_branches + 1);
        ws.missing_rows.clear();
        ws.counts.assign(winner.n_branches, 0);
        const auto by_word = [&]<class Word>() {
            const Word* list = block.list<Word>(winner.column);
            const auto send = [&](std::uint32_t row, std::uint32_t branch) {
                ws.sides.set(row, branch);
                ++ws.counts[branch];
            };
            if (block.holding == Holding::lists) {
                const std::uint32_t known_end = open.end - n_missing_of(open, winner.column);
                std::uint32_t run = ~0U;
                for (std::uint32_t i = open.begin; i < known_end; ++i) {
                    if (i == open.begin || (list[i] & Entry<Word>::kTie) == 0) ++run;
                    send(Entry<Word>::row(list[i]),
                         winner.question == Question::cut
                             ? static_cast<std::uint32_t>(i - open.begin >= winner.cut_position)
                             : winner.branch_of_run[run]);
                }
                for (std::uint32_t i = known_end; i < open.end; ++i)
                    ws.missing_rows.push_back(Entry<Word>::row(list[i]));
                return;
            }
            const Codes& codes = block.codes[winner.column];
            std::visit(
                [&](const auto& of_row) {
                    for (std::uint32_t i = open.begin; i < open.end; ++i) {
                        const std::uint32_t row = Entry<Word>::row(list[i]);
                        const std::uint32_t code = of_row[row];
                        if (code == codes.n_codes()) {
                            ws.missing_rows.push_back(row);
                        } else if (winner.question == Question::cut) {
                            send(row, static_cast<std::uint32_t>(code > winner.cut_code));
                        } else {
                            const auto run = std::lower_bound(winner.code_of_run.begin(),
                                                              winner.code_of_run.end(), code) -
                                             winner.code_of_run.begin();
                            send(row, winner.branch_of_run[static_cast<std::size_t>(run)]);
                        }
                    }
                },
                codes.of_row);
        };
        if (block.is_narrow()) by_word.template operator()<Narrow>();
        else by_word.template operator()<Wide>();

        // ws.rows: the known rows, branch by branch, in the order of the list.
        ws.partition.offset.assign(winner.n_branches + 1, 0);
        for (std::size_t b = 0; b < winner.n_branches; ++b)
            ws.partition.offset[b + 1] = ws.partition.offset[b] + ws.counts[b];
        ws.rows.resize(open.size() - ws.missing_rows.size());
        auto next = ws.partition.offset;
        const auto gather = [&]<class Word>() {
            const Word* list = block.list<Word>(winner.column);
            const std::uint32_t known_end = block.holding == Holding::lists
                                                ? open.end - n_missing_of(open, winner.column)
                                                : open.end;
            std::size_t missing = 0;
            for (std::uint32_t i = open.begin; i < known_end; ++i) {
                const std::uint32_t row = Entry<Word>::row(list[i]);
                if (missing < ws.missing_rows.size() && ws.missing_rows[missing] == row) {
                    ++missing;  // only with codes; with lists they stand behind known_end
                    continue;
                }
                ws.rows[next[ws.sides[row]]++] = row;
            }
        };
        if (block.is_narrow()) gather.template operator()<Narrow>();
        else gather.template operator()<Wide>();
    }

    void sum_branches(const Block& block, std::size_t n_branches, std::size_t width,
                      Workspace& ws) const {
        ws.branch_sums.assign(n_branches * width, 0.0);
        std::size_t at = 0;
        for (std::size_t b = 0; b < n_branches; ++b) {
            ws.finder->add(ws.branch_sums.data() + b * width, block,
                           std::span(ws.rows).subspan(at, ws.counts[b]));
            at += ws.counts[b];
        }
    }

    static std::uint32_t heaviest_branch(std::size_t n_branches, std::size_t width,
                                         const Workspace& ws) {
        std::size_t best = 0;
        for (std::size_t b = 1; b < n_branches; ++b)
            if (ws.branch_sums[b * width + kWeight] > ws.branch_sums[best * width + kWeight])
                best = b;
        return static_cast<std::uint32_t>(best);
    }

    /// Sum of squares about the node's mean, on the grid (first output).
    [[nodiscard]] double sum_of_squares(const Open& open, const Workspace& ws) const {
        if (data.target.is_classification()) return 0.0;
        const std::size_t n_outputs = data.target.n_outputs;
        double weight = 0.0;
        double sum = 0.0;
        for (const std::uint32_t row : ws.rows) {
            weight += open.block->weight_of(row);
            sum += open.block->weight_of(row) * open.block->values[row * n_outputs];
        }
        double squares = 0.0;
        for (const std::uint32_t row : ws.rows) {
            const double off = open.block->values[row * n_outputs] - sum / weight;
            squares += open.block->weight_of(row) * off * off;
        }
        return squares;
    }

    /// Up to max_surrogates questions on other columns, best agreement first.
    std::vector<FoundSurrogate> find_surrogates(const Open& open, const Candidate& winner,
                                                Workspace& ws) const {
        const Block& block = *open.block;
        std::vector<char> known(block.n_rows, 1);
        for (const std::uint32_t row : ws.missing_rows) known[row] = 0;
        std::vector<FoundSurrogate> found;
        SurrogateRuns runs;
        for (const std::uint32_t column : *open.columns) {
            if (column == winner.column) continue;
            runs = SurrogateRuns{};
            const auto add = [&](std::uint32_t row, bool opens) {
                if (!known[row]) return false;
                if (opens) {
                    runs.left.push_back(0.0);
                    runs.right.push_back(0.0);
                    runs.n_left.push_back(0.0);
                    runs.n_right.push_back(0.0);
                    runs.first_row.push_back(row);
                    runs.last_row.push_back(row);
                }
                runs.last_row.back() = row;
                const bool right = ws.sides[row] == 1;
                (right ? runs.right : runs.left).back() += block.weight_of(row);
                (right ? runs.n_right : runs.n_left).back() += block.copies_of(row);
                return true;
            };
            const auto by_word = [&]<class Word>() {
                const Word* list = block.list<Word>(column);
                bool pending = true;  // a new value began since the last row that counted
                const std::uint32_t known_end = open.end - n_missing_of(open, column);
                for (std::uint32_t i = open.begin; i < known_end; ++i) {
                    if ((list[i] & Entry<Word>::kTie) == 0) pending = true;
                    if (add(Entry<Word>::row(list[i]), pending)) pending = false;
                }
            };
            if (block.is_narrow()) by_word.template operator()<Narrow>();
            else by_word.template operator()<Wide>();
            FoundSurrogate best =
                best_surrogate(runs, data.columns[column], column, block.table_row);
            if (best.surrogate.agreement > 0.0) found.push_back(std::move(best));
        }
        std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
            return a.surrogate.agreement > b.surrogate.agreement;
        });
        if (found.size() > options.max_surrogates) found.resize(options.max_surrogates);
        return found;
    }

    /// Branch of a row whose value is missing, for every policy but divided cases.
    [[nodiscard]] std::uint32_t branch_of_missing(const Open& open, const Candidate& winner,
                                                  const TreeNode& node, std::uint32_t row) const {
        const Block& block = *open.block;
        if (!winner.missing_branch_of_class.empty())
            return static_cast<std::uint32_t>(winner.missing_branch_of_class[block.classes[row]]);
        for (const Surrogate& surrogate : node.surrogates) {
            const int branch =
                surrogate_branch(surrogate, data.columns[surrogate.column], block.table_row[row]);
            if (branch >= 0) return static_cast<std::uint32_t>(branch);
        }
        return static_cast<std::uint32_t>(winner.missing_branch);
    }

    void open_children(Open& open, const Candidate& winner, Workspace& ws, bool shared,
                       Fragment& fragment, std::vector<Open>& children, std::uint32_t only) {
        const std::size_t n_branches = winner.n_branches;
        const std::size_t first_child = fragment.nodes.size();
        fragment.nodes.resize(first_child + n_branches);
        fragment.leaf_range.resize(first_child + n_branches);
        for (std::size_t b = 0; b < n_branches; ++b)
            fragment.nodes[first_child + b].parent = static_cast<std::int32_t>(open.node);
        if (options.missing == Missing::divide && !ws.missing_rows.empty()) {
            open_divided(open, winner, ws, fragment, children, only, first_child);
            return;
        }
        if (!ws.missing_rows.empty()) settle_missing(open, winner, ws, fragment);

        const std::size_t width = ws.finder->width();
        const std::size_t first_open = children.size();
        std::uint32_t at = 0;
        for (std::size_t b = 0; b < n_branches; ++b) {
            const auto rows = std::span(ws.rows).subspan(at, ws.counts[b]);
            const auto node = static_cast<std::uint32_t>(first_child + b);
            const double* sums = ws.branch_sums.data() + b * width;
            double lower = open.lower;
            double upper = open.upper;
            bound_child(open, winner, ws, b, lower, upper);
            note(fragment, node, *open.block, rows, lower, upper);
            const bool grows = only == b || (only == kAllBranches &&
                                             within_limits(rows.size(), open.depth + 1, sums) &&
                                             !is_settled(*open.block, rows, sums, *ws.finder));
            if (grows) {
                Open& child = children.emplace_back();
                child.block = open.block;
                child.begin = open.begin + at;
                child.end = child.begin + ws.counts[b];
                child.node = node;
                child.depth = open.depth + 1;
                child.key = mix(open.key, b);
                child.columns = open.columns;
                child.lower = lower;
                child.upper = upper;
                child.total.assign(sums, sums + width);
                lay_grid(open, child, rows, ws);
            } else if (only == kAllBranches && !rows.empty()) {
                record_leaf(node, *open.block, rows, fragment);
            }
            at += ws.counts[b];
        }
        if (children.size() > first_open)
            partition(open, winner, ws, shared, first_child,
                      std::span(children).subspan(first_open));
    }

    /// A finer grid for the child's targets, if it pays; its sums are then taken anew.
    void lay_grid(const Open& open, Open& child, std::span<const std::uint32_t> rows,
                  Workspace& ws) const {
        if (data.target.is_classification()) return;
        child.grid = open.grid;
        if (!gridding.refine(*child.block, rows, child.grid)) return;
        std::fill(child.total.begin(), child.total.end(), 0.0);
        ws.finder->add(child.total.data(), *child.block, rows);
    }

    /// Sends the rows without a value to the branch the policy gives them; ws.rows, the counts and
    /// the sums then hold all rows of the node.
    void settle_missing(const Open& open, const Candidate& winner, Workspace& ws,
                        const Fragment& fragment) const {
        const std::size_t width = ws.finder->width();
        std::vector<std::uint32_t> offset(winner.n_branches + 1, 0);
        std::vector<std::uint32_t> known = ws.counts;
        for (const std::uint32_t row : ws.missing_rows) {
            const std::uint32_t branch =
                branch_of_missing(open, winner, fragment.nodes[open.node], row);
            ws.sides.set(row, branch);
            ++ws.counts[branch];
            ws.finder->add(ws.branch_sums.data() + branch * width, *open.block, {&row, 1});
        }
        for (std::size_t b = 0; b < winner.n_branches; ++b)
            offset[b + 1] = offset[b] + ws.counts[b];
        std::vector<std::uint32_t> all(open.size());
        std::size_t at = 0;
        for (std::size_t b = 0; b < winner.n_branches; ++b) {
            std::copy_n(ws.rows.begin() + static_cast<std::ptrdiff_t>(at), known[b],
                        all.begin() + offset[b]);
            at += known[b];
            offset[b] += known[b];
        }
        for (const std::uint32_t row : ws.missing_rows) all[offset[ws.sides[row]]++] = row;
        ws.rows.swap(all);
    }

    /// C4.5's divided cases: a row without a value goes down every branch, with the branch's share
    /// of the known weight; each child gets a block of its own.
    void open_divided(const Open& open, const Candidate& winner, Workspace& ws, Fragment& fragment,
                      std::vector<Open>& children, std::uint32_t only, std::size_t first_child) {
        const std::size_t width = ws.finder->width();
        double known_weight = 0.0;
        for (std::size_t b = 0; b < winner.n_branches; ++b)
            known_weight += ws.branch_sums[b * width + kWeight];
        const std::vector<std::uint32_t> known_rows = ws.rows;
        std::size_t at = 0;
        for (std::size_t b = 0; b < winner.n_branches; ++b) {
            std::vector<std::uint32_t> rows(
                known_rows.begin() + static_cast<std::ptrdiff_t>(at),
                known_rows.begin() + static_cast<std::ptrdiff_t>(at + ws.counts[b]));
            at += ws.counts[b];
            std::vector<double> shares(rows.size(), 1.0);
            const double share = ws.branch_sums[b * width + kWeight] / known_weight;
            if (share > 0.0) {
                rows.insert(rows.end(), ws.missing_rows.begin(), ws.missing_rows.end());
                shares.resize(rows.size(), share);
            }
            Open child;
            child.node = static_cast<std::uint32_t>(first_child + b);
            child.depth = open.depth + 1;
            child.key = mix(open.key, b);
            child.columns = open.columns;
            child.lower = open.lower;
            child.upper = open.upper;
            child.total.assign(width, 0.0);
            bound_child(open, winner, ws, b, child.lower, child.upper);
            if (rows.empty()) {
                note(fragment, child.node, *open.block, rows, child.lower, child.upper);
                if (only == b) children.push_back(std::move(child));
                continue;
            }
            child.block = extract(*open.block, open.begin, open.end, *open.columns, rows, shares,
                                  data.target.n_outputs, options.block.wide, ws.new_row);
            child.end = child.block->n_rows;
            std::iota(rows.begin(), rows.end(), 0U);
            ws.finder->add(child.total.data(), *child.block, rows);
            lay_grid(open, child, rows, ws);
            child.is_settled = is_settled(*child.block, rows, child.total.data(), *ws.finder);
            note(fragment, child.node, *child.block, rows, child.lower, child.upper);
            count_missing(open, child);
            if (only == b || (only == kAllBranches && may_split(child)))
                children.push_back(std::move(child));
            else if (only == kAllBranches) record_leaf(child.node, *child.block, rows, fragment);
        }
    }

    void bound_child(const Open& open, const Candidate& winner, const Workspace& ws, std::size_t b,
                     double& lower, double& upper) const {
        if (options.monotonic.empty() || winner.question != Question::cut || b > 1) return;
        const int direction = options.monotonic[winner.column];
        if (direction == 0) return;
        const std::size_t width = ws.finder->width();
        const double middle =
            off_grid(open.grid, (ws.finder->level_of(ws.branch_sums.data()) +
                                 ws.finder->level_of(ws.branch_sums.data() + width)) /
                                    2.0);
        const bool is_lower = (direction > 0) == (b == 0);
        if (is_lower) upper = std::min(open.upper, middle);
        else lower = std::max(open.lower, middle);
    }

    /// Reorders every list in use; `opened` are the children that will be split further.
    void partition(const Open& open, const Candidate& winner, Workspace& ws, bool shared,
                   std::size_t first_child, std::span<Open> opened) {
        const bool lists = open.block->holding == Holding::lists;
        const std::vector<std::uint32_t>& columns = *open.columns;
        const bool counts_missing = lists && !open.n_missing.empty();
        if (counts_missing)
            for (Open& child : opened) child.n_missing.assign(data.columns.size(), 0);
        const std::size_t n_lists = lists ? columns.size() : 1;
        const auto one = [&](std::size_t i, PartitionScratch& scratch) {
            const std::uint32_t column = columns[i];
            const std::uint32_t n_missing = counts_missing ? n_missing_of(open, column) : 0;
            if (lists && column == winner.column && winner.question == Question::cut &&
                ws.missing_rows.empty())
                return;  // a cut leaves its own list in order
            if (n_missing > 0) scratch.missing_of_child.assign(ws.counts.size(), 0);
            const auto by = [&]<class Word, class Side>(const Side* side) {
                partition_list(open.block->list<Word>(column) + open.begin, open.size(), n_missing,
                               side, ws.counts, scratch);
            };
            const auto by_word = [&]<class Word>() {
                if (ws.sides.is_narrow)
                    by.template operator()<Word, std::uint8_t>(ws.sides.narrow.data());
                else by.template operator()<Word, std::uint32_t>(ws.sides.wide.data());
            };
            if (open.block->is_narrow()) by_word.template operator()<Narrow>();
            else by_word.template operator()<Wide>();
            if (n_missing > 0)
                for (Open& child : opened)
                    child.n_missing[column] = scratch.missing_of_child[child.node - first_child];
        };
        if (shared)
            team.for_each(n_lists, [&](std::size_t i, std::size_t thread) {
                one(i, workspaces[thread].partition);
            });
        else
            for (std::size_t i = 0; i < n_lists; ++i) one(i, ws.partition);
    }

    /// Divided rows stand in several blocks; a block's missing values are counted afresh.
    void count_missing(const Open& open, Open& child) const {
        if (open.n_missing.empty()) return;
        child.n_missing.assign(data.columns.size(), 0);
        for (const std::uint32_t column : *open.columns) {
            if (open.n_missing[column] == 0) continue;
            for (const std::uint32_t row : child.block->table_row)
                child.n_missing[column] += data.columns[column].is_missing(row) ? 1 : 0;
        }
    }

    const Dataset& data;
    const GrowOptions& options;
    Progress& progress;
    Team team;
    Gridding gridding;
    Reciprocals reciprocals;
    double total_weight = 0.0;
    std::vector<Workspace> workspaces;
};

}  // namespace

Tree grow(const Dataset& data, const GrowOptions& options, Progress& progress) {
    return Grower(data, options, progress).grow_tree();
}

Inspection inspect(const Dataset& data, const GrowOptions& options,
                   const std::vector<std::uint32_t>& path, Progress& progress) {
    GrowOptions telling = options;  // tallies count the cuts tried and tell why a column is out
    telling.fuse = false;
    return Grower(data, telling, progress).inspect_node(path);
}

}  // namespace treewright
