"""The record of pruning: the nodes cut, why, and the curve of size against error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treewright.parameters import check_count
from treewright.prune.bottom_up import below
from treewright.text.notebook import ShownInNotebooks, text_html
from treewright.text.numbers import figure, figures
from treewright.text.table import TextColumn, lay_out

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int64Array
    from treewright.chart import Chart
    from treewright.tree.tree import Tree

_MAX_STEPS = 20


@dataclass(frozen=True, kw_only=True)
class PruningStep:
    """One change of a tree by pruning.

    Parameters
    ----------
    node
        The node of the tree before pruning.
    action
        ``"leaf"``: it became a leaf. ``"raised"``: its largest branch took its place.
        ``"merged"``: branches of it that are leaves of one class became one.
    before, after
        The figures that the method compared: of the subtree, and of its replacement.
    n_leaves
        Number of leaves of the whole tree afterwards.
    """

    node: int
    action: str
    before: float
    after: float
    n_leaves: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve(ShownInNotebooks):
    """Size against error, from the grown tree to the pruned one.

    Parameters
    ----------
    n_leaves
        Number of leaves after 0, 1, 2, ... steps.
    errors
        For each set of rows (``"train"``, ``"validation"``, ``"test"``) the error rate (or mean
        cost, or mean squared error) at these sizes; NaN where it was not followed.
    """

    n_leaves: Int64Array
    errors: Mapping[str, FloatArray]

    def __str__(self) -> str:
        return self.text()

    def text(self, *, max_lines: int = _MAX_STEPS) -> str:
        """Return the text of the curve; a long one at evenly spaced sizes."""
        check_count("max_lines", max_lines, least=1)
        n_points = len(self.n_leaves)
        places = np.linspace(0, n_points - 1, min(max_lines, n_points))
        chosen = np.unique(places.round().astype(int))
        columns = [
            TextColumn("leaves", [str(n) for n in self.n_leaves[chosen].tolist()], right=True)
        ]
        for name, errors in self.errors.items():
            shown = [None if np.isnan(error) else error for error in errors[chosen].tolist()]
            columns.append(TextColumn(name, figures(shown), right=True))
        return lay_out(columns)


@dataclass(frozen=True, kw_only=True, eq=False)
class Pruning(ShownInNotebooks):
    """The record of one pruning.

    Parameters
    ----------
    method
        Name of the pruner.
    compared
        Text of what ``before`` and ``after`` of the steps are.
    node, raised, before, after
        The steps, in the order they were taken.
    tree
        The tree before pruning.
    risks
        For each set of rows, what each node would cost as a leaf.
    totals
        For each set of rows its weight.
    action
        What was done where no branch was raised.
    followed, source
        Where branches were raised or merged: the curve, which then does not follow from the nodes
        that became leaves, and the original node of each node of the pruned tree.
    """

    method: str
    compared: str
    node: Int64Array
    before: FloatArray
    after: FloatArray
    tree: Tree = field(repr=False)
    risks: Mapping[str, FloatArray] = field(repr=False)
    totals: Mapping[str, float] = field(repr=False)
    raised: Sequence[bool] = ()
    action: str = "leaf"
    followed: Curve | None = field(default=None, repr=False)
    source: Int64Array | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.node)

    @property
    def steps(self) -> list[PruningStep]:
        """Every change, in order."""
        sizes = self.curve.n_leaves[1:].tolist()
        raised = self.raised or [False] * len(self)
        return [
            PruningStep(
                node=node,
                action="raised" if is_raised else self.action,
                before=before,
                after=after,
                n_leaves=n_leaves,
            )
            for node, is_raised, before, after, n_leaves in zip(
                self.node.tolist(),
                raised,
                self.before.tolist(),
                self.after.tolist(),
                sizes,
                strict=True,
            )
        ]

    @cached_property
    def curve(self) -> Curve:
        """Size against error after each step; see :class:`Curve`."""
        if self.followed is not None:
            return self.followed
        return curve_of(self.tree, self.node, self.risks, self.totals)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return super()._repr_html_() if len(self) else text_html(str(self))

    def draw(self) -> Chart:
        """Return a picture of the curve: error by the number of leaves, with the size chosen."""
        from treewright.prune.curve_chart import pruning_chart

        return pruning_chart(self)

    def text(self, *, max_steps: int = _MAX_STEPS) -> str:
        """Return the text of the steps, the first ones first."""
        n_after = self.curve.n_leaves[-1]
        heading = f"{self.method}: {self.tree.n_leaves} leaves -> {n_after}"
        if not len(self):
            return f"{heading} (nothing was cut)"
        shown = self.steps[:max_steps]
        columns = [
            TextColumn("node", [str(step.node) for step in shown], right=True),
            TextColumn("asked", [_asked(self.tree, step.node) for step in shown]),
            TextColumn("became", [_became(self.tree, step) for step in shown]),
            TextColumn("before", figures([step.before for step in shown]), right=True),
            TextColumn("after", figures([step.after for step in shown]), right=True),
            TextColumn("leaves", [str(step.n_leaves) for step in shown], right=True),
        ]
        lines = [heading, f"before and after: {self.compared}", "", lay_out(columns)]
        if len(self) > max_steps:
            lines.append(f"… and {len(self) - max_steps} more steps")
        return "\n".join(lines)


def _asked(tree: Tree, node: int) -> str:
    question = tree.question(node)
    return "" if question is None else question.column.name


def _became(tree: Tree, step: PruningStep) -> str:
    if step.action == "raised":
        return "its largest branch"
    if step.action == "merged":
        return "a question of fewer branches"
    label = tree.label(node=step.node)
    return figure(label) if tree.classes is None and isinstance(label, float) else str(label)


def curve_of(
    tree: Tree, cut: Int64Array, risks: Mapping[str, FloatArray], totals: Mapping[str, float]
) -> Curve:
    """Return the curve of making nodes leaves one after the other, for every set of rows.

    No node is cut after one of its ancestors.
    """
    at_leaves = tree.arrays.n_branches == 0
    sizes = tree.n_leaves + _from_zero(
        changes_by_cuts(tree, cut, at_leaves.astype(np.float64), 1.0)
    )
    errors = {}
    for name, risk in risks.items():
        costs = float(risk[at_leaves].sum()) + _from_zero(changes_by_cuts(tree, cut, risk, risk))
        with np.errstate(over="ignore"):  # the mean square of extreme numbers overflows
            errors[name] = costs / totals[name]
    return Curve(n_leaves=sizes.astype(np.int64), errors=errors)


def changes_by_cuts(
    tree: Tree, cut: Int64Array, at_leaves: FloatArray, instead: FloatArray | float
) -> FloatArray:
    """Return by how much each cut changes a sum over the leaves.

    Nodes below a node are cut before it, so the change it makes does not depend on the
    order among them, and one pass from the bottom finds all changes.

    Parameters
    ----------
    tree
        The tree before pruning.
    cut
        The nodes that become leaves, none after one of its ancestors.
    at_leaves
        Value of each leaf in the sum.
    instead
        Value of each node once it is a leaf.
    """
    is_cut = np.zeros(tree.n_nodes, dtype=bool)
    is_cut[cut] = True
    ends = is_cut | (tree.arrays.n_branches == 0)
    own = np.where(ends, np.where(is_cut, instead, at_leaves), 0.0)
    lost: FloatArray = own[cut] - below(tree, own, stops=is_cut)[cut]
    return lost


def _from_zero(changes: FloatArray) -> FloatArray:
    """Return the cumulative sum of changes, with 0 before the first."""
    return np.append(0.0, np.cumsum(changes))
