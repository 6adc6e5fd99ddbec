"""scikit-learn's pictures of partial dependence, boundaries and trees work with our estimators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.inspection import DecisionBoundaryDisplay, PartialDependenceDisplay, partial_dependence
from sklearn.tree import plot_tree

from treewright import (
    AdaBoostClassifier,
    CARTRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(150, 4))
CLASSES = np.where(X[:, 0] + X[:, 1] > 0.3, "yes", "no")
NUMBERS = X[:, 0] * 2 + np.abs(X[:, 1])
CLASSIFIERS = [
    DecisionTreeClassifier(max_depth=3),
    RandomForestClassifier(n_estimators=5, random_state=0),
    ExtraTreesClassifier(n_estimators=5, random_state=0),
    AdaBoostClassifier(n_estimators=5),
    GradientBoostingClassifier(n_estimators=5),
    HistGradientBoostingClassifier(max_iter=5),
]
REGRESSORS = [
    DecisionTreeRegressor(max_depth=3),
    CARTRegressor(),
    RandomForestRegressor(n_estimators=5, random_state=0),
    GradientBoostingRegressor(n_estimators=5),
    HistGradientBoostingRegressor(max_iter=5),
]
BOTH = [(model, CLASSES) for model in CLASSIFIERS] + [(model, NUMBERS) for model in REGRESSORS]


@pytest.fixture
def pyplot() -> Iterator[Any]:
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.mark.parametrize(("model", "target"), BOTH, ids=lambda each: type(each).__name__)
def test_partial_dependence_is_drawn_with_single_rows_and_pairs(
    model: Any, target: Any, pyplot: Any
) -> None:
    model.fit(X, target)
    shown = PartialDependenceDisplay.from_estimator(
        model, X, [0, 1, (0, 1)], kind=["both", "individual", "average"], grid_resolution=8
    )
    assert shown.axes_.shape[-1] == 3
    assert all(len(axes.lines) or axes.collections for axes in shown.axes_.ravel() if axes)


@pytest.mark.parametrize(("model", "target"), BOTH, ids=lambda each: type(each).__name__)
def test_their_means_by_any_method_are_ours(model: Any, target: Any) -> None:
    model.fit(X, target)
    # "recursion" weighs by training rows: another mean, of regression trees alone.
    theirs = partial_dependence(model, X, [1], method="brute", grid_resolution=9)
    ours = model.partial_dependence(X, 1, grid=theirs["grid_values"][0].tolist())
    mean = ours.mean.T[-len(theirs["average"]) :]
    np.testing.assert_allclose(mean, theirs["average"], rtol=1e-12, atol=1e-12)
    auto = partial_dependence(model, X, [1], grid_resolution=9)
    assert auto["average"].shape == theirs["average"].shape


def test_categories_are_bars_and_tables_keep_their_names(pyplot: Any) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    table = pandas.DataFrame(
        {"size": X[:, 0], "colour": np.array(["red", "blue", "green"])[RANDOM.integers(0, 3, 150)]}
    )
    model = GradientBoostingClassifier(n_estimators=5).fit(table, CLASSES)
    shown = PartialDependenceDisplay.from_estimator(
        model, table, ["size", "colour"], categorical_features=["colour"], grid_resolution=8
    )
    bars = [patch.get_height() for patch in shown.axes_.ravel()[1].patches]
    ours = model.partial_dependence(table, "colour")
    assert sorted(bars) == pytest.approx(sorted(ours.mean[:, 1].tolist()), rel=1e-12)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("response", ["auto", "predict", "predict_proba"])
def test_boundaries_are_drawn(model: Any, response: str, pyplot: Any) -> None:
    model.fit(X[:, :2], CLASSES)
    shown = DecisionBoundaryDisplay.from_estimator(
        model, X[:, :2], response_method=response, grid_resolution=12
    )
    assert shown.response.shape == (12, 12)


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda each: type(each).__name__)
def test_surfaces_of_regression_are_drawn(model: Any, pyplot: Any) -> None:
    model.fit(X[:, :2], NUMBERS)
    shown = DecisionBoundaryDisplay.from_estimator(model, X[:, :2], grid_resolution=12)
    assert np.ptp(shown.response) > 0


@pytest.mark.parametrize(
    "model", [DecisionTreeClassifier(max_depth=2), DecisionTreeRegressor(max_depth=2)]
)
def test_single_trees_are_plotted(model: Any, pyplot: Any) -> None:
    model.fit(X, CLASSES if isinstance(model, DecisionTreeClassifier) else NUMBERS)
    drawn = plot_tree(model, feature_names=list("abcd"), filled=True)
    assert len(drawn) >= model.tree_.n_nodes
    assert any("a <=" in each.get_text() for each in drawn)


def test_members_of_a_forest_are_plotted(pyplot: Any) -> None:
    forest = RandomForestClassifier(n_estimators=3, max_depth=2, random_state=0).fit(X, CLASSES)
    assert len(plot_tree(forest.estimators_[0])) >= forest.estimators_[0].tree_.n_nodes
