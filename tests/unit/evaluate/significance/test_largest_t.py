"""The largest of several t, beside published tables, Student's t, the F distribution and draws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import fdtrc, stdtr

from treewright.evaluate.significance.largest_t import LargestT, largest_t

SIDES = ("two-sided", "greater", "less")

# Dunnett (1955, J. Am. Stat. Assoc. 50, table 1; 1964, Biometrics 20, table II): 5 % points of the
# largest of k t with 10 and 20 degrees of freedom whose correlations are 1/2.
TWO_SIDED = {(10, 2): 2.57, (10, 3): 2.76, (10, 4): 2.89, (20, 2): 2.38, (20, 4): 2.65}
ONE_SIDED = {(10, 2): 2.15, (10, 3): 2.34, (10, 4): 2.47, (20, 2): 2.03, (20, 4): 2.30}


def correlated(n_folds: int, correlations: np.ndarray, seed: int = 0) -> np.ndarray:
    """Return differences that have these correlations exactly."""
    normal = np.random.default_rng(seed).normal(size=(n_folds, len(correlations)))
    apart = np.linalg.qr(normal - normal.mean(axis=0))[0]
    table: np.ndarray = apart @ np.linalg.cholesky(correlations).T
    return table


def equal_correlations(k: int, correlation: float) -> np.ndarray:
    table = np.full((k, k), correlation)
    np.fill_diagonal(table, 1.0)
    return table


def drawn_largest(table: np.ndarray, side: str, n_draws: int) -> np.ndarray:
    random = np.random.default_rng(1)
    df = len(table) - 1
    root = np.linalg.cholesky(np.corrcoef(table.T) + 1e-12 * np.eye(table.shape[1]))
    drawn = random.standard_normal((n_draws, len(root))) @ root.T
    drawn /= np.sqrt(random.chisquare(df, (n_draws, 1)) / df)
    found: np.ndarray = {"two-sided": np.abs(drawn), "greater": drawn, "less": -drawn}[side].max(1)
    return found


@pytest.mark.parametrize(
    ("side", "published"),
    [
        (side, each)
        for side, of in (("two-sided", TWO_SIDED), ("greater", ONE_SIDED))
        for each in of.items()
    ],
)
def test_published_points_of_a_comparison_with_a_control(side, published) -> None:
    (df, k), point = published
    found = largest_t(correlated(df + 1, equal_correlations(k, 0.5)), side)
    assert found.reached_with(0.05) == pytest.approx(
        point, abs=0.0075
    )  # some are cut off, not rounded


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("n_folds", [2, 3, 10, 200])
def test_one_comparison_is_students_t(side: str, n_folds: int) -> None:
    found = largest_t(np.random.default_rng(2).normal(size=(n_folds, 1)), side)  # type: ignore[arg-type]
    for value in (0.3, 2.2, 40.0):
        tail = stdtr(n_folds - 1, -value)
        assert found.at_least(value) == pytest.approx((1 + (side == "two-sided")) * tail, rel=1e-12)
        if side != "two-sided":
            assert found.at_least(-value) == pytest.approx(1 - tail, rel=1e-12)


def test_comparisons_that_say_the_same_count_once() -> None:
    column = np.random.default_rng(3).normal(size=(10, 1))
    found = largest_t(np.hstack([column, 2 * column, -column]), "two-sided")
    assert found.n_dimensions == 1
    assert found.at_least(2.0) == pytest.approx(2 * stdtr(9, -2.0), rel=1e-12)
    # Of a difference and its opposite one is positive.
    both = largest_t(np.hstack([column, -column]), "greater")
    assert both.at_least(2.0) == pytest.approx(2 * stdtr(9, -2.0), rel=1e-12)
    assert both.at_least(0.0) == both.at_least(-1.0) == 1


@given(st.integers(1, 10), st.integers(1, 300), st.floats(0.01, 30), st.floats(0.05, 1.0))
def test_the_tail_in_a_direction_is_that_of_f(half: int, df: int, value: float, of: float) -> None:
    d = 2 * half
    found = LargestT(np.array([of]), df=df, n_dimensions=d).at_least(value)
    assert found == pytest.approx(fdtrc(d, df, (value / of) ** 2 / d), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("k", [2, 3, 4, 9])
def test_probabilities_are_those_of_draws(side: str, k: int) -> None:
    random = np.random.default_rng(k)
    table = random.normal(size=(10, k)) * random.uniform(0.2, 1.5, k) + random.normal(size=(10, 1))
    found = largest_t(table, side)  # type: ignore[arg-type]
    n_draws = 400_000
    drawn = drawn_largest(table, side, n_draws)
    for value in (-0.5, 0.5, 1.5, 2.5, 3.5):
        share = float(np.mean(drawn >= value))
        error = np.sqrt(share * (1 - share) / n_draws)
        assert found.at_least(value) == pytest.approx(share, abs=4 * error + 0.005 * share)


@settings(deadline=None)
@given(
    st.integers(2, 30),
    st.integers(1, 8),
    st.sampled_from(SIDES),
    st.sampled_from([1e-6, 0.01, 0.05, 0.5, 0.9]),
    st.integers(0, 1000),
)
def test_the_point_of_a_probability_is_where_it_is_reached(
    n_folds: int, k: int, side: str, probability: float, seed: int
) -> None:
    table = np.random.default_rng(seed).normal(size=(n_folds, k))
    found = largest_t(table, side)  # type: ignore[arg-type]
    point = found.reached_with(probability)
    assert found.at_least(point) <= probability
    assert found.at_least(point - 1e-6 * abs(point) - 1e-9) >= probability * (1 - 1e-9)


def test_more_comparisons_are_never_less_extreme_than_one_and_never_more_than_bonferronis() -> None:
    table = np.random.default_rng(4).normal(size=(12, 6))
    found = largest_t(table, "two-sided")
    for value in (1.0, 2.0, 3.0, 6.0):
        alone = 2 * stdtr(11, -value)
        assert alone < found.at_least(value) < 6 * alone
