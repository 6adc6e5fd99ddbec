/// Gradients and hessians of a block of rows at their scores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "treewright/boosting/objective.hpp"
#include "treewright/boosting/row_blocks.hpp"

namespace treewright::boosting {

/// What gradients and hessians are computed from. Scores, and what is given, are outputs x rows.
struct GradientInput {
    Objective objective;
    std::size_t n_outputs = 1;
    std::span<const double> y;
    std::span<const double> scores;
    std::span<const double> given_gradient;  ///< where they come from outside
    std::span<const double> given_hessian;
};

/// Working memory of a thread, kept from round to round. Hessians stay 1 where all are.
struct BlockGradients {
    /// A table of few rows needs room for these alone.
    BlockGradients(std::size_t n_outputs, std::size_t n_rows)
        : stride(std::min(n_rows, kRowsPerBlock)),
          gradient(n_outputs * stride),
          hessian(n_outputs * stride, 1.0) {}

    std::size_t stride;  ///< from output to output
    std::vector<double> gradient;
    std::vector<double> hessian;
    std::vector<double> y;  ///< of listed rows, and their scores
    std::vector<double> scores;

    /// Computes those of one copy of each of at most kRowsPerBlock rows.
    void fill(const GradientInput& input, const RowRange& rows);

    [[nodiscard]] const double* gradient_of(std::size_t output) const {
        return gradient.data() + output * stride;
    }
    [[nodiscard]] const double* hessian_of(std::size_t output) const {
        return hessian.data() + output * stride;
    }
};

}  // namespace treewright::boosting
