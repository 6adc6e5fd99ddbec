"""What a picture needs of a tree: every node's figures, its texts, and which nodes are open.

Layouts read a sketch and never the tree: they only place what it says.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treewright.chart.colours import MOST_CLASS_HUES
from treewright.chart.words import NARROW_SPACE, clean, count, grouped, percent
from treewright.criteria import GRADIENTS
from treewright.draw.answers import Answer, answers_of
from treewright.draw.values import label_text, measure_text
from treewright.text.numbers import figure
from treewright.tree.leaf import by_output
from treewright.tree.node_text import power_of_sd

if TYPE_CHECKING:
    from treewright.array_types import BoolArray, FloatArray, Int64Array
    from treewright.draw.row_path import RowPath
    from treewright.draw.training_rows import TrainingRows
    from treewright.tree.tree import Tree

_MOST_CLASSES_TOLD = 20


@dataclass(frozen=True, kw_only=True, eq=False)
class Sketch:
    """A tree as it is drawn.

    Parameters
    ----------
    tree
        The tree.
    rows
        The training rows of its nodes; None where it no longer has them.
    is_open
        Whether the children of each node are drawn.
    path
        The path of one row, drawn strong.
    unit
        What a row is called, in the plural.
    """

    tree: Tree
    rows: TrainingRows | None
    is_open: BoolArray
    path: RowPath | None = None
    unit: str = "rows"

    # Shape

    @cached_property
    def all_children(self) -> list[range]:
        """The children of every node."""
        first, n_branches = self.tree.arrays.first_child, self.tree.arrays.n_branches
        pairs = zip(first.tolist(), n_branches.tolist(), strict=True)
        return [range(start, start + n) for start, n in pairs]

    @cached_property
    def children(self) -> list[range]:
        """The children of every node that are drawn."""
        opened = self.is_open.tolist()
        pairs = zip(self.all_children, opened, strict=True)
        return [found if is_open else range(0) for found, is_open in pairs]

    @cached_property
    def shown(self) -> list[int]:
        """The nodes that are drawn, as they are read: branch by branch."""
        order, pending = [], [0]
        while pending:
            node = pending.pop()
            order.append(node)
            pending.extend(reversed(self.children[node]))
        return order

    @cached_property
    def ends(self) -> list[int]:
        """The nodes that are drawn without children: leaves, and closed nodes."""
        return [node for node in self.shown if not self.children[node]]

    @cached_property
    def levels(self) -> list[int]:
        """The level of every node; the root is at 0."""
        return list(self.tree.levels.tolist())

    @cached_property
    def depth(self) -> int:
        """The deepest level that is drawn."""
        return max(self.levels[node] for node in self.ends)

    @cached_property
    def n_leaves_below(self) -> Int64Array:
        """How many leaves of the tree each node stands for."""
        arrays = self.tree.arrays
        below = (arrays.n_branches == 0).astype(np.int64)
        parent, counted = arrays.parent.tolist(), below.tolist()
        for node in range(len(counted) - 1, 0, -1):
            counted[parent[node]] += counted[node]
        return np.array(counted, dtype=np.int64)

    def is_leaf(self, node: int) -> bool:
        """Return whether a node is a leaf of the tree."""
        return not self.all_children[node]

    def is_closed(self, node: int) -> bool:
        """Return whether a node has children that are not drawn."""
        return bool(self.all_children[node]) and not self.children[node]

    def to_depth(self, depth: int) -> Sketch:
        """Return the sketch closed below a level."""
        return replace(self, is_open=self.is_open & (self.tree.levels < depth))

    def to_leaves(self, n_ends: int) -> Sketch:
        """Return the sketch closed but for at most so many ends: the nodes with most rows are open.

        Nodes on the path of the row are opened before all others.
        """
        if len(self.ends) <= n_ends:
            return self
        on_path = set() if self.path is None else self.path.nodes
        opened = np.zeros(self.tree.n_nodes, dtype=bool)

        def place(node: int) -> tuple[bool, float, int]:
            return node not in on_path, -self.amounts[node], node

        n_shown, pending = 1, [place(0)]
        while pending:
            *_, node = heapq.heappop(pending)
            added = len(self.children[node]) - 1
            if added < 0 or n_shown + added > n_ends:
                continue
            opened[node] = True
            n_shown += added
            for child in self.children[node]:
                heapq.heappush(pending, place(child))
        return replace(self, is_open=opened)

    def until(self, fits: Callable[[Sketch], bool]) -> Sketch:
        """Return the sketch closed from the deepest level up until it fits."""
        found = self
        while not fits(found) and found.depth > 0:
            found = found.to_depth(found.depth - 1)
        return found

    # Figures

    @property
    def has_rows(self) -> bool:
        """Whether nodes have counts; a tree written by hand has none."""
        return self.tree.has_rows

    @cached_property
    def is_weighted(self) -> bool:
        """Whether the weight of rows is told instead of their number."""
        arrays = self.tree.arrays
        if self.tree.criterion == GRADIENTS:  # their weight is a hessian
            return False
        return not np.array_equal(arrays.n_rows, arrays.weight)

    @cached_property
    def amounts(self) -> list[float]:
        """The rows of every node, or their weight; leaves below, where the tree has no rows."""
        if not self.has_rows:
            return list(map(float, self.n_leaves_below.tolist()))
        arrays = self.tree.arrays
        return list((arrays.weight if self.is_weighted else arrays.n_rows).tolist())

    def share_of_rows(self, node: int) -> float:
        """Return the share of all rows that a node has; 0 for a tree without rows."""
        whole = self.amounts[0]
        return self.amounts[node] / whole if self.has_rows and whole > 0 else 0.0

    @cached_property
    def class_names(self) -> list[str]:
        """The classes as they are written; none for numbers and for several targets."""
        classes = self.tree.classes
        if classes is None or len(classes) > 1:
            return []
        return list(map(label_text, classes[0].tolist()))

    @property
    def has_hues(self) -> bool:
        """Whether classes have colours of their own."""
        return 0 < len(self.class_names) <= MOST_CLASS_HUES

    @property
    def is_numeric(self) -> bool:
        """Whether the tree predicts one number."""
        return self.tree.classes is None and self.tree.n_outputs == 1

    @cached_property
    def counts(self) -> FloatArray | None:
        """The weight of each class in each node; None without classes or rows."""
        arrays = self.tree.arrays
        if not self.class_names or not self.has_rows:
            return None
        return np.where(arrays.weight[:, np.newaxis] > 0, arrays.value, 0.0)

    @cached_property
    def shares(self) -> list[list[float]]:
        """The share of each class in each node; 0 everywhere in a node without rows."""
        if self.counts is None:
            return []
        total = self.counts.sum(axis=1, keepdims=True)
        shares = np.divide(self.counts, total, out=np.zeros_like(self.counts), where=total > 0)
        return list(shares.tolist())

    @cached_property
    def main_classes(self) -> list[int]:
        """The class that each node predicts, as a position."""
        assert self.tree.classes is not None
        answers = by_output(self.tree.answers, self.tree.classes)[0]
        return list(self.tree.leaf.choose(answers).tolist())

    def main_share(self, node: int) -> float:
        """Return the share of the class that a node predicts."""
        return self.shares[node][self.main_classes[node]] if self.shares else 0.0

    @cached_property
    def means(self) -> list[float]:
        """What each node predicts, of a tree of numbers."""
        return list(self.tree.answers[:, 0].tolist())

    @cached_property
    def spreads(self) -> list[float] | None:
        """The standard deviation in each node; None where it is not known."""
        power = None if self.tree.criterion == GRADIENTS else power_of_sd(self.tree.criterion)
        if power is None or not self.has_rows:
            return None
        return list((np.maximum(self.tree.arrays.impurity, 0.0) ** (1 / power)).tolist())

    # Texts

    @cached_property
    def _decimals(self) -> int | None:
        """Decimals of means and spreads: three digits of the range of leaves; None: as needed."""
        leaves = self.tree.arrays.n_branches == 0
        means = np.array(self.means)[leaves]
        spread = float(np.ptp(means[np.isfinite(means)])) if np.isfinite(means).any() else 0.0
        if not 1e-4 < spread < 1e7 or np.abs(means).max() >= 1e7:
            return None
        return max(0, 2 - math.floor(math.log10(spread)))

    def measure_text(self, value: float) -> str:
        """Return a mean or spread, with the same decimals in all nodes."""
        if self._decimals is None or not math.isfinite(value):
            return measure_text(value)
        text = f"{value:.{self._decimals}f}"
        return grouped(text if float(text) else text.removeprefix("-"))

    def count_text(self, node: int, *, unit: bool = True) -> str:
        """Return how many rows a node has, with the unit or without."""
        if not self.has_rows:
            return ""
        amount = self.amounts[node]
        if self.is_weighted:
            short = f"{amount:,.{self._weight_decimals}f}" if amount < 1e6 else count(amount)
            return f"weight {short}" if unit else short
        if not unit:
            return count(amount)
        name = self.unit.removesuffix("s") if amount == 1 else self.unit
        return f"{count(amount)} {name}"

    @cached_property
    def _weight_decimals(self) -> int:
        weight = self.tree.arrays.weight
        return 0 if np.array_equal(weight, np.round(weight)) else 1

    def asked(self, node: int) -> str:
        """Return the column that a node asks about."""
        question = self.tree.question(node)
        return "" if question is None else clean(question.column.name)

    def label(self, node: int) -> str:
        """Return what a node predicts."""
        model = None if self.tree.linear is None else self.tree.linear.model(node)
        if model is not None:
            n_terms = len(model.terms)
            return f"linear, {n_terms} {'term' if n_terms == 1 else 'terms'}"
        if self.is_numeric:
            return self.measure_text(self.means[node])
        return label_text(self.tree.label(node))

    def headline(self, node: int) -> str:
        """Return the first line of a node: its column, its label, or what is closed below it."""
        if self.is_closed(node):
            return f"► {self.n_leaves_below[node]:,} leaves"
        return self.label(node) if self.is_leaf(node) else self.asked(node)

    def share_text(self, node: int) -> str:
        """Return the figure at the right of a node: the main class's share, or mean and spread."""
        if not self.has_rows:
            return ""
        if self.shares:
            return percent(self.main_share(node)) if self.amounts[node] > 0 else ""
        if not self.is_numeric:
            return ""
        plus_minus = "" if self.spreads is None else f"± {self.measure_text(self.spreads[node])}"
        if self.is_leaf(node):
            return plus_minus
        return f"{self.measure_text(self.means[node])} {plus_minus}".strip()

    @cached_property
    def _answers(self) -> dict[int, list[Answer]]:
        return {}

    def answer(self, node: int) -> Answer:
        """Return the answer that leads to a node."""
        parent = int(self.tree.arrays.parent[node])
        found = self._answers.get(parent)
        if found is None:
            question = self.tree.question(parent)
            assert question is not None  # it has a child
            found = self._answers[parent] = answers_of(question, parent, self.rows)
        return found[node - self.all_children[parent].start]

    def tooltip(self, node: int) -> str:
        """Return what is read of a node, and shown on hovering: exact, and with all counts."""
        said = [self.answer(node).full if node else f"all {self.unit}"]
        said.append(self.outcome(node))
        if not self.is_leaf(node):
            said.append(f"asks {self.asked(node)}, gain {figure(self.tree.arrays.gain[node])}")
        if self.counts is not None:
            said.append(self._class_counts(node))
        said.append(f"impurity {figure(self.tree.arrays.impurity[node])}; node {node}")
        return "\n".join(part for part in said if part)

    def outcome(self, node: int) -> str:
        """Return what a node predicts for how many rows, as a phrase."""
        label = self.label(node)
        share = self.share_text(node).replace(NARROW_SPACE + "%", " percent")
        n_rows = self.count_text(node)
        if not n_rows:
            return label
        if self.shares:
            return f"{label}, {share} of {n_rows}" if share else f"{label}, {n_rows}"
        return f"{label} {share}".strip() + f", {n_rows}"

    def _class_counts(self, node: int) -> str:
        assert self.counts is not None
        counted = self.counts[node]
        order = np.argsort(-counted, kind="stable") if len(counted) > 10 else range(len(counted))
        told = [
            f"{self.class_names[k]} {count(counted[k], exact=True)}" for k in order if counted[k]
        ]
        rest = len(told) - _MOST_CLASSES_TOLD
        return ", ".join(told[:_MOST_CLASSES_TOLD]) + (f" and {rest} more" if rest > 0 else "")


def sketch_of(
    tree: Tree,
    rows: TrainingRows | None,
    *,
    max_depth: int | None = None,
    path: RowPath | None = None,
    unit: str = "rows",
) -> Sketch:
    """Return a sketch with everything open, or open down to a level."""
    opened = tree.arrays.n_branches > 0
    if max_depth is not None:
        opened = opened & (tree.levels < max_depth)
    return Sketch(tree=tree, rows=rows, is_open=opened, path=path, unit=unit)
