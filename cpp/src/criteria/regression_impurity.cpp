#include "treewright/criteria/regression_impurity.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace treewright::criteria {

MedianOf median_of(std::vector<std::pair<double, double>>& value_and_weight) {
    std::sort(value_and_weight.begin(), value_and_weight.end());
    double all = 0.0;
    for (const auto& [value, weight] : value_and_weight) all += weight;
    MedianOf result;
    double below = 0.0;
    for (std::size_t i = 0; i < value_and_weight.size(); ++i) {
        below += value_and_weight[i].second;
        if (2.0 * below < all) continue;
        result.median = value_and_weight[i].first;
        if (2.0 * below == all && i + 1 < value_and_weight.size())
            result.median += (value_and_weight[i + 1].first - result.median) / 2.0;
        break;
    }
    ExactSum sum;
    for (const auto& [value, weight] : value_and_weight)
        sum.add(weight * std::abs(value - result.median));
    result.deviation = all > 0.0 ? sum.value() / all : 0.0;
    return result;
}

double given_impurity(const data::Impurity& function, double weight, double mean, double squares) {
    const std::array<double, 3> moments{weight, weight * mean, weight * mean * mean + squares};
    const double* line = moments.data();
    double found = 0.0;
    function({&line, 1}, moments.size(), {&found, 1});
    return found;
}

double value_impurity(const Traits& criterion, const data::Target& target,
                      std::span<const std::uint32_t> table_rows, std::span<const double> weights) {
    double mean_over_outputs = 0.0;
    for (std::size_t output = 0; output < target.n_outputs; ++output) {
        const auto value_of = [&](std::size_t i) {
            return target.values[table_rows[i] * target.n_outputs + output];
        };
        const auto weight_of = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };
        if (!criterion.is_additive) {
            std::vector<std::pair<double, double>> pairs;
            for (std::size_t i = 0; i < table_rows.size(); ++i)
                pairs.emplace_back(value_of(i), weight_of(i));
            mean_over_outputs += median_of(pairs).deviation;
            continue;
        }
        double all = 0.0;
        ExactSum sum;
        for (std::size_t i = 0; i < table_rows.size(); ++i) {
            all += weight_of(i);
            sum.add_product(weight_of(i), value_of(i));
        }
        const double mean = sum.value() / all;
        ExactSum spread;
        for (std::size_t i = 0; i < table_rows.size(); ++i) {
            const double value = value_of(i);
            if (criterion.is_deviance)
                spread.add(weight_of(i) * (value > 0.0 ? value * std::log(value / mean) : 0.0));
            else spread.add(weight_of(i) * (value - mean) * (value - mean));
        }
        if (target.impurity) {
            mean_over_outputs += given_impurity(target.impurity, all, mean, spread.value());
            continue;
        }
        mean_over_outputs += criterion.is_deviance
                                 ? spread.value() / all
                                 : impurity_of_squares(criterion, spread.value(), all);
    }
    return std::max(0.0, mean_over_outputs / static_cast<double>(target.n_outputs));
}

}  // namespace treewright::criteria
