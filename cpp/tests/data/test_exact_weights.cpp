#include "treewright/data/exact_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"

using namespace treewright;
using namespace treewright::data;

CASE(rounded_weights_have_the_same_sum_in_any_order) {
    Generator random(1);
    for (const double steepness : {1.0, 20.0, 200.0}) {
        std::vector<double> weights;
        for (int i = 0; i < 500; ++i)
            weights.push_back(std::exp(steepness * (random.uniform() - 0.5)));
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        std::vector<double> rounded = weights;
        round_to_add(rounded, total);
        CHECK(add_exactly(rounded));
        for (std::size_t i = 0; i < weights.size(); ++i) {
            CHECK(rounded[i] > 0.0);
            CHECK(std::abs(rounded[i] - weights[i]) <= 0x1p-49 * total);
        }
        const double forwards = std::accumulate(rounded.begin(), rounded.end(), 0.0);
        CHECK(std::accumulate(rounded.rbegin(), rounded.rend(), 0.0) == forwards);
        std::sort(rounded.begin(), rounded.end());
        CHECK(std::accumulate(rounded.begin(), rounded.end(), 0.0) == forwards);
    }
}

CASE(weights_of_few_bits_are_left_as_they_are_and_none_become_something) {
    std::vector<double> weights = {0.0, 1.0, 0.25, 3.0, 1.0 + 0x1p-23};
    const std::vector<double> before = weights;
    round_to_add(weights, 100000.0);
    CHECK(weights == before);
    std::vector<double> nothing = {0.0, 0.0};
    round_to_add(nothing, 0.0);
    CHECK(nothing[0] == 0.0);
}
