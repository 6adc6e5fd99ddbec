"""Answers of an estimator about its training rows, by models that have not seen them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from treewright.array_types import Array, FloatArray, Int64Array
from treewright.certainty.folds import deal
from treewright.data.read.dataframes import target_array
from treewright.data.read.groups import RowGroups
from treewright.data.read.take_rows import (
    fingerprint_of_seen,
    look_at_rows,
    seen_of,
    shallow_copy,
    take_rows,
)
from treewright.data.read.target import read_classes, read_values
from treewright.data.read.weights import RowWeights
from treewright.errors import DataError, TreewrightWarning
from treewright.estimators.progress import Silence, show

_LOOKED_AT = 32
"""Rows that tell whether a table was changed after `fit`: who scales it in place changes all."""

NOT_IN_PARTS = {
    "calibrate": None,
    "verbose": 0,
    "warm_start": False,
    "oob_score": False,
    "early_stopping": False,
    "stop_when_stable": None,
}
"""Parameters of the models of parts that differ from the estimator's, where it has them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GivenRows:
    """What `fit` was given: kept, not copied, to fit models to parts of it when they are asked for.

    Parameters
    ----------
    X, y, sample_weight, groups
        As given.
    offset
        Offsets of the rows, of boosting.
    looked_at
        What some of the rows were when they were kept; None where they were not looked at.
    """

    X: Any
    y: Any
    sample_weight: Any = None
    groups: Any = None
    offset: Any = None
    looked_at: tuple[Array, list[Any]] | None = None

    def kept(self) -> GivenRows:
        """Return the same to be kept: columns that are added to the table later are not seen."""
        n_rows = len(target_array(self.y))
        n_looked = min(n_rows, _LOOKED_AT)
        rows = np.arange(n_looked) * (n_rows - 1) // max(n_looked - 1, 1)
        return GivenRows(
            X=shallow_copy(self.X),
            y=shallow_copy(self.y),
            sample_weight=self.sample_weight,
            groups=self.groups,
            offset=self.offset,
            looked_at=(rows, self._look(rows)),
        )

    def is_unchanged(self) -> bool:
        """Return whether the rows that were looked at when kept are what they were."""
        if self.looked_at is None:
            return True
        rows, seen = self.looked_at
        return fingerprint_of_seen(self._look(rows)) == fingerprint_of_seen(seen)

    def _look(self, rows: Array) -> list[Any]:
        beside = self._part_beside(rows).values()
        return [*look_at_rows(self.X, rows), *map(seen_of, beside)]

    def part(self, rows: Int64Array) -> dict[str, Any]:
        """Return the arguments of `fit` for some of the rows."""
        return {"X": take_rows(self.X, rows)} | self._part_beside(rows)

    def _part_beside(self, rows: Int64Array) -> dict[str, Any]:
        y = self.y if hasattr(self.y, "iloc") else target_array(self.y)
        taken = {"y": take_rows(y, rows)}
        for name in ("sample_weight", "groups", "offset"):
            given = getattr(self, name)
            if given is not None:
                is_each = name != "offset" or np.ndim(given) > 0
                taken[name] = target_array(given)[rows] if is_each else given
        return taken

    def whole(self) -> dict[str, Any]:
        """Return the arguments of `fit` for all rows."""
        named = {name: getattr(self, name) for name in ("sample_weight", "groups", "offset")}
        given = {name: value for name, value in named.items() if value is not None}
        return {"X": self.X, "y": self.y} | given

    def asked(self, rows: Int64Array) -> dict[str, Any]:
        """Return the arguments of `predict` for some of the rows."""
        part = self.part(rows)
        return {name: part[name] for name in ("X", "offset") if name in part}

    def groups_of(self, rows: Int64Array) -> RowGroups | None:
        """Return the groups of some of the rows."""
        groups = RowGroups.read(self.groups, len(target_array(self.y)))
        return None if groups is None else groups.take(rows)

    def weights(self) -> FloatArray | None:
        """Return the weights of the rows."""
        return RowWeights.read(self.sample_weight, len(target_array(self.y))).weight


@dataclass(frozen=True, kw_only=True, eq=False)
class Unseen:
    """What models answered about rows they had not seen, beside what is true of them.

    Parameters
    ----------
    rows
        Positions among the training rows.
    answers
        For every grade of the model's probabilities (one for most) an array for each output: rows x
        classes; of numbers one array, rows x outputs.
    truth
        Codes of the classes or values, rows x outputs.
    weight
        Weight of each row; None if all are equal.
    source
        How the rows were not seen, in words.
    """

    rows: Int64Array
    answers: dict[Any, list[FloatArray]]
    truth: Array
    weight: FloatArray | None
    source: str


def known_target(estimator: Any, y: Any, *, of_classes: bool) -> Array:
    """Return the codes of the estimator's classes, or the values, rows x outputs."""
    owner = type(estimator).__name__
    if not of_classes:
        values = read_values(y, owner=owner).values
        return values.reshape(len(values), -1)
    target = read_classes(y, owner=owner)
    codes = target.codes.reshape(len(target.codes), -1).astype(np.int64)
    columns = [
        in_order_of(known, found, owner)[codes[:, output]]
        for output, (known, found) in enumerate(
            zip(classes_of(estimator), target.classes, strict=True)
        )
    ]
    return np.stack(columns, axis=1)


def classes_of(estimator: Any) -> list[Array]:
    """Return the classes of each output."""
    known = estimator.classes_
    return known if isinstance(known, list) else [known]


def out_of_fold(estimator: Any, given: GivenRows, *, n_folds: int, of_classes: bool) -> Unseen:
    """Return what the estimator, fitted anew to parts of the rows, answers about the others."""
    truth = known_target(estimator, given.y, of_classes=of_classes)
    weight = given.weights()
    rows = np.arange(len(truth)) if weight is None else np.flatnonzero(weight > 0)
    own_groups = given.groups_of(rows)
    n_units = len(rows) if own_groups is None else own_groups.n_groups
    if n_units < 2:
        unit = "row" if own_groups is None else "group"
        raise DataError(f"how sure a model is cannot be learned from {n_units} {unit}.")
    folds = deal(
        len(rows),
        min(n_folds, n_units),
        classes=truth[rows, 0] if of_classes else None,
        groups=own_groups,
    )
    grades = estimator._grades() if of_classes else (None,)
    widths = [len(known) for known in classes_of(estimator)] if of_classes else [truth.shape[1]]
    answers = {grade: [np.zeros((len(rows), width)) for width in widths] for grade in grades}
    given = replace(given, X=estimator._as_read(given.X))
    for own, model in _fitted_parts(estimator, given, rows, folds):
        asked = given.asked(rows[own])
        if of_classes:
            for grade, found in model._all_graded(**asked).items():
                _put_classes(estimator, model, answers[grade], own, found)
        else:
            answers[None][0][own] = np.reshape(model.predict(**asked), (len(own), -1))
    by = "" if own_groups is None else ", by group"
    return Unseen(
        rows=rows,
        answers=answers,
        truth=truth[rows],
        weight=None if weight is None else weight[rows],
        source=f"{min(n_folds, n_units)} folds{by}",
    )


def _fitted_parts(
    estimator: Any, given: GivenRows, rows: Int64Array, folds: Int64Array
) -> Iterator[tuple[Int64Array, Any]]:
    """Yield the rows of each fold with a model fitted to the others."""
    model = clone(estimator)
    parameters = model.get_params(deep=False)
    fixed = NOT_IN_PARTS | estimator._settled_for_parts()
    if not getattr(estimator, "_grows_by_cost", False):
        fixed["cost_matrix"] = None  # it decides only, and a part may lack a class that it names
    model.set_params(**{name: value for name, value in fixed.items() if name in parameters})
    silence = Silence(verbose=getattr(estimator, "verbose", 0))
    n_folds = int(folds.max()) + 1
    for fold in range(n_folds):
        if silence.is_over:
            show(f"fitting to parts of the rows: {fold + 1} of {n_folds}".ljust(60))
        own = np.flatnonzero(folds == fold)
        part = clone(model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TreewrightWarning)  # said of the whole table
            part.fit(**given.part(rows[folds != fold]))
            yield own, part
    if silence.is_over:
        show(" " * 60, end="\r")


def _put_classes(
    estimator: Any, model: Any, into: list[FloatArray], rows: Int64Array, found: Any
) -> None:
    """Put probabilities into the columns of the estimator's classes; a part may lack some."""
    parts = found if isinstance(found, list) else [found]
    for output, (known, own) in enumerate(
        zip(classes_of(estimator), classes_of(model), strict=True)
    ):
        places = in_order_of(known, own, type(estimator).__name__)
        into[output][np.ix_(rows, places)] = parts[output]


def in_order_of(known: Array, found: Array, owner: str) -> Int64Array:
    """Return the position of each class that was found among those the estimator knows."""
    position = {label: i for i, label in enumerate(known.tolist())}
    unknown = [label for label in found.tolist() if label not in position]
    if unknown:
        raise DataError(f"y has class {unknown[0]!r}, which {owner} was not fitted to.")
    return np.array([position[label] for label in found.tolist()], dtype=np.int64)
