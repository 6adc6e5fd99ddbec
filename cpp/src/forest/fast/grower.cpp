#include "treewright/forest/fast/grower.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "treewright/criteria/registry.hpp"
#include "treewright/forest/fast/kernels/cells.hpp"
#include "treewright/forest/fast/kernels/rows.hpp"
#include "treewright/forest/fast/kernels/scan.hpp"
#include "treewright/forest/fast/row_runs.hpp"
#include "treewright/grow/engines.hpp"

namespace treewright::forest {
static_assert(kMostRows == grow::kMostRowsOfFastGrower);

bool fits_double(const data::Column& column, std::size_t n_rows) {
    if (column.type != data::ValueType::i64) return true;
    for (std::size_t row = 0; row < n_rows; ++row)
        if (!column.is_missing(row) && std::abs(static_cast<double>(column.whole(row))) > 0x1.0p52)
            return false;
    return true;
}

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

/// Notes the gaps of a column.
void note_gaps(const data::Column& column, std::size_t c, std::size_t n_rows, TableGaps& gaps) {
    for (std::size_t row = 0; row < n_rows; ++row)
        if (column.is_missing(row)) gaps.add(c, row);
}

/// Ratio of columns of the table to columns considered per node up to which rows are stored whole.
constexpr std::size_t kMostPerLook = 12;

/// The cells of the columns of few values, of names their codes.
template <class T>
void code_columns_of_few(const FastData& made, FastCells<T>& cells, Team& team) {
    const data::Dataset& data = *made.data;
    team.for_each(data.columns.size(), [&](std::size_t c, std::size_t) {
        const data::Column& column = data.columns[c];
        const bool is_nominal = column.scale == data::Scale::nominal;
        if (is_nominal && !made.coded[c].is_narrow()) return;
        CodedColumn coded = is_nominal ? made.coded[c] : code_few(column, data.n_rows);
        if (!coded.is_narrow()) return;
        FewValues<T>& few = cells.few[c];
        for (std::uint32_t code = 0; code < coded.n_codes; ++code)
            few.values.push_back(
                static_cast<T>(is_nominal ? code : column.number(coded.first_row[code]) + 0.0));
        few.values.push_back(std::numeric_limits<T>::quiet_NaN());
        few.codes = std::move(coded.narrow);
    });
}

/// Lays out the cells of all columns, of names their codes.
template <class T>
void lay_out(const FastData& made, const grow::GrowOptions& options, FastCells<T>& cells,
             Team& team) {
    const data::Dataset& data = *made.data;
    const std::size_t n_columns = data.columns.size();
    const auto cell_of = [&](std::size_t c, std::size_t row) {
        const data::Column& column = data.columns[c];
        if (column.scale != data::Scale::nominal) return static_cast<T>(column.number(row) + 0.0);
        return column.is_missing(row)
                   ? std::numeric_limits<T>::quiet_NaN()
                   : static_cast<T>(made.coded[c].visit(
                         [row](const auto* codes) -> std::uint32_t { return codes[row]; }));
    };
    const bool by_row =
        options.max_columns == 0 || options.columns.size() <= kMostPerLook * options.max_columns;
    cells.few.resize(n_columns);
    if (!by_row) code_columns_of_few(made, cells, team);  // all nodes read them column by column
    std::size_t n_cells = 0;
    for (const FewValues<T>& few : cells.few) {
        cells.begin.push_back(n_cells);
        n_cells += few.any() ? 0 : data.n_rows;
    }
    cells.by_column.resize(n_cells + kCellPadding);
    if (by_row) cells.by_row.resize(data.n_rows * n_columns + kLanes);
    constexpr std::size_t kChunk = 1024;
    team.for_each((data.n_rows + kChunk - 1) / kChunk, [&](std::size_t chunk, std::size_t) {
        const std::size_t end = std::min(data.n_rows, (chunk + 1) * kChunk);
        for (std::size_t c = 0; c < n_columns; ++c)
            for (std::size_t row = chunk * kChunk; row < end && !cells.few[c].any(); ++row) {
                const T cell = cell_of(c, row);
                cells.by_column[cells.begin[c] + row] = cell;
                if (by_row) cells.by_row[row * n_columns + c] = cell;
            }
    });
}

/// Which columns have gaps. Read by blocks of rows: one column of a row-major table after the other
/// would fetch every cache line once per column.
std::vector<std::uint8_t> columns_with_gaps(const data::Dataset& data, Team& team) {
    constexpr std::size_t kChunk = 4096;
    const std::size_t n_columns = data.columns.size();
    std::vector<std::vector<std::uint8_t>> found(team.size(),
                                                 std::vector<std::uint8_t>(n_columns, 0));
    team.for_each((data.n_rows + kChunk - 1) / kChunk, [&](std::size_t chunk, std::size_t thread) {
        const std::size_t end = std::min(data.n_rows, (chunk + 1) * kChunk);
        for (std::size_t c = 0; c < n_columns; ++c)
            for (std::size_t row = chunk * kChunk; row < end && found[thread][c] == 0; ++row)
                if (data.columns[c].is_missing(row)) found[thread][c] = 1;
    });
    for (std::size_t thread = 1; thread < found.size(); ++thread)
        for (std::size_t c = 0; c < n_columns; ++c) found[0][c] |= found[thread][c];
    return found[0];
}

/// Notes the gaps of all columns; false if the fast grower does not serve a column.
bool note_columns(const data::Dataset& data, const grow::GrowOptions& options, FastData& made,
                  Team& team) {
    made.gaps = TableGaps(data.n_rows, data.columns.size());
    const bool serves_gaps = grow::fast_grower_serves_gaps(options);
    const std::vector<std::uint8_t> has_gaps = columns_with_gaps(data, team);
    std::atomic<bool> is_served{true};
    team.for_each(data.columns.size(), [&](std::size_t c, std::size_t) {
        if (!is_served) return;
        const data::Column& column = data.columns[c];
        if ((has_gaps[c] != 0 && !serves_gaps) || !fits_double(column, data.n_rows)) {
            is_served = false;
            return;
        }
        if (has_gaps[c] != 0) note_gaps(column, c, data.n_rows, made.gaps);
    });
    made.gaps.finish();
    return is_served;
}

std::vector<std::uint32_t> all_rows(const data::Dataset& data) {
    std::vector<std::uint32_t> rows(data.n_rows);
    std::iota(rows.begin(), rows.end(), 0U);
    return rows;
}

/// Lays out the cells by row, where all are bits.
void lay_bits(FastData& made, Team& team) {
    const bool are_bits =
        !made.coded.empty() &&
        std::all_of(made.coded.begin(), made.coded.end(), [](const CodedColumn& column) {
            return column.is_narrow() && column.n_codes <= 2 && !column.has_gaps;
        });
    if (!are_bits || made.has_names) return;
    const std::size_t n_rows = made.data->n_rows;
    BitRows& rows = made.bit_rows;
    rows.n_words = (made.coded.size() + 63) / 64;
    rows.words.resize(n_rows * rows.n_words);
    constexpr std::size_t kChunk = 1024;
    team.for_each((n_rows + kChunk - 1) / kChunk, [&](std::size_t chunk, std::size_t) {
        const std::size_t begin = chunk * kChunk;
        const std::size_t end = std::min(n_rows, begin + kChunk);
        std::fill(rows.words.data() + begin * rows.n_words, rows.words.data() + end * rows.n_words,
                  std::uint64_t{0});
        for (std::size_t c = 0; c < made.coded.size(); ++c)
            for (std::size_t row = begin; row < end; ++row)
                rows.words[row * rows.n_words + c / 64] |= std::uint64_t{made.coded[c].narrow[row]}
                                                           << (c % 64);
    });
}

/// Whether so few rows have one of two classes that looking at columns in bins costs little
/// (binned_runs.hpp): few bins may hold a better cut.
bool is_rare(const data::Dataset& data, const grow::GrowOptions& options) {
    constexpr std::size_t kRowsPerRare = 50;
    if (!data.target.is_binary() || options.min_leaf > 1.0 || options.min_leaf_weight > 1.0 ||
        criteria::traits_of(options.criterion).is_in_bits)
        return false;
    const auto n = static_cast<std::size_t>(
        std::count(data.target.classes.begin(), data.target.classes.end(), 1));
    return kRowsPerRare * std::min(n, data.n_rows - n) <= data.n_rows;
}

/// Chooses between the growers of best cuts; columns of few values are coded on the way.
grow::Engine choose(const data::Dataset& data, const grow::GrowOptions& options, FastData& made,
                    Team& team) {
    grow::ColumnsToLookAt columns;
    columns.n_columns = columns.n_few = options.columns.size();
    columns.n_names = static_cast<std::size_t>(std::count_if(
        options.columns.begin(), options.columns.end(),
        [&](std::uint32_t c) { return data.columns[c].scale == data::Scale::nominal; }));
    columns.n_drawn = options.max_columns == 0 ? columns.n_columns : options.max_columns;
    columns.is_rare = is_rare(data, options);
    if (best_cuts_engine(columns) != grow::Engine::rows) return grow::Engine::best_cuts;
    made.coded.resize(data.columns.size());
    team.for_each(options.columns.size(), [&](std::size_t i, std::size_t) {
        const std::uint32_t c = options.columns[i];
        made.coded[c] = code_few(data.columns[c], data.n_rows);
    });
    columns.n_few = static_cast<std::size_t>(
        std::count_if(made.coded.begin(), made.coded.end(),
                      [](const CodedColumn& column) { return column.is_narrow(); }));
    columns.n_sparse = static_cast<std::size_t>(
        std::count_if(options.columns.begin(), options.columns.end(), [&](std::uint32_t c) {
            return !made.coded[c].is_narrow() && is_sparse(data.columns[c], data.n_rows);
        }));
    return best_cuts_engine(columns);
}

/// Codes of the values of a column; `known` tells what was tried.
CodedColumn code(const data::Column& column, const CodedColumn& known,
                 const std::vector<std::uint32_t>& rows, data::OrderScratch& scratch,
                 Progress& progress, bool in_bins = false) {
    if (known.has_many) return code_sorted(column, rows, scratch, progress, in_bins);
    CodedColumn few = code_few(column, rows.size());
    return few.is_narrow() ? std::move(few) : code_sorted(column, rows, scratch, progress, in_bins);
}

/// Whether best cuts on rows are found in bins (binned_runs.hpp).
bool in_bins(const data::Dataset& data, const grow::GrowOptions& options, const FastData& made) {
    return data.target.is_classification() && data.target.is_binary() && !made.is_weighed &&
           !made.has_names && !criteria::traits_of(options.criterion).is_in_bits &&
           options.min_leaf <= 1.0 && options.min_leaf_weight <= 1.0;
}

void lay_out_for_drawn_cuts(const data::Dataset& data, const grow::GrowOptions& options,
                            FastData& made, Team& team) {
    made.engine = grow::Engine::drawn_cuts;
    made.coded.resize(made.has_names ? data.columns.size() : 0);
    const std::vector<std::uint32_t> rows = all_rows(data);
    std::vector<data::OrderScratch> scratch(team.size());
    std::atomic<bool> is_single{true};
    team.for_each(data.columns.size(), [&](std::size_t c, std::size_t thread) {
        if (data.columns[c].scale == data::Scale::nominal)
            made.coded[c] =
                code(data.columns[c], made.coded[c], rows, scratch[thread], team.progress());
        else if (is_single && !fits_single(data.columns[c], data.n_rows)) is_single = false;
    });
    // Floats hold codes of up to 24 bits.
    if (data.n_rows >= std::size_t{1} << 24 && made.has_names) is_single = false;
    if (is_single) lay_out(made, options, made.singles, team);
    else lay_out(made, options, made.doubles, team);
    for (CodedColumn& column : made.coded) {  // only which row has which name is asked for later
        column.narrow = {};
        column.medium = {};
        column.wide = {};
    }
}

}  // namespace

std::unique_ptr<FastData> make_fast_data(const data::Dataset& data,
                                         const grow::GrowOptions& options, Team& team,
                                         std::optional<grow::Engine> engine, bool is_weighed) {
    const std::size_t n_columns = data.columns.size();
    auto made = std::make_unique<FastData>();
    made->data = &data;
    if (!note_columns(data, options, *made, team)) return nullptr;
    made->has_names = grow::has_names(data);
    made->is_weighed = is_weighed;
    const grow::Engine wanted = grow::engine_of(options, data, is_weighed);
    const bool in_bits = criteria::traits_of(options.criterion).is_in_bits;
    made->is_unpacked = made->has_names || in_bits || is_weighed || wanted == grow::Engine::rows;
    if (wanted == grow::Engine::drawn_cuts && engine != grow::Engine::rows) {
        lay_out_for_drawn_cuts(data, options, *made, team);
        return made;
    }
    if (options.splitter == split::Splitter::random) engine = grow::Engine::rows;
    made->refines = wanted == grow::Engine::best_cuts && grow::needs_finer_grids(data.target);
    if (wanted == grow::Engine::rows || options.max_leaf_nodes > 0 || made->refines)
        engine = wanted;
    made->engine = engine ? *engine : choose(data, options, *made, team);
    if (in_bits && made->engine == grow::Engine::best_cuts) made->bits.emplace(data.n_rows);
    const bool is_coded = made->engine == grow::Engine::rows;
    made->coded.resize(is_coded || made->has_names ? n_columns : 0);
    if (!is_coded) made->orders.resize(n_columns);
    std::vector<data::OrderScratch> scratch(team.size());
    const std::vector<std::uint32_t> rows = all_rows(data);
    const bool has_bins = in_bins(data, options, *made);
    team.for_each(n_columns, [&](std::size_t c, std::size_t thread) {
        const data::Column& column = data.columns[c];
        const bool is_nominal = column.scale == data::Scale::nominal;
        if (is_coded && options.splitter == split::Splitter::random && !is_nominal)
            made->coded[c] = code_values(column, data.n_rows);
        else if (!is_coded && !is_nominal) {
            made->orders[c] = order_of(column, rows, scratch[thread], team.progress());
            if (made->has_names) made->coded[c] = {};  // it was looked at to choose the engine
        } else if (!made->coded[c].is_narrow()) {
            made->coded[c] =
                code(column, made->coded[c], rows, scratch[thread], team.progress(), has_bins);
        }
    });
    if (options.splitter == split::Splitter::best) lay_bits(*made, team);  // drawn cuts read values
    return made;
}

std::unique_ptr<FastGrower> make_fast_grower(const FastData& shared,
                                             const grow::GrowOptions& options, Progress& progress) {
    switch (shared.engine) {
        case grow::Engine::drawn_cuts: return make_drawn_cuts_grower(shared, options, progress);
        case grow::Engine::rows: return make_rows_grower(shared, options, progress);
        default: return make_best_cuts_grower(shared, options, progress);
    }
}

}  // namespace treewright::forest
