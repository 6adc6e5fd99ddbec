"""A tree whose leaves tell what the nodes above them tell, too.

A leaf of few rows tells little: its class shares are mixed with those of the node above, which were
mixed before. This is the m-estimate (Cestnik 1990) with the parent as the prior, from the root
down; Agarwal et al., *Hierarchical Shrinkage*, ICML 2022, do the like with differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from treewright.array_types import FloatArray
from treewright.grow.monotone import in_order
from treewright.tree.leaf import BY_MAJORITY, by_output
from treewright.tree.tree import Tree

PRIOR_WEIGHTS = (0.5, 2.0, 8.0, 32.0)
"""Rows that the node above counts as; what tells best of unseen rows is taken."""


def shrunken(tree: Tree, prior_weight: float, signs: Sequence[int] | None = None) -> Tree:
    """Return the tree with class weights shrunken towards those of the nodes above.

    Parameters
    ----------
    tree
        The tree.
    prior_weight
        Rows that the node above counts as.
    signs
        The monotonic constraint of every column, which is kept; None for none.

    Examples
    --------
    >>> from treewright import ID3Classifier, load_example
    >>> play = load_example("play_tennis")
    >>> tree = ID3Classifier(max_depth=1).fit(play.X, play.y).tree_
    >>> tree.answers[2].round(3).tolist()
    [0.0, 1.0]
    >>> shrunken(tree, 4.0).answers[2].round(3).tolist()
    [0.183, 0.817]
    """
    assert tree.classes is not None
    parts = [
        _shrunken_weights(tree, part, prior_weight)
        for part in by_output(tree.arrays.value, tree.classes)
    ]
    made = tree.with_arrays(
        replace(tree.arrays, value=np.hstack(parts)), linear=tree.linear, leaf=BY_MAJORITY
    )
    return in_order(made, signs)


def _shrunken_weights(tree: Tree, weights: FloatArray, prior_weight: float) -> FloatArray:
    n_classes = weights.shape[1]
    totals = weights.sum(axis=1)
    shares = np.empty_like(weights)
    shares[0] = (weights[0] + 1.0 / n_classes) / (totals[0] + 1.0)
    levels, parent = tree.levels, tree.arrays.parent
    order = np.argsort(levels, kind="stable")
    starts = np.searchsorted(levels[order], np.arange(1, int(levels.max(initial=0)) + 2))
    for start, end in pairwise(starts.tolist()):
        nodes = order[start:end]
        above = prior_weight * shares[parent[nodes]]
        shares[nodes] = (weights[nodes] + above) / (totals[nodes] + prior_weight)[:, np.newaxis]
    # Of the node's own weight, so that rows that are divided count its branches as before.
    whole: FloatArray = shares * np.maximum(totals, np.finfo(np.float64).tiny)[:, np.newaxis]
    return whole
