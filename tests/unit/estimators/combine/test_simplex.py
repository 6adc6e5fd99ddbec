"""Weights that add to 1: at the least, no step along the simplex is better."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.estimators.combine.simplex import (
    LEAST_PROBABILITY,
    decided,
    least_errors,
    least_log_loss,
    least_squared_error,
)


@pytest.mark.parametrize("seed", range(10))
def test_no_member_would_lower_the_log_loss(seed: int) -> None:
    random = np.random.default_rng(seed)
    told = random.beta(2.0, 1.0, size=(80, 4)) * random.uniform(0.2, 1.0, 4)
    told[random.random(told.shape) < 0.03] = 0.0
    weight = random.uniform(0.1, 3.0, 80) if seed % 2 else None
    found = least_log_loss(told, weight)
    assert found.min() >= 0.0
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    told = np.maximum(told, LEAST_PROBABILITY)
    gains = np.average(told / (told @ found)[:, np.newaxis], axis=0, weights=weight)
    assert gains.max() <= 1.0 + 1e-6  # Cover 1984


def test_a_member_that_is_sure_and_wrong_counts_for_nothing() -> None:
    told = np.array([[0.9, 1.0, 0.5]] * 9 + [[0.3, 0.0, 0.5]])
    assert least_log_loss(told) == pytest.approx([1.0, 0.0, 0.0], abs=1e-3)


@pytest.mark.parametrize("seed", range(10))
def test_no_member_would_lower_the_squared_error(seed: int) -> None:
    random = np.random.default_rng(seed)
    answers = random.normal(size=(60, 5))
    values = answers[:, 0] + random.normal(size=60)
    errors = answers - values[:, np.newaxis]
    found = least_squared_error(answers, values)
    assert found.min() >= 0.0
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    slopes = errors.T @ (errors @ found)
    assert slopes.min() >= found @ slopes - 1e-8 * abs(slopes).max()


def test_members_that_are_always_right_or_equal_are_taken() -> None:
    values = np.arange(5.0)
    right = np.stack([values, values + 1.0], axis=1)
    assert least_squared_error(right, values).tolist() == pytest.approx([1.0, 0.0], abs=1e-6)
    assert least_squared_error(right[:, [0, 0]], values).tolist() == [0.5, 0.5]


def test_equal_sums_of_votes_are_equal_whatever_the_order() -> None:
    votes = np.array([[0, 1, 1], [1, 0, 0]])
    assert decided(votes, np.array([0.3, 0.1, 0.2]), 2).tolist() == [0, 0]


def test_votes_that_err_least_are_no_worse_than_equal_ones_or_one_alone() -> None:
    random = np.random.default_rng(0)
    codes = random.integers(0, 3, 200)
    votes = np.stack(
        [
            np.where(random.random(200) < p, codes, random.integers(0, 3, 200))
            for p in (0.4, 0.5, 0.7)
        ],
        axis=1,
    )
    chosen = np.mean(decided(votes, least_errors(votes, codes, 3), 3) != codes)
    assert chosen <= np.mean(decided(votes, np.ones(3), 3) != codes)
    assert chosen <= np.mean(votes != codes[:, np.newaxis], axis=0).min()
