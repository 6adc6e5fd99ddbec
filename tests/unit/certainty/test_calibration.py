"""Maps that make probabilities true, against slow and obvious ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss

from treewright.certainty.calibration import (
    CALIBRATIONS,
    Chain,
    Isotonic,
    OnGrid,
    Shares,
    Temperature,
    best_tempered,
    fit_isotonic,
    fit_temperature,
)


def told(n_rows: int, n_classes: int, temperature: float, seed: int = 0) -> tuple[Any, Any]:
    """Return probabilities that are too extreme by a known temperature, and classes."""
    random = np.random.default_rng(seed)
    scores = 2 * random.normal(size=(n_rows, n_classes))
    true = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    codes = np.array([random.choice(n_classes, p=row) for row in true])
    extreme = true**temperature
    return extreme / extreme.sum(axis=1, keepdims=True), codes


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_a_known_temperature_is_found(n_classes: int, temperature: float) -> None:
    probabilities, codes = told(6000, n_classes, temperature)
    made, loss = fit_temperature(probabilities, codes, None)
    assert made.temperature == pytest.approx(temperature, rel=0.1)
    assert np.exp(made.log_factor) == pytest.approx(np.ones(n_classes), abs=0.15)
    assert loss == pytest.approx(log_loss(codes, made(probabilities)), abs=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_other_temperature_has_less_loss(n_classes: int) -> None:
    probabilities, codes = told(500, n_classes, 2.0, seed=1)
    weight = np.random.default_rng(2).uniform(0.2, 3.0, size=500)
    made, _ = fit_temperature(probabilities, codes, weight)
    logs = np.log((1 - made.mixed) * probabilities + made.mixed * made.shares)
    scaled = weight * 500 / weight.sum()

    def loss(at: Any) -> float:
        scores = at[0] * logs + at[1:]
        whole = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(500), codes]
        prior = 0.5 * (1e-4 * (at[0] - 1) ** 2 + np.sum(at[1:] ** 2))
        return float(scaled @ whole + prior)

    best = minimize(loss, np.r_[1.0, np.zeros(n_classes)], method="BFGS", tol=1e-10)
    offsets = best.x[1:] - best.x[1:].mean()
    assert 1 / made.temperature == pytest.approx(best.x[0], rel=1e-3)
    assert made.log_factor == pytest.approx(offsets, abs=1e-3)


def test_what_was_never_told_is_not_impossible() -> None:
    probabilities = np.array([[1.0, 0.0]] * 60 + [[0.0, 1.0]] * 60)
    codes = np.array([0] * 58 + [1] * 62)
    for name in ("temperature", "isotonic"):
        fit = CALIBRATIONS[name]
        assert fit is not None
        made, loss = fit(probabilities, codes, None)
        assert np.all(made(probabilities) > 0)
        assert np.isfinite(loss)
        assert made(np.array([[1.0, 0.0]]))[0, 1] == pytest.approx(2 / 60, abs=0.02)


@pytest.mark.parametrize("fit", [fit_temperature, fit_isotonic])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_only_ratios_of_weights_matter_and_two_is_twice(fit: Any, n_classes: int) -> None:
    probabilities, codes = told(80, n_classes, 2.0, seed=3)
    weight = np.random.default_rng(4).integers(1, 4, size=80).astype(float)
    asked = told(20, n_classes, 2.0, seed=5)[0]
    weighted = fit(probabilities, codes, weight)[0](asked)
    np.testing.assert_allclose(fit(probabilities, codes, 1e-6 * weight)[0](asked), weighted)
    times = weight.astype(int)
    copied = fit(np.repeat(probabilities, times, axis=0), np.repeat(codes, times), None)[0](asked)
    # A prior of one row's weight, and the least share, depend on the number of rows.
    np.testing.assert_allclose(copied, weighted, atol=0.02)


def test_isotonic_is_scikit_learns_between_the_least_shares() -> None:
    probabilities, codes = told(300, 2, 3.0, seed=6)
    made, _ = fit_isotonic(probabilities, codes, None)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(probabilities[:, 1], codes == 1)
    asked = np.linspace(0, 1, 77)
    least = 1 / 302
    ours = made(np.stack([1 - asked, asked], axis=1))[:, 1]
    inside = np.clip(theirs.predict(asked), least, 1 - least)
    known = np.isin(asked, asked)  # between knots, clipped ends move the line a little
    np.testing.assert_allclose(ours[known], inside[known], atol=least)


@pytest.mark.parametrize("fit", [fit_temperature, fit_isotonic])
def test_one_class_alone(fit: Any) -> None:
    made, _ = fit(np.ones((5, 1)), np.zeros(5, dtype=int), None)
    assert made(np.ones((2, 1))).tolist() == [[1.0], [1.0]]


def test_shares_undo_weights_exactly() -> None:
    random = np.random.default_rng(7)
    true = random.dirichlet([1, 1, 1], size=50)
    factor = np.array([1.0, 5.0, 0.2])
    weighted = true * factor / (true * factor).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(Shares(factor=factor)(weighted), true, rtol=1e-12)
    assert Shares(factor=np.array([0.0, 1.0]))(np.array([[1.0, 0.0]])).tolist() == [[1.0, 0.0]]


def test_the_probabilities_that_tell_most_are_chosen_whatever_their_temperature() -> None:
    told_well, codes = told(3000, 3, 4.0, seed=8)
    noise = np.random.default_rng(9).dirichlet([1, 1, 1], size=3000)
    mixes = [0.6, 0.3, 0.0, 0.3, 0.6]
    candidates = [(1 - mixed) * told_well + mixed * noise for mixed in mixes]
    assert best_tempered(candidates, codes, None) == 2
    assert best_tempered(candidates[2:], codes, np.ones(3000)) == 0
    assert best_tempered(candidates[:3], codes, None) == 2


@pytest.mark.parametrize("seed", range(20))
def test_maps_on_the_grid_keep_the_order_of_the_last_bits(seed: int) -> None:
    random = np.random.default_rng(seed)
    shares = np.concatenate([random.random(300), random.random(99) ** 20, np.arange(41) / 40])
    neighbours = [np.nextafter(shares, -1.0), shares, np.nextafter(shares, 2.0)]
    second = np.sort(np.clip(np.concatenate(neighbours), 0.0, 1.0))
    others = np.clip((1.0 - second) * (1.0 + random.choice([-1, 0, 1], len(second)) * 2e-16), 0, 1)
    told = np.stack([others, second], axis=1)
    knots = np.unique(random.choice(second, 20))
    softer = Temperature(
        temperature=float(np.exp(random.uniform(-3.9, 3.9))),
        log_factor=random.normal(size=2),
        mixed=1e-9,
        shares=np.array([0.3, 0.7]),
    )
    weighed = Shares(factor=np.array([1.0, float(np.exp(random.uniform(-9, 9)))]))
    steps = Isotonic(knots=(knots,), heights=(np.sort(random.random(len(knots))),))
    assert np.all(np.diff(steps(told)[:, 1]) >= 0)  # linear between knots, which are kept to
    for found in (softer, weighed, steps, Chain(first=weighed, second=softer)):
        made = Chain(first=OnGrid(), second=found)(told)
        assert np.all(np.diff(made[:, 1]) >= 0)
        assert np.all(np.diff(made[:, 0]) <= 0)


def test_just_below_a_knot_is_no_more_than_at_it() -> None:
    # NumPy's interpolation tells 1e-16 more just below the second knot than at it.
    knots = np.array([0.15278874611466683, 0.4533280446085517])
    heights = np.array([0.0009915072017730605, 0.9943980536875004])
    second = np.array([np.nextafter(knots[1], 0.0), knots[1]])
    below, at = Isotonic(knots=(knots,), heights=(heights,))(np.stack([1.0 - second, second], 1))
    assert np.diff(np.interp(second, knots, heights)) < 0
    assert below[1] <= at[1] == heights[1]
