/// The rows of a node's other branches, sent down its largest branch: the effect on the
/// estimate, and the move itself. Rows of the largest branch stay where they are, so that only the
/// leaves that others reach change.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/prune/changing_tree.hpp"
#include "treewright/prune/divided_rows.hpp"
#include "treewright/prune/error_estimate.hpp"
#include "treewright/prune/joint_estimate.hpp"
#include "treewright/prune/rows_by_leaf.hpp"
#include "treewright/tree/shortcuts.hpp"

namespace treewright::prune {

class MovedRows : private LeavesToBe {
public:
    MovedRows(ChangingTree& tree, const RowsByLeaf& rows, Shares& shares, const LeafJudge& judge,
              Descent& descent, bool is_deep, Progress& progress)
        : is_deep(is_deep),
          tree(tree),
          rows(rows),
          shares(shares),
          judge(judge),
          descent(descent),
          progress(progress),
          local(tree.n_classes) {
        make_room();
    }

    /// To be called when nodes were added to the tree.
    void make_room() {
        if (is_deep) shortcuts.make_room(tree.places.size());
        number_of.resize(tree.places.size(), -1);
        first_arrived.resize(tree.places.size(), -1);
    }

    enum class Verdict : std::uint8_t {
        too_many,  ///< the estimate would be above the limit
        known,     ///< the estimate is exact, and the rows may be moved
        unknown    ///< some rows would be divided
    };
    /// Sends the rows of a node that are in other branches than `child` down `child`. Stops as soon
    /// as the estimate must exceed `limit`.
    Verdict send(std::int32_t node, std::int32_t child, double limit, Estimate& estimate);
    /// Replaces the node by `child`, and puts the rows last sent into the leaves they reached,
    /// which are then open, as are all nodes above them.
    void move(std::int32_t node, std::int32_t child);

    /// Notes that a node and its subtree are final for rows to come.
    void settled(std::int32_t node);

    [[nodiscard]] std::int64_t n_sent() const { return n_rows_sent; }

private:
    struct Arrival {
        std::int32_t leaf;
        std::uint32_t row;
        std::int64_t next;  ///< in `arrivals`, at the same leaf
    };

    /// Rows that descend a branch together, so that their cache misses overlap.
    static constexpr std::size_t kInFlight = 16;
    using Group = std::span<const std::uint32_t>;  ///< of at most so many rows
    using Reached = std::array<std::int32_t, kInFlight>;

    bool send_range(std::size_t begin, std::size_t end, std::int32_t child, double limit);
    void descend(Group group, Reached& at) const;
    template <class T>
    void descend_by_cells(Group group, Reached& at) const;
    void descend_by_shortcuts(Group group, Reached& at) const;
    [[nodiscard]] std::int32_t ask(std::uint32_t row, std::int32_t node) const;
    void note_arrival(std::uint32_t row, std::int32_t leaf);
    [[nodiscard]] bool gets_rows(std::int32_t leaf) const override {
        return number_of[static_cast<std::size_t>(leaf)] >= 0;
    }
    [[nodiscard]] double n_copies(std::int32_t leaf) const override;
    [[nodiscard]] const double* weights(std::int32_t leaf) override;
    [[nodiscard]] Estimate estimate_with_added(std::int32_t child);
    [[nodiscard]] double at_least(std::int32_t child);
    void forget();
    void fill_leaf(std::int32_t leaf, std::size_t begin);
    void add_up(std::int32_t node);

    const bool is_deep;
    ChangingTree& tree;
    const RowsByLeaf& rows;
    Shares& shares;
    const LeafJudge& judge;
    Descent& descent;
    Progress& progress;
    tree::Shortcuts shortcuts;            ///< of a deep tree, below all nodes that are settled
    std::vector<std::int32_t> reached;    ///< leaves that rows would come to
    std::vector<std::int32_t> number_of;  ///< of each leaf in `reached`; -1: not there
    std::vector<double> added;            ///< class weights of the rows, for each of `reached`
    std::vector<double> added_copies;     ///< and how many rows these are
    std::vector<Arrival> arrivals;
    std::vector<std::int64_t> first_arrived;  ///< at each leaf, while rows are moved
    std::vector<std::uint32_t> moved;
    std::vector<double> local;
    bool any_divided = false;
    std::size_t next_look = 0;  ///< arrivals at which the limit is looked at again
    std::int64_t n_rows_sent = 0;
};

}  // namespace treewright::prune
