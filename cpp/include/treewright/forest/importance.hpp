/// Importances of the columns of a packed forest, measured on the out-of-bag rows of each tree.
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

/// The key of the random order of a column's values.
[[nodiscard]] constexpr std::uint64_t shuffle_key(std::uint64_t seed, std::uint64_t tree,
                                                  std::uint64_t column, std::uint64_t repeat) {
    return mix(mix(mix(mix(seed, tree), 0x7065726dULL), column), repeat);  // "perm"
}

/// Shuffles values by the key alone (Durstenfeld, CACM 1964, algorithm 235).
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
    std::span<const double> weight;  ///< weight of a row here; empty = all 1
    std::size_t n_threads = 1;
};

/// By tree and column the rise of the error on the tree's out-of-bag rows (share misclassified,
/// or mean squared error) when the column's values are permuted among them, the mean of `n_repeats`
/// permutations (Breiman 2001, section 10). A tree without out-of-bag rows has NaNs.
[[nodiscard]] std::vector<double> permutation_importances(const PackedForest& forest,
                                                          const DrawnTable& table,
                                                          std::uint64_t seed, std::size_t n_repeats,
                                                          Progress& progress);

/// By tree and column the decrease of impurity (Gini, or squared error) on the tree's out-of-bag
/// rows: MDI-oob of Li, Wang, Basu, Kumbier, Yu (NeurIPS 2019, section 4),
///
///     1 / n  sum over the nodes t that ask the column, and the out-of-bag rows i in t, of
///            (mean(child of t with i) - mean(t)) (y_i - y(t)),
///
/// where means are those of the tree's own rows and y(t) is that of the out-of-bag rows in t;
/// classes are 0/1 vectors. On the tree's own rows this is the usual decrease of impurity, with or
/// without y(t). Li et al. have no y(t): then the result depends on the level of y, and noise
/// columns have less than 0 (a two-class table of 300 rows: -0.0007, standard error 0.0002; with
/// y(t) 0.0001), as cuts that single out a few rows of a rare class get more out-of-bag rows than
/// rows of their own.
[[nodiscard]] std::vector<double> debiased_importances(const PackedForest& forest,
                                                       const DrawnTable& table, Progress& progress);

}  // namespace treewright::forest
