#include "treewright/tree/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "treewright/base/error.hpp"
#include "treewright/base/parallel.hpp"
#include "treewright/grow/question.hpp"

namespace treewright {
namespace {

constexpr std::size_t kInFlight = 16;  // rows whose loads overlap
constexpr std::size_t kRowsPerTask = 4096;
constexpr std::uint32_t kUnsettled = 1U << 31;  // flag on a node: only a walk from it can tell

}  // namespace

Plan::Plan(const Tree& tree, std::vector<std::int32_t> unseen_of_node,
           std::vector<std::uint32_t> classes)
    : n_classes(std::move(classes)), answer_width(tree.width) {
    const std::size_t n = tree.nodes.size();
    require(n > 0 && n < (std::size_t{1} << 31), "number of nodes");
    std::vector<std::uint32_t> level(n, 0);
    std::vector<std::uint32_t> packed(n, 0);
    tree_node.reserve(n);
    tree_node.push_back(0);
    for (std::size_t i = 0; i < tree_node.size(); ++i) {  // breadth-first
        const TreeNode& node = tree.nodes[tree_node[i]];
        for (std::int32_t b = 0; b < node.n_branches; ++b) {
            const auto child = static_cast<std::uint32_t>(node.first_child + b);
            packed[child] = static_cast<std::uint32_t>(tree_node.size());
            level[child] = level[tree_node[i]] + 1;
            depth = std::max(depth, level[child]);
            tree_node.push_back(child);
        }
    }
    require(tree_node.size() == n, "every node has one parent");
    const bool any_surrogates =
        std::any_of(tree.nodes.begin(), tree.nodes.end(),
                    [](const TreeNode& node) { return !node.surrogates.empty(); });
    if (any_surrogates) surrogates.resize(n);
    answer.resize(n * answer_width);
    raw.resize(n_classes.empty() ? 0 : n * answer_width);
    for (std::size_t i = 0; i < n; ++i) {
        const TreeNode& node = tree.nodes[tree_node[i]];
        Node out{};
        out.first_child = static_cast<std::uint32_t>(i);
        out.threshold = std::numeric_limits<double>::infinity();
        std::uint32_t kind = leaf;
        if (node.n_branches > 0) {
            out.first_child = packed[static_cast<std::size_t>(node.first_child)];
            if (node.kind == 2) {
                kind = categories;
                out.whole = static_cast<std::int64_t>(code_tables.size());
                add_code_table(tree, node);
            } else if (std::isnan(node.threshold)) {
                kind = whole_cut;
                out.whole = node.threshold_int;
            } else {
                kind = real_cut;
                out.threshold = node.threshold;
            }
            only_real_cuts = only_real_cuts && kind == real_cut && node.n_branches == 2;
        }
        const auto column = static_cast<std::uint32_t>(std::max(node.column, 0));
        if (node.n_branches > 0) used_columns.push_back(column);
        out.column_and_kind = column << 2 | kind;
        nodes.push_back(out);
        n_branches.push_back(static_cast<std::uint32_t>(node.n_branches));
        missing_branch.push_back(node.missing_branch);
        unseen_branch.push_back(unseen_of_node[tree_node[i]]);
        weight.push_back(node.weight);
        if (any_surrogates) surrogates[i] = node.surrogates;

        std::uint32_t from = tree_node[i];  // an empty node answers as the nearest one above
        while (!n_classes.empty() && tree.nodes[from].weight <= 0.0 && tree.nodes[from].parent >= 0)
            from = static_cast<std::uint32_t>(tree.nodes[from].parent);
        const double* value = tree.value.data() + from * answer_width;
        double* to = answer.data() + i * answer_width;
        if (n_classes.empty()) {
            std::copy(value, value + answer_width, to);
            continue;
        }
        std::copy(value, value + answer_width, raw.data() + i * answer_width);
        std::size_t start = 0;
        for (const std::uint32_t count : n_classes) {
            double sum = 0.0;
            for (std::size_t k = start; k < start + count; ++k) sum += value[k];
            for (std::size_t k = start; k < start + count; ++k) to[k] = value[k] / sum;
            start += count;
        }
    }
    std::sort(used_columns.begin(), used_columns.end());
    used_columns.erase(std::unique(used_columns.begin(), used_columns.end()), used_columns.end());
}

void Plan::add_code_table(const Tree& tree, const TreeNode& node) {
    const auto begin = static_cast<std::size_t>(node.code_offset);
    const auto count = static_cast<std::size_t>(node.code_count);
    const auto* codes = tree.branches.code.data() + begin;
    const auto* branches = tree.branches.branch.data() + begin;
    const std::size_t reach = count == 0 ? 0 : static_cast<std::size_t>(codes[count - 1]) + 1;
    // A table costs two bytes a code; a search costs a cache miss or two at every step.
    if (reach > 32 * count + 512 || node.n_branches > 0x7fff) {
        code_tables.push_back(
            {sparse_codes.size(), static_cast<std::uint32_t>(count), true, node.rest_branch});
        sparse_codes.insert(sparse_codes.end(), codes, codes + count);
        sparse_branches.insert(sparse_branches.end(), branches, branches + count);
        return;
    }
    code_tables.push_back(
        {dense_branches.size(), static_cast<std::uint32_t>(reach), false, node.rest_branch});
    dense_branches.resize(dense_branches.size() + reach, -1);
    for (std::size_t i = 0; i < count; ++i)
        dense_branches[code_tables.back().start + static_cast<std::size_t>(codes[i])] =
            static_cast<std::int16_t>(branches[i]);
}

std::int32_t Plan::branch_in(const CodeTable& table, std::int64_t code) const {
    if (code < 0) return -1;
    std::int32_t branch = -1;
    if (table.is_sparse)
        branch = branch_of_code(std::span(sparse_codes).subspan(table.start, table.n),
                                std::span(sparse_branches).subspan(table.start, table.n), code);
    else if (code < static_cast<std::int64_t>(table.n))
        branch = dense_branches[table.start + static_cast<std::size_t>(code)];
    return branch >= 0 ? branch : table.rest_branch;
}

/// Branch of a row at a node; -1 = all branches.
int Plan::branch_of(const Rows& rows, std::size_t row, std::uint32_t i) const {
    const Node& node = nodes[i];
    const std::uint32_t kind = node.column_and_kind & 3;
    const Column& column = rows.columns[node.column_and_kind >> 2];
    bool missing = false;
    if (kind == real_cut) {
        const double x = column.real(row);
        if (!std::isnan(x)) return x > node.threshold ? 1 : 0;
        missing = true;
    } else if (kind == whole_cut) {
        missing = column.is_missing(row);
        const std::int64_t x = column.whole(row);
        if (!missing && !(column.type == ValueType::code && x < 0)) return x > node.whole ? 1 : 0;
        missing = missing && !(column.type == ValueType::code && x == kUnseenCode);
    } else {
        const std::int64_t code = column.whole(row);
        missing = code == kMissingCode;
        const std::int32_t branch =
            branch_in(code_tables[static_cast<std::size_t>(node.whole)], code);
        if (branch >= 0) return branch;
    }
    if (!surrogates.empty())
        for (const Surrogate& surrogate : surrogates[i]) {
            const int branch = surrogate_branch(surrogate, rows.columns[surrogate.column], row);
            if (branch >= 0) return branch;
        }
    return missing ? missing_branch[i] : unseen_branch[i];
}

/// Calls visit(node, share, is_leaf) for every node the row passes from `start` on, parents first.
template <class Visitor>
void Plan::walk(const Rows& rows, std::size_t row, std::uint32_t start, std::vector<Visit>& stack,
                Visitor&& visit) const {
    stack.assign(1, Visit{start, 1.0});
    while (!stack.empty()) {
        const Visit here = stack.back();
        stack.pop_back();
        const bool is_leaf = n_branches[here.node] == 0;
        visit(here.node, here.share, is_leaf);
        if (is_leaf) continue;
        const std::uint32_t first = nodes[here.node].first_child;
        const int branch = branch_of(rows, row, here.node);
        if (branch >= 0) {
            stack.push_back({first + static_cast<std::uint32_t>(branch), here.share});
            continue;
        }
        double all = 0.0;
        for (std::uint32_t b = 0; b < n_branches[here.node]; ++b) all += weight[first + b];
        for (std::uint32_t b = n_branches[here.node]; b-- > 0;)
            if (weight[first + b] > 0.0)
                stack.push_back({first + b, here.share * (weight[first + b] / all)});
    }
}

/// Only cuts on a float matrix: several rows step together, no branch on the data. A missing value
/// compares as "not above" and is remembered; such rows are walked again, slowly.
template <class T>
void Plan::find_leaves(const Rows& rows, std::size_t begin, std::size_t end,
                       std::vector<std::uint32_t>& found) const {
    const Column* columns = rows.columns.data();
    const std::byte* base = columns[0].data;
    const std::ptrdiff_t row_stride = columns[0].stride;
    const std::ptrdiff_t column_stride =
        rows.columns.size() > 1 ? columns[1].data - columns[0].data : 0;
    for (std::size_t first = begin; first < end; first += kInFlight) {
        const std::size_t n = std::min(kInFlight, end - first);
        std::uint32_t at[kInFlight] = {};
        bool missing[kInFlight] = {};
        const std::byte* data[kInFlight];
        for (std::size_t r = 0; r < kInFlight; ++r)
            data[r] = base + static_cast<std::ptrdiff_t>(first + std::min(r, n - 1)) * row_stride;
        for (std::uint32_t step = 0; step < depth; ++step) {
            std::uint32_t moved = 0;
            for (std::size_t r = 0; r < kInFlight; ++r) {
                const Node& node = nodes[at[r]];
                const auto column = static_cast<std::ptrdiff_t>(node.column_and_kind >> 2);
                const double x = *reinterpret_cast<const T*>(data[r] + column * column_stride);
                missing[r] |= x != x;
                const std::uint32_t next =
                    node.first_child + static_cast<std::uint32_t>(x > node.threshold);
                moved |= next ^ at[r];
                at[r] = next;
            }
            if (moved == 0) break;
        }
        for (std::size_t r = 0; r < n; ++r)
            found.push_back(missing[r] ? kUnsettled : at[r]);  // walked from the root
    }
}

/// Leaf of each row, kUnsettled where only a walk can tell.
void Plan::leaves_of(const Rows& rows, std::size_t begin, std::size_t end,
                     std::vector<std::uint32_t>& found) const {
    found.clear();
    const auto& columns = rows.columns;
    bool matrix = only_real_cuts && !columns.empty() && columns[0].is_real();
    const std::ptrdiff_t gap = columns.size() > 1 ? columns[1].data - columns[0].data : 0;
    for (std::size_t j = 0; j < columns.size() && matrix; ++j)
        matrix = columns[j].type == columns[0].type && columns[j].stride == columns[0].stride &&
                 columns[j].data - columns[0].data == static_cast<std::ptrdiff_t>(j) * gap;
    if (matrix) {
        if (columns[0].type == ValueType::f32) find_leaves<float>(rows, begin, end, found);
        else find_leaves<double>(rows, begin, end, found);
        return;
    }
    step_together(rows, begin, end, found);
}

/// Any columns: the values of a few rows are gathered first, since each column is an array of its
/// own, and the rows then step together. Values that do not settle a branch by themselves (missing,
/// unseen) are looked up one by one.
void Plan::step_together(const Rows& rows, std::size_t begin, std::size_t end,
                         std::vector<std::uint32_t>& found) const {
    union Cell {
        double real;
        std::int64_t whole;
    };
    const std::size_t n_columns = rows.columns.size();
    std::vector<Cell> cells(kInFlight * n_columns);
    std::vector<char> absent(kInFlight * n_columns, 0);
    for (std::size_t first = begin; first < end; first += kInFlight) {
        const std::size_t n = std::min(kInFlight, end - first);
        for (const std::uint32_t c : used_columns) {
            const Column& column = rows.columns[c];
            for (std::size_t r = 0; r < n; ++r) {
                Cell& cell = cells[r * n_columns + c];
                if (column.is_real()) cell.real = column.real(first + r);
                else cell.whole = column.whole(first + r);
                absent[r * n_columns + c] = column.is_missing(first + r) ? 1 : 0;
            }
        }
        std::uint32_t at[kInFlight] = {};
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t r = 0; r < n; ++r) {
                const std::uint32_t i = at[r];
                if ((i & kUnsettled) != 0 || n_branches[i] == 0) continue;
                const Node& node = nodes[i];
                const std::size_t where = r * n_columns + (node.column_and_kind >> 2);
                const std::uint32_t kind = node.column_and_kind & 3;
                int branch = -1;
                if (absent[where] == 0) {
                    if (kind == real_cut) branch = cells[where].real > node.threshold ? 1 : 0;
                    else if (kind == whole_cut) branch = cells[where].whole > node.whole ? 1 : 0;
                    else
                        branch = branch_in(code_tables[static_cast<std::size_t>(node.whole)],
                                           cells[where].whole);
                }
                if (branch < 0) branch = branch_of(rows, first + r, i);
                at[r] = branch < 0 ? (i | kUnsettled)
                                   : node.first_child + static_cast<std::uint32_t>(branch);
                moved = true;
            }
        }
        found.insert(found.end(), at, at + n);
    }
}

void Plan::combine_leaves(const Rows& rows, std::size_t row, std::uint32_t start, Combine combine,
                          std::vector<Visit>& stack, double* out) const {
    std::fill(out, out + answer_width, 0.0);
    const bool counts = combine == Combine::leaf_counts;
    double sum = 0.0;
    walk(rows, row, start, stack, [&](std::uint32_t node, double share, bool is_leaf) {
        if (!is_leaf) return;
        // A leaf without training rows has no counts to add.
        const double part =
            counts ? (n_classes.empty() ? weight[node] : (weight[node] > 0.0 ? 1.0 : 0.0)) : share;
        const double* from = (counts && !n_classes.empty() ? raw : answer).data() +
                             static_cast<std::size_t>(node) * answer_width;
        sum += part;
        for (std::size_t k = 0; k < answer_width; ++k) out[k] += part * from[k];
    });
    if (counts && sum <= 0.0) {  // only empty leaves reached
        combine_leaves(rows, row, start, Combine::branch_fractions, stack, out);
        return;
    }
    if (n_classes.empty()) {
        for (std::size_t k = 0; k < answer_width; ++k) out[k] /= sum;
        return;
    }
    std::size_t begin = 0;
    for (const std::uint32_t count : n_classes) {
        double all = 0.0;
        for (std::size_t k = begin; k < begin + count; ++k) all += out[k];
        for (std::size_t k = begin; k < begin + count; ++k) out[k] /= all;
        begin += count;
    }
}

void Plan::predict_range(const Rows& rows, Combine combine, std::size_t begin, std::size_t end,
                         double* out) const {
    std::vector<std::uint32_t> found;
    found.reserve(end - begin);
    std::vector<Visit> stack;
    leaves_of(rows, begin, end, found);
    for (std::size_t row = begin; row < end; ++row) {
        double* to = out + row * answer_width;
        const std::uint32_t at = found[row - begin];
        if ((at & kUnsettled) != 0) {
            combine_leaves(rows, row, at & ~kUnsettled, combine, stack, to);
            continue;
        }
        const double* from = answer.data() + static_cast<std::size_t>(at) * answer_width;
        std::copy(from, from + answer_width, to);
    }
}

void Plan::predict(const Rows& rows, Combine combine, std::size_t n_threads,
                   std::span<double> out) const {
    const std::size_t n_tasks = (rows.n_rows + kRowsPerTask - 1) / kRowsPerTask;
    Team team(std::min(n_threads, n_tasks));
    team.for_each(n_tasks, [&](std::size_t task, std::size_t) {
        const std::size_t begin = task * kRowsPerTask;
        predict_range(rows, combine, begin, std::min(begin + kRowsPerTask, rows.n_rows),
                      out.data());
    });
}

void Plan::apply(const Rows& rows, std::size_t n_threads, std::span<std::int64_t> out) const {
    const std::size_t n_tasks = (rows.n_rows + kRowsPerTask - 1) / kRowsPerTask;
    Team team(std::min(n_threads, n_tasks));
    team.for_each(n_tasks, [&](std::size_t task, std::size_t) {
        const std::size_t begin = task * kRowsPerTask;
        const std::size_t end = std::min(begin + kRowsPerTask, rows.n_rows);
        std::vector<std::uint32_t> found;
        std::vector<Visit> stack;
        leaves_of(rows, begin, end, found);
        for (std::size_t row = begin; row < end; ++row) {
            std::uint32_t at = found[row - begin];
            if ((at & kUnsettled) != 0) {
                double most = -1.0;
                walk(rows, row, at & ~kUnsettled, stack,
                     [&](std::uint32_t node, double share, bool is_leaf) {
                         if (!is_leaf || share <= most) return;
                         most = share;
                         at = node;
                     });
            }
            out[row] = tree_node[at];
        }
    });
}

std::vector<std::int64_t> Plan::paths(const Rows& rows, std::vector<std::int64_t>& start) const {
    std::vector<std::int64_t> visited;
    std::vector<Visit> stack;
    start.assign(1, 0);
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        walk(rows, row, 0, stack,
             [&](std::uint32_t node, double, bool) { visited.push_back(tree_node[node]); });
        start.push_back(static_cast<std::int64_t>(visited.size()));
    }
    return visited;
}

}  // namespace treewright
