/// The training rows of a tree, copied in the order of the leaves they reach. Pruning sends the
/// rows of a node elsewhere at every node above it; so they are contiguous in memory.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/prune/divided_rows.hpp"
#include "treewright/tree/plan.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright::prune {

class RowsByLeaf {
public:
    /// Rows of weight 0 are left out, and so are columns that the tree does not ask,
    /// unless all are wanted. If a row is divided nothing is copied: it has no single leaf.
    RowsByLeaf(const data::Dataset& given, const tree::Tree& tree, const tree::Plan& plan,
               bool all_columns, std::size_t n_threads, Progress& progress);
    RowsByLeaf(const RowsByLeaf&) = delete;  // columns point into it
    RowsByLeaf& operator=(const RowsByLeaf&) = delete;

    [[nodiscard]] bool is_sorted() const { return sorted; }
    /// The rows to work on, sorted or as they were given.
    [[nodiscard]] const data::Dataset& data() const { return sorted ? copy : given; }
    /// The number of a row in the given data.
    [[nodiscard]] std::uint32_t given_row(std::uint32_t row) const {
        return sorted ? original[row] : row;
    }

    /// Counts the sorted rows of every node and their class weights, and notes where they begin:
    ///     rows:  |         node        |
    ///            | child 0 |  child 1  |
    void count(Counts& counts, std::vector<std::size_t>& begin) const;

    /// Values of decimal columns are stored row by row, all of one type. Returns the position of a
    /// column in the line of a row; -1: not stored there.
    [[nodiscard]] std::int32_t cell_of(std::uint32_t column) const {
        return sorted ? cell_of_column[column] : -1;
    }
    [[nodiscard]] bool has_floats() const { return !floats.empty(); }
    template <class T>
    [[nodiscard]] const T* line(std::uint32_t row) const {
        if constexpr (std::is_same_v<T, float>) return floats.data() + row * n_cells;
        else return doubles.data() + row * n_cells;
    }

private:
    [[nodiscard]] bool find_leaves(const tree::Plan& plan, std::vector<std::uint32_t>& leaf,
                                   Team& team) const;
    void sort(const std::vector<std::uint32_t>& leaf);
    void copy_rows(bool all_columns, Team& team);
    template <class T>
    void copy_cells(const std::vector<std::size_t>& columns, std::vector<T>& out, Team& team);
    void copy_codes(std::size_t column, Team& team);
    [[nodiscard]] std::vector<bool> asked() const;

    const data::Dataset& given;
    const tree::Tree& tree;
    bool sorted = false;
    data::Dataset copy;
    std::vector<std::uint32_t> original;
    std::vector<std::int64_t> n_rows;  ///< of each node
    std::vector<std::size_t> begin_of;
    std::size_t n_cells = 0;  ///< in a line
    std::vector<std::int32_t> cell_of_column;
    std::vector<float> floats;  ///< lines of cells; one of the two is empty
    std::vector<double> doubles;
    std::vector<std::vector<std::byte>> others;  ///< columns of whole numbers and codes
    std::vector<std::vector<std::uint8_t>> known;
    std::vector<std::int32_t> classes;
    std::vector<double> weight;
    std::vector<double> copies;
};

}  // namespace treewright::prune
