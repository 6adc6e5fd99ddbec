/// Boosted trees as a model: rows are coded once, and 64 of them go down a tree together, a bit
/// each: a question is one comparison of 64 codes, and the rows that reach a node are a word.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/boost/tree.hpp"
#include "treewright/data/codebook.hpp"
#include "treewright/tree/plan.hpp"

namespace treewright {

/// What walking needs of a node.
struct BoostStep {
    std::uint32_t first_child;  ///< a leaf: its number among the tree's leaves
    std::uint16_t column;
    std::uint16_t cut;
    bool is_leaf;
    bool is_nominal;
    bool missing_first;
    bool is_plain;  ///< a cut of a column of byte codes
};

/// Codes of up to 64 rows, column after column.
struct BoostBlock {
    static constexpr std::size_t kRows = 64;  ///< the bits of a word

    std::vector<std::uint8_t> narrow;
    std::vector<std::uint16_t> wide;
    std::vector<std::uint64_t> missing;  ///< by column: rows without the value
    std::vector<std::uint64_t> reach;    ///< by node of a tree: rows that come there
    std::size_t n = 0;
};

class BoostForest {
public:
    BoostForest(Codebook book, std::vector<BoostTree> trees, std::size_t n_outputs);

    Codebook book;
    std::vector<BoostTree> trees;  ///< round by round, one for each output
    std::size_t n_outputs = 1;

    /// Adds what trees [first, last) answer to the scores of each row, in order: rows x outputs.
    void add_scores(const Rows& rows, std::size_t first, std::size_t last, std::size_t n_threads,
                    Progress& progress, std::span<double> scores) const;
    /// The leaf (node number) of each row in each tree: rows x trees.
    void apply(const Rows& rows, std::size_t n_threads, Progress& progress,
               std::span<std::int32_t> leaves) const;

    /// Columns that some tree asks, ascending.
    [[nodiscard]] std::span<const std::uint32_t> asked() const { return used; }
    /// The codes of rows [begin, begin + n).
    void read_block(const Rows& rows, std::size_t begin, std::size_t n, BoostBlock& block) const;
    /// By node of a tree that asks: which rows of a block would go to its second child.
    void answer(std::size_t tree, const BoostBlock& block, std::span<std::uint64_t> second) const;

    /// Whether every index stays inside; for models read from somewhere.
    [[nodiscard]] bool is_sound() const;

private:
    struct Prepared {
        std::size_t first_step;
        std::size_t n_steps;
        std::size_t first_value;
        std::size_t n_leaves;
    };

    void prepare();
    void walk_together(std::size_t tree, BoostBlock& block, double* scores) const;
    [[nodiscard]] std::uint64_t second_of(std::size_t tree, std::size_t node,
                                          const BoostBlock& block) const;
    [[nodiscard]] std::uint32_t walk(std::size_t tree, const BoostBlock& block,
                                     std::size_t i) const;

    std::vector<Encoder> encoders;
    std::vector<std::uint32_t> place;  ///< of a column among the narrow, or the wide, ones
    std::size_t n_narrow = 0;
    std::size_t n_wide = 0;
    std::vector<BoostStep> steps;
    std::vector<Prepared> prepared;
    std::vector<double> values;       ///< of leaves, tree after tree
    std::vector<std::uint32_t> used;  ///< columns that are asked
};

}  // namespace treewright
