/// SHAP values of trees and of sums of trees: what each column adds to what a row is answered,
/// exactly.
///
/// The game. What is a tree expected to answer if only some columns of a row are known?
/// Path-dependent (Lundberg et al., From local explanations to global understanding with
/// explainable AI for trees, Nature Machine Intelligence 2020, algorithm 1): where the asked column
/// is known, the row follows its own branch (or, divided, all of them by their shares); where it is
/// not, it follows all branches, with the shares that the training rows had. Interventional: where
/// it is not, it follows the branch of a background row; values are averaged over background rows.
/// - A question about several columns (a linear combination; a missing value and the surrogates
///   that answer for it) is known where all columns that decided it are.
/// - A term of a leaf's linear model whose column is not known takes its `fill` (or the number of
///   the background row). A model that is kept within limits answers const + r x (its terms), with
///   const within the limits and r such that all terms together give the limited answer.
///
/// The method. Let every column be known with probability t, independently. The Shapley value of a
/// column is the integral over t in [0, 1] of the derivative of the expected prediction by the
/// probability of that column alone (Owen, Multilinear extensions of games, Management Science
/// 1972). The integrand is a polynomial of degree D - 1, D the most columns asked on a path, so
/// that Gauss and Legendre's rule with D / 2 points, rounded up, leaves only rounding errors; all
/// its weights are positive, and there is no cancellation as in the division of polynomials (Linear
/// TreeShap, Yu et al., NeurIPS 2022, warns of trees deeper than 16). The same integral:
/// Quadrature-TreeSHAP, Wettenstein, Mitchell and Yu, arXiv 2605.04497.
///
/// For one t, a tree takes one walk down and one up. `share` is the share of the training rows of a
/// node that went to its first child, z the share that passed the questions above about the same
/// column (1 if there were none). A row that is here though its own value leads elsewhere is here
/// because the column is not known; for one that is here by its own value, Bayes' rule says
///
///     known = t / (z + (1 - z) t)           how probable it is that the column is known,
///     c = share + known e                   that it goes to the first child, where
///     e = (goes first ? 1 : 0) - share      and e = 0 for rows that belong elsewhere or are
///                                           divided.
///
/// Down: reach(first child) = c reach(node), reach(second child) = (1 - c) reach(node).
/// Up: value(node) = c value(first child) + (1 - c) value(second child).
/// The node gives its column reach(node) dc/dt (value(first child) - value(second child)), where
/// dc/dt = e z / (z + (1 - z) t)^2 is taken over the column's own t. A term of a leaf's model is
/// added with probability `known`, and gives its column reach(leaf) dknown/dt x term.
///
/// That is O(leaves x D) for a row; eight rows are processed together, a lane each. A background
/// row is a tree whose shares are that row's own branches. Rows that need more (questions about
/// several columns; a column by which a row is divided at one node and not at another) are walked
/// one by one, with z of their own and with every set of the columns that are asked together
/// (tree/shap_row.hpp).
///
/// Interactions (Lundberg et al. 2020, after Fujimoto et al. 2006): half of what the value of a
/// column changes if another is known for certain instead of not at all; a column with itself
/// takes what is left of its value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "treewright/base/progress.hpp"
#include "treewright/tree/plan.hpp"
#include "treewright/tree/shap_tree.hpp"

namespace treewright::tree {

/// Rows, and the numbers that linear models in leaves multiply (rows x numbers; NaN: missing).
struct ShapRows {
    const Rows& rows;
    std::span<const double> numbers;
};

/// Up to 64 rows, read by a model once for all of its trees.
struct ShapBlock {
    static constexpr std::size_t kRows = 64;
    virtual ~ShapBlock() = default;
    std::size_t begin = 0;
    std::size_t n = 0;
};

/// How the rows of a block answer the questions of a tree: a bit for each row, by asker.
struct ShapAnswers {
    std::vector<std::uint64_t> second;   ///< goes to the second side
    std::vector<std::uint64_t> divided;  ///< goes to both
    std::vector<std::uint64_t> several;  ///< more columns than the asked one decided it
};

/// Trees whose answers are added up.
class ShapModel {
public:
    virtual ~ShapModel() = default;

    std::size_t n_trees = 0;
    std::size_t n_columns = 0;
    std::size_t n_outputs = 1;
    std::vector<std::uint32_t> asked;  ///< columns that any tree uses, ascending

    [[nodiscard]] virtual ShapSource source(std::size_t tree) const = 0;
    [[nodiscard]] virtual std::unique_ptr<ShapBlock> read(const Rows& rows, std::size_t begin,
                                                          std::size_t n) const = 0;
    virtual void answer(std::size_t tree, const ShapTree& form, const Rows& rows,
                        const ShapBlock& block, ShapAnswers& answers) const = 0;
    [[nodiscard]] virtual double number(const ShapRows& rows, std::size_t row,
                                        std::uint32_t number) const = 0;

    // For questions about several columns; a model without any does not override them.

    /// Adds the columns that decided a row's answer at a node.
    virtual void decided_by(std::size_t tree, std::uint32_t node, const Rows& rows, std::size_t row,
                            std::vector<std::uint32_t>& columns) const;
    /// Adds all columns that may decide an answer at a node.
    virtual void may_decide(std::size_t tree, std::uint32_t node,
                            std::vector<std::uint32_t>& columns) const;
    /// Branch of a row at a node; -1: all.
    [[nodiscard]] virtual int branch(std::size_t tree, std::uint32_t node, const Rows& rows,
                                     std::size_t row) const;
};

struct ShapOptions {
    bool interactions = false;
    const ShapRows* background = nullptr;
    std::span<const double> pair_weight;  ///< rows x background rows; empty: all alike
    std::size_t n_threads = 1;
};

struct ShapResult {
    std::vector<double> values;     ///< rows x outputs x columns (x columns, of interactions)
    std::vector<double> expected;   ///< by output, if nothing is known; not with a background
    std::int64_t divided_row = -1;  ///< the first row that is divided in any tree; -1: none
    std::size_t most_together = 0;  ///< columns asked together of a row that was refused; 0: none
};

/// Most columns of questions about several: every set of them is tried.
inline constexpr std::size_t kMostTogether = 14;

/// Trees are added in their order, whatever the number of threads and whichever rows are processed
/// together.
[[nodiscard]] ShapResult shap_values(const ShapModel& model, const ShapRows& rows,
                                     const ShapOptions& options, Progress& progress);

}  // namespace treewright::tree
