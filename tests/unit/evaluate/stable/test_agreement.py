"""Measures of agreement, against their definitions."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from treewright.evaluate.stable.agreement import concordance, fleiss_kappa, overlap, share_alike

RANDOM = np.random.default_rng(3)


def test_share_alike_counts_pairs_of_lines() -> None:
    codes = RANDOM.integers(0, 3, (5, 40))
    pairs = [float(np.mean(codes[i] == codes[j])) for i, j in combinations(range(5), 2)]
    assert share_alike(codes) == pytest.approx(np.mean(pairs))


def test_share_alike_of_what_counts_in_both_lines() -> None:
    codes = np.array([[0, 1, 2, 0], [0, 2, 2, 1], [1, 1, 1, 1]])
    counted = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 0]], dtype=bool)
    # First and second: rows 0 and 1; second and third: row 2.
    assert share_alike(codes, counted=counted) == pytest.approx(1 / 3)
    assert share_alike(codes, counted=np.zeros_like(counted)) is None


def test_kappa_of_fleiss_example() -> None:
    # Fleiss (1971): ten subjects, fourteen raters, five categories; kappa 0.21.
    table = np.array(
        [
            [0, 0, 0, 0, 14],
            [0, 2, 6, 4, 2],
            [0, 0, 3, 5, 6],
            [0, 3, 9, 2, 0],
            [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0],
            [2, 5, 3, 2, 2],
            [6, 5, 2, 1, 0],
            [0, 2, 2, 3, 7],
        ]
    )
    codes = np.array([np.repeat(np.arange(5), counts) for counts in table]).T
    assert fleiss_kappa(codes) == pytest.approx(0.210, abs=5e-4)


def test_kappa_without_disagreement_and_without_choice() -> None:
    assert fleiss_kappa(np.array([[0, 1, 1], [0, 1, 1]])) == 1
    assert fleiss_kappa(np.array([[0, 0], [0, 0], [0, 0]])) == 1
    # With equal margins it is Cohen's.
    one, two = [0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 2, 2]
    assert fleiss_kappa(np.array([one, two])) == pytest.approx(cohen_kappa_score(one, two))


def test_concordance_is_lins() -> None:
    x = RANDOM.normal(size=50)
    for y in (x, x + 1, 2 * x, -x, RANDOM.normal(size=50)):
        covariance = np.cov(x, y, bias=True)
        shift = (x.mean() - y.mean()) ** 2
        expected = 2 * covariance[0, 1] / (covariance[0, 0] + covariance[1, 1] + shift)
        assert concordance(np.array([x, y])) == pytest.approx(expected)


def test_concordance_of_constants_and_extremes() -> None:
    assert concordance(np.array([[1.0, 1.0], [1.0, 1.0]])) == 1
    assert concordance(np.array([[1.0, 1.0], [2.0, 2.0]])) == 0
    assert concordance(np.zeros((2, 3))) == 1
    assert concordance(np.array([[1e308, 0.0], [1e308, 0.0]])) == pytest.approx(1)
    assert concordance(np.zeros((2, 3)), counted=np.eye(2, 3, dtype=bool)) is None


def test_overlap() -> None:
    shares = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    assert overlap(shares) == pytest.approx((0 + 1 / 3 + 1 / 3) / 3)
    assert overlap(np.zeros((2, 0))) == 1
