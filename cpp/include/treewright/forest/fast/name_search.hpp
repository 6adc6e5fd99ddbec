/// The best set of the values of a nominal column, or a drawn one, in growing on rows: the searches
/// of split/nominal and split/drawn.hpp, on the runs that row_runs.hpp has counted. What depends on
/// the number of rows is done there; what depends on the number of values is the general grower's,
/// to the last bit.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "treewright/data/dataset.hpp"
#include "treewright/forest/fast/coded_columns.hpp"
#include "treewright/forest/fast/row_runs.hpp"
#include "treewright/forest/packed.hpp"
#include "treewright/grow/options.hpp"
#include "treewright/split/candidate.hpp"

namespace treewright::forest {

class NameSearch {
public:
    virtual ~NameSearch() = default;
    /// The best question on the runs of a column in a node of this weight and sum of targets on the
    /// grid; `key` is that of the node's draws for the column.
    [[nodiscard]] virtual const split::Candidate& seek(const Runs& runs, double weight,
                                                       double target, std::uint64_t key) = 0;
    /// Changes places with the question that was found last: it is kept while others are looked
    /// for.
    virtual void swap_found(split::Candidate& other) = 0;
};

/// Sides of all codes of a column of so many, and of a missing value behind them.
void sides_of_codes(const split::Candidate& found, const Runs& runs, std::size_t n_codes,
                    std::vector<std::uint8_t>& side);

/// Notes a question on names, as grow/question.hpp does; returns its number. `share` of the
/// impurity is what it pays.
[[nodiscard]] double note_names(const split::Candidate& found, const Runs& runs,
                                const data::Column& column, const CodedColumn& coded, double share,
                                PackedNames& names);

/// `is_weighed`: rows weigh differently.
[[nodiscard]] std::unique_ptr<NameSearch> make_name_search(const data::Dataset& data,
                                                           const grow::GrowOptions& options,
                                                           bool is_weighed);

}  // namespace treewright::forest
