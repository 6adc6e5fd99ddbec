#include "treewright/forest/fast/grower.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "treewright/criteria/registry.hpp"
#include "treewright/forest/fast/kernels/cells.hpp"
#include "treewright/forest/fast/kernels/rows.hpp"
#include "treewright/forest/fast/kernels/scan.hpp"
#include "treewright/grow/engines.hpp"

namespace treewright::forest {
static_assert(kMostRows == grow::kMostRowsOfFastGrower);

namespace {

/// Whether floats hold every value of a column exactly.
bool fits_single(const data::Column& column, std::size_t n_rows) {
    if (column.type == data::ValueType::f32) return true;
    for (std::size_t row = 0; row < n_rows; ++row) {
        const double value = column.number(row);
        if (static_cast<double>(static_cast<float>(value)) != value && !std::isnan(value))
            return false;
    }
    return true;
}

/// Notes the gaps of a column; returns whether there are any.
bool note_gaps(const data::Column& column, std::size_t c, std::size_t n_rows, TableGaps& gaps) {
    bool any = false;
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (!column.is_missing(row)) continue;
        gaps.add(c, row);
        any = true;
    }
    return any;
}

/// Whether doubles hold every value of an integer column exactly.
bool fits_double(const data::Column& column, std::size_t n_rows) {
    if (column.type != data::ValueType::i64) return true;
    for (std::size_t row = 0; row < n_rows; ++row)
        if (!column.is_missing(row) && std::abs(static_cast<double>(column.whole(row))) > 0x1.0p52)
            return false;
    return true;
}

/// Ratio of columns of the table to columns considered per node up to which rows are stored whole.
constexpr std::size_t kMostPerLook = 12;

template <class T>
void lay_out(const data::Dataset& data, const grow::GrowOptions& options, FastCells<T>& cells,
             Team& team) {
    const std::size_t n_columns = data.columns.size();
    const bool by_row =
        options.max_columns == 0 || options.columns.size() <= kMostPerLook * options.max_columns;
    cells.by_column.resize(data.n_rows * n_columns + kCellPadding);
    if (by_row) cells.by_row.resize(data.n_rows * n_columns + kLanes);
    constexpr std::size_t kChunk = 1024;
    team.for_each((data.n_rows + kChunk - 1) / kChunk, [&](std::size_t chunk, std::size_t) {
        const std::size_t end = std::min(data.n_rows, (chunk + 1) * kChunk);
        for (std::size_t c = 0; c < n_columns; ++c)
            for (std::size_t row = chunk * kChunk; row < end; ++row) {
                const auto cell = static_cast<T>(data.columns[c].number(row) + 0.0);
                cells.by_column[c * data.n_rows + row] = cell;
                if (by_row) cells.by_row[row * n_columns + c] = cell;
            }
    });
}

}  // namespace

std::unique_ptr<FastData> make_fast_data(const data::Dataset& data,
                                         const grow::GrowOptions& options, Team& team) {
    const std::size_t n_columns = data.columns.size();
    auto made = std::make_unique<FastData>();
    made->data = &data;
    made->gaps = TableGaps(data.n_rows, n_columns);
    const bool serves_gaps = grow::fast_grower_serves_gaps(options);
    std::atomic<bool> is_served{true};
    std::atomic<bool> is_single{true};
    const bool sorts = options.splitter == split::Splitter::best;
    if (sorts) made->orders.resize(n_columns);
    std::vector<data::OrderScratch> scratch(team.size());
    std::vector<std::uint32_t> rows(data.n_rows);
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = static_cast<std::uint32_t>(row);
    team.for_each(n_columns, [&](std::size_t c, std::size_t thread) {
        const data::Column& column = data.columns[c];
        if (!is_served || (note_gaps(column, c, data.n_rows, made->gaps) && !serves_gaps) ||
            !fits_double(column, data.n_rows)) {
            is_served = false;
            return;
        }
        if (sorts) made->orders[c] = order_of(column, rows, scratch[thread], team.progress());
        else if (!fits_single(column, data.n_rows)) is_single = false;
    });
    if (!is_served) return nullptr;
    made->gaps.finish();
    if (!sorts && is_single) lay_out(data, options, made->singles, team);
    if (!sorts && !is_single) lay_out(data, options, made->doubles, team);
    return made;
}

std::unique_ptr<FastGrower> make_fast_grower(const FastData& shared,
                                             const grow::GrowOptions& options, Progress& progress) {
    return options.splitter == split::Splitter::best
               ? make_best_cuts_grower(shared, options, progress)
               : make_drawn_cuts_grower(shared, options, progress);
}

}  // namespace treewright::forest
