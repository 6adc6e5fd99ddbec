/// A tree's arrays become a plan: numbered breadth-first by one thread, then packed block by block.
#include "treewright/tree/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "treewright/base/error.hpp"
#include "treewright/base/parallel.hpp"
#include "treewright/base/prefetch.hpp"

namespace treewright::tree {
namespace {

/// Nodes between two checks for an interrupt.
constexpr std::size_t kNodesPerCheck = 1 << 12;
/// Nodes that a thread packs at a time: a millisecond.
constexpr std::size_t kNodesPerTask = 1 << 14;
constexpr std::size_t kNodesPerThread = 1 << 16;  // fewer do not pay for starting one
/// Entries of `value` that make a block of nodes smaller.
constexpr std::size_t kValuesPerTask = 1 << 19;
constexpr std::size_t kAhead = 16;  // nodes are scattered: prefetched

/// Prefetches what is packed of a node.
void fetch(const TreeView& tree, std::size_t node) {
    prefetch(tree.n_branches.data() + node);
    prefetch(tree.missing_branch.data() + node);
    prefetch(tree.unseen_branch.data() + node);
    prefetch(tree.column.data() + node);
    prefetch(tree.kind.data() + node);
    prefetch(tree.threshold.data() + node);
    prefetch(tree.weight.data() + node);
    prefetch(tree.value.data() + node * tree.width);
}

}  // namespace

Plan::Plan(const TreeView& tree, std::vector<std::uint32_t> classes, std::size_t n_threads,
           Progress& progress)
    : Plan(tree, std::move(classes), tree.width, n_threads, progress) {}

Plan::Plan(const TreeView& tree, std::size_t n_threads, Progress& progress)
    : Plan(tree, {}, 0, n_threads, progress) {}

Plan::Plan(const TreeView& tree, std::vector<std::uint32_t> classes, std::size_t width,
           std::size_t n_threads, Progress& progress)
    : cuts{{tree.cut.begin(), tree.cut.end()}, {tree.cut_int.begin(), tree.cut_int.end()}},
      owner(tree.owner),
      weight(tree.weight),
      value(tree.value),
      n_classes(std::move(classes)),
      answer_width(width) {
    const std::size_t n = tree.n_nodes();
    require(n > 0 && n < (std::size_t{1} << 31), "number of nodes");
    require(tree.unseen_branch.size() == n && tree.value.size() == n * tree.width,
            "an unseen branch and a line of values for every node");
    require(n_classes.empty() ||
                std::accumulate(n_classes.begin(), n_classes.end(), std::size_t{0}) == width,
            "a value for every class");
    terms.column.assign(tree.term_column.begin(), tree.term_column.end());
    terms.coefficient.assign(tree.term_coefficient.begin(), tree.term_coefficient.end());
    const std::size_t n_leaves = number_nodes(tree, progress);
    routes.resize(n);
    if (!n_classes.empty()) shares.resize(n_leaves * width);

    const std::size_t per_task =
        n_classes.empty() ? kNodesPerTask
                          : std::clamp(kValuesPerTask / width, std::size_t{64}, kNodesPerTask);
    const std::size_t n_tasks = (n + per_task - 1) / per_task;
    Team team(std::min(n_threads, (n + kNodesPerThread - 1) / kNodesPerThread), progress);
    std::vector<Seen> of_thread(team.size());
    std::vector<double> asked_weight(n_tasks, 0.0);
    team.for_each(n_tasks, [&](std::size_t task, std::size_t thread) {
        const std::size_t end = std::min(n, (task + 1) * per_task);
        for (std::size_t i = task * per_task; i < end; ++i) {
            fetch(tree, tree_node[std::min(i + kAhead, end - 1)]);
            pack(tree, static_cast<std::uint32_t>(i), of_thread[thread]);
            if (routes[i].n_branches > 0) asked_weight[task] += weight[tree_node[i]];
        }
    });
    bool others = false;
    for (const Seen& seen : of_thread) {
        for (std::size_t column = 0; column < seen.needs.size(); ++column)
            need(needs, column, seen.needs[column]);
        only_real_cuts = only_real_cuts && seen.only_real_cuts;
        others = others || seen.others;
        silent.insert(silent.end(), seen.silent.begin(), seen.silent.end());
    }
    std::sort(silent.begin(), silent.end());
    if (others) pack_others(tree, progress);
    if (!tree.surrogate_column.empty()) list_surrogates(tree, progress);
    for (std::uint32_t column = 0; column < needs.size(); ++column)
        if ((needs[column] & asked) != 0) used_columns.push_back(column);
    // The mean number of questions on the path of a training row.
    const double sum = std::accumulate(asked_weight.begin(), asked_weight.end(), 0.0);
    if (sum / weight[0] > Shortcuts::kDeep) make_shortcuts(progress);
    make_descent(progress);
}

std::size_t Plan::number_nodes(const TreeView& tree, Progress& progress) {
    const std::size_t n = tree.n_nodes();
    nodes.resize(n);
    tree_node.resize(n);
    std::size_t n_placed = 1;
    std::size_t n_leaves = 0;
    std::size_t next_level = 1;
    for (std::size_t i = 0; i < n; ++i) {
        if (i % kNodesPerCheck == 0) progress.check(true);
        require(i < n_placed, "every node has one parent");
        if (i == next_level) {
            ++depth;
            next_level = n_placed;
        }
        const std::size_t later = tree_node[std::min(i + kAhead, n_placed - 1)];
        prefetch(tree.first_child.data() + later);
        prefetch(tree.n_branches.data() + later);
        const std::size_t at = tree_node[i];
        const auto n_branches = static_cast<std::size_t>(tree.n_branches[at]);
        if (n_branches == 0) {
            nodes[i] = leaf_at(i, static_cast<std::uint32_t>(n_leaves++));
            continue;
        }
        require(n_branches <= n - n_placed, "every node has one parent");
        nodes[i].first_child = static_cast<std::uint32_t>(n_placed);
        const auto first = static_cast<std::uint32_t>(tree.first_child[at]);
        for (std::uint32_t b = 0; b < n_branches; ++b) tree_node[n_placed++] = first + b;
    }
    return n_leaves;
}

void Plan::pack(const TreeView& tree, std::uint32_t node, Seen& seen) {
    const std::size_t at = tree_node[node];
    Node& out = nodes[node];
    routes[node] = {static_cast<std::uint32_t>(tree.n_branches[at]), tree.missing_branch[at],
                    tree.unseen_branch[at]};
    if (routes[node].n_branches == 0) {
        if (n_classes.empty()) out = leaf_at(node, static_cast<std::uint32_t>(at));
        else answer_by_shares(tree, node, seen);
        return;
    }
    const auto column = static_cast<std::uint32_t>(tree.column[at]);
    out.column_and_kind = column << kKindBits;
    if (tree.kind[at] != 1) {  // packed later
        seen.others = true;
        seen.only_real_cuts = false;
        return;
    }
    const bool is_whole = std::isnan(tree.threshold[at]);
    if (is_whole) out.whole = tree.threshold_int[at];
    else out.threshold = tree.threshold[at];
    out.column_and_kind |= is_whole ? whole_cut : real_cut;
    seen.only_real_cuts = seen.only_real_cuts && !is_whole && routes[node].n_branches == 2;
    need(seen.needs, column, asked | (is_whole ? whole : real));
}

/// What is not a single cut fills lists, in the order of the nodes.
void Plan::pack_others(const TreeView& tree, Progress& progress) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (i % kNodesPerCheck == 0) progress.check(true);
        const std::size_t at = tree_node[i];
        if (tree.kind[at] <= 1) continue;
        const Kind kind = ask(tree, at, nodes[i]);
        nodes[i].column_and_kind |= kind;
        for (std::int32_t k = 0; k < tree.term_count[at]; ++k)
            need(needs,
                 static_cast<std::size_t>(
                     terms.column[static_cast<std::size_t>(tree.term_offset[at] + k)]),
                 any);
        need(needs, column_of(nodes[i]),
             asked | (kind == linear           ? any
                      : kind == real_intervals ? real
                                               : whole));
    }
}

void Plan::list_surrogates(const TreeView& tree, Progress& progress) {
    surrogate_start.reserve(nodes.size() + 1);
    surrogate_start.push_back(0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (i % kNodesPerCheck == 0) progress.check(true);
        const auto* start = tree.surrogate_start.data() + tree_node[i];
        for (std::int32_t k = start[0]; k < start[1]; ++k) {
            surrogates.push_back(surrogate_at(tree, static_cast<std::size_t>(k)));
            need(needs, surrogates.back().column, surrogates.back().is_cut ? any : whole);
        }
        surrogate_start.push_back(static_cast<std::uint32_t>(surrogates.size()));
    }
}

/// Computes the answer of a leaf of a tree that predicts classes. An empty leaf without a class of
/// its own predicts as its nearest ancestor that has one.
void Plan::answer_by_shares(const TreeView& tree, std::uint32_t node, Seen& seen) {
    const auto line_of = [&](std::size_t at) { return tree.value.data() + at * answer_width; };
    const auto is_silent = [&](std::size_t at) {
        return tree.weight[at] <= 0.0 && tree.parent[at] >= 0 &&
               std::all_of(line_of(at), line_of(at) + answer_width,
                           [](double w) { return w <= 0.0; });
    };
    std::size_t from = tree_node[node];
    while (is_silent(from)) from = static_cast<std::size_t>(tree.parent[from]);
    if (from != tree_node[node]) seen.silent.emplace_back(node, static_cast<std::uint32_t>(from));
    const double* weights = line_of(from);
    double* to = shares.data() + answer_of(nodes[node]) * answer_width;
    for (const std::uint32_t count : n_classes) {
        double sum = 0.0;
        for (std::uint32_t k = 0; k < count; ++k) sum += weights[k];
        for (std::uint32_t k = 0; k < count; ++k) to[k] = weights[k] / sum;
        weights += count;
        to += count;
    }
}

void Plan::need(std::vector<std::uint8_t>& needs, std::size_t column, std::uint8_t as) {
    if (column >= needs.size()) needs.resize(column + 1, 0);
    needs[column] |= as;
}

void Plan::make_shortcuts(Progress& progress) {
    std::vector<std::uint32_t> n_below(nodes.size(), 1);
    shortcuts.make_room(nodes.size());
    for (std::size_t i = nodes.size(); i-- > 0;) {
        if (i % kNodesPerCheck == 0) progress.check(true);
        if (routes[i].n_branches == 0) continue;
        const auto first = n_below.begin() + nodes[i].first_child;
        n_below[i] = std::accumulate(first, first + routes[i].n_branches, 1U);
        const auto branch = static_cast<std::uint32_t>(
            std::max_element(first, first + routes[i].n_branches) - first);
        const auto node = static_cast<std::uint32_t>(i);
        shortcuts.lead(node, nodes[i].first_child + branch,
                       values_of(node, static_cast<int>(branch)));
    }
}

Plan::Kind Plan::ask(const TreeView& tree, std::size_t node, Node& out) {
    if (tree.kind[node] == 2) {
        out.whole = add_categories(tree, node);
        return categories;
    }
    out.whole = static_cast<std::int64_t>(slices.size());
    if (tree.kind[node] == 4) {
        slices.push_back({static_cast<std::size_t>(tree.term_offset[node]),
                          static_cast<std::size_t>(tree.term_count[node]), tree.threshold[node]});
        return linear;
    }
    const auto start = static_cast<std::size_t>(tree.cut_offset[node]);
    slices.push_back({start, static_cast<std::size_t>(tree.cut_count[node]), 0.0});
    return std::isnan(cuts.real[start]) ? whole_intervals : real_intervals;
}

std::int64_t Plan::add_categories(const TreeView& tree, std::size_t node) {
    const auto begin = static_cast<std::size_t>(tree.code_offset[node]);
    const auto count = static_cast<std::size_t>(tree.code_count[node]);
    const std::int32_t n_branches = tree.n_branches[node];
    const std::int32_t rest_branch = tree.rest_branch[node];
    const auto* codes = tree.code.data() + begin;
    const auto* branches = tree.branch_of_code.data() + begin;
    const std::size_t reach = count == 0 ? 0 : static_cast<std::size_t>(codes[count - 1]) + 1;
    // A table costs two bits a code or more; a search costs a cache miss or two at every step.
    if (reach > 32 * count + 512 || reach >> kReachBits != 0 || n_branches >= 0xffff ||
        rest_branch >= 0) {
        code_lists.push_back({listed_codes.size(), count, rest_branch});
        listed_codes.insert(listed_codes.end(), codes, codes + count);
        listed_branches.insert(listed_branches.end(), branches, branches + count);
        return -static_cast<std::int64_t>(code_lists.size());
    }
    std::uint64_t width = 1;
    while (n_branches >= 1 << (1U << width)) ++width;
    const std::size_t start = branch_bits.size();
    branch_bits.resize(start + (((reach << width) + 63) >> 6), 0);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t bit = static_cast<std::size_t>(codes[i]) << width;
        branch_bits[start + (bit >> 6)] |= static_cast<std::uint64_t>(branches[i] + 1)
                                           << (bit & 63);
    }
    return static_cast<std::int64_t>((start << kReachBits | reach) << kWidthBits | width);
}

}  // namespace treewright::tree
