/// The best stump for the weights of a round, over and over on the same rows.
///
/// Columns are read once: every row has, for each column, the number of its *cell*, which is a bin
/// of the column's values together with the class of the row. A round adds up the weights of the
/// cells (one pass, no order needed), evaluates the cuts between bins, and then searches only those
/// bins that could still contain a better cut:
///
///   values   | . . . . | . . . | . . . . . |      the worst possible order of a bin's classes
///   bin           0        1         2            bounds how good a cut inside it can be
///
/// (Alsabti, Ranka, Singh: CLOUDS, KDD 1998.) The result is exact: the best of all cuts, the first
/// of equals, as in the growing of single trees (grow/). Columns of few values have one bin for
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
#include "treewright/data/dataset.hpp"
#include "treewright/data/order.hpp"
#include "treewright/grow/options.hpp"
#include "treewright/tree/tree.hpp"

namespace treewright::adaboost {

/// One column as rounds read it.
struct StumpColumn {
    bool is_nominal = false;
    bool is_exact = false;     ///< every bin is a single value
    std::uint32_t n_bins = 0;  ///< missing values are in one more
    bool any_missing = false;
    /// bin x classes + class of each row of the table
    std::variant<std::vector<std::uint16_t>, std::vector<std::uint32_t>> cell_of_row;
    std::vector<std::uint32_t> n_rows;  ///< of each bin
    /// Rows by ascending value, as Order has them (of exact bins one each), and where bins start.
    std::vector<std::uint32_t> entries;
    std::vector<std::uint32_t> start;
};

/// A stump and its predictions for the training rows.
struct FoundStump {
    tree::Tree tree;
    std::vector<std::int32_t> predicted;
};

/// Finds stumps by one criterion; virtual calls are per column and round.
class StumpSearch {
public:
    virtual ~StumpSearch() = default;
    [[nodiscard]] virtual FoundStump find(const AdaBoostRows& rows, Team& team) = 0;
};

/// Reads the columns; rows of weight 0 are ignored. Of the options, only the criterion (one
/// that judges stumps) and the placement of thresholds are used; missing values go
/// to the better side, nominal columns are split by subsets.
[[nodiscard]] std::unique_ptr<StumpSearch> make_stump_search(const data::Dataset& data,
                                                             const grow::GrowOptions& options,
                                                             Team& team);

/// Reads one column; `active` are the rows of positive weight, ascending.
[[nodiscard]] StumpColumn read_stump_column(const data::Dataset& data, std::size_t column,
                                            std::span<const std::uint32_t> active,
                                            data::OrderScratch& scratch, Progress& progress);

/// Adds up the weights of the rows of each cell; whole numbers add exactly, in any order. `lanes`
/// is working memory.
void add_cells(const StumpColumn& column, std::span<const double> weight, std::size_t n_classes,
               std::vector<double>& lanes, std::vector<double>& sums);

}  // namespace treewright::adaboost
