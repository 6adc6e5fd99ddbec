#include "treewright/data/target_grid.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"

using namespace treewright;

CASE(a_grid_is_too_coarse_where_most_values_are_on_few_of_its_steps) {
    Generator random(7);
    std::vector<double> even;
    std::vector<double> skewed;
    std::vector<double> zeros;
    for (int i = 0; i < 2000; ++i) {
        even.push_back(random.uniform());
        skewed.push_back(std::exp(100.0 * even.back()));
        zeros.push_back(i % 4 == 0 ? skewed.back() : 0.0);  // alike on any grid
    }
    CHECK(!data::is_too_coarse({}) && !data::is_too_coarse(std::vector<double>(5, 3.0)));
    CHECK(!data::is_too_coarse(even) && data::is_too_coarse(skewed) && !data::is_too_coarse(zeros));
    std::vector<double> moderate;
    for (const double value : even) moderate.push_back(std::exp(20.0 * value));
    CHECK(!data::is_too_coarse(moderate));
    skewed.push_back(-1e308);  // the range is beyond the doubles
    skewed.push_back(1e308);
    CHECK(data::is_too_coarse(skewed));
}
