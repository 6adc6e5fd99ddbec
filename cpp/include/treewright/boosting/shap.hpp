/// SHAP values of boosted trees: what each column adds to the score of a row, exactly.
///
/// The game is the path-dependent one of TreeSHAP (Lundberg et al., From local explanations to
/// global understanding with explainable AI for trees, Nature Machine Intelligence 2020, algorithm
/// 1): where the asked column is known, the row follows its own branch; where it is not, it
/// follows both, with the shares that the training rows had.
///
/// Let every column be known with probability t, independently. The Shapley value of a column is
/// the integral over t in [0, 1] of the derivative of the expected prediction by the probability of
/// that column alone (Owen, Multilinear extensions of games, Management Science 1972). The
/// integrand is a polynomial of degree D - 1, D the most columns asked on a path, so that Gauss and
/// Legendre's rule with D / 2 points, rounded up, leaves only rounding errors; all its weights are
/// positive, and there is no cancellation as in the division of polynomials (Linear TreeShap, Yu et
/// al., NeurIPS 2022, warns of trees deeper than 16). The same integral: Quadrature-TreeSHAP,
/// Wettenstein, Mitchell and Yu, arXiv 2605.04497.
///
/// For one t, a tree takes one walk down and one up. `share` is the share of the training rows of a
/// node that went to its first child, z the share that passed the questions above about the same
/// column (1 if there were none). A row that is here though its own value leads elsewhere is here
/// because the column is not known; for one that is here by its own value, Bayes' rule says
///
///     known = t / (z + (1 - z) t)           how probable it is that the column is known,
///     c = share + known e                   that it goes to the first child, where
///     e = (goes first ? 1 : 0) - share      and e = 0 for rows that belong elsewhere.
///
/// Down: reach(first child) = c reach(node), reach(second child) = (1 - c) reach(node).
/// Up: value(node) = c value(first child) + (1 - c) value(second child).
/// The node gives its column reach(node) dc/dt (value(first child) - value(second child)), where
/// dc/dt = e z / (z + (1 - z) t)^2 is taken over the column's own t.
///
/// That is O(leaves x D) for a row; eight rows are processed together, a lane each.
#pragma once

#include <cstddef>
#include <span>

#include "treewright/base/progress.hpp"
#include "treewright/boosting/ensemble.hpp"

namespace treewright::boosting {

/// How the shares of a node's children are measured.
enum class Cover {
    rows,     ///< training rows the tree was grown from, as LightGBM does
    hessian,  ///< sums of hessians, as XGBoost does
};

/// Explains trees [first, last): rows x outputs x (columns + 1) values, the last of each output
/// being the expected prediction of its trees when no column is known. The values of
/// an output add up to what `add_scores` adds. Trees are added in their order, whatever the number
/// of threads and whichever rows are processed together.
void shap_values(const BoostForest& forest, const tree::Rows& rows, std::size_t first,
                 std::size_t last, Cover cover, std::size_t n_threads, Progress& progress,
                 std::span<double> values);

}  // namespace treewright::boosting
