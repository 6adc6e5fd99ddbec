"""A criterion that the user gives: the same tree as the built-in one, its working, its errors."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from treewright import DecisionTreeClassifier, DecisionTreeRegressor, load_example
from treewright.errors import ParameterError, UnsupportedError

PLAY = load_example("play_tennis")
IRIS = load_example("iris")


def gini(counts: Any) -> Any:
    shares = counts / counts.sum(axis=-1, keepdims=True)
    return 1.0 - (shares**2).sum(axis=-1)


def entropy(counts: Any) -> Any:
    shares = counts / counts.sum(axis=-1, keepdims=True)
    return -(shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=-1)


@pytest.mark.parametrize(("function", "name"), [(gini, "gini"), (entropy, "entropy")])
@pytest.mark.parametrize("table", [PLAY, IRIS], ids=["play_tennis", "iris"])
@pytest.mark.parametrize("options", [{}, {"nominal": "multiway"}, {"missing": "divide"}])
def test_the_tree_is_that_of_the_built_in_criterion(
    function: Any, name: str, table: Any, options: dict[str, Any]
) -> None:
    weight = np.random.default_rng(0).integers(1, 4, len(table.y)).astype(float)
    own = DecisionTreeClassifier(criterion=function, max_depth=3, **options)
    built_in = clone(own).set_params(criterion=name)
    first = own.fit(table.X, table.y, weight).tree_
    second = built_in.fit(table.X, table.y, weight).tree_
    assert first.text() == second.text()
    assert first.arrays.impurity == pytest.approx(second.arrays.impurity, abs=1e-12)
    assert first.arrays.gain == pytest.approx(second.arrays.gain, abs=1e-12)
    assert own.feature_importances_ == pytest.approx(built_in.feature_importances_, abs=1e-12)


def test_rows_with_gaps_and_several_outputs() -> None:
    generator = np.random.default_rng(1)
    X = generator.normal(size=(80, 3))
    X[generator.random(X.shape) < 0.2] = np.nan
    y = generator.integers(0, 3, (80, 2))
    own = DecisionTreeClassifier(criterion=gini, max_depth=4).fit(X, y)
    built_in = DecisionTreeClassifier(max_depth=4).fit(X, y)
    assert np.array_equal(own.predict(X), built_in.predict(X))


def test_the_table_of_candidates_shows_it() -> None:
    model = DecisionTreeClassifier(criterion=gini).fit(PLAY.X, PLAY.y)
    shown = model.why(0)
    assert shown.measure == "impurity"
    built_in = DecisionTreeClassifier().fit(PLAY.X, PLAY.y).why(0)
    assert [row.gain for row in shown.candidates] == pytest.approx(
        [row.gain for row in built_in.candidates]
    )


def test_what_is_asked_are_weights_of_rows_that_exist() -> None:
    seen: list[Any] = []

    def watched(counts: Any) -> Any:
        seen.append(counts.copy())
        counts[:] = -1.0  # changes nothing but its own copy
        return gini(seen[-1])

    model = DecisionTreeClassifier(criterion=watched, random_state=0).fit(PLAY.X, PLAY.y)
    assert all((each.sum(axis=1) > 0).all() for each in seen)
    assert model.text() == DecisionTreeClassifier(criterion=gini).fit(PLAY.X, PLAY.y).text()


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda counts: counts, r"an array of shape \(\d,\), but it returned a ndarray of shape"),
        (lambda counts: None, "but it returned a NoneType"),
        (
            lambda counts: np.full(len(counts), np.nan),
            r"returned nan for the class weights \[5.0, 9",
        ),
    ],
)
def test_answers_are_checked(function: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        DecisionTreeClassifier(criterion=function).fit(PLAY.X, PLAY.y)


def test_what_it_raises_is_raised() -> None:
    def broken(counts: Any) -> Any:
        raise ZeroDivisionError("as it happens")

    model = DecisionTreeClassifier(criterion=broken)
    with pytest.raises(ZeroDivisionError, match="as it happens"):
        model.fit(PLAY.X, PLAY.y)
    assert not hasattr(model, "tree_")


def test_numbers_have_criteria_of_their_own() -> None:
    with pytest.raises(UnsupportedError, match="works in DecisionTreeClassifier"):
        DecisionTreeRegressor(criterion=gini).fit([[1.0], [2.0]], [1.0, 2.0])
