"""How good forests are, side by side with scikit-learn's, on the shared tables.

    python benchmarks/forest_quality.py
    python benchmarks/forest_quality.py --seeds 4 --rows 1000 --tables iris glass

Five-fold cross-validation with equal folds, trees and seeds; points are per cent of accuracy, or of
the coefficient of determination. Two groups of tables:

- *numeric*: no nominal column and no missing value, so that both learn from the very same numbers;
  of tables for regression, all of which have nominal columns, the complete numeric columns.
- *mixed*: treewright takes them as they are; scikit-learn gets medians and most frequent values for
  what is missing, and one column for each nominal value (at most 100, the rarest sharing one).
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import ensemble
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from tables import Table, splitter, tables

import treewright as tw

KINDS = ("RandomForest", "ExtraTrees")
MOST_VALUES = 100  # of a nominal column as columns of numbers; the rarest share one


@dataclass(frozen=True, kw_only=True)
class Study(Table):
    """What is compared: a table, or the numeric columns of one."""

    is_numeric: bool


def studies(names: list[str], n_rows: int) -> Iterator[Study]:
    """Read the tables, the small ones first."""
    for table in tables(names, n_rows):
        numbers = table.X.select_dtypes("number").dropna(axis=1)
        is_numeric = numbers.shape[1] == table.X.shape[1]
        yield Study(**vars(table), is_numeric=is_numeric)
        if not is_numeric and not table.is_classification and numbers.shape[1]:
            yield Study(**vars(table) | {"X": numbers}, is_numeric=True)


def learners(study: Study, kind: str, n_trees: int, seed: int) -> dict[str, Any]:
    """Return both forests, with scikit-learn's defaults."""
    name = kind + ("Classifier" if study.is_classification else "Regressor")
    settings = {"n_estimators": n_trees, "random_state": seed, "n_jobs": 1}
    theirs = getattr(ensemble, name)(**settings)
    if not study.is_numeric:
        words = make_pipeline(
            SimpleImputer(missing_values=None, strategy="most_frequent"),
            OneHotEncoder(
                handle_unknown="infrequent_if_exist",
                max_categories=MOST_VALUES,
                sparse_output=False,
            ),
        )
        is_number = make_column_selector(dtype_include="number")
        is_word = make_column_selector(dtype_exclude="number")
        theirs = make_pipeline(
            make_column_transformer(
                (SimpleImputer(strategy="median"), is_number), (words, is_word)
            ),
            theirs,
        )
    return {"treewright": getattr(tw, name)(**settings), "scikit-learn": theirs}


def scores(study: Study, kind: str, n_trees: int, seed: int) -> tuple[float, float]:
    """Return the mean of five folds in points: ours, theirs."""
    cv = splitter(study, seed)
    with warnings.catch_warnings():
        # Classes of fewer than five rows, and columns without a known value in a fold.
        warnings.simplefilter("ignore", UserWarning)
        ours, theirs = (
            100 * float(cross_val_score(model, study.X, study.y, cv=cv, error_score="raise").mean())
            for model in learners(study, kind, n_trees, seed).values()
        )
    return ours, theirs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--rows", type=int, default=2_000, help="drawn of a larger table")
    parser.add_argument("--seeds", type=int, default=1, help="repeats, with other folds and trees")
    parser.add_argument("--tables", nargs="*", default=[], help="names; all if none is given")
    parser.add_argument("--group", choices=("numeric", "mixed"), help="both if not given")
    arguments = parser.parse_args()
    start = time.perf_counter()
    found: dict[str, list[np.ndarray]] = {"numeric": [], "mixed": []}
    print(f"{arguments.trees} trees, 5 folds x {arguments.seeds} seeds, <= {arguments.rows:,} rows")
    print("| table | group | rows | " + " | ".join(f"{k} | scikit-learn" for k in KINDS) + " |")
    print("|---|---|--:|" + "--:|" * 2 * len(KINDS))
    for study in studies(arguments.tables, arguments.rows):
        group = "numeric" if study.is_numeric else "mixed"
        if arguments.group not in (None, group):
            continue
        by_seed = [
            [scores(study, kind, arguments.trees, seed) for kind in KINDS]
            for seed in range(arguments.seeds)
        ]
        means = np.mean(by_seed, axis=0)
        found[group].append(means)
        shown = " | ".join(f"{score:.2f}" for score in means.flat)
        print(f"| {study.name} | {group} | {len(study.y):,} | {shown} |", flush=True)
    for group, of_group in found.items():
        if not of_group:
            continue
        means = np.array(of_group)
        apart = means[:, :, 0] - means[:, :, 1]
        for k, kind in enumerate(KINDS):
            error = apart[:, k].std(ddof=1) / np.sqrt(len(apart)) if len(apart) > 1 else np.nan
            print(
                f"{group} tables ({len(apart)}), {kind}: {means[:, k, 0].mean():.2f}, scikit-learn"
                f" {means[:, k, 1].mean():.2f}, apart {apart[:, k].mean():+.2f} (standard error"
                f" {error:.2f}), median {np.median(apart[:, k]):+.2f}"
            )
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
