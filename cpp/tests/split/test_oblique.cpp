#include "check.hpp"
#include "made_data.hpp"
#include "treewright/base/symmetric_eigen.hpp"
#include "treewright/criteria/registry.hpp"
#include "treewright/grow/grower.hpp"
#include "treewright/split/oblique/pencil.hpp"
#include "treewright/split/oblique/readable.hpp"
#include "treewright/tree/plan.hpp"

using namespace treewright;

namespace {

const Poll kNoPoll = [] {};

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
    standardise(made.data, block, rows, columns, kNoPoll, node);
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

GrowOptions oblique_options(const MadeData& made, const char* criterion, ObliqueSearch search) {
    GrowOptions options = grow_options(made, criterion);
    options.oblique.search = search;
    options.oblique.n_restarts = 3;
    for (std::uint32_t j = 0; j < made.reals.size(); ++j) options.oblique.columns.push_back(j);
    return options;
}

constexpr ObliqueSearch kSearches[] = {ObliqueSearch::oc1, ObliqueSearch::hhcart,
                                       ObliqueSearch::hhcart_dominant, ObliqueSearch::cart_lc,
                                       ObliqueSearch::random_projections};

}  // namespace

CASE(eigenvectors_are_what_the_matrix_stretches) {
    Generator random(5);
    for (const std::size_t n : {1, 2, 3, 8, 25}) {
        std::vector<double> matrix(n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j)
                matrix[i * n + j] = matrix[j * n + i] = random.uniform() - 0.5;
        const Eigen eigen = eigen_of(matrix, n, kNoPoll);
        CHECK(eigen.value.size() == n);
        CHECK(std::is_sorted(eigen.value.rbegin(), eigen.value.rend()));
        for (std::size_t e = 0; e < n; ++e) {
            double length = 0.0;
            for (std::size_t i = 0; i < n; ++i) {
                double product = 0.0;
                for (std::size_t j = 0; j < n; ++j)
                    product += matrix[i * n + j] * eigen.vector[e][j];
                CHECK_NEAR(product, eigen.value[e] * eigen.vector[e][i], 1e-12);
                length += eigen.vector[e][i] * eigen.vector[e][i];
            }
            CHECK_NEAR(length, 1.0, 1e-12);
        }
    }
}

CASE(a_threshold_is_a_short_number_in_the_middle) {
    CHECK(short_number_between(0.9, 1.13) == 1.0);
    CHECK(short_number_between(5.0, 6.0) == 5.5);
    CHECK(short_number_between(-1.0, 2.0) == 0.0);
    CHECK(short_number_between(0.123456, 0.123476) == 0.12347);
    CHECK(short_number_between(-7310.0, -7180.0) == -7250.0);
    for (const double low : {1.0, -1.0, 0.0, 1e-300, 1e300, -3.7e12}) {
        const double high = std::nextafter(low, std::numeric_limits<double>::infinity());
        const double between = short_number_between(low, high);
        CHECK(between >= low && between < high);
    }
}

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

CASE(sums_grow_one_tree_for_any_number_of_threads) {
    for (const ObliqueSearch search : kSearches)
        for (const std::uint32_t n_classes : {0, 2, 3}) {
            const auto made = make_data(
                {.n_rows = 1500, .n_classes = n_classes, .missing = 0.02, .distinct = 300}, 8);
            GrowOptions options =
                oblique_options(*made, n_classes == 0 ? "squared_error" : "gini", search);
            options.max_depth = 6;
            Progress progress(nullptr);
            const Tree reference = grow(made->data, options, progress);
            std::size_t n_sums = 0;
            for (const TreeNode& node : reference.nodes) n_sums += node.kind == 4 ? 1 : 0;
            CHECK(n_sums > 0);
            for (const std::size_t n_threads : {2, 4}) {
                options.n_threads = n_threads;
                const Tree tree = grow(made->data, options, progress);
                CHECK(tree.nodes.size() == reference.nodes.size());
                CHECK(tree.value == reference.value);
                CHECK(tree.terms.column == reference.terms.column);
                CHECK(tree.terms.coefficient == reference.terms.coefficient);
            }
        }
}

CASE(rows_are_predicted_where_they_were_counted) {
    for (const ObliqueSearch search : kSearches)
        for (const Missing policy :
             {Missing::learned_side, Missing::majority, Missing::own_branch, Missing::surrogates}) {
            const auto made = make_data({.n_rows = 700, .missing = 0.05, .distinct = 60}, 4);
            GrowOptions options = oblique_options(*made, "entropy", search);
            options.missing = policy;
            Progress progress(nullptr);
            const Tree tree = grow(made->data, options, progress);
            const Plan plan(tree, std::vector<std::int32_t>(tree.nodes.size(), -1), {2});
            std::vector<std::int64_t> leaf(made->data.n_rows);
            plan.apply({made->data.n_rows, made->data.columns}, 1, leaf);
            std::vector<std::int64_t> counted(tree.nodes.size(), 0);
            for (const std::int64_t each : leaf) ++counted[static_cast<std::size_t>(each)];
            for (std::size_t i = 0; i < tree.nodes.size(); ++i)
                if (tree.nodes[i].n_branches == 0) CHECK(counted[i] == tree.nodes[i].n_rows);
        }
}

CASE(looking_at_a_sum_repeats_its_growing) {
    const auto made = make_data({.n_rows = 400, .missing = 0.05, .distinct = 80}, 31);
    for (const ObliqueSearch search : kSearches) {
        const GrowOptions options = oblique_options(*made, "gini", search);
        Progress progress(nullptr);
        const Tree tree = grow(made->data, options, progress);
        std::size_t node = 0;
        std::vector<std::uint32_t> path;
        while (tree.nodes[node].n_branches > 0) {
            const TreeNode& grown = tree.nodes[node];
            const Inspection seen = inspect(made->data, options, path, progress);
            CHECK(seen.chosen >= 0);
            const auto& chosen = seen.candidates[static_cast<std::size_t>(seen.chosen)];
            CHECK(static_cast<int>(chosen.candidate.question) == grown.kind);
            CHECK(chosen.candidate.gain == grown.gain);
            if (grown.kind == 4) {
                CHECK(chosen.threshold == grown.threshold);
                const auto at = static_cast<std::size_t>(grown.term_offset);
                for (std::size_t i = 0; i < chosen.candidate.terms.size(); ++i)
                    CHECK(chosen.candidate.terms.coefficient[i] == tree.terms.coefficient[at + i]);
            }
            path.push_back(1);
            node = static_cast<std::size_t>(grown.first_child) + 1;
        }
    }
}
