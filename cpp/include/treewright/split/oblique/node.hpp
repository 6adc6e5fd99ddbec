/// The rows and columns of one node as the searches for a linear combination see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/data/block.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/split/oblique/options.hpp"

namespace treewright::split {

/// A plane through the standardised columns; only its direction outlives the search.
using Direction = std::vector<double>;

/// Columns are standardised within the node, so that no search depends on their units; a missing
/// value is replaced by the mean (as in the program of OC1), which favours neither side. The
/// combination found is judged on the raw values, missing ones included (grow/oblique_finder.hpp).
struct ObliqueNode {
    data::Block rows;  ///< densely numbered, in the order of the table; holds no lists
    std::vector<std::uint32_t> columns;  ///< that vary here and can be standardised, ascending
    std::vector<double> spread;          ///< standard deviation of each
    std::vector<double> standard;        ///< columns x rows
    std::vector<Direction> directions;   ///< HHCART: eigenvectors, in the order they are tried
    std::size_t start = 0;               ///< the column of the best axis-parallel cut
    std::uint64_t key = 0;               ///< of the node's random numbers

    [[nodiscard]] std::size_t n_rows() const { return rows.n_rows; }
    [[nodiscard]] std::size_t n_columns() const { return columns.size(); }
    [[nodiscard]] const double* column(std::size_t m) const {
        return standard.data() + m * n_rows();
    }
    /// How many independent searches make up the whole; the best of them wins, the first of equals.
    [[nodiscard]] std::size_t n_attempts(const ObliqueOptions& options) const;
};

/// Fills `node` but for `directions`, `start` and `key`. `rows` are rows of the block.
void standardise(const data::Dataset& data, const data::Block& block,
                 std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns,
                 Progress& progress, ObliqueNode& node);

/// The directions HHCART reflects the rows along: eigenvectors, largest eigenvalue first, of the
/// covariance of each class's rows. For regression, the rows above the mean and those
/// below it take the place of classes, each row weighted by its distance from the mean: a target
/// of 0 and 1 gives the directions of the two classes.
void find_directions(const data::Target& target, bool only_dominant, Progress& progress,
                     ObliqueNode& node);

}  // namespace treewright::split
