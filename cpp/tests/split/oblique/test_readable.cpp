#include <cmath>
#include <limits>

#include "check.hpp"
#include "treewright/split/oblique/readable.hpp"

using namespace treewright;
using namespace treewright::split;

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
