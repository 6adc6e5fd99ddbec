/// Cells of rows: bins of a column's values, together with the classes of the rows.
#include <algorithm>

#include "treewright/adaboost/stumps.hpp"
#include "treewright/base/error.hpp"

namespace treewright::adaboost {
namespace {

constexpr std::uint32_t kMostBins = 256;  // 512 are no faster: later rounds search many bins
constexpr std::uint32_t kFewestBins = 16;
constexpr std::uint32_t kCells = 8192;  ///< about as many as stay in the L1 and L2 caches

/// Weights of up to kMostInLanes cells are added up in so many copies of the table, to break the
/// dependency chain of the sums (columns of two or three values: 0.5 instead of 1.6 ns a row).
constexpr std::size_t kLanes = 4;
constexpr std::size_t kMostInLanes = 2048;

/// Bins of the sorted rows: one for each value where they are few, else of about as many rows each.
/// Equal values are never separated.
void part_values(const data::Order& order, std::uint32_t most_bins, StumpColumn& column) {
    const std::size_t n_known = order.entries.size() - order.n_missing;
    const auto is_tie = [&](std::size_t i) { return (order.entries[i] & 1U) != 0; };
    std::size_t n_values = 0;
    for (std::size_t i = 0; i < n_known; ++i) n_values += is_tie(i) ? 0 : 1;
    column.is_exact = n_values <= most_bins;
    const std::size_t wanted = column.is_exact ? 1 : (n_known + most_bins - 1) / most_bins;
    for (std::size_t i = 0; i < n_known; ++i) {
        const bool opens =
            column.start.empty() || (!is_tie(i) && i - column.start.back() >= wanted);
        if (opens) column.start.push_back(static_cast<std::uint32_t>(i));
    }
    column.n_bins = static_cast<std::uint32_t>(column.start.size());
    column.start.push_back(static_cast<std::uint32_t>(n_known));
}

template <class Cell>
std::vector<Cell> cells_of(const std::vector<std::uint32_t>& bin_of_row,
                           std::span<const std::int32_t> classes, std::uint32_t n_classes) {
    std::vector<Cell> cells(bin_of_row.size());
    for (std::size_t row = 0; row < cells.size(); ++row)
        cells[row] = static_cast<Cell>(bin_of_row[row] * n_classes +
                                       static_cast<std::uint32_t>(classes[row]));
    return cells;
}

template <class Cell>
void add_cells_of(const std::vector<Cell>& cell_of_row, std::span<const double> weight,
                  std::size_t n_cells, std::vector<double>& lanes, std::vector<double>& sums) {
    sums.assign(n_cells, 0.0);
    const std::size_t n_rows = cell_of_row.size();
    std::size_t row = 0;
    if (n_cells <= kMostInLanes) {
        lanes.assign(kLanes * n_cells, 0.0);
        double* lane[kLanes];
        for (std::size_t i = 0; i < kLanes; ++i) lane[i] = lanes.data() + i * n_cells;
        for (; row + kLanes <= n_rows; row += kLanes)
            for (std::size_t i = 0; i < kLanes; ++i)
                lane[i][cell_of_row[row + i]] += weight[row + i];
        for (std::size_t cell = 0; cell < n_cells; ++cell)
            for (std::size_t i = 0; i < kLanes; ++i) sums[cell] += lane[i][cell];
    }
    for (; row < n_rows; ++row) sums[cell_of_row[row]] += weight[row];
}

}  // namespace

StumpColumn read_stump_column(const data::Dataset& data, std::size_t index,
                              std::span<const std::uint32_t> active, data::OrderScratch& scratch,
                              Progress& progress) {
    const data::Column& raw = data.columns[index];
    const std::uint32_t n_classes = data.target.n_classes[0];
    StumpColumn column;
    column.is_nominal = raw.scale == data::Scale::nominal;
    std::vector<std::uint32_t> bin_of_row(data.n_rows, 0);
    if (column.is_nominal) {
        column.is_exact = true;
        column.n_bins = raw.n_codes;
        for (const std::uint32_t row : active) {
            const std::int64_t code = raw.whole(row);
            bin_of_row[row] = code < 0 ? raw.n_codes : static_cast<std::uint32_t>(code);
        }
    } else {
        data::Order order = order_of(raw, active, scratch, progress);
        part_values(order, std::clamp(kCells / n_classes, kFewestBins, kMostBins), column);
        for (std::uint32_t bin = 0; bin < column.n_bins; ++bin)
            for (std::uint32_t i = column.start[bin]; i < column.start[bin + 1]; ++i)
                bin_of_row[order.entries[i] >> 1] = bin;
        for (std::size_t i = column.start.back(); i < order.entries.size(); ++i)
            bin_of_row[order.entries[i] >> 1] = column.n_bins;
        column.entries = std::move(order.entries);
    }
    progress.check(true);
    column.n_rows.assign(column.n_bins + 1, 0);
    for (const std::uint32_t row : active) ++column.n_rows[bin_of_row[row]];
    column.any_missing = column.n_rows.back() > 0;
    if (column.is_exact && !column.is_nominal) {  // one row suffices for a bin's value
        for (std::uint32_t bin = 0; bin < column.n_bins; ++bin) {
            column.entries[bin] = column.entries[column.start[bin]];
            column.start[bin] = bin;
        }
        column.start.back() = column.n_bins;
        column.entries.resize(column.n_bins);
        column.entries.shrink_to_fit();
    }
    const std::uint64_t n_cells = (std::uint64_t{column.n_bins} + 1) * n_classes;
    require(n_cells <= ~std::uint32_t{0}, "no more cells than can be numbered");
    if (n_cells <= 65536)
        column.cell_of_row = cells_of<std::uint16_t>(bin_of_row, data.target.classes, n_classes);
    else column.cell_of_row = cells_of<std::uint32_t>(bin_of_row, data.target.classes, n_classes);
    return column;
}

void add_cells(const StumpColumn& column, std::span<const double> weight, std::size_t n_classes,
               std::vector<double>& lanes, std::vector<double>& sums) {
    std::visit(
        [&](const auto& cells) {
            add_cells_of(cells, weight, (column.n_bins + 1) * n_classes, lanes, sums);
        },
        column.cell_of_row);
}

}  // namespace treewright::adaboost
