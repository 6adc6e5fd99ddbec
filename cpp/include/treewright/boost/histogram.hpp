/// Sums of gradients, hessians and rows by code, in whole numbers: their order does not matter, and
/// the histogram of a child is the parent's less its sibling's, exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "treewright/boost/coded_table.hpp"

namespace treewright {

/// How gradients and hessians are rounded: value = whole number * unit, the units powers of two.
/// Rows are counted in the low `count_bits` of a word, below hessians or (if all rows have the
/// same hessian) gradients, so that one addition serves both.
struct FixedPoint {
    int count_bits = 0;
    double gradient_unit = 1.0;
    double hessian_unit = 1.0;
    double rest_hessian = 0.0;  ///< of every row, where all have the same
};

struct Sums {
    std::int64_t gradient = 0;
    std::int64_t hessian = 0;
    std::int64_t n_rows = 0;

    Sums& operator+=(const Sums& other) {
        gradient += other.gradient;
        hessian += other.hessian;
        n_rows += other.n_rows;
        return *this;
    }
    Sums operator-(const Sums& other) const {
        return {gradient - other.gradient, hessian - other.hessian, n_rows - other.n_rows};
    }
};

/// A row, or an entry of a histogram, where hessians differ: one vector, added at once.
struct WideEntry {
    using Both = std::int64_t __attribute__((vector_size(16)));
    Both both = {0, 0};  ///< gradient; hessian << count_bits | rows

    WideEntry& operator+=(const WideEntry& other) {
        both += other.both;
        return *this;
    }
    WideEntry& operator-=(const WideEntry& other) {
        both -= other.both;
        return *this;
    }
    static WideEntry of(const Sums& sums, int count_bits) {
        return {Both{sums.gradient, (sums.hessian << count_bits) + sums.n_rows}};
    }
    [[nodiscard]] Sums sums(int count_bits) const {
        const std::int64_t mask = (std::int64_t{1} << count_bits) - 1;
        return {both[0], both[1] >> count_bits, both[1] & mask};
    }
};

/// The same where the hessian of a row is its count.
struct NarrowEntry {
    std::int64_t both = 0;  ///< gradient << count_bits | rows

    NarrowEntry& operator+=(const NarrowEntry& other) {
        both += other.both;
        return *this;
    }
    NarrowEntry& operator-=(const NarrowEntry& other) {
        both -= other.both;
        return *this;
    }
    static NarrowEntry of(const Sums& sums, int count_bits) {
        return {(sums.gradient << count_bits) + sums.n_rows};
    }
    [[nodiscard]] Sums sums(int count_bits) const {
        const std::int64_t n = both & ((std::int64_t{1} << count_bits) - 1);
        return {both >> count_bits, n, n};
    }
};

/// What a row adds to an entry, in half the memory: where every row counts once, gradients and
/// hessians fit four bytes each.
struct SlimRow {
    using Entry = WideEntry;
    std::int32_t gradient = 0;
    std::int32_t hessian = 0;

    static SlimRow of(const Sums& sums, int) {
        return {static_cast<std::int32_t>(sums.gradient), static_cast<std::int32_t>(sums.hessian)};
    }
    [[nodiscard]] WideEntry entry(int count_bits) const {
        return {WideEntry::Both{gradient, (std::int64_t{hessian} << count_bits) + 1}};
    }
};
inline constexpr int kSlimBits = 30;  ///< of a gradient or hessian

/// The same where rows count several times.
struct WideRow {
    using Entry = WideEntry;
    WideEntry own;

    static WideRow of(const Sums& sums, int count_bits) {
        return {WideEntry::of(sums, count_bits)};
    }
    [[nodiscard]] WideEntry entry(int) const { return own; }
};

struct NarrowRow {
    using Entry = NarrowEntry;
    NarrowEntry own;

    static NarrowRow of(const Sums& sums, int count_bits) {
        return {NarrowEntry::of(sums, count_bits)};
    }
    [[nodiscard]] NarrowEntry entry(int) const { return own; }
};

/// Rows of a node: a list, or (empty) all rows from `first` on.
struct RowRange {
    const std::uint32_t* list = nullptr;
    std::size_t first = 0;
    std::size_t n = 0;

    [[nodiscard]] RowRange part(std::size_t begin, std::size_t end) const {
        return {list == nullptr ? nullptr : list + begin, first + begin, end - begin};
    }
};

/// Adds rows to the entries of slots [first_slot, last_slot) of a histogram.
template <class Row>
void add_rows(const CodedTable& table, const RowRange& rows, const Row* of_row, int count_bits,
              std::size_t first_slot, std::size_t last_slot, typename Row::Entry* histogram);

}  // namespace treewright
