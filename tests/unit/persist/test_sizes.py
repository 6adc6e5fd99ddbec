"""Files are small, and a forest loads about as fast as its bytes are read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import treewright as tw

_TIME = """
import sys, time, warnings
import treewright as tw
tw.load(sys.argv[2])
begun = time.process_time()
if sys.argv[1] == "read":
    with open(sys.argv[3], "rb") as file:
        kept = file.read()
else:
    kept = tw.load(sys.argv[3])
print(time.process_time() - begun)
"""


def rows(n: int) -> tuple[Any, Any]:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n, 10))
    return X, X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + generator.normal(size=n)


def test_a_small_boosted_model_takes_no_more_than_its_numbers(tmp_path: Path) -> None:
    X, y = rows(2000)
    model = tw.GradientBoostingClassifier(n_estimators=50, max_leaf_nodes=31, max_depth=None)
    tw.save(model.fit(X, y > 0), tmp_path / "m.tw")
    n_nodes = tw.persist.describe(tmp_path / "m.tw").size["nodes"]
    assert (tmp_path / "m.tw").stat().st_size < 18 * n_nodes + 10 * 255 * 8 + 8192  # and the cuts


@pytest.mark.slow
@pytest.mark.parametrize("numbers", [False, True])
def test_500_boosted_trees_of_63_leaves_take_less_than_a_megabyte(
    tmp_path: Path, numbers: bool
) -> None:
    X, y = rows(20_000)
    knobs: dict[str, Any] = {"n_estimators": 500, "max_leaf_nodes": 63, "max_depth": None}
    model = (
        tw.GradientBoostingRegressor(**knobs).fit(X, y)
        if numbers
        else tw.GradientBoostingClassifier(**knobs).fit(X, y > 0)
    )
    tw.save(model, tmp_path / "m.tw")
    assert tw.persist.describe(tmp_path / "m.tw").size["leaves"] > 31_000
    assert (tmp_path / "m.tw").stat().st_size < 1_000_000
    assert (tw.load(tmp_path / "m.tw").predict(X) == model.predict(X)).all()


@pytest.mark.slow
@pytest.mark.alone
def test_a_forest_loads_within_twice_the_time_of_reading(tmp_path: Path) -> None:
    X, y = rows(35_000)
    forest = tw.RandomForestClassifier(n_estimators=100, random_state=0).fit(X, y > 0)
    tw.save(forest, tmp_path / "forest.tw")
    tw.save(tw.RandomForestClassifier(n_estimators=2).fit(X[:50], y[:50] > 0), tmp_path / "a.tw")
    assert tw.persist.describe(tmp_path / "forest.tw").size["nodes"] > 900_000
    theirs = RandomForestClassifier(n_estimators=10, random_state=0).fit(X, y > 0)
    joblib.dump(theirs, tmp_path / "theirs.joblib")
    ours = os.path.getsize(tmp_path / "forest.tw")
    assert ours < 10 * os.path.getsize(tmp_path / "theirs.joblib") / 2

    def seconds(what: str) -> float:
        # In new processes: memory that was used before makes reading quicker than it ever is.
        given = [sys.executable, "-c", _TIME, what, "a.tw", "forest.tw"]
        times = [
            float(subprocess.run(given, cwd=tmp_path, check=True, capture_output=True).stdout)
            for _ in range(5)
        ]
        return min(times)

    assert seconds("load") < 2 * seconds("read")
