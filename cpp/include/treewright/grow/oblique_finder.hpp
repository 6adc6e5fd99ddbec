/// The best sum of columns to split a node by, for the criterion and search of the options.
#pragma once

#include <memory>

#include "treewright/grow/column_finder.hpp"
#include "treewright/split/candidate.hpp"
#include "treewright/split/oblique/climb.hpp"

namespace treewright::grow {

/// One per thread, as a Finder is. The virtual calls are per attempt and node, never per row.
class ObliqueFinder {
public:
    virtual ~ObliqueFinder() = default;

    /// Says which node the next attempts are about.
    virtual void enter(const NodeContext& context, const split::ObliqueNode& node) = 0;
    /// One of the independent searches; depends on its number, not on what was tried before.
    [[nodiscard]] virtual split::Found attempt(const split::ObliqueNode& node, std::size_t number,
                                               const split::Poll& poll) = 0;
    /// Turns a direction into a question about the raw columns, with terms that do not help left
    /// out, and judges it as any cut is judged: missing values, limits and all.
    virtual void complete(const split::ObliqueNode& node, const split::Direction& direction,
                          const split::Poll& poll, split::Candidate& candidate) = 0;
};

[[nodiscard]] std::unique_ptr<ObliqueFinder> make_oblique_finder(const data::Dataset& data,
                                                                 const GrowOptions& options);

}  // namespace treewright::grow
