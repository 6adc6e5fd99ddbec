"""Out-of-bag predictions of a forest, and their error.

A row that was not drawn for a tree is *out of bag* there. Each row is predicted by the trees for
which it is out of bag, which gives an honest estimate of the forest's error on new rows (Breiman
2001, "Random forests", section 3.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from treewright.array_types import Array, BoolArray, FloatArray, Int64Array, UInt32Array
from treewright.core import Target as CoreTarget
from treewright.core import add_out_of_bag
from treewright.data.read.groups import RowGroups
from treewright.data.read.target import ClassTarget, ValueTarget
from treewright.ensemble.ensemble import Ensemble, votes
from treewright.errors import ParameterError
from treewright.forest.packed import PackedTrees
from treewright.forest.problem import ForestProblem
from treewright.measures import wilson_interval
from treewright.text.notebook import ShownInNotebooks
from treewright.text.numbers import figure, percent
from treewright.tree.leaf import LeafRule, by_output, decide
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.chart import Chart

Target = ClassTarget | ValueTarget


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OutOfBag(ShownInNotebooks):
    """Predictions for the training rows, each by the trees for which the row is out of bag.

    The error is the share of the rows misclassified (in any output), or the mean squared error
    (over all outputs). Rows count by their weights, without ``class_weight``. A row of weight 2
    that was drawn once is in the bag, but of two copies of it only one is: this is the one place
    where weights and copies differ.

    Attributes
    ----------
    answers : array of shape (rows, width)
        Class probabilities or shares of votes (outputs side by side), or predicted numbers; NaN
        for rows that are out of bag for no tree.
    n_trees : array of shape (rows,)
        Number of trees for which each row is out of bag.
    losses : array of shape (rows,)
        1 for a misclassified row, 0 for a row classified correctly; or the squared error. NaN for
        rows that are out of bag for no tree.
    weight : array of shape (rows,) or None
        Weight of each row; None if all are equal.
    tree_errors : array of shape (trees,)
        Error of each tree alone on its out-of-bag rows; NaN if it has none.
    curve : array of shape (trees,)
        Error of the first tree, the first two, and so on, on the rows that are out of bag for any
        of them.
    score : float
        Accuracy, or the coefficient of determination R² (mean over outputs).
    classes : tuple of arrays, or None
        The classes of each output.
    leaf : LeafRule
        How probabilities become a class.
    groups : RowGroups, optional
        The groups that trees have drawn, where they drew whole groups.
    """

    answers: FloatArray
    n_trees: UInt32Array
    losses: FloatArray
    weight: FloatArray | None
    tree_errors: FloatArray
    curve: FloatArray
    score: float
    classes: tuple[Array, ...] | None
    leaf: LeafRule
    groups: RowGroups | None = None

    @property
    def known(self) -> BoolArray:
        """Whether each row is out of bag for any tree, and so has a prediction."""
        return self.n_trees > 0

    @property
    def error(self) -> float:
        """The error of the whole forest: the last value of the curve."""
        return float(self.curve[-1])

    @property
    def predictions(self) -> Array:
        """Classes or numbers predicted for the rows that are `known`, in their order."""
        return decide(self.answers[self.known], self.classes, self.leaf)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return a confidence interval, of confidence `level`, for the error on new rows.

        Wilson's interval of a share (1927); for numbers the normal interval of a mean. With
        weights, the number of rows is Kish's effective sample size (1965, section 8.2). Where rows
        belong to groups it is the number of independent rows whose mean would vary as much as that
        of the groups (Korn and Graubard 1998, *Survey Methodology* 24).

        >>> import treewright as tw
        >>> from sklearn.datasets import load_iris
        >>> forest = tw.RandomForestClassifier(random_state=0).fit(*load_iris(return_X_y=True))
        >>> low, high = forest.out_of_bag().interval()
        >>> 0 < low < forest.out_of_bag().error < high < 0.15
        True
        """
        counted = self.known if self.weight is None else self.known & (self.weight > 0)
        weight = np.ones(len(self.losses)) if self.weight is None else self.weight
        weight, losses = weight[counted], self.losses[counted]
        total = weight.sum()
        n_rows = 0.0 if total == 0 else float(total**2 / (weight**2).sum())
        by_group = np.nan
        if self.groups is not None and total > 0:
            groups = self.groups.take(np.flatnonzero(counted))
            by_group = groups.variance_of_mean(losses, weight)
        if self.classes is not None:
            share = 0.0 if total == 0 else float((weight * losses).sum() / total)
            if by_group == 0.0:  # all groups are alike: each counts as one
                n_rows = min(n_rows, groups.n_groups)
            elif by_group > 0.0:
                n_rows = min(n_rows, share * (1.0 - share) / by_group)
            n_wrong = n_rows * share
            low, high = wilson_interval(n_wrong, n_rows, level=level)
            return float(low), float(high)
        if isinstance(level, str) or not 0.0 < level < 1.0:
            raise ParameterError(f"level={level!r} must be between 0 and 1.")
        if n_rows <= 1:
            return 0.0, np.inf
        with np.errstate(over="ignore", invalid="ignore"):  # targets of extreme size
            mean = float((weight * losses).sum() / total)
            variance = float((weight * (losses - mean) ** 2).sum() / total) / (n_rows - 1)
            variance = by_group if by_group > variance else variance
        reach = float(ndtri(0.5 + level / 2)) * variance**0.5
        return max(mean - reach, 0.0), mean + reach

    def draw(self) -> Chart:
        """Return a picture: the error by the number of trees."""
        from treewright.forest.out_of_bag_chart import out_of_bag_chart

        return out_of_bag_chart(self)

    def __repr__(self) -> str:
        shown = figure if self.classes is None else percent
        low, high = self.interval()
        return (
            f"OutOfBag(error={shown(self.error)}, from {shown(low)} to {shown(high)},"
            f" {int(self.known.sum())} of {len(self.n_trees)} rows, {len(self.curve)} trees)"
        )


class OutOfBagTally:
    """Sums of out-of-bag predictions, to which trees are added one by one.

    Parameters
    ----------
    forest
        The problem of the forest.
    vote
        ``"soft"`` or ``"hard"``; None takes the forest's own.
    target
        What the predictions are compared with; None is the target the trees were grown on.
    """

    def __init__(
        self, forest: ForestProblem, *, vote: str | None = None, target: Target | None = None
    ) -> None:
        self.check(forest)
        assert forest.draws is not None
        assert forest.sampling is not None
        self._forest = forest
        self._sampling = forest.sampling
        self._vote = forest.vote if vote is None else vote
        self._target: Target = forest.problem.target if target is None else target
        self._weight = forest.draws.weight
        self._groups = forest.draws.groups
        n_rows = forest.problem.table.n_rows
        self._sums = np.zeros((n_rows, _width(self._target)))
        self._n_trees = np.zeros(n_rows, dtype=np.uint32)
        self._of_trees: list[FloatArray] = []
        self._of_forest: list[FloatArray] = []
        self._losses = np.full(n_rows, np.nan)  # of the trees so far, if added one by one
        self._leaf: LeafRule | None = None

    @staticmethod
    def check(forest: ForestProblem, wanted_by: str | None = None) -> None:
        """Refuse a forest whose trees draw every row; `wanted_by` names a parameter."""
        if forest.draws is None:
            opening = "" if wanted_by is None else f"{wanted_by} cannot be used here. "
            raise ParameterError(
                f"{opening}Out of bag estimation only available if bootstrap=True: every tree sees"
                " every row.\n  Hint: max_samples=0.7 without bootstrap leaves rows out as well."
            )

    def add(self, ensemble: Ensemble, first_tree: int = 0) -> None:
        """Add trees; `first_tree` is the number of the first of them in the forest."""
        self._leaf = ensemble.leaf
        trees = ensemble.trees
        by_majority = self._forest.problem.leaf.cost_matrix is None
        if isinstance(trees, PackedTrees) and by_majority and ensemble.leaf.cost_matrix is None:
            self._add_packed(trees, first_tree)
            return
        self._losses = self._current_losses()
        for number, tree in enumerate(ensemble, start=first_tree):
            self._add_tree(tree, number)

    def _add_packed(self, trees: PackedTrees, first_tree: int) -> None:
        of_trees, of_forest = add_out_of_bag(
            trees.core,
            self._forest.columns,
            _core_target(self._target),
            self._weight,
            self._sampling,
            first_tree,
            self._vote == "hard",
            self._forest.problem.options.n_threads,
            self._sums,
            self._n_trees,
        )
        self._of_trees.append(of_trees)
        self._of_forest.append(of_forest)

    def _add_tree(self, tree: Tree, number: int) -> None:
        rows = np.flatnonzero(self._sampling.left_out(number))
        own = np.zeros((1, 2))
        if len(rows):
            problem = self._forest.problem
            table = problem.table.take(rows)
            answers = tree.plan.answers(table, n_threads=problem.options.n_threads)
            own[0] = self._added_up(self._losses_of(answers, rows, tree.leaf), rows)
            if self._vote == "hard":
                answers = votes(answers, tree)
            self._sums[rows] += answers
            self._n_trees[rows] += 1
            self._losses[rows] = self._losses_of(self._means(rows), rows, self._decides)
        known = np.flatnonzero(self._n_trees)
        together = np.array([self._added_up(self._losses[known], known)])
        self._of_trees.append(own)
        self._of_forest.append(together)

    @property
    def _decides(self) -> LeafRule:
        assert self._leaf is not None, "no tree has been added"
        return self._leaf

    def _means(self, rows: Int64Array) -> FloatArray:
        means: FloatArray = self._sums[rows] / self._n_trees[rows, np.newaxis]
        return means

    def _losses_of(self, answers: FloatArray, rows: Array, decides: LeafRule) -> FloatArray:
        """Return the loss of each row: 1 for a wrong class in any output, or the squared error."""
        if isinstance(self._target, ClassTarget):
            parts = by_output(answers, self._target.classes)
            chosen = np.stack([decides.choose(part) for part in parts], axis=1)
            wrong = chosen != self._target.codes[rows].reshape(len(rows), -1)
            return np.asarray(wrong.any(axis=1), dtype=np.float64)
        values = self._target.values[rows].reshape(len(rows), -1)
        with np.errstate(over="ignore"):  # targets of extreme size
            squares: FloatArray = ((answers - values) ** 2).mean(axis=1)
        return squares

    def _added_up(self, losses: FloatArray, rows: Array) -> tuple[float, float]:
        """Return the weighted sum of the losses of rows, and the sum of their weights."""
        if self._weight is None:
            return float(losses.sum()), float(len(rows))
        weight = self._weight[rows]
        return float((losses * weight).sum()), float(weight.sum())

    def _current_losses(self) -> FloatArray:
        losses = np.full(len(self._n_trees), np.nan)
        known = np.flatnonzero(self._n_trees)
        if len(known):
            losses[known] = self._losses_of(self._means(known), known, self._decides)
        return losses

    @property
    def curve(self) -> FloatArray:
        """Error of the first tree, the first two, and so on."""
        return _shares(self._of_forest)

    def result(self) -> OutOfBag:
        """Return the out-of-bag result of the trees added so far."""
        answers = np.full(self._sums.shape, np.nan)
        known = np.flatnonzero(self._n_trees)
        answers[known] = self._means(known)
        curve = self.curve
        is_class = isinstance(self._target, ClassTarget)
        return OutOfBag(
            answers=answers,
            n_trees=self._n_trees.copy(),
            losses=self._current_losses(),
            weight=self._weight,
            tree_errors=_shares(self._of_trees),
            curve=curve,
            score=1.0 - float(curve[-1]) if is_class else self._determination(answers, known),
            classes=self._target.classes if isinstance(self._target, ClassTarget) else None,
            leaf=self._decides,
            groups=self._groups,
        )

    def _determination(self, answers: FloatArray, known: Int64Array) -> float:
        """Return R², the mean over outputs; 1 for a constant target predicted exactly, else 0."""
        assert isinstance(self._target, ValueTarget)
        shift = self._forest.problem.shift
        weight = np.ones(len(known)) if self._weight is None else self._weight[known]
        if not weight.any():
            return float("nan")
        values = np.ldexp(self._target.values[known].reshape(len(known), -1), -shift)
        apart = np.ldexp(answers[known], -shift) - values
        unexplained = weight @ apart**2
        spread = weight @ (values - np.average(values, axis=0, weights=weight)) ** 2
        flat = spread == 0
        shares = 1.0 - unexplained / np.where(flat, 1.0, spread)
        return float(np.where(flat, unexplained == 0, shares).mean())

    def scale(self) -> float:
        """Return the error of a constant: 1, or the variance of the target (mean over outputs).

        Errors in this unit are comparable between targets.
        """
        if isinstance(self._target, ClassTarget):
            return 1.0
        values = self._target.values.reshape(len(self._n_trees), -1)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = np.average(values, axis=0, weights=self._weight)
            variances = np.average((values - mean) ** 2, axis=0, weights=self._weight)
        return float(variances.mean())


def out_of_bag(forest: ForestProblem, ensemble: Ensemble) -> OutOfBag:
    """Return the out-of-bag predictions of an ensemble and their error."""
    tally = OutOfBagTally(forest)
    tally.add(ensemble)
    return tally.result()


def _shares(pairs: list[FloatArray]) -> FloatArray:
    """Divide losses by weights; NaN where there is no weight."""
    losses, weights = np.concatenate(pairs).T
    with np.errstate(invalid="ignore"):
        shares: FloatArray = np.where(weights > 0, losses / weights, np.nan)
    return shares


def _width(target: Target) -> int:
    if isinstance(target, ClassTarget):
        return sum(len(names) for names in target.classes)
    return 1 if target.single else int(target.values.shape[1])


def _core_target(target: Target) -> CoreTarget:
    if isinstance(target, ClassTarget):
        n_classes = [len(names) for names in target.classes]
        return CoreTarget.classes(np.ascontiguousarray(target.codes), n_classes)
    return CoreTarget.values(np.ascontiguousarray(target.values), 1)
