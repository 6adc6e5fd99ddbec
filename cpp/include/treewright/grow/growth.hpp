/// The state of one tree being grown, and the steps that growing it is made of:
/// choose a split (growth_choose_split.cpp, growth_oblique.cpp), send the rows to its branches
/// (growth_route_rows.cpp), open the children (growth_open_children.cpp); grower.cpp is the loop.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/criteria/traits.hpp"
#include "treewright/data/partition.hpp"
#include "treewright/data/target_grid.hpp"
#include "treewright/grow/column_finder.hpp"
#include "treewright/grow/fragment.hpp"
#include "treewright/grow/grower.hpp"
#include "treewright/grow/oblique_finder.hpp"
#include "treewright/grow/options.hpp"
#include "treewright/missing/surrogates.hpp"

namespace treewright::grow {

/// A node whose split has not been decided.
struct Open {
    std::shared_ptr<data::Block> block;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t node = 0;  ///< in its fragment
    std::int64_t depth = 0;
    std::uint64_t key = 0;
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
    bool is_settled = false;
    std::shared_ptr<const std::vector<std::uint32_t>> columns;  ///< not yet constant, ascending
    std::vector<std::uint32_t> n_missing;  ///< by column; empty if no column misses any value
    std::vector<double> total;
    data::Grid grid;  ///< of a regression's targets in this node

    [[nodiscard]] std::uint32_t size() const { return end - begin; }
};

/// Working memory of one thread.
struct Workspace {
    std::unique_ptr<Finder> finder;
    std::unique_ptr<ObliqueFinder> oblique;  ///< null unless linear combinations are searched
    split::ObliqueNode oblique_node;
    std::vector<split::Candidate> candidates;
    data::PartitionScratch partition;
    data::Sides sides;
    std::vector<std::uint32_t> new_row;
    std::vector<std::uint32_t> rows;  ///< of the node, branch by branch
    std::vector<std::uint32_t> missing_rows;
    bool missing_settled = false;       ///< included in rows, counts and sums already
    std::vector<std::uint32_t> counts;  ///< rows per branch
    std::vector<std::uint32_t> drawn;
    std::vector<std::uint32_t> order;  ///< of the candidates, where ties go by it; else empty
    std::vector<double> branch_sums;
    bool is_caller = false;
};

/// What growing one tree makes: subtrees that one thread grows each, then all of them as one tree.
struct Parts {
    Fragment top;
    std::vector<Open> tasks;
    std::vector<Fragment> fragments;  ///< continue nodes of the top
    NodeRows rows;                    ///< of all of them
    tree::Tree tree;
};

class Growth {
public:
    Growth(const data::Dataset& data, const GrowOptions& options, Progress& progress);

    void grow_tree(Parts& parts, const SortedTable* table);
    Inspection inspect_node(const std::vector<std::uint32_t>& path);

private:
    // The loop (grower.cpp)
    void grow_parts(Parts& parts, const SortedTable* table);
    /// `tasks`, if given, receives the subtrees that one thread should grow alone.
    void grow_depth_first(Open root, Fragment& fragment, Workspace& ws, std::vector<Open>* tasks);
    /// Splits the node that gains most, weighted by its rows, until there are enough leaves.
    void grow_best_first(Open root, Fragment& fragment);
    [[nodiscard]] std::size_t n_branches_of(const split::Candidate& c,
                                            const data::Column& column) const;
    void close(const Open& open, Workspace& ws, Fragment& fragment);

    // Nodes (growth.cpp)
    /// Converts a gain on the node's grid to the target's own units.
    [[nodiscard]] double unit_of(const data::Grid& grid) const;
    Open open_root(Fragment& fragment, SortedTable table);
    void collect_rows(const Open& open, std::vector<std::uint32_t>& rows) const;
    /// Whether all rows have the same target, or nearly enough to make the node a leaf.
    [[nodiscard]] bool is_settled(const data::Block& block, std::span<const std::uint32_t> rows,
                                  const double* sums, const Finder& finder) const;
    [[nodiscard]] bool agree(const data::Block& block, std::span<const std::uint32_t> rows) const;
    /// Writes the figures of a new node; medians are not sums over leaves.
    void note(Fragment& fragment, std::uint32_t node, const data::Block& block,
              std::span<const std::uint32_t> rows, double lower, double upper) const;
    /// Whether a node of this size, at this depth, may be split at all.
    [[nodiscard]] bool within_limits(std::size_t n_rows, std::int64_t depth,
                                     const double* sums) const;
    [[nodiscard]] bool may_split(const Open& open) const;
    [[nodiscard]] bool is_shared(const Open& open) const;
    /// Checks for an interrupt between two passes over the rows of a node, if they are many.
    void look_up(std::size_t n_rows) const;
    void record_leaf(std::uint32_t node, const data::Block& block,
                     std::span<const std::uint32_t> rows, Fragment& fragment);
    /// Monotonic bounds are kept in the target's own units; searches compare on the node's grid.
    [[nodiscard]] static double on_grid(const data::Grid& grid, double level);
    [[nodiscard]] static double off_grid(const data::Grid& grid, double level);
    [[nodiscard]] NodeContext context_of(const Open& open) const;
    [[nodiscard]] std::uint32_t n_missing_of(const Open& open, std::uint32_t column) const;

    // Splits (growth_choose_split.cpp)
    /// The node's best split, null if it has none. Columns found constant are dropped for good.
    split::Candidate* choose(Open& open, Workspace& ws, bool shared);
    /// Moves a small node out of a wide block into a narrow one of its own.
    void rehome(Open& open, Workspace& ws) const;
    /// Draws columns without replacement until enough that vary have been judged and one of them
    /// offers a split, as scikit-learn does.
    void evaluate_drawn(const Open& open, const NodeContext& context, Workspace& ws);
    /// Puts the columns in the order they were drawn in (all of them, where none need be drawn).
    void order_as_drawn(const Open& open, Workspace& ws) const;
    /// The fused scan does not tell whether a column without a cut is constant or just too small.
    void mark_constant(const Open& open, split::Candidate& candidate) const;
    void drop_constant_columns(Open& open, const std::vector<split::Candidate>& candidates) const;

    // Linear combinations (growth_oblique.cpp)
    /// Appends the best linear combination to the candidates: it is the last of them, so that it
    /// wins only if it is better than every split by one column.
    void seek_sum(const Open& open, const NodeContext& context, Workspace& ws, bool shared);
    /// The best direction of ws.oblique_node that any attempt finds; empty if none does.
    [[nodiscard]] split::Direction best_direction(const NodeContext& context, Workspace& ws,
                                                  bool shared);
    void route_by_sum(const Open& open, const split::Candidate& winner, Workspace& ws) const;

    // Rows (growth_route_rows.cpp)
    /// Sends every row with a known value to its branch; the others are listed in missing_rows.
    void route_known(const Open& open, const split::Candidate& winner, Workspace& ws) const;
    /// Lists the known rows in ws.rows, branch by branch, in the order of a column's list.
    void list_by_branch(const Open& open, std::uint32_t column, std::uint32_t known_end,
                        Workspace& ws) const;
    void sum_branches(const Open& open, std::size_t n_branches, std::size_t width,
                      Workspace& ws) const;
    static std::uint32_t heaviest_branch(std::size_t n_branches, std::size_t width,
                                         const Workspace& ws);
    /// Impurity of some rows in the target's own units; `sums` are theirs.
    [[nodiscard]] double impurity_of(const data::Block& block, std::span<const std::uint32_t> rows,
                                     const double* sums, const Finder& finder) const;
    /// Sum of squares about the node's mean, on the grid (first output).
    [[nodiscard]] double sum_of_squares(const Open& open, const Workspace& ws) const;
    /// Up to max_surrogates questions on other columns, best agreement first.
    /// The weight of rows in the judgement of surrogates: rpart's does not know the classes.
    [[nodiscard]] double case_weight_of(const data::Block& block,
                                        std::span<const std::uint32_t> rows) const;
    /// The mean target of some rows, classes counted from 0: rpart's left branch has the lower one.
    [[nodiscard]] double mean_of(const double* sums, const Finder& finder) const;
    std::vector<missing::FoundSurrogate> find_surrogates(const Open& open,
                                                         const split::Candidate& winner,
                                                         Workspace& ws) const;
    /// Branch of a row whose value is missing, for every policy but divided cases.
    [[nodiscard]] std::uint32_t branch_of_missing(const Open& open, const split::Candidate& winner,
                                                  const tree::TreeNode& node,
                                                  std::uint32_t row) const;
    /// Reorders every list in use; `opened` are the children that will be split further.
    void partition(const Open& open, const split::Candidate& winner, Workspace& ws, bool shared,
                   std::size_t first_child, std::span<Open> opened);
    /// Divided rows are in several blocks; a block's missing values are counted again.
    void count_missing(const Open& open, Open& child) const;

    // Children (growth_open_children.cpp)
    static constexpr std::uint32_t kAllBranches = ~0U;

    /// Partitions the node by the winner and opens its children. False if the split turns out to
    /// be not significant. With `only` one child is opened (to inspect one node).
    bool split(Open& open, split::Candidate& winner, Workspace& ws, bool shared, Fragment& fragment,
               std::vector<Open>& children, std::uint32_t only);
    void open_children(Open& open, const split::Candidate& winner, Workspace& ws, bool shared,
                       Fragment& fragment, std::vector<Open>& children, std::uint32_t only);
    /// Sends missing values to the branch that the policy gives them; ws.rows, the counts and
    /// the sums then hold all rows of the node.
    void settle_missing(const Open& open, const split::Candidate& winner, Workspace& ws,
                        const Fragment& fragment) const;
    /// C4.5's divided cases: a missing value follows every branch, with the branch's share
    /// of the known weight; each child gets a block of its own.
    void open_divided(const Open& open, const split::Candidate& winner, Workspace& ws,
                      Fragment& fragment, std::vector<Open>& children, std::uint32_t only,
                      std::size_t first_child);
    /// A finer grid for the child's targets, if it pays; its sums are then recomputed.
    void lay_grid(const Open& open, Open& child, std::span<const std::uint32_t> rows,
                  Workspace& ws) const;
    /// The bound between the two branches of a cut: halfway between their means or medians.
    [[nodiscard]] double between_branches(const Open& open, const Workspace& ws) const;
    void bound_child(const Open& open, const split::Candidate& winner, const Workspace& ws,
                     std::size_t b, double& lower, double& upper) const;

    const data::Dataset& data;
    const GrowOptions& options;
    Progress& progress;
    Team team;
    criteria::Traits criterion;
    data::Gridding gridding;
    split::Reciprocals reciprocals;
    std::vector<data::Bins> bins;  ///< by column
    double total_weight = 0.0;
    std::atomic<std::size_t> n_nodes{1};
    std::vector<Workspace> workspaces;
};

}  // namespace treewright::grow
