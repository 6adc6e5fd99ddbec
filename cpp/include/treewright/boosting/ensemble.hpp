/// Boosted trees as a model: rows are encoded once, and 64 of them descend a tree together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/boosting/codebook.hpp"
#include "treewright/boosting/predict64.hpp"
#include "treewright/boosting/tree.hpp"
#include "treewright/tree/plan.hpp"

namespace treewright::boosting {

/// A node as needed for walking row by row.
struct BoostStep {
    std::uint32_t first_child;  ///< a leaf: its number among the tree's leaves
    std::uint32_t codes;        ///< where the codes it asks start, or the number of its list
    std::uint8_t cut;
    bool is_leaf;
    bool is_plain;  ///< a cut of a column of byte codes; otherwise it has a list
};

/// A question by a list: a bit for each code of a column, missing values included, that is set
/// where the code leads to the second child.
struct BoostList {
    std::uint32_t column;
    std::size_t first_word;
    std::size_t n_words;
};

/// Codes of up to 64 rows, column after column.
struct BoostBlock {
    static constexpr std::size_t kRows = RowBytes::kRows;

    /// Columns of byte codes, twice each: with missing values as the highest code, then as the
    /// lowest, so that a cut needs no test for missing values.
    std::vector<RowBytes> narrow;
    std::vector<std::uint16_t> wide;
    std::size_t begin = 0;  ///< the first row
    std::size_t n = 0;
};

/// Rows encoded once, for all trees that use the same codebook. Views of the columns stay.
struct CodedRows {
    tree::Rows rows;
    std::vector<BoostBlock> blocks;
};

/// Working memory for rows that descend a tree together.
struct BoostPaths {
    std::vector<RowBytes> slots;    ///< of leaves, their own number; then of nodes that ask
    std::vector<RowBytes> answers;  ///< to questions by a list
};

/// Where trees come from: those of a file or another language are looked through first. Trees that
/// are judged add scores to rows that are coded already, and to no others.
enum class Origin { given, grown, judged };

class BoostForest {
public:
    /// Throws InvariantError for an index out of range in given trees.
    BoostForest(Codebook book, std::vector<BoostTree> trees, std::size_t n_outputs,
                Origin origin = Origin::given);

    Codebook book;
    std::vector<BoostTree> trees;  ///< round by round, one for each output
    std::size_t n_outputs = 1;

    /// Adds the predictions of trees [first, last) to the scores of each row, in order: rows x
    /// outputs.
    void add_scores(const tree::Rows& rows, std::size_t first, std::size_t last,
                    std::size_t n_threads, Progress& progress, std::span<double> scores) const;
    void add_scores(const CodedRows& coded, std::size_t first, std::size_t last,
                    std::size_t n_threads, Progress& progress, std::span<double> scores) const;
    /// The same with memory for each thread that is kept from call to call.
    void add_scores(const CodedRows& coded, std::size_t first, std::size_t last,
                    std::size_t n_threads, Progress& progress, std::span<double> scores,
                    std::vector<BoostPaths>& paths) const;
    /// Encodes all columns of rows, also those that no tree asks yet.
    [[nodiscard]] CodedRows code(const tree::Rows& rows, std::size_t n_threads,
                                 Progress& progress) const;
    /// The leaf (node number) of each row in each tree: rows x trees.
    void apply(const tree::Rows& rows, std::size_t n_threads, Progress& progress,
               std::span<std::int32_t> leaves) const;

    /// Columns that some tree asks, ascending.
    [[nodiscard]] std::span<const std::uint32_t> asked() const { return used; }
    /// Whether any leaf predicts by a line.
    [[nodiscard]] bool has_lines() const;
    /// The codes of rows [begin, begin + n) in the columns that are asked.
    void read_block(const tree::Rows& rows, std::size_t begin, std::size_t n,
                    BoostBlock& block) const;
    /// By node of a tree that asks: which rows of a block would go to its second child.
    void answer(std::size_t tree, const BoostBlock& block, std::span<std::uint64_t> second) const;

private:
    /// Where the parts of a tree start.
    struct Prepared {
        std::size_t first_step;
        std::size_t first_leaf;
        std::size_t first_choice;
        std::size_t first_list;
        std::size_t n_leaves;
    };

    [[nodiscard]] bool is_sound() const;
    void prepare(Origin origin);
    void add_steps(const BoostTree& tree);
    void add_choices(std::size_t tree, std::vector<std::uint16_t>& slot);
    [[nodiscard]] bool is_plain(const BoostNode& node) const;
    /// The bits of a node's question, as a list of the forest.
    [[nodiscard]] BoostList list_of(const BoostTree& tree, const BoostNode& node);
    void read_columns(const tree::Rows& rows, std::span<const std::uint32_t> columns,
                      BoostBlock& block) const;
    /// Calls block_of(block, thread) for blocks of 64 rows and adds the trees to their scores.
    template <class BlockOf>
    void add_by_blocks(const tree::Rows& rows, std::size_t first, std::size_t last,
                       std::size_t n_threads, Progress& progress, std::span<double> scores,
                       std::vector<BoostPaths>& paths, BlockOf&& block_of) const;
    [[nodiscard]] bool goes_together(std::size_t tree, const BoostBlock& block) const;
    /// The leaves of a block's rows, numbered among the tree's leaves; all rows at once.
    const RowBytes& leaves_together(std::size_t tree, const BoostBlock& block,
                                    BoostPaths& paths) const;
    /// The same for one row.
    [[nodiscard]] std::uint32_t walk(std::size_t tree, const BoostBlock& block,
                                     std::size_t i) const;
    /// Calls use(row of the block, its leaf's number) for all rows.
    template <class Use>
    void for_each_leaf(std::size_t tree, const BoostBlock& block, BoostPaths& paths,
                       Use&& use) const;
    void add_tree(std::size_t tree, const tree::Rows& rows, const BoostBlock& block,
                  BoostPaths& paths, double* scores) const;
    void answer_list(const BoostList& list, const BoostBlock& block, RowBytes& answers) const;

    std::vector<Encoder> encoders;
    /// Index of a column among the narrow, or the wide, ones: the same for every forest of a
    /// codebook.
    std::vector<std::uint32_t> place;
    std::size_t n_narrow = 0;
    std::size_t n_wide = 0;
    std::vector<Prepared> prepared;  ///< by tree, and an end
    std::vector<BoostStep> steps;
    std::vector<BoostChoice> choices;  ///< of trees that rows descend together
    std::vector<BoostList> lists;
    std::vector<std::uint64_t> bits;  ///< of lists
    std::vector<double> values;       ///< of leaves
    std::vector<std::uint32_t> leaf_nodes;
    std::size_t most_leaves = 1;  ///< of a tree that rows descend together
    std::size_t most_choices = 0;
    std::vector<std::uint32_t> used;  ///< columns that are asked
};

}  // namespace treewright::boosting
