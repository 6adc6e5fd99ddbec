/// A chosen split becomes a question of the tree, and its branches become nodes.
#include "treewright/grow/growth.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>

#include "treewright/base/random.hpp"
#include "treewright/criteria/regression_impurity.hpp"
#include "treewright/grow/question.hpp"
#include "treewright/tree/question.hpp"

namespace treewright::grow {

bool Growth::split(Open& open, split::Candidate& winner, Workspace& ws, bool shared,
                   Fragment& fragment, std::vector<Open>& children, std::uint32_t only) {
    ws.finder->locate(context_of(open), winner);
    const data::Column& column = data.columns[winner.column];
    if (options.empty_branches && options.nominal == split::Nominal::multiway)
        declare_branches(winner, column, *open.block);
    const std::size_t n_branches = winner.n_branches;
    const std::size_t width = ws.finder->width();
    look_up(open.size());
    route_known(open, winner, ws);
    look_up(open.size());
    sum_branches(open, n_branches, width, ws);
    look_up(open.size());
    std::uint32_t heaviest = heaviest_branch(n_branches, width, ws);
    if (options.as_rpart && n_branches == 2 && !data.case_weight.empty()) {
        const std::span<const std::uint32_t> rows(ws.rows);
        heaviest = case_weight_of(*open.block, rows.subspan(ws.counts[0], ws.counts[1])) >
                           case_weight_of(*open.block, rows.first(ws.counts[0]))
                       ? 1
                       : 0;
    }
    const bool settles_missing = !options.missing.divides;
    if (settles_missing && winner.missing_branch < 0)
        winner.missing_branch = static_cast<std::int32_t>(heaviest);

    // Rows without a value that had a say in the gain have one in its significance.
    if (options.missing.is_judged) settle_missing(open, winner, ws, fragment);
    if (options.max_p_value < 1.0 &&
        ws.finder->p_value(ws.branch_sums.data(), n_branches, sum_of_squares(open, ws)) >
            options.max_p_value)
        return false;
    std::vector<missing::FoundSurrogate> surrogates;
    if (options.missing.uses_surrogates) surrogates = find_surrogates(open, winner, ws);

    tree::TreeNode& node = fragment.nodes[open.node];
    node.kind = static_cast<std::int8_t>(winner.question);
    node.column = static_cast<std::int32_t>(winner.column);
    node.n_branches = static_cast<std::int32_t>(n_branches);
    node.first_child = static_cast<std::int32_t>(fragment.nodes.size());
    node.missing_branch = winner.missing_branch;
    node.gain = winner.gain;
    node.score = winner.score;
    if (winner.question == split::Question::cut) {
        place_threshold(winner, column, *open.block, bins[winner.column], options, node.threshold,
                        node.threshold_int);
    } else if (winner.question == split::Question::intervals) {
        const tree::Cuts cuts = cuts_of(winner, column, *open.block, bins[winner.column], options);
        node.cut_offset = append_cuts(fragment.cuts, cuts);
        node.cut_count = static_cast<std::int32_t>(cuts.real.size());
    } else if (winner.question == split::Question::sum) {
        node.threshold = winner.sum_threshold;
        node.term_offset = fragment.terms.append(winner.terms);
        node.term_count = static_cast<std::int32_t>(winner.terms.size());
    } else {
        const tree::CodeBranches branches = branches_of(winner, column, *open.block);
        node.code_offset = append_branches(fragment.branches, branches);
        node.rest_branch = winner.has_rest ? 1 : -1;
        node.code_count = static_cast<std::int32_t>(branches.code.size());
    }
    for (missing::FoundSurrogate& found : surrogates) {
        if (found.surrogate.is_cut)
            place_between(
                data.columns[found.surrogate.column],
                {open.block->table_row[found.row_below], open.block->table_row[found.row_above]},
                options, found.surrogate.threshold, found.surrogate.threshold_int);
        node.surrogates.push_back(std::move(found.surrogate));
    }
    open_children(open, winner, ws, shared, fragment, children, only);
    // In prediction rpart goes by the rows of the branches, not by those that knew the value.
    if (options.as_rpart && n_branches == 2)
        fragment.nodes[open.node].missing_branch = ws.counts[1] > ws.counts[0] ? 1 : 0;
    return true;
}

void Growth::open_children(Open& open, const split::Candidate& winner, Workspace& ws, bool shared,
                           Fragment& fragment, std::vector<Open>& children, std::uint32_t only) {
    const std::size_t n_branches = winner.n_branches;
    // Branches for declared values can multiply beyond any memory.
    if (n_nodes.fetch_add(n_branches, std::memory_order_relaxed) + n_branches > options.most_nodes)
        throw std::bad_alloc();
    const std::size_t first_child = fragment.nodes.size();
    fragment.nodes.resize(first_child + n_branches);
    fragment.leaf_range.resize(first_child + n_branches);
    for (std::size_t b = 0; b < n_branches; ++b)
        fragment.nodes[first_child + b].parent = static_cast<std::int32_t>(open.node);
    if (options.missing.divides && !ws.missing_rows.empty()) {
        open_divided(open, winner, ws, fragment, children, only, first_child);
        return;
    }
    settle_missing(open, winner, ws, fragment);

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
        look_up(rows.size());
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
            look_up(rows.size());
            lay_grid(open, child, rows, ws);
        } else if (only == kAllBranches && !rows.empty()) {
            record_leaf(node, *open.block, rows, fragment);
        }
        at += ws.counts[b];
    }
    look_up(open.size());
    if (children.size() > first_open)
        partition(open, winner, ws, shared, first_child, std::span(children).subspan(first_open));
}

void Growth::settle_missing(const Open& open, const split::Candidate& winner, Workspace& ws,
                            const Fragment& fragment) const {
    if (ws.missing_rows.empty() || ws.missing_settled) return;
    ws.missing_settled = true;
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
    for (std::size_t b = 0; b < winner.n_branches; ++b) offset[b + 1] = offset[b] + ws.counts[b];
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

void Growth::open_divided(const Open& open, const split::Candidate& winner, Workspace& ws,
                          Fragment& fragment, std::vector<Open>& children, std::uint32_t only,
                          std::size_t first_child) {
    const std::size_t width = ws.finder->width();
    double known_weight = 0.0;
    for (std::size_t b = 0; b < winner.n_branches; ++b)
        known_weight += ws.branch_sums[b * width + criteria::kWeight];
    const std::vector<std::uint32_t> known_rows = ws.rows;
    std::size_t at = 0;
    for (std::size_t b = 0; b < winner.n_branches; ++b) {
        std::vector<std::uint32_t> rows(
            known_rows.begin() + static_cast<std::ptrdiff_t>(at),
            known_rows.begin() + static_cast<std::ptrdiff_t>(at + ws.counts[b]));
        at += ws.counts[b];
        std::vector<double> shares(rows.size(), 1.0);
        const double share = ws.branch_sums[b * width + criteria::kWeight] / known_weight;
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
        look_up(open.size());
        child.block = extract(*open.block, open.begin, open.end, *open.columns, rows, shares,
                              data.target.n_outputs, options.block.wide, ws.new_row);
        child.end = child.block->n_rows;
        std::iota(rows.begin(), rows.end(), 0U);
        ws.finder->add(child.total.data(), *child.block, rows);
        look_up(open.size());
        lay_grid(open, child, rows, ws);
        child.is_settled = is_settled(*child.block, rows, child.total.data(), *ws.finder);
        note(fragment, child.node, *child.block, rows, child.lower, child.upper);
        count_missing(open, child);
        if (only == b || (only == kAllBranches && may_split(child)))
            children.push_back(std::move(child));
        else if (only == kAllBranches) record_leaf(child.node, *child.block, rows, fragment);
    }
}

void Growth::lay_grid(const Open& open, Open& child, std::span<const std::uint32_t> rows,
                      Workspace& ws) const {
    if (data.target.is_classification()) return;
    child.grid = open.grid;
    if (!gridding.refine(*child.block, rows, child.grid)) return;
    std::fill(child.total.begin(), child.total.end(), 0.0);
    ws.finder->add(child.total.data(), *child.block, rows);
}

double Growth::between_branches(const Open& open, const Workspace& ws) const {
    if (criterion.is_additive) {
        const double* sums = ws.branch_sums.data();
        const double low = ws.finder->level_of(sums);
        return off_grid(open.grid, (low + ws.finder->level_of(sums + ws.finder->width())) / 2.0);
    }
    const auto median = [&](std::size_t begin, std::size_t n_rows) {
        std::vector<std::pair<double, double>> pairs;
        for (const std::uint32_t row : std::span(ws.rows).subspan(begin, n_rows))
            pairs.emplace_back(data.target.values[open.block->table_row[row]],
                               open.block->weight_of(row));
        return criteria::median_of(pairs).median;
    };
    const double low = median(0, ws.counts[0]);
    return low + (median(ws.counts[0], ws.counts[1]) - low) / 2.0;
}

void Growth::bound_child(const Open& open, const split::Candidate& winner, const Workspace& ws,
                         std::size_t b, double& lower, double& upper) const {
    // A missing value is neither low nor high: whether one is known sets no bound.
    if (options.monotonic.empty() || winner.question != split::Question::cut || b > 1 ||
        winner.is_open)
        return;
    const int direction = options.monotonic[winner.column];
    if (direction == 0) return;
    // Missing values may move the midpoint out of the node's own bounds.
    const double bound = std::clamp(between_branches(open, ws), open.lower, open.upper);
    const bool is_lower = (direction > 0) == (b == 0);
    if (is_lower) upper = bound;
    else lower = bound;
}

}  // namespace treewright::grow
