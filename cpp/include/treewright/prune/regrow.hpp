/// Branches grown again (C5.0): a node that takes another's place gets rows its branches were not
/// grown for.
#pragma once

#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/grow/options.hpp"
#include "treewright/prune/shares.hpp"

namespace treewright {

class Regrower {
public:
    /// `options` are those the tree was grown with.
    Regrower(const Dataset& data, const GrowOptions& options, bool collapses);

    /// The tree of these rows and their weights.
    [[nodiscard]] Tree grow(const std::vector<Part>& rows, Progress& progress) const;
    /// Where it was asked to, leaves no branches to nodes whose leaves are wrong on at least 0.999
    /// of the rows that they would be wrong on themselves. What was below stays in the list.
    void collapse(Tree& tree) const;

private:
    const Dataset& data;
    GrowOptions options;
    bool collapses;
    bool moves_thresholds;
};

}  // namespace treewright
