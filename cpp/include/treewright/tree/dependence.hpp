/// Partial dependence of trees and of sums of trees: what rows are answered if some columns had
/// other values, exactly (Friedman, Greedy function approximation, Annals of Statistics 2001, 8.2;
/// curves of single rows: Goldstein et al., Peeking inside the black box, JCGS 2015).
///
/// The method. A row whose columns are set follows its own branch at every other question, and both
/// branches at questions about a set column; which points (values that the columns are set to) lead
/// to a leaf is a property of the tree alone. So 64 rows walk down together, a bit each, once for
/// all points:
///
///     leaf    points that lead there     rows that reach it with the set columns left open
///     0       [0, 3)                     0110...
///     1       [3, 9)                     1010...
///
/// and the sum over the rows at a point is the sum over leaves of value x weight of the rows. A
/// tree that does not ask a set column is walked once for all such settings. A row or point that a
/// missing value divides counts in each leaf by its share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/tree/shap.hpp"

namespace treewright::tree {

/// Columns that are set, ascending, and the points they are set to: rows of which only those
/// columns are read.
struct Setting {
    std::vector<std::uint32_t> columns;
    const Rows* points = nullptr;
};

struct DependenceOptions {
    std::span<const double> weight;  ///< by row; empty: 1 each
    bool by_row = false;             ///< a curve for every row, instead of their sum
    std::size_t n_threads = 1;
};

/// By setting: outputs x points, summed over the rows; or rows x outputs x points.
/// Empty where a question is decided by a set column and others together (linear combinations,
/// surrogates): which points lead where then depends on the row.
using Dependence = std::vector<std::vector<double>>;

/// The trees must have no linear models in their leaves. Sums are added in the order of the trees,
/// and within a tree in that of the rows, whatever the number of threads.
[[nodiscard]] Dependence partial_dependence(const ShapModel& model, const Rows& rows,
                                            std::span<const Setting> settings,
                                            const DependenceOptions& options, Progress& progress);

/// What a sum of trees means.
enum class Link : std::uint8_t {
    log,       ///< the logarithm of the answer
    logistic,  ///< log odds of the second of two classes, which is answered for
    softmax,   ///< one score a class
};

struct LinkedOptions {
    Link link = Link::log;
    double factor = 1.0;             ///< of the sums, with their base
    std::span<const double> base;    ///< what sums start from, by output
    std::span<const double> weight;  ///< by row; empty: 1 each
    std::size_t n_threads = 1;
};

/// The largest size that a sum can have: the link must be able to take it.
[[nodiscard]] double largest_sum(const ShapModel& model, std::span<const double> base);

/// By setting: outputs x points, what the link makes of the sums of each row, summed over the rows.
/// A row's sums need no order: they are whole multiples of 2^-61 of the largest size that they can
/// have, so that a step of a row's curve is added once, where it begins, and not at every point.
[[nodiscard]] Dependence linked_dependence(const ShapModel& model, const Rows& rows,
                                           std::span<const Setting> settings,
                                           const LinkedOptions& options, Progress& progress);

}  // namespace treewright::tree
