/// A piece of a tree grown by one thread, and how pieces are joined.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "treewright/tree/tree.hpp"

namespace treewright::grow {

struct Fragment {
    std::vector<tree::TreeNode> nodes;  ///< ids are positions in this fragment
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
