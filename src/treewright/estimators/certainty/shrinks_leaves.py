"""Probabilities of a single tree, by leaves that are mixed with the nodes above them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from treewright.array_types import Probabilities
from treewright.certainty.shrunken import PRIOR_WEIGHTS, shrunken
from treewright.data.table import Table
from treewright.estimators.certainty.predicts_sets import PredictsSets
from treewright.explain.path import Explanation, row_of
from treewright.grow.column_parameters import monotonic_signs
from treewright.grow.problem import Problem
from treewright.threads import n_threads
from treewright.tree.leaf import by_output
from treewright.tree.tree import Tree


class ShrinksLeaves(PredictsSets):
    """A tree whose sets and calibrated probabilities are told by shrunken leaves."""

    _not_pickled: ClassVar[tuple[str, ...]] = ("_shrunken", "_shrunken_by")

    n_jobs: Any
    _model: Any
    _table: Any
    _signs: list[int] | None = None  # the monotonic constraint of every column
    _shrunken: Tree | None = None
    _shrunken_by: tuple[float, Tree] | None = None

    def _learned(self, tree: Tree, problem: Problem) -> None:
        super()._learned(tree, problem)  # type: ignore[misc]
        self.__dict__.pop("_signs", None)
        signs = monotonic_signs(tree.schema, problem.options.monotonic_cst)
        if signs is not None:
            self._signs = signs

    def explain(self, row: object) -> Explanation:
        """Return the path of one row through the tree; see :meth:`Tree.explain`.

        It ends in what `predict` and `predict_proba` answer, calibrated where they are.
        """
        found: Explanation = super().explain(row)  # type: ignore[misc]
        if self._calibration is None:
            return found
        return found.calibrated(np.hstack(self._calibrated(row_of(found.tree, row)))[0])

    def _grades(self) -> tuple[Any, ...]:
        return PRIOR_WEIGHTS

    def _graded(self, grade: Any, X: Any, **asked: Any) -> Probabilities:
        """Return the probabilities of leaves shrunken towards those above; None as they are."""
        if grade is None:
            return self._uncalibrated(X, **asked)
        tree = self._model()
        if self._shrunken is None or self._shrunken_by != (grade, tree):
            self._shrunken = shrunken(tree, grade, self._signs)
            self._shrunken_by = (grade, tree)
        return self._told_by(self._shrunken, self._table(X))

    def _all_graded(self, X: Any, **asked: Any) -> dict[Any, Any]:
        if self._grades() != PRIOR_WEIGHTS:
            return super()._all_graded(X, **asked)
        tree, table, signs = self._model(), self._table(X), self._signs
        return {
            weight: self._told_by(shrunken(tree, weight, signs), table) for weight in PRIOR_WEIGHTS
        }

    def _told_by(self, tree: Tree, table: Table) -> Probabilities:
        assert tree.classes is not None
        answers = tree.plan.answers(table, n_threads=n_threads(self.n_jobs, table.n_rows))
        parts = by_output(answers, tree.classes)
        return parts[0] if len(parts) == 1 else parts
