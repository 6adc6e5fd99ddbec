"""Partial dependence of estimators: of what they predict on average if columns had other values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.read.weights import read_weights
from treewright.dependence.additive import additive_tree
from treewright.dependence.find import Asked, Grid, find_dependence
from treewright.errors import UnsupportedError
from treewright.explain.shap import output_names
from treewright.parameters import check_choice
from treewright.threads import n_threads
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.data.table import Table
    from treewright.dependence.additive import Additive
    from treewright.dependence.dependence import (
        PairDependence,
        PartialDependence,
        PartialDependences,
    )


class HasDependence:
    """An estimator whose predictions are averaged over rows in which columns are set."""

    n_jobs: Any
    _model: Any
    _table: Any
    _answers: Any

    def _added_up(self, output: str) -> Additive | str:
        """Return the model as a sum of trees; or why it is none."""
        model = self._model()
        found: Additive | str = (
            additive_tree(model) if isinstance(model, Tree) else model.added_up()
        )
        return found

    def _answering(self, output: str) -> tuple[Callable[[Table], FloatArray], str]:
        """Return what predicts for rows that have been read, and the unit of the predictions."""
        model = self._model()
        if output == "score":
            raise UnsupportedError(
                f"partial_dependence: output='score' is for boosting, and {type(self).__name__}"
                " has no scores.\n  Hint: output='prediction'."
            )
        if model.classes is None:
            return self._answers, "prediction"
        if getattr(self, "_calibration", None) is not None:
            return self._calibrated_side_by_side, "probability"
        is_vote = getattr(model, "vote", "soft") in ("hard", "weighted")
        return self._answers, "share of the votes" if is_vote else "probability"

    def _calibrated_side_by_side(self, table: Table) -> FloatArray:
        calibrated: Any = self._calibrated  # type: ignore[attr-defined]
        # An offset is no column: rows are asked about without.
        asked = {"offset": 0} if getattr(self._model(), "has_offsets", False) else {}
        return np.hstack(calibrated(table, **asked))

    def _output_names(self, output: str) -> tuple[str, ...]:
        model = self._model()
        width = model.n_outputs if model.classes is None else 0
        return output_names(model.classes, width)

    def partial_dependence(
        self,
        X: Any,
        columns: Any = None,
        *,
        grid: Grid = None,
        output: str = "prediction",
        sample_weight: Any = None,
        rows: int | None = 50,
    ) -> PartialDependence | PairDependence | PartialDependences:
        """Return what is predicted on average if columns had other values; print or draw it.

        At each value of a column, all rows get this value and keep their others, and their
        predictions are averaged (Friedman 2001). The numbers are exact: the mean of ``predict``
        or ``predict_proba`` over these rows. The trees are walked once for all values, so that a
        curve costs about as much as a few predictions. Where that does not serve (linear models
        in leaves, questions about several columns, weighted medians, calibrated probabilities)
        the rows are predicted value by value, and ``method`` of the result says why.

        Parameters
        ----------
        X : table
            The rows over which predictions are averaged.
        columns : name or position, pair of them, or list, optional
            A column; ``("age", "income")`` sets two together; a list asks for several. By default
            every column that the model uses.
        grid : int, list of values, or mapping of column to either, optional
            Values that columns of numbers are set to: the most there may be, each with as many
            rows (100 by default, 12 in a pair), or the values themselves. Categories are all
            taken, and missing is a value of its own where rows have gaps.
        output : {"prediction", "score"}
            Average probabilities or numbers; or the scores before the link in gradient boosting,
            and the shares of the votes in AdaBoost.
        sample_weight : array-like, optional
            Weight of each row in the mean.
        rows : int, optional
            Number of rows whose own curves are kept (individual conditional expectation), evenly
            along the table; None keeps all.

        Returns
        -------
        PartialDependence, PairDependence or PartialDependences
            Of a column, of a pair, or of a list of them (and of all columns).

        Examples
        --------
        >>> from treewright import GradientBoostingClassifier, load_example
        >>> loans = load_example("loans")
        >>> model = GradientBoostingClassifier(n_estimators=50).fit(loans.X, loans.y)
        >>> found = model.partial_dependence(loans.X, "income", grid=5)
        >>> print(found)
         income  default   late  repaid
         534.07    0.093  0.210   0.697
        1710.44    0.035  0.171   0.795
        2362.69    0.030  0.097   0.873
        3238.44    0.010  0.067   0.923
        9039.97    0.009  0.040   0.951
        missing    0.032  0.093   0.875
        mean probability of 2,000 rows; exact, by one walk of the trees
        >>> found.draw("late").title
        'late falls with income'
        """
        check_choice("output", output, ("prediction", "score"))
        model = self._model()
        answers, scale = self._answering(output)
        added_up: Additive | str = self._added_up(output)
        if output == "prediction" and getattr(self, "_calibration", None) is not None:
            added_up = "probabilities are calibrated"
        table = self._table(X)
        asked = Asked(
            schema=model.schema,
            used=model.used_columns,
            unseen=model.unseen,
            read=self._table,
            additive=added_up,
            answers=answers,
            output_names=self._output_names(output),
            scale=scale,
            n_threads=n_threads(self.n_jobs, table.n_rows * len(model.schema.names)),
        )
        weight = read_weights(sample_weight, table.n_rows)
        return find_dependence(asked, X, columns, grid=grid, weight=weight, rows=rows)
