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
    std::size_t begin = 0;               ///< the first row
    std::size_t n = 0;
};

/// Rows coded once, for trees to come that ask by the same codebook. Views of the columns stay.
struct CodedRows {
    Rows rows;
    std::vector<BoostBlock> blocks;
};

/// By node of a tree, which rows of a block come there, and which would go to the second child.
struct BoostPaths {
    std::vector<std::uint64_t> reach;
    std::vector<std::uint64_t> second;
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
    void add_scores(const CodedRows& coded, std::size_t first, std::size_t last,
                    std::size_t n_threads, Progress& progress, std::span<double> scores) const;
    /// Codes all columns of rows, also of those that no tree asks yet.
    [[nodiscard]] CodedRows code(const Rows& rows, std::size_t n_threads, Progress& progress) const;
    /// The leaf (node number) of each row in each tree: rows x trees.
    void apply(const Rows& rows, std::size_t n_threads, Progress& progress,
               std::span<std::int32_t> leaves) const;

    /// Columns that some tree asks, ascending.
    [[nodiscard]] std::span<const std::uint32_t> asked() const { return used; }
    /// Whether some leaf answers by a line.
    [[nodiscard]] bool has_lines() const;
    /// The codes of rows [begin, begin + n) in the columns that are asked.
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
    void read_columns(const Rows& rows, std::span<const std::uint32_t> columns,
                      BoostBlock& block) const;
    /// Calls block_of(block, thread) for blocks of 64 rows and adds trees to their scores.
    template <class BlockOf>
    void add_by_blocks(const Rows& rows, std::size_t first, std::size_t last, std::size_t n_threads,
                       Progress& progress, std::span<double> scores, BlockOf&& block_of) const;
    void walk_together(std::size_t tree, const BoostBlock& block, BoostPaths& paths,
                       double* scores) const;
    /// The same where leaves answer by lines.
    void walk_lines(std::size_t tree, const Rows& rows, const BoostBlock& block, BoostPaths& paths,
                    double* scores) const;
    [[nodiscard]] std::uint64_t second_of(std::size_t tree, std::size_t node,
                                          const BoostBlock& block) const;
    [[nodiscard]] std::uint32_t walk(std::size_t tree, const BoostBlock& block,
                                     std::size_t i) const;

    std::vector<Encoder> encoders;
    /// Of a column among the narrow, or the wide, ones: the same for every forest of a codebook.
    std::vector<std::uint32_t> place;
    std::size_t n_narrow = 0;
    std::size_t n_wide = 0;
    std::vector<BoostStep> steps;
    std::vector<Prepared> prepared;
    std::vector<double> values;       ///< of leaves, tree after tree
    std::vector<std::uint32_t> used;  ///< columns that are asked
};

}  // namespace treewright
