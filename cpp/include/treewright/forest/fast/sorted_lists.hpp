/// The rows of a tree grown by best cuts, and one list of them per column, sorted by its values:
/// their numbering and their memory. A node is a range of every list; on the way down its rows are
/// renumbered contiguously when they fit into the L1 cache, and again when they are few enough for
/// a pocket (pocket.hpp). Rows without a value stand last, as one run. Nominal columns have no
/// list; where there are some, one more list has the rows in the order of the table.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "treewright/base/error.hpp"
#include "treewright/base/huge_pages.hpp"
#include "treewright/base/progress.hpp"
#include "treewright/data/target_grid.hpp"
#include "treewright/forest/fast/grower.hpp"
#include "treewright/forest/fast/kernels/scan.hpp"
#include "treewright/forest/fast/nodes.hpp"
#include "treewright/forest/fast/parallel_subtrees.hpp"
#include "treewright/forest/fast/pocket.hpp"

namespace treewright::forest {

struct SortedLists {
    enum class Kind : std::uint8_t { two_classes, classes, values };

    /// Rows of nodes of this size and below are renumbered contiguously: arrays indexed by
    /// row (sides, targets) then stay in the L1 cache.
    static constexpr std::uint32_t kHome = 4096;
    static constexpr std::size_t kHomeStride = kHome + kPadding;
    /// Trees of so many rows note their sides as bits: bytes would fill the L2 cache.
    static constexpr std::size_t kSidesInBits = std::size_t{1} << 18;

    SortedLists(const FastData& shared, const grow::GrowOptions& options, Progress& progress)
        : shared(shared),
          data(*shared.data),
          progress(progress),
          loops(fast_loops()),
          nodes(options, data.target, data.columns.size()),
          n_classes(data.target.is_classification() ? data.target.n_classes[0] : 0),
          kind(n_classes == 0            ? Kind::values
               : data.target.is_binary() ? Kind::two_classes
                                         : Kind::classes) {
        nodes.is_shown = shared.is_shown;
        nodes.refines = shared.refines;
        nodes.is_unpacked = shared.is_unpacked;
        nodes.is_best_first = options.max_leaf_nodes > 0;
    }

    /// Gives every drawn row a number, and its word: its entries but for the tie bit.
    void number_rows(std::span<const std::uint32_t> copies) {
        word_of_row.assign(data.n_rows, 0);
        table_row.clear();
        has_repeats = false;
        double total = 0.0;
        for (std::size_t row = 0; row < data.n_rows; ++row) {
            if (copies[row] == 0) continue;
            total += copies[row];
            const auto local = static_cast<std::uint32_t>(table_row.size());
            const std::uint32_t positive =
                kind == Kind::two_classes && data.target.classes[row] == 1 ? kPositive : 0;
            const std::uint32_t w = std::min(copies[row], kMostWeight);
            word_of_row[row] = local << kRowAt | w << kWeightAt | positive;
            table_row.push_back(static_cast<std::uint32_t>(row));
            for (std::uint32_t more = copies[row] - w; more > 0;) {
                more -= std::min(more, kMostWeight);
                table_row.push_back(static_cast<std::uint32_t>(row));
                has_repeats = true;
            }
        }
        require(!table_row.empty() && table_row.size() < kMostRows && total < 0x1.0p31,
                "number of rows drawn");
        nodes.total_weight = total;
        make_room(table_row.size());
        for (std::size_t i = 0; i < table_row.size() && kind == Kind::classes; ++i)
            class_of_row[i] = data.target.classes[table_row[i]];
        for (std::size_t i = 0; i < table_row.size() && kind == Kind::values; ++i)
            targets[i] = data.target.values[table_row[i]];
    }

    /// Room for n rows and their lists.
    void make_room(std::size_t n) {
        table_row.resize(n);
        side.resize(n + 4);
        if (new_row.size() < n) new_row.resize(n);
        if (kind == Kind::classes) class_of_row.resize(n);
        for (auto* each : {&values, &targets})
            if (kind == Kind::values) each->resize(n);
        stride = n + kPadding;
        slot_of_column.assign(nodes.n_columns + 1, 0);
        n_lists = 0;
        for (const std::uint32_t column : nodes.options.columns)
            if (!is_nominal(column)) slot_of_column[column] = n_lists++;
        if (shared.has_names) slot_of_column[list_of_rows()] = n_lists++;
        if (shared.ready == nullptr) make_room_for_lists();
        home_lists.resize(n_lists * kHomeStride);
        pocket.make_room(nodes.options.columns, slot_of_column);
    }

    /// Trees of a forest have about as many rows each: the next one shall find room enough.
    void make_room_for_lists() {
        const std::size_t size = n_lists * stride + kPadding;
        if (lists.capacity() < size) {
            lists = {};
            lists.reserve(size + size / 64);
        }
        lists.resize(size);
    }

    void fill_lists(FastNode& root, std::span<const std::uint32_t> copies) {
        has_ties.assign(nodes.n_columns + 1, 0);
        if (shared.ready != nullptr) {
            std::swap(lists, shared.ready->entries);
            std::swap(has_ties, shared.ready->has_ties);
            note_ties(root);
            return;
        }
        parts.share(nodes.options.columns.size(), [&](std::size_t slot, std::size_t thread) {
            progress.check(asks && thread == 0);
            const std::uint32_t column = nodes.options.columns[slot];
            if (is_nominal(column)) return;
            std::uint32_t* list = list_of(root, column);
            const std::vector<std::uint32_t>& order = shared.orders[column].entries;
            if (has_repeats) fill_with_repeats(column, copies, list);
            else
                has_ties[column] =
                    loops.fill(order.data(), order.size(), word_of_row.data(), list) > 0 ? 1 : 0;
            std::fill_n(list + table_row.size(), kPadding, 0U);
        });
        if (shared.has_names) fill_list_of_rows(copies, list_of(root, list_of_rows()));
        note_ties(root);
    }
    void fill_list_of_rows(std::span<const std::uint32_t> copies, std::uint32_t* list) const {
        for (std::size_t row = 0; row < data.n_rows; ++row) {
            std::uint32_t word = word_of_row[row];
            for (std::uint32_t more = copies[row]; more > 0; word += 1U << kRowAt) {
                const std::uint32_t w = std::min(more, kMostWeight);
                *list++ = (word & ~(kMostWeight << kWeightAt)) | w << kWeightAt;
                more -= w;
            }
        }
        std::fill_n(list, kPadding, 0U);
    }
    void note_ties(FastNode& root) {
        any_ties = shared.has_names;
        for (const std::uint32_t column : nodes.options.columns) {
            if (is_nominal(column) || has_ties[column] == 0) continue;
            root.tied |= tie_bit(column);
            any_ties = true;
        }
    }

    /// Like loops.fill, where some rows were drawn so often that they are in the lists again.
    void fill_with_repeats(std::uint32_t column, std::span<const std::uint32_t> copies,
                           std::uint32_t* list) {
        std::uint32_t run = 0;
        std::uint32_t last = ~0U;
        for (const std::uint32_t entry : shared.orders[column].entries) {
            run += (entry & 1U) ^ 1U;
            const std::uint32_t row = entry >> 1;
            std::uint32_t word = word_of_row[row];
            for (std::uint32_t more = copies[row]; more > 0;) {
                const std::uint32_t w = std::min(more, kMostWeight);
                word = (word & ~(kMostWeight << kWeightAt)) | w << kWeightAt;
                const std::uint32_t tie = last == run ? 1U : 0U;
                has_ties[column] |= static_cast<char>(tie);
                *list++ = word | tie;
                last = run;
                more -= w;
                word += 1U << kRowAt;
            }
        }
    }

    /// Copies the lists of a part's rows, which are renumbered contiguously.
    void take_rows(const SortedLists& top, const FastPart& part, const FastNode& root) {
        const std::uint32_t n = root.size();
        make_room(n);
        lists.resize(n_lists * stride + kPadding);
        if (new_row.size() < top.table_row.size()) new_row.resize(top.table_row.size());
        has_ties = top.has_ties;
        any_ties = top.any_ties;
        const auto list_at_top = [&](std::uint32_t column) {
            return top.lists.data() + slot_of_column[column] * top.stride + part.node.begin;
        };
        const std::uint32_t* first = list_at_top(any_list(root));
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t row = row_of(first[i]);
            new_row[row] = i;
            table_row[i] = top.table_row[row];
            if (kind == Kind::classes) class_of_row[i] = top.class_of_row[row];
            if (kind != Kind::values) continue;
            values[i] = top.values[row];
            targets[i] = top.targets[row];
        }
        for (const std::uint32_t column : lists_of(root)) {
            std::uint32_t* list = list_of(root, column);
            std::copy_n(list_at_top(column), n, list);
            std::fill_n(list + n, kPadding, 0U);
            loops.rename(list, n, new_row.data());
        }
    }

    /// Targets of the node's rows on a grid (data/target_grid.hpp), times the rows' weights: sums
    /// are exact.
    void lay_grid(const std::uint32_t* list, std::uint32_t n, FastNode& node) {
        target_at = targets.data();
        double lowest = std::numeric_limits<double>::infinity();
        double highest = -lowest;
        for (std::uint32_t i = 0; i < n; ++i) {
            const double value = target_of(list[i]);
            lowest = std::min(lowest, value);
            highest = std::max(highest, value);
        }
        const double offset = data::grid_offset(lowest, highest);
        nodes.unit = data::grid_scale(std::max(highest - offset, offset - lowest), node.weight);
        node.unit = nodes.unit;
        node.sum = 0.0;
        for (std::uint32_t i = 0; i < n; ++i) {
            const double on_grid = std::nearbyint((target_of(list[i]) - offset) * nodes.unit);
            const double value = on_grid * weight_of(list[i]);
            values[row_of(list[i])] = value;
            node.sum += value;
        }
    }

    /// Lays the grid of a child with these entries anew if that pays, as the general grower does
    /// (data::Gridding), where gains are needed to the last bit; other trees keep that of the root.
    void refine_grid(const std::uint32_t* list, std::uint32_t n, FastNode& child) {
        double lowest = std::numeric_limits<double>::infinity();
        double highest = -lowest;
        for (std::uint32_t i = 0; i < n; ++i) {
            const double value = target_of(list[i]);
            lowest = std::min(lowest, value);
            highest = std::max(highest, value);
        }
        const auto finer = data::finer_grid(lowest, highest, child.weight, child.unit);
        if (!finer) return;
        child.unit = finer->scale;
        child.sum = 0.0;
        for (std::uint32_t i = 0; i < n; ++i) {
            const double on_grid =
                std::nearbyint((target_of(list[i]) - finer->offset) * finer->scale);
            const double value = on_grid * weight_of(list[i]);
            value_of[row_of(list[i])] = value;
            child.sum += value;
        }
    }

    /// Gives the rows of a node the numbers begin, begin + 1, ... No other node has these.
    void bring_home(FastNode& node) {
        node.is_home = true;
        home = node.begin;
        const std::uint32_t n = node.size();
        home_row.resize(table_row.size());
        const std::uint32_t* list = list_of(node, any_list(node));
        for (std::uint32_t i = 0; i < n; ++i) {
            new_row[row_of(list[i])] = node.begin + i;
            home_row[node.begin + i] = table_row[row_of(list[i])];
        }
        if (kind == Kind::classes) {
            home_class.resize(table_row.size());
            for (std::uint32_t i = 0; i < n; ++i)
                home_class[node.begin + i] = class_of_row[row_of(list[i])];
        }
        if (kind == Kind::values) {
            home_values.resize(table_row.size());
            home_targets.resize(table_row.size());
            for (std::uint32_t i = 0; i < n; ++i) {
                home_values[node.begin + i] = values[row_of(list[i])];
                home_targets[node.begin + i] = targets[row_of(list[i])];
            }
        }
        for (const std::uint32_t column : lists_of(node))
            loops.rename(list_of(node, column), n, new_row.data());
    }

    /// Gives the few rows of a node the numbers 0, 1, ... From here on the lists stay as they are,
    /// and a node is the set of its rows, as bits: dividing it moves nothing.
    void fill_pocket(FastNode& node) {
        look_up(node);
        const std::uint32_t n = node.size();
        const std::uint32_t* list = list_of(node, any_list(node));
        std::uint32_t rows[kPocket];
        for (std::uint32_t i = 0; i < n; ++i) rows[i] = row_of(list[i]);
        for (std::uint32_t i = 0; i < n; ++i) {
            new_row[rows[i]] = i;
            pocket.table_row[i] = row_of_table[rows[i]];
            if (kind == Kind::classes) pocket.classes[i] = class_of[rows[i]];
            if (kind != Kind::values) continue;
            pocket.rows.values[i] = value_of[rows[i]];
            pocket.rows.weights[i] = weight_of(list[i]);
            pocket.targets[i] = target_at[rows[i]];
        }
        pocket.has_gaps = false;
        for (const std::uint32_t column : lists_of(node)) {
            std::uint32_t* own = list_of(node, column);
            pocket.has_gaps = pocket.has_gaps || n_known_of(column, own, n) < n;
            loops.rename(own, n, new_row.data());
        }
        if (kind == Kind::values && !shared.has_names) {
            pocket.rows.n = n;
            for (std::uint32_t c = 0; c < node.n_columns; ++c) {
                const std::uint32_t column = nodes.columns[node.columns + c];
                pocket.take_order(column, list_of(node, column));
            }
        }
        node.pocket = static_cast<std::uint16_t>((1U << n) - 1U);
        node.is_home = true;
    }

    /// Selects the row numbering that entries of the node at hand refer to: the first, the
    /// renumbered one, or the pocket's.
    void look_up(const FastNode& node) {
        const bool few = node.pocket != 0;
        row_of_table = few ? pocket.table_row : node.is_home ? home_row.data() : table_row.data();
        class_of = few ? pocket.classes : node.is_home ? home_class.data() : class_of_row.data();
        target_at = few ? pocket.targets : node.is_home ? home_targets.data() : targets.data();
        value_of = few ? pocket.rows.values : node.is_home ? home_values.data() : values.data();
    }

    /// Rows of the node (entries, with repeats).
    [[nodiscard]] static std::uint32_t size_of(const FastNode& node) {
        return node.pocket != 0 ? static_cast<std::uint32_t>(__builtin_popcount(node.pocket))
                                : node.size();
    }

    /// The entries of the node in the order of a column; of a pocket, a copy.
    [[nodiscard]] const std::uint32_t* entries_of(const FastNode& node, std::uint32_t column) {
        const std::uint32_t* list = list_of(node, column);
        if (node.pocket == 0) return list;
        loops.pick(list, node.size(), node.pocket, pocket.picked);
        return pocket.picked;
    }

    /// Of n entries of the node at hand, how many have a value; those without stand last.
    [[nodiscard]] std::uint32_t n_known_of(std::uint32_t column, const std::uint32_t* list,
                                           std::uint32_t n) const {
        if (column == list_of_rows() || !shared.gaps.in_column(column)) return n;
        const auto is_known = [&](std::uint32_t entry) {
            return !shared.gaps.at(column, row_of_table[row_of(entry)]);
        };
        if (is_known(list[n - 1])) return n;
        return static_cast<std::uint32_t>(std::partition_point(list, list + n, is_known) - list);
    }

    // Lists have the numbers of their columns.

    [[nodiscard]] bool is_nominal(std::uint32_t column) const {
        return shared.has_names && data.columns[column].scale == data::Scale::nominal;
    }
    /// The one in the order of the table, if there are nominal columns.
    [[nodiscard]] std::uint32_t list_of_rows() const {
        return static_cast<std::uint32_t>(nodes.n_columns);
    }
    /// One of the node's lists.
    [[nodiscard]] std::uint32_t any_list(const FastNode& node) const {
        return shared.has_names ? list_of_rows() : nodes.columns[node.columns];
    }
    /// All of them, until the next call.
    [[nodiscard]] std::span<const std::uint32_t> lists_of(const FastNode& node) {
        const std::span<const std::uint32_t> columns(nodes.columns.data() + node.columns,
                                                     node.n_columns);
        if (!shared.has_names) return columns;
        listed.clear();
        for (const std::uint32_t column : columns)
            if (!is_nominal(column)) listed.push_back(column);
        listed.push_back(list_of_rows());
        return listed;
    }

    [[nodiscard]] double target_of(std::uint32_t entry) const { return target_at[row_of(entry)]; }
    static constexpr std::uint64_t kLastBit = std::uint64_t{1} << 63;
    [[nodiscard]] std::uint64_t tie_bit(std::uint32_t column) const {
        return std::uint64_t{1} << std::min<std::size_t>(slot_of_column[column], 63);
    }

    /// A node's part of a column's list.
    [[nodiscard]] std::uint32_t* list_of(const FastNode& node, std::uint32_t column) {
        const std::size_t slot = slot_of_column[column];
        return node.buffer == 0 ? lists.data() + slot * stride + node.begin
                                : home_lists.data() + slot * kHomeStride + (node.begin - home);
    }

    const FastData& shared;
    const data::Dataset& data;
    Progress& progress;
    const FastLoops& loops;
    FastNodes nodes;
    std::uint32_t n_classes;
    Kind kind;
    bool has_repeats = false;
    std::size_t stride = 0;
    std::vector<std::uint32_t> word_of_row;
    std::vector<std::uint32_t> table_row;
    FarVector<std::uint32_t> lists;
    std::vector<std::uint32_t> home_lists;  ///< the second buffer: only for renumbered rows
    std::uint32_t home = 0;                 ///< where the node that is home begins
    std::size_t n_lists = 0;
    std::vector<std::size_t> slot_of_column;
    std::vector<std::uint32_t> listed;
    std::vector<char> has_ties;
    bool any_ties = false;           ///< in some column, or there is a list of rows
    std::vector<std::uint8_t> side;  ///< by row, while a node is divided: its branch
    FarVector<double> values;        ///< by row: weight x target on the grid
    FarVector<double> targets;       ///< by row
    std::vector<std::int32_t> class_of_row;
    std::vector<std::uint32_t> new_row;
    std::vector<std::uint32_t> home_row;  ///< as table_row, and so on, by the rows' later numbers
    std::vector<std::int32_t> home_class;
    std::vector<double> home_values;
    std::vector<double> home_targets;
    Pocket pocket;
    const std::uint32_t* row_of_table = nullptr;  ///< of the node at hand, as the next three
    const std::int32_t* class_of = nullptr;
    double* value_of = nullptr;
    const double* target_at = nullptr;
    bool asks = false;  ///< the thread at work is the one that asks whether to stop
    ParallelSubtrees parts;
};

}  // namespace treewright::forest
