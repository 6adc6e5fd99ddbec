/// Values of a numeric column grouped into bins of about equally many rows, once, before growing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/data/order.hpp"

namespace treewright::data {

/// Rows of the table at the ends of the bins, ascending; empty where values are not binned.
struct Bins {
    std::vector<std::uint32_t> first_row;
    std::vector<std::uint32_t> last_row;
};

/// Puts a value of average rank r among N rows into bin floor(r n_bins / (N + 1)), as SPSS does
/// (TREE algorithms, binning of continuous predictors): equal values share a bin, a bin that no
/// value reaches does not exist. Rows count as often as their `copies` say. Afterwards `order`
/// treats the values of a bin as equal.
[[nodiscard]] Bins bin_by_rank(Order& order, std::span<const double> copies, std::uint32_t n_bins);

/// The bin of a value of the column, given by a row of the table that has it.
[[nodiscard]] std::size_t bin_of(const Bins& bins, const Column& column, std::uint32_t row);

}  // namespace treewright::data
