/// Which rows each tree of a forest draws, and how often.
///
/// Rows are drawn with equal probability whatever their weights, which count when the tree is
/// grown: a rule that does not depend on the scale of the weights, and that leaves as many rows out
/// of the bag as without weights. Draws are positions in a canonical order of the rows, that of
/// their content and weight, keyed by (seed, tree, number): the order of the table changes nothing.
/// Rows that belong together are drawn together: groups instead of rows, by the content of all
/// their rows, so that neither the order nor the names of groups matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/data/dataset.hpp"

namespace treewright::forest {

/// What a fixed number is drawn from: all rows, those of one class, or all groups of rows.
struct Stratum {
    std::vector<std::uint32_t> units;  ///< rows or groups, in canonical order
    std::uint64_t n_draws = 0;
};

/// How often each row is drawn for a tree.
class Sampling {
public:
    /// Draws `n_draws` of all rows, or of each class (of the first output) where there are several
    /// numbers. `weight` may be empty; rows of weight 0 are never drawn. With `groups`, the number
    /// of each row's group (from 0, without gaps), that many whole groups are drawn.
    Sampling(const data::Dataset& data, std::span<const double> weight,
             std::span<const std::uint32_t> groups, std::span<const std::uint64_t> n_draws,
             bool with_replacement, std::uint64_t seed, Team& team);

    [[nodiscard]] std::size_t n_rows() const { return n; }

    /// Writes the number of times each row of the table was drawn.
    void draw(std::uint64_t tree, std::vector<std::uint32_t>& copies) const;
    /// Writes 1 for each row that is out of bag, else 0: neither it nor a row of its group was
    /// drawn. A row of weight 0 is in the bag with its group.
    void left_out(std::uint64_t tree, std::vector<std::uint32_t>& is_out) const;
    /// The same with probabilities in proportion to weights (AdaBoost), with replacement; only
    /// where all rows are one stratum.
    void draw_by(std::span<const double> weight, std::uint64_t tree,
                 std::vector<std::uint32_t>& copies) const;

private:
    void list_rows(const data::Dataset& data, std::span<const double> weight, Team& team);
    void list_groups(const data::Dataset& data, std::span<const double> weight, Team& team);
    /// Writes the number of times each row, or each group where there are some, was drawn.
    void draw_units(std::uint64_t tree, std::vector<std::uint32_t>& times) const;
    void draw_with_replacement(const Stratum& stratum, std::uint64_t key,
                               std::vector<std::uint32_t>& times) const;
    void draw_without_replacement(const Stratum& stratum, std::uint64_t key,
                                  std::vector<std::uint32_t>& times) const;

    std::size_t n;
    std::size_t n_units;
    bool with_replacement;
    std::uint64_t seed;
    std::vector<Stratum> strata;
    std::vector<std::uint32_t> group_of_row;  ///< empty where rows are drawn one by one
    std::vector<bool> has_weight;             ///< of each row, where groups are drawn
};

/// The rows of a table sorted by the hash of their content and, where given, their weight. Equal
/// rows are interchangeable.
[[nodiscard]] std::vector<std::uint32_t> canonical_order(const data::Dataset& data,
                                                         std::span<const double> weight,
                                                         Team& team);

}  // namespace treewright::forest
