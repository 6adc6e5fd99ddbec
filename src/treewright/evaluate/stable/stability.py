"""Stability: how much of a tree remains when it is grown on bootstraps of its rows.

The estimator is fitted to bootstraps of the rows, and the trees are compared: their predictions,
their questions, their sizes (Philipp, Zeileis and Strobl 2016, *A toolkit for stability
assessment of tree-based learners*; Philipp, Rusch, Hornik and Strobl 2018, *Measuring the stability
of results from supervised statistical learning*, J. Comput. Graph. Stat. 27).

Examples
--------
>>> from treewright import DecisionTreeClassifier, load_example
>>> iris = load_example("iris")
>>> print(stability(DecisionTreeClassifier(max_depth=2), iris.X, iris.y, n_bootstraps=10))
DecisionTreeClassifier: 10 bootstraps of 150 rows
<BLANKLINE>
in common
two trees of bootstraps
  class, all rows         96.5 %
  class, out of bag       98.3 %
  kappa                    0.948
a bootstrap and all rows
  column at the root      90.0 %
  question at the root    50.0 %
  tests in common         80.0 %
<BLANKLINE>
size    mean  sd  all rows
leaves     3   0         3
depth      2   0         2
<BLANKLINE>
level  same columns
    0        80.0 %
    1        51.5 %
<BLANKLINE>
column             asked in     at the root
petal length (cm)   100.0 %  *       90.0 %  *
petal width (cm)     80.0 %  *       10.0 %
* also in the tree of all rows
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from treewright.array_types import Array, BoolArray, FloatArray
from treewright.data.read.groups import RowGroups
from treewright.errors import DataError, ParameterError
from treewright.evaluate.stable.agreement import concordance, fleiss_kappa, overlap, share_alike
from treewright.evaluate.stable.stability_table import ColumnUse, Spread, Stability
from treewright.tree.question import columns_of
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.compare.diff import TreeDiff


_MOST_LEVELS = 10
"""Number of levels that are compared one by one; deeper trees are compared as a whole only."""


def stability(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_bootstraps: int = 20,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: int | np.random.Generator = 0,
) -> Stability:
    """Return how alike the trees are that an estimator grows on bootstraps of the rows.

    A bootstrap is fitted as weights: a row drawn k times has k times its weight, which equals the
    row written k times, and a row not drawn has weight 0. So all trees know the same classes and
    the same values, and copies of a row are never on both sides of a split into training and
    held-out rows that the estimator makes itself.

    Parameters
    ----------
    estimator
        An estimator with a single tree; it is cloned, not changed. Its own ``random_state`` stays
        the same, so that only the rows vary.
    X, y
        The table and the target, as for ``fit``.
    n_bootstraps
        Number of bootstraps; at least 2.
    sample_weight
        Weights of the rows; rows of weight 0 are not drawn.
    groups
        A label for each row: rows of one label belong together, and whole groups are drawn. They
        are passed to an estimator whose ``fit`` takes them.
    random_state
        A seed, or a generator to draw rows with.

    Returns
    -------
    Stability
        The figures; ``print`` them.

    Examples
    --------
    >>> from treewright import ID3Classifier, load_example
    >>> play = load_example("play_tennis")
    >>> result = stability(ID3Classifier(), play.X, play.y, n_bootstraps=5)
    >>> result.tree.n_leaves
    5
    """
    if not _is_whole(n_bootstraps) or n_bootstraps < 2:
        raise ParameterError(f"n_bootstraps={n_bootstraps!r} must be a whole number, at least 2.")
    random = _generator(random_state)
    _check_estimator(estimator)
    passed = {}
    if groups is not None and has_fit_parameter(estimator, "groups"):
        passed = {"groups": groups}
    whole = clone(estimator).fit(X, y, sample_weight=sample_weight, **passed)
    tree = _tree_of(whole)
    n_rows = len(whole.predict(X))
    weight = np.ones(n_rows) if sample_weight is None else np.asarray(sample_weight, np.float64)
    together = RowGroups.read(groups, n_rows)
    unit_of_row = np.arange(n_rows) if together is None else together.codes
    units = np.unique(unit_of_row[weight > 0])
    if together is not None and len(units) < 2:
        raise DataError(
            "all rows (of positive weight) belong to one group: every bootstrap would be the same."
            "\n  Hint: leave groups out, or give the rows different labels."
        )
    drawn = np.empty((n_bootstraps, n_rows), dtype=np.int64)
    trees, predictions = [], []
    for i in range(n_bootstraps):
        times = np.bincount(random.choice(units, size=len(units)), minlength=n_rows)
        drawn[i] = times[unit_of_row]
        fitted = clone(estimator).fit(X, y, sample_weight=drawn[i] * weight, **passed)
        trees.append(_tree_of(fitted))
        predictions.append(np.asarray(fitted.predict(X)))
    alike = _Agreement.of(tree, predictions, out_of_bag=(drawn == 0) & (weight > 0))
    return _describe(type(estimator).__name__, tree, trees, alike)


@dataclass(frozen=True, kw_only=True)
class _Agreement:
    n_rows: int
    everywhere: float
    out_of_bag: float | None
    kappa: float | None

    @classmethod
    def of(cls, tree: Tree, predictions: list[Array], *, out_of_bag: BoolArray) -> _Agreement:
        n_rows = len(predictions[0])
        if tree.classes is None:
            outputs = np.stack([each.reshape(n_rows, -1) for each in predictions]).astype(float)
            by_output = [outputs[:, :, k] for k in range(outputs.shape[2])]
            found = [concordance(values) for values in by_output]
            left_out = [concordance(values, counted=out_of_bag) for values in by_output]
            return cls(
                n_rows=n_rows,
                everywhere=_mean(found) or 0.0,
                out_of_bag=_mean(left_out),
                kappa=None,
            )
        number_of_label: dict[Any, int] = {}
        codes = np.array(
            [
                [
                    number_of_label.setdefault(_hashable(label), len(number_of_label))
                    for label in each.tolist()
                ]
                for each in predictions
            ]
        )
        return cls(
            n_rows=n_rows,
            everywhere=share_alike(codes) or 0.0,
            out_of_bag=share_alike(codes, counted=out_of_bag),
            kappa=fleiss_kappa(codes),
        )


def _hashable(label: Any) -> Any:
    return tuple(label) if isinstance(label, list) else label


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _describe(name: str, tree: Tree, trees: list[Tree], alike: _Agreement) -> Stability:
    diffs = [tree.diff(each) for each in trees]
    asked = [_Asked.by(each) for each in trees]
    whole = _Asked.by(tree)
    roots = Counter(column for each in asked for column in each.root)
    uses = Counter(column for each in asked for column in each.everywhere)
    columns = [
        ColumnUse(
            column=column,
            trees=uses[column] / len(trees),
            roots=roots[column] / len(trees),
            is_in_tree=column in whole.everywhere,
            is_root=column in whole.root,
        )
        for column in tree.schema.names
        if column in uses or column in whole.everywhere
    ]
    n_levels = max(len(each.levels) for each in asked)
    return Stability(
        name=name,
        tree=tree,
        n_bootstraps=len(trees),
        n_rows=alike.n_rows,
        agreement=alike.everywhere,
        agreement_out_of_bag=alike.out_of_bag,
        kappa=alike.kappa,
        same_root_column=float(np.mean([each.root == whole.root for each in asked])),
        same_root_question=float(np.mean([_is_root_kept(each) for each in diffs])),
        level_agreement=tuple(overlap(_shares(asked, level)) for level in range(n_levels)),
        similarity=Spread.of([each.similarity for each in diffs], 1.0),
        leaves=Spread.of([each.n_leaves for each in trees], tree.n_leaves),
        depth=Spread.of([each.depth for each in trees], tree.depth),
        columns=tuple(sorted(columns, key=lambda each: (-each.trees, -each.roots))),
    )


def _is_root_kept(diff: TreeDiff) -> bool:
    harmless = ("missing", "label", "value")
    return all(each.first_node > 0 or each.change in harmless for each in diff.differences)


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """The columns that a tree asks: at its root, anywhere, and level by level.

    Levels hold the share of the training weight that each column (or linear combination) is asked
    of.
    """

    root: frozenset[str]
    everywhere: frozenset[str]
    levels: list[dict[str, float]]

    @classmethod
    def by(cls, tree: Tree) -> _Asked:
        arrays, names = tree.arrays, tree.schema.names
        used = {*arrays.column[arrays.column >= 0].tolist(), *arrays.term_column.tolist()}
        share = arrays.weight / arrays.weight[0]
        levels: list[dict[str, float]] = [{} for _ in range(min(tree.depth, _MOST_LEVELS))]
        for node in np.flatnonzero(tree.levels < len(levels)).tolist():
            question = tree.question(node)
            if question is not None:
                asked = " + ".join(names[index] for index in columns_of(question))
                level = levels[tree.levels[node]]
                level[asked] = level.get(asked, 0.0) + float(share[node])
        root = tree.question(0)
        at_root = () if root is None else columns_of(root)
        return cls(
            root=frozenset(names[index] for index in at_root),
            everywhere=frozenset(names[index] for index in used),
            levels=levels,
        )


def _shares(asked: list[_Asked], level: int) -> FloatArray:
    """Return a line per tree: the share of rows that are asked each column at one level."""
    found = [each.levels[level] if level < len(each.levels) else {} for each in asked]
    names = list(dict.fromkeys(name for each in found for name in each))
    return np.array([[each.get(name, 0.0) for name in names] for each in found])


def _generator(random_state: object) -> np.random.Generator:
    if isinstance(random_state, np.random.Generator):
        return random_state
    if _is_whole(random_state) and int(random_state) >= 0:  # type: ignore[call-overload]
        return np.random.default_rng(random_state)  # type: ignore[arg-type]
    raise ParameterError(
        f"random_state={random_state!r} must be a whole number, 0 or more, or a NumPy generator."
    )


def _is_whole(number: object) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def _check_estimator(estimator: Any) -> None:
    is_instance = hasattr(estimator, "get_params") and not isinstance(estimator, type)
    if not is_instance or not has_fit_parameter(estimator, "sample_weight"):
        raise ParameterError(
            f"estimator={estimator!r} is no estimator that can be fitted with sample_weight.\n"
            "  Hint: C45Classifier(), not its class and not its tree."
        )


def _tree_of(fitted: Any) -> Tree:
    tree = getattr(fitted, "tree_", None)
    if not isinstance(tree, Tree):
        raise ParameterError(
            f"{type(fitted).__name__} has no treewright.Tree as its tree_ after fit.\n"
            "  Hint: stability looks at single trees, such as those of C45Classifier."
        )
    return tree
