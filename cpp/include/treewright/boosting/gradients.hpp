/// Gradients and hessians of rows as whole numbers, and how they are stored: in few bytes, because
/// rows of a node are scattered in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace treewright::boosting {

/// How gradients and hessians are rounded: value = whole number * unit, the units powers of two.
/// Rows are counted in the low `count_bits` of a word, below hessians or (if all rows have the
/// same hessian) gradients, so that one addition serves both.
struct FixedPoint {
    int count_bits = 0;
    double gradient_unit = 1.0;
    double hessian_unit = 1.0;
    int odds_shift = 1;  ///< from units of 2^-60 to those of hessians
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
    static constexpr std::size_t kWords = 2;
    Both both = {0, 0};  ///< gradient; hessian << count_bits | rows

    WideEntry& operator+=(const WideEntry& other) {
        both += other.both;
        return *this;
    }
    WideEntry& operator-=(const WideEntry& other) {
        both -= other.both;
        return *this;
    }
    WideEntry operator-() const { return {-both}; }
    static WideEntry of(const Sums& sums, int count_bits) {
        return {Both{sums.gradient, (sums.hessian << count_bits) + sums.n_rows}};
    }
    [[nodiscard]] Sums sums(int count_bits) const { return sums(both[0], both[1], count_bits); }
    /// The sums of an entry whose words are apart.
    static Sums sums(std::int64_t gradient, std::int64_t rest, int count_bits) {
        const std::int64_t mask = (std::int64_t{1} << count_bits) - 1;
        return {gradient, rest >> count_bits, rest & mask};
    }
    [[nodiscard]] std::int64_t word(std::size_t i) const { return both[i]; }
    /// Whether any row has been added.
    [[nodiscard]] bool has_rows(int count_bits) const {
        return (both[1] & ((std::int64_t{1} << count_bits) - 1)) != 0;
    }
};

/// The same where the hessian of a row is its count.
struct NarrowEntry {
    static constexpr std::size_t kWords = 1;
    std::int64_t both = 0;  ///< gradient << count_bits | rows

    NarrowEntry& operator+=(const NarrowEntry& other) {
        both += other.both;
        return *this;
    }
    NarrowEntry& operator-=(const NarrowEntry& other) {
        both -= other.both;
        return *this;
    }
    NarrowEntry operator-() const { return {-both}; }
    static NarrowEntry of(const Sums& sums, int count_bits) {
        return {(sums.gradient << count_bits) + sums.n_rows};
    }
    [[nodiscard]] Sums sums(int count_bits) const { return sums(both, count_bits); }
    static Sums sums(std::int64_t both, int count_bits) {
        const std::int64_t n = both & ((std::int64_t{1} << count_bits) - 1);
        return {both >> count_bits, n, n};
    }
    [[nodiscard]] std::int64_t word(std::size_t) const { return both; }
    [[nodiscard]] bool has_rows(int count_bits) const {
        return (both & ((std::int64_t{1} << count_bits) - 1)) != 0;
    }
};

// The forms in which a row stores what it adds to an entry.

/// One gradient and one hessian, of a row that counts once.
struct SlimRow {
    using Entry = WideEntry;
    std::int32_t gradient = 0;
    std::int32_t hessian = 0;

    static SlimRow of(const Sums& sums, const FixedPoint&) {
        return {static_cast<std::int32_t>(sums.gradient), static_cast<std::int32_t>(sums.hessian)};
    }
    [[nodiscard]] WideEntry entry(const FixedPoint& fixed) const {
        return {WideEntry::Both{gradient, (std::int64_t{hessian} << fixed.count_bits) + 1}};
    }
};
inline constexpr int kSlimBits = 30;  ///< of a gradient or hessian

/// The hessian p (1 - p) that follows from a gradient, p - 1 or p for a probability p, in units of
/// 2^-30.
inline std::int64_t odds_hessian(std::int64_t gradient, const FixedPoint& fixed) {
    constexpr std::int64_t kOne = std::int64_t{1} << kSlimBits;
    const std::int64_t p = std::abs(gradient);
    const std::int64_t half = std::int64_t{1} << (fixed.odds_shift - 1);
    return (p * (kOne - p) + half) >> fixed.odds_shift;
}

/// Only the gradient of such a row.
struct OddsRow {
    using Entry = WideEntry;
    std::int32_t gradient = 0;

    static OddsRow of(const Sums& sums, const FixedPoint&) {
        return {static_cast<std::int32_t>(sums.gradient)};
    }
    [[nodiscard]] WideEntry entry(const FixedPoint& fixed) const {
        const std::int64_t hessian = odds_hessian(gradient, fixed);
        return {WideEntry::Both{gradient, (hessian << fixed.count_bits) + 1}};
    }
};

/// Any numbers, of a row that may count several times.
struct WideRow {
    using Entry = WideEntry;
    WideEntry own;

    static WideRow of(const Sums& sums, const FixedPoint& fixed) {
        return {WideEntry::of(sums, fixed.count_bits)};
    }
    [[nodiscard]] WideEntry entry(const FixedPoint&) const { return own; }
};

/// The gradient of a row whose hessian is its count.
struct NarrowRow {
    using Entry = NarrowEntry;
    NarrowEntry own;

    static NarrowRow of(const Sums& sums, const FixedPoint& fixed) {
        return {NarrowEntry::of(sums, fixed.count_bits)};
    }
    [[nodiscard]] NarrowEntry entry(const FixedPoint&) const { return own; }
};

/// The same where every row counts once, in half the memory.
struct SingleRow {
    using Entry = NarrowEntry;
    std::int32_t gradient = 0;

    static SingleRow of(const Sums& sums, const FixedPoint&) {
        return {static_cast<std::int32_t>(sums.gradient)};
    }
    [[nodiscard]] NarrowEntry entry(const FixedPoint& fixed) const {
        return {(std::int64_t{gradient} << fixed.count_bits) + 1};
    }
};

/// Where the rows of one output are found: one after the other, or each in its record of codes.
struct GradientView {
    const std::uint8_t* base = nullptr;
    std::size_t stride = 0;

    template <class Row>
    [[nodiscard]] Row get(std::size_t row) const {
        Row own;
        std::memcpy(&own, base + row * stride, sizeof own);
        return own;
    }
};

/// The same to write to.
struct WritableGradients {
    std::uint8_t* base = nullptr;
    std::size_t stride = 0;

    template <class Row>
    void set(std::size_t row, const Row& own) const {
        std::memcpy(base + row * stride, &own, sizeof own);
    }
};

}  // namespace treewright::boosting
