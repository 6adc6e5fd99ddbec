/// Gradients and hessians of a block of rows at their scores.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "treewright/boosting/loss.hpp"
#include "treewright/boosting/row_blocks.hpp"

namespace treewright::boosting {

/// Input of the gradients. Scores, and gradients that are given, are outputs x rows.
struct SlopeSource {
    LossKind kind = LossKind::squared;
    double parameter = 0.0;  ///< of the loss
    std::size_t n_outputs = 1;
    std::span<const double> y;
    std::span<const double> scores;
    std::span<const double> given_gradient;  ///< for a loss of the user's
    std::span<const double> given_hessian;
};

/// Working memory of a thread. Outputs are kRowsPerBlock apart; hessians stay 1 where all are.
struct BlockSlopes {
    explicit BlockSlopes(std::size_t n_outputs)
        : gradient(n_outputs * kRowsPerBlock), hessian(n_outputs * kRowsPerBlock, 1.0) {}

    std::vector<double> gradient;
    std::vector<double> hessian;
    std::vector<double> y;  ///< of listed rows, and their scores
    std::vector<double> scores;

    /// Gradients and hessians of one copy of each of at most kRowsPerBlock rows.
    void fill(const SlopeSource& source, const RowRange& rows);

    [[nodiscard]] const double* gradient_of(std::size_t output) const {
        return gradient.data() + output * kRowsPerBlock;
    }
    [[nodiscard]] const double* hessian_of(std::size_t output) const {
        return hessian.data() + output * kRowsPerBlock;
    }
};

}  // namespace treewright::boosting
