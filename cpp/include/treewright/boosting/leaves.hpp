/// The leaves of all rows of a table in a tree that was grown on some of them.
///
/// Consecutive rows descend together, without a test where each of them is: every split of the tree
/// is evaluated for all of them, and moves those that are at its node. That is two comparisons of
/// bytes, for as many rows as a vector has bytes; a row that walks alone suffers a mispredicted
/// branch at almost every node.
#pragma once

#include <cstdint>
#include <span>

#include "treewright/base/parallel.hpp"
#include "treewright/boosting/coding/coded_table.hpp"
#include "treewright/boosting/partition.hpp"

namespace treewright::boosting {

/// A node that was split by the codes of a slot.
struct NodeDivision {
    std::uint32_t node = 0;
    std::uint32_t first_child = 0;  ///< the second follows it
    std::uint32_t slot = 0;
    Ways ways;
};

/// Fills in the leaf (node number) of every row of the table; `divisions` in the order in which
/// they were made, the first of node 0.
void find_leaves(const CodedTable& table, std::span<const NodeDivision> divisions,
                 std::span<std::uint32_t> leaf_of_row, Team& team);

}  // namespace treewright::boosting
