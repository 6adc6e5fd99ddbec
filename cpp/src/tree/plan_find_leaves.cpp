/// The leaves that rows reach: a loop for float matrices, one for deep trees, one for everything.
#include "treewright/tree/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "treewright/tree/descent.hpp"
#include "treewright/tree/in_flight.hpp"

namespace treewright::tree {

/// All children of a node, the first one on top, each with its share of the row.
void Plan::push_children(const Visit& divided, std::vector<Visit>& stack) const {
    const std::uint32_t first = nodes[divided.node].first_child;
    const std::uint32_t n_branches = routes[divided.node].n_branches;
    const auto of_branch = weight.subspan(tree_node[first], n_branches);  // children are contiguous
    double all = 0.0;
    for (const double part : of_branch) all += part;
    for (std::uint32_t b = n_branches; b-- > 0;) {
        const double share = of_branch[b] / all;
        if (share > 0.0) stack.push_back({first + b, divided.share * share});
    }
}

/// Only cuts on a float matrix: several rows step together, no branch on the data. A missing value
/// compares as "not above" and is recorded; such rows are processed again by the general loop.
template <class T>
void Plan::find_in_matrix(const Rows& rows, const Cells& cells, std::size_t begin, std::size_t end,
                          Found& found) const {
    std::vector<std::size_t> incomplete;
    for (std::size_t first = begin; first < end; first += kInFlight) {
        const std::size_t n = std::min(kInFlight, end - first);
        std::uint32_t at[kInFlight] = {};
        bool missing[kInFlight] = {};
        const std::byte* data[kInFlight];
        for (std::size_t r = 0; r < kInFlight; ++r)
            data[r] =
                cells.first +
                static_cast<std::ptrdiff_t>(first - begin + std::min(r, n - 1)) * cells.row_stride;
        for (std::uint32_t step = 0; step < depth; ++step) {
            std::uint32_t moved = 0;
            for (std::size_t r = 0; r < kInFlight; ++r) {
                const Node& node = nodes[at[r]];
                const auto column = static_cast<std::ptrdiff_t>(column_of(node));
                const double x =
                    *reinterpret_cast<const T*>(data[r] + column * cells.column_stride);
                missing[r] |= x != x;
                const std::uint32_t next =
                    node.first_child + static_cast<std::uint32_t>(x > node.threshold);
                moved |= next ^ at[r];
                at[r] = next;
            }
            if (moved == 0) break;
        }
        for (std::size_t r = 0; r < n; ++r) {
            found.leaf[first + r - begin] = at[r];
            if (missing[r]) incomplete.push_back(first + r);
        }
    }
    find_in_columns(rows, incomplete, begin, found);
}

template void Plan::find_in_matrix<double>(const Rows&, const Cells&, std::size_t, std::size_t,
                                           Found&) const;

/// A deep tree: shortcuts. A row that is divided is processed again by the general loop.
void Plan::find_by_shortcuts(const Rows& rows, std::size_t begin, std::size_t end,
                             Found& found) const {
    std::vector<std::size_t> divided;
    for (std::size_t row = begin; row < end; ++row) {
        std::uint32_t at = 0;
        while (routes[at].n_branches > 0) {
            const std::uint32_t ahead = shortcuts.follow(rows.columns, row, at);
            const int branch = ahead == at ? branch_of(rows, row, at) : 0;
            if (branch < 0) break;
            at = ahead == at ? nodes[at].first_child + static_cast<std::uint32_t>(branch) : ahead;
        }
        found.leaf[row - begin] = at;
        if (routes[at].n_branches > 0) divided.push_back(row);
    }
    find_in_columns(rows, divided, begin, found);
}

/// Whether columns are those of one matrix of decimals.
bool Plan::are_matrix(std::span<const data::Column> columns) {
    if (columns.empty() || !columns[0].is_real()) return false;
    const std::ptrdiff_t gap = columns.size() > 1 ? columns[1].data - columns[0].data : 0;
    for (std::size_t j = 0; j < columns.size(); ++j)
        if (columns[j].type != columns[0].type || columns[j].stride != columns[0].stride ||
            columns[j].data - columns[0].data != static_cast<std::ptrdiff_t>(j) * gap)
            return false;
    return true;
}

/// The leaves of the rows from `begin` to `end`.
void Plan::find_leaves(const Rows& rows, std::size_t begin, std::size_t end, Found& found) const {
    found.leaf.resize(end - begin);
    if (!shortcuts.empty()) return find_by_shortcuts(rows, begin, end, found);
    const auto& columns = rows.columns;
    if (only_real_cuts && are_matrix(columns)) {
        const std::ptrdiff_t gap = columns.size() > 1 ? columns[1].data - columns[0].data : 0;
        const Cells cells{columns[0].data + static_cast<std::ptrdiff_t>(begin) * columns[0].stride,
                          columns[0].stride, gap};
        if (columns[0].type == data::ValueType::f32)
            find_in_matrix<float>(rows, cells, begin, end, found);
        else find_in_matrix<double>(rows, cells, begin, end, found);
        return;
    }
    if (reads_cells(rows)) {
        RowCells cells;
        cells.read(columns, used_columns, begin, end);
        return find_in_cells(rows, cells, begin, end, found);
    }
    std::vector<std::size_t> all(end - begin);
    std::iota(all.begin(), all.end(), begin);
    find_in_columns(rows, all, begin, found);
}

/// Any columns: several rows are under way at once, so that their cache misses overlap; the next
/// row takes the place of one that has arrived. A row that is divided goes down its branches one
/// after the other, first branch first, whatever other rows are under way.
void Plan::find_in_columns(const Rows& rows, std::span<const std::size_t> wanted, std::size_t begin,
                           Found& found) const {
    union Cell {
        double real;
        std::int64_t whole;
    };
    struct Slot {
        std::size_t row = 0;
        Visit at{0, 1.0};
        std::vector<Visit> to_do;
        std::vector<Visit> parts;
    };
    Slot slots[kInFlight];
    std::vector<Cell> cells(kInFlight * rows.columns.size());
    std::size_t taken = 0;
    const auto take_next = [&](std::size_t s) {
        Slot& slot = slots[s];
        slot.row = wanted[taken++];
        slot.at = {0, 1.0};
        for (const std::uint32_t c : used_columns) {
            const data::Column& column = rows.columns[c];
            Cell& cell = cells[s * rows.columns.size() + c];
            if (column.is_real()) cell.real = column.real(slot.row);
            else cell.whole = column.whole(slot.row);
        }
    };
    std::size_t n_active = std::min(kInFlight, wanted.size());
    std::size_t active[kInFlight];
    for (std::size_t s = 0; s < n_active; ++s) {
        active[s] = s;
        take_next(s);
    }
    while (n_active > 0) {
        for (std::size_t a = 0; a < n_active; ++a) {
            Slot& slot = slots[active[a]];
            const Node& node = nodes[slot.at.node];
            const std::uint32_t column = column_of(node);
            const Cell x = cells[active[a] * rows.columns.size() + column];
            int branch = -1;
            switch (kind_of(node)) {
                case categories: branch = branch_in(node, x.whole); break;
                case real_cut:
                    if (!std::isnan(x.real)) branch = x.real > node.threshold ? 1 : 0;
                    break;
                case whole_cut:
                    if (!rows.columns[column].is_missing(slot.row))
                        branch = x.whole > node.whole ? 1 : 0;
                    break;
                case leaf:
                    if (arrive(slot.at, slot.to_do, slot.parts, found.leaf[slot.row - begin],
                               found))
                        continue;
                    if (taken < wanted.size()) take_next(active[a]);
                    else active[a--] = active[--n_active];
                    continue;
                default: break;  // intervals and sums: below
            }
            if (branch < 0) branch = branch_of(rows, slot.row, slot.at.node);
            if (branch >= 0) {
                slot.at.node = node.first_child + static_cast<std::uint32_t>(branch);
                continue;
            }
            push_children(slot.at, slot.to_do);
            slot.at = slot.to_do.back();
            slot.to_do.pop_back();
        }
    }
}

/// Notes a leaf that a row has reached; true if the row has other branches to go down.
bool Plan::arrive(Visit& at, std::vector<Visit>& to_do, std::vector<Visit>& parts,
                  std::uint32_t& leaf_of_row, Found& found) {
    if (to_do.empty() && parts.empty()) {
        leaf_of_row = at.node;
        return false;
    }
    parts.push_back(at);
    if (!to_do.empty()) {
        at = to_do.back();
        to_do.pop_back();
        return true;
    }
    leaf_of_row = kDivided | static_cast<std::uint32_t>(found.start.size() - 1);
    found.parts.insert(found.parts.end(), parts.begin(), parts.end());
    found.start.push_back(found.parts.size());
    parts.clear();
    return false;
}

}  // namespace treewright::tree
