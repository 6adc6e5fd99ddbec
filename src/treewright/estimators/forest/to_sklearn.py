"""Fitted forests of ours as fitted forests of scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.ensemble.ensemble import votes
from treewright.estimators.to_sklearn import (
    check_not_calibrated,
    check_tree,
    criterion_for,
    fit_to_made_up_rows,
    put_tree,
    refuse,
    warn_of_missing,
)
from treewright.tree.leaf import by_output
from treewright.tree.sklearn_names import SklearnView, has_one_side

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.ensemble.ensemble import Ensemble
    from treewright.tree.tree import Tree


def forest_to_sklearn(forest: Ensemble, kind: str, *, owner: Any) -> Any:
    """Return a fitted forest of scikit-learn with our trees; see ``to_sklearn`` of the forests.

    Parameters
    ----------
    forest
        The trees.
    kind : {"RandomForest", "ExtraTrees"}
        What scikit-learn calls it.
    owner
        The estimator.
    """
    from sklearn import ensemble  # late: it loads 170 modules

    check_not_calibrated(owner)
    if forest.leaf.cost_matrix is not None or forest.leaf.preferred is not None:
        raise refuse("its classes are chosen by a cost matrix, or ties in its own way", owner=owner)
    trees = list(forest)
    for number, tree in enumerate(trees):
        check_tree(tree, owner=owner, number=number)
    if not all(map(has_one_side, trees)):
        warn_of_missing(owner=owner)
    task = "Regressor" if forest.classes is None else "Classifier"
    made = getattr(ensemble, kind + task)(n_estimators=len(trees), **criterion_for(forest))
    fit_to_made_up_rows(made, forest, owner)
    for theirs, tree in zip(made.estimators_, trees, strict=True):
        put_tree(theirs, tree, value=_votes(tree) if forest.vote == "hard" else None)
    made.precision_ = "float32"
    return made


def _votes(tree: Tree) -> FloatArray:
    """Return the votes of each node, nodes x outputs x classes: 1 for the class it predicts."""
    assert tree.classes is not None
    value = np.zeros_like(SklearnView(tree).value)
    for output, part in enumerate(by_output(votes(tree.answers, tree), tree.classes)):
        value[:, output, : part.shape[1]] = part
    return value
