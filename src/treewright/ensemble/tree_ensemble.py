"""The interface that all ensembles share: a sequence of trees that explains its predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from treewright.counterfactual.find import Answering, Asked, of_trees, reference_rows
from treewright.data.read.rows import read_row
from treewright.ensemble.explanation import EnsembleExplanation, of_label
from treewright.errors import UnsupportedError
from treewright.state.pickled_whole import PickledWhole
from treewright.text.notebook import ShownInNotebooks
from treewright.tree.leaf import by_output, decide, label_of
from treewright.tree.node_text import way_in_words

if TYPE_CHECKING:
    from treewright.array_types import Array, FloatArray
    from treewright.counterfactual.counterfactual import Counterfactual
    from treewright.counterfactual.search import Decided
    from treewright.data.fitted_schema import FittedSchema
    from treewright.data.table import Table
    from treewright.explain.shap_values import ShapValues
    from treewright.tree.leaf import LeafRule
    from treewright.tree.tree import Tree


class TreeEnsemble(PickledWhole, ShownInNotebooks):
    """Trees that predict together."""

    schema: FittedSchema
    classes: tuple[Array, ...] | None
    leaf: LeafRule
    unseen: str

    def __len__(self) -> int:
        raise AssertionError("an ensemble has trees")

    def _tree(self, index: int) -> Tree:
        raise AssertionError("an ensemble has trees")

    def __getitem__(self, index: int) -> Tree:
        n_trees = len(self)
        if not -n_trees <= index < n_trees:
            raise IndexError(f"tree {index} of {n_trees}")
        return self._tree(index % n_trees)

    def __iter__(self) -> Iterator[Tree]:
        return (self[index] for index in range(len(self)))

    def answers(self, table: Table, *, n_threads: int = 1) -> FloatArray:
        """Return class probabilities (outputs side by side) or predicted numbers, row by row."""
        raise AssertionError("an ensemble answers")

    def _explained_row(self, table: Table) -> ShapValues:
        """Return SHAP values that add up to the prediction for one row."""
        raise AssertionError("an ensemble explains")

    def said(self, table: Table) -> Array:
        """Return what each tree says of one row, trees x outputs."""
        raise AssertionError("an ensemble has trees that say something")

    def _votes_in_words(self, said: Array, chosen: list[int] | None) -> str:
        """Return what trees say in words; `chosen` are the positions of the predicted classes."""
        raise AssertionError("an ensemble has trees that say something")

    @property
    def n_outputs(self) -> int:
        """Number of targets predicted together."""
        raise AssertionError("an ensemble predicts something")

    @property
    def used_columns(self) -> tuple[int, ...]:
        """Positions of the columns that trees use."""
        raise AssertionError("an ensemble has trees that ask")

    def explain(self, row: object) -> EnsembleExplanation:
        """Return why one row is predicted as it is: votes, and what each column adds; to print.

        Parameters
        ----------
        row
            A mapping from column names to values (only those that a tree asks are needed), a
            sequence in column order, or a table of one row.
        """
        return self.explain_row(self.row(row))

    def row(self, row: object) -> Table:
        """Return one row, given in any form, as a table; columns that no tree uses may be absent.

        Parameters
        ----------
        row
            As for :meth:`explain`.
        """
        unused = self.schema.unused_by(self.used_columns)
        return read_row(row, self.schema, optional=unused, unseen=self.unseen)

    def counterfactual(
        self,
        row: object,
        *,
        to: object,
        fixed: Sequence[str] = (),
        costs: Mapping[str, float] | None = None,
        X: object = None,
        decided: Decided | None = None,
    ) -> Counterfactual:
        """Return what would change the answer: a near row that gets the wanted one; print it.

        Distances are those of ``Tree.counterfactual``. The nearest row is searched for: from
        the regions of single trees that are nearest to the row, from rows of `X`, and by moving
        column after column; then changes are taken back where the answer stays. Each row is
        judged by the prediction of all trees; no proof is given that it is the nearest.

        Parameters
        ----------
        row, to, fixed, costs
            As for ``Tree.counterfactual``.
        X
            Rows that say how far the columns spread, and from which the search starts too; by
            default the cuts of the trees are taken.
        decided
            Function that predicts for a table in place of that of the trees.

        Raises
        ------
        NoSuchRowError
            If no row was found that gets the answer.
        """
        table, used = self.row(row), self.used_columns
        asked = Asked(
            row=table,
            given=row,
            to=to,
            fixed=fixed,
            costs=costs,
            reference=reference_rows(X, table, used),
            decided=decided or self._decided,
        )
        model = Answering(
            classes=self.classes, n_outputs=self.n_outputs, used=used, answers=self.answers
        )
        return of_trees(list(self), model, asked)

    def _decided(self, table: Table) -> Array:
        return decide(self.answers(table), self.classes, self.leaf)

    def explain_row(
        self,
        table: Table,
        *,
        answer: FloatArray | None = None,
        decides: FloatArray | None = None,
        explained: Callable[[Table], ShapValues] | None = None,
        is_calibrated: bool = False,
    ) -> EnsembleExplanation:
        """Return the explanation of a table of one row; see :meth:`explain`.

        Parameters
        ----------
        table
            The row, as :meth:`row` returns it.
        answer
            Class probabilities that an estimator makes of the ensemble's own; None takes those.
        decides
            What the class is chosen by; None takes the ensemble's own answer.
        explained
            Function that returns the SHAP values; None takes the ensemble's own.
        is_calibrated
            Whether the probabilities are calibrated.
        """
        answers = self.answers(table) if decides is None else decides[np.newaxis]
        answer = answers[0] if answer is None else answer
        chosen: list[int] | None = None
        if self.classes is not None:
            starts = np.cumsum([0, *map(len, self.classes)])
            picked = [int(self.leaf.choose(part)[0]) for part in by_output(answers, self.classes)]
            chosen = [int(start) + place for start, place in zip(starts, picked, strict=False)]
        shap, no_shap = None, None
        try:
            shap = of_label((explained or self._explained_row)(table), chosen)
        except UnsupportedError as error:
            no_shap = str(error).removeprefix("shap_values: ")
        said = self.said(table)
        return EnsembleExplanation(
            label=label_of(answers[0], self.classes, self.leaf),
            answer=answer,
            classes=self.classes,
            said=said,
            votes=self._votes_in_words(said, chosen),
            shap=shap,
            no_shap=no_shap,
            way=way_in_words(answer, self.classes, self.leaf, calibrated=is_calibrated),
            is_calibrated=is_calibrated,
        )
