#include "treewright/split/oblique/node.hpp"

#include <algorithm>
#include <cmath>

#include "treewright/base/exact_sum.hpp"
#include "treewright/base/symmetric_eigen.hpp"

namespace treewright::split {
namespace {

/// Columns of larger numbers are left out of combinations: squares or quotients would overflow.
constexpr double kLargest = 1e150;
constexpr double kSmallestSpread = 1e-150;

/// Eigenvalues below this share of the largest are rounding.
constexpr double kNoVariance = 1e-10;

/// The node's rows in the order of the table, with the targets and weights that a criterion reads.
void copy_rows(const data::Block& block, std::span<const std::uint32_t> rows, std::size_t n_outputs,
               data::Block& to) {
    std::vector<std::uint32_t> order(rows.begin(), rows.end());
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return block.table_row[a] < block.table_row[b];
    });
    to = data::Block{};
    to.n_rows = static_cast<std::uint32_t>(order.size());
    const auto gather = [&](const auto& from, auto& into, std::size_t width) {
        if (from.empty()) return;
        into.reserve(order.size() * width);
        for (const std::uint32_t row : order)
            for (std::size_t o = 0; o < width; ++o) into.push_back(from[row * width + o]);
    };
    gather(block.table_row, to.table_row, 1);
    gather(block.weight, to.weight, 1);
    gather(block.copies, to.copies, 1);
    gather(block.classes, to.classes, n_outputs);
    gather(block.values, to.values, n_outputs);
}

/// Adds weight x term such that a weight of k equals adding the term k times, to the bit.
void add_weighted(ExactSum& sum, const data::Block& rows, std::uint32_t row, double term) {
    if (rows.weight.empty()) sum.add(term);
    else sum.add_product(rows.weight[row], term);
}

/// Appends the standardised column; false if it is constant or too extreme for a sum.
bool append_standard(const data::Column& raw, ObliqueNode& node) {
    const auto n = static_cast<std::uint32_t>(node.n_rows());
    const std::size_t begin = node.standard.size();
    node.standard.resize(begin + n);
    double* column = node.standard.data() + begin;
    ExactSum sum;
    double weight = 0.0;
    double lowest = kLargest;
    double highest = -kLargest;
    for (std::uint32_t i = 0; i < n; ++i) {
        column[i] = raw.number(node.rows.table_row[i]);
        if (std::isnan(column[i])) continue;
        lowest = std::min(lowest, column[i]);
        highest = std::max(highest, column[i]);
        add_weighted(sum, node.rows, i, column[i]);
        weight += node.rows.weight_of(i);
    }
    double spread = 0.0;
    if (lowest < highest && lowest >= -kLargest && highest <= kLargest) {
        const double mean = sum.value() / weight;
        ExactSum squares;
        for (std::uint32_t i = 0; i < n; ++i) {
            column[i] = std::isnan(column[i]) ? 0.0 : column[i] - mean;
            add_weighted(squares, node.rows, i, column[i] * column[i]);
        }
        spread = std::sqrt(squares.value() / weight);
    }
    if (!(spread >= kSmallestSpread)) {
        node.standard.resize(begin);
        return false;
    }
    for (std::uint32_t i = 0; i < n; ++i) column[i] /= spread;
    node.spread.push_back(spread);
    return true;
}

/// Rows whose covariance HHCART uses, and their weights in it.
struct Group {
    std::vector<std::uint32_t> rows;
    std::vector<double> weight;

    void add(std::uint32_t row, double of_row) {
        rows.push_back(row);
        weight.push_back(of_row);
    }
};

std::vector<Group> groups_of(const data::Target& target, const data::Block& rows) {
    const std::size_t n_outputs = target.n_outputs;
    if (target.is_classification()) {
        std::vector<Group> classes(target.n_classes[0]);
        for (std::uint32_t i = 0; i < rows.n_rows; ++i)
            classes[rows.classes[i * n_outputs]].add(i, rows.weight_of(i));
        return classes;
    }
    ExactSum sum;
    double weight = 0.0;
    for (std::uint32_t i = 0; i < rows.n_rows; ++i) {
        add_weighted(sum, rows, i, rows.values[i * n_outputs]);
        weight += rows.weight_of(i);
    }
    const double mean = sum.value() / weight;
    std::vector<Group> sides(2);
    for (std::uint32_t i = 0; i < rows.n_rows; ++i) {
        const double off = rows.values[i * n_outputs] - mean;
        if (off != 0.0) sides[off > 0.0 ? 1 : 0].add(i, rows.weight_of(i) * std::abs(off));
    }
    return sides;
}

/// Covariance of the standardised columns over a group, row by row.
std::vector<double> covariance_of(const ObliqueNode& node, const Group& group, Progress& progress) {
    const std::size_t d = node.n_columns();
    ExactSum all;
    for (const double weight : group.weight) all.add(weight);
    const auto average = [&](auto&& term) {
        ExactSum sum;
        for (std::size_t i = 0; i < group.rows.size(); ++i)
            sum.add_product(group.weight[i], term(group.rows[i]));
        return sum.value() / all.value();
    };
    std::vector<double> mean(d);
    for (std::size_t m = 0; m < d; ++m)
        mean[m] = average([z = node.column(m)](std::uint32_t row) { return z[row]; });
    std::vector<double> covariance(d * d);
    for (std::size_t a = 0; a < d; ++a) {
        progress.check(true);
        for (std::size_t b = a; b < d; ++b) {
            const double* one = node.column(a);
            const double* other = node.column(b);
            covariance[a * d + b] = covariance[b * d + a] = average(
                [&](std::uint32_t row) { return (one[row] - mean[a]) * (other[row] - mean[b]); });
        }
    }
    return covariance;
}

}  // namespace

std::size_t ObliqueNode::n_attempts(const ObliqueOptions& options) const {
    switch (options.search) {
        case ObliqueSearch::none: return 0;
        case ObliqueSearch::oc1: return options.n_restarts;
        case ObliqueSearch::hhcart:
        case ObliqueSearch::hhcart_dominant: return directions.size();
        case ObliqueSearch::cart_lc: return 1;
        case ObliqueSearch::random_projections:
            return options.n_projections > 0 ? options.n_projections
                                             : std::max<std::size_t>(20, 2 * n_columns());
    }
    return 0;
}

void standardise(const data::Dataset& data, const data::Block& block,
                 std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns,
                 Progress& progress, ObliqueNode& node) {
    copy_rows(block, rows, data.target.n_outputs, node.rows);
    node.columns.clear();
    node.spread.clear();
    node.standard.clear();
    node.directions.clear();
    for (const std::uint32_t column : columns) {
        progress.check(true);
        if (append_standard(data.columns[column], node)) node.columns.push_back(column);
    }
}

void find_directions(const data::Target& target, bool only_dominant, Progress& progress,
                     ObliqueNode& node) {
    for (const Group& group : groups_of(target, node.rows)) {
        if (group.rows.size() < 2) continue;
        const Eigen eigen =
            eigen_of(covariance_of(node, group, progress), node.n_columns(), progress);
        for (std::size_t i = 0; i < eigen.value.size(); ++i) {
            if (!(eigen.value[i] > kNoVariance * eigen.value[0])) break;
            node.directions.push_back(eigen.vector[i]);
            if (only_dominant) break;
        }
    }
}

}  // namespace treewright::split
