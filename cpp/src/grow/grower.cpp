/// The growing loop. Nodes with much work are split by all threads together, column by column;
/// the subtrees below them are grown by one thread each. The division depends on the
/// data alone, so the tree does not depend on the number of threads.
#include "treewright/grow/growth.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "treewright/base/discard.hpp"
#include "treewright/base/error.hpp"
#include "treewright/criteria/registry.hpp"
#include "treewright/grow/question.hpp"
#include "treewright/grow/summary.hpp"
#include "treewright/split/ties.hpp"

namespace treewright::grow {
namespace {

/// Rows from which a subtree has a fragment of its own.
constexpr std::size_t kRowsPerFragment = 4096;

/// Where the tasks of each fragment start. Small neighbours share one: a fragment is a dozen
/// allocations, and a column of very many values makes hundreds of thousands of small subtrees,
/// which would take longer to free than Ctrl-C should wait.
std::vector<std::size_t> grouped(const std::vector<Open>& tasks) {
    std::vector<std::size_t> first = {0};
    std::size_t n_rows = 0;
    for (std::size_t task = 0; task < tasks.size(); ++task) {
        n_rows += tasks[task].size();
        if (n_rows < kRowsPerFragment && task + 1 < tasks.size()) continue;
        first.push_back(task + 1);
        n_rows = 0;
    }
    return first;
}

}  // namespace

void Growth::grow_tree(Parts& parts, const SortedTable* table) {
    grow_parts(parts, table);
    join(parts, data, options, progress);
    if (options.threshold_at == split::ThresholdAt::training)
        move_thresholds_down(data, parts.tree, progress);
}

void Growth::grow_parts(Parts& parts, const SortedTable* table) {
    SortedTable own = table == nullptr ? sorted(data, options.block, team) : *table;
    if (table != nullptr) own.block = std::make_shared<data::Block>(*table->block);
    Open root = open_root(parts.top, std::move(own));
    std::vector<Open>& tasks = parts.tasks;
    if (options.max_leaf_nodes > 0) grow_best_first(std::move(root), parts.top);
    else grow_depth_first(std::move(root), parts.top, workspaces[0], &tasks);

    const std::vector<std::size_t> first_task = grouped(tasks);
    std::vector<Fragment>& fragments = parts.fragments;
    fragments.resize(first_task.size() - 1);
    std::vector<std::size_t> n_rows(fragments.size(), 0);
    for (std::size_t i = 0; i < fragments.size(); ++i)
        for (std::size_t task = first_task[i]; task < first_task[i + 1]; ++task)
            n_rows[i] += tasks[task].size();
    std::vector<std::size_t> by_size(fragments.size());
    std::iota(by_size.begin(), by_size.end(), std::size_t{0});
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](std::size_t a, std::size_t b) { return n_rows[a] > n_rows[b]; });
    team.for_each(fragments.size(), [&](std::size_t item, std::size_t thread) {
        const std::size_t i = by_size[item];
        Fragment& fragment = fragments[i];
        for (std::size_t task = first_task[i]; task < first_task[i + 1]; ++task) {
            Open open = std::move(tasks[task]);
            const std::size_t root = fragment.nodes.size();
            fragment.subtrees.push_back({root, open.node});
            fragment.nodes.push_back(parts.top.nodes[open.node]);
            fragment.leaf_range.emplace_back();
            open.node = static_cast<std::uint32_t>(root);
            grow_depth_first(std::move(open), fragment, workspaces[thread], nullptr);
        }
    });
}

void Growth::grow_depth_first(Open root, Fragment& fragment, Workspace& ws,
                              std::vector<Open>* tasks) {
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
        split::Candidate* winner = choose(open, ws, tasks != nullptr);
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

void Growth::grow_best_first(Open root, Fragment& fragment) {
    struct Waiting {
        double improvement;
        Open open;
        split::Candidate winner;
    };
    const auto worse = [](const std::unique_ptr<Waiting>& a, const std::unique_ptr<Waiting>& b) {
        if (a->improvement != b->improvement) return a->improvement < b->improvement;
        return a->open.node > b->open.node;
    };
    std::vector<std::unique_ptr<Waiting>> heap;
    Workspace& ws = workspaces[0];
    const bool grows_with_rows = criteria::traits_of(options.criterion).sums_over_rows;
    std::int64_t n_leaves = 1;
    const auto consider = [&](Open open) {
        split::Candidate* winner = may_split(open) ? choose(open, ws, is_shared(open)) : nullptr;
        if (winner == nullptr) {
            close(open, ws, fragment);
            return;
        }
        ws.finder->locate(context_of(open), *winner);
        auto waiting = std::make_unique<Waiting>();
        waiting->improvement = split::rounded_improvement(
            winner->gain * (grows_with_rows ? 1.0 : open.total[criteria::kWeight]));
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

std::size_t Growth::n_branches_of(const split::Candidate& c, const data::Column& column) const {
    const bool declared = options.empty_branches && c.question == split::Question::categories &&
                          options.nominal == split::Nominal::multiway;
    return declared ? column.n_codes + (c.owns_missing ? 1 : 0) : c.n_branches;
}

void Growth::close(const Open& open, Workspace& ws, Fragment& fragment) {
    if (open.size() > 0) {
        collect_rows(open, ws.rows);
        record_leaf(open.node, *open.block, ws.rows, fragment);
    }
}

Inspection Growth::inspect_node(const std::vector<std::uint32_t>& path) {
    Fragment fragment;
    Open open = open_root(fragment, sorted(data, options.block, team));
    Workspace& ws = workspaces[0];
    for (const std::uint32_t branch : path) {
        split::Candidate* winner = choose(open, ws, true);
        require(winner != nullptr, "the path leads below a leaf");
        std::vector<Open> children;
        require(split(open, *winner, ws, true, fragment, children, branch),
                "the path leads below a leaf");
        require(children.size() == 1, "the path leads to no child");
        open = std::move(children[0]);
    }
    Inspection seen;
    if (open.size() == 0) return seen;
    split::Candidate* winner = choose(open, ws, true);
    collect_rows(open, ws.rows);
    for (const std::uint32_t row : ws.rows) {
        seen.rows.push_back(open.block->table_row[row]);
        seen.weight.push_back(open.block->weight_of(row));
    }
    ws.finder->enter(context_of(open));
    for (split::Candidate& c : ws.candidates) {
        InspectedCandidate shown;
        if (c.question != split::Question::none) {
            ws.finder->locate(context_of(open), c);
            const data::Column& column = data.columns[c.column];
            if (options.empty_branches && options.nominal == split::Nominal::multiway)
                declare_branches(c, column, *open.block);
            shown.branches = branches_of(c, column, *open.block);
            place_threshold(c, column, *open.block, bins[c.column], options, shown.threshold,
                            shown.threshold_int);
            if (c.question == split::Question::sum) shown.threshold = c.sum_threshold;
            shown.cuts = cuts_of(c, column, *open.block, bins[c.column], options);
            if (options.threshold_at == split::ThresholdAt::training) {
                if (c.question == split::Question::cut)
                    move_threshold_down(data, column, shown.threshold, shown.threshold_int,
                                        progress);
                move_cuts_down(data, column, shown.cuts, progress);
            }
        }
        if (winner == &c) seen.chosen = static_cast<std::int64_t>(seen.candidates.size());
        shown.candidate = c;
        seen.candidates.push_back(std::move(shown));
    }
    return seen;
}

SortedTable sorted(const data::Dataset& data, const data::BlockOptions& options, Team& team) {
    SortedTable table;
    table.block = make_block(data, options, team, table.n_missing, table.bins);
    return table;
}

tree::Tree grow(const data::Dataset& data, const GrowOptions& options, Progress& progress,
                const SortedTable* table) {
    auto parts = std::make_unique<Parts>();
    // The threads are gone when the parts are discarded: they would share in freeing them.
    fill_or_discard(parts,
                    [&](Parts& made) { Growth(data, options, progress).grow_tree(made, table); });
    return std::move(parts->tree);
}

Inspection inspect(const data::Dataset& data, const GrowOptions& options,
                   const std::vector<std::uint32_t>& path, Progress& progress) {
    GrowOptions telling = options;  // tallies count the cuts tried and record why a column is out
    telling.fuse = false;
    return Growth(data, telling, progress).inspect_node(path);
}

}  // namespace treewright::grow
