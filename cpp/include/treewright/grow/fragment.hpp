/// A piece of a tree grown by one thread, and how pieces are joined.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "treewright/tree/tree.hpp"

namespace treewright::grow {

struct Fragment {
    /// Ids are positions in this fragment. A vector of millions would be copied as a whole when it
    /// grows, for longer than Ctrl-C should wait.
    std::deque<tree::TreeNode> nodes;
    tree::CodeBranches branches;
    data::LinearTerms terms;
    tree::Cuts cuts;
    std::vector<std::uint32_t> leaf_rows;  ///< rows of the table, leaf by leaf
    std::vector<double> leaf_weights;      ///< of those rows, where cases are divided
    std::vector<std::pair<std::size_t, std::size_t>> leaf_range;  ///< per node, into leaf_rows
    std::vector<double> medians;     ///< nodes x outputs; absolute error only
    std::vector<double> deviations;  ///< per node; absolute error only
};

}  // namespace treewright::grow
