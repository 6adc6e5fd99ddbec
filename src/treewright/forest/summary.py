"""The summary of a forest: its size, the columns it asks, its error and what that is made of.

A forest is accurate if its trees are accurate (*strength*) and err on different rows (low
*correlation*): Breiman 2001, "Random forests", Machine Learning 45, sections 2.2 and 11.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.array_types import Array, FloatArray
from treewright.data.read.target import ClassTarget
from treewright.ensemble.ensemble import Ensemble
from treewright.ensemble.shares_chart import shares_chart
from treewright.forest.out_of_bag import OutOfBag, OutOfBagTally, out_of_bag
from treewright.forest.problem import ForestProblem
from treewright.text.notebook import ShownInNotebooks
from treewright.text.numbers import figure, figures, percent
from treewright.text.table import TextColumn, lay_out

if TYPE_CHECKING:
    from treewright.chart import DotChart

_MOST_NAMED = 10


@dataclass(frozen=True, kw_only=True)
class Strength:
    """Strength and correlation of the trees of a forest, from their out-of-bag predictions.

    Attributes
    ----------
    strength : float or None
        Of a classifier, the mean margin: the share of votes for the right class less that for the
        strongest wrong one. None for regression.
    correlation : float
        Mean correlation between two trees of the noise in their margins (for regression: of their
        residuals), weighted by their standard deviations.
    bound : float
        Breiman's upper bound of the forest's error: (1 - s²) c / s²; for regression c times the
        mean error of a tree. NaN where the strength is not above 0, as the theorem needs it to be.
    """

    strength: float | None
    correlation: float
    bound: float

    @property
    def ratio(self) -> float | None:
        """Breiman's c/s2, correlation over squared strength: the smaller the better."""
        if self.strength is None:
            return None
        return self.correlation / self.strength**2 if self.strength else float("inf")


@dataclass(frozen=True, kw_only=True)
class Range:
    """The least, the median and the greatest of one figure per tree."""

    least: float
    median: float
    greatest: float

    @classmethod
    def of(cls, values: Array) -> Range:
        """Return the range of one value per tree."""
        return cls(
            least=float(values.min()),
            median=float(np.median(values)),
            greatest=float(values.max()),
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ForestSummary(ShownInNotebooks):
    """The summary of a forest; ``print`` it.

    Attributes
    ----------
    name : str
        The name of the estimator.
    n_trees : int
    vote : str
        How the predictions of the trees are combined.
    depth, leaves : Range
        Questions on the longest path, and leaves, over all trees.
    n_nodes, n_bytes : int
        Nodes of all trees, and the bytes they take.
    columns : tuple of (str, float)
        Each column that any tree asks and its share of all questions, in descending order.
    n_columns : int
        Columns of the table.
    out_of_bag : OutOfBag or None
        Out-of-bag predictions and error; None if every tree draws every row, or if the training
        data are not at hand.
    why_untold : str
        Why `out_of_bag` is None; empty if it is not.
    strength : Strength or None
        Strength and correlation of the trees; None where `out_of_bag` is None, where several class
        targets are predicted together and where there is one class only.
    """

    name: str
    n_trees: int
    vote: str
    depth: Range
    leaves: Range
    n_nodes: int
    n_bytes: int
    columns: tuple[tuple[str, float], ...]
    n_columns: int
    out_of_bag: OutOfBag | None
    why_untold: str
    strength: Strength | None

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def text(self, *, ascii: bool = False) -> str:
        """Return all figures as text."""
        what = f"{self.name}: {self.n_trees} tree{'' if self.n_trees == 1 else 's'}"
        if self.out_of_bag is not None:
            what += f" on {len(self.out_of_bag.n_trees):,} rows"
        parts = [what, self._sizes()]
        if self.out_of_bag is None:
            parts.append(f"out of bag: {self.why_untold}")
        else:
            parts.append(self._errors(self.out_of_bag, ascii))
        if self.columns:
            parts.append(self._uses(ascii))
        return "\n\n".join(parts)

    def draw(self) -> DotChart:
        """Return a picture: each column's share of all questions."""
        what = f"Share of all questions of {self.n_trees:,} trees"
        return shares_chart(self.columns, verb="is asked most", subtitle=what)

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as plain lists, strings and numbers."""
        told, trees = self.out_of_bag, self.strength
        return {
            "name": self.name,
            "n_trees": self.n_trees,
            "vote": self.vote,
            "depth": vars(self.depth).copy(),
            "leaves": vars(self.leaves).copy(),
            "n_nodes": self.n_nodes,
            "n_bytes": self.n_bytes,
            "columns": dict(self.columns),
            "n_columns": self.n_columns,
            "out_of_bag": told
            and {
                "error": told.error,
                "interval": list(told.interval()),
                "score": told.score,
                "tree_error": _mean(told.tree_errors),
                "curve": told.curve.tolist(),
            },
            "strength": trees and {**vars(trees), "ratio": trees.ratio},
        }

    def _sizes(self) -> str:
        ranges = {"depth": self.depth, "leaves": self.leaves}
        table = lay_out(
            [
                TextColumn("size of a tree", list(ranges)),
                *(
                    TextColumn(
                        header,
                        [figure(getattr(each, field)) for each in ranges.values()],
                        right=True,
                    )
                    for header, field in (
                        ("least", "least"),
                        ("median", "median"),
                        ("most", "greatest"),
                    )
                ),
            ]
        )
        per_node = self.n_bytes / self.n_nodes
        return (
            f"{table}\n{self.n_nodes:,} nodes in {_memory(self.n_bytes)}: {per_node:.0f} bytes each"
        )

    def _errors(self, told: OutOfBag, ascii: bool) -> str:
        is_class = told.classes is not None
        errors = [told.error, *told.interval(), _mean(told.tree_errors)]
        error, low, high, of_one = map(percent, errors) if is_class else figures(errors)
        rows = [
            ("error" if is_class else "mean squared error", error),
            ("  95 % interval", f"{low} to {high}"),
            ("  of one tree", of_one),
        ]
        if not is_class:
            rows.append(("R2" if ascii else "R²", f"{told.score:.3f}"))
        if self.strength is not None:
            if self.strength.strength is not None:
                rows.append(("strength of the trees (s)", f"{self.strength.strength:.3f}"))
            rows.append(("correlation of the trees (c)", f"{self.strength.correlation:.3f}"))
            if self.strength.ratio is not None:
                rows.append(("c/s2" if ascii else "c/s²", f"{self.strength.ratio:.3f}"))
        n_left = int((~told.known).sum())
        if n_left:
            rows.append(("rows that every tree has seen", f"{n_left:,}"))
        return lay_out(
            [
                TextColumn("out of bag", [words for words, _ in rows]),
                TextColumn("", [number for _, number in rows], right=True),
            ]
        )

    def _uses(self, ascii: bool) -> str:
        shown = self.columns[:_MOST_NAMED]
        table = lay_out(
            [
                TextColumn("column", [name for name, _ in shown]),
                TextColumn("share of questions", [percent(use) for _, use in shown], right=True),
            ]
        )
        if len(self.columns) > len(shown):
            table += f"\n{'...' if ascii else '…'} {len(self.columns) - len(shown)} more"
        n_unused = self.n_columns - len(self.columns)
        return f"{table}\nnever asked: {n_unused}" if n_unused else table


def summarise(name: str, ensemble: Ensemble, forest: ForestProblem | None = None) -> ForestSummary:
    """Return the summary of a forest; with the problem it was grown from, its error as well."""
    told = trees = None
    why_untold = ""
    if forest is None:
        why_untold = "the training data are not at hand; summary(X, y) tells more"
    elif forest.draws is None:
        why_untold = "every tree sees every row"
    else:
        told = out_of_bag(forest, ensemble)
        trees = strength_of(forest, ensemble, told)
    names = ensemble.schema.names
    questions = ensemble.trees.questions(len(names))
    most_first = np.argsort(-questions, kind="stable")
    total = max(int(questions.sum()), 1)
    n_nodes, leaves = ensemble.trees.n_nodes(), ensemble.trees.n_leaves()
    return ForestSummary(
        name=name,
        n_trees=len(ensemble),
        vote=ensemble.vote,
        depth=Range.of(ensemble.trees.depths()),
        leaves=Range.of(leaves),
        n_nodes=int(n_nodes.sum()),
        n_bytes=ensemble.trees.nbytes(),
        columns=tuple((names[i], int(questions[i]) / total) for i in most_first if questions[i]),
        n_columns=len(names),
        out_of_bag=told,
        why_untold=why_untold,
        strength=trees,
    )


def strength_of(forest: ForestProblem, ensemble: Ensemble, told: OutOfBag) -> Strength | None:
    """Return strength and correlation; None for several class targets, or one class only."""
    if not told.known.any():
        return None
    target = forest.problem.target
    if not isinstance(target, ClassTarget):
        return _strength_of_values(told)
    if len(target.classes) > 1 or len(target.classes[0]) < 2:
        return None
    return _strength_of_classes(forest, ensemble, target)


def _strength_of_values(told: OutOfBag) -> Strength:
    """Breiman 2001, theorem 11.2: the error of the forest is c (E sd)² <= c E sd².

    sd is the root of the mean squared error of a tree; c follows from the errors.
    """
    errors = told.tree_errors[np.isfinite(told.tree_errors)]
    mean_sd = float(np.sqrt(errors).mean()) if len(errors) else float("nan")
    correlation = told.error / mean_sd**2 if mean_sd else float("nan")
    bound = correlation * float(errors.mean()) if len(errors) else float("nan")
    return Strength(strength=None, correlation=correlation, bound=bound)


def _strength_of_classes(
    forest: ForestProblem, ensemble: Ensemble, target: ClassTarget
) -> Strength:
    """Breiman 2001, section 2.2 and appendix II: from the out-of-bag votes.

    Q(x, j) is the share of votes for class j among the trees for which x is out of bag, and j(x) is
    the wrong class with the most votes. Margins are Q(x, y) - Q(x, j(x)); the strength is their
    mean, and c = var(margin) / (mean over trees of sd)². Here sd² = p1 + p2 - (p1 - p2)² is the
    variance, on a tree's out-of-bag rows, of a variable that is 1 where the tree votes for y, -1
    where it votes for j(x) and else 0; p1 and p2 are the probabilities of the two votes.
    """
    votes = OutOfBagTally(forest, vote="hard")
    votes.add(ensemble)
    told = votes.result()
    rows = np.flatnonzero(told.known)
    right = target.codes.reshape(-1)[rows]
    shares = told.answers[rows]
    lines = np.arange(len(rows))
    for_right = shares[lines, right]
    shares[lines, right] = -1.0
    rival = shares.argmax(axis=1)
    margin = for_right - shares[lines, rival]
    weight = None if told.weight is None else told.weight[rows]
    if weight is not None and not weight.any():
        return Strength(strength=float("nan"), correlation=float("nan"), bound=float("nan"))
    strength = float(np.average(margin, weights=weight))
    variance = float(np.average((margin - strength) ** 2, weights=weight))

    rivals = target.codes.reshape(-1).copy()
    rivals[rows] = rival
    against = OutOfBagTally(forest, vote="hard", target=replace(target, codes=rivals))
    against.add(ensemble)
    p_right, p_rival = 1.0 - told.tree_errors, 1.0 - against.result().tree_errors
    sd = np.sqrt(np.maximum(p_right + p_rival - (p_right - p_rival) ** 2, 0.0))
    mean_sd = _mean(sd)
    correlation = variance / mean_sd**2 if mean_sd else float("nan")
    bound = correlation * (1 / strength**2 - 1) if strength > 0 else float("nan")
    return Strength(strength=strength, correlation=correlation, bound=bound)


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _memory(n_bytes: int) -> str:
    size, units = float(n_bytes), ["bytes", "kB", "MB", "GB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{size:.0f} {units[0]}" if units[0] == "bytes" else f"{size:.1f} {units[0]}"
