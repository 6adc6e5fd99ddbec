/// Weights of rows whose sums are exact, so that it does not matter in which order they are added.
#pragma once

#include <span>

namespace treewright::data {

/// Whether sums of weights, and of the targets times them (data/target_grid.hpp), are exact.
[[nodiscard]] bool are_whole(std::span<const double> weights);

/// Whether sums of weights are exact: all are multiples of one power of two, as those of 24 bits
/// are (RowWeights.relative in Python), and their sum has no more bits than a double.
[[nodiscard]] bool add_exactly(std::span<const double> weights);

/// Rounds weights so that their sums, up to a total that all of them may come to, are exact. Those
/// of 24 bits stay as they are unless some are millions of times as heavy as others. A weight above
/// 0 stays above 0.
void round_to_add(std::span<double> weights, double total);

}  // namespace treewright::data
