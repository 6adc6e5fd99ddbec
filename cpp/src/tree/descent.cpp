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

/// No value is above a NaN, so that a leaf leads to its first child: itself. Where no node cuts, it
/// asks names instead, and all of them lead to itself.
void Descent::add_leaf() {
    Node node{.threshold = std::numeric_limits<double>::quiet_NaN()};
    if (has_cuts) node.first_child = next_place();
    else {
        node.start = static_cast<std::uint32_t>(tables.size());
        tables.push_back(next_place());
    }
    nodes.push_back(node);
}

void Descent::add_cut(std::uint32_t column, double threshold, std::uint32_t first_child,
                      std::uint8_t missing) {
    Node node{.threshold = threshold, .column = static_cast<std::uint16_t>(column)};
    node.first_child = first_child * kWords;
    node.missing =
        missing == kUndecided ? next_place() - node.first_child : std::uint32_t{missing} * kWords;
    nodes.push_back(node);
}

void Descent::add_names(std::uint32_t column, std::span<const std::uint8_t> branch,
                        std::uint32_t first_child) {
    Node node{.threshold = std::numeric_limits<double>::quiet_NaN(),
              .start = static_cast<std::uint32_t>(tables.size()),
              .last = static_cast<std::uint16_t>(branch.size() - 1),
              .column = static_cast<std::uint16_t>(column)};
    for (const std::uint8_t each : branch)
        tables.push_back(each == kUndecided ? next_place() : (first_child + each) * kWords);
    nodes.push_back(node);
}

bool Descent::is_full(std::size_t n_more) const {
    return n_more > std::numeric_limits<std::uint16_t>::max() ||
           tables.size() + n_more > std::numeric_limits<std::uint32_t>::max();
}

template <class Use>
void Descent::with_next(const RowCells& rows, Use&& use) const {
    const auto at_place = [words = reinterpret_cast<const std::byte*>(nodes.data())](
                              std::uint32_t place) -> const Node& {
        return *reinterpret_cast<const Node*>(words + std::size_t{place} * 8);
    };
    const auto by_name = [entries = tables.data()](const Node& asked, std::uint64_t cell) {
        const std::uint32_t further =
            std::min(static_cast<std::uint32_t>(cell), std::uint32_t{asked.last});
        return entries[asked.start + further];
    };
    const auto by_any = [=](std::uint32_t place, const std::uint64_t* row) {
        const Node& asked = at_place(place);
        const std::uint64_t cell = row[asked.column];
        const auto is_above =
            static_cast<std::uint32_t>(std::bit_cast<double>(cell) > asked.threshold);
        return asked.first_child + is_above * kWords + by_name(asked, cell);
    };
    if (!has_cuts) {
        use([=](std::uint32_t place, const std::uint64_t* row) {
            const Node& asked = at_place(place);
            return by_name(asked, row[asked.column]);
        });
    } else if (!rows.has_gaps()) {
        use(by_any);
    } else {
        use([=](std::uint32_t place, const std::uint64_t* row) {
            const Node& asked = at_place(place);
            const double x = std::bit_cast<double>(row[asked.column]);
            return by_any(place, row) + either(x != x, 0U, asked.missing);
        });
    }
}

void Descent::find(const RowCells& rows, std::size_t n, std::uint32_t* node) const {
    std::vector<std::uint32_t> walking(n);
    with_next(rows, [&](auto&& next) {
        walk_in_waves(rows.first(), rows.stride(), n, next, node, walking.data());
    });
    for (std::size_t i = 0; i < n; ++i) node[i] /= kWords;
}

void Descent::go_on(const RowCells& rows, const std::uint32_t* row,
                    std::vector<std::uint32_t>& walking, std::uint32_t* node) const {
    const std::vector<std::uint32_t> all = walking;
    for (const std::uint32_t number : all) node[number] *= kWords;
    with_next(rows, [&](auto&& next) {
        walk_on_in_waves(
            [&](std::uint32_t number) { return rows.first() + row[number] * rows.stride(); },
            walking.size(), next, node, walking.data());
    });
    for (const std::uint32_t number : all) node[number] /= kWords;
}

}  // namespace treewright::tree
