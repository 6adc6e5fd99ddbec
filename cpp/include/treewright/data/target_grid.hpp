/// Regression targets rounded to whole numbers, so that sums do not depend on their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "treewright/data/block.hpp"
#include "treewright/data/dataset.hpp"

namespace treewright::data {

/// value = offset[output] + grid / scale; one scale for all outputs, so that their errors add.
struct Grid {
    std::vector<double> offset;
    double scale = 0.0;  ///< 0: no grid laid yet
};

/// The middle of a range, rounded to a coarse power of two: whole numbers stay whole.
[[nodiscard]] double grid_offset(double lowest, double highest);
/// The scale for values up to `farthest` from the offset whose weights add up to `units`.
[[nodiscard]] double grid_scale(double farthest, double units);

/// Whether a grid for all values leaves most of them on few of its steps, as where the greatest are
/// millions of millions times the usual ones: then nodes need finer grids.
[[nodiscard]] bool is_too_coarse(std::span<const double> values);

/// The grid of one target whose values are in a range, if it is finer than one of this scale (0:
/// there is none) by enough to pay.
struct FinerGrid {
    double offset = 0.0;
    double scale = 0.0;
};
[[nodiscard]] std::optional<FinerGrid> finer_grid(double lowest, double highest, double units,
                                                  double scale);

/// Makes the grids of the targets of nodes.
///
/// Values are centred on the middle of the node's range and scaled by a power of two such that
/// their sum, times the weights, stays below 2^52: a double then adds whole numbers exactly, in any
/// order, on any number of threads. The rounding is at most range x 2^-50 x the node's weight in
/// units of the smallest weight (for a million rows about 1e-9 of the range, for a thousand 1e-12);
/// whole-number targets of moderate range are not rounded. A node finer than its parent's grid by
/// 16 or more gets a grid of its own.
class Gridding {
public:
    /// `keep_zero` leaves the offset at 0 (Poisson deviance needs the true level).
    Gridding(const Dataset& data, bool keep_zero);

    /// Rewrites block.values of the rows if a finer grid pays; true if it did.
    bool refine(Block& block, std::span<const std::uint32_t> rows, Grid& grid) const;

private:
    const Dataset& data;
    bool keep_zero;
    double smallest_weight = 1.0;
};

}  // namespace treewright::data
