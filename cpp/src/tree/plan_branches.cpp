/// The branch of a row at a node of a plan, and what decides it.
#include <algorithm>
#include <cmath>

#include "treewright/base/error.hpp"
#include "treewright/tree/plan.hpp"
#include "treewright/tree/question.hpp"

namespace treewright::tree {

void Plan::require_columns(const Rows& rows) const {
    require(rows.columns.size() >= needs.size(), "every column that the tree asks about");
    for (std::size_t column = 0; column < needs.size(); ++column) {
        const bool is_real = rows.columns[column].is_real();
        require((needs[column] & (is_real ? whole : real)) == 0,
                "columns of the types asked about");
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

double Plan::sum_of(const Rows& rows, std::size_t row, const Node& node) const {
    const Slice& slice = slices[static_cast<std::size_t>(node.whole)];
    const auto coefficients = std::span(terms.coefficient).subspan(slice.start, slice.n);
    return data::add_terms(coefficients, [&](std::size_t i) {
        return rows.columns[static_cast<std::size_t>(terms.column[slice.start + i])].number(row);
    });
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
    for (const Surrogate& surrogate : surrogates_of(i)) {
        const int branch = surrogate_branch(surrogate, rows.columns[surrogate.column], row);
        if (branch >= 0) return branch;
    }
    return missing ? routes[i].missing : routes[i].unseen;
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
    for (const Surrogate& surrogate : surrogates_of(i)) {
        columns.push_back(surrogate.column);
        if (surrogate_branch(surrogate, rows.columns[surrogate.column], row) >= 0) return;
    }
}

void Plan::may_decide(std::uint32_t i, std::vector<std::uint32_t>& columns) const {
    add_asked(i, columns);
    for (const Surrogate& surrogate : surrogates_of(i)) columns.push_back(surrogate.column);
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

}  // namespace treewright::tree
