/// A tree packed for prediction: 16 bytes a node, breadth-first, read-only once built, so any
/// number of threads may predict at once. Each row's prediction depends on that row alone.
///
/// Whatever is followed as an index is copied out of the tree's arrays; its weights and values are
/// read where they are, and kept alive: of a tree with thousands of outputs they are nearly all.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/data/column.hpp"
#include "treewright/tree/arrays.hpp"
#include "treewright/tree/shortcuts.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright::tree {

/// How the predictions of several leaves combine when a missing value follows all branches.
enum class Combine : std::uint8_t {
    branch_fractions,  ///< each branch counts by its share of the training weight (C4.5)
    leaf_counts        ///< the class weights of all leaves reached are added up
};

/// Rows to predict: columns, or one float matrix (then no column is nominal).
struct Rows {
    std::size_t n_rows = 0;
    std::vector<data::Column> columns;
};

class RowCells;
class Descent;

class Plan {
public:
    /// `tree` must satisfy its invariants (checked in Python); `n_classes` is empty for regression.
    Plan(const TreeView& tree, std::vector<std::uint32_t> n_classes, std::size_t n_threads,
         Progress& progress);
    /// A plan without predictions, which only finds leaves.
    Plan(const TreeView& tree, std::size_t n_threads, Progress& progress);

    [[nodiscard]] std::size_t width() const { return answer_width; }
    /// Whether rows should take shortcuts: the mean path of the training rows is long.
    [[nodiscard]] bool is_deep() const { return !shortcuts.empty(); }

    /// Refuses rows that lack a column the tree asks about, or have one of another type.
    void require_columns(const Rows& rows) const;
    /// The tree's nodes in the order of the plan.
    [[nodiscard]] std::span<const std::uint32_t> order() const { return tree_node; }
    /// Branch of a row at a node of the plan; -1 = all branches.
    [[nodiscard]] int branch_of(const Rows& rows, std::size_t row, std::uint32_t node) const {
        const Node& asked = nodes[node];
        if (kind_of(asked) == real_cut) {  // the usual question
            const double x = rows.columns[column_of(asked)].real(row);
            if (!std::isnan(x)) return x > asked.threshold ? 1 : 0;
        }
        return any_branch_of(rows, row, node);
    }
    /// The same for each of the `wanted` rows; faster than one by one.
    void branches_of(const Rows& rows, std::span<const std::uint32_t> wanted, std::uint32_t node,
                     std::span<std::int32_t> branch) const;
    /// A cut of a decimal column: values above go to branch 1, others to branch 0.
    struct RealCut {
        std::uint32_t column;
        double threshold;
    };
    /// The cut at a node, if it asks one.
    [[nodiscard]] std::optional<RealCut> real_cut_at(std::uint32_t node) const {
        if (kind_of(nodes[node]) != real_cut) return std::nullopt;
        return RealCut{column_of(nodes[node]), nodes[node].threshold};
    }
    /// Values with which a row takes a branch; none if no values of one column decide it.
    [[nodiscard]] std::optional<Shortcuts::Stay> values_of(std::uint32_t node, int branch) const;

    /// A node's children in the plan, of which a leaf has none, its column and its weight.
    struct Shape {
        std::uint32_t first_child;
        std::uint32_t n_branches;
        std::uint32_t column;
        double weight;
    };
    [[nodiscard]] Shape shape_of(std::uint32_t node) const {
        return {nodes[node].first_child, routes[node].n_branches, column_of(nodes[node]),
                weight[tree_node[node]]};
    }
    /// Whether more columns than one may decide a row's branch: a sum, or surrogates.
    [[nodiscard]] bool asks_several(std::uint32_t node) const {
        return kind_of(nodes[node]) == linear || !surrogates_of(node).empty();
    }
    /// Adds the columns that decide a row's branch at a node: the asked ones and, where they do not
    /// answer, the surrogates up to the one that does.
    void decided_by(const Rows& rows, std::size_t row, std::uint32_t node,
                    std::vector<std::uint32_t>& columns) const;
    /// Adds all columns that may decide it.
    void may_decide(std::uint32_t node, std::vector<std::uint32_t>& columns) const;

    /// Distribution over the classes, outputs side by side, or values: rows x width.
    void predict(const Rows& rows, Combine combine, std::size_t n_threads, Progress& progress,
                 std::span<double> out) const;
    /// The leaf of each row; for a divided row, the leaf that most of it reaches.
    void apply(const Rows& rows, std::size_t n_threads, Progress& progress,
               std::span<std::int64_t> out) const;
    /// Adds up what plans of the same outputs predict, one after the other: rows x width.
    static void add_up(std::span<const Plan* const> plans, const Rows& rows, Combine combine,
                       std::size_t n_threads, Progress& progress, std::span<double> sums);
    /// What `apply` finds in each of several plans: rows x plans.
    static void apply_all(std::span<const Plan* const> plans, const Rows& rows,
                          std::size_t n_threads, Progress& progress, std::span<std::int32_t> out);
    /// The leaf of each row from `begin` on, one for each place in `out`; false if one is divided.
    [[nodiscard]] bool whole_leaves(const Rows& rows, std::size_t begin,
                                    std::span<std::uint32_t> out) const;
    /// All leaves each row reaches, and the share of it they get: `start` as for paths.
    void parts(const Rows& rows, Progress& progress, std::vector<std::int64_t>& start,
               std::vector<std::int64_t>& leaf, std::vector<double>& share) const;
    /// All nodes each row passes, ascending: `start` has n_rows + 1 entries into the returned list.
    [[nodiscard]] std::vector<std::int32_t> paths(const Rows& rows, Progress& progress,
                                                  std::vector<std::int64_t>& start) const;

private:
    struct Node {
        union {
            double threshold;
            std::int64_t whole;  ///< integer threshold, where the categories are (branch_in), or
                                 ///< the number of the node's list of cuts or sum
        };
        std::uint32_t first_child;
        std::uint32_t column_and_kind;  ///< column << kKindBits | kind
    };
    static_assert(sizeof(Node) == 16);
    /// Kinds of a packed node. Leaves point at themselves, and no value is above their threshold, a
    /// NaN whose low bits say where their answer is: the fast loop may step over them harmlessly.
    enum Kind : std::uint32_t {
        real_cut,
        whole_cut,
        categories,
        leaf,
        real_intervals,
        whole_intervals,
        linear
    };
    static constexpr std::uint32_t kKindBits = 3;
    [[nodiscard]] static Kind kind_of(const Node& node) {
        return static_cast<Kind>(node.column_and_kind & ((1U << kKindBits) - 1));
    }
    [[nodiscard]] static std::uint32_t column_of(const Node& node) {
        return node.column_and_kind >> kKindBits;
    }

    static constexpr std::uint64_t kNaN = 0x7ff8000000000000ULL;
    [[nodiscard]] static Node leaf_at(std::size_t node, std::uint32_t answer) {
        return {{std::bit_cast<double>(kNaN | answer)}, static_cast<std::uint32_t>(node), leaf};
    }
    /// The line of `shares` (`value`, in regression) that a leaf answers by.
    [[nodiscard]] static std::size_t answer_of(const Node& node) {
        return std::bit_cast<std::uint64_t>(node.threshold) & 0xffffffffU;
    }

    /// Where a row goes whose value does not say.
    struct Route {
        std::uint32_t n_branches;  ///< 0: a leaf
        std::int32_t missing;      ///< branch of a missing value; -1: all of them
        std::int32_t unseen;       ///< of an unseen category
    };

    struct Visit {
        std::uint32_t node;
        double share;
    };

    static constexpr std::uint32_t kDivided = 1U << 31;  ///< in Found::leaf: several leaves
    /// Where some rows arrive.
    struct Found {
        std::vector<std::uint32_t> leaf;    ///< of each row; kDivided | number of a divided row
        std::vector<std::size_t> start{0};  ///< of each divided row, in `parts`
        std::vector<Visit> parts;           ///< leaves with the share of the row they get
    };

    /// What a thread has seen of the nodes that it has packed.
    struct Seen {
        std::vector<std::uint8_t> needs;  ///< by column
        bool only_real_cuts = true;
        bool others = false;  ///< kinds of questions that are packed one after the other
        std::vector<std::pair<std::uint32_t, std::uint32_t>> silent;
    };
    Plan(const TreeView& tree, std::vector<std::uint32_t> n_classes, std::size_t answer_width,
         std::size_t n_threads, Progress& progress);
    // Packing (plan.cpp)
    /// Numbers the nodes breadth-first and says where their children are.
    [[nodiscard]] std::size_t number_nodes(const TreeView& tree, Progress& progress);
    void pack(const TreeView& tree, std::uint32_t node, Seen& seen);
    void pack_others(const TreeView& tree, Progress& progress);
    void list_surrogates(const TreeView& tree, Progress& progress);
    void answer_by_shares(const TreeView& tree, std::uint32_t node, Seen& seen);
    /// `branch_of` for every kind of question and value.
    [[nodiscard]] int any_branch_of(const Rows& rows, std::size_t row, std::uint32_t node) const;
    /// The branch by the asked columns alone; -1 if they do not decide it, and whether for want of
    /// a value (else for an unseen category).
    [[nodiscard]] int own_branch_of(const Rows& rows, std::size_t row, std::uint32_t node,
                                    bool& missing) const;
    void add_asked(std::uint32_t node, std::vector<std::uint32_t>& columns) const;
    void push_children(const Visit& divided, std::vector<Visit>& stack) const;
    /// Cells of equal distances: those of all columns, of the rows from the first wanted one on.
    struct Cells {
        const std::byte* first;
        std::ptrdiff_t row_stride;
        std::ptrdiff_t column_stride;
    };
    [[nodiscard]] static bool are_matrix(std::span<const data::Column> columns);
    template <class T>
    void find_in_matrix(const Rows& rows, const Cells& cells, std::size_t begin, std::size_t end,
                        Found& found) const;
    // Loops without branches (plan_descend.cpp)
    /// Makes the descent, if the plan has questions on names and all of its questions fit.
    void make_descent(Progress& progress);
    [[nodiscard]] std::vector<std::uint8_t> branches_by_code(std::uint32_t node) const;
    void go_on(const Rows& rows, const RowCells& cells, std::size_t begin,
               std::vector<std::uint32_t> row_of, Found& found) const;
    /// Whether all rows of the table can be read as cells, and this plan descends by them.
    [[nodiscard]] bool reads_cells(const Rows& rows) const;
    void find_in_cells(const Rows& rows, const RowCells& cells, std::size_t begin, std::size_t end,
                       Found& found) const;
    [[nodiscard]] std::uint32_t leaf_of_most(std::span<const Visit> parts) const;
    template <class Reached>
    static void reach(const Found& found, std::size_t begin, std::size_t end, Reached&& reached);
    /// Calls reached(number of the plan, row, parts) for every row in each plan, plan after plan.
    template <class Reached>
    static void for_each_row_of_all(std::span<const Plan* const> plans, const Rows& rows,
                                    std::size_t n_threads, Progress& progress, Reached&& reached);
    void find_by_shortcuts(const Rows& rows, std::size_t begin, std::size_t end,
                           Found& found) const;
    void find_in_columns(const Rows& rows, std::span<const std::size_t> wanted, std::size_t begin,
                         Found& found) const;
    void find_leaves(const Rows& rows, std::size_t begin, std::size_t end, Found& found) const;
    static bool arrive(Visit& at, std::vector<Visit>& to_do, std::vector<Visit>& parts,
                       std::uint32_t& leaf_of_row, Found& found);
    template <class Reached>
    void for_each_row(const Rows& rows, std::size_t n_threads, Progress& progress,
                      Reached&& reached) const;
    void combine_leaves(std::span<const Visit> parts, Combine combine, double* out) const;

    std::vector<Node> nodes;
    std::vector<std::uint32_t> tree_node;  ///< node of the tree behind each packed node
    std::vector<Route> routes;
    /// Branches of the categories a node asks about. Mostly a table by code, of 2, 4, 8 or 16 bits
    /// a code (branch + 1, or 0: unseen here), so that many tables stay in the cache. Where
    /// few of many categories occur in a node, or all others share a branch, a sorted list: `whole`
    /// is then -1 - its number.
    struct CodeList {
        std::size_t start;
        std::size_t n;
        std::int32_t rest_branch;  ///< of known categories not listed; -1: as an unseen one
    };
    /// `whole` of a table:  first word | length : 24 | log2 of the bits of an entry : 3
    static constexpr int kReachBits = 24;
    static constexpr int kWidthBits = 3;
    [[nodiscard]] std::int64_t add_categories(const TreeView& tree, std::size_t node);
    [[nodiscard]] std::int32_t branch_in(const Node& node, std::int64_t code) const {
        if (node.whole < 0) return branch_in_list(node, code);
        const auto table = static_cast<std::uint64_t>(node.whole);
        const std::uint64_t reach = (table >> kWidthBits) & ((1U << kReachBits) - 1);
        if (static_cast<std::uint64_t>(code) >= reach) return -1;  // negative codes too
        const std::uint64_t width = table & ((1U << kWidthBits) - 1);
        const std::uint64_t bit = static_cast<std::uint64_t>(code) << width;
        const std::uint64_t word = branch_bits[(table >> (kReachBits + kWidthBits)) + (bit >> 6)];
        const std::uint64_t mask = (1U << (1U << width)) - 1;
        return static_cast<std::int32_t>((word >> (bit & 63)) & mask) - 1;
    }
    [[nodiscard]] std::int32_t branch_in_list(const Node& node, std::int64_t code) const;
    void make_shortcuts(Progress& progress);
    [[nodiscard]] Kind ask(const TreeView& tree, std::size_t node, Node& out);
    /// Value of a linear node's combination; NaN if a value is missing.
    [[nodiscard]] double sum_of(const Rows& rows, std::size_t row, const Node& node) const;
    struct Slice {
        std::size_t start;
        std::size_t n;
        double threshold;  ///< of a sum
    };
    std::vector<Slice> slices;  ///< of `cuts` or `terms`
    Cuts cuts;
    data::LinearTerms terms;
    std::vector<CodeList> code_lists;
    std::vector<std::int32_t> listed_codes;
    std::vector<std::int32_t> listed_branches;
    std::vector<std::uint64_t> branch_bits;
    std::vector<Surrogate> surrogates;
    std::vector<std::uint32_t> surrogate_start;  ///< of each node; empty if the tree has none
    [[nodiscard]] std::span<const Surrogate> surrogates_of(std::uint32_t node) const {
        if (surrogate_start.empty()) return {};
        return std::span(surrogates)
            .subspan(surrogate_start[node], surrogate_start[node + 1] - surrogate_start[node]);
    }
    std::vector<std::uint32_t> used_columns;  ///< asked about, ascending
    enum Need : std::uint8_t { any = 1, real = 2, whole = 4, asked = 8 };
    static void need(std::vector<std::uint8_t>& needs, std::size_t column, std::uint8_t as);
    std::vector<std::uint8_t> needs;    ///< by column: what questions read it as, in bits
    std::shared_ptr<const void> owner;  ///< of the next two
    std::span<const double> weight;     ///< by node of the tree
    std::span<const double> value;      ///< nodes of the tree x width
    std::vector<double> shares;         ///< of the classes: leaves x width; empty for regression
    /// Empty leaves without a class of their own, each with the node of the tree it predicts as.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> silent;
    /// The answer of a leaf.
    [[nodiscard]] const double* answer_at(std::uint32_t node) const {
        return (n_classes.empty() ? value.data() : shares.data()) +
               answer_of(nodes[node]) * answer_width;
    }
    /// The class weights of a leaf.
    [[nodiscard]] const double* weights_at(std::uint32_t node) const;
    std::vector<std::uint32_t> n_classes;
    std::size_t answer_width = 0;
    std::uint32_t depth = 0;
    Shortcuts shortcuts;                     ///< empty unless the tree is deep
    std::shared_ptr<const Descent> descent;  ///< null: the general loop serves
    bool only_real_cuts = true;
};

}  // namespace treewright::tree
