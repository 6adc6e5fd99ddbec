#include <algorithm>
#include <cmath>
#include <map>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/forest/proximity.hpp"
#include "treewright/forest/quantiles.hpp"

using namespace treewright;
using namespace treewright::forest;

namespace {

/// Leaves drawn at random, rows x trees; node numbers with gaps, as inner nodes leave them.
std::vector<std::int32_t> random_leaves(std::size_t n_rows, std::size_t n_trees,
                                        Generator& random) {
    std::vector<std::int32_t> leaves(n_rows * n_trees);
    for (std::int32_t& leaf : leaves) leaf = 3 * static_cast<std::int32_t>(random.below(5)) + 1;
    return leaves;
}

std::vector<std::int32_t> of_tree(const std::vector<std::int32_t>& leaves, std::size_t n_trees,
                                  std::size_t tree) {
    std::vector<std::int32_t> own;
    for (std::size_t i = tree; i < leaves.size(); i += n_trees) own.push_back(leaves[i]);
    return own;
}

}  // namespace

CASE(quantiles_are_those_of_the_averaged_weights) {
    Generator random(1);
    const std::size_t n_trained = 30;
    const std::size_t n_rows = 70;
    const std::size_t n_trees = 9;
    const std::vector<double> levels = {0.0, 0.05, 0.3, 0.5, 0.93, 1.0};
    for (const bool weighted : {false, true}) {
        std::vector<std::uint32_t> rank(n_trained);
        std::vector<double> values;
        for (int i = 0; i < 11; ++i) values.push_back(i * i - 7.5);
        for (std::uint32_t& r : rank) r = static_cast<std::uint32_t>(random.below(11));
        std::vector<double> weight;
        for (std::size_t i = 0; weighted && i < n_trained; ++i)
            weight.push_back(static_cast<double>(random.below(4)) / 4.0);
        const auto trained = random_leaves(n_trained, n_trees, random);
        auto leaves = random_leaves(n_rows, n_trees, random);
        leaves[0] = 2;  // where nothing stands
        leaves[1] = 1000;
        leaves[2] = -1;
        LeafRows rows(rank, 11, weight);
        std::vector<std::vector<std::uint32_t>> times(n_trees);
        for (std::size_t tree = 0; tree < n_trees; ++tree) {
            for (std::size_t i = 0; i < n_trained; ++i)
                times[tree].push_back(static_cast<std::uint32_t>(random.below(3)));
            rows.add_tree(of_tree(trained, n_trees, tree), times[tree]);
        }
        std::vector<double> found[2];
        for (const std::size_t n_threads : {1, 3}) {
            std::vector<double>& out = found[n_threads == 1 ? 0 : 1];
            out.resize(n_rows * levels.size());
            Progress progress(nullptr);
            quantiles(rows, values, leaves, levels, n_threads, progress, out);
        }
        CHECK(found[0] == found[1]);
        for (std::size_t row = 0; row < n_rows; ++row) {
            std::map<double, double> mass;
            double said = 0.0;
            for (std::size_t tree = 0; tree < n_trees; ++tree) {
                double total = 0.0;
                const auto weight_of = [&](std::size_t i) {
                    const bool here = trained[i * n_trees + tree] == leaves[row * n_trees + tree];
                    return here ? times[tree][i] * (weighted ? weight[i] : 1.0) : 0.0;
                };
                for (std::size_t i = 0; i < n_trained; ++i) total += weight_of(i);
                if (total == 0.0) continue;
                said += 1.0;
                for (std::size_t i = 0; i < n_trained; ++i)
                    if (weight_of(i) > 0.0) mass[values[rank[i]]] += weight_of(i) / total;
            }
            for (std::size_t level = 0; level < levels.size(); ++level) {
                double below = 0.0;
                double expected = std::nan("");
                for (const auto& [value, m] : mass) {
                    expected = value;
                    below += m;
                    if (below >= levels[level] * said - 1e-9) break;
                }
                CHECK(found[0][row * levels.size() + level] == expected);
            }
        }
    }
}

CASE(a_row_in_empty_leaves_has_no_quantiles) {
    LeafRows rows({0, 1}, 2, {});
    rows.add_tree(std::vector<std::int32_t>{1, 1}, {});
    std::vector<double> out(2);
    Progress progress(nullptr);
    const std::vector<double> values = {1.0, 2.0};
    quantiles(rows, values, std::vector<std::int32_t>{2}, std::vector<double>{0.5, 1.0}, 1,
              progress, out);
    CHECK(std::isnan(out[0]) && std::isnan(out[1]));
    quantiles(rows, values, std::vector<std::int32_t>{1}, std::vector<double>{0.5, 1.0}, 1,
              progress, out);
    CHECK(out[0] == 1.0 && out[1] == 2.0);
}

CASE(proximities_are_shares_of_the_trees_that_count) {
    Generator random(2);
    const std::size_t n = 90;
    const std::size_t n_trees = 70;  // more than a word of bits
    const std::size_t k = 7;
    for (const bool out_of_bag : {false, true}) {
        const auto leaves = random_leaves(n, n_trees, random);
        std::vector<std::uint8_t> asked(n * n_trees, 1);
        if (out_of_bag)
            for (auto& each : asked) each = random.below(3) == 0 ? 1 : 0;
        auto own = leaves;
        for (std::size_t i = 0; i < own.size(); ++i)
            if (asked[i] == 0) own[i] = -1;
        Proximities proximities(static_cast<std::uint32_t>(n), n_trees);
        for (std::size_t tree = 0; tree < n_trees; ++tree) {
            std::vector<std::uint32_t> counts;
            for (std::size_t i = 0; out_of_bag && i < n; ++i)
                counts.push_back(asked[i * n_trees + tree]);
            proximities.add_tree(of_tree(leaves, n_trees, tree), counts);
        }
        Progress progress(nullptr);
        const auto met = proximities.reaching(own, 0.0, 3, progress);
        std::vector<double> dense(n * n, 0.0);
        for (std::size_t i = 0; i < n; ++i)
            for (auto at = met.start[i]; at < met.start[i + 1]; ++at)
                dense[i * n + static_cast<std::size_t>(met.row[static_cast<std::size_t>(at)])] =
                    met.share[static_cast<std::size_t>(at)];
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                double together = 0.0;
                double meet = 0.0;
                for (std::size_t tree = 0; tree < n_trees; ++tree) {
                    if (asked[i * n_trees + tree] == 0 || asked[j * n_trees + tree] == 0) continue;
                    together += 1.0;
                    meet += leaves[i * n_trees + tree] == leaves[j * n_trees + tree] ? 1.0 : 0.0;
                }
                CHECK(dense[i * n + j] == (together > 0.0 ? meet / together : 0.0));
            }
        std::vector<std::int32_t> row(n * k);
        std::vector<double> share(n * k);
        proximities.nearest(own, k, 0, 2, progress, row, share);
        for (std::size_t i = 0; i < n; ++i) {
            std::vector<std::pair<double, std::int32_t>> all;
            for (std::size_t j = 0; j < n; ++j)
                if (j != i && dense[i * n + j] > 0.0)
                    all.emplace_back(-dense[i * n + j], static_cast<std::int32_t>(j));
            std::sort(all.begin(), all.end());
            for (std::size_t at = 0; at < k; ++at) {
                CHECK(row[i * k + at] == (at < all.size() ? all[at].second : -1));
                CHECK(share[i * k + at] == (at < all.size() ? -all[at].first : 0.0));
            }
        }
    }
}

CASE(own_shares_leave_out_the_row_itself) {
    // Rows 0, 1, 2 share the leaf of the first tree; row 3 is alone, and the second tree is asked
    // about nobody but row 0.
    const std::vector<double> weight = {1.0, 2.0, 1.0, 5.0};
    LeafRows rows({0, 1, 1, 2}, 3, weight);
    rows.add_tree(std::vector<std::int32_t>{1, 1, 1, 2}, {});
    rows.add_tree(std::vector<std::int32_t>{0, 0, 0, 0}, {});
    const std::vector<std::int32_t> asked = {1, 0, 1, -1, 1, -1, 2, -1};
    std::vector<double> out(8);
    Progress progress(nullptr);
    own_shares(rows, asked, true, {}, 2, progress, out);
    CHECK(out[0] == 0.0 && out[1] == 0.0);
    CHECK_NEAR(out[2], 1.0 / 2.0, 1e-12);  // of rows 0 and 2
    CHECK_NEAR(out[3], 1.0, 1e-12);
    CHECK_NEAR(out[4], 1.0 / 3.0, 1e-12);  // of rows 0 and 1
    CHECK_NEAR(out[5], 1.0, 1e-12);
    CHECK(std::isnan(out[6]) && std::isnan(out[7]));
    own_shares(rows, asked, false, {}, 1, progress, out);
    CHECK_NEAR(out[2], 1.0 / 4.0, 1e-12);
    CHECK_NEAR(out[7], 1.0, 1e-12);
}
