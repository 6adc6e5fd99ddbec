"""How much calibration and intervals gain on the shared tables, beside scikit-learn and MAPIE.

    python benchmarks/certainty.py calibration
    python benchmarks/certainty.py intervals    # needs MAPIE (pip install mapie)

Calibration: five folds; log loss (shares from 1e-7 up) and processor seconds to fit, of our
``calibrate=`` and of scikit-learn's ``CalibratedClassifierCV`` with five folds around the same
learner; then for each learner the medians over the tables of ratios to scikit-learn's. Intervals:
several divisions of a table; coverage and mean width at level 0.9, ours and MAPIE's CV+ with five
folds around the same learner, on tables as codes and numbers, which MAPIE takes.
"""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import train_test_split
from tables import Table, splitter, tables

import treewright as tw

CLASSES = [
    "heart_c",
    "ionosphere",
    "diabetes",
    "vehicle",
    "tic_tac_toe",
    "credit_g",
    "flare_f",
    "car",
    "segment",
    "splice",
]
NUMBERS = [
    "servo",
    "cpu_with_vendor",
    "auto_mpg",
    "housing",
    "bike_sharing",
    "california_housing",
    "diamonds",
    "nycflights",
]
OTHER_TARGETS = ["segment", "waveform"]  # their last numeric column, for ten tables
LEAST_SHARE = 1e-7


def classifiers() -> dict[str, Any]:
    """Return the learners that are calibrated."""
    return {
        "tree": tw.DecisionTreeClassifier(),
        "forest": tw.RandomForestClassifier(random_state=0),
        "boosting": tw.GradientBoostingClassifier(),
        "adaboost": tw.AdaBoostClassifier(),
    }


def regressors() -> dict[str, Any]:
    """Return the learners whose intervals are compared."""
    return {
        "tree": tw.DecisionTreeRegressor(min_samples_leaf=5),
        "forest": tw.RandomForestRegressor(random_state=0),
        "boosting": tw.GradientBoostingRegressor(n_estimators=100, learning_rate=0.1, max_depth=4),
    }


def calibration() -> None:
    """Print log losses and times, and their medians over the tables."""
    ways = {
        "plain": lambda learner: clone(learner),
        "temperature": lambda learner: clone(learner).set_params(calibrate="temperature"),
        "isotonic": lambda learner: clone(learner).set_params(calibrate="isotonic"),
        "sklearn sigmoid": lambda learner: CalibratedClassifierCV(clone(learner), cv=5),
        "sklearn isotonic": lambda learner: CalibratedClassifierCV(
            clone(learner), cv=5, method="isotonic"
        ),
    }
    losses: dict[str, list[list[float]]] = {}
    times: dict[str, list[list[float]]] = {}
    for table in tables(CLASSES, 3000):
        codes = np.unique(table.y, return_inverse=True)[1]
        for name, learner in classifiers().items():
            found = np.zeros((2, len(ways)))
            for learn, judge in splitter(table, 0).split(table.X, codes):
                for way, make in enumerate(ways.values()):
                    begin = time.process_time()
                    model = make(learner).fit(table.X.iloc[learn], codes[learn])
                    found[1, way] += time.process_time() - begin
                    told = model.predict_proba(table.X.iloc[judge])
                    shares = told[np.arange(len(judge)), codes[judge]]
                    found[0, way] -= np.log(np.maximum(shares, LEAST_SHARE)).sum() / len(codes)
            losses.setdefault(name, []).append(found[0].tolist())
            times.setdefault(name, []).append(found[1].tolist())
            told_losses = "  ".join(f"{each:7.4f}" for each in found[0])
            told_times = "  ".join(f"{each:6.2f}" for each in found[1])
            print(f"{table.name:12} {name:9} {told_losses}   s {told_times}", flush=True)
    for name in losses:
        print()
        _print_ratios(name, list(ways), np.array(losses[name]), np.array(times[name]))


def _print_ratios(learner: str, ways: list[str], losses: np.ndarray, times: np.ndarray) -> None:
    """Print medians over tables of losses and times divided by scikit-learn's, the last two."""
    rivals = {
        "sigmoid": losses[:, 3],
        "isotonic": losses[:, 4],
        "better of both": losses[:, 3:].min(axis=1),
    }
    for number, way in enumerate(ways):
        ratios = "  ".join(
            f"/ {rival} {np.median(losses[:, number] / theirs):.3f}"
            for rival, theirs in rivals.items()
        )
        spent = np.median(times[:, number] / times[:, 3])
        print(f"{learner:9} {way:16} loss {ratios}   time / sigmoid's {spent:.2f}")


def intervals() -> None:
    """Print coverage and widths, and the median ratio of widths over the tables."""
    from mapie.regression import CrossConformalRegressor

    ratios: dict[str, list[float]] = {}
    for table in tables(NUMBERS + OTHER_TARGETS, 3000):
        X, y = as_numbers(table)
        for name, learner in regressors().items():
            found = []
            for seed in range(4 if len(y) < 1000 else 2):
                parts = train_test_split(X, y, test_size=0.3, random_state=seed)
                learn, judge, of_learn, of_judge = parts
                ours = clone(learner).fit(learn, of_learn).predict_interval(judge, 0.9)
                other = CrossConformalRegressor(clone(learner), confidence_level=0.9, cv=5)
                other.fit_conformalize(learn.to_numpy(), of_learn)
                theirs = other.predict_interval(judge.to_numpy())[1][:, :, 0]
                found.append([figure for ends in (ours, theirs) for figure in told(ends, of_judge)])
            covered, width, their_covered, their_width = np.mean(found, axis=0)
            ratios.setdefault(name, []).append(width / their_width)
            print(
                f"{table.name:20} {name:9} covered {covered:.3f} (MAPIE {their_covered:.3f})"
                f"  width / MAPIE's {width / their_width:.3f}",
                flush=True,
            )
    for name, each in ratios.items():
        print(f"{name}: median width / MAPIE's {np.median(each):.3f}, largest {max(each):.3f}")


def told(ends: Any, y: Any) -> tuple[float, float]:
    """Return the share of targets that intervals cover, and their mean width."""
    low, high = np.asarray(ends).T
    return float(np.mean((low <= y) & (y <= high))), float(np.mean(high - low))


def as_numbers(table: Table) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a table as numbers: names as codes, -1 where a value is missing."""
    X, y = table.X, table.y
    if table.is_classification:
        last = [name for name in X if X[name].dtype.kind == "f"][-1]
        X, y = X.drop(columns=last), X[last].to_numpy()
    coded = {
        name: pd.factorize(X[name])[0].astype(float) if X[name].dtype.kind == "O" else X[name]
        for name in X
    }
    known = ~np.isnan(y)
    return pd.DataFrame(coded).fillna(-1.0)[known], y[known]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    {"calibration": calibration, "intervals": intervals}[sys.argv[1]]()
