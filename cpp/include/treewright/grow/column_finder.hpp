/// The best split of one column in one node, for the criterion and searches of the options.
#pragma once

#include <memory>

#include "treewright/data/target_grid.hpp"
#include "treewright/grow/options.hpp"
#include "treewright/split/candidate.hpp"
#include "treewright/split/judge.hpp"
#include "treewright/split/numeric/fused_scan.hpp"
#include "treewright/split/tally.hpp"

namespace treewright::grow {

/// The node that columns are compared in.
struct NodeContext {
    split::NodeRange range;
    std::uint32_t any_column = 0;  ///< a column whose list is kept up to date in this node
    std::uint64_t key = 0;         ///< of the node's random numbers
    double lower = -std::numeric_limits<double>::infinity();  ///< monotonic bounds
    double upper = std::numeric_limits<double>::infinity();
    std::vector<double> total;         ///< sums of the node's rows
    const data::Grid* grid = nullptr;  ///< of the node's targets, where they are numbers
};

/// One per thread: a criterion and the memory its searches work in. The virtual calls are per
/// column and node, never per row.
class Finder {
public:
    virtual ~Finder() = default;

    [[nodiscard]] virtual std::size_t width() const = 0;
    /// Adds the sums of rows [begin, end) of `rows` to `into`.
    virtual void add(double* into, const data::Block& block,
                     std::span<const std::uint32_t> rows) const = 0;
    /// Whether the sums of all rows but some are those of all less those of some, to the last bit.
    [[nodiscard]] virtual bool subtracts_exactly(const data::Block&) const { return false; }
    /// Sets the node of the next columns.
    virtual void enter(const NodeContext&) {}
    /// Fills `candidate` with the best split by `column`. A cut found without its position (fused
    /// scan) is completed by `locate`, which is called for the winner alone.
    virtual void evaluate(const NodeContext& node, std::uint32_t column, std::uint32_t n_missing,
                          split::Candidate& candidate) = 0;
    virtual void locate(const NodeContext& node, split::Candidate& candidate) = 0;
    /// p-value of the split into these branches: Pearson's chi-square for classes, the
    /// F-test for values. `branches` holds n_branches x width sums; `sum_of_squares` the node's.
    [[nodiscard]] virtual double p_value(const double* branches, std::size_t n_branches,
                                         double sum_of_squares) const = 0;
    /// The value that a monotonic constraint compares.
    [[nodiscard]] virtual double level_of(const double* sums) const = 0;
    /// Impurity of a classification node from its class weights; 0 for regression.
    [[nodiscard]] virtual double impurity_of(const double* sums) const = 0;
};

/// `reciprocals` reach up to the number of rows. Throws InvariantError for an unknown criterion.
[[nodiscard]] std::unique_ptr<Finder> make_finder(const data::Dataset& data,
                                                  const GrowOptions& options,
                                                  const split::Reciprocals& reciprocals,
                                                  Progress& progress);

}  // namespace treewright::grow
