#include <cmath>

#include "check.hpp"
#include "treewright/base/combinatorics.hpp"

using namespace treewright;

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
