/// The best cut between runs of equal values (row_runs.hpp), by Gini's index of two classes or by
/// squared error: for AVX-512 and for any processor, with the same results.
#pragma once

#include <cstdint>

namespace treewright::forest {

/// Cuts behind runs, by the weight and sum of the rows up to each.
struct RunCuts {
    const double* weight;
    const double* target;
    std::uint32_t n;
    double more_weight;  ///< of rows without a value on the first side
    double more_target;
    double all;         ///< weight of the node
    double least;       ///< weight that either side must have, and more than none
    double mean_whole;  ///< of the node, as a whole number and a rest
    double mean_rest;
};

/// The greatest (s - w S / W)^2 / (w (W - w)) of an admissible cut; kNoPlainCut if there is none.
[[nodiscard]] double best_of_runs(const RunCuts& cuts);
/// The same by the loop for any processor, to compare with.
[[nodiscard]] double best_of_runs_anywhere(const RunCuts& cuts);

}  // namespace treewright::forest
