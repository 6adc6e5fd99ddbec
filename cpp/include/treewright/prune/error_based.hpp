/// C4.5's error-based pruning (Quinlan 1993, section 4.2; release 8, prune.c): from the bottom up,
/// a node becomes a leaf, or its largest branch replaces it and gets all its rows, where the
/// estimated number of errors does not rise by more than 0.1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/prune/error_estimate.hpp"
#include "treewright/prune/regrow.hpp"
#include "treewright/tree/plan.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright::prune {

struct ErrorPruning {
    AddedErrors added;
    LeafPrices prices;
    bool raising = true;
    /// Release 8: a branch that got no rows in growing keeps the class it was given then.
    bool empty_leaves_keep_class = false;
    /// C5.0: only a branch that is not a leaf, has a tenth of the rows and does not cut the same
    /// column may replace its node.
    bool choosy = false;
    /// C5.0: branches with fewer rows than this are estimated together, as one leaf; 0: none are.
    double joint_below = 0.0;
    /// C5.0: a branch with parts of rows of less than this weight in all counts as empty.
    double least_branch = 0.0;
    std::size_t n_threads = 1;
    double slack = 0.1;  ///< C4.5 prefers the smaller tree within this many errors
};

/// A pruned tree: for each node the node of the old tree whose question it asks, or, numbered after
/// those, of the branches that were regrown.
struct Pruned {
    std::vector<std::int32_t> source;
    std::vector<std::int32_t> first_child;
    std::vector<std::int32_t> n_branches;
    std::vector<std::int32_t> parent;
    std::vector<std::int64_t> n_rows;
    std::vector<double> value;  ///< nodes x classes
    /// The steps, in order: the node as in `source`, the estimated errors of its subtree and
    /// of its replacement, and by how much leaves and training errors changed.
    struct Step {
        std::int32_t node;
        bool raised;
        double before;
        double after;
        Size change;
    };
    std::vector<Step> steps;
    /// By how much the errors of each set of follower rows changed: steps x sets.
    std::vector<double> followed;
    std::vector<double> errors_left;   ///< theirs in the pruned tree
    std::int64_t n_sent = 0;           ///< rows sent down a branch to see what raising it would do
    tree::Tree regrown;                ///< nodes without a common root; `source` goes on with them
    std::vector<std::int32_t> origin;  ///< of each, the node of the old tree it was grown below
};

/// `followers` are rows with known targets that decide nothing; without a regrower branches stay as
/// they were grown.
Pruned prune_by_error(const data::Dataset& data, std::span<const data::Dataset> followers,
                      const tree::Tree& tree, const tree::Plan& plan, const ErrorPruning& options,
                      const Regrower* regrower, Progress& progress);

}  // namespace treewright::prune
