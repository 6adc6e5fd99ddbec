/// Branches grown again (C5.0): a node that takes another's place gets rows its branches were not
/// grown for.
#pragma once

#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/grow/options.hpp"
#include "treewright/prune/estimate.hpp"
#include "treewright/prune/shares.hpp"

namespace treewright {

class Regrower {
public:
    /// `options` are those the tree was grown with; rows of a class then counted `class_factor`
    /// times (empty: once), because of what errors cost.
    Regrower(const Dataset& data, const GrowOptions& options, bool collapses,
             std::vector<double> class_factor);

    /// The tree of these rows and their weights.
    [[nodiscard]] Tree grow(const std::vector<Part>& rows, Progress& progress) const;
    /// Where it was asked to, leaves no branches to nodes whose leaves are wrong on at least 0.999
    /// of the rows that they would be wrong on themselves, or cost as much. What was below stays in
    /// the list.
    void collapse(Tree& tree, const LeafJudge& judge) const;

private:
    const Dataset& data;
    GrowOptions options;
    bool collapses;
    std::vector<double> class_factor;
    bool moves_thresholds;
};

}  // namespace treewright
