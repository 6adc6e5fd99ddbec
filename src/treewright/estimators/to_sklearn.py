"""Fitted trees of ours as fitted trees of scikit-learn.

A model of scikit-learn is fitted to a few made-up rows of the right shape, so that everything that
the installed version expects in a fitted model is there, and then gets our nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.array_types import Array, FloatArray
from treewright.errors import ConversionWarning, UnsupportedError, warn
from treewright.tree.leaf import by_output
from treewright.tree.sklearn_names import SklearnView, has_one_side, what_sklearn_lacks

if TYPE_CHECKING:
    from treewright.tree.tree import Tree

_CRITERIA = {
    "gini": "gini",
    "entropy": "entropy",
    "gain_ratio": "entropy",
    "squared_error": "squared_error",
    "absolute_error": "absolute_error",
    "poisson": "poisson",
}
"""scikit-learn's names for impurities that nodes of ours hold; other trees take its default."""


def criterion_for(model: Any) -> dict[str, str]:
    """Return scikit-learn's criterion for a tree or an ensemble, as a keyword if there is one."""
    known = _CRITERIA.get(model.criterion)
    return {} if known is None else {"criterion": known}


def refuse(reason: str, *, owner: object) -> UnsupportedError:
    """Return the error for a model that scikit-learn has no counterpart for."""
    return UnsupportedError(
        f"{type(owner).__name__}.to_sklearn: no model of scikit-learn can answer as this one does,"
        f" as {reason}.\n"
        "  Hint: use the model itself, which has scikit-learn's methods; columns of numbers"
        " and booleans, and constant leaves, can be converted."
    )


def check_not_calibrated(owner: object) -> None:
    """Refuse a model whose probabilities are calibrated: a converted one tells those of its trees.

    Its classes would be others, too, since they are chosen by calibrated probabilities.
    """
    if getattr(owner, "_calibration", None) is None:
        return
    name, calibrate = type(owner).__name__, getattr(owner, "calibrate", None)
    raise UnsupportedError(
        f"{name}.to_sklearn: the probabilities of this model are calibrated"
        f" (calibrate={calibrate!r}), and a model of scikit-learn tells those of its trees.\n"
        "  Hint: use the model itself, which has scikit-learn's methods; or fit with"
        " calibrate=None."
    )


def made_up_target(model: Any, *, n_rows: int | None = None) -> Array:
    """Return a target for made-up rows in which every class, as its position, occurs.

    Parameters
    ----------
    model
        A tree or an ensemble.
    n_rows
        Number of rows; by default the fewest that do.
    """
    counts = [1] * model.n_outputs if model.classes is None else list(map(len, model.classes))
    rows = np.arange(3 * max(counts) if n_rows is None else n_rows)
    target = np.column_stack([rows % count for count in counts])
    kind = np.float64 if model.classes is None else np.int64
    return (target[:, 0] if len(counts) == 1 else target).astype(kind)


def fit_to_made_up_rows(theirs: Any, model: Any, owner: Any) -> Any:
    """Return a tree or forest of scikit-learn, fitted, with our columns and classes."""
    y = made_up_target(model)
    theirs.fit(np.zeros((len(y), owner.n_features_in_)), y)
    take_over_names(theirs, owner)
    return theirs


def take_over_names(theirs: Any, owner: Any) -> None:
    """Give a model of scikit-learn our names of columns and classes."""
    for name in ("feature_names_in_", "classes_"):
        if hasattr(owner, name):
            setattr(theirs, name, getattr(owner, name))


def put_tree(theirs: Any, tree: Tree, *, value: FloatArray | None = None) -> None:
    """Put our nodes into a fitted tree estimator of scikit-learn.

    Parameters
    ----------
    theirs
        The estimator.
    tree
        The tree; one that has scikit-learn's names.
    value
        Predictions of the nodes in the form of `tree.value`, which they replace.
    """
    view, n_nodes = SklearnView(tree), tree.n_nodes
    state = theirs.tree_.__getstate__()
    nodes = np.zeros(n_nodes, dtype=state["nodes"].dtype)
    nodes["left_child"], nodes["right_child"] = view.children_left, view.children_right
    nodes["feature"] = view.feature
    nodes["threshold"] = np.where(
        view.feature >= 0, in_single_precision(view.threshold), view.threshold
    )
    nodes["impurity"] = view.impurity
    nodes["n_node_samples"] = view.n_node_samples
    nodes["weighted_n_node_samples"] = view.weighted_n_node_samples
    nodes["missing_go_to_left"] = _goes_left(tree, view)
    own = type(theirs.tree_)(view.n_features, view.n_classes.astype(np.intp), tree.n_outputs)
    values = np.ascontiguousarray(view.value if value is None else value)
    own.__setstate__(
        {"max_depth": tree.depth, "node_count": n_nodes, "nodes": nodes, "values": values}
    )
    theirs.tree_ = own
    theirs.precision_ = "float32"


def _goes_left(tree: Tree, view: SklearnView) -> Array:
    """Return the side of missing values; the heavier branch where there is none."""
    arrays = tree.arrays
    heavier = arrays.weight[view.children_left] >= arrays.weight[view.children_right]
    goes_left = arrays.missing_branch == view.left_branch
    left = np.where(arrays.missing_branch < 0, heavier, goes_left)
    return np.asarray(left & (arrays.n_branches > 0))


def in_single_precision(threshold: FloatArray) -> FloatArray:
    """Return the largest single-precision numbers up to the thresholds.

    Every number of single precision is on the same side of both, also for programs that round
    thresholds to single precision themselves.

    >>> rounded = in_single_precision(np.array([0.1, 0.25]))
    >>> bool(rounded[0] < 0.1), float(rounded[1])
    (True, 0.25)
    """
    with np.errstate(over="ignore"):  # beyond single precision it is infinite
        rounded = threshold.astype(np.float32)
    below = np.nextafter(rounded, np.float32(-np.inf))
    return np.where(rounded > threshold, below, rounded).astype(np.float64)


def check_tree(tree: Tree, *, owner: object, number: int | None = None) -> None:
    """Refuse a tree that scikit-learn cannot have; `number` is its place in a forest."""
    lacking = what_sklearn_lacks(tree)
    if lacking is not None:
        where = "" if number is None else f"in tree {number} "
        raise refuse(where + lacking, owner=owner)


def warn_of_missing(*, owner: object) -> None:
    """Warn that rows with missing values are answered otherwise."""
    warn(
        f"{type(owner).__name__}.to_sklearn: scikit-learn neither divides rows nor has surrogates;"
        " its model sends all rows that lack a value to one branch.",
        ConversionWarning,
    )


def tree_to_sklearn(tree: Tree, *, owner: Any) -> Any:
    """Return a fitted tree of scikit-learn with our nodes; see ``to_sklearn`` of the estimators."""
    import sklearn.tree  # late: it loads 140 modules

    check_not_calibrated(owner)
    check_tree(tree, owner=owner)
    is_leaf = tree.arrays.n_branches == 0
    for shares in by_output(tree.answers, tree.classes) if tree.classes is not None else ():
        differs = is_leaf & (tree.leaf.choose(shares) != shares.argmax(axis=1))
        if differs.any():
            raise refuse(
                f"leaf {int(np.argmax(differs))} does not predict its most probable class, by the"
                " cost matrix or because of ties",
                owner=owner,
            )
    if not has_one_side(tree):
        warn_of_missing(owner=owner)
    task = "Regressor" if tree.classes is None else "Classifier"
    theirs = getattr(sklearn.tree, f"DecisionTree{task}")(**criterion_for(tree))
    put_tree(fit_to_made_up_rows(theirs, tree, owner), tree)
    return theirs
