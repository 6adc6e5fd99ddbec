"""The out-of-bag error is the error on new rows: it agrees with 10-fold cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
)
from sklearn.model_selection import StratifiedKFold, cross_val_score

from treewright import RandomForestClassifier

MADE = make_classification(1500, 20, n_informative=6, n_classes=3, random_state=0)
TABLES: list[Any] = [
    # One row of a small table is most of a point: means over several seeds are compared.
    pytest.param(*load_breast_cancer(return_X_y=True), 3, id="breast_cancer"),
    pytest.param(*load_wine(return_X_y=True), 8, id="wine"),
    pytest.param(*load_iris(return_X_y=True), 8, id="iris"),
    pytest.param(*load_digits(return_X_y=True), 1, id="digits"),
    pytest.param(*MADE, 3, id="made"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("X", "y", "n_seeds"), TABLES)
def test_within_one_point_of_cross_validation(X: Any, y: Any, n_seeds: int) -> None:
    out_of_bag, new_rows = [], []
    for seed in range(n_seeds):
        forest = RandomForestClassifier(150, random_state=seed, n_jobs=2)
        out_of_bag.append(forest.fit(X, y).out_of_bag().error)
        folds = StratifiedKFold(10, shuffle=True, random_state=seed)
        new_rows.append(1 - cross_val_score(forest, X, y, cv=folds).mean())
    assert np.mean(out_of_bag) == pytest.approx(np.mean(new_rows), abs=0.01)
