/// The descent of a tree's out-of-bag rows down a packed tree.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "treewright/base/parallel.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/forest/importance.hpp"
#include "treewright/forest/packed_walk.hpp"

namespace treewright::forest {

/// Rows between two checks for an interrupt: a few milliseconds.
inline constexpr std::size_t kRowsPerLook = 1U << 14;

/// A row on its way down a tree.
template <class T>
struct Walker {
    const T* row;
    std::uint32_t at;
    std::size_t number;
    T instead{};  ///< value of the shuffled column
};

inline constexpr std::uint32_t kNoColumn = ~0U;
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Sends n rows down, several at a time: where one arrives, the next starts. `begin(i)` returns the
/// walker of a row, arrived(i, node) receives its leaf; both orders depend on the rows alone.
template <class T, class Begin, class Arrived>
void descend(const std::vector<PackedNode>& nodes, std::size_t n, std::uint32_t shuffled,
             Begin&& begin, Arrived&& arrived) {
    const auto step = [&](Walker<T>& walker, const PackedNode& node) {
        const std::uint32_t column = column_of(node);
        const T* cell = column == shuffled ? &walker.instead : walker.row + column;
        walker.at = next_of(node, static_cast<double>(*cell));
    };
    std::array<Walker<T>, kInFlight> walkers{};
    std::size_t n_started = 0;
    std::size_t n_walking = 0;
    while (n_started < n && n_walking < kInFlight) walkers[n_walking++] = begin(n_started++);
    while (n_walking == kInFlight) {
        for (Walker<T>& walker : walkers) {
            const PackedNode& node = nodes[walker.at];
            if (!node.is_leaf()) {
                step(walker, node);
                continue;
            }
            arrived(walker.number, node);
            if (n_started == n) {
                walker = walkers[--n_walking];
                break;
            }
            walker = begin(n_started++);
        }
    }
    for (std::size_t i = 0; i < n_walking; ++i) {
        Walker<T>& walker = walkers[i];
        while (!nodes[walker.at].is_leaf()) step(walker, nodes[walker.at]);
        arrived(walker.number, nodes[walker.at]);
    }
}

/// A table in canonical order, row by row, so that a path down a tree touches few cache
/// lines. T holds every value exactly.
template <class T>
struct RowTable {
    const data::Dataset& data;
    std::vector<std::uint32_t> order;
    std::vector<T> cells;
    std::vector<std::int32_t> class_of;  ///< of each row, where classes are predicted
    std::vector<double> value_of;        ///< of each row, where numbers are

    RowTable(const data::Dataset& data, Team& team)
        : data(data), order(canonical_order(data, {}, team)) {
        const std::size_t n_columns = data.columns.size();
        cells.resize(order.size() * n_columns);
        for (const std::uint32_t row : order)
            if (data.target.is_classification()) class_of.push_back(data.target.classes[row]);
            else value_of.push_back(data.target.values[row]);
        const std::size_t n_chunks = (order.size() + kRowsPerLook - 1) / kRowsPerLook;
        team.for_each(n_chunks, [&](std::size_t chunk, std::size_t) {
            const std::size_t end = std::min(order.size(), (chunk + 1) * kRowsPerLook);
            for (std::size_t i = chunk * kRowsPerLook; i < end; ++i)
                for (std::size_t c = 0; c < n_columns; ++c)
                    cells[i * n_columns + c] = static_cast<T>(data.columns[c].number(order[i]));
        });
    }

    [[nodiscard]] const T* row(std::size_t i) const {
        return cells.data() + i * data.columns.size();
    }
};

/// The out-of-bag rows of a tree, in canonical order.
struct OutOfBagRows {
    std::vector<std::uint32_t> rows;
    std::vector<double> weight;
    double total = 0.0;
    std::vector<std::uint32_t> is_out;

    void find(const DrawnTable& table, const std::vector<std::uint32_t>& order,
              std::uint64_t tree) {
        table.sampling.left_out(tree, is_out);
        rows.clear();
        weight.clear();
        total = 0.0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const double w = table.weight.empty() ? 1.0 : table.weight[order[i]];
            if (is_out[order[i]] == 0 || !(w > 0.0)) continue;
            rows.push_back(static_cast<std::uint32_t>(i));
            weight.push_back(w);
            total += w;
        }
    }
    [[nodiscard]] std::size_t size() const { return rows.size(); }
};

/// Measures every tree by the object that make(rows of the table) returns: trees x columns.
template <class Make>
std::vector<double> by_tree(const PackedForest& forest, const DrawnTable& table, Progress& progress,
                            Make&& make) {
    std::vector<double> out(forest.trees.size() * forest.n_columns);
    Team team(table.n_threads, progress);
    const auto by_type = [&]<class T>(T) {
        const RowTable<T> rows(table.data, team);
        std::vector<decltype(make(rows))> measures;
        for (std::size_t thread = 0; thread < team.size(); ++thread) measures.push_back(make(rows));
        team.for_each(forest.trees.size(), [&](std::size_t tree, std::size_t thread) {
            auto& measure = measures[thread];
            const auto of_tree = std::span(out).subspan(tree * forest.n_columns, forest.n_columns);
            measure.unseen.find(table, rows.order, tree);
            if (measure.unseen.rows.empty()) std::fill(of_tree.begin(), of_tree.end(), kUnknown);
            else measure.measure(tree, thread == 0, of_tree);
        });
    };
    const auto& columns = table.data.columns;
    const bool is_single =
        std::all_of(columns.begin(), columns.end(),
                    [](const data::Column& column) { return column.type == data::ValueType::f32; });
    if (is_single) by_type(float{});
    else by_type(double{});
    return out;
}

}  // namespace treewright::forest
