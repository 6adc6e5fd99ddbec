/// What the trees of a forest say of the rows they were not grown on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/forest/packed.hpp"
#include "treewright/forest/sampling.hpp"

namespace treewright::forest {

/// The table a forest was grown on, and what tells which of its rows a tree has seen.
struct GrownOn {
    const tree::Rows& rows;
    const data::Target& target;      ///< one output
    std::span<const double> weight;  ///< of each row in a loss; empty = all 1
    const Sampling& sampling;
    std::uint64_t first_tree;  ///< number of the forest's first tree among the draws
};

/// The sums that trees are added to, tree by tree: of all trees so far.
struct OutOfBagSums {
    std::span<double> answers;         ///< rows x width
    std::span<std::uint32_t> n_trees;  ///< of each row: trees that have not seen it
};

/// Loss of some rows: the weight of those classified wrongly, or the sum of weighted squared
/// errors.
struct Loss {
    double loss = 0.0;
    double weight = 0.0;  ///< of the rows
};

struct OutOfBagLosses {
    std::vector<Loss> tree;    ///< of each tree alone, on the rows it has not seen
    std::vector<Loss> forest;  ///< of the trees up to and with each, on rows any of them has not
};

/// Adds the trees of a forest to the sums, in order. The result does not depend on n_threads.
[[nodiscard]] OutOfBagLosses add_out_of_bag(const PackedForest& forest, const GrownOn& grown_on,
                                            Vote vote, std::size_t n_threads, Progress& progress,
                                            OutOfBagSums sums);

}  // namespace treewright::forest
