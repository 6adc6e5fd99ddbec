/// Branches grown again (C5.0): a node that takes another's place gets rows its branches were not
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
        /// Nodes whose leaves are wrong on at least 0.999 of the rows that they would be wrong on
        /// themselves, or cost as much, are left without branches.
        bool collapses = false;
        /// Rows of a class counted so often in growing, because of what errors cost; empty: once.
        std::vector<double> class_factor;
        /// Categories that are not known go down the heaviest branch.
        bool unseen_to_heaviest = false;
    };
    Regrower(const data::Dataset& data, How how);

    /// The tree of these rows and their weights. What was below collapsed nodes stays in the list.
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
