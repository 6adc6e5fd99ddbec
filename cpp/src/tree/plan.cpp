// Long because compiling a tree and asking the result share one form of a node.
#include "treewright/tree/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "treewright/base/error.hpp"
#include "treewright/base/parallel.hpp"
#include "treewright/tree/question.hpp"

namespace treewright::tree {
namespace {

/// A task should take milliseconds, also where rows are divided among hundreds of leaves.
constexpr std::size_t kRowsPerTask = 1024;
constexpr std::size_t kRowsPerThread = 4096;  // fewer do not pay for starting one
/// Nodes between two checks for an interrupt.
constexpr std::size_t kNodesPerCheck = 1 << 12;

/// A list of unknown length, in pieces: one vector that grows would be copied as a whole now and
/// then, for longer than Ctrl-C should wait.
template <class T>
class Pieces {
public:
    [[nodiscard]] std::size_t size() const { return n; }
    void push_back(T value) {
        if (n % kPiece == 0) pieces.emplace_back().reserve(kPiece);
        pieces.back().push_back(value);
        ++n;
    }
    /// The list as one; the pieces are gone then.
    [[nodiscard]] std::vector<T> joined(Progress& progress) {
        std::vector<T> all;
        all.reserve(n);
        for (std::vector<T>& piece : pieces) {
            progress.check(true);
            all.insert(all.end(), piece.begin(), piece.end());
            std::vector<T>().swap(piece);
        }
        return all;
    }

private:
    static constexpr std::size_t kPiece = 1 << 18;
    std::vector<std::vector<T>> pieces;
    std::size_t n = 0;
};

}  // namespace

Plan::Plan(const Tree& tree, std::vector<std::int32_t> unseen_of_node,
           std::vector<std::uint32_t> classes, Progress& progress)
    : Plan(tree, std::move(unseen_of_node), std::move(classes), tree.width, progress) {}

Plan::Plan(const Tree& tree, std::vector<std::int32_t> unseen_of_node, Progress& progress)
    : Plan(tree, std::move(unseen_of_node), {}, 0, progress) {}

Plan::Plan(const Tree& tree, std::vector<std::int32_t> unseen_of_node,
           std::vector<std::uint32_t> classes, std::size_t width, Progress& progress)
    : cuts(tree.cuts), terms(tree.terms), n_classes(std::move(classes)), answer_width(width) {
    const std::size_t n = tree.nodes.size();
    require(n > 0 && n < (std::size_t{1} << 31), "number of nodes");
    require(unseen_of_node.size() == n && tree.value.size() == n * tree.width,
            "an unseen branch and a line of values for every node");
    require(n_classes.empty() ||
                std::accumulate(n_classes.begin(), n_classes.end(), std::size_t{0}) == width,
            "a value for every class");
    std::vector<std::uint32_t> level(n, 0);
    std::vector<std::uint32_t> packed(n, 0);
    tree_node.reserve(n);
    tree_node.push_back(0);
    for (std::size_t i = 0; i < tree_node.size(); ++i) {  // breadth-first
        if (i % kNodesPerCheck == 0) progress.check(true);
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
    std::vector<char> is_used;  // by column
    for (std::size_t i = 0; i < n; ++i) {
        if (i % kNodesPerCheck == 0) progress.check(true);
        const TreeNode& node = tree.nodes[tree_node[i]];
        Node out{};
        out.first_child = static_cast<std::uint32_t>(i);
        out.threshold = std::numeric_limits<double>::infinity();
        Kind kind = leaf;
        if (node.n_branches > 0) {
            out.first_child = packed[static_cast<std::size_t>(node.first_child)];
            ask(tree, node, out, kind);
            only_real_cuts = only_real_cuts && kind == real_cut && node.n_branches == 2;
        }
        const auto column = static_cast<std::uint32_t>(std::max(node.column, 0));
        if (node.n_branches > 0) {
            if (column >= is_used.size()) is_used.resize(column + 1, 0);
            is_used[column] = 1;
            for (std::int32_t i = 0; i < node.term_count; ++i)
                need(static_cast<std::size_t>(
                         terms.column[static_cast<std::size_t>(node.term_offset + i)]),
                     any);
            need(column, kind == linear                               ? any
                         : kind == real_cut || kind == real_intervals ? real
                                                                      : whole);
            for (const Surrogate& surrogate : node.surrogates)
                need(surrogate.column, surrogate.is_cut ? any : whole);
        }
        out.column_and_kind = column << kKindBits | kind;
        nodes.push_back(out);
        n_branches.push_back(static_cast<std::uint32_t>(node.n_branches));
        missing_branch.push_back(node.missing_branch);
        unseen_branch.push_back(unseen_of_node[tree_node[i]]);
        weight.push_back(node.weight);
        if (any_surrogates) surrogates[i] = node.surrogates;

        // An empty node without a class of its own predicts as its nearest ancestor that has one.
        const auto is_silent = [&](std::uint32_t at) {
            const double* line = tree.value.data() + std::size_t{at} * answer_width;
            return tree.nodes[at].weight <= 0.0 && tree.nodes[at].parent >= 0 &&
                   std::all_of(line, line + answer_width, [](double w) { return w <= 0.0; });
        };
        std::uint32_t from = tree_node[i];
        while (!n_classes.empty() && is_silent(from))
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
    share.assign(n, 1.0);
    for (std::size_t i = 0; i < n; ++i) {
        if (i % kNodesPerCheck == 0) progress.check(true);
        const std::size_t first = nodes[i].first_child;
        double all = 0.0;
        for (std::uint32_t b = 0; b < n_branches[i]; ++b) all += weight[first + b];
        for (std::uint32_t b = 0; b < n_branches[i]; ++b)
            share[first + b] = weight[first + b] / all;
    }
    for (std::uint32_t column = 0; column < is_used.size(); ++column)
        if (is_used[column] != 0) used_columns.push_back(column);
    if (mean_depth() > Shortcuts::kDeep) make_shortcuts(progress);
}

void Plan::need(std::size_t column, Need as) {
    if (column >= needs.size()) needs.resize(column + 1, 0);
    needs[column] |= as;
}

void Plan::require_columns(const Rows& rows) const {
    require(rows.columns.size() >= needs.size(), "every column that the tree asks about");
    for (std::size_t column = 0; column < needs.size(); ++column) {
        const bool is_real = rows.columns[column].is_real();
        require((needs[column] & (is_real ? whole : real)) == 0,
                "columns of the types asked about");
    }
}

double Plan::mean_depth() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < nodes.size(); ++i) sum += n_branches[i] > 0 ? weight[i] : 0.0;
    return sum / weight[0];
}

void Plan::make_shortcuts(Progress& progress) {
    std::vector<std::uint32_t> n_below(nodes.size(), 1);
    shortcuts.make_room(nodes.size());
    for (std::size_t i = nodes.size(); i-- > 0;) {
        if (i % kNodesPerCheck == 0) progress.check(true);
        if (n_branches[i] == 0) continue;
        const auto first = n_below.begin() + nodes[i].first_child;
        n_below[i] = std::accumulate(first, first + n_branches[i], 1U);
        const auto branch =
            static_cast<std::uint32_t>(std::max_element(first, first + n_branches[i]) - first);
        const auto node = static_cast<std::uint32_t>(i);
        shortcuts.lead(node, nodes[i].first_child + branch,
                       values_of(node, static_cast<int>(branch)));
    }
}

std::optional<Shortcuts::Stay> Plan::values_of(std::uint32_t node, int branch) const {
    const Node& asked = nodes[node];
    const Kind kind = kind_of(asked);
    Shortcuts::Stay out;
    out.column = column_of(asked);
    if (kind == real_cut || kind == whole_cut) {
        (branch == 0 ? out.up_to : out.above) =
            kind == real_cut ? Shortcuts::key(asked.threshold) : asked.whole;
        return out;
    }
    if (kind != categories || asked.whole >= 0) return std::nullopt;
    const CodeList& list = code_lists[static_cast<std::size_t>(-1 - asked.whole)];
    if (list.rest_branch != branch) return std::nullopt;
    out.above = -1;
    for (std::size_t i = list.start; i < list.start + list.n; ++i)
        if (listed_branches[i] != branch) out.leaving.push_back(listed_codes[i]);
    return out;
}

void Plan::ask(const Tree& tree, const TreeNode& node, Node& out, Kind& kind) {
    if (node.kind == 2) {
        kind = categories;
        out.whole = add_categories(tree, node);
        return;
    }
    const bool is_whole = std::isnan(node.threshold);
    if (node.kind == 1) {
        kind = is_whole ? whole_cut : real_cut;
        if (is_whole) out.whole = node.threshold_int;
        else out.threshold = node.threshold;
        return;
    }
    const bool is_sum = node.kind == 4;
    kind = is_sum ? linear : real_intervals;
    out.whole = static_cast<std::int64_t>(slices.size());
    if (is_sum)
        slices.push_back({static_cast<std::size_t>(node.term_offset),
                          static_cast<std::size_t>(node.term_count), node.threshold});
    else {
        const auto start = static_cast<std::size_t>(node.cut_offset);
        if (std::isnan(cuts.real[start])) kind = whole_intervals;
        slices.push_back({start, static_cast<std::size_t>(node.cut_count), 0.0});
    }
}

double Plan::sum_of(const Rows& rows, std::size_t row, const Node& node) const {
    const Slice& slice = slices[static_cast<std::size_t>(node.whole)];
    const auto coefficients = std::span(terms.coefficient).subspan(slice.start, slice.n);
    return data::add_terms(coefficients, [&](std::size_t i) {
        return rows.columns[static_cast<std::size_t>(terms.column[slice.start + i])].number(row);
    });
}

std::int64_t Plan::add_categories(const Tree& tree, const TreeNode& node) {
    const auto begin = static_cast<std::size_t>(node.code_offset);
    const auto count = static_cast<std::size_t>(node.code_count);
    const auto* codes = tree.branches.code.data() + begin;
    const auto* branches = tree.branches.branch.data() + begin;
    const std::size_t reach = count == 0 ? 0 : static_cast<std::size_t>(codes[count - 1]) + 1;
    // A table costs two bits a code or more; a search costs a cache miss or two at every step.
    if (reach > 32 * count + 512 || reach >> kReachBits != 0 || node.n_branches >= 0xffff ||
        node.rest_branch >= 0) {
        code_lists.push_back({listed_codes.size(), count, node.rest_branch});
        listed_codes.insert(listed_codes.end(), codes, codes + count);
        listed_branches.insert(listed_branches.end(), branches, branches + count);
        return -static_cast<std::int64_t>(code_lists.size());
    }
    std::uint64_t width = 1;
    while (node.n_branches >= 1 << (1U << width)) ++width;
    const std::size_t start = branch_bits.size();
    branch_bits.resize(start + (((reach << width) + 63) >> 6), 0);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t bit = static_cast<std::size_t>(codes[i]) << width;
        branch_bits[start + (bit >> 6)] |= static_cast<std::uint64_t>(branches[i] + 1)
                                           << (bit & 63);
    }
    return static_cast<std::int64_t>((start << kReachBits | reach) << kWidthBits | width);
}

std::int32_t Plan::branch_in_list(const Node& node, std::int64_t code) const {
    if (code < 0) return -1;
    const CodeList& list = code_lists[static_cast<std::size_t>(-1 - node.whole)];
    const std::int32_t branch =
        branch_of_code(std::span(listed_codes).subspan(list.start, list.n),
                       std::span(listed_branches).subspan(list.start, list.n), code);
    return branch >= 0 ? branch : list.rest_branch;
}

int Plan::own_branch_of(const Rows& rows, std::size_t row, std::uint32_t i, bool& missing) const {
    const Node& node = nodes[i];
    const Kind kind = kind_of(node);
    const data::Column& column = rows.columns[column_of(node)];
    missing = column.is_missing(row);
    if (kind == linear) {
        const double sum = sum_of(rows, row, node);
        missing = std::isnan(sum);
        if (!missing) return sum > slices[static_cast<std::size_t>(node.whole)].threshold ? 1 : 0;
    } else if (kind == categories) {
        const std::int64_t code = column.whole(row);
        missing = code == data::kMissingCode;
        const std::int32_t branch = branch_in(node, code);
        if (branch >= 0) return branch;
    } else if (!missing) {
        const auto place = [&](const auto& values, auto x) {
            const Slice& slice = slices[static_cast<std::size_t>(node.whole)];
            const auto first = values.begin() + static_cast<std::ptrdiff_t>(slice.start);
            return static_cast<int>(
                std::lower_bound(first, first + static_cast<std::ptrdiff_t>(slice.n), x) - first);
        };
        switch (kind) {
            case real_cut: return column.real(row) > node.threshold ? 1 : 0;
            case whole_cut: return column.whole(row) > node.whole ? 1 : 0;
            case real_intervals: return place(cuts.real, column.real(row));
            default: return place(cuts.whole, column.whole(row));
        }
    } else if (column.type == data::ValueType::code) {
        missing = column.whole(row) != data::kUnseenCode;
    }
    return -1;
}

/// Branch of a row at a node; -1 = all branches.
int Plan::any_branch_of(const Rows& rows, std::size_t row, std::uint32_t i) const {
    bool missing = false;
    const int own = own_branch_of(rows, row, i, missing);
    if (own >= 0) return own;
    if (!surrogates.empty())
        for (const Surrogate& surrogate : surrogates[i]) {
            const int branch = surrogate_branch(surrogate, rows.columns[surrogate.column], row);
            if (branch >= 0) return branch;
        }
    return missing ? missing_branch[i] : unseen_branch[i];
}

void Plan::add_asked(std::uint32_t i, std::vector<std::uint32_t>& columns) const {
    if (kind_of(nodes[i]) != linear) {
        columns.push_back(column_of(nodes[i]));
        return;
    }
    const Slice& slice = slices[static_cast<std::size_t>(nodes[i].whole)];
    for (std::size_t k = slice.start; k < slice.start + slice.n; ++k)
        columns.push_back(static_cast<std::uint32_t>(terms.column[k]));
}

void Plan::decided_by(const Rows& rows, std::size_t row, std::uint32_t i,
                      std::vector<std::uint32_t>& columns) const {
    add_asked(i, columns);
    bool missing = false;
    if (surrogates.empty() || own_branch_of(rows, row, i, missing) >= 0) return;
    for (const Surrogate& surrogate : surrogates[i]) {
        columns.push_back(surrogate.column);
        if (surrogate_branch(surrogate, rows.columns[surrogate.column], row) >= 0) return;
    }
}

void Plan::may_decide(std::uint32_t i, std::vector<std::uint32_t>& columns) const {
    add_asked(i, columns);
    if (surrogates.empty()) return;
    for (const Surrogate& surrogate : surrogates[i]) columns.push_back(surrogate.column);
}

void Plan::branches_of(const Rows& rows, std::span<const std::uint32_t> wanted, std::uint32_t i,
                       std::span<std::int32_t> branch) const {
    const Node& node = nodes[i];
    const data::Column& column = rows.columns[column_of(node)];
    const auto cut = [&]<class T>(T /*type*/) {
        for (std::size_t r = 0; r < wanted.size(); ++r) {
            const double x = column.at<T>(wanted[r]);
            branch[r] =
                std::isnan(x) ? branch_of(rows, wanted[r], i) : (x > node.threshold ? 1 : 0);
        }
    };
    if (kind_of(node) == real_cut && column.type == data::ValueType::f64) cut(double{});
    else if (kind_of(node) == real_cut && column.type == data::ValueType::f32) cut(float{});
    else
        for (std::size_t r = 0; r < wanted.size(); ++r) branch[r] = branch_of(rows, wanted[r], i);
}

void Plan::combine_leaves(std::span<const Visit> parts, Combine combine, double* out) const {
    std::fill(out, out + answer_width, 0.0);
    const bool counts = combine == Combine::leaf_counts;
    double sum = 0.0;
    for (const Visit& leaf : parts) {
        // A leaf without training rows has no counts to add.
        const double part =
            counts ? (n_classes.empty() ? weight[leaf.node] : (weight[leaf.node] > 0.0 ? 1.0 : 0.0))
                   : leaf.share;
        const double* from = (counts && !n_classes.empty() ? raw : answer).data() +
                             static_cast<std::size_t>(leaf.node) * answer_width;
        sum += part;
        for (std::size_t k = 0; k < answer_width; ++k) out[k] += part * from[k];
    }
    if (counts && sum <= 0.0) {  // only empty leaves reached
        combine_leaves(parts, Combine::branch_fractions, out);
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

/// Calls reached(row, parts) for every row, in parallel: the leaves it reaches, mostly one.
template <class Reached>
void Plan::for_each_row(const Rows& rows, std::size_t n_threads, Progress& progress,
                        Reached&& reached) const {
    require_columns(rows);
    const std::size_t n_tasks = (rows.n_rows + kRowsPerTask - 1) / kRowsPerTask;
    Team team(std::min(n_threads, (rows.n_rows + kRowsPerThread - 1) / kRowsPerThread), progress);
    team.for_each(n_tasks, [&](std::size_t task, std::size_t) {
        const std::size_t begin = task * kRowsPerTask;
        const std::size_t end = std::min(begin + kRowsPerTask, rows.n_rows);
        Found found;
        find_leaves(rows, begin, end, found);
        for (std::size_t row = begin; row < end; ++row) {
            const std::uint32_t at = found.leaf[row - begin];
            const std::size_t i = at & ~kDivided;
            const Visit whole{at, 1.0};
            if ((at & kDivided) == 0) reached(row, std::span(&whole, 1));
            else
                reached(row, std::span<const Visit>(found.parts)
                                 .subspan(found.start[i], found.start[i + 1] - found.start[i]));
        }
    });
}

void Plan::predict(const Rows& rows, Combine combine, std::size_t n_threads, Progress& progress,
                   std::span<double> out) const {
    for_each_row(rows, n_threads, progress, [&](std::size_t row, std::span<const Visit> parts) {
        double* to = out.data() + row * answer_width;
        if (parts.size() > 1) return combine_leaves(parts, combine, to);
        const double* from = answer.data() + std::size_t{parts[0].node} * answer_width;
        std::copy(from, from + answer_width, to);
    });
}

void Plan::apply(const Rows& rows, std::size_t n_threads, Progress& progress,
                 std::span<std::int64_t> out) const {
    for_each_row(rows, n_threads, progress, [&](std::size_t row, std::span<const Visit> parts) {
        const auto most = std::max_element(
            parts.begin(), parts.end(),
            [](const Visit& one, const Visit& other) { return one.share < other.share; });
        out[row] = tree_node[most->node];
    });
}

bool Plan::whole_leaves(const Rows& rows, std::size_t begin, std::span<std::uint32_t> out) const {
    Found found;
    find_leaves(rows, begin, begin + out.size(), found);
    for (std::size_t i = 0; i < out.size(); ++i) {
        if ((found.leaf[i] & kDivided) != 0) return false;
        out[i] = tree_node[found.leaf[i]];
    }
    return true;
}

void Plan::parts(const Rows& rows, Progress& progress, std::vector<std::int64_t>& start,
                 std::vector<std::int64_t>& leaves, std::vector<double>& shares) const {
    Pieces<std::int64_t> leaf_of_part;
    Pieces<double> share_of_part;
    start.reserve(rows.n_rows + 1);
    start.assign(1, 0);
    for_each_row(rows, 1, progress, [&](std::size_t, std::span<const Visit> parts) {
        for (const Visit& part : parts) {
            leaf_of_part.push_back(tree_node[part.node]);
            share_of_part.push_back(part.share);
        }
        start.push_back(static_cast<std::int64_t>(leaf_of_part.size()));
    });
    leaves = leaf_of_part.joined(progress);
    shares = share_of_part.joined(progress);
}

std::vector<std::int32_t> Plan::paths(const Rows& rows, Progress& progress,
                                      std::vector<std::int64_t>& start) const {
    require_columns(rows);
    Pieces<std::int32_t> visited;
    std::vector<std::int32_t> path;
    std::vector<Visit> stack;
    std::size_t n_steps = 0;
    start.reserve(rows.n_rows + 1);
    start.assign(1, 0);
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        bool is_divided = false;
        path.clear();
        stack.assign(1, Visit{0, 1.0});
        while (!stack.empty()) {  // parents first
            if (n_steps++ % kNodesPerCheck == 0) progress.check(true);
            const Visit here = stack.back();
            stack.pop_back();
            path.push_back(static_cast<std::int32_t>(tree_node[here.node]));
            if (n_branches[here.node] == 0) continue;
            const int branch = branch_of(rows, row, here.node);
            if (branch < 0) push_children(here, stack);
            else
                stack.push_back({nodes[here.node].first_child + static_cast<std::uint32_t>(branch),
                                 here.share});
            is_divided = is_divided || branch < 0;
        }
        if (is_divided) std::sort(path.begin(), path.end());  // else each is below the last one
        for (const std::int32_t node : path) visited.push_back(node);
        start.push_back(static_cast<std::int64_t>(visited.size()));
    }
    return visited.joined(progress);
}

}  // namespace treewright::tree
