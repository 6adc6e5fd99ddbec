"""Cross-validated scores on numeric shared tables, against scikit-learn's on the same folds.

Both grow the best tree but break ties differently: we take the first column, scikit-learn draws
the order of the columns. So ours is run with several orders of the columns and scikit-learn with
several seeds. "Within noise" means: the difference of the means is at most two of its standard
errors (over the folds, paired, and over the orders and seeds), or at most half a point of accuracy
or 2% of the error.
"""

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
N_ORDERS = 4
N_SEEDS = 3


def score(model: Any, X: Any, y: Any, tested: npt.NDArray[np.bool_]) -> float:
    """Accuracy, or root mean squared error, on the tested rows of a model fitted to the others."""
    predicted = model.fit(X[~tested], y[~tested]).predict(X[tested])
    if isinstance(model, DecisionTreeClassifier | tree.DecisionTreeClassifier):
        return float(np.mean(predicted == y[tested]))
    return float(np.sqrt(np.mean((predicted - y[tested]) ** 2)))


def compare(name: str, ours: Any, theirs: Any, *, slack: float) -> None:
    X, y = numeric_table(name)
    if entries()[name].is_classification:
        y = np.unique(y, return_inverse=True)[1]
    parts = [folds(name) == fold for fold in range(10)]
    generator = np.random.default_rng(0)
    orders = [np.arange(X.shape[1])]
    orders += [generator.permutation(X.shape[1]) for _ in range(N_ORDERS - 1)]
    mine = np.array([[score(ours, X[:, order], y, part) for part in parts] for order in orders])
    others = np.array(
        [
            [score(theirs.set_params(random_state=seed), X, y, part) for part in parts]
            for seed in range(N_SEEDS)
        ]
    )
    difference = mine.mean(axis=0) - others.mean(axis=0)
    error = np.sqrt(
        difference.var(ddof=1) / len(parts)
        + mine.mean(axis=1).var(ddof=1) / N_ORDERS
        + others.mean(axis=1).var(ddof=1) / N_SEEDS
    )
    print(f"{name}: {mine.mean():.5f} against {others.mean():.5f}, +- {error:.5f}")
    allowed = max(2 * error, slack * (others.mean() if name in NUMBERS else 1.0))
    assert abs(difference.mean()) <= allowed, (mine.mean(), others.mean(), error)


@pytest.mark.parametrize("name", CLASSES)
def test_accuracy_is_scikit_learn_s(name: str) -> None:
    compare(name, DecisionTreeClassifier(), tree.DecisionTreeClassifier(), slack=0.005)


@pytest.mark.parametrize("name", ["diabetes", "glass", "segment", "vehicle"])
def test_accuracy_of_limited_trees_is_scikit_learn_s(name: str) -> None:
    ours = DecisionTreeClassifier(min_samples_leaf=5)
    compare(name, ours, tree.DecisionTreeClassifier(min_samples_leaf=5), slack=0.005)


@pytest.mark.parametrize("name", NUMBERS)
def test_error_is_scikit_learn_s(name: str) -> None:
    compare(name, DecisionTreeRegressor(), tree.DecisionTreeRegressor(), slack=0.02)


@pytest.mark.parametrize("name", ["auto_mpg", "cpu_with_vendor", "housing"])
def test_error_of_limited_trees_is_scikit_learn_s(name: str) -> None:
    ours = DecisionTreeRegressor(min_samples_leaf=5)
    compare(name, ours, tree.DecisionTreeRegressor(min_samples_leaf=5), slack=0.02)
