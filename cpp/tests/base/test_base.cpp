#include <atomic>
#include <stdexcept>

#include "check.hpp"
#include "treewright/base/distributions.hpp"
#include "treewright/base/parallel.hpp"
#include "treewright/base/random.hpp"
#include "treewright/criteria/regression_impurity.hpp"
#include "treewright/grow/question.hpp"

using namespace treewright;

CASE(tails_match_published_values) {
    // Abramowitz and Stegun, tables 26.7 and 26.9.
    CHECK_NEAR(chi_square_tail(3.841458820694124, 1), 0.05, 1e-12);
    CHECK_NEAR(chi_square_tail(18.307038053275146, 10), 0.05, 1e-12);
    CHECK_NEAR(chi_square_tail(0.0, 3), 1.0, 0.0);
    CHECK_NEAR(f_tail(4.964602743730711, 1, 10), 0.05, 1e-10);
    CHECK_NEAR(f_tail(2.9782370160823, 10, 10), 0.05, 1e-8);
}

CASE(team_does_every_item_once) {
    for (const std::size_t n_threads : {1, 2, 4}) {
        Team team(n_threads);
        std::vector<std::atomic<int>> done(1000);
        for (int round = 0; round < 20; ++round)
            team.for_each(done.size(), [&](std::size_t item, std::size_t) { ++done[item]; });
        for (const auto& count : done) CHECK(count == 20);
    }
}

CASE(team_survives_an_exception) {
    Team team(3);
    bool thrown = false;
    try {
        team.for_each(100, [](std::size_t item, std::size_t) {
            if (item == 7) throw std::runtime_error("seven");
        });
    } catch (const std::runtime_error&) {
        thrown = true;
    }
    CHECK(thrown);
    std::atomic<int> done{0};
    team.for_each(50, [&](std::size_t, std::size_t) { ++done; });
    CHECK(done == 50);
}

CASE(draws_are_uniform_and_keyed) {
    Generator a(5), b(5), c(6);
    CHECK(a.next() == b.next());
    CHECK(a.next() != c.next());
    double sum = 0.0;
    for (int i = 0; i < 10'000; ++i) sum += a.uniform();
    CHECK_NEAR(sum / 10'000, 0.5, 0.02);
    for (int i = 0; i < 1000; ++i) CHECK(a.below(7) < 7);
}

CASE(thresholds_separate_and_are_finite) {
    constexpr double kMost = std::numeric_limits<double>::max();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto separates = [](double below, double above) {
        const double t = threshold_between(below, above, ThresholdAt::midpoint);
        return std::isfinite(t) && below <= t && t < above;
    };
    CHECK(separates(-kMost, kMost));
    CHECK(separates(1.0, std::nextafter(1.0, 2.0)));
    CHECK(separates(0.0, std::numeric_limits<double>::denorm_min()));
    CHECK(separates(-kInfinity, 3.0));
    CHECK(separates(3.0, kInfinity));
    CHECK(separates(-kInfinity, kInfinity));
    CHECK(threshold_between(1.0, 4.0, ThresholdAt::midpoint) == 2.5);
    CHECK(threshold_between(1.0, 4.0, ThresholdAt::observed) == 1.0);
    constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
    CHECK(threshold_between(kLow, kHigh, ThresholdAt::midpoint) == -1);
    CHECK(threshold_between(kHigh - 1, kHigh, ThresholdAt::midpoint) == kHigh - 1);
}

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

CASE(median_takes_the_middle) {
    std::vector<std::pair<double, double>> even = {{4, 1}, {1, 1}, {3, 1}, {2, 1}};
    const MedianOf middle = median_of(even);
    CHECK(middle.median == 2.5);
    CHECK(middle.deviation == 1.0);
    std::vector<std::pair<double, double>> heavy = {{1, 5}, {2, 1}, {9, 1}};
    CHECK(median_of(heavy).median == 1.0);
}
