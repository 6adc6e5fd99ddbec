#include <limits>

#include "check.hpp"
#include "treewright/base/distributions.hpp"

using namespace treewright;

CASE(tails_match_published_values) {
    // Abramowitz and Stegun, tables 26.7 and 26.9.
    CHECK_NEAR(chi_square_tail(3.841458820694124, 1), 0.05, 1e-12);
    CHECK_NEAR(chi_square_tail(18.307038053275146, 10), 0.05, 1e-12);
    CHECK_NEAR(chi_square_tail(0.0, 3), 1.0, 0.0);
    CHECK_NEAR(f_tail(4.964602743730711, 1, 10), 0.05, 1e-10);
    CHECK_NEAR(f_tail(2.9782370160823, 10, 10), 0.05, 1e-8);
}

CASE(logarithms_of_tails_reach_beyond_underflow) {
    CHECK_NEAR(log_chi_square_tail(2000.0, 1), -1004.0267419589522, 1e-10);
    CHECK_NEAR(log_chi_square_tail(500.0, 10), -231.07614633364815, 1e-10);
    CHECK_NEAR(log_f_tail(50.0, 3, 40), -29.6377035681401, 1e-11);
    CHECK_NEAR(log_f_tail(3000.0, 2, 100), -205.54369320866556, 1e-10);
    CHECK_NEAR(log_f_tail(1600.0, 1, 500), -361.9693814148106, 1e-10);
    CHECK(log_chi_square_tail(std::numeric_limits<double>::infinity(), 3) ==
          -std::numeric_limits<double>::infinity());
    CHECK(log_f_tail(std::numeric_limits<double>::infinity(), 1, 5) ==
          -std::numeric_limits<double>::infinity());
}

CASE(logarithms_of_tails_keep_what_is_nearly_one) {
    CHECK_NEAR(log_chi_square_tail(0.01, 9) / -8.40875536939249e-13, 1.0, 1e-9);
    CHECK_NEAR(log_f_tail(1e-4, 8, 30) / -1.5467507133415083e-15, 1.0, 1e-9);
    CHECK(log_chi_square_tail(0.0, 4) == 0.0);
}
