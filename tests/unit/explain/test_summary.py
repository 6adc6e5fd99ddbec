"""The summary of one tree and of boosted trees."""

import json

import numpy as np
import pytest

from treewright import (
    C45Classifier,
    CARTClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingRegressor,
    M5Regressor,
    load_example,
)

IRIS = load_example("iris")
GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(60, 3))
Y = X[:, 0] + GENERATOR.normal(size=60)


@pytest.mark.parametrize("model", [C45Classifier(), DecisionTreeClassifier(max_depth=2)])
def test_the_error_is_that_of_the_training_rows(model: C45Classifier) -> None:
    model.fit(IRIS.X, IRIS.y)
    summary = model.summary()
    assert summary.error == pytest.approx(1.0 - model.score(IRIS.X, IRIS.y))
    assert summary.n_leaves == model.tree_.n_leaves
    assert summary.n_rows == 150
    assert sum(share for _, share in summary.columns) == pytest.approx(1.0)


def test_a_regression_tree_tells_the_root_of_its_squared_error() -> None:
    model = DecisionTreeRegressor(max_depth=3).fit(X, Y)
    assert model.summary().error == pytest.approx(np.sqrt(np.mean((model.predict(X) - Y) ** 2)))
    assert M5Regressor().fit(X, Y).summary().error is None  # lines, not means


def test_pruning_shows() -> None:
    pruned = CARTClassifier(cp=0.5).fit(IRIS.X, IRIS.y).summary()
    assert pruned.n_leaves_before is not None
    assert "before pruning" in str(pruned)
    assert "before pruning" not in str(DecisionTreeClassifier().fit(IRIS.X, IRIS.y).summary())


def test_boosting_tells_its_rounds_and_how_they_were_chosen() -> None:
    model = GradientBoostingRegressor().fit(X, Y)
    summary = model.summary()
    assert summary.n_rounds == model.n_iter_ == model.choice_.best.n_rounds
    assert summary.learning_rate == model.choice_.best.learning_rate
    assert "chosen" in str(summary)
    given = GradientBoostingRegressor(n_estimators=5, learning_rate=0.3).fit(X, Y).summary()
    assert (given.n_rounds, given.learning_rate, given.choice) == (5, 0.3, None)
    assert np.isnan(given.validation_loss)


def test_as_plain_figures() -> None:
    for summary in (
        C45Classifier().fit(IRIS.X, IRIS.y).summary(),
        GradientBoostingRegressor(n_estimators=3).fit(X, Y).summary(),
    ):
        json.dumps(summary.to_dict(), allow_nan=False)
        assert summary.text(ascii=True).isascii()
        assert max(map(len, str(summary).splitlines())) <= 80
