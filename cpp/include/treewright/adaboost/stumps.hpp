/// The best stump for the weights of a round, over and over on the same rows.
///
/// Columns are read once: every row has, for each column, the number of its *cell*, which is a bin
/// of the column's values together with the class of the row. A round adds up the weights of the
/// cells (one pass, no order needed), looks at the cuts between bins, and then inside those bins
/// alone where a better cut could still hide:
///
///   values   | . . . . | . . . | . . . . . |      classes of a bin in the worst order there is
///   bin           0        1         2            tell how good a cut inside it can be at most
///
/// (Alsabti, Ranka, Singh: CLOUDS, KDD 1998.) The answer is exact: the best of all cuts, the first
/// of equals, as the growing of single trees (grow/) has it. Columns of few values have one bin for
/// each, nominal ones one for each category.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "treewright/adaboost/rows.hpp"
#include "treewright/base/parallel.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/data/dataset.hpp"
#include "treewright/data/order.hpp"
#include "treewright/grow/options.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright::adaboost {

/// One column as rounds read it.
struct StumpColumn {
    bool is_nominal = false;
    bool is_exact = false;     ///< every bin is a single value
    std::uint32_t n_bins = 0;  ///< rows without a value are in one more
    bool any_missing = false;
    /// bin x classes + class of each row of the table
    std::variant<std::vector<std::uint16_t>, std::vector<std::uint32_t>> cell_of_row;
    std::vector<std::uint32_t> n_rows;  ///< of each bin
    /// Rows by ascending value, as Order has them (of exact bins one each), and where bins start.
    std::vector<std::uint32_t> entries;
    std::vector<std::uint32_t> start;
};

/// A stump and what it says of the training rows.
struct FoundStump {
    tree::Tree tree;
    std::vector<std::int32_t> predicted;
};

/// Finds stumps by one criterion; virtual calls are per column and round.
class StumpSearch {
public:
    virtual ~StumpSearch() = default;
    [[nodiscard]] virtual FoundStump find(const AdaBoostRows& rows, Team& team,
                                          Progress& progress) = 0;
};

/// Reads the columns; rows of weight 0 do not count. Of the options, the criterion (one
/// that judges stumps) and the place of thresholds are looked at; missing values go
/// to the better side, nominal columns are asked for subsets.
[[nodiscard]] std::unique_ptr<StumpSearch> make_stump_search(const data::Dataset& data,
                                                             const grow::GrowOptions& options,
                                                             Team& team, Progress& progress);

/// Reads one column; `active` are the rows that count, ascending.
[[nodiscard]] StumpColumn read_stump_column(const data::Dataset& data, std::size_t column,
                                            std::span<const std::uint32_t> active,
                                            data::OrderScratch& scratch);

/// Adds up the weights of the rows of each cell; whole numbers add exactly, in any order. `lanes`
/// is memory to work in.
void add_cells(const StumpColumn& column, std::span<const double> weight, std::size_t n_classes,
               std::vector<double>& lanes, std::vector<double>& sums);

}  // namespace treewright::adaboost
