/// Predictions and paths of rows, by a plan.
#include <algorithm>
#include <cmath>
#include <vector>

#include "treewright/base/error.hpp"
#include "treewright/base/parallel.hpp"
#include "treewright/base/rows_per_item.hpp"
#include "treewright/tree/descent.hpp"
#include "treewright/tree/plan.hpp"

namespace treewright::tree {
namespace {

/// A task should take milliseconds, also where rows are divided among hundreds of leaves.
constexpr std::size_t kRowsPerTask = 1024;
constexpr std::size_t kRowsPerThread = 4096;  // fewer do not pay for starting one
constexpr std::size_t kFewOutputs = 16;
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

const double* Plan::weights_at(std::uint32_t node) const {
    const auto found = std::lower_bound(
        silent.begin(), silent.end(), node,
        [](const auto& pair, std::uint32_t wanted) { return pair.first < wanted; });
    const bool is_silent = found != silent.end() && found->first == node;
    return value.data() + std::size_t{is_silent ? found->second : tree_node[node]} * answer_width;
}

void Plan::combine_leaves(std::span<const Visit> parts, Combine combine, double* out) const {
    std::fill(out, out + answer_width, 0.0);
    const bool counts = combine == Combine::leaf_counts;
    double sum = 0.0;
    for (const Visit& leaf : parts) {
        // A leaf without training rows has no counts to add.
        const double in_training = weight[tree_node[leaf.node]];
        const double part =
            counts ? (n_classes.empty() ? in_training : (in_training > 0.0 ? 1.0 : 0.0))
                   : leaf.share;
        const double* from =
            counts && !n_classes.empty() ? weights_at(leaf.node) : answer_at(leaf.node);
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

/// Calls reached(row, parts) for rows whose leaves were found.
template <class Reached>
void Plan::reach(const Found& found, std::size_t begin, std::size_t end, Reached&& reached) {
    for (std::size_t row = begin; row < end; ++row) {
        const std::uint32_t at = found.leaf[row - begin];
        const std::size_t i = at & ~kDivided;
        const Visit whole{at, 1.0};
        if ((at & kDivided) == 0) reached(row, std::span(&whole, 1));
        else
            reached(row, std::span<const Visit>(found.parts)
                             .subspan(found.start[i], found.start[i + 1] - found.start[i]));
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
        reach(found, begin, end, reached);
    });
}

void Plan::predict(const Rows& rows, Combine combine, std::size_t n_threads, Progress& progress,
                   std::span<double> out) const {
    for_each_row(rows, n_threads, progress, [&](std::size_t row, std::span<const Visit> parts) {
        double* to = out.data() + row * answer_width;
        if (parts.size() > 1) return combine_leaves(parts, combine, to);
        const double* from = answer_at(parts[0].node);
        std::copy(from, from + answer_width, to);
    });
}

/// The leaf that most of a row reaches.
std::uint32_t Plan::leaf_of_most(std::span<const Visit> parts) const {
    const auto most = std::max_element(
        parts.begin(), parts.end(),
        [](const Visit& one, const Visit& other) { return one.share < other.share; });
    return tree_node[most->node];
}

void Plan::apply(const Rows& rows, std::size_t n_threads, Progress& progress,
                 std::span<std::int64_t> out) const {
    for_each_row(rows, n_threads, progress, [&](std::size_t row, std::span<const Visit> parts) {
        out[row] = leaf_of_most(parts);
    });
}

/// The table is read once for all plans that descend by cells; blocks of rows pass through all of
/// them.
template <class Reached>
void Plan::for_each_row_of_all(std::span<const Plan* const> plans, const Rows& rows,
                               std::size_t n_threads, Progress& progress, Reached&& reached) {
    std::vector<std::uint8_t> is_read(rows.columns.size(), 0);
    std::vector<std::uint8_t> descends(plans.size(), 0);
    const bool is_matrix = are_matrix(rows.columns);  // as good as cells, where it is asked alone
    for (std::size_t p = 0; p < plans.size(); ++p) {
        plans[p]->require_columns(rows);
        descends[p] = plans[p]->reads_cells(rows) && !is_matrix ? 1 : 0;
        for (const std::uint32_t c : plans[p]->used_columns) is_read[c] |= descends[p];
    }
    std::vector<std::uint32_t> which;
    for (std::uint32_t c = 0; c < is_read.size(); ++c)
        if (is_read[c] != 0) which.push_back(c);
    Team team(std::min(n_threads, (rows.n_rows + kRowsPerThread - 1) / kRowsPerThread), progress);
    const std::size_t at_once =
        rows_per_item(rows.n_rows, RowCells::rows_at_once(rows.columns, which), team.size());
    const std::size_t n_tasks = (rows.n_rows + at_once - 1) / at_once;
    std::vector<RowCells> cells(team.size());
    std::vector<Found> founds(team.size());
    team.for_each(n_tasks, [&](std::size_t task, std::size_t thread) {
        const std::size_t begin = task * at_once;
        const std::size_t end = std::min(begin + at_once, rows.n_rows);
        Found& found = founds[thread];
        cells[thread].read(rows.columns, which, begin, end);
        for (std::size_t p = 0; p < plans.size(); ++p) {
            progress.check(true);
            found.start.assign(1, 0);
            found.parts.clear();
            if (descends[p] != 0) plans[p]->find_in_cells(rows, cells[thread], begin, end, found);
            else plans[p]->find_leaves(rows, begin, end, found);
            reach(found, begin, end,
                  [&](std::size_t row, std::span<const Visit> parts) { reached(p, row, parts); });
        }
    });
}

void Plan::add_up(std::span<const Plan* const> plans, const Rows& rows, Combine combine,
                  std::size_t n_threads, Progress& progress, std::span<double> sums) {
    const std::size_t width = plans[0]->answer_width;
    for (const Plan* plan : plans) require(plan->answer_width == width, "plans of equal outputs");
    const auto add = [&](std::size_t p, std::size_t row, std::span<const Visit> parts) {
        const Plan& plan = *plans[p];
        double* to = sums.data() + row * width;
        if (parts.size() > 1) {
            double small[kFewOutputs];
            std::vector<double> large(width > kFewOutputs ? width : 0);
            double* combined = large.empty() ? small : large.data();
            plan.combine_leaves(parts, combine, combined);
            for (std::size_t k = 0; k < width; ++k)
                to[k] = p == 0 ? combined[k] : to[k] + combined[k];
            return;
        }
        const double* answer = plan.answer_at(parts[0].node);
        // A sum that begins with a number, not with 0, keeps the sign of a zero.
        if (p == 0) std::copy(answer, answer + width, to);
        else
            for (std::size_t k = 0; k < width; ++k) to[k] += answer[k];
    };
    for_each_row_of_all(plans, rows, n_threads, progress, add);
}

void Plan::apply_all(std::span<const Plan* const> plans, const Rows& rows, std::size_t n_threads,
                     Progress& progress, std::span<std::int32_t> out) {
    for_each_row_of_all(plans, rows, n_threads, progress,
                        [&](std::size_t p, std::size_t row, std::span<const Visit> parts) {
                            out[row * plans.size() + p] =
                                static_cast<std::int32_t>(plans[p]->leaf_of_most(parts));
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
            if (routes[here.node].n_branches == 0) continue;
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
