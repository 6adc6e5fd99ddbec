"""The figures of :func:`treewright.evaluate.stability`, and their printed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.text.numbers import figure, figures, percent
from treewright.text.table import TextColumn, lay_out

if TYPE_CHECKING:
    from treewright.tree.tree import Tree

_MOST_NAMED = 10


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Mean and standard deviation of a figure over all bootstraps, and its value for all rows."""

    mean: float
    sd: float
    of_all_rows: float

    @classmethod
    def of(cls, values: Sequence[float], of_all_rows: float) -> Spread:
        """Return the spread of one value per bootstrap."""
        return cls(
            mean=float(np.mean(values)),
            sd=float(np.std(values, ddof=1)),
            of_all_rows=float(of_all_rows),
        )


@dataclass(frozen=True, kw_only=True)
class ColumnUse:
    """How often one column is asked.

    Parameters
    ----------
    column
        Its name.
    trees, roots
        Share of the bootstraps in which the tree asks it (alone or in a linear combination)
        anywhere, and at its root.
    is_in_tree, is_root
        Whether the tree of all rows does.
    """

    column: str
    trees: float
    roots: float
    is_in_tree: bool
    is_root: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class Stability:
    """The stability of a tree: how alike the trees of several bootstraps are; ``print`` it.

    Parameters
    ----------
    name
        The name of the estimator.
    tree
        The tree of all rows.
    n_bootstraps, n_rows
        Bootstraps drawn, and rows of the table.
    agreement
        Share of the rows for which two trees predict the same class (in all outputs), as a mean
        over all pairs of trees. For regression Lin's concordance correlation instead: 1 where they
        predict the same numbers, 0 where their predictions are unrelated.
    agreement_out_of_bag
        The same over rows that neither tree was fitted to; None where there are none.
    kappa
        Fleiss' kappa of the classes: agreement beyond that of random predictions of equally
        frequent classes; None for regression.
    same_root_column, same_root_question
        Share of the bootstraps whose root asks the same column as the tree of all rows, and
        exactly the same question.
    level_agreement
        For each level from the root, down to the tenth: of the training weight that one of two
        trees asks a column of, the share that both do (see ``agreement.overlap``).
    similarity
        Tests in common with the tree of all rows, as a share (``TreeDiff.similarity``).
    leaves, depth
        Leaves and depth over the bootstraps.
    columns
        How often each column is used, most often first.
    """

    name: str
    tree: Tree = field(repr=False)
    n_bootstraps: int
    n_rows: int
    agreement: float
    agreement_out_of_bag: float | None
    kappa: float | None
    same_root_column: float
    same_root_question: float
    level_agreement: tuple[float, ...]
    similarity: Spread
    leaves: Spread
    depth: Spread
    columns: tuple[ColumnUse, ...]

    def __str__(self) -> str:
        return self.text()

    def text(self, *, ascii: bool = False) -> str:
        """Return all figures as text."""
        heading = f"{self.name}: {self.n_bootstraps} bootstraps of {self.n_rows} rows"
        parts = [heading, self._alike(), self._sizes()]
        if self.columns:
            parts += [self._levels(), self._uses(ascii)]
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the tree as plain lists, strings and numbers."""
        return {
            "name": self.name,
            "n_bootstraps": self.n_bootstraps,
            "n_rows": self.n_rows,
            "agreement": self.agreement,
            "agreement_out_of_bag": self.agreement_out_of_bag,
            "kappa": self.kappa,
            "same_root_column": self.same_root_column,
            "same_root_question": self.same_root_question,
            "level_agreement": list(self.level_agreement),
            "similarity": vars(self.similarity).copy(),
            "leaves": vars(self.leaves).copy(),
            "depth": vars(self.depth).copy(),
            "columns": [vars(each).copy() for each in self.columns],
        }

    def _alike(self) -> str:
        is_class = self.kappa is not None
        what, shown = ("class", percent) if is_class else ("concordance", figure)
        rows = [("two trees of bootstraps", ""), (f"  {what}, all rows", shown(self.agreement))]
        if self.agreement_out_of_bag is not None:
            rows.append((f"  {what}, out of bag", shown(self.agreement_out_of_bag)))
        if self.kappa is not None:
            rows.append(("  kappa", figure(self.kappa)))
        rows += [
            ("a bootstrap and all rows", ""),
            ("  column at the root", percent(self.same_root_column)),
            ("  question at the root", percent(self.same_root_question)),
            ("  tests in common", percent(self.similarity.mean)),
        ]
        return lay_out(
            [
                TextColumn("in common", [words for words, _ in rows]),
                TextColumn("", [number for _, number in rows], right=True),
            ]
        )

    def _sizes(self) -> str:
        spreads = {"leaves": self.leaves, "depth": self.depth}
        values = spreads.values()
        return lay_out(
            [
                TextColumn("size", list(spreads)),
                TextColumn("mean", figures(each.mean for each in values), right=True),
                TextColumn("sd", figures(each.sd for each in values), right=True),
                TextColumn("all rows", figures(each.of_all_rows for each in values), right=True),
            ]
        )

    def _levels(self) -> str:
        numbers = list(map(str, range(len(self.level_agreement))))
        return lay_out(
            [
                TextColumn("level", numbers, right=True),
                TextColumn("same columns", list(map(percent, self.level_agreement)), right=True),
            ]
        )

    def _uses(self, ascii: bool) -> str:
        shown = self.columns[:_MOST_NAMED]
        mark = "*"
        table = lay_out(
            [
                TextColumn("column", [each.column for each in shown]),
                TextColumn("asked in", [percent(each.trees) for each in shown], right=True),
                TextColumn("", [mark if each.is_in_tree else "" for each in shown]),
                TextColumn("at the root", [percent(each.roots) for each in shown], right=True),
                TextColumn("", [mark if each.is_root else "" for each in shown]),
            ]
        )
        n_left_out = len(self.columns) - len(shown)
        if n_left_out:
            table += f"\n{'...' if ascii else '…'} {n_left_out} more"
        return f"{table}\n{mark} also in the tree of all rows"
