/// Where a small node of a tree by drawn cuts is at home, with all that is below it: its rows are
/// numbered 0, 1, ... and their cells copied row by row, near enough to stay in a near cache. A
/// node below is a range of `rows`; dividing it reorders that range and nothing else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/split/plain_rows.hpp"

namespace treewright {

template <class T>
class PlainHome {
public:
    static constexpr std::uint32_t kRows = 8192;

    std::vector<std::uint32_t> rows;    ///< numbers, in the order of the nodes
    std::vector<std::uint32_t> weight;  ///< by number, as the next three: copies
    std::vector<std::uint32_t> target;  ///< classes: which, or of two copies of the second
    std::vector<double> value;          ///< numbers: copies x target on the grid
    std::vector<std::uint32_t> row;     ///< of the table

    /// Columns, of those of the table, that the tree looks at.
    void choose(std::span<const std::uint32_t> chosen, std::size_t n_columns) {
        columns.assign(chosen.begin(), chosen.end());
        slot_of.assign(n_columns, 0);
        has_all = columns.size() == n_columns;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            slot_of[columns[i]] = static_cast<std::uint32_t>(i);
            has_all = has_all && columns[i] == i;
        }
        n_groups = (columns.size() + kLanes - 1) / kLanes;
        stride = n_groups * kLanes;  // so that no eight cells lie in two cache lines
        cells.resize(kRows * stride + kLine);
        first_cell = cells.data();
        while (reinterpret_cast<std::uintptr_t>(first_cell) % (kLine * sizeof(T)) != 0)
            ++first_cell;
        column_keys.assign(stride, 0);
        std::copy(columns.begin(), columns.end(), column_keys.begin());
        at.resize(stride);
        bound.resize(stride);
        sums.resize(stride);
        value_sums.resize(stride);
        varies.resize(n_groups);
        wanted.assign(n_groups, 0);
        for (auto* each : {&rows, &spare, &weight, &target, &row, &words})
            each->resize(kRows + kRowPadding);
        value.resize(kRows);
    }

    /// Copies the cells of n rows, which `row` names, from a table of rows; the caller has filled
    /// in what else there is of them. `has_pairs`: two classes are counted in one word.
    void move_in(const T* table, std::size_t n_columns, std::uint32_t n, bool has_pairs) {
        is_pair = has_pairs;
        constexpr std::uint32_t kAhead = 24;  // rows lie anywhere in the table
        for (std::uint32_t i = 0; i < n; ++i) {
            if (i + kAhead < n) call_for(table + row[i + kAhead] * n_columns, n_columns);
            const T* from = table + row[i] * n_columns;
            T* to = first_cell + i * stride;
            if (has_all)
                for (std::size_t c = 0; c < n_columns; ++c) to[c] = from[c];
            else
                for (std::size_t c = 0; c < columns.size(); ++c) to[c] = from[columns[c]];
            rows[i] = i;
            words[i] = is_pair ? weight[i] | target[i] << kPairShift : weight[i];
        }
    }

    /// Draws a threshold for every column of a node.
    void draw(std::uint32_t begin, std::uint32_t n, Mixed key) {
        std::fill(wanted.begin(), wanted.end(), std::uint8_t{0});
        loops.draw(list(begin, n), key,
                   {column_keys.data(), at.data(), bound.data(), varies.data()});
    }
    /// Wants a column to be counted; false if it does not vary.
    bool want(std::uint32_t column) {
        const std::uint32_t slot = slot_of[column];
        const unsigned bit = varies[slot / kLanes] & bit_of(slot);
        wanted[slot / kLanes] |= static_cast<std::uint8_t>(bit);
        return bit != 0;
    }
    [[nodiscard]] double threshold(std::uint32_t column) const { return at[slot_of[column]]; }

    /// Sums up what is up to the thresholds of the columns that are wanted.
    void count(std::uint32_t begin, std::uint32_t n, bool with_values) {
        if (with_values)
            loops.count_values(list(begin, n), bound.data(), wanted.data(), words.data(),
                               value.data(), sums.data(), value_sums.data());
        else loops.count(list(begin, n), bound.data(), wanted.data(), words.data(), sums.data());
    }
    [[nodiscard]] double weight_below(std::uint32_t column) const {
        const std::uint32_t sum = sums[slot_of[column]];
        return is_pair ? sum & kPairMask : sum;
    }
    [[nodiscard]] double sum_below(std::uint32_t column) const {
        const std::size_t slot = slot_of[column];
        return is_pair ? static_cast<double>(sums[slot] >> kPairShift) : value_sums[slot];
    }
    /// Whether a row is below the bound.
    [[nodiscard]] bool is_below(std::uint32_t number, std::uint32_t column) const {
        const std::uint32_t slot = slot_of[column];
        return first_cell[number * stride + slot] <= bound[slot];
    }

    /// Divides the rows of a node; returns how many are below the bound.
    std::uint32_t divide(std::uint32_t begin, std::uint32_t n, std::uint32_t column) {
        const std::uint32_t slot = slot_of[column];
        return loops.divide(first_cell + slot, stride, bound[slot], rows.data() + begin, n,
                            spare.data());
    }

    /// Weight up to which two classes are counted in one word.
    static constexpr double kMostPairs = 65535.0;

private:
    static constexpr unsigned kPairShift = 16;
    static constexpr std::uint32_t kPairMask = (1U << kPairShift) - 1U;
    static constexpr std::size_t kLine = 64 / sizeof(T);

    [[nodiscard]] RowList<T> list(std::uint32_t begin, std::uint32_t n) const {
        return {first_cell, stride, rows.data() + begin, n, n_groups};
    }
    [[nodiscard]] static std::uint8_t bit_of(std::uint32_t slot) {
        return static_cast<std::uint8_t>(1U << (slot % kLanes));
    }
    /// Has cells fetched from far memory that are soon to be read.
    static void call_for(const T* from, std::size_t n) {
        for (std::size_t i = 0; i < n; i += kLine) __builtin_prefetch(from + i);
        __builtin_prefetch(from + n - 1);
    }

    const RowLoops<T>& loops = row_loops<T>();
    std::vector<std::uint32_t> columns;
    std::vector<std::uint32_t> slot_of;
    bool has_all = false;  ///< columns are those of the table
    bool is_pair = false;
    std::size_t n_groups = 0;
    std::size_t stride = 0;
    std::vector<T> cells;
    std::vector<std::uint32_t> words;
    T* first_cell = nullptr;                 ///< of `cells`, at the beginning of a cache line
    std::vector<std::uint64_t> column_keys;  ///< by slot, as the next four
    std::vector<double> at;
    std::vector<T> bound;
    std::vector<std::uint32_t> sums;
    std::vector<double> value_sums;
    std::vector<std::uint8_t> varies;  ///< bits by slot, as the next
    std::vector<std::uint8_t> wanted;
    std::vector<std::uint32_t> spare;
};

}  // namespace treewright
