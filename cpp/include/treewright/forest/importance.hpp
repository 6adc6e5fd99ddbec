/// How much each column matters to a packed forest, measured on the rows that a tree has not seen.
///
/// Rows are taken in canonical order (forest/sampling.hpp), so that results depend neither on the
/// order of the table nor on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/base/random.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/forest/packed.hpp"
#include "treewright/forest/sampling.hpp"

namespace treewright::forest {

/// What the order of a column's values is drawn by.
[[nodiscard]] constexpr std::uint64_t shuffle_key(std::uint64_t seed, std::uint64_t tree,
                                                  std::uint64_t column, std::uint64_t repeat) {
    return mix(mix(mix(mix(seed, tree), 0x7065726dULL), column), repeat);  // "perm"
}

/// Puts values in an order that depends on the key alone (Durstenfeld, CACM 1964, algorithm 235).
template <class T>
void shuffle(std::span<T> values, std::uint64_t key) {
    Generator generator(key);
    for (std::size_t n = values.size(); n > 1; --n)
        std::swap(values[n - 1], values[generator.below(n)]);
}

/// The table a forest was grown from, and which rows its trees have drawn.
struct DrawnTable {
    const data::Dataset& data;
    const Sampling& sampling;
    std::span<const double> weight;  ///< what a row counts here; empty = all 1
    std::size_t n_threads = 1;
};

/// By tree and column the rise of the error on the tree's unseen rows (share of them misclassified,
/// or mean squared error) when the column's values are shuffled among them, the mean of `n_repeats`
/// shuffles (Breiman 2001, section 10). A tree that has seen all rows has NaNs.
[[nodiscard]] std::vector<double> permutation_importances(const PackedForest& forest,
                                                          const DrawnTable& table,
                                                          std::uint64_t seed, std::size_t n_repeats,
                                                          Progress& progress);

/// By tree and column the decrease of impurity (Gini, or squared error) on the tree's unseen rows:
/// MDI-oob of Li, Wang, Basu, Kumbier, Yu (NeurIPS 2019, section 4),
///
///     1 / n  sum over the nodes t that ask about the column
///            sum over the unseen rows i in t  (mean(child of t with i) - mean(t)) (y_i - y(t)),
///
/// where means are those of the tree's own rows and y(t) is that of the unseen rows in t; classes
/// are 0/1 vectors. On the tree's own rows this is the usual decrease of impurity, with or without
/// y(t). Li et al. have no y(t): then the result depends on the level of y, and noise columns have
/// less than 0 (a two-class table of 300 rows: -0.0007, standard error 0.0002; with y(t) 0.0001),
/// as cuts that single out a few rows of a rare class get more unseen rows than rows of their own.
[[nodiscard]] std::vector<double> debiased_importances(const PackedForest& forest,
                                                       const DrawnTable& table, Progress& progress);

}  // namespace treewright::forest
