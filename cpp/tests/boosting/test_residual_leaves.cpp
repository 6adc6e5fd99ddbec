#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "treewright/base/random.hpp"
#include "treewright/boosting/residual_leaves.hpp"

using namespace treewright;
using namespace treewright::boosting;

namespace {

/// By the definition: the least value with the share of the values up to it, or midway.
double by_counting(std::vector<double> values, double level) {
    std::sort(values.begin(), values.end());
    const double wanted = level * static_cast<double>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto up_to = static_cast<double>(i + 1);
        if (up_to == wanted && i + 1 < values.size()) return (values[i] + values[i + 1]) / 2.0;
        if (up_to >= wanted) return values[i];
    }
    return values.back();
}

constexpr double kLevels[] = {0.001, 0.05, 0.25, 0.5, 0.75, 0.9, 0.999};

}  // namespace

CASE(quantiles_of_plain_and_of_weighted_numbers_are_those_of_the_definition) {
    Generator draw(3);
    for (std::size_t n = 1; n < 60; ++n)
        for (const double level : kLevels) {
            std::vector<double> values;
            std::vector<Residual> weighted;
            std::vector<double> repeated;
            for (std::size_t i = 0; i < n; ++i) {
                const auto value = static_cast<double>(draw.below(n));
                values.push_back(value);
                const std::size_t copies = 1 + draw.below(3);
                weighted.push_back({value, static_cast<double>(copies)});
                repeated.insert(repeated.end(), copies, value);
            }
            CHECK(quantile_of(values, level) == by_counting(values, level));
            CHECK(quantile_of(weighted, level) == by_counting(repeated, level));
            for (const AnyLoss& loss : {AnyLoss(AbsoluteError{}), AnyLoss(Huber{.delta = 1.5})}) {
                const double answer = answer_of_residuals(loss, weighted);
                CHECK(std::abs(answer_of_residuals(loss, repeated) - answer) < 1e-12);
            }
        }
}

CASE(the_quantile_of_distances_is_found_wherever_it_lies) {
    Generator draw(4);
    for (const std::size_t n : {1U, 2U, 100U, 16'385U, 50'000U})
        for (const bool is_odd_one_out : {false, true}) {
            std::vector<double> y(n);
            std::vector<double> scores(n);
            std::vector<double> distances(n);
            for (std::size_t row = 0; row < n; ++row) {
                y[row] = std::floor(draw.uniform() * 500.0);
                scores[row] = draw.uniform() < 0.5 ? y[row] + 1.0 : 250.0;
            }
            // Rows that are looked at beforehand are unlike all others.
            for (std::size_t i = 0; i < 2048 && is_odd_one_out; ++i) y[i * n / 2048] = 1e9;
            for (std::size_t row = 0; row < n; ++row)
                distances[row] = std::abs(y[row] - scores[row]);
            for (const std::size_t n_threads : {1, 3})
                for (const double level : kLevels) {
                    Team team(n_threads, unstopped);
                    CHECK(quantile_of_distances(y, scores.data(), level, team) ==
                          by_counting(distances, level));
                }
        }
}
