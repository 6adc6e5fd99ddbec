"""The usual final estimators of stacks."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.errors import DataError
from treewright.estimators.combine.pool import ConvexSum, OpinionPool


def _told(seed: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    codes = random.integers(0, n_classes, 300)
    parts = []
    for strength in (3.0, 1.0, 0.0):
        scores = random.normal(size=(300, n_classes))
        scores[np.arange(300), codes] += strength
        powers = np.exp(scores)
        shares = powers / powers.sum(axis=1, keepdims=True)
        parts.append(shares[:, 1:] if n_classes == 2 else shares)
    return np.hstack(parts), codes


def _pool(codes: np.ndarray) -> OpinionPool:
    return OpinionPool(n_members=3, n_classes=int(codes.max()) + 1)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_pool_has_the_least_log_loss_near_its_weights(n_classes: int) -> None:
    X, codes = _told(0, n_classes)
    pool = _pool(codes).fit(X, codes)
    rows = np.arange(len(codes))
    least = -np.log(pool.predict_proba(X)[rows, codes]).sum()
    away = pool.weights_ - 1.0 / 3.0
    least += 0.5 * (away @ away + pool.offsets_ @ pool.offsets_)
    for member in range(3):
        for step in (-0.05, 0.05):
            other = _pool(codes).fit(X, codes)
            other.weights_ = np.maximum(pool.weights_ + step * (np.arange(3) == member), 0.0)
            away = other.weights_ - 1.0 / 3.0
            loss = -np.log(other.predict_proba(X)[rows, codes]).sum()
            assert loss + 0.5 * (away @ away + pool.offsets_ @ pool.offsets_) >= least - 1e-6
    assert pool.weights_.min() >= 0.0
    assert pool.weights_[0] > pool.weights_[2]
    assert pool.predict_proba(X).sum(axis=1) == pytest.approx(1.0)


def test_a_probability_of_0_is_not_believed() -> None:
    X = np.array([[1.0], [1.0], [0.0], [0.0]] * 10)
    told = OpinionPool().fit(X, [1, 1, 0, 0] * 10).predict_proba([[0.0], [1.0]])
    assert (told > 0.0).all()


def test_only_the_ratios_of_weights_matter() -> None:
    X, codes = _told(1, 3)
    plain = _pool(codes).fit(X, codes)
    weighed = _pool(codes).fit(X, codes, sample_weight=np.full(300, 7.0))
    assert weighed.weights_ == pytest.approx(plain.weights_, abs=1e-6)
    first = _pool(codes).fit(X, codes, sample_weight=np.arange(300) < 150.0)
    half = _pool(codes).fit(X[:150], codes[:150])
    assert first.weights_ == pytest.approx(half.weights_, abs=0.05)


def test_columns_that_are_no_members_are_refused() -> None:
    with pytest.raises(DataError, match="3 columns are not those of 2 members"):
        OpinionPool(n_members=2).fit(np.full((4, 3), 0.3), [0, 1, 0, 1])


def test_numbers_are_averaged_by_weights_that_add_to_one() -> None:
    random = np.random.default_rng(0)
    answers = random.normal(size=(50, 3))
    found = ConvexSum().fit(answers, answers @ [0.2, 0.8, 0.0])
    assert found.weights_ == pytest.approx([0.2, 0.8, 0.0], abs=1e-6)
    assert found.predict(answers) == pytest.approx(answers @ [0.2, 0.8, 0.0], abs=1e-5)
