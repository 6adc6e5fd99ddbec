/// Linear combinations of columns: the questions of oblique nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::data {

/// The terms of linear combinations: coefficient x column, added in this order.
struct LinearTerms {
    std::vector<std::int32_t> column;
    std::vector<double> coefficient;
    std::vector<double> share;  ///< of the node's importance that the column gets; adds up to 1

    [[nodiscard]] std::size_t size() const { return column.size(); }
    void clear() {
        column.clear();
        coefficient.clear();
        share.clear();
    }
    /// Appends the terms of one linear combination and returns where they start.
    std::int64_t append(const LinearTerms& sum) {
        const auto start = static_cast<std::int64_t>(column.size());
        column.insert(column.end(), sum.column.begin(), sum.column.end());
        coefficient.insert(coefficient.end(), sum.coefficient.begin(), sum.coefficient.end());
        share.insert(share.end(), sum.share.begin(), sum.share.end());
        return start;
    }
};

/// Adds coefficient x number(i), from the first term to the last; NaN if a number is missing.
/// Growing and prediction both use this, so that a training row goes where it was counted.
template <class Number>
[[nodiscard]] double add_terms(std::span<const double> coefficients, Number&& number) {
    double sum = 0.0;
    for (std::size_t i = 0; i < coefficients.size(); ++i) sum += coefficients[i] * number(i);
    return sum;
}

}  // namespace treewright::data
