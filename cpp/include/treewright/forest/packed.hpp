/// Trees of a forest, packed: only cuts on numbers, 16 bytes a node, which is all that
/// prediction needs. Other figures of a node (weights, impurities) follow from its leaves.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/tree/arrays.hpp"
#include "treewright/tree/plan.hpp"

namespace treewright::forest {

/// A row goes to first_child if x <= threshold, else to first_child + 1. In a leaf `threshold` is a
/// NaN whose low bits are the leaf's number and first_child + 1 is the leaf itself: no value is <=
/// a NaN, so that a loop may step over leaves harmlessly.
struct PackedNode {
    double threshold;
    std::uint32_t first_child;
    std::uint32_t column;  ///< top bit: missing values go to first_child

    static constexpr std::uint32_t kMissingFirst = 1U << 31;
    static constexpr std::uint32_t kNames = 1U << 30;  ///< `threshold` numbers one of PackedNames
    static constexpr std::uint64_t kNaN = 0x7ff8000000000000ULL;

    [[nodiscard]] bool is_leaf() const { return threshold != threshold; }
    [[nodiscard]] std::uint32_t leaf() const {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &threshold, sizeof bits);
        return static_cast<std::uint32_t>(bits);
    }
    static PackedNode make_leaf(std::uint32_t node, std::uint32_t leaf) {
        PackedNode made{0.0, node - 1, 0};
        const std::uint64_t bits = kNaN | leaf;
        std::memcpy(&made.threshold, &bits, sizeof bits);
        return made;
    }
};
static_assert(sizeof(PackedNode) == 16);

/// The column that a node asks.
[[nodiscard]] inline std::uint32_t column_of(const PackedNode& node) {
    return node.column & ~(PackedNode::kMissingFirst | PackedNode::kNames);
}

/// Questions on names, of trees that are to be unpacked: which branch each value that occurs in the
/// node goes to, by ascending code, slice by slice. Forests are not kept packed with them.
struct PackedNames {
    std::vector<std::uint32_t> end;  ///< of each question's slice
    std::vector<std::int32_t> code;
    std::vector<std::int32_t> branch;
    std::vector<std::int32_t> rest;     ///< of each question: branch of values not listed, or -1
    std::vector<double> share;          ///< of the impurity that it has paid (split/selection.hpp)
    std::vector<std::uint32_t> n_rows;  ///< of each leaf, however often they were drawn

    [[nodiscard]] std::size_t size() const { return end.size(); }
    /// Ends the slice of a question.
    void finish(bool has_rest, double share_paid);
    /// Adds the questions of another tree, or one of them.
    void append(const PackedNames& more);
    void append(const PackedNames& from, std::size_t question);
};

/// What a tree that stands alone shows of its nodes beside what predicts (single_tree.hpp).
struct ShownNode {
    double gain = 0.0;            ///< of its question, as the general grower notes it
    double share = 0.0;           ///< of its impurity, that the question has paid
    std::uint32_t n_columns = 0;  ///< not constant among its rows
};
struct PackedShown {
    std::vector<ShownNode> nodes;          ///< as the tree's
    std::vector<std::uint32_t> leaf_rows;  ///< of numbers: rows of the table, leaf by leaf
};

struct PackedTree {
    std::vector<PackedNode> nodes;      ///< breadth-first
    std::vector<std::uint32_t> counts;  ///< leaves x classes: rows drawn; regression: leaves
    std::vector<double> values;         ///< regression: prediction of each leaf
    std::vector<double> spread;         ///< regression: sum of squares in each leaf; empty: all 0
    std::vector<double> weights;        ///< in place of counts where rows weigh differently
    std::vector<double> importance;     ///< by column: decrease of impurity, weighted by rows
    PackedNames names;                  ///< empty in trees that predict, as are weights
    PackedShown shown;                  ///< the same

    /// Whether it holds what prediction knows nothing of.
    [[nodiscard]] bool must_be_unpacked() const { return !names.n_rows.empty(); }
};

/// How the predictions of the trees are combined.
enum class Vote : std::uint8_t {
    soft,  ///< mean of the class shares, or of the values
    hard   ///< share of the trees for which the class is the (first) most frequent
};

class PackedForest {
public:
    std::vector<PackedTree> trees;
    std::uint32_t n_classes = 0;  ///< 0: regression
    std::size_t n_columns = 0;

    [[nodiscard]] std::size_t width() const { return n_classes == 0 ? 1 : n_classes; }

    /// Adds the predictions of trees [first, last) for each row, tree by tree in order: rows x
    /// width.
    void add_answers(const tree::Rows& rows, std::size_t first, std::size_t last, Vote vote,
                     std::size_t n_threads, Progress& progress, std::span<double> sums) const;
    /// The leaf (node number) of each row in each tree: rows x trees.
    void apply(const tree::Rows& rows, std::size_t n_threads, Progress& progress,
               std::span<std::int32_t> out) const;
};

/// What a leaf adds to the sums of a row: one number per class, or a single one.
void answer_of(const PackedTree& tree, std::uint32_t n_classes, Vote vote, std::uint32_t leaf,
               double* answer);

/// Contiguous rows of a table, read for the descent of trees.
struct WalkBlock {
    std::size_t number;
    std::size_t begin;
    std::size_t n;
    /// Finds the leaves (their numbers among the tree's leaves) of some rows, counted from `begin`.
    std::function<void(const PackedTree& tree, std::span<const std::uint32_t> which,
                       std::span<std::uint32_t> leaf)>
        leaves;
};

/// Calls work for all blocks of a table, which do not depend on the number of threads.
void walk_blocks(const tree::Rows& rows, Team& team,
                 const std::function<void(const WalkBlock& block)>& work);
[[nodiscard]] std::size_t n_walk_blocks(const tree::Rows& rows);

/// A tree with all figures of its nodes.
struct UnpackedTree {
    tree::TreeArrays arrays;
    std::size_t width = 0;  ///< of a line of `value`
};

/// Computes everything that follows from the leaves; `is_real`: columns of decimals, not integers;
/// `in_bits`: impurity is entropy, not Gini's.
[[nodiscard]] UnpackedTree unpack(const PackedTree& packed, std::uint32_t n_classes,
                                  const std::vector<bool>& is_real, bool in_bits,
                                  Progress& progress);

/// The threshold of a column of integers; of the question whether a value is known, the largest.
[[nodiscard]] std::int64_t whole_threshold(double threshold);

/// Whether every index of a tree from an untrusted source is in range.
[[nodiscard]] bool is_sound(const PackedTree& tree, std::uint32_t n_classes, std::size_t n_columns);
/// Sets the nodes from their thresholds and, by turns, their first children and columns.
void set_nodes(PackedTree& tree, std::span<const double> threshold,
               std::span<const std::uint32_t> child_and_column);

/// A tree of equal predictions, bit for bit, in less memory: equal leaf values are kept once, and
/// parts that only unpack needs are left out.
[[nodiscard]] PackedTree compacted(const PackedTree& tree, std::uint32_t n_classes);
[[nodiscard]] inline bool is_compact(const PackedTree& tree) {
    return tree.importance.empty();
}

/// The same tree with its nodes numbered as the general grower does: the children of a node side by
/// side, then all below the first of them.
[[nodiscard]] PackedTree depth_first(const PackedTree& tree);

/// The same tree with its nodes numbered breadth-first, so that its top is contiguous.
[[nodiscard]] PackedTree breadth_first(const PackedTree& tree);

}  // namespace treewright::forest
