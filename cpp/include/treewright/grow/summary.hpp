/// Joins the fragments of a tree and fills in the figures of its nodes: weights, class weights or
/// values, impurities. Leaves are summed from their rows, other nodes from their children.
#pragma once

#include "treewright/base/progress.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/grow/options.hpp"
#include "treewright/tree/arrays.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright::grow {

struct Parts;
struct NodeRows;

/// Makes the tree of the parts, which are used up.
void join(Parts& parts, const data::Dataset& data, const GrowOptions& options, Progress& progress);

/// Fills in the figures of a tree whose nodes have their questions and numbers of rows, and whose
/// other arrays have their sizes; `rows` are those of the leaves.
void sum_up(tree::TreeArrays& arrays, NodeRows& rows, const data::Dataset& data,
            const GrowOptions& options, Progress& progress);
/// The same for classes, from the number of rows of each class in every leaf.
void sum_up_counts(tree::TreeArrays& arrays, const data::Dataset& data, const GrowOptions& options,
                   Progress& progress);

/// C4.5 prints thresholds that occur: each becomes the largest value of the whole training set
/// that is not above it (Quinlan 1993, section 2.4).
void move_thresholds_down(const data::Dataset& data, tree::Tree& tree, Progress& progress);
/// The same for one threshold.
void move_threshold_down(const data::Dataset& data, const data::Column& column, double& threshold,
                         std::int64_t& threshold_int, Progress& progress);
/// The same for the cuts of one node.
void move_cuts_down(const data::Dataset& data, const data::Column& column, tree::Cuts& cuts,
                    Progress& progress);

}  // namespace treewright::grow
