#include "treewright/tree/descent.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "treewright/tree/in_flight.hpp"

namespace treewright::tree {
namespace {

constexpr std::size_t kRowsPerTile = 64;  // columns are read by turns: rows of a tile stay in L1
constexpr std::size_t kCellsAtOnce = std::size_t{1} << 16;
constexpr std::size_t kFewestRows = 64;
constexpr std::size_t kMostRows = 8192;

/// Reads a column; whether any value is a NaN.
template <class T, class CellOf>
bool read_column(const data::Column& column, std::size_t begin, std::size_t end, std::uint64_t* to,
                 std::size_t stride, CellOf&& cell_of) {
    bool gaps = false;
    for (std::size_t row = begin; row < end; ++row, to += stride) {
        const T value = column.at<T>(row);
        gaps |= value != value;
        *to = cell_of(value);
    }
    return gaps;
}

}  // namespace

std::size_t RowCells::rows_at_once(std::size_t n_columns) {
    return std::clamp(kCellsAtOnce / std::max<std::size_t>(n_columns, 1), kFewestRows, kMostRows);
}

void RowCells::read(std::span<const data::Column> columns, std::span<const std::uint32_t> which,
                    std::size_t begin, std::size_t end) {
    n_columns = columns.size();
    gaps = false;
    cells.resize((end - begin) * n_columns);
    const auto of_real = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    const auto of_code = [](std::int32_t code) {
        return static_cast<std::uint64_t>(std::int64_t{code} + 2);
    };
    for (std::size_t first = begin; first < end; first += kRowsPerTile) {
        const std::size_t last = std::min(end, first + kRowsPerTile);
        for (const std::uint32_t c : which) {
            const data::Column& column = columns[c];
            std::uint64_t* to = cells.data() + (first - begin) * n_columns + c;
            if (column.type == data::ValueType::f64)
                gaps |= read_column<double>(column, first, last, to, n_columns, of_real);
            else if (column.type == data::ValueType::f32)
                gaps |= read_column<float>(column, first, last, to, n_columns, of_real);
            else read_column<std::int32_t>(column, first, last, to, n_columns, of_code);
        }
    }
}

/// No value is above a NaN, so that a leaf leads to its first child: itself.
void Descent::add_leaf() {
    nodes.push_back({{std::numeric_limits<double>::quiet_NaN()},
                     static_cast<std::uint32_t>(nodes.size()),
                     0,
                     0,
                     0});
}

void Descent::add_cut(std::uint32_t column, double threshold, std::uint32_t first_child,
                      std::uint8_t missing) {
    nodes.push_back({{threshold}, first_child, static_cast<std::uint16_t>(column), 0, missing});
}

void Descent::add_names(std::uint32_t column, std::span<const std::uint8_t> branch,
                        std::uint32_t first_child) {
    Node node{{0.0}, first_child, static_cast<std::uint16_t>(column), -1, 0};
    node.table = {static_cast<std::uint32_t>(tables.size()),
                  static_cast<std::uint32_t>(branch.size() - 1)};
    const auto at = static_cast<std::uint32_t>(nodes.size());
    for (const std::uint8_t each : branch)
        tables.push_back(each == kUndecided ? at : first_child + each);
    nodes.push_back(node);
}

bool Descent::is_full(std::size_t n_more) const {
    return tables.size() + n_more > std::numeric_limits<std::uint32_t>::max();
}

template <bool has_gaps>
void Descent::find_by(const RowCells& rows, std::size_t n, std::uint32_t* node) const {
    const auto next = [all = nodes.data(), child_of_name = tables.data()](
                          std::uint32_t at, const std::uint64_t* row) {
        const Node& asked = all[at];
        const std::uint64_t cell = row[asked.column];
        const double x = std::bit_cast<double>(cell);
        std::uint32_t by_cut = asked.first_child + (x > asked.threshold ? 1U : 0U);
        if constexpr (has_gaps) {
            const std::uint32_t where =
                either(asked.missing == kUndecided, asked.first_child + asked.missing, at);
            by_cut = either(x != x, by_cut, where);
        }
        const std::uint64_t entry =
            asked.table.start + std::min(static_cast<std::uint32_t>(cell), asked.table.last);
        // All bits where names are asked, else none.
        const auto names = static_cast<std::uint64_t>(std::int64_t{asked.asks_names});
        const std::uint32_t by_name = child_of_name[entry & names];
        return by_cut ^ ((by_cut ^ by_name) & static_cast<std::uint32_t>(names));
    };
    std::vector<std::uint32_t> walking(n);
    walk_in_waves(rows.first(), rows.stride(), n, next, node, walking.data());
}

void Descent::find(const RowCells& rows, std::size_t n, std::uint32_t* node) const {
    if (rows.has_gaps()) find_by<true>(rows, n, node);
    else find_by<false>(rows, n, node);
}

}  // namespace treewright::tree
