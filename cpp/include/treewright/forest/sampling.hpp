/// Which rows each tree of a forest draws, and how often.
///
/// Rows are drawn with equal probability whatever their weights, which count when the tree is
/// grown: a rule that does not depend on the scale of the weights, and that leaves as many rows out
/// of the bag as without weights. Draws are positions in a canonical order of the rows, that of
/// their content and weight, keyed by (seed, tree, number): the order of the table changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/data/dataset.hpp"

namespace treewright::forest {

/// A group of rows that a fixed number is drawn from: all of them, or those of one class.
struct Stratum {
    std::vector<std::uint32_t> rows;  ///< in canonical order
    std::uint64_t n_draws = 0;
};

/// How often each row is drawn for a tree.
class Sampling {
public:
    /// Draws `n_draws` of all rows, or of each class (of the first output) where there are several
    /// numbers. `weight` may be empty; rows of weight 0 are never drawn.
    Sampling(const data::Dataset& data, std::span<const double> weight,
             std::span<const std::uint64_t> n_draws, bool with_replacement, std::uint64_t seed,
             Team& team);

    [[nodiscard]] std::size_t n_rows() const { return n; }

    /// Writes the number of times each row of the table was drawn.
    void draw(std::uint64_t tree, std::vector<std::uint32_t>& copies) const;
    /// The same with probabilities in proportion to weights (AdaBoost), with replacement; only
    /// where all rows are one stratum.
    void draw_by(std::span<const double> weight, std::uint64_t tree,
                 std::vector<std::uint32_t>& copies) const;

private:
    void draw_with_replacement(const Stratum& stratum, std::uint64_t key,
                               std::vector<std::uint32_t>& copies) const;
    void draw_without_replacement(const Stratum& stratum, std::uint64_t key,
                                  std::vector<std::uint32_t>& copies) const;

    std::size_t n;
    bool with_replacement;
    std::uint64_t seed;
    std::vector<Stratum> strata;
};

/// The rows of a table sorted by the hash of their content and, where given, their weight. Equal
/// rows are interchangeable.
[[nodiscard]] std::vector<std::uint32_t> canonical_order(const data::Dataset& data,
                                                         std::span<const double> weight,
                                                         Team& team);

}  // namespace treewright::forest
