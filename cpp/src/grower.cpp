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
    bool is_pure = false;
    std::shared_ptr<const std::vector<std::uint32_t>> columns;  ///< not yet constant, ascending
    std::vector<std::uint32_t> n_missing;  ///< by column; empty if no column misses any value
    std::vector<double> total;

    [[nodiscard]] std::uint32_t size() const { return end - begin; }
};

/// What one thread works in.
struct Workspace {
    std::unique_ptr<Finder> finder;
    std::vector<Candidate> candidates;
    PartitionScratch partition;
    Sides sides;
    std::vector<std::uint32_t> new_row;
    std::vector<std::uint32_t> rows;         ///< of the node, branch by branch
    std::vector<std::uint32_t> missing_rows;
    std::vector<std::uint32_t> counts;       ///< rows per branch
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
          reciprocals(options.block.holding == Holding::lists ? data.n_rows : 0) {
        if (!data.target.is_classification())
            grid = grid_of(data, options.criterion == "poisson");
        unit = unit_of_gain();
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
        Tree tree = join(std::move(top), std::move(fragments), anchors, data, options, grid);
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
            c.gain *= unit;
            InspectedCandidate shown;
            if (c.question != Question::none) {
                const Column& column = data.columns[c.column];
                if (options.empty_branches) declare_branches(c, column, *open.block);
                shown.branch_of_code = codes_of_branches(c, column, *open.block);
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
    /// Gains on the grid, in the target's own units.
    [[nodiscard]] double unit_of_gain() const {
        if (data.target.is_classification()) return 1.0;
        const bool linear = options.criterion == "absolute_error" || options.criterion == "poisson";
        return linear ? 1.0 / grid.scale : 1.0 / grid.scale / grid.scale;
    }

    Open open_root(Fragment& fragment) {
        Open root;
        std::vector<std::uint32_t> n_missing;
        root.block = make_block(data, grid.values, options.block, team, n_missing);
        if (std::any_of(n_missing.begin(), n_missing.end(), [](auto n) { return n > 0; }))
            root.n_missing = std::move(n_missing);
        root.end = root.block->n_rows;
        root.key = mix(options.seed, options.tree);
        root.columns = std::make_shared<const std::vector<std::uint32_t>>(options.columns);
        fragment.nodes.emplace_back();
        fragment.leaf_range.emplace_back();
        collect_rows(root, workspaces[0].rows);
        describe(root, workspaces[0].rows, workspaces[0], fragment);
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

    /// Sums of a node's rows, and whether they all agree on the target.
    void describe(Open& open, std::span<const std::uint32_t> rows, Workspace& ws,
                  Fragment& fragment) const {
        const Block& block = *open.block;
        open.total.assign(ws.finder->width(), 0.0);
        ws.finder->add(open.total.data(), block, rows);
        TreeNode& node = fragment.nodes[open.node];
        node.n_rows = static_cast<std::int64_t>(rows.size());
        node.lower = open.lower;
        node.upper = open.upper;
        const std::size_t n_outputs = data.target.n_outputs;
        open.is_pure = true;
        for (std::size_t o = 0; o < n_outputs && open.is_pure; ++o)
            for (const std::uint32_t row : rows) {
                const std::size_t at = row * n_outputs + o;
                const std::size_t first = rows[0] * n_outputs + o;
                if (block.values.empty() ? block.classes[at] != block.classes[first]
                                         : block.values[at] != block.values[first]) {
                    open.is_pure = false;
                    break;
                }
            }
        if (options.criterion == "absolute_error") {
            fragment.medians.resize(fragment.nodes.size() * n_outputs);
            fragment.deviations.resize(fragment.nodes.size());
            double deviation = 0.0;
            for (std::size_t o = 0; o < n_outputs; ++o) {
                std::vector<std::pair<double, double>> pairs;
                for (const std::uint32_t row : rows)
                    pairs.emplace_back(data.target.values[block.table_row[row] * n_outputs + o],
                                       block.weight_of(row));
                const MedianOf middle = median_of(pairs);
                fragment.medians[open.node * n_outputs + o] = middle.median;
                deviation += middle.deviation;
            }
            fragment.deviations[open.node] = deviation / static_cast<double>(n_outputs);
        }
        if (options.min_impurity > 0.0 && !open.is_pure) {
            double impurity = 0.0;
            if (data.target.is_classification()) {
                impurity = ws.finder->impurity_of(open.total.data());
            } else {
                std::vector<std::uint32_t> table_rows;
                std::vector<double> weights;
                for (const std::uint32_t row : rows) {
                    table_rows.push_back(block.table_row[row]);
                    weights.push_back(block.weight_of(row));
                }
                impurity = value_impurity(options.criterion, data.target, table_rows, weights);
            }
            if (impurity <= options.min_impurity) open.is_pure = true;
        }
    }

    [[nodiscard]] bool may_split(const Open& open) const {
        return !open.is_pure && open.size() >= 2 && !open.columns->empty() &&
               (options.max_depth < 0 || open.depth < options.max_depth) &&
               open.total[kCopies] >= options.min_split &&
               open.total[kCopies] >= 2.0 * options.min_leaf &&
               open.total[kWeight] >= 2.0 * options.min_leaf_weight;
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
        const auto worse = [](const std::unique_ptr<Waiting>& a, const std::unique_ptr<Waiting>& b) {
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
            waiting->improvement = winner->gain * open.total[kWeight];
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
        return declared ? column.n_codes : c.n_branches;
    }

    void close(const Open& open, Workspace& ws, Fragment& fragment) {
        if (open.size() > 0) {
            collect_rows(open, ws.rows);
            record_leaf(open.node, *open.block, ws.rows, {}, fragment);
        }
    }

    /// `shares`, if any, are the parts of divided rows that reach this leaf.
    void record_leaf(std::uint32_t node, const Block& block, std::span<const std::uint32_t> rows,
                     std::span<const double> shares, Fragment& fragment) {
        const std::size_t begin = fragment.leaf_rows.size();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            fragment.leaf_rows.push_back(block.table_row[rows[i]]);
            if (options.missing == Missing::divide)
                fragment.leaf_weights.push_back(block.weight_of(rows[i]) *
                                                (shares.empty() ? 1.0 : shares[i]));
        }
        fragment.leaf_range[node] = {begin, fragment.leaf_rows.size()};
        progress.advance(rows.size());
    }

    [[nodiscard]] NodeContext context_of(const Open& open) const {
        NodeContext context;
        context.range = {open.block.get(), open.begin, open.end};
        context.any_column = open.columns->empty() ? 0 : (*open.columns)[0];
        context.key = open.key;
        context.lower = open.lower;
        context.upper = open.upper;
        context.total = open.total;
        return context;
    }

    [[nodiscard]] std::uint32_t n_missing_of(const Open& open, std::uint32_t column) const {
        return open.n_missing.empty() ? 0 : open.n_missing[column];
    }

    /// Moves a small node out of a wide block into a narrow one of its own.
    void rehome(Open& open, Workspace& ws) const {
        if (open.block->is_narrow() || options.block.wide ||
            open.size() > Entry<Narrow>::kMostRows)
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
                    evaluate(i, *workspaces[thread].finder);
                });
            } else {
                ws.finder->enter(context);
                for (std::size_t i = 0; i < columns.size(); ++i) evaluate(i, *ws.finder);
            }
        }
        Candidate* winner = select(candidates, data, options, open.total[kWeight]);
        drop_constant_columns(open, candidates);
        if (winner == nullptr) return nullptr;
        const double improvement = winner->gain * unit * open.total[kWeight] / total_weight;
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
        if (options.missing == Missing::surrogates)
            surrogates = find_surrogates(open, winner, ws);
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
        node.gain = winner.gain * unit;
        node.score = options.selection == Selection::gain && options.cost_rule == CostRule::none
                         ? node.gain
                         : winner.score;
        if (winner.question == Question::cut) {
            place_threshold(winner, column, *open.block, options.threshold_at, node.threshold,
                            node.threshold_int);
        } else {
            node.code_offset = static_cast<std::int64_t>(fragment.branch_of_code.size());
            const auto branch_of_code = codes_of_branches(winner, column, *open.block);
            fragment.branch_of_code.insert(fragment.branch_of_code.end(), branch_of_code.begin(),
                                           branch_of_code.end());
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
            return static_cast<std::uint32_t>(
                winner.missing_branch_of_class[block.classes[row]]);
        for (const Surrogate& surrogate : node.surrogates) {
            const int branch = surrogate_branch(surrogate, data.columns[surrogate.column],
                                                block.table_row[row]);
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
        if (!fragment.medians.empty()) {
            fragment.medians.resize(fragment.nodes.size() * data.target.n_outputs);
            fragment.deviations.resize(fragment.nodes.size());
        }
        const bool divides = options.missing == Missing::divide && !ws.missing_rows.empty();
        std::vector<std::vector<std::uint32_t>> rows_of(n_branches);
        std::vector<std::vector<double>> shares_of(divides ? n_branches : 0);
        std::size_t at = 0;
        double known_weight = 0.0;
        const std::size_t width = ws.finder->width();
        for (std::size_t b = 0; b < n_branches; ++b) {
            rows_of[b].assign(ws.rows.begin() + static_cast<std::ptrdiff_t>(at),
                              ws.rows.begin() + static_cast<std::ptrdiff_t>(at + ws.counts[b]));
            at += ws.counts[b];
            known_weight += ws.branch_sums[b * width + kWeight];
        }
        if (divides) {
            for (std::size_t b = 0; b < n_branches; ++b) {
                const double share = ws.branch_sums[b * width + kWeight] / known_weight;
                shares_of[b].assign(rows_of[b].size(), 1.0);
                if (!(share > 0.0)) continue;
                rows_of[b].insert(rows_of[b].end(), ws.missing_rows.begin(),
                                  ws.missing_rows.end());
                shares_of[b].resize(rows_of[b].size(), share);
            }
        } else {
            for (const std::uint32_t row : ws.missing_rows) {
                const std::uint32_t branch =
                    branch_of_missing(open, winner, fragment.nodes[open.node], row);
                ws.sides.set(row, branch);
                ++ws.counts[branch];
                rows_of[branch].push_back(row);
            }
        }

        std::vector<Open> opened(n_branches);
        bool any_open = false;
        std::uint32_t begin = open.begin;
        for (std::size_t b = 0; b < n_branches; ++b) {
            Open& child = opened[b];
            child.node = static_cast<std::uint32_t>(first_child + b);
            fragment.nodes[child.node].parent = static_cast<std::int32_t>(open.node);
            child.depth = open.depth + 1;
            child.key = mix(open.key, b);
            child.columns = open.columns;
            child.lower = open.lower;
            child.upper = open.upper;
            bound_child(open, winner, ws, b, child);
            if (divides && !rows_of[b].empty()) {
                child.block = extract(*open.block, open.begin, open.end, *open.columns, rows_of[b],
                                      shares_of[b], data.target.n_outputs, options.block.wide,
                                      ws.new_row);
                std::iota(rows_of[b].begin(), rows_of[b].end(), 0U);
                child.begin = 0;
                child.end = child.block->n_rows;
            } else {
                child.block = open.block;
                child.begin = begin;
                child.end = begin + static_cast<std::uint32_t>(rows_of[b].size());
                begin = child.end;
            }
            describe(child, rows_of[b], ws, fragment);
            any_open = any_open || may_split(child);
        }
        if (divides) count_missing_in_blocks(open, opened);
        else if (any_open || only != kAllBranches) partition(open, ws, shared, opened);
        for (std::size_t b = 0; b < n_branches; ++b) {
            if (only != kAllBranches) {
                if (b == only) children.push_back(std::move(opened[b]));
                continue;
            }
            if (may_split(opened[b])) children.push_back(std::move(opened[b]));
            else if (!rows_of[b].empty())
                record_leaf(opened[b].node, *opened[b].block, rows_of[b], {}, fragment);
        }
    }

    void bound_child(const Open& open, const Candidate& winner, const Workspace& ws, std::size_t b,
                     Open& child) const {
        if (options.monotonic.empty() || winner.question != Question::cut || b > 1) return;
        const int direction = options.monotonic[winner.column];
        if (direction == 0) return;
        const std::size_t width = ws.finder->width();
        const double middle = (ws.finder->level_of(ws.branch_sums.data()) +
                               ws.finder->level_of(ws.branch_sums.data() + width)) /
                              2.0;
        const bool is_lower = (direction > 0) == (b == 0);
        if (is_lower) child.upper = std::min(open.upper, middle);
        else child.lower = std::max(open.lower, middle);
    }

    void partition(const Open& open, Workspace& ws, bool shared, std::vector<Open>& opened) {
        const std::size_t n_branches = opened.size();
        const bool lists = open.block->holding == Holding::lists;
        const std::vector<std::uint32_t>& columns = *open.columns;
        const bool counts_missing = lists && !open.n_missing.empty();
        if (counts_missing)
            for (Open& child : opened) child.n_missing.assign(data.columns.size(), 0);
        const std::size_t n_lists = lists ? columns.size() : 1;
        const auto one = [&](std::size_t i, PartitionScratch& scratch) {
            std::vector<std::uint32_t> missing_of_child(counts_missing ? n_branches : 0, 0);
            const std::uint32_t column = columns[i];
            const auto by = [&]<class Word, class Side>(const Side* side) {
                partition_list(open.block->list<Word>(column) + open.begin, open.size(),
                               counts_missing ? n_missing_of(open, column) : 0, side, ws.counts,
                               scratch, counts_missing ? missing_of_child.data() : nullptr);
            };
            const auto by_word = [&]<class Word>() {
                if (ws.sides.is_narrow)
                    by.template operator()<Word, std::uint8_t>(ws.sides.narrow.data());
                else by.template operator()<Word, std::uint32_t>(ws.sides.wide.data());
            };
            if (open.block->is_narrow()) by_word.template operator()<Narrow>();
            else by_word.template operator()<Wide>();
            for (std::size_t b = 0; b < missing_of_child.size(); ++b)
                opened[b].n_missing[column] = missing_of_child[b];
        };
        if (shared)
            team.for_each(n_lists, [&](std::size_t i, std::size_t thread) {
                one(i, workspaces[thread].partition);
            });
        else
            for (std::size_t i = 0; i < n_lists; ++i) one(i, ws.partition);
    }

    /// Divided rows stand in several blocks; each block's missing values are counted afresh.
    void count_missing_in_blocks(const Open& open, std::vector<Open>& opened) const {
        for (Open& child : opened) {
            if (child.size() == 0 || open.n_missing.empty()) continue;
            child.n_missing.assign(data.columns.size(), 0);
            for (const std::uint32_t column : *open.columns) {
                if (open.n_missing[column] == 0) continue;
                for (const std::uint32_t row : child.block->table_row)
                    child.n_missing[column] += data.columns[column].is_missing(row) ? 1 : 0;
            }
        }
    }

    const Dataset& data;
    const GrowOptions& options;
    Progress& progress;
    Team team;
    Grid grid;
    Reciprocals reciprocals;
    double unit = 1.0;
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
