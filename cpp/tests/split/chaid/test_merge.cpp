#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "treewright/split/chaid/merge.hpp"

using namespace treewright;
using namespace treewright::criteria;
using namespace treewright::split;

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

CASE(proportional_counts_do_not_differ) {
    const double a[] = {30.0, 30.0, 10.0, 20.0};
    const double b[] = {9.0, 9.0, 3.0, 6.0};
    const double* const both[] = {a, b};
    for (const bool ratio : {false, true})
        CHECK(ClassTest(kStatistics, 4, 1.0, ratio).log_p(both) == 0.0);
}

CASE(the_size_of_weights_does_not_matter_even_where_their_products_vanish) {
    const double a[] = {30.0, 30.0, 12.0, 18.0};
    const double b[] = {9.0, 9.0, 9.0, 0.0};
    const double* const both[] = {a, b};
    for (const double size : {1e-150, 1e-200, 1e-300}) {
        double small_a[4];
        double small_b[4];
        for (std::size_t i = 0; i < 4; ++i) {
            small_a[i] = a[i] * size;
            small_b[i] = b[i] * size;
        }
        const double* const small[] = {small_a, small_b};
        for (const bool ratio : {false, true}) {
            const double right = ClassTest(kStatistics, 4, 1.0, ratio).log_p(both);
            CHECK_NEAR(ClassTest(kStatistics, 4, 1.0 / size, ratio).log_p(small), right, 1e-9);
            const double* const mixed[] = {a, small_b};
            const double found = ClassTest(kStatistics, 4, 1.0, ratio).log_p(mixed);
            CHECK(found <= 0.0 && found > -1.0);
        }
    }
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
