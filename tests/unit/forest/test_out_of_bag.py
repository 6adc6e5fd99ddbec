"""Out-of-bag estimates: both forms of trees, batches, threads, intervals, when to stop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import treewright as tw
from treewright.ensemble.ensemble import Ensemble, ListedTrees
from treewright.errors import ParameterError
from treewright.forest.early_stopping import StopRule
from treewright.forest.out_of_bag import OutOfBag, OutOfBagTally, out_of_bag
from treewright.forest.packed import PackedTrees
from treewright.measures import wilson_interval

RNG = np.random.default_rng(3)
X = RNG.normal(size=(300, 5))
SCORE = X[:, 0] - X[:, 1] * X[:, 2] + RNG.normal(scale=0.5, size=300)
CLASSES = np.digitize(SCORE, [-1, 1])


def forest_of(kind: Any = tw.RandomForestClassifier, y: Any = CLASSES, **options: Any) -> Any:
    return kind(**{"n_estimators": 30, "random_state": 1} | options).fit(X, y)


def listed(ensemble: Ensemble) -> Ensemble:
    """The same trees one by one, as those of other data are."""
    assert isinstance(ensemble.trees, PackedTrees)
    return ensemble._with(ListedTrees(list(ensemble)))


def same(one: OutOfBag, other: OutOfBag) -> None:
    np.testing.assert_array_equal(one.answers, other.answers)
    np.testing.assert_array_equal(one.n_trees, other.n_trees)
    np.testing.assert_array_equal(one.losses, other.losses)
    np.testing.assert_allclose(one.tree_errors, other.tree_errors, rtol=1e-12)
    np.testing.assert_allclose(one.curve, other.curve, rtol=1e-12)
    assert one.score == pytest.approx(other.score, rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "y", "options"),
    [
        (tw.RandomForestClassifier, CLASSES, {}),
        (tw.RandomForestClassifier, CLASSES, {"vote": "hard"}),
        (tw.RandomForestClassifier, CLASSES == 1, {"max_samples": 0.3}),
        (tw.RandomForestClassifier, CLASSES, {"sampling": "under", "n_estimators": 3}),
        (tw.ExtraTreesRegressor, SCORE, {"bootstrap": True}),
        (tw.RandomForestRegressor, SCORE, {"bootstrap": False, "max_samples": 0.6}),
    ],
)
def test_packed_and_listed_trees_say_the_same(kind: Any, y: Any, options: Any) -> None:
    forest = forest_of(kind, y, **options)
    same(forest.out_of_bag(), out_of_bag(forest._training, listed(forest.ensemble_)))


def test_many_blocks_of_rows_and_chunks_of_trees() -> None:
    table = RNG.normal(size=(20_000, 3)).astype(np.float32)
    y = (table[:, 0] + RNG.normal(size=20_000) > 0) * 1
    made = [
        tw.RandomForestClassifier(
            70, max_depth=4, max_samples=500, random_state=0, n_jobs=n_jobs
        ).fit(table, y)
        for n_jobs in (1, 2, 3)
    ]
    told = [forest.out_of_bag() for forest in made]
    for other in told[1:]:
        assert told[0].curve.tobytes() == other.curve.tobytes()
        assert told[0].tree_errors.tobytes() == other.tree_errors.tobytes()
        assert told[0].answers.tobytes() == other.answers.tobytes()
    same(told[0], out_of_bag(made[0]._training, listed(made[0].ensemble_)))


def test_threads_change_no_bit_of_an_error_of_numbers() -> None:
    table = RNG.normal(size=(20_000, 2))
    y = table[:, 0] + RNG.normal(size=20_000)
    weight = RNG.random(20_000)
    curves = [
        tw.RandomForestRegressor(5, max_depth=4, n_jobs=n_jobs)
        .fit(table, y, weight)
        .out_of_bag()
        .curve.tobytes()
        for n_jobs in (1, 2, 3)
    ]
    assert len(set(curves)) == 1


@pytest.mark.parametrize("one_by_one", [False, True])
def test_trees_may_be_added_in_batches(one_by_one: bool) -> None:
    forest = forest_of(tw.RandomForestRegressor, SCORE)
    problem = forest._training
    tally = OutOfBagTally(problem)
    for first, n_trees in ((0, 4), (4, 1), (5, 25)):
        batch = problem.grow(first, n_trees)
        # Forms may follow one another: a warm start on data with gaps.
        tally.add(listed(batch) if one_by_one and first == 4 else batch, first)
    same(tally.result(), forest.out_of_bag())


def test_costs_decide_which_class_trees_and_forest_are_for() -> None:
    costs = np.array([[0, 1], [20, 0]])
    base = tw.DecisionTreeClassifier(cost_matrix=costs, max_depth=3)
    cautious = tw.BaggingClassifier(base, 25).fit(X, CLASSES > 1)
    told = cautious.out_of_bag()
    predicted = told.predictions
    expected = (told.answers[told.known] @ costs).argmin(axis=1).astype(bool)
    np.testing.assert_array_equal(predicted, expected)
    wrong = predicted != (CLASSES > 1)[told.known]
    assert told.error == wrong.mean() > 0.3
    np.testing.assert_array_equal(told.losses[told.known], wrong)


def test_interval_of_a_share_is_wilsons() -> None:
    told = forest_of().out_of_bag()
    n_wrong = told.losses.sum()
    assert told.interval() == pytest.approx([float(end) for end in wilson_interval(n_wrong, 300)])
    narrow, wide = told.interval(0.5), told.interval(0.99)
    assert wide[0] < narrow[0] < told.error < narrow[1] < wide[1]


def test_interval_of_a_mean_is_normal() -> None:
    told = forest_of(tw.RandomForestRegressor, SCORE).out_of_bag()
    reach = norm.ppf(0.975) * told.losses.std(ddof=1) / np.sqrt(300)
    assert told.interval() == pytest.approx((told.error - reach, told.error + reach))
    with pytest.raises(ParameterError, match="level=2 must be between 0 and 1"):
        told.interval(2)


def test_equal_weights_are_no_weights() -> None:
    told = forest_of().out_of_bag()
    again = replace(told, weight=np.full(300, 7.0))
    assert again.interval() == pytest.approx(told.interval())
    half = replace(told, weight=np.repeat([1.0, 0.0], 150))
    n_wrong = told.losses[:150].sum()
    assert half.interval() == pytest.approx([float(end) for end in wilson_interval(n_wrong, 150)])


def test_r_squared_as_usual() -> None:
    from sklearn.metrics import r2_score

    for y in (SCORE, np.column_stack([SCORE, X[:, 3]])):
        told = forest_of(tw.RandomForestRegressor, y).out_of_bag()
        assert told.score == pytest.approx(r2_score(y, told.answers))
        assert told.error == pytest.approx(np.mean((told.answers - y.reshape(300, -1)) ** 2))
    assert forest_of(tw.RandomForestRegressor, np.ones(300)).out_of_bag().score == 1.0


def test_targets_of_extreme_size_have_a_score() -> None:
    told = forest_of(tw.RandomForestRegressor, SCORE * 2.0**1000).out_of_bag()
    apart = np.ldexp(told.answers[:, 0], -1000) - SCORE
    assert told.score == pytest.approx(1 - np.mean(apart**2) / SCORE.var())
    assert told.error == np.inf


def test_no_row_is_out_of_bag() -> None:
    told = forest_of(bootstrap=False, max_samples=300).out_of_bag()
    assert not told.known.any()
    assert np.isnan([told.score, told.error, *told.tree_errors]).all()
    assert told.interval() == (0.0, 1.0)
    numbers = forest_of(tw.RandomForestRegressor, SCORE, bootstrap=False, max_samples=300)
    assert numbers.out_of_bag().interval() == (0.0, np.inf)


def test_every_tree_sees_every_row() -> None:
    with pytest.raises(ParameterError, match="only available if bootstrap=True: every tree sees"):
        forest_of(bootstrap=False).out_of_bag()


def test_repr_is_short() -> None:
    told = forest_of().out_of_bag()
    low, high = told.interval()
    assert repr(told) == (
        f"OutOfBag(error={100 * told.error:.1f} %, from {100 * low:.1f} % to {100 * high:.1f} %,"
        " 300 of 300 rows, 30 trees)"
    )


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        ([0.3, 0.2, 0.2, 0.2], 4),
        ([0.3, 0.2, 0.21, 0.2, 0.205, 0.2], 4),
        ([0.3, 0.2, 0.1, 0.05], None),
        ([0.3, 0.29, 0.28, 0.27], None),  # slow is not still
        ([0.2, 0.2], None),
        ([np.nan, np.nan, np.nan, 0.1], None),
    ],
)
def test_when_to_stop(curve: list[float], expected: int | None) -> None:
    assert StopRule(tolerance=0.01, n_trees=2).stops_at(np.array(curve), 1.0) == expected
    scaled = StopRule(tolerance=0.01, n_trees=2).stops_at(50 * np.array(curve), 50.0)
    assert scaled == expected
