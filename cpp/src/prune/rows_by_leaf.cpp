#include "treewright/prune/rows_by_leaf.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace treewright::prune {

namespace {

constexpr std::size_t kRowsPerTask = 1 << 14;

/// Calls work(begin, end) for pieces of all rows.
template <class Work>
void for_pieces(Team& team, std::size_t n_rows, Work&& work) {
    team.for_each((n_rows + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t i, std::size_t) {
        work(i * kRowsPerTask, std::min(n_rows, (i + 1) * kRowsPerTask));
    });
}

template <class T>
void take(std::span<const T> from, const std::vector<std::uint32_t>& rows, std::vector<T>& out) {
    if (from.empty()) return;
    out.reserve(rows.size());
    for (const std::uint32_t row : rows) out.push_back(from[row]);
}

}  // namespace

RowsByLeaf::RowsByLeaf(const data::Dataset& given, const tree::Tree& tree, const tree::Plan& plan,
                       bool all_columns, std::size_t n_threads, Progress& progress)
    : given(given), tree(tree) {
    Team team(std::min(n_threads, 1 + given.n_rows / kRowsPerTask), progress);
    std::vector<std::uint32_t> leaf(given.n_rows);
    sorted = find_leaves(plan, leaf, team);
    if (!sorted) return;
    sort(leaf);
    copy_rows(all_columns, team);
}

bool RowsByLeaf::find_leaves(const tree::Plan& plan, std::vector<std::uint32_t>& leaf,
                             Team& team) const {
    const tree::Rows rows{given.n_rows, given.columns};
    std::atomic<bool> any_divided = false;
    const std::size_t n_tasks = (given.n_rows + kRowsPerTask - 1) / kRowsPerTask;
    team.for_each(n_tasks, [&](std::size_t task, std::size_t) {
        if (any_divided.load(std::memory_order_relaxed)) return;
        const std::size_t begin = task * kRowsPerTask;
        const std::size_t n = std::min(kRowsPerTask, given.n_rows - begin);
        if (!plan.whole_leaves(rows, begin, {leaf.data() + begin, n})) any_divided = true;
    });
    return !any_divided;
}

void RowsByLeaf::sort(const std::vector<std::uint32_t>& leaf) {
    const auto has_weight = [&](std::size_t row) {
        return given.weight.empty() || given.weight[row] > 0.0;
    };
    n_rows.resize(tree.nodes.size());
    begin_of.resize(tree.nodes.size());
    for (std::size_t row = 0; row < given.n_rows; ++row) n_rows[leaf[row]] += has_weight(row);
    for (std::size_t i = tree.nodes.size(); --i > 0;)  // children come after their parent
        n_rows[static_cast<std::size_t>(tree.nodes[i].parent)] += n_rows[i];
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        std::size_t begin = begin_of[i];
        for (std::int32_t b = 0; b < tree.nodes[i].n_branches; ++b) {
            const auto child = static_cast<std::size_t>(tree.nodes[i].first_child + b);
            begin_of[child] = begin;
            begin += static_cast<std::size_t>(n_rows[child]);
        }
    }
    std::vector<std::size_t> next(begin_of);
    original.resize(static_cast<std::size_t>(n_rows[0]));
    for (std::uint32_t row = 0; row < given.n_rows; ++row)
        if (has_weight(row)) original[next[leaf[row]]++] = row;
}

void RowsByLeaf::copy_rows(bool all_columns, Team& team) {
    take(given.target.classes, original, classes);
    take(given.weight, original, weight);
    take(given.copies, original, copies);
    copy.n_rows = original.size();
    copy.target.n_classes = given.target.n_classes;
    copy.target.classes = classes;
    copy.weight = weight;
    copy.copies = copies;
    copy.columns = given.columns;
    for (data::Column& column : copy.columns)
        column.data = nullptr;  // none may be read but copied ones

    const std::vector<bool> wanted =
        all_columns ? std::vector<bool>(given.columns.size(), true) : asked();
    cell_of_column.assign(given.columns.size(), -1);
    others.resize(given.columns.size());
    known.resize(given.columns.size());
    std::vector<std::size_t> real;
    bool all_floats = true;
    for (std::size_t c = 0; c < given.columns.size(); ++c) {
        if (!wanted[c]) continue;
        if (!given.columns[c].is_real()) {
            copy_codes(c, team);
            continue;
        }
        cell_of_column[c] = static_cast<std::int32_t>(real.size());
        real.push_back(c);
        all_floats &= given.columns[c].type == data::ValueType::f32;
    }
    n_cells = real.size();
    if (all_floats) copy_cells(real, floats, team);
    else copy_cells(real, doubles, team);
}

/// Columns that the tree may ask.
std::vector<bool> RowsByLeaf::asked() const {
    std::vector<bool> out(given.columns.size());
    for (const tree::TreeNode& node : tree.nodes) {
        if (node.n_branches > 0 && node.column >= 0)
            out[static_cast<std::size_t>(node.column)] = true;
        for (const tree::Surrogate& each : node.surrogates) out[each.column] = true;
    }
    for (const std::int32_t column : tree.terms.column)
        out[static_cast<std::size_t>(column)] = true;
    return out;
}

template <class T>
void RowsByLeaf::copy_cells(const std::vector<std::size_t>& columns, std::vector<T>& out,
                            Team& team) {
    out.resize(std::max<std::size_t>(original.size() * n_cells, 1));  // leaves read the first cell
    for (std::size_t i = 0; i < columns.size(); ++i) {
        data::Column& column = copy.columns[columns[i]];
        column.data = reinterpret_cast<const std::byte*>(out.data() + i);
        column.stride = static_cast<std::ptrdiff_t>(n_cells * sizeof(T));
        column.type = std::is_same_v<T, float> ? data::ValueType::f32 : data::ValueType::f64;
    }
    for_pieces(team, original.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t c = 0; c < columns.size(); ++c)
                out[i * n_cells + c] = static_cast<T>(given.columns[columns[c]].real(original[i]));
    });
}

void RowsByLeaf::copy_codes(std::size_t number, Team& team) {
    const data::Column& from = given.columns[number];
    const std::size_t size = from.type == data::ValueType::code ? 4 : 8;
    std::vector<std::byte>& cells = others[number];
    cells.resize(original.size() * size);
    if (from.known != nullptr) known[number].resize(original.size());
    for_pieces(team, original.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t row = original[i];
            std::memcpy(cells.data() + i * size,
                        from.data + static_cast<std::ptrdiff_t>(row) * from.stride, size);
            if (from.known != nullptr) known[number][i] = from.known[row];
        }
    });
    data::Column& column = copy.columns[number];
    column.data = cells.data();
    column.stride = static_cast<std::ptrdiff_t>(size);
    column.known = from.known != nullptr ? known[number].data() : nullptr;
}

void RowsByLeaf::count(Counts& counts, std::vector<std::size_t>& begin) const {
    const std::size_t n_classes = given.target.n_classes.at(0);
    counts.n_rows = n_rows;
    begin = begin_of;
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {  // children come after their parent
        double* own = counts.weights.data() + i * n_classes;
        const std::size_t end = begin_of[i] + static_cast<std::size_t>(n_rows[i]);
        if (tree.nodes[i].n_branches == 0)
            for (std::size_t row = begin_of[i]; row < end; ++row)
                own[classes[row]] += weight.empty() ? 1.0 : weight[row];
        if (i == 0) break;
        double* above =
            counts.weights.data() + static_cast<std::size_t>(tree.nodes[i].parent) * n_classes;
        for (std::size_t k = 0; k < n_classes; ++k) above[k] += own[k];
    }
}

}  // namespace treewright::prune
