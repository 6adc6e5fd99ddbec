"""Counterfactuals of estimators: those of their model, judged by their own ``predict``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from treewright.estimators.certainty.keeps_rows import KeepsRows

if TYPE_CHECKING:
    from treewright.array_types import Array
    from treewright.counterfactual.counterfactual import Counterfactual
    from treewright.data.table import Table


class HasCounterfactuals(KeepsRows):
    """An estimator that says what would change its answer."""

    _model: Any
    predict: Any

    def _model_asked(self) -> Any:
        """Return the model whose regions are searched."""
        return self._model()

    def _predict_read(self) -> Callable[[Table], Array]:
        """Return the prediction that counts, of rows that have been read."""
        predict: Callable[[Table], Array] = self.predict
        return predict

    def counterfactual(
        self,
        row: object,
        *,
        to: object,
        fixed: Sequence[str] = (),
        costs: Mapping[str, float] | None = None,
        X: object = None,
    ) -> Counterfactual:
        """Return what would change the answer: a near row that gets the wanted one; print it.

        The distance is the sum over the columns of what each change counts, times its cost. A
        number, date or rank counts its change over the median absolute deviation of the column
        (Wachter et al. 2017), a category that changes 1 (Gower 1971), and so does a missing value
        that becomes known; no known value becomes missing. A number moves just across a cut: to a
        whole number where all rows have whole ones, a date to a day where all are days.

        Of a single tree whose leaves predict constants it is the nearest row (``is_exact``). Of
        rules, of linear models in leaves and of many trees it is the nearest one that is found.
        :meth:`predict` gives the changed row the wanted answer, whatever the model.

        Parameters
        ----------
        row
            A mapping from column names to values (columns that no question is about may be left
            out), a sequence in column order, or a table of one row.
        to
            The wanted class; in regression the lowest and the highest wanted number, one of which
            may be None: ``to=(200, None)`` for 200 or more.
        fixed : sequence of str
            Columns that stay as they are.
        costs : mapping of column to float, optional
            Factor of a change of each column; by default its cost in the schema, which is 1 if none
            was declared.
        X : table, optional
            Rows that say how far the columns spread. By default those given to ``fit``, until the
            estimator is pickled or saved; then the cuts of the model.

        Returns
        -------
        Counterfactual

        Raises
        ------
        NoSuchRowError
            If no row gets the answer, or if none was found; the message says which.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, load_example
        >>> iris = load_example("iris")
        >>> forest = RandomForestClassifier(n_estimators=50, random_state=0).fit(iris.X, iris.y)
        >>> print(forest.counterfactual(iris.X.rows([77]), to="virginica"))
        It would be 'virginica' if petal length (cm) were just above 5.05 instead of 5
        (and nothing else changed).
        The nearest row that was found; a nearer one is not ruled out.
        """
        kept = self._fitted_to
        if X is None and kept is not None and kept.is_unchanged():
            X = kept.X
        found: Counterfactual = self._model_asked().counterfactual(
            row, to=to, fixed=fixed, costs=costs, X=X, decided=self._predict_read()
        )
        return found
