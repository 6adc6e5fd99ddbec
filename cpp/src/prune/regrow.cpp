#include "treewright/prune/regrow.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "treewright/grow/grower.hpp"
#include "treewright/grow/summary.hpp"

namespace treewright::prune {
namespace {

/// Some rows of a dataset, copied.
struct Taken {
    data::Dataset data;
    std::vector<std::vector<std::byte>> cells;
    std::vector<std::vector<std::uint8_t>> known;
    std::vector<std::int32_t> classes;
    std::vector<double> weight;
    std::vector<double> copies;
};

std::size_t size_of(data::ValueType type) {
    return type == data::ValueType::f32 || type == data::ValueType::code ? 4 : 8;
}

void take_column(const data::Column& column, const std::vector<Part>& rows, Taken& out) {
    const std::size_t size = size_of(column.type);
    std::vector<std::byte>& cells = out.cells.emplace_back(rows.size() * size);
    std::vector<std::uint8_t>& known = out.known.emplace_back();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::memcpy(cells.data() + i * size,
                    column.data + static_cast<std::ptrdiff_t>(rows[i].row) * column.stride, size);
        if (column.known != nullptr) known.push_back(column.known[rows[i].row]);
    }
    data::Column copy = column;
    copy.data = cells.data();
    copy.stride = static_cast<std::ptrdiff_t>(size);
    copy.known = column.known == nullptr ? nullptr : known.data();
    out.data.columns.push_back(copy);
}

Taken take(const data::Dataset& data, const std::vector<Part>& rows,
           const std::vector<double>& class_factor) {
    Taken out;
    for (const data::Column& column : data.columns) take_column(column, rows, out);
    for (const Part& part : rows) {
        const double whole = data.weight.empty() ? 1.0 : data.weight[part.row];
        const double n_copies = data.copies.empty() ? 1.0 : data.copies[part.row];
        const std::int32_t code = data.target.classes[part.row];
        out.classes.push_back(code);
        out.weight.push_back(part.weight * (class_factor.empty()
                                                ? 1.0
                                                : class_factor[static_cast<std::size_t>(code)]));
        out.copies.push_back(n_copies * part.weight / whole);
    }
    out.data.n_rows = rows.size();
    out.data.target.n_classes = data.target.n_classes;
    out.data.target.classes = out.classes;
    out.data.weight = out.weight;
    out.data.copies = out.copies;
    return out;
}

}  // namespace

Regrower::Regrower(const data::Dataset& data, How given)
    : data(data),
      how(std::move(given)),
      moves_thresholds(how.options.threshold_at == split::ThresholdAt::training) {
    how.options.whole_weight = data.weight.empty()
                                   ? static_cast<double>(data.n_rows)
                                   : std::accumulate(data.weight.begin(), data.weight.end(), 0.0);
    // Thresholds become values of the whole training set, not of these rows.
    if (moves_thresholds) how.options.threshold_at = split::ThresholdAt::midpoint;
}

std::pair<tree::Tree, tree::Plan> Regrower::grow(const std::vector<Part>& rows,
                                                 const LeafJudge& judge, Progress& progress) const {
    const Taken part = take(data, rows, how.class_factor);
    tree::Tree tree = grow::grow(part.data, how.options, progress);
    if (!how.class_factor.empty())  // costs alter the weights for growing only
        for (std::size_t i = 0; i < tree.value.size(); ++i)
            tree.value[i] /= how.class_factor[i % tree.width];
    if (moves_thresholds) grow::move_thresholds_down(data, tree, progress);
    tree::Plan plan(tree::view_of(tree, unseen_branches(tree), progress), 1, progress);
    if (how.collapses) collapse(tree, judge);
    return {std::move(tree), std::move(plan)};
}

void Regrower::collapse(tree::Tree& tree, const LeafJudge& judge) {
    constexpr double kNearlyAll = 0.999;  // C5.0 GPL edition, formtree.c
    std::vector<double> wrong(tree.nodes.size());
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        tree::TreeNode& node = tree.nodes[i];
        const double* line = tree.value.data() + i * tree.width;
        const double as_leaf = judge.estimate(line).size.wrong;
        double below = 0.0;
        for (std::int32_t b = 0; b < node.n_branches; ++b)
            below += wrong[static_cast<std::size_t>(node.first_child + b)];
        if (node.n_branches > 0 && below >= kNearlyAll * as_leaf) node.n_branches = 0;
        wrong[i] = node.n_branches > 0 ? below : as_leaf;
    }
}

/// Where unseen categories go at each node.
std::vector<std::int32_t> Regrower::unseen_branches(const tree::Tree& tree) const {
    std::vector<std::int32_t> out;
    for (const tree::TreeNode& node : tree.nodes) {
        out.push_back(node.missing_branch);
        if (!how.unseen_to_heaviest || node.n_branches == 0) continue;
        const auto first = tree.nodes.begin() + node.first_child;
        const auto heaviest = std::max_element(
            first, first + node.n_branches,
            [](const tree::TreeNode& a, const tree::TreeNode& b) { return a.weight < b.weight; });
        out.back() = static_cast<std::int32_t>(heaviest - first);
    }
    return out;
}

}  // namespace treewright::prune
