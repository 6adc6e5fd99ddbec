/// How alike rows are to a forest: the share of the trees in which they meet in a leaf (Breiman &
/// Cutler, Random Forests, 2003), of all trees or of those that have drawn neither (out of bag).
/// Found row by row from the leaves' rows, so that no rows x rows matrix is ever held.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/forest/leaf_rows.hpp"

namespace treewright::forest {

class Proximities {
public:
    /// Rows to compare with are [0, n_rows); they follow tree by tree.
    Proximities(std::uint32_t n_rows, std::size_t n_trees);

    /// `asked` tells whether the tree may be asked about each row; empty: about all.
    void add_tree(std::span<const std::int32_t> leaf_of_row, std::span<const std::uint32_t> asked);

    /// Rows that met, by row of `leaves`: `start` has an entry more than there are rows.
    struct Met {
        std::vector<std::int64_t> start;
        std::vector<std::int32_t> row;
        std::vector<double> share;
    };

    /// All rows whose share reaches `least` (above 0), ascending. `leaves` are rows x trees; below
    /// 0 where the tree may not be asked about the row.
    [[nodiscard]] Met reaching(std::span<const std::int32_t> leaves, double least,
                               std::size_t n_threads, Progress& progress) const;

    /// The `k` rows of the greatest shares above 0, of equal ones the first; `row` is -1 and the
    /// share 0 where fewer were met. Row i of `leaves` is not its own neighbour if it is row
    /// first + i; below 0 they are other rows.
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
    std::vector<std::uint64_t> askable;  ///< rows x words: trees that may be asked about a row
};

}  // namespace treewright::forest
