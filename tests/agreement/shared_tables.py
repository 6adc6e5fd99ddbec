"""The shared tables: their index, the folds and what the reference programs scored on them."""

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from sklearn.base import clone

from treewright import Schema, Tree, read
from treewright.data.frame import Frame

SHARED = Path(__file__).resolve().parents[3] / "shared"
DATASETS = SHARED / "datasets"
REFERENCE = SHARED / "reference"

Array = npt.NDArray[Any]

needs_shared = pytest.mark.skipif(
    not (DATASETS / "index.json").exists(), reason="../shared/datasets is not here"
)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What the index says of one table."""

    name: str
    path: Path
    n_rows: int
    target: str
    is_classification: bool
    numeric: tuple[str, ...]  # columns of numbers without a gap, the target left out


@cache
def entries() -> dict[str, Entry]:
    """Every table of the index; none where the shared folder is absent."""
    path = DATASETS / "index.json"
    if not path.exists():
        return {}
    return {described["name"]: _entry(described) for described in _load(path)["datasets"]}


def _entry(described: dict[str, Any]) -> Entry:
    columns = described["column_info"]
    return Entry(
        name=described["name"],
        path=DATASETS / described["file"],
        n_rows=described["rows"],
        target=described["target"],
        is_classification=described["task"] == "classification",
        numeric=tuple(
            column["name"]
            for column in columns
            if column["kind"] == "numeric"
            and column["missing"] == 0
            and column["name"] != described["target"]
        ),
    )


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """The rows of a table whose target is known."""

    X: Frame
    y: Array


def read_labelled(entry: Entry) -> Labelled:
    """Read a table straight from its file; only rows without a target are left out."""
    frame = read(entry.path)
    y = frame[entry.target]
    X = frame.drop(entry.target)
    if isinstance(y, np.ma.MaskedArray):
        known = ~np.ma.getmaskarray(y)
        X, y = X.rows(known), y.compressed()
    if entry.is_classification:
        # Classes written as numbers (symboling, person, class of the monks) are names.
        return Labelled(X=X, y=np.asarray([str(label) for label in y], dtype=object))
    return Labelled(X=X, y=np.asarray(y, dtype=np.float64))


@cache
def numeric_table(name: str) -> tuple[npt.NDArray[np.float32], Array]:
    """Return the numeric columns in float32, as scikit-learn converts them, and the target."""
    entry = entries()[name]
    labelled = read_labelled(entry)
    columns = [np.asarray(labelled.X[column], dtype=np.float32) for column in entry.numeric]
    return np.column_stack(columns), labelled.y


@cache
def folds(name: str) -> npt.NDArray[np.int64]:
    """Return the fold of each row: 0-9, or 0 for training and 1 for testing."""
    with np.load(REFERENCE / "folds.npz") as stored:
        return np.asarray(stored[name], dtype=np.int64)


@cache
def figures_of(name: str, program: str, learner: str) -> dict[str, Any] | None:
    """Return what a learner ("J48") of a program ("weka") scored on a table; None if not run."""
    results = _load(REFERENCE / "results.json")[program]["results"]
    found = [r for r in results if r["dataset"] == name and r["learner"] == learner]
    return found[0] if found else None


@dataclass(frozen=True, kw_only=True)
class Declared:
    """A table as its ARFF file declares it: domains, and classes in their declared order."""

    X: Frame
    y: Array  # positions in `classes`
    classes: tuple[str, ...]
    schema: Schema

    def target(self, rows: Array) -> pd.Series:
        """The classes of some rows; the type declares those that do not occur, too."""
        kinds = range(len(self.classes))
        return pd.Series(pd.Categorical(self.y[rows], categories=kinds))


@cache
def declared_table(name: str) -> Declared:
    """Read a table of classes with what its index declares, as the reference programs had it."""
    described = {each["name"]: each for each in _load(DATASETS / "index.json")["datasets"]}[name]
    labelled = read_labelled(entries()[name])
    domains = {}
    for column in described["column_info"]:
        if column["name"] == described["target"]:
            classes = tuple(map(str, column["values"]))
        elif column["kind"] != "numeric":
            is_number = np.asarray(labelled.X[column["name"]]).dtype.kind in "iuf"
            domains[column["name"]] = [
                int(value) if is_number else value for value in column["values"]
            ]
    place = {label: k for k, label in enumerate(classes)}
    return Declared(
        X=labelled.X,
        y=np.array([place[label] for label in labelled.y]),
        classes=classes,
        schema=Schema(values=domains),
    )


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a learner does on the reference programs' folds."""

    accuracy: float
    tree: Tree  # of all rows, or of the training rows where there is one split


def outcome(name: str, learner: Any, *, in_single_precision: bool = False) -> Outcome:
    """Fit on the folds of a table and on all its rows."""
    table = declared_table(name)
    X = _in_single_precision(table.X) if in_single_precision else table.X
    fold, n_rows = folds(name), len(table.y)

    def fit(rows: Array) -> Any:
        return clone(learner).set_params(schema=table.schema).fit(X.rows(rows), table.target(rows))

    if fold.max() == 1:
        train, test = np.flatnonzero(fold == 0), np.flatnonzero(fold == 1)
        model = fit(train)
        right = model.predict(X.rows(test)) == table.y[test]
        return Outcome(accuracy=100 * float(right.mean()), tree=model.tree_)
    n_right = 0
    for k in range(fold.max() + 1):
        test = np.flatnonzero(fold == k)
        model = fit(np.flatnonzero(fold != k))
        n_right += int((model.predict(X.rows(test)) == table.y[test]).sum())
    return Outcome(accuracy=100 * n_right / n_rows, tree=fit(np.arange(n_rows)).tree_)


def _in_single_precision(X: Frame) -> Frame:
    columns = {}
    for name in X.columns:
        column = X.column(name)
        if column.data.dtype == np.float64:
            column = replace(column, data=column.data.astype(np.float32))
        columns[name] = column
    return Frame(columns)
