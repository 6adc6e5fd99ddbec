"""How the error depends on the size of a tree, and which size was chosen."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart import Axis, Chart, Line, Mark, Picture, Rule
from treewright.chart.words import percent
from treewright.errors import TreewrightError
from treewright.evaluate.curves.complexity_curve import complexity_curve
from treewright.prune.complexity_table import complexity_table
from treewright.prune.methods.cost_complexity import CostComplexity
from treewright.reporting.learners import n_groups_of, tree_of
from treewright.reporting.words import counted, signed
from treewright.text.numbers import figure

if TYPE_CHECKING:
    from treewright.evaluate.trial.task_data import TaskData
    from treewright.tree.tree import Tree

_FOLDS = 5
"""Of a curve that is made for the report alone."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SizeCurve:
    """Error by the number of leaves.

    Parameters
    ----------
    n_leaves
        Sizes, ascending.
    validated, standard_error, training
        Errors of rows held out with their standard error, and of the rows learned from.
    chosen
        Position of the size of the tree; None where it is none of these.
    measure, is_share
        What the errors are.
    caption
        How they were measured.
    is_choice
        Whether this curve chose the size.
    """

    n_leaves: FloatArray
    validated: FloatArray = field(repr=False)
    standard_error: FloatArray = field(repr=False)
    training: FloatArray = field(repr=False)
    chosen: int | None
    measure: str
    is_share: bool
    caption: str
    is_choice: bool

    @property
    def lowest(self) -> int:
        """Position of the lowest error of rows held out; of equals the smallest tree."""
        return int(np.argmin(self.validated))

    @property
    def limit(self) -> float:
        """The lowest error and its standard error."""
        return float(self.validated[self.lowest] + self.standard_error[self.lowest])

    @property
    def learns_noise(self) -> bool:
        """Whether the largest tree errs more than the best one by more than a standard error."""
        return bool(self.validated[-1] > self.limit)

    @property
    def about_most(self) -> str:
        """The size of the lowest error as one says it: 22 is about 20."""
        n_leaves = float(self.n_leaves[self.lowest])
        return f"{float(f'{n_leaves:.{1 if n_leaves >= 20 else 2}g}'):,.0f}"

    def text(self, value: float) -> str:
        """Return an error as it is written."""
        return percent(value, decimals=1) if self.is_share else signed(figure(value))

    def draw(self) -> Picture:
        """Return the curve as a picture."""
        spread = self.standard_error
        title = f"{self.measure[:1].upper()}{self.measure[1:]} by the number of leaves"
        if self.learns_noise:
            title = f"Beyond about {self.about_most} leaves the tree learns noise"
        return Chart(
            title=title,
            subtitle=f"{self.measure[:1].upper()}{self.measure[1:]} against the number of leaves"
            " (log scale)",
            caption=self.caption,
            x=Axis(scale="log", unit=("leaf", "leaves")),
            y=Axis(
                "" if self.is_share else self.measure,
                limits=(0, None),
                form="percent" if self.is_share else "number",
            ),
            marks=[
                Line(
                    self.n_leaves,
                    self.validated,
                    name="cross-validated",
                    note="± 1 SE",
                    low=self.validated - spread,
                    high=self.validated + spread,
                ),
                Line(self.n_leaves, self.training, role="training", name="training"),
                *self._marks(),
            ],
        )

    def _marks(self) -> list[Any]:
        lowest = self.lowest
        at = float(self.n_leaves[lowest]), float(self.validated[lowest])
        marks: list[Any] = []
        if self.chosen is not None:
            x, y = float(self.n_leaves[self.chosen]), float(self.validated[self.chosen])
            word = "chosen" if self.is_choice else "this tree"
            name = f"{word}: {counted(x, 'leaf', 'leaves')}, {self.text(y)}"
            if self.chosen == lowest:
                return [Mark(x, y, name=name, note="lowest")]
            note = "within 1 SE of the lowest" if y <= self.limit else ""
            if x != at[0]:
                marks.append(Rule(y=self.limit, span=(min(x, at[0]), max(x, at[0]))))
            marks.append(Mark(x, y, name=name, note=note))
        name = f"lowest: {counted(round(at[0]), 'leaf', 'leaves')}, {self.text(at[1])}"
        return [*marks, Mark(*at, kind="best", name=name)]


def size_curve(model: Any, data: TaskData, judged: TaskData, seed: int) -> SizeCurve | None:
    """Return the curve of a fitted tree; None where no parameter of its learner is a size.

    Parameters
    ----------
    model
        The fitted learner.
    data, judged
        All rows, and those that learners are judged on.
    seed
        Of the folds of a curve that is made for the report alone.
    """
    tree = tree_of(model)
    if tree is None:
        return None
    pruner = getattr(model, "prune", None)
    if isinstance(pruner, CostComplexity) and _chose_by_folds(pruner) and tree.pruning is not None:
        return _of_pruning(tree, pruner, data)
    return _of_leaves(model, tree, judged, seed)


def _chose_by_folds(pruner: CostComplexity) -> bool:
    return pruner.variant == "book" and pruner.on == "errors" and not pruner.has_penalty


def _of_pruning(tree: Tree, pruner: CostComplexity, data: TaskData) -> SizeCurve | None:
    """Return the curve that chose the size: the folds are the pruner's own."""
    whole = tree.pruning.tree if tree.pruning is not None else tree
    if not whole.has_record or whole.n_leaves == 1:
        return None
    found = complexity_table(
        whole, groups=data.groups, cv=pruner.cv, random_state=pruner.random_state
    )
    unit = float(found.path.risks[-1]) or 1.0
    leaves = found.path.n_leaves[::-1].astype(np.float64)
    errors = [found.cv_error * unit, found.cv_sd * unit, found.error * unit]
    measure, is_share = "error", tree.leaf is not None and tree.leaf.cost_matrix is None
    if tree.classes is None:
        measure, is_share = "RMSE", False
        validated = np.sqrt(np.maximum(errors[0], 0.0))
        spread = np.divide(
            errors[1], 2 * validated, out=np.zeros_like(validated), where=validated > 0
        )
        errors = [validated, spread, np.sqrt(np.maximum(errors[2], 0.0))]
    elif not is_share:
        measure = "mean cost"
    at = np.flatnonzero(leaves == tree.n_leaves)
    how = (
        f"{pruner.cv}-fold cross-validation of cost-complexity pruning, seed {pruner.random_state}"
    )
    return SizeCurve(
        n_leaves=leaves,
        validated=errors[0],
        standard_error=errors[1],
        training=errors[2],
        chosen=int(at[0]) if len(at) else None,
        measure=measure,
        is_share=is_share,
        caption=f"{how}; {counted(data.n_rows, 'row')}. Band: ± 1 standard error. These folds chose"
        " the size, so their figures are not those of section"
        " “How good it is”.",
        is_choice=True,
    )


def _of_leaves(model: Any, tree: Tree, judged: TaskData, seed: int) -> SizeCurve | None:
    """Return the curve of trees with fewer leaves than the one that was grown."""
    parameters = model.get_params(deep=False)
    if "max_leaf_nodes" not in parameters or parameters["max_leaf_nodes"] is not None:
        return None
    if tree.n_leaves < 3:
        return None
    sizes = np.unique(np.geomspace(2, tree.n_leaves, 12).round().astype(int)).tolist()
    try:
        found = complexity_curve(
            model,
            judged.X,
            judged.y_as_given,
            values=sizes,
            cv=min(_FOLDS, n_groups_of(judged) or judged.n_rows),
            sample_weight=judged.weights,
            groups=judged.groups,
            cost_matrix=judged.cost_matrix,
            random_state=seed,
        )
    except TreewrightError:  # a learner that does not stop at a number of leaves
        return None
    points = [each for each in found.by_size if each.measured.n_leaves]
    if len(points) < 2 or found.metric.higher_is_better:
        return None
    spread = np.array([each.measured.standard_error for each in points])
    leaves = np.array([each.measured.n_leaves or math.nan for each in points])
    return SizeCurve(
        n_leaves=leaves,
        validated=np.array([each.validated for each in points]),
        standard_error=np.where(np.isfinite(spread), spread, 0.0),
        training=np.array([each.training for each in points]),
        chosen=len(points) - 1,
        measure=found.metric.title,
        is_share=found.metric.is_share,
        caption=f"Best-first growth to a number of leaves; {found.method}, seed {seed};"
        f" {counted(found.n_rows, 'row')}. Band: ± 1 standard error. Leaves: mean over the folds.",
        is_choice=False,
    )
