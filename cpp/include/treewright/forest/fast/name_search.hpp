/// The best set of the values of a nominal column, or a drawn one, in growing on rows: the searches
/// of split/nominal and split/drawn.hpp, on the runs that row_runs.hpp has counted. What depends on
/// the number of rows is done there; what depends on the number of values is the general grower's,
/// to the last bit.
#pragma once

#include <cstdint>
#include <memory>

#include "treewright/data/dataset.hpp"
#include "treewright/forest/fast/row_runs.hpp"
#include "treewright/grow/options.hpp"
#include "treewright/split/candidate.hpp"

namespace treewright::forest {

class NameSearch {
public:
    virtual ~NameSearch() = default;
    /// The best question on the runs of a column in a node of this weight and sum of targets on the
    /// grid; `key` is that of the node's draws for the column.
    [[nodiscard]] virtual const split::Candidate& seek(const RowRuns& runs, double weight,
                                                       double target, std::uint64_t key) = 0;
};

/// `is_weighed`: rows weigh differently.
[[nodiscard]] std::unique_ptr<NameSearch> make_name_search(const data::Dataset& data,
                                                           const grow::GrowOptions& options,
                                                           bool is_weighed);

}  // namespace treewright::forest
