/// Proximities: the share of the trees in which two rows fall into the same leaf (Breiman &
/// Cutler, Random Forests, 2003), of all trees or of those for which both are out of bag.
/// Computed row by row from the leaves' rows, so that no rows x rows matrix is ever held.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/forest/leaf_rows.hpp"

namespace treewright::forest {

class Proximities {
public:
    /// Rows to compare with are [0, n_rows); their leaves are added tree by tree.
    Proximities(std::uint32_t n_rows, std::size_t n_trees);

    /// `asked` says whether the tree counts for each row; empty: for all.
    void add_tree(std::span<const std::int32_t> leaf_of_row, std::span<const std::uint32_t> asked);

    /// Rows that share leaves, by row of `leaves`: `start` has an entry more than there are rows.
    struct Met {
        std::vector<std::int64_t> start;
        std::vector<std::int32_t> row;
        std::vector<double> share;
    };

    /// All rows whose share reaches `least` (above 0), ascending. `leaves` are rows x trees; below
    /// 0 where the tree does not count for the row.
    [[nodiscard]] Met reaching(std::span<const std::int32_t> leaves, double least,
                               std::size_t n_threads, Progress& progress) const;

    /// The `k` rows of the greatest shares above 0, of equal ones the first; `row` is -1 and the
    /// share 0 where there are fewer. Row i of `leaves` is not its own neighbour if it is row
    /// first + i; with `first` below 0 they are other rows.
    void nearest(std::span<const std::int32_t> leaves, std::size_t k, std::int64_t first,
                 std::size_t n_threads, Progress& progress, std::span<std::int32_t> row,
                 std::span<double> share) const;

private:
    struct Meetings;
    template <class Work>
    void for_each_row(std::span<const std::int32_t> leaves, std::size_t n_threads,
                      Progress& progress, Work&& work) const;

    LeafRows rows;
    std::size_t n_trees;
    std::size_t n_words;                 ///< of 64 trees
    std::vector<std::uint64_t> askable;  ///< rows x words: trees that count for a row
};

}  // namespace treewright::forest
