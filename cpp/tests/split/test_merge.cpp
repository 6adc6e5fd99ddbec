#include <limits>
#include <numeric>

#include "check.hpp"
#include "treewright/base/combinatorics.hpp"
#include "treewright/base/distributions.hpp"
#include "treewright/data/bins.hpp"
#include "treewright/split/chaid/merge.hpp"

using namespace treewright;

namespace {

/// Categories with the given weights of two classes.
struct TwoClasses {
    std::vector<double> sums;
    std::size_t n = 0;

    explicit TwoClasses(std::initializer_list<std::pair<double, double>> counts) {
        for (const auto& [a, b] : counts) add(a, b);
    }
    void add(double a, double b) {
        for (const double x : {a + b, a + b, a, b}) sums.push_back(x);
        ++n;
    }
    [[nodiscard]] Grouping merged(bool is_nominal, const Merging& merging = {},
                                  double min_copies = 1.0) const {
        SearchLimits limits;
        limits.min_copies = min_copies;
        return merge_categories({sums.data(), n, 4, is_nominal, false},
                                ClassTest(kStatistics, 4, 1.0, false), merging, limits);
    }
};

}  // namespace

CASE(logarithms_of_tails_reach_beyond_underflow) {
    CHECK_NEAR(log_chi_square_tail(2000.0, 1), -1004.0267419589522, 1e-10);
    CHECK_NEAR(log_chi_square_tail(500.0, 10), -231.07614633364815, 1e-10);
    CHECK_NEAR(log_f_tail(50.0, 3, 40), -29.6377035681401, 1e-11);
    CHECK_NEAR(log_f_tail(3000.0, 2, 100), -205.54369320866556, 1e-10);
    CHECK_NEAR(log_f_tail(1600.0, 1, 500), -361.9693814148106, 1e-10);
    CHECK(log_f_tail(std::numeric_limits<double>::infinity(), 1, 5) ==
          -std::numeric_limits<double>::infinity());
}

CASE(logarithms_of_tails_keep_what_is_nearly_one) {
    CHECK_NEAR(log_chi_square_tail(0.01, 9) / -8.40875536939249e-13, 1.0, 1e-9);
    CHECK_NEAR(log_f_tail(1e-4, 8, 30) / -1.5467507133415083e-15, 1.0, 1e-9);
    CHECK(log_chi_square_tail(0.0, 4) == 0.0);
}

CASE(groupings_are_stirling_numbers) {
    CHECK_NEAR(std::exp(log_groupings(5, 2)), 15.0, 1e-11);
    CHECK_NEAR(std::exp(log_groupings(10, 3)), 9330.0, 1e-8);
    CHECK_NEAR(std::exp(log_groupings(10, 9)), 45.0, 1e-11);
    CHECK_NEAR(log_groupings(25, 5), std::log(2436684974110751.0), 1e-12);
    CHECK_NEAR(log_groupings(100, 50), 234.02199340250817, 1e-10);
    CHECK_NEAR(log_groupings(600, 300), 1953.852351716911, 1e-9);
    CHECK_NEAR(log_groupings(100'000, 2), 99'999.0 * std::log(2.0), 1e-9);
    CHECK(log_groupings(7, 1) == 0.0);
    CHECK(log_groupings(7, 7) == 0.0);
    CHECK_NEAR(std::exp(log_choose(9, 4)), 126.0, 1e-10);
    CHECK(std::isinf(log_choose(3, 4)));
}

CASE(proportional_counts_do_not_differ) {
    const double a[] = {30.0, 30.0, 10.0, 20.0};
    const double b[] = {9.0, 9.0, 3.0, 6.0};
    const double* const both[] = {a, b};
    for (const bool ratio : {false, true})
        CHECK(ClassTest(kStatistics, 4, 1.0, ratio).log_p(both) == 0.0);
}

CASE(alike_values_are_merged_and_the_rest_told_apart) {
    const TwoClasses three = TwoClasses({{90, 10}, {10, 90}, {88, 12}, {50, 50}});
    const Grouping at_will = three.merged(true);
    CHECK(at_will.group_of_category == (std::vector<std::uint32_t>{0, 1, 0, 2}));
    const Grouping in_order = three.merged(false);
    CHECK(in_order.n_groups == 4);
    CHECK_NEAR(at_will.log_adjusted_p - at_will.log_p, std::log(6.0), 1e-9);  // S(4, 3)
    CHECK_NEAR(in_order.log_adjusted_p, in_order.log_p, 1e-9);
}

CASE(small_groups_join_the_most_alike) {
    const TwoClasses counts = TwoClasses({{90, 10}, {4, 0}, {10, 90}});
    CHECK(counts.merged(false).n_groups >= 2);
    const Grouping found = counts.merged(false, {}, 5.0);
    CHECK(found.group_of_category == (std::vector<std::uint32_t>{0, 0, 1}));
    CHECK(counts.merged(false, {}, 150.0).n_groups == 1);
}

CASE(very_many_values_are_merged_in_little_time) {
    TwoClasses counts({});
    for (int i = 0; i < 50'000; ++i) counts.add(i % 2 == 0 ? 1.0 : 0.0, i % 2 == 0 ? 0.0 : 1.0);
    const Grouping ids = counts.merged(true);
    CHECK(ids.n_groups == 2);
    CHECK(ids.log_adjusted_p == 0.0);  // 2^49999 ways to form two groups
    TwoClasses many({});
    for (int i = 0; i < 3000; ++i) many.add(1000.0 + i, 4000.0 - i);
    for (const bool is_nominal : {true, false}) {
        const Grouping found = many.merged(is_nominal);
        CHECK(found.n_groups > 2);
        CHECK(found.n_groups < 128);
        CHECK(found.log_adjusted_p < -100.0);
        CHECK(std::is_sorted(found.group_of_category.begin(), found.group_of_category.end()));
    }
}

CASE(bins_go_by_average_rank) {
    std::vector<double> values = {
        5.0, 1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 9.0, std::numeric_limits<double>::quiet_NaN()};
    Column column;
    column.data = reinterpret_cast<const std::byte*>(values.data());
    column.stride = sizeof(double);
    std::vector<std::uint32_t> rows(values.size());
    std::iota(rows.begin(), rows.end(), 0U);
    OrderScratch scratch;
    Order order = order_of(column, rows, scratch);
    // Ranks 2 2 2 4 5 6 7 8 of 8: times 3 / 9, rounded down, 0 0 0 1 1 2 2 2.
    const Bins bins = bin_by_rank(order, {}, 3);
    CHECK(bins.first_row == (std::vector<std::uint32_t>{1, 4, 6}));
    CHECK(bins.last_row == (std::vector<std::uint32_t>{3, 5, 7}));
    std::vector<int> begins;
    for (const std::uint32_t entry : order.entries) begins.push_back((entry & 1) == 0);
    CHECK(begins == (std::vector<int>{1, 0, 0, 1, 0, 1, 0, 0, 1}));
    for (const std::uint32_t row : {0U, 6U, 7U}) CHECK(bin_of(bins, column, row) == 2);
    CHECK(bin_of(bins, column, 5) == 1);

    // A row of two copies counts as two rows.
    std::vector<double> twice = {1.0, 1.0, 0.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    Order again = order_of(column, rows, scratch);
    const Bins same = bin_by_rank(again, twice, 3);
    CHECK(again.entries == order.entries);
    CHECK(same.last_row == bins.last_row);
}
