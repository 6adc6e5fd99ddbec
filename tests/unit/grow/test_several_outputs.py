"""Trees of several outputs: the split is the one that brute force finds, for any weights."""

from typing import Any

import numpy as np
import pytest

import treewright as tw


def table(n_rows: int, n_outputs: int, *, classes: bool) -> tuple[Any, Any]:
    rng = np.random.default_rng(n_outputs)
    X = rng.normal(size=(n_rows, 4)).round(1)  # many equal values
    Y = X @ rng.normal(size=(4, n_outputs)) + rng.normal(size=(n_rows, n_outputs))
    return X, np.digitize(Y, [-1.0, 1.0]) if classes else Y


def sides_impurity(Y: Any, weight: Any, left: Any, *, classes: bool) -> float:
    """Weight times impurity, summed over both sides and all outputs."""
    total = 0.0
    for side in (left, ~left):
        w = weight[side]
        for y in Y[side].T:
            if classes:
                shares = np.array([w[y == k].sum() for k in range(3)]) / w.sum()
                total += w.sum() * (1.0 - (shares**2).sum())
            else:
                total += (w * (y - np.average(y, weights=w)) ** 2).sum()
    return total


def least_impurity(X: Any, Y: Any, weight: Any, *, classes: bool) -> float:
    return min(
        sides_impurity(Y, weight, column <= cut, classes=classes)
        for column in X.T
        for cut in np.unique(column)[:-1]
    )


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("n_outputs", [2, 5, 8, 19])
@pytest.mark.parametrize("weights", ["none", "whole", "any"])
def test_no_cut_beats_the_one_found(classes: bool, n_outputs: int, weights: str) -> None:
    X, Y = table(120, n_outputs, classes=classes)
    rng = np.random.default_rng(3)
    weight = {
        "none": np.ones(len(X)),
        "whole": rng.integers(1, 5, len(X)).astype(float),
        "any": rng.random(len(X)) + 0.1,
    }[weights]
    make = tw.DecisionTreeClassifier if classes else tw.DecisionTreeRegressor
    tree = make(max_depth=1).fit(X, Y, None if weights == "none" else weight).tree_
    question = tree.question(0)
    found = sides_impurity(Y, weight, X[:, question.index] <= question.threshold, classes=classes)
    assert found == pytest.approx(least_impurity(X, Y, weight, classes=classes), rel=1e-12)


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_limits_hold_for_several_outputs(classes: bool, splitter: str) -> None:
    X, Y = table(300, 6, classes=classes)
    make = tw.DecisionTreeClassifier if classes else tw.DecisionTreeRegressor
    model = make(min_samples_leaf=7, splitter=splitter, random_state=0).fit(X, Y)
    assert np.bincount(model.apply(X))[np.unique(model.apply(X))].min() >= 7
    assert model.tree_.n_leaves > 8


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_one_output_written_several_times_is_one_output(splitter: str) -> None:
    X, Y = table(200, 2, classes=False)
    options: Any = {"splitter": splitter, "random_state": 1}
    one = tw.DecisionTreeRegressor(**options).fit(X, Y[:, 0])
    many = tw.DecisionTreeRegressor(**options).fit(X, np.repeat(Y[:, :1], 9, axis=1))
    assert np.array_equal(one.apply(X), many.apply(X))
    assert np.array_equal(np.repeat(one.predict(X)[:, None], 9, axis=1), many.predict(X))


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_whole_weights_are_copies_for_several_outputs(splitter: str) -> None:
    X, Y = table(150, 5, classes=False)
    copies = np.random.default_rng(5).integers(1, 4, len(X))
    options: Any = {"splitter": splitter, "random_state": 2}
    weighted = tw.DecisionTreeRegressor(**options).fit(X, Y, copies)
    written = tw.DecisionTreeRegressor(**options).fit(
        np.repeat(X, copies, axis=0), np.repeat(Y, copies, axis=0)
    )
    assert np.array_equal(weighted.predict(X), written.predict(X))


@pytest.mark.parametrize("max_features", [None, 1])
def test_forests_of_several_outputs_do_not_depend_on_threads(max_features: Any) -> None:
    X, Y = table(200, 10, classes=False)
    X = np.hstack([X] + [X[:, ::-1] * k for k in range(2, 7)])  # 24 columns: few are drawn
    answers = [
        tw.ExtraTreesRegressor(
            n_estimators=7, max_features=max_features, n_jobs=n_jobs, random_state=0
        )
        .fit(X, Y)
        .predict(X)
        for n_jobs in (1, 2)
    ]
    assert np.array_equal(*answers)
