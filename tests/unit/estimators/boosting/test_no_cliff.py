"""More rows never make default boosting worse: there is one rule for all sizes."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import log_loss

from treewright import GradientBoostingClassifier, GradientBoostingRegressor

N_TEST = 5_000


def noisy_classes(n: int, generator: np.random.Generator) -> tuple[Any, Any]:
    X = generator.normal(size=(n, 8))
    score = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.5 * X[:, 3]
    return X, (score + generator.logistic(size=n) > 0).astype(int)


def rare_classes(n: int, generator: np.random.Generator) -> tuple[Any, Any]:
    X = generator.normal(size=(n, 6))
    return X, (X[:, 0] + X[:, 1] ** 2 + generator.logistic(size=n) > 5).astype(int)


def smooth_numbers(n: int, generator: np.random.Generator) -> tuple[Any, Any]:
    X = generator.random(size=(n, 6))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3]
    return X, y + generator.normal(size=n)


def losses(make: Callable[[int, np.random.Generator], Any], sizes: list[int]) -> list[float]:
    generator = np.random.default_rng(11)
    X, y = make(max(sizes), generator)
    X_test, y_test = make(N_TEST, generator)
    found = []
    for n in sizes:
        if y.dtype.kind == "f":
            told = GradientBoostingRegressor().fit(X[:n], y[:n]).predict(X_test)
            found.append(float(np.mean((told - y_test) ** 2)))
        else:
            model = GradientBoostingClassifier().fit(X[:n], y[:n])
            found.append(log_loss(y_test, model.predict_proba(X_test)))
    return found


TABLES = [noisy_classes, rare_classes, smooth_numbers]


@pytest.mark.parametrize("make", TABLES)
def test_one_row_more_is_no_cliff(make: Any) -> None:
    before, after = losses(make, [9_999, 10_001])
    assert after < 1.02 * before


@pytest.mark.slow
@pytest.mark.parametrize("make", TABLES)
def test_the_loss_never_rises_with_the_rows(make: Any) -> None:
    found = losses(make, [1_000, 2_000, 5_000, 9_999, 10_001, 20_000, 35_000, 50_000])
    for fewer, more in pairwise(found):
        assert more < 1.015 * fewer
