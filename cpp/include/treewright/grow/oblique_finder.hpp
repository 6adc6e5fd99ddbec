/// The best sum of columns to split a node by, for the criterion and search of the options.
#pragma once

#include <memory>

#include "treewright/grow/column_finder.hpp"
#include "treewright/split/candidate.hpp"
#include "treewright/split/oblique/climb.hpp"

namespace treewright {

/// One per thread, as a Finder is. The virtual calls are per attempt and node, never per row.
class ObliqueFinder {
public:
    virtual ~ObliqueFinder() = default;

    /// Says which node the next attempts are about.
    virtual void enter(const NodeContext& context, const ObliqueNode& node) = 0;
    /// One of the independent searches; depends on its number, not on what was tried before.
    [[nodiscard]] virtual Found attempt(const ObliqueNode& node, std::size_t number,
                                        const Poll& poll) = 0;
    /// Turns a direction into a question about the raw columns, with terms that do not help left
    /// out, and judges it as any cut is judged: missing values, limits and all.
    virtual void complete(const ObliqueNode& node, const Direction& direction, const Poll& poll,
                          Candidate& candidate) = 0;
};

[[nodiscard]] std::unique_ptr<ObliqueFinder> make_oblique_finder(const Dataset& data,
                                                                 const GrowOptions& options);

}  // namespace treewright
