/// Leaves of losses whose slopes say little: they answer from what is left to explain of their
/// rows.
#pragma once

#include <vector>

#include "treewright/boost/loss.hpp"

namespace treewright {

/// What is left to explain of a row.
struct Residual {
    double value;
    double weight;
};

[[nodiscard]] constexpr bool answers_by_residuals(LossKind kind) {
    return kind == LossKind::absolute || kind == LossKind::quantile || kind == LossKind::huber;
}

/// What a leaf of these rows, of which there is one at least, answers; puts them in order.
/// `parameter`: the loss's.
[[nodiscard]] double answer_of_residuals(LossKind kind, double parameter,
                                         std::vector<Residual>& residuals);

}  // namespace treewright
