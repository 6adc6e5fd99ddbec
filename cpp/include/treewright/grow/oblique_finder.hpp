/// The best linear combination to split a node by, for the criterion and search of the options.
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

    /// Sets the node of the next attempts.
    virtual void enter(const NodeContext& context, const split::ObliqueNode& node) = 0;
    /// One of the independent searches; depends on its number, not on earlier ones.
    [[nodiscard]] virtual split::Found attempt(const split::ObliqueNode& node, std::size_t number,
                                               Progress& progress) = 0;
    /// Turns a direction into a question on the raw columns, without terms that do not help,
    /// and judges it like any other cut, with missing values and limits.
    virtual void complete(const split::ObliqueNode& node, const split::Direction& direction,
                          Progress& progress, split::Candidate& candidate) = 0;
};

[[nodiscard]] std::unique_ptr<ObliqueFinder> make_oblique_finder(const data::Dataset& data,
                                                                 const GrowOptions& options);

}  // namespace treewright::grow
