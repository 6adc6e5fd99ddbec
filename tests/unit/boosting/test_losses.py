"""Losses: their gradients are the derivatives of what they say; they start at their least."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.boosting.losses import Loss, loss_of_classes, loss_of_values
from treewright.boosting.losses.base import mean_of
from treewright.errors import NoSplitWarning, ParameterError, TargetError

RANDOM = np.random.default_rng(5)
NAMES = ["squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"]


def value_loss(name: str) -> Loss:
    return loss_of_values(name, quantile=None, power=1.5)


@pytest.mark.parametrize("name", NAMES)
def test_no_constant_is_better_than_the_start(name: str) -> None:
    y, weight = RANDOM.gamma(2.0, size=101), RANDOM.random(101)
    loss = value_loss(name)
    start = loss.start(y, weight)
    at_start = loss.mean(np.full((101, 1), start[0]), y, weight)
    for off in (-0.1, 0.1):
        moved = loss.mean(np.full((101, 1), start[0] + off), y, weight)
        # Huber's delta moves with the residuals: the median is its start, not its least.
        assert moved >= at_start - (0.02 if name == "huber" else 1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_start_at_their_shares(n_classes: int) -> None:
    y = np.repeat(np.arange(n_classes), np.arange(1, n_classes + 1)).astype(float)
    loss = loss_of_classes("log_loss", n_classes)
    model = tw.GradientBoostingClassifier(n_estimators=1, min_samples_leaf=1000)
    with pytest.warns(NoSplitWarning):
        model.fit(np.zeros((len(y), 1)), y)
    shares = model.predict_proba(np.zeros((1, 1)))[0]
    assert shares == pytest.approx(np.arange(1, n_classes + 1) / len(y))
    assert len(loss.start(y, None)) == loss.n_outputs


@pytest.mark.parametrize("name", NAMES)
def test_every_loss_falls_round_by_round(name: str) -> None:
    X = RANDOM.normal(size=(500, 3))
    y = np.exp(X[:, 0] / 2) * RANDOM.gamma(5.0, 0.2, size=500)
    model = tw.GradientBoostingRegressor(loss=name, n_estimators=30, min_samples_leaf=5).fit(X, y)
    loss = value_loss(name)
    scores = [stage.copy() for stage in model._staged(X)]
    means = [loss.mean(stage, y, None) for stage in scores]
    assert means[-1] < means[9] < means[0]


@pytest.mark.parametrize("name", ["squared_error", "poisson", "gamma", "tweedie"])
def test_a_function_that_says_the_same_learns_the_same(name: str) -> None:
    X = RANDOM.normal(size=(300, 2))
    y = np.exp(X[:, 0] / 2) * RANDOM.gamma(5.0, 0.2, size=300)

    def gradients(target: Any, score: Any) -> tuple[Any, Any]:
        if name == "squared_error":
            return score - target, np.ones_like(score)
        if name == "poisson":
            return np.exp(score) - target, np.exp(score)
        if name == "gamma":
            return 1 - target * np.exp(-score), target * np.exp(-score)
        high, low = np.exp(0.5 * score), target * np.exp(-0.5 * score)
        return high - low, 0.5 * high + 0.5 * low

    built_in = tw.GradientBoostingRegressor(loss=name, n_estimators=5, init="zero").fit(X, y)
    given = tw.GradientBoostingRegressor(loss=gradients, n_estimators=5).fit(X, y)
    mine = given.ensemble_.scores(given._table(X))
    assert mine == pytest.approx(built_in.ensemble_.scores(built_in._table(X)), abs=1e-5)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (lambda y, score: (score * np.nan, np.ones_like(score)), r"round 1: the gradient of row 0"),
        (lambda y, score: (score, -np.ones_like(score)), "round 1: a hessian is negative"),
        (lambda y, score: score, "round 1: the loss must give two arrays"),
        (lambda y, score: (score[:3], score), "round 1: the gradient has shape"),
        (lambda y, score: 1 / 0, "round 1: the function given as loss failed: ZeroDivisionError"),
    ],
)
def test_a_bad_function_is_refused_with_the_round(bad: Any, said: str) -> None:
    """A user's loss that gives NaN is an error naming the round."""
    X, y = RANDOM.normal(size=(20, 2)), RANDOM.normal(size=20)
    model = tw.GradientBoostingRegressor(loss=bad)
    with pytest.raises(ParameterError, match=said):
        model.fit(X, y)
    assert not hasattr(model, "ensemble_")


@pytest.mark.parametrize(
    ("name", "y"), [("poisson", [-1.0, 2.0]), ("poisson", [0.0, 0.0]), ("gamma", [0.0, 1.0])]
)
def test_values_without_meaning_are_refused(name: str, y: list[float]) -> None:
    with pytest.raises(TargetError, match=name):
        tw.GradientBoostingRegressor(loss=name).fit([[1], [2]], y)


def test_parameters_of_other_losses_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"quantile=0\.3 belongs to"):
        tw.GradientBoostingRegressor(quantile=0.3).fit([[1], [2]], [1, 2])
    with pytest.raises(ParameterError, match="tells two classes apart"):
        tw.GradientBoostingClassifier(loss="exponential").fit([[1], [2], [3]], [1, 2, 3])


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_the_share_below_a_predicted_quantile(level: float) -> None:
    X = RANDOM.normal(size=(4000, 1))
    y = X[:, 0] + RANDOM.normal(size=4000)
    model = tw.GradientBoostingRegressor(loss="quantile", quantile=level, n_estimators=60)
    assert np.mean(y < model.fit(X, y).predict(X)) == pytest.approx(level, abs=0.03)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_start_does_not_depend_on_the_order_of_rows(is_weighted: bool) -> None:
    generator = np.random.default_rng(2)
    y = generator.normal(size=999) * 10.0 ** generator.integers(-6, 7, size=999)
    weight = generator.random(999) if is_weighted else None
    mean = mean_of(y, weight)
    assert mean == pytest.approx(np.average(y, weights=weight), rel=1e-12)
    for _ in range(5):
        order = generator.permutation(999)
        assert mean_of(y[order], None if weight is None else weight[order]) == mean


@pytest.mark.parametrize("weighs", [False, True])
@pytest.mark.parametrize("name", [*NAMES, "log_loss", "exponential"])
def test_means_of_parts_at_several_scores_are_those_of_each(name: str, weighs: bool) -> None:
    random = np.random.default_rng(7)
    weight = random.random(37) if weighs else None
    losses: list[Loss] = []
    if name in NAMES:
        losses.append(value_loss(name))
    else:
        losses += [loss_of_classes(name, n) for n in ((2, 4) if name == "log_loss" else (2,))]
    for loss in losses:
        y = random.integers(0, max(loss.n_outputs, 2), 37).astype(np.float64)
        scores = random.normal(size=(5, 37, loss.n_outputs))
        y += 0.5 * (name == "gamma")
        parts = [slice(0, 20), slice(20, 21), slice(21, 37)]
        shares = [None if weight is None else weight[part] for part in parts]
        together = loss.means([scores[:, part] for part in parts], [y[p] for p in parts], shares)
        apart = [
            [loss.mean(own[part], y[part], share) for own in scores]
            for part, share in zip(parts, shares, strict=True)
        ]
        np.testing.assert_allclose(together, apart, rtol=1e-13)
