/// SHAP values of one row of one tree by walks of its own, for rows that do not fit the lanes of
/// tree/shap.hpp, which has the method.
///
/// Every column carries two weights down a path: K, which of the row would arrive if the column
/// were known, and U, which if it were not. Then known = K t / (U (1 - t) + K t) and
/// dknown/dt = K U / (U (1 - t) + K t)^2; K = 1 and U = z gives the formulas of the lanes.
/// Columns that are asked together are known or not by a set: all sets are walked, each with the
/// probability that t gives it.
#pragma once

#include "treewright/tree/shap.hpp"

namespace treewright::tree {

/// A row of a tree, and what stands for the columns that are not known.
struct ShapPair {
    const ShapModel& model;
    std::size_t tree;
    const ShapTree& form;                   ///< with the shares of what is not known
    std::span<const double> by_known;       ///< by asker: part of the row that goes first if known
    std::span<const std::uint8_t> several;  ///< by asker: several columns decide it
    std::span<const double> parts;          ///< by line: what it adds if known
    std::span<const double> constants;      ///< by asker that is a leaf: its answer without
    const Rows& rows;
    std::size_t row;
    const Rows* background;  ///< null: path-dependent
    std::size_t background_row;
    std::span<const std::uint32_t> place;  ///< of each column among the asked ones
};

/// A column whose state is fixed, for interactions.
struct ShapFixed {
    std::int32_t place = -1;  ///< none: -1
    bool known = false;
};

/// Adds weight x value to sums[(output - first output) x asked columns + place]; false: more
/// columns are asked together than can be tried, `n_together` of them.
[[nodiscard]] bool explain_row(const ShapPair& pair, ShapFixed fixed, double weight,
                               std::span<double> sums, std::size_t& n_together);

}  // namespace treewright::tree
