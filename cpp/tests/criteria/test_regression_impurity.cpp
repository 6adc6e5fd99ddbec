#include <utility>
#include <vector>

#include "check.hpp"
#include "treewright/criteria/regression_impurity.hpp"

using namespace treewright;
using namespace treewright::criteria;

CASE(median_takes_the_middle) {
    std::vector<std::pair<double, double>> even = {{4, 1}, {1, 1}, {3, 1}, {2, 1}};
    const MedianOf middle = median_of(even);
    CHECK(middle.median == 2.5);
    CHECK(middle.deviation == 1.0);
    std::vector<std::pair<double, double>> heavy = {{1, 5}, {2, 1}, {9, 1}};
    CHECK(median_of(heavy).median == 1.0);
}
