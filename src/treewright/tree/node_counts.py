"""The training rows of one node in figures: its class counts, or the mean and spread of a number.

Examples
--------
>>> from treewright import ID3Classifier, load_example
>>> play = load_example("play_tennis")
>>> tree = ID3Classifier().fit(play.X, play.y).tree_
>>> tree.counts(0)
NodeCounts(node=0, n_rows=14, classes={'No': 5.0, 'Yes': 9.0})
>>> print(tree.counts(0))
node 0: 14 rows
  No   5  35.7 %
  Yes  9  64.3 %
>>> tree.counts(0).majority
'Yes'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treewright.text.numbers import figure, figures, percent
from treewright.text.table import TextColumn, lay_out
from treewright.tree.leaf import by_output
from treewright.tree.node_text import label_in_words, power_of_sd

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True, repr=False)
class NodeCounts:
    """The training rows of a node; ``print`` it.

    Parameters
    ----------
    node
        The node.
    n_rows, weight
        Its training rows, and their weight.
    impurity
        Its impurity, as the criterion of the tree measures it.
    classes
        The weight of each class, in the order of the tree's classes; empty for numbers.
    mean, sd
        What it predicts (a median under ``absolute_error``), and the standard deviation of its
        rows; None for classes. `sd` is None, too, where the criterion does not measure it.
    """

    node: int
    n_rows: int
    weight: float
    impurity: float
    classes: Mapping[Any, float]
    mean: float | None = None
    sd: float | None = None

    @property
    def majority(self) -> Any:
        """The class of largest weight, the first of equals; None for numbers and without rows."""
        if not self.classes or max(self.classes.values()) <= 0:
            return None
        return max(self.classes, key=lambda label: self.classes[label])

    def __repr__(self) -> str:
        if self.mean is None:
            told = f"classes={dict(self.classes)!r}"
        else:
            told = f"mean={self.mean!r}, sd={self.sd!r}"
        return f"NodeCounts(node={self.node}, n_rows={self.n_rows}, {told})"

    def __str__(self) -> str:
        rows = "1 row" if self.n_rows == 1 else f"{self.n_rows} rows"
        weight = "" if self.weight == self.n_rows else f" of weight {figure(self.weight)}"
        heading = f"node {self.node}: {rows}{weight}"
        if self.mean is not None:
            spread = "" if self.sd is None else f", sd {figure(self.sd)}"
            return f"{heading}, mean {figure(self.mean)}{spread}"
        total = sum(self.classes.values())
        shares = [count / total if total > 0 else 0.0 for count in self.classes.values()]
        lines = lay_out(
            [
                TextColumn("", list(map(label_in_words, self.classes))),
                TextColumn("", figures(self.classes.values()), right=True),
                TextColumn("", list(map(percent, shares)), right=True),
            ]
        )
        return "\n  ".join([heading, *lines.split("\n")[1:]])


def node_counts(tree: Tree, node: int, *, output: int = 0) -> NodeCounts:
    """Return the training rows of a node in figures."""
    arrays = tree.arrays
    # The weights of a tree without rows are equal parts for its branches: nobody is counted.
    weight, impurity = float(arrays.weight[node]) * tree.has_rows, float(arrays.impurity[node])
    classes: dict[Any, float] = {}
    mean = sd = None
    if tree.classes is None:
        mean = float(arrays.value[node, output])
        power = power_of_sd(tree.criterion)
        if power is not None and tree.n_outputs == 1:
            sd = float(max(impurity, 0.0) ** (1 / power))
    else:
        # A leaf without rows may have the class of its parent as its value: nobody is counted.
        counted = arrays.value[[node]] * (weight > 0)
        counts = by_output(counted, tree.classes)[output][0].tolist()
        classes = dict(zip(tree.classes[output].tolist(), counts, strict=True))
    return NodeCounts(
        node=int(node),
        n_rows=int(arrays.n_rows[node]),
        weight=weight,
        impurity=impurity,
        classes=classes,
        mean=mean,
        sd=sd,
    )
