/// SHAP values of boosted trees: what each column adds to the score of a row, exactly.
///
/// The game is the path-dependent one of TreeSHAP (Lundberg et al., From local explanations to
/// global understanding with explainable AI for trees, Nature Machine Intelligence 2020, algorithm
/// 1): where the asked column is known, the row goes where it belongs; where it is not, the row
/// goes both ways, with the shares that the training rows had.
///
/// Let every column be known with probability t, by itself. The Shapley value of a column is the
/// integral over t in [0, 1] of how fast the expected answer grows with the probability of that
/// column alone (Owen, Multilinear extensions of games, Management Science 1972). What is
/// integrated is a polynomial of degree D - 1, D the most columns asked on a path, so that
/// Gauss and Legendre's rule with D / 2 points, rounded up, leaves no error but that of rounding;
/// all its weights are positive, and nothing cancels as it does where polynomials are divided
/// (Linear TreeShap, Yu et al., NeurIPS 2022, warns of trees deeper than 16). The same integral:
/// Quadrature-TreeSHAP, Wettenstein, Mitchell and Yu, arXiv 2605.04497.
///
/// For one t, a tree takes one walk down and one up. `share` is the share of the training rows of a
/// node that went to its first child, z the share that passed what was asked above about the
/// same column (1 if nothing was). A row that came here though its own value says otherwise came
/// because the column is not known; of one that came as it would, Bayes' rule says
///
///     known = t / (z + (1 - z) t)           how probable it is that the column is known,
///     c = share + known e                   that it goes to the first child, where
///     e = (goes first ? 1 : 0) - share      and e = 0 for rows that belong elsewhere.
///
/// Down: reach(first child) = c reach(node), reach(second child) = (1 - c) reach(node).
/// Up: answer(node) = c answer(first child) + (1 - c) answer(second child).
/// The node gives its column reach(node) dc/dt (answer(first child) - answer(second child)), where
/// dc/dt = e z / (z + (1 - z) t)^2 is taken over the column's own t.
///
/// That is O(leaves x D) for a row, and eight rows go together, a lane each.
#pragma once

#include <cstddef>
#include <span>

#include "treewright/base/progress.hpp"
#include "treewright/boosting/ensemble.hpp"

namespace treewright::boosting {

/// What the shares of a node's children are counted in.
enum class Cover {
    rows,     ///< training rows the tree was grown from, as LightGBM does
    hessian,  ///< sums of hessians, as XGBoost does
};

/// Explains trees [first, last): rows x outputs x (columns + 1) values, the last of each output
/// being what its trees are expected to answer for a row of which nothing is known. The values of
/// an output add up to what `add_scores` adds. Trees are added in their order, whatever the number
/// of threads and whichever rows are asked together.
void shap_values(const BoostForest& forest, const tree::Rows& rows, std::size_t first,
                 std::size_t last, Cover cover, std::size_t n_threads, Progress& progress,
                 std::span<double> values);

}  // namespace treewright::boosting
