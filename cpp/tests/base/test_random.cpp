#include "check.hpp"
#include "treewright/base/random.hpp"

using namespace treewright;

CASE(draws_are_uniform_and_keyed) {
    Generator a(5), b(5), c(6);
    CHECK(a.next() == b.next());
    CHECK(a.next() != c.next());
    double sum = 0.0;
    for (int i = 0; i < 10'000; ++i) sum += a.uniform();
    CHECK_NEAR(sum / 10'000, 0.5, 0.02);
    for (int i = 0; i < 1000; ++i) CHECK(a.below(7) < 7);
}
