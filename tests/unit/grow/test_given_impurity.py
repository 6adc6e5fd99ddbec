"""A criterion that the user gives: the same tree as the built-in one, its working, its errors."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from treewright import (
    BaggingRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    load_example,
)
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


def variance(weight: Any, total: Any, squares: Any) -> Any:
    return squares / weight - (total / weight) ** 2


def numbers(n_rows: int = 150, *, level: float = 0.0) -> tuple[Any, Any, Any]:
    generator = np.random.default_rng(0)
    x = generator.normal(size=n_rows).round(2)
    colour = generator.choice(["red", "green", "blue"], size=n_rows)
    y = level + 2.0 * (x > 0.3) + (colour == "red") + generator.normal(size=n_rows).round(3)
    lacks = generator.random(n_rows) < 0.2
    table = {"x": np.where(lacks, np.nan, x), "colour": colour.tolist()}
    return table, y, generator.integers(1, 4, n_rows).astype(float)


@pytest.mark.parametrize("level", [0.0, 1000.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"nominal": "multiway"},
        {"missing": "divide"},
        {"splitter": "random"},
        {"max_leaf_nodes": 6},
    ],
    ids=str,
)
def test_the_variance_of_numbers_grows_the_tree_of_squared_error(
    options: dict[str, Any], weighted: bool, level: float
) -> None:
    X, y, weight = numbers(level=level)
    own = DecisionTreeRegressor(criterion=variance, min_samples_leaf=4, **options)
    built_in = clone(own).set_params(criterion="squared_error")
    first = own.fit(X, y, weight if weighted else None).tree_
    second = built_in.fit(X, y, weight if weighted else None).tree_
    np.testing.assert_array_equal(first.arrays.column, second.arrays.column)
    np.testing.assert_array_equal(first.arrays.threshold, second.arrays.threshold)
    np.testing.assert_array_equal(first.arrays.value, second.arrays.value)
    assert first.arrays.impurity == pytest.approx(second.arrays.impurity, abs=1e-7)
    assert first.arrays.gain == pytest.approx(second.arrays.gain, abs=1e-7)


def test_a_criterion_of_numbers_that_no_name_has() -> None:
    """Spread over level: rows of low numbers are parted more finely."""

    def coefficient_of_variation(weight: Any, total: Any, squares: Any) -> Any:
        spread = np.sqrt(np.maximum(squares / weight - (total / weight) ** 2, 0.0))
        return spread / np.maximum(np.abs(total / weight), 1e-9)

    X = {"x": np.arange(40.0)}
    y = np.where(np.arange(40) < 20, 1.0 + np.arange(40) % 20 / 10, 100.0 + np.arange(40) % 20)
    tree = (
        DecisionTreeRegressor(criterion=coefficient_of_variation, max_leaf_nodes=3).fit(X, y).tree_
    )
    assert tree.arrays.threshold[0] == 19.5
    assert tree.is_leaf(2)  # 100 to 119 vary little, 1 to 2.9 much
    assert not tree.is_leaf(1)
    whole = coefficient_of_variation(40.0, y.sum(), (y**2).sum())
    assert tree.arrays.impurity[0] == pytest.approx(whole)
    left, right = y[:20], y[20:]
    after = [coefficient_of_variation(20.0, part.sum(), (part**2).sum()) for part in (left, right)]
    assert tree.arrays.gain[0] == pytest.approx(whole - np.mean(after))


def test_several_targets_and_limits_by_it() -> None:
    X, y, _ = numbers()
    both = np.column_stack([y, -y])
    own = DecisionTreeRegressor(criterion=variance, max_depth=3, min_impurity=0.5).fit(X, both)
    built_in = DecisionTreeRegressor(max_depth=3, min_impurity=0.5).fit(X, both)
    np.testing.assert_array_equal(own.predict(X), built_in.predict(X))


def test_the_table_of_candidates_of_numbers_shows_it() -> None:
    X, y, _ = numbers()
    shown = DecisionTreeRegressor(criterion=variance).fit(X, y).why(0)
    built_in = DecisionTreeRegressor().fit(X, y).why(0)
    assert shown.measure == "impurity"
    for ours, theirs in zip(shown.candidates, built_in.candidates, strict=True):
        assert ours.gain == pytest.approx(theirs.gain)
        for first, second in zip(ours.branches, theirs.branches, strict=True):
            assert first.impurity == pytest.approx(second.impurity)
    assert "impurity" in DecisionTreeRegressor(criterion=variance).fit(X, y).text()


def test_numbers_of_any_size_are_given_as_they_are() -> None:
    seen: list[float] = []

    def watched(weight: Any, total: Any, squares: Any) -> Any:
        seen.extend(total / weight)
        return variance(weight, total, squares)

    X, y, _ = numbers()
    DecisionTreeRegressor(criterion=watched, max_depth=2).fit(X, y * 1e120)
    assert 1e118 < max(map(abs, seen)) < 1e122


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda w, s, q: 0.0,
            r"for every set of rows, an array of shape \(\d,\), but it returned a",
        ),
        (len, "must take the weight, the sum and the sum of squares"),
        (lambda counts: counts, "must take the weight, the sum and the sum of squares"),
        (lambda w, s, q: w * np.nan, "returned nan for the weight, sum and sum of squares"),
    ],
)
def test_answers_about_numbers_are_checked(function: Any, message: str) -> None:
    X, y, _ = numbers()
    with pytest.raises(ParameterError, match=message):
        DecisionTreeRegressor(criterion=function).fit(X, y)


def test_forests_take_such_a_tree() -> None:
    X, y, _ = numbers()
    own = BaggingRegressor(DecisionTreeRegressor(criterion=variance), n_estimators=3, n_jobs=2)
    built_in = BaggingRegressor(DecisionTreeRegressor(), n_estimators=3)
    assert own.fit(X, y).predict(X) == pytest.approx(built_in.fit(X, y).predict(X))


def test_rows_cannot_fill_it() -> None:
    X, y, _ = numbers()
    tree = DecisionTreeRegressor(criterion=variance, max_depth=1).fit(X, y).tree_
    with pytest.raises(UnsupportedError, match="by a criterion of your own"):
        tree.refit(X, y)
