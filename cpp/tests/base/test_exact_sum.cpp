#include <cmath>
#include <vector>

#include "check.hpp"
#include "treewright/base/exact_sum.hpp"
#include "treewright/base/random.hpp"

using namespace treewright;

CASE(exact_sums_forget_the_order) {
    ExactSum forward, backward;
    std::vector<double> terms;
    Generator random(3);
    for (int i = 0; i < 1000; ++i)
        terms.push_back((random.uniform() - 0.5) * std::exp2(random.below(60)));
    for (std::size_t i = 0; i < terms.size(); ++i) {
        forward.add(terms[i]);
        backward.add(terms[terms.size() - 1 - i]);
    }
    CHECK(forward.value() == backward.value());
}
