/// Leaves of losses whose gradients say little: they answer from what is left to explain of their
/// rows.
#pragma once

#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/boosting/losses/registry.hpp"

namespace treewright::boosting {

/// The residual of a row.
struct Residual {
    double value;
    double weight;
};

/// What a leaf of these rows, of which there is one at least, answers; changes their order. The
/// loss is one that answers by residuals. Of plain numbers each counts once.
[[nodiscard]] double answer_of_residuals(const AnyLoss& loss, std::vector<Residual>& residuals);
[[nodiscard]] double answer_of_residuals(const AnyLoss& loss, std::vector<double>& residuals);

/// The least value with at least `level` of the weight up to it; the midpoint where it is exactly
/// so.
[[nodiscard]] double quantile_of(std::vector<Residual>& residuals, double level);
[[nodiscard]] double quantile_of(std::vector<double>& values, double level);

/// The quantile of the distances between targets and scores.
[[nodiscard]] double quantile_of_distances(std::span<const double> y, const double* scores,
                                           double level, Team& team);

}  // namespace treewright::boosting
