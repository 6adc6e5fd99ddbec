/// Out-of-bag predictions: each tree predicts the rows that it has not drawn.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/forest/packed.hpp"
#include "treewright/forest/sampling.hpp"

namespace treewright::forest {

/// The table a forest was grown on, and the draws of its trees.
struct GrownOn {
    const tree::Rows& rows;
    const data::Target& target;      ///< one output
    std::span<const double> weight;  ///< of each row in a loss; empty = all 1
    const Sampling& sampling;
    std::uint64_t first_tree;  ///< number of the forest's first tree among the draws
};

/// The sums of the predictions of all trees so far; trees are added one by one.
struct OutOfBagSums {
    std::span<double> answers;         ///< rows x width
    std::span<std::uint32_t> n_trees;  ///< of each row: trees for which it is out of bag
};

/// Loss of some rows: the weight of misclassified ones, or the sum of weighted squared
/// errors.
struct Loss {
    double loss = 0.0;
    double weight = 0.0;  ///< of the rows
};

struct OutOfBagLosses {
    std::vector<Loss> tree;    ///< of each tree alone, on its out-of-bag rows
    std::vector<Loss> forest;  ///< of the trees so far, on rows out of bag for any
};

/// Adds the trees of a forest to the sums, in order. The result does not depend on n_threads.
[[nodiscard]] OutOfBagLosses add_out_of_bag(const PackedForest& forest, const GrownOn& grown_on,
                                            Vote vote, std::size_t n_threads, Progress& progress,
                                            OutOfBagSums sums);

}  // namespace treewright::forest
