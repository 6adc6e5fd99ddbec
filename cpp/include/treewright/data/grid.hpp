/// Targets of a regression rounded to whole numbers, so that sums do not depend on their order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "treewright/data/dataset.hpp"

namespace treewright {

/// value = offset[output] + grid / scale; one scale for all outputs, so that their errors add.
struct Grid {
    std::vector<double> values;  ///< rows x outputs
    std::vector<double> offset;
    double scale = 1.0;
};

/// Centres each output on its middle and scales it by a power of two such that the sum over all
/// rows (times their weight) stays below 2^52: a double then adds whole numbers exactly, in any
/// order, on any number of threads. The rounding is at most range x 2^-52 x total weight (for a
/// million rows about 2e-10 of the range); whole-number targets of moderate range are not rounded.
/// `keep_zero` leaves the offset at 0 (Poisson deviance needs the true level).
[[nodiscard]] Grid grid_of(const Dataset& data, bool keep_zero);

}  // namespace treewright
