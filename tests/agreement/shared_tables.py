"""The shared tables: their index, the folds and what the reference programs scored on them."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from treewright import read
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
    """Give the numeric columns in float32, as scikit-learn converts them, and the target."""
    entry = entries()[name]
    labelled = read_labelled(entry)
    columns = [np.asarray(labelled.X[column], dtype=np.float32) for column in entry.numeric]
    return np.column_stack(columns), labelled.y


@cache
def folds(name: str) -> npt.NDArray[np.int64]:
    """Give the fold of each row: 0-9, or 0 for training and 1 for testing."""
    with np.load(REFERENCE / "folds.npz") as stored:
        return np.asarray(stored[name], dtype=np.int64)


@cache
def figures_of(name: str, program: str, learner: str) -> dict[str, Any] | None:
    """Give what a learner ("J48") of a program ("weka") scored on a table; None if not run."""
    results = _load(REFERENCE / "results.json")[program]["results"]
    found = [r for r in results if r["dataset"] == name and r["learner"] == learner]
    return found[0] if found else None
