/// A tree packed for prediction: 16 bytes a node, breadth-first, read-only once built, so any
/// number of threads may predict at once. Each row's answer depends on that row alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/data/column.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright {

/// How the answers of several leaves combine when a missing value follows all branches.
enum class Combine : std::uint8_t {
    branch_fractions,  ///< each branch counts by its share of the training weight (C4.5)
    leaf_counts        ///< the class weights of all leaves reached are added up
};

/// Rows to predict: columns, or one float matrix (then no column is nominal).
struct Rows {
    std::size_t n_rows = 0;
    std::vector<Column> columns;
};

class Plan {
public:
    /// `tree` must satisfy its invariants (checked in Python); `n_classes` is empty for regression.
    Plan(const Tree& tree, std::vector<std::int32_t> unseen_branch,
         std::vector<std::uint32_t> n_classes);

    [[nodiscard]] std::size_t width() const { return answer_width; }

    /// Distribution over the classes, outputs side by side, or values: rows x width.
    void predict(const Rows& rows, Combine combine, std::size_t n_threads,
                 std::span<double> out) const;
    /// The leaf of each row; where a row is divided, the leaf that most of it reaches.
    void apply(const Rows& rows, std::size_t n_threads, std::span<std::int64_t> out) const;
    /// All nodes each row passes: `start` has n_rows + 1 entries into the returned list.
    [[nodiscard]] std::vector<std::int64_t> paths(const Rows& rows,
                                                  std::vector<std::int64_t>& start) const;

private:
    struct Node {
        union {
            double threshold;
            std::int64_t whole;  ///< integer threshold, or the number of a category table
        };
        std::uint32_t first_child;
        std::uint32_t column_and_kind;  ///< column << 2 | kind
    };
    static_assert(sizeof(Node) == 16);
    /// Kinds of a packed node. Leaves point at themselves with threshold +inf, so that the fast
    /// loop may step over them harmlessly.
    enum Kind : std::uint32_t { real_cut = 0, whole_cut = 1, categories = 2, leaf = 3 };

    struct Visit {
        std::uint32_t node;
        double share;
    };

    template <class Visitor>
    void walk(const Rows& rows, std::size_t row, std::uint32_t start, std::vector<Visit>& stack,
              Visitor&& visit) const;
    [[nodiscard]] int branch_of(const Rows& rows, std::size_t row, std::uint32_t node) const;
    template <class T>
    void find_leaves(const Rows& rows, std::size_t begin, std::size_t end,
                     std::vector<std::uint32_t>& leaf) const;
    void leaves_of(const Rows& rows, std::size_t begin, std::size_t end,
                   std::vector<std::uint32_t>& leaf) const;
    void step_together(const Rows& rows, std::size_t begin, std::size_t end,
                       std::vector<std::uint32_t>& found) const;
    void predict_range(const Rows& rows, Combine combine, std::size_t begin, std::size_t end,
                       double* out) const;
    void combine_leaves(const Rows& rows, std::size_t row, std::uint32_t start, Combine combine,
                        std::vector<Visit>& stack, double* out) const;

    std::vector<Node> nodes;
    std::vector<std::uint32_t> tree_node;  ///< node of the tree behind each packed node
    std::vector<std::uint32_t> n_branches;
    std::vector<std::int32_t> missing_branch;
    std::vector<std::int32_t> unseen_branch;
    /// Branches of the categories a node asks about: by code, or, where it has seen few of many,
    /// a sorted list to search.
    struct CodeTable {
        std::size_t start;
        std::uint32_t n;
        bool is_sparse;
        std::int32_t rest_branch;  ///< of known categories not listed; -1: as an unseen one
    };
    void add_code_table(const Tree& tree, const TreeNode& node);
    [[nodiscard]] std::int32_t branch_in(const CodeTable& table, std::int64_t code) const;
    std::vector<CodeTable> code_tables;
    std::vector<std::int32_t> sparse_codes;
    std::vector<std::int32_t> sparse_branches;
    std::vector<std::int16_t> dense_branches;
    std::vector<std::vector<Surrogate>> surrogates;  ///< empty if the tree has none
    std::vector<double> weight;
    std::vector<std::uint32_t> used_columns;  ///< asked about, ascending
    std::vector<double> answer;               ///< packed nodes x width
    std::vector<double> raw;                  ///< class weights, for leaf_counts
    std::vector<std::uint32_t> n_classes;
    std::size_t answer_width = 0;
    std::uint32_t depth = 0;
    bool only_real_cuts = true;
};

}  // namespace treewright
