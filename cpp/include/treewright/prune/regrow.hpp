/// Regrown branches (C5.0): a node that replaces another gets rows that its branches were not
/// grown for.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/grow/options.hpp"
#include "treewright/prune/divided_rows.hpp"
#include "treewright/prune/error_estimate.hpp"
#include "treewright/tree/plan.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright::prune {

class Regrower {
public:
    struct How {
        grow::GrowOptions options;  ///< those the tree was grown with
        /// Nodes whose leaves misclassify at least 0.999 of the rows that the node itself would
        /// misclassify (or of their cost) become leaves.
        bool collapses = false;
        /// Weight factor of each class in growing, because of the costs of errors; empty: 1.
        std::vector<double> class_factor;
        /// Unseen categories follow the heaviest branch.
        bool unseen_to_heaviest = false;
    };
    Regrower(const data::Dataset& data, How how);

    /// The tree of these rows and their weights. Nodes below collapsed ones stay in the list.
    [[nodiscard]] std::pair<tree::Tree, tree::Plan> grow(const std::vector<Part>& rows,
                                                         const LeafJudge& judge,
                                                         Progress& progress) const;

private:
    static void collapse(tree::Tree& tree, const LeafJudge& judge);
    [[nodiscard]] std::vector<std::int32_t> unseen_branches(const tree::Tree& tree) const;

    const data::Dataset& data;
    How how;
    bool moves_thresholds;
};

}  // namespace treewright::prune
