"""What an estimator keeps of `fit` to learn, when asked, how sure it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from treewright.array_types import Array, Int64Array
from treewright.certainty.labels import labels_by
from treewright.data.read.dataframes import target_array
from treewright.data.read.table import open_table
from treewright.errors import DataError, ParameterError
from treewright.estimators.certainty.unseen import GivenRows, Unseen, out_of_fold

N_FOLDS = 10
"""Parts for intervals and sets: models of nine tenths of the rows err nearly as the whole does."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedRows:
    """The table that intervals or sets were learned from, and which of its rows."""

    X: Any
    rows: Int64Array


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Leave the estimator as it was if what is learned within cannot be learned to the end."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


class KeepsRows:
    """An estimator that keeps what it was fitted to, as long as it is not pickled."""

    _not_pickled: ClassVar[tuple[str, ...]] = ("_fitted_to", "_judged")

    _fitted_to: GivenRows | None = None
    _judged: JudgedRows | None = None
    _is_classifier: Any

    def _check_calibrate(self) -> None:
        """Refuse a calibration that there is not; only of classifiers."""

    def _keep(self, X: Any, y: Any, sample_weight: Any, groups: Any, offset: Any = None) -> None:
        """Keep what was given to `fit`, and forget what was learned from it before."""
        given = GivenRows(X=X, y=y, sample_weight=sample_weight, groups=groups, offset=offset)
        self._fitted_to = given.kept()
        for name in ("_intervals", "_sets", "_judged", "_calibration", "_grade"):
            self.__dict__.pop(name, None)

    def _rows_given(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, offset: Any = None
    ) -> GivenRows:
        """Return the training rows: given again, or kept since `fit`."""
        if X is not None:
            if y is None:
                raise ParameterError("X_train and y_train belong together: give both.")
            n_rows, n_targets = open_table(X).n_rows, len(target_array(y))
            if n_rows != n_targets:
                raise DataError(
                    f"X_train has {n_rows} rows and y_train {n_targets}; they must be as they were"
                    " given to fit."
                )
            return GivenRows(X=X, y=y, sample_weight=sample_weight, groups=groups, offset=offset)
        if any(given is not None for given in (y, sample_weight, groups)):
            raise ParameterError(
                "y_train, sample_weight and groups belong to X_train, which is missing."
            )
        if self._fitted_to is None:
            raise DataError(
                f"this {type(self).__name__} no longer has its training rows, from which it learns"
                " how sure it is.\n  Hint: give X_train and y_train as they were given to fit; or"
                " conformalize(X, y) with rows that it has not seen."
            )
        if not self._fitted_to.is_unchanged():
            raise DataError(
                "the table or target given to fit was changed in place since, and how sure"
                f" {type(self).__name__} is has to be learned from what it was fitted to.\n  Hint:"
                " give X_train and y_train as they were; or fit(X, y) again."
            )
        return self._fitted_to

    def _settled_for_parts(self) -> dict[str, Any]:
        """Return parameters that models of parts of the rows take over from what was learned."""
        return {}

    def _as_read(self, X: Any) -> Any:
        """Return a table of which many parts are to be read: as it is, where others read it."""
        return X

    def _unseen(self, given: GivenRows, n_folds: int) -> Unseen:
        """Return answers about the training rows by models that have not seen them."""
        return out_of_fold(self, given, n_folds=n_folds, of_classes=self._is_classifier())

    def _labels(self, known: dict[Any, Array], X: Any, by: Any) -> dict[str, Array]:
        """Return the labels, by a column, of the rows learned from and of those asked about."""
        if by is None:
            return {}
        asked = labels_by(X, by)
        if by not in known:
            if self._judged is None:
                raise DataError(
                    f"this {type(self).__name__} no longer has the rows from which it has learned"
                    f" how sure it is, and so not their {by!r}.\n  Hint: give X_train and y_train"
                    " as they were given to fit."
                )
            known[by] = labels_by(self._judged.X, by)[self._judged.rows]
        return {"known_labels": known[by], "labels": asked}
