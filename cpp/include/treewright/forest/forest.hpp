/// Many trees on one table, grown in parallel: one thread a tree, or several where trees are few.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/forest/fast/grower.hpp"
#include "treewright/forest/packed.hpp"
#include "treewright/forest/sampling.hpp"
#include "treewright/grow/options.hpp"

namespace treewright::forest {

/// The number of trees, and how they differ: numbers, columns and rows.
struct ForestOptions {
    std::uint64_t first_tree = 0;
    std::size_t n_trees = 0;
    std::size_t n_threads = 1;
    std::uint32_t columns_per_tree = 0;  ///< drawn for each tree; 0 = all
    bool repeats_columns = false;        ///< with replacement: the tree may have fewer
    double min_leaf_share = 0.0;         ///< of the weight drawn, that a leaf needs
    std::vector<double> factor;          ///< weight of a row each time it is drawn; empty = 1
    bool balances = false;               ///< each tree gives the classes drawn equal weight
    std::optional<grow::Engine> engine;  ///< of those that serve best cuts; none: the faster one
};

/// The columns of a tree, ascending.
[[nodiscard]] std::vector<std::uint32_t> columns_of_tree(const grow::GrowOptions& options,
                                                         const ForestOptions& forest,
                                                         std::uint64_t tree);

/// What each row weighs each time that it is drawn for a tree, so that sums are exact
/// (data/exact_weights.hpp); empty if all weigh the same.
[[nodiscard]] std::vector<double> factors_of(std::span<const std::uint32_t> copies,
                                             const data::Dataset& data,
                                             const ForestOptions& forest);

/// The weights of the rows drawn for a tree: times drawn x factor.
[[nodiscard]] std::vector<double> weights_of(std::span<const std::uint32_t> copies,
                                             const data::Dataset& data,
                                             const ForestOptions& forest);

/// Grows packed trees and returns the engine that did; if it is the general one, nothing is grown:
/// no fast grower serves data and options. `sampling` null: every row once.
[[nodiscard]] grow::Engine grow_packed(const data::Dataset& data, const grow::GrowOptions& options,
                                       const ForestOptions& forest, const Sampling* sampling,
                                       Progress& progress, std::vector<PackedTree>& trees);

/// Grows trees of any kind; without a sampling on the data as they are, weights included.
[[nodiscard]] std::vector<tree::Tree> grow_trees(const data::Dataset& data,
                                                 const grow::GrowOptions& options,
                                                 const ForestOptions& forest,
                                                 const Sampling* sampling, Progress& progress);

}  // namespace treewright::forest
