"""Form: any model as inputs, nodes, and the arithmetic that makes an answer of what leaves say.

Answers are made in this order, and every exporter keeps it, so that numbers agree to the last bit:

1. each tree finds its leaf (or leaves, where a row is divided) and says a line of numbers;
2. lines are added up from the first tree to the last, from 0 or from the base scores;
3. the sum is divided, and goes through the link: class probabilities, or the number;
4. the class is chosen: the most probable one (of softened votes: the one with the most votes), or
   that of least expected cost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from treewright.errors import UnsupportedError

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int32Array
    from treewright.export.form.graph import Graph
    from treewright.export.form.inputs import Input

Combination: TypeAlias = Literal["single", "mean", "votes", "median", "scores", "rules"]
"""How trees combine: one tree (or ordered rules); the mean of lines; votes of trees that divide
rows, which are counted when all leaves of a row are known; the weighted median (AdaBoost.R2); sums
that a link turns into predictions (boosting); votes of rules, of which a row may meet none."""

EXACT_LINKS = ("identity",)
"""Links without exp: others agree to a few units in the last place."""

SOFTENED = "softened_votes"
"""The link from shares of votes to probabilities: AdaBoost's decision function, and its softmax."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Decision:
    """How class probabilities become a class.

    Parameters
    ----------
    costs
        Cost of each decision, actual class x predicted class; None takes the most probable class.
    preferred
        The class that wins ties for most probable; None takes the first.
    class_of_leaf
        The class of each leaf, where it need not be the most probable one (ordered rules).
    """

    costs: FloatArray | None = None
    preferred: int | None = None
    class_of_leaf: Int32Array | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Form:
    """A model in the form that exporters read.

    Parameters
    ----------
    model
        The name of the model's class.
    inputs
        The columns it asks about.
    classes
        The classes, as plain Python values; None for numbers.
    graph
        The nodes of all trees.
    combination
        How trees combine.
    divisor
        What the sum of lines is divided by (``"mean"``, ``"votes"``).
    vote_weights
        The weight of each tree (``"votes"``, ``"median"``).
    link
        How sums become predictions: one of boosted trees; see
        :class:`~treewright.boosting.ensemble.BoostedEnsemble`; or `SOFTENED`, of trees that vote.
    n_outputs, base, shift, thresholds
        Of boosted trees: trees of a round, where scores start, and what they mean.
    otherwise, default_class
        Of rules that vote: the answer about a row that meets none, and the class that wins ties.
    by_counts
        Whether a divided row combines its leaves by their class weights rather than its shares.
    decision
        How a class is chosen.
    refuses_unseen
        Whether the model raises an error for an unseen category, which exported programs treat as
        missing.
    is_rules
        Whether the graph is of rules rather than trees.
    said_size
        The size in words, where the graph has another.
    """

    model: str
    inputs: tuple[Input, ...]
    classes: tuple[object, ...] | None
    graph: Graph
    combination: Combination
    divisor: float = 1.0
    vote_weights: FloatArray | None = None
    n_outputs: int = 1
    base: FloatArray | None = None
    link: str = "identity"
    shift: int = 0
    thresholds: FloatArray | None = None
    otherwise: FloatArray | None = None
    default_class: int = 0
    by_counts: bool = False
    decision: Decision = Decision()
    refuses_unseen: bool = False
    is_rules: bool = False
    said_size: str | None = None

    @property
    def n_trees(self) -> int:
        """Number of trees, or of rules that vote."""
        return self.graph.n_trees

    @property
    def n_answers(self) -> int:
        """Numbers in an answer: a probability for each class, or 1."""
        return 1 if self.classes is None else len(self.classes)

    @property
    def is_exact(self) -> bool:
        """Whether answers need only comparisons, sums, products and quotients."""
        return self.link in EXACT_LINKS

    @property
    def softens(self) -> bool:
        """Whether probabilities are softened votes, while votes themselves decide."""
        return self.link == SOFTENED

    @property
    def sharpness(self) -> float:
        """What shares of votes are multiplied by, so that their softmax is the probabilities.

        AdaBoost's decision function, divided by K - 1, but for a constant that a softmax ignores.
        """
        n = self.n_answers
        return n / (n - 1) ** 2

    @property
    def size(self) -> str:
        """The size in words."""
        graph = self.graph
        if self.said_size is not None:
            return self.said_size
        if self.is_rules:
            n_rules = graph.n_trees if self.combination == "rules" else graph.n_leaves - 1
            return _counted(n_rules, "rule")
        leaves = f"{_counted(graph.n_leaves, 'leaf')}, depth {graph.depth()}"
        return leaves if graph.n_trees == 1 else f"{_counted(graph.n_trees, 'tree')}, {leaves}"

    def with_base_in_trees(self) -> Form:
        """Return the same boosted model with scores that start at 0, for targets that add no base.

        The leaves of the first round say what the base and they are together, which is the first
        addition of the model, too.
        """
        assert self.base is not None
        graph = self.graph
        ends = np.append(graph.roots[1:], len(graph.kind))
        lines, line_of_leaf = [graph.lines], graph.line_of_leaf.copy()
        for base, start, end in zip(self.base, graph.roots, ends, strict=False):
            leaves = graph.child[start:end][graph.n_branches[start:end] == 0]
            begun = graph.lines[line_of_leaf[leaves]] + base
            line_of_leaf[leaves] = sum(map(len, lines)) + np.arange(len(leaves))
            lines.append(begun)
        graph = replace(graph, lines=np.concatenate(lines), line_of_leaf=line_of_leaf)
        return replace(self, graph=graph, base=np.zeros_like(self.base))

    def refuse(self, target: str, reason: str, hint: str) -> UnsupportedError:
        """Return the error of a target that cannot express the model."""
        return UnsupportedError(f"export.{target}: {reason}.\n  Hint: {hint}.")

    def depth_of_stack(self) -> int:
        """Return how many branches of a divided row can wait at once."""
        graph = self.graph
        widest = int(graph.n_branches.max(initial=0))
        return max(1, graph.depth() * max(widest - 1, 1) + 1)

    def threshold_values(self, column: int) -> list[float | int]:
        """Return the cuts of one input, ascending, each once: floats, or stored int64."""
        graph = self.graph
        here = graph.input == column
        found: set[float | int] = set(graph.number[here & (graph.kind == 1)].tolist())
        for kind, values in ((2, graph.whole), (4, graph.cuts)):
            nodes = np.flatnonzero(here & (graph.kind == kind))
            for at, count in zip(
                graph.at[nodes].tolist(), graph.count[nodes].tolist(), strict=True
            ):
                found.update(values[at : at + count].tolist())
        if graph.surrogates is not None:
            own = graph.surrogates
            mine = own.input == column
            found.update(own.number[mine & (own.kind == 1)].tolist())
            found.update(graph.whole[own.at[mine & (own.kind == 2)]].tolist())
        return sorted(found)


def _counted(number: int, what: str) -> str:
    plural = {"leaf": "leaves"}.get(what, f"{what}s")
    return f"{number:,} {what if number == 1 else plural}"
