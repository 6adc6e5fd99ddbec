#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "made_data.hpp"
#include "treewright/criteria/registry.hpp"
#include "treewright/split/oblique/pencil.hpp"

using namespace treewright;
using namespace treewright::data;
using namespace treewright::criteria;
using namespace treewright::split;

namespace {

ObliqueNode made_node(const MadeData& made, std::size_t n_columns) {
    Block block;
    block.n_rows = static_cast<std::uint32_t>(made.data.n_rows);
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> columns;
    for (std::uint32_t row = 0; row < block.n_rows; ++row) rows.push_back(row);
    for (std::uint32_t j = 0; j < n_columns; ++j) columns.push_back(j);
    block.table_row = rows;
    block.weight = made.weight;
    for (const std::int32_t k : made.classes) block.classes.push_back(std::uint32_t(k));
    block.values = made.values;
    ObliqueNode node;
    standardise(made.data, block, rows, columns, unstopped, node);
    return node;
}

/// The best purity of the pencil, by looking at both sides of every plane anew.
template <Criterion C>
double best_by_hand(const C& criterion, const SearchLimits& limits, const ObliqueNode& node,
                    const double* value, const double* slope) {
    std::vector<double> alphas;
    for (std::size_t i = 0; i < node.n_rows(); ++i)
        if (slope[i] != 0.0) alphas.push_back(-value[i] / slope[i]);
    std::sort(alphas.begin(), alphas.end());
    std::vector<double> planes = {alphas.front() - 1.0, alphas.back() + 1.0};
    for (std::size_t i = 0; i + 1 < alphas.size(); ++i)
        planes.push_back((alphas[i] + alphas[i + 1]) / 2.0);
    double best = -std::numeric_limits<double>::infinity();
    for (const double alpha : planes) {
        std::vector<double> left(criterion.width());
        std::vector<double> right(criterion.width());
        for (std::uint32_t i = 0; i < node.n_rows(); ++i)
            add_row(criterion, (value[i] + alpha * slope[i] <= 0.0 ? left : right).data(),
                    node.rows, i);
        if (limits.admits(left.data()) && limits.admits(right.data()))
            best = std::max(best, criterion.pair(left.data(), right.data()));
    }
    return best;
}

template <Criterion C>
void check_pencils(std::uint32_t n_classes, bool weighted) {
    const auto made = make_data({.n_rows = 60,
                                 .n_real = 3,
                                 .n_nominal = 0,
                                 .n_classes = n_classes,
                                 .distinct = 1000,
                                 .weighted = weighted},
                                n_classes + 17);
    if (weighted)
        for (double& weight : made->weight) weight += 0.25;
    const ObliqueNode node = made_node(*made, 3);
    C criterion(made->data.target);
    std::vector<double> total(criterion.width());
    for (std::uint32_t i = 0; i < node.n_rows(); ++i)
        add_row(criterion, total.data(), node.rows, i);
    criterion.begin_node(total.data());
    std::fill(total.begin(), total.end(), 0.0);
    for (std::uint32_t i = 0; i < node.n_rows(); ++i)
        add_row(criterion, total.data(), node.rows, i);
    criterion.enter(total.data());
    SearchLimits limits;
    limits.min_copies = 3.0;
    Pencil<C> pencil(criterion, limits, node, total);
    Generator random(1);
    std::vector<double> value(node.n_rows());
    for (int trial = 0; trial < 20; ++trial) {
        for (std::size_t i = 0; i < node.n_rows(); ++i)
            value[i] = 0.7 * node.column(0)[i] - random.uniform() * node.column(1)[i] + 0.1;
        const double* slope = node.column(2);
        const Step step = pencil.best(value.data(), slope, random);
        const double by_hand = best_by_hand(criterion, limits, node, value.data(), slope);
        CHECK_NEAR(step.purity, by_hand, 1e-9 * std::abs(by_hand));
        // The plane it names has the purity it says.
        for (std::size_t i = 0; i < node.n_rows(); ++i) value[i] += step.alpha * slope[i];
        std::vector<double> flat(node.n_rows(), 1.0);
        std::vector<double> left(criterion.width());
        std::vector<double> right(criterion.width());
        for (std::uint32_t i = 0; i < node.n_rows(); ++i)
            add_row(criterion, (value[i] <= 0.0 ? left : right).data(), node.rows, i);
        CHECK_NEAR(criterion.pair(left.data(), right.data()), by_hand, 1e-9 * std::abs(by_hand));
    }
}

}  // namespace

CASE(a_pencil_finds_the_best_plane_it_holds) {
    for (const bool weighted : {false, true}) {
        for (const std::uint32_t n_classes : {2, 3}) {
            check_pencils<Gini>(n_classes, weighted);
            check_pencils<Entropy>(n_classes, weighted);
            check_pencils<Twoing>(n_classes, weighted);
            check_pencils<ChiSquare>(n_classes, weighted);
        }
        check_pencils<SquaredError>(0, weighted);
    }
}
