/// Leaf values for losses whose gradients say little: they are computed from the residuals of the
/// rows.
#pragma once

#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/boosting/loss.hpp"

namespace treewright::boosting {

/// The residual of a row.
struct Residual {
    double value;
    double weight;
};

[[nodiscard]] constexpr bool answers_by_residuals(LossKind kind) {
    return kind == LossKind::absolute || kind == LossKind::quantile || kind == LossKind::huber;
}

/// The prediction of a leaf of these rows, at least one; changes their order.
/// `parameter`: the loss's. Plain numbers count once each.
[[nodiscard]] double answer_of_residuals(LossKind kind, double parameter,
                                         std::vector<Residual>& residuals);
[[nodiscard]] double answer_of_residuals(LossKind kind, double parameter,
                                         std::vector<double>& residuals);

/// The least value with at least `level` of the weight up to it; the midpoint where it is exactly
/// so.
[[nodiscard]] double quantile_of(std::vector<Residual>& residuals, double level);
[[nodiscard]] double quantile_of(std::vector<double>& values, double level);

/// The quantile of the distances between targets and scores.
[[nodiscard]] double quantile_of_distances(std::span<const double> y, const double* scores,
                                           double level, Team& team);

}  // namespace treewright::boosting
