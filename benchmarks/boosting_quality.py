"""How good boosting is with the defaults of each library, on the shared tables.

    python benchmarks/boosting_quality.py --kept results.jsonl
    python benchmarks/boosting_quality.py --rows 2000 --tables iris glass
    python benchmarks/boosting_quality.py --set learning_rate=0.05 max_depth=6

Five-fold cross-validation, the same folds for all, one thread. Every library gets what it takes
best: treewright the table as it is, the others categories of their own kind with missing values
(scikit-learn takes 255 categories, so that a column of more is codes to it). Parameters are the
defaults, but for the seed, the thread and the noise they make.

The loss is the logarithmic one (natural, per row, shares from 1e-7 up) or the root of the mean
squared error, over the rows of all folds; a row whose class the other folds do not have is left
out. Libraries are ranked on every table by their loss to four digits, equals sharing their ranks.
Seconds are the processor's, so that other work on the machine does not count.

`--set` gives treewright other parameters; `--kept` holds every result, and what is there is not
computed again: lines of a library are removed from it to measure anew.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # scikit-learn's threads, before it is loaded

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from tables import Table, as_categories, splitter, tables, words

import treewright as tw

MOST_CATEGORIES = 255  # of scikit-learn's columns
LEAST_SHARE = 1e-7  # single precision, in which some answer, knows no more


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a library did on a table: loss, share of right classes (or R2), seconds to fit once."""

    library: str
    table: str
    n_rows: int
    seed: int
    loss: float
    score: float
    seconds: float

    @property
    def key(self) -> tuple[str, str, int, int]:
        return self.library, self.table, self.n_rows, self.seed


# ---------------------------------------------------------------------- libraries
def as_few_categories(X: pd.DataFrame) -> pd.DataFrame:
    """Return columns of more categories than scikit-learn takes as codes."""
    X = as_categories(X)
    for name in X.select_dtypes("category"):
        codes = X[name].cat.codes
        if codes.max() >= MOST_CATEGORIES:
            X[name] = codes.where(codes >= 0).astype(np.float64)
    return X


def as_text(X: pd.DataFrame) -> pd.DataFrame:
    """Return missing categories as a category: CatBoost takes no others."""
    return X.fillna(dict.fromkeys(words(X), "missing"))


def _treewright(is_classification: bool, X: pd.DataFrame, settings: dict[str, Any]) -> Any:
    make = tw.GradientBoostingClassifier if is_classification else tw.GradientBoostingRegressor
    return make(random_state=0, n_jobs=1, **settings)


def _lightgbm(is_classification: bool, X: pd.DataFrame) -> Any:
    import lightgbm

    make = lightgbm.LGBMClassifier if is_classification else lightgbm.LGBMRegressor
    return make(random_state=0, n_jobs=1, verbose=-1)


def _xgboost(is_classification: bool, X: pd.DataFrame) -> Any:
    import xgboost

    make = xgboost.XGBClassifier if is_classification else xgboost.XGBRegressor
    return make(random_state=0, n_jobs=1, enable_categorical=True)


def _catboost(is_classification: bool, X: pd.DataFrame) -> Any:
    import catboost

    make = catboost.CatBoostClassifier if is_classification else catboost.CatBoostRegressor
    return make(
        random_seed=0,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
        cat_features=words(X),
    )


def _scikit_learn(is_classification: bool, X: pd.DataFrame) -> Any:
    make = HistGradientBoostingClassifier if is_classification else HistGradientBoostingRegressor
    return make(random_state=0)


Frame = Callable[[pd.DataFrame], pd.DataFrame]
PEERS: dict[str, tuple[Frame, Callable[[bool, pd.DataFrame], Any]]] = {
    "LightGBM": (as_categories, _lightgbm),
    "XGBoost": (as_categories, _xgboost),
    "CatBoost": (as_text, _catboost),
    "scikit-learn": (as_few_categories, _scikit_learn),
}


# ---------------------------------------------------------------------- measuring
def measured(library: str, table: Table, seed: int, settings: dict[str, Any]) -> Result:
    """Cross-validate a library on a table."""
    if library in PEERS:
        frame, make = PEERS[library]
        X = frame(table.X)
    else:
        X, make = table.X, lambda kind, X: _treewright(kind, X, settings)
    losses, hits, seconds = [], [], 0.0
    for learn, judge in splitter(table, seed).split(X, table.y):
        y = table.y[learn]
        if table.is_classification:
            classes, y = np.unique(y, return_inverse=True)
            judge = judge[np.isin(table.y[judge], classes)]
        model = make(table.is_classification, X)
        start = time.process_time()
        model.fit(X.iloc[learn], y)
        seconds += time.process_time() - start
        if table.is_classification:
            shares = np.asarray(model.predict_proba(X.iloc[judge]), dtype=np.float64)
            right = np.searchsorted(classes, table.y[judge])
            losses.append(-np.log(np.maximum(shares[np.arange(len(right)), right], LEAST_SHARE)))
            hits.append(shares.argmax(axis=1) == right)
        else:
            losses.append((np.asarray(model.predict(X.iloc[judge])) - table.y[judge]) ** 2)
    loss = float(np.concatenate(losses).mean())
    if table.is_classification:
        score = float(np.concatenate(hits).mean())
    else:
        loss, score = loss**0.5, 1.0 - loss / float(np.var(table.y))
    return Result(
        library=library,
        table=table.name,
        n_rows=len(table.y),
        seed=seed,
        loss=loss,
        score=score,
        seconds=seconds / 5,
    )


def kept_results(path: Path | None) -> dict[tuple[str, str, int, int], Result]:
    if path is None or not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    results = (Result(**json.loads(line)) for line in lines)
    return {result.key: result for result in results}


def ranks(losses: np.ndarray) -> np.ndarray:
    """Rank the libraries (columns) on every table (row) by loss to four digits."""
    rounded = np.array([[float(f"{loss:.4g}") for loss in row] for row in losses])
    return rankdata(rounded, axis=1)


# ---------------------------------------------------------------------- telling
def report(found: list[list[Result]], libraries: list[str]) -> None:
    losses = np.array([[each.loss for each in row] for row in found])
    scores = np.array([[each.score for each in row] for row in found])
    seconds = np.array([[each.seconds for each in row] for row in found])
    ranked = ranks(losses)
    print("| table | rows | " + " | ".join(libraries) + " |")
    print("|---|--:|" + "--:|" * len(libraries))
    for row, rank in zip(found, ranked, strict=True):
        cells = " | ".join(f"{r.loss:.4g} ({k:g})" for r, k in zip(row, rank, strict=True))
        print(f"| {row[0].table} | {row[0].n_rows:,} | {cells} |")
    for name, values in (
        ("**mean rank**", [f"**{value:.2f}**" for value in ranked.mean(axis=0)]),
        ("first", [f"{value}" for value in (ranked == 1).sum(axis=0)]),
        ("mean rank of accuracy, R2", [f"{v:.2f}" for v in rankdata(-scores, axis=1).mean(axis=0)]),
        ("mean accuracy, R2", [f"{value:.4f}" for value in scores.mean(axis=0)]),
        ("seconds a fit, all tables", [f"{value:.1f}" for value in seconds.sum(axis=0)]),
        ("median seconds a fit", [f"{value:.2f}" for value in np.median(seconds, axis=0)]),
    ):
        print(f"| {name} | | " + " | ".join(values) + " |")


def setting(text: str) -> tuple[str, Any]:
    name, value = text.split("=", 1)
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000, help="drawn of a larger table")
    parser.add_argument("--seed", type=int, default=0, help="of the folds")
    parser.add_argument("--tables", nargs="*", default=[], help="names; all if none is given")
    known = ["treewright", *PEERS]
    parser.add_argument("--libraries", nargs="*", default=known, choices=known)
    parser.add_argument("--set", nargs="*", default=[], type=setting, metavar="NAME=VALUE")
    parser.add_argument("--kept", type=Path, help="file of results")
    arguments = parser.parse_args()
    settings = dict(arguments.set)
    ours = " ".join(["treewright", *(f"{name}={value}" for name, value in settings.items())])
    libraries = [ours if name == "treewright" else name for name in arguments.libraries]
    kept = kept_results(arguments.kept)
    found = []
    for table in tables(arguments.tables, arguments.rows):
        row = []
        for library in libraries:
            result = kept.get((library, table.name, len(table.y), arguments.seed))
            if result is None:
                with warnings.catch_warnings():
                    # Classes of fewer than five rows; columns without a known value in a fold.
                    warnings.simplefilter("ignore", UserWarning)
                    result = measured(library, table, arguments.seed, settings)
                if arguments.kept is not None:
                    with arguments.kept.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(result)) + "\n")
            row.append(result)
        found.append(row)
    report(found, libraries)


if __name__ == "__main__":
    main()
