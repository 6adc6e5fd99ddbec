"""The shared tables, as the studies of quality take them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, StratifiedKFold

DATASETS = Path(__file__).resolve().parents[2] / "shared" / "datasets"
LEAST_ROWS = 50  # a fold of fewer than ten rows says nothing
LEFT_OUT = ("olivetti_faces",)  # 4,096 columns: examples/olivetti_forest.py


@dataclass(frozen=True, kw_only=True)
class Table:
    """Columns (numbers, or text with None for what is missing) and a target."""

    name: str
    is_classification: bool
    X: pd.DataFrame
    y: np.ndarray


def tables(names: list[str], n_rows: int) -> Iterator[Table]:
    """Read the tables that are named, or all, the small ones first; of larger ones `n_rows`."""
    if not DATASETS.exists():
        raise SystemExit(f"The tables are not here: {DATASETS}")
    index = json.loads((DATASETS / "index.json").read_text(encoding="utf-8"))["datasets"]
    for described in sorted(index, key=lambda each: each["rows"]):
        is_left_out = described["rows"] < LEAST_ROWS or described["name"] in LEFT_OUT
        if (described["name"] in names or not names) and not is_left_out:
            yield _table(described, n_rows)


def words(X: pd.DataFrame) -> list[str]:
    """Return the names of the columns of text."""
    return list(X.select_dtypes(exclude="number"))


def as_categories(X: pd.DataFrame) -> pd.DataFrame:
    """Return words as categories; XGBoost takes no column that has none."""
    X = X.dropna(axis=1, how="all")
    return X.astype(dict.fromkeys(words(X), "category"))


def splitter(table: Table, seed: int) -> KFold | StratifiedKFold:
    """Return the five folds that a seed means, of every class its share."""
    folds = StratifiedKFold if table.is_classification else KFold
    return folds(5, shuffle=True, random_state=seed)


def _table(described: dict[str, Any], n_rows: int) -> Table:
    target = described["target"]
    is_classification = described["task"] == "classification"
    X = _read(described).dropna(subset=[target])
    if len(X) > n_rows:
        X = X.sample(n_rows, random_state=0)
    y = X.pop(target).to_numpy(dtype=object if is_classification else np.float64)
    if is_classification:
        y = y.astype(str)
    return Table(name=described["name"], is_classification=is_classification, X=X, y=y)


def _read(described: dict[str, Any]) -> pd.DataFrame:
    """Read a table with numbers in numeric columns and text in all others."""
    path = DATASETS / described["file"]
    nominal = [each["name"] for each in described["column_info"] if each["kind"] != "numeric"]
    if path.suffix == ".parquet":
        frame = pd.read_parquet(path)
    else:
        text = dict.fromkeys(nominal, "string")
        frame = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=text)
    for name in frame:
        column = frame[name]
        if name in nominal:
            frame[name] = column.astype("string").astype(object).where(column.notna(), None)
        else:
            frame[name] = column.astype(np.float64)
    return frame
