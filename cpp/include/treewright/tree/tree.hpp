/// The flat arrays of a tree. Node 0 is the root; the children of a node are contiguous, at
/// first_child + branch, and numbered after it.
#pragma once

#include <cstdint>
#include <vector>

#include "treewright/data/linear_combination.hpp"

namespace treewright::tree {

/// The branches of the categories that occur in a node, by ascending code.
struct CodeBranches {
    std::vector<std::int32_t> code;
    std::vector<std::int32_t> branch;
};

/// The cuts of nodes that ask for an interval, ascending in each node's slice: values up to the
/// first go to branch 0, and so on. `whole` serves integer columns and codes, `real` the others.
struct Cuts {
    std::vector<double> real;
    std::vector<std::int64_t> whole;
};

/// A surrogate question for rows with a missing value in the node's column (CART).
struct Surrogate {
    std::uint32_t column = 0;
    bool is_cut = true;
    bool reversed = false;  ///< values up to the threshold go to branch 1
    double threshold = 0.0;
    std::int64_t threshold_int = 0;
    CodeBranches branches;
    double agreement = 0.0;  ///< share of the rows, known in both columns, sent the same way
};

struct TreeNode {
    std::int32_t first_child = -1;
    std::int32_t n_branches = 0;
    std::int32_t parent = -1;
    std::int32_t column = -1;
    std::int8_t kind = 0;  ///< 0 leaf, 1 cut, 2 categories, 3 intervals, 4 linear
    double threshold = 0.0;
    std::int64_t threshold_int = 0;
    std::int64_t code_offset = -1;  ///< categories: the node's slice of the tree's branches
    std::int32_t code_count = 0;
    std::int32_t rest_branch = -1;  ///< of every category not listed; -1: as an unseen one
    std::int64_t cut_offset = -1;   ///< intervals: the node's slice of the tree's cuts
    std::int32_t cut_count = 0;
    std::int64_t term_offset = -1;  ///< linear: the node's slice of the tree's terms
    std::int32_t term_count = 0;
    std::int32_t missing_branch = -1;
    std::int64_t n_rows = 0;
    double weight = 0.0;
    double impurity = 0.0;
    double gain = 0.0;
    double score = 0.0;
    double lower = 0.0;  ///< monotonic bounds on the value, in the target's own units
    double upper = 0.0;
    std::vector<Surrogate> surrogates;
};

struct Tree {
    std::vector<TreeNode> nodes;
    CodeBranches branches;  ///< of all nodes, slice by slice
    Cuts cuts;
    data::LinearTerms terms;
    std::size_t width = 0;
    std::vector<double> value;  ///< nodes x width
};

}  // namespace treewright::tree
