/// What is added up over the rows of a node in growing on rows (row_runs.hpp): counts of two
/// classes, targets on a grid, either with weights, or more than two classes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "treewright/forest/fast/kernels/scan.hpp"

namespace treewright::forest {

/// Rows of a node: entries as in kernels/scan.hpp, numbered as in the table, without ties.
struct NodeRows {
    const std::uint32_t* words;
    std::uint32_t n;
};

/// Rows of the second class in two, and their weight: weight << 32 | weight of the second class.
struct PairSums {
    using Sum = std::uint64_t;
    static constexpr bool kIsWeighed = false;
    [[nodiscard]] static constexpr Sum of(std::uint32_t word) {
        const Sum weight = weight_of(word);
        return weight << 32 | ((word & kPositive) != 0 ? weight : 0);
    }
    [[nodiscard]] static Sum only_if(bool is_so, Sum sum) { return sum & (Sum{0} - Sum{is_so}); }
    [[nodiscard]] static double weight(Sum sum) { return static_cast<double>(sum >> 32); }
    [[nodiscard]] static double target(Sum sum) {
        return static_cast<double>(static_cast<std::uint32_t>(sum));
    }
};

/// The same of rows whose weight depends on their class alone: products and sums of such weights
/// are exact, as those of the rows are.
struct ClassSums : PairSums {
    static constexpr bool kIsWeighed = true;
    double of_first;  ///< weight of a row of the first class
    double of_second;

    ClassSums(double of_first, double of_second) : of_first(of_first), of_second(of_second) {}
    [[nodiscard]] double weight(Sum sum) const {
        return (copies(sum) - PairSums::target(sum)) * of_first + target(sum);
    }
    [[nodiscard]] double target(Sum sum) const { return PairSums::target(sum) * of_second; }
    [[nodiscard]] static double copies(Sum sum) { return PairSums::weight(sum); }
};

/// Weight and targets on the grid (data/target_grid.hpp).
struct ValueSums {
    static constexpr bool kIsWeighed = false;
    struct Sum {
        double of_weights = 0.0;
        double of_targets = 0.0;
        Sum& operator+=(const Sum& other) {
            of_weights += other.of_weights;
            of_targets += other.of_targets;
            return *this;
        }
        friend Sum operator-(Sum a, const Sum& b) {
            a.of_weights -= b.of_weights;
            a.of_targets -= b.of_targets;
            return a;
        }
    };
    const double* on_grid;  ///< by row of the table

    [[nodiscard]] Sum of(std::uint32_t word) const {
        const double weight = weight_of(word);
        return {weight, weight * on_grid[row_of(word)]};
    }
    [[nodiscard]] static Sum only_if(bool is_so, const Sum& sum) {
        return {is_so ? sum.of_weights : 0.0, is_so ? sum.of_targets : 0.0};
    }
    [[nodiscard]] static double weight(const Sum& sum) { return sum.of_weights; }
    [[nodiscard]] static double target(const Sum& sum) { return sum.of_targets; }
};

/// The same where numbers have been multiplied by the rows' weights.
struct ListedSums : ValueSums {
    [[nodiscard]] Sum of(std::uint32_t word) const {
        return {static_cast<double>(weight_of(word)), on_grid[row_of(word)]};
    }
};

/// What a row adds to the sums each time it was drawn, where rows weigh differently: its weight,
/// and the same if it is of the second class, or times its target on the grid, as a whole number.
struct WeighedRow {
    double weight = 0.0;
    double target = 0.0;
};

/// Sums of rows that weigh differently.
struct WeighedSums {
    static constexpr bool kIsWeighed = true;
    struct Sum {
        double of_weights = 0.0;
        double of_targets = 0.0;
        double of_copies = 0.0;
        Sum& operator+=(const Sum& other) {
            of_weights += other.of_weights;
            of_targets += other.of_targets;
            of_copies += other.of_copies;
            return *this;
        }
        friend Sum operator-(Sum a, const Sum& b) {
            a.of_weights -= b.of_weights;
            a.of_targets -= b.of_targets;
            a.of_copies -= b.of_copies;
            return a;
        }
    };
    const WeighedRow* rows;  ///< by row of the node

    [[nodiscard]] Sum of(std::uint32_t word) const {
        const double copies = weight_of(word);
        const WeighedRow& row = rows[row_of(word)];
        return {copies * row.weight, copies * row.target, copies};
    }
    [[nodiscard]] static Sum only_if(bool is_so, const Sum& sum) {
        return {is_so ? sum.of_weights : 0.0, is_so ? sum.of_targets : 0.0,
                is_so ? sum.of_copies : 0.0};
    }
    [[nodiscard]] static double weight(const Sum& sum) { return sum.of_weights; }
    [[nodiscard]] static double target(const Sum& sum) { return sum.of_targets; }
    [[nodiscard]] static double copies(const Sum& sum) { return sum.of_copies; }
};

/// Of more than two classes, by row of the node.
struct RowClasses {
    const std::int32_t* of_row;
    std::uint32_t n;
    const WeighedRow* weighed = nullptr;  ///< null: rows count alike

    [[nodiscard]] std::size_t of(std::uint32_t row) const {
        return static_cast<std::size_t>(of_row[row]);
    }
};

}  // namespace treewright::forest
