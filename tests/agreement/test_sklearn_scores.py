"""Cross-validated scores on numeric shared tables, against scikit-learn's on the same folds.

Both grow the best tree but break ties differently, so single folds differ. scikit-learn's score of
a fold is the mean over three seeds. "Within noise" means: over the folds, the mean difference is
at most two of its standard errors, or at most half a point of accuracy or 2% of the error.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn import tree

from agreement.shared_tables import entries, folds, needs_shared, numeric_table
from treewright import DecisionTreeClassifier, DecisionTreeRegressor

pytestmark = needs_shared

CLASSES = (
    "diabetes",
    "glass",
    "heart_statlog",
    "ionosphere",
    "letter",
    "page_blocks",
    "segment",
    "vehicle",
    "waveform",
    "yeast6",
)
NUMBERS = ("auto_mpg", "bike_sharing", "cpu_with_vendor", "housing")
SEEDS = (0, 1, 2)


def score(model: Any, X: Any, y: Any, tested: npt.NDArray[np.bool_]) -> float:
    """Accuracy, or root mean squared error, on the tested rows of a model fitted to the others."""
    predicted = model.fit(X[~tested], y[~tested]).predict(X[tested])
    if isinstance(model, DecisionTreeClassifier | tree.DecisionTreeClassifier):
        return float(np.mean(predicted == y[tested]))
    return float(np.sqrt(np.mean((predicted - y[tested]) ** 2)))


def compare_folds(
    name: str, ours: Any, theirs: Callable[[int], Any]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    X, y = numeric_table(name)
    if entries()[name].is_classification:
        y = np.unique(y, return_inverse=True)[1]
    mine, others = [], []
    for fold in range(10):
        tested = folds(name) == fold
        mine.append(score(ours, X, y, tested))
        others.append(np.mean([score(theirs(seed), X, y, tested) for seed in SEEDS]))
    return np.array(mine), np.array(others)


def assert_within_noise(
    mine: npt.NDArray[np.float64],
    others: npt.NDArray[np.float64],
    slack: float,
) -> None:
    difference = mine - others
    mean, error = difference.mean(), difference.std(ddof=1) / np.sqrt(len(difference))
    print(f"{mine.mean():.5f} against {others.mean():.5f}, +- {error:.5f}")
    assert abs(mean) <= max(2 * error, slack), (mine.mean(), others.mean(), error)


@pytest.mark.parametrize("options", [{}, {"min_samples_leaf": 5}], ids=str)
@pytest.mark.parametrize("name", CLASSES)
def test_accuracy_is_scikit_learn_s(
    name: str,
    options: dict[str, Any],
) -> None:
    mine, others = compare_folds(
        name,
        DecisionTreeClassifier(**options),
        lambda seed: tree.DecisionTreeClassifier(random_state=seed, **options),
    )
    assert_within_noise(mine, others, 0.005)


@pytest.mark.parametrize("options", [{}, {"min_samples_leaf": 5}], ids=str)
@pytest.mark.parametrize("name", NUMBERS)
def test_error_is_scikit_learn_s(
    name: str,
    options: dict[str, Any],
) -> None:
    mine, others = compare_folds(
        name,
        DecisionTreeRegressor(**options),
        lambda seed: tree.DecisionTreeRegressor(random_state=seed, **options),
    )
    assert_within_noise(mine, others, 0.02 * float(others.mean()))
