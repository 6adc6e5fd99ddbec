/// C4.5's error-based pruning (Quinlan 1993, section 4.2; release 8, prune.c): from the bottom up,
/// a node becomes a leaf, or its largest branch takes its place and gets all its rows, where the
/// estimated number of errors does not rise by more than 0.1.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/prune/regrow.hpp"
#include "treewright/tree/plan.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright {

/// What is added to the errors counted among `n` rows. The same formulas, with their sources, are
/// in measures/errors.py; a test holds the two equal.
struct AddedErrors {
    double log_confidence = 0.0;
    double deviate_squared = 0.0;
    double share_above = 0.67;  ///< of the rows still right, added where nearly all are wrong
    /// Release 8 and C5.0 interpolate parts of an error towards a whole one even in less than a
    /// row.
    double least_right = -std::numeric_limits<double>::infinity();
    double no_error = 1e-6;          ///< fewer errors than this are none
    double one_error = 0.9999;       ///< and fewer than this are a part of one
    double interpolate_above = 0.0;  ///< rows from which parts of an error are interpolated
    bool nothing = false;            ///< J48 adds nothing if the confidence is above 1/2

    [[nodiscard]] double operator()(double n, double e) const;
};

struct ErrorPruning {
    AddedErrors added;
    bool raising = true;
    /// Release 8: a branch that got no rows in growing keeps the class it was given then.
    bool empty_leaves_keep_class = false;
    /// C5.0: only a branch that asks, holds a tenth of the rows and does not cut the same column
    /// may take the place of its node.
    bool choosy = false;
    /// C5.0: branches with fewer rows than this are estimated together, as one leaf; 0: none are.
    double joint_below = 0.0;
    /// C5.0: parts of rows that weigh less than this together leave a branch empty.
    double least_branch = 0.0;
    double slack = 0.1;  ///< C4.5 prefers the smaller tree within this many errors
};

/// Leaves of a subtree, and the weight of the training rows they get wrong.
struct Size {
    double leaves = 0.0;
    double wrong = 0.0;
};

/// A pruned tree: for each node the node of the old tree whose question it asks, or, numbered after
/// those, of the branches that were grown again.
struct Pruned {
    std::vector<std::int32_t> source;
    std::vector<std::int32_t> first_child;
    std::vector<std::int32_t> n_branches;
    std::vector<std::int32_t> parent;
    std::vector<std::int64_t> n_rows;
    std::vector<double> value;  ///< nodes x classes
    /// What was done, in order: the node of the old tree, and the estimated errors of its subtree,
    /// of a leaf in its place and of its largest branch (infinite where that was not tried); leaves
    /// and errors counted before and after.
    struct Step {
        std::int32_t node;
        bool raised;
        double subtree;
        double leaf;
        double branch;
        Size before;
        Size after;
    };
    std::vector<Step> steps;
    Tree regrown;                      ///< nodes without a common root; `source` goes on with them
    std::vector<std::int32_t> origin;  ///< of each, the node of the old tree it was grown below
};

Pruned prune_by_error(const Dataset& data, const Tree& tree, const Plan& plan,
                      const ErrorPruning& options, const Regrower* regrower, Progress& progress);

}  // namespace treewright
