"""The rounds of boosting: many are made when they are asked for, and are then as any others."""

from __future__ import annotations

import copy
import pickle

import numpy as np

import treewright as tw
from treewright.boosting.rounds import GradientRound, GradientRounds, PlainRounds


def numbers(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    X = random.standard_normal((n_rows, 3))
    return X, X[:, 0] + random.standard_normal(n_rows)


def test_rounds_that_nobody_watches_are_those_that_a_callback_is_told_of() -> None:
    X, y = numbers(60)
    settings = {"n_estimators": 70, "learning_rate": 0.3, "random_state": 0}
    plain = tw.GradientBoostingRegressor(**settings).fit(X, y).rounds_
    told = tw.GradientBoostingRegressor(**settings).fit(X, y, monitor=lambda *_: False).rounds_
    assert len(plain) == len(told) == 70
    assert [(each.number, each.n_leaves) for each in plain] == [
        (each.number, each.n_leaves) for each in told
    ]


def test_plain_rounds_are_a_sequence_like_any_other() -> None:
    parts = [
        PlainRounds(first=1, n_leaves=[4, 5], seconds=[0.1, 0.2]),
        (GradientRound(number=3, n_leaves=6, validation_loss=0.5, seconds=0.3),),
        PlainRounds(first=4, n_leaves=[7], seconds=[0.4]),
    ]
    rounds = GradientRounds.joined(parts)
    assert len(rounds) == 4
    assert rounds.n_leaves == 22
    assert [each.number for each in rounds] == [1, 2, 3, 4]
    assert [rounds[i].n_leaves for i in (0, 1, -1, -4)] == [4, 5, 7, 4]
    assert np.isnan(rounds[0].train_loss)
    assert [each.number for each in parts[0]] == [1, 2]
    assert parts[0][-1].number == 2
    for other in (pickle.loads(pickle.dumps(rounds)), copy.deepcopy(rounds)):
        assert str(other) == str(rounds)
        assert len(other) == 4


def test_a_warm_start_knows_the_rounds_before_it() -> None:
    X, y = numbers(60)
    model = tw.GradientBoostingRegressor(n_estimators=5, warm_start=True, learning_rate=0.3).fit(
        X, y
    )
    model.set_params(n_estimators=9).fit(X, y)
    assert [each.number for each in model.rounds_] == [6, 7, 8, 9]


def test_categories_whose_gradients_and_hessians_vanish_are_put_in_some_order() -> None:
    """0 / 0 is no number to sort by: categories that are predicted with certainty have it."""
    random = np.random.default_rng(0)
    for n_categories in (5, 60):
        names = np.array([f"n{i}" for i in range(n_categories)], dtype=object)
        code = random.integers(0, n_categories, 3_000)
        X = np.stack([names[code], names[random.permutation(code)]], axis=1)
        model = tw.GradientBoostingClassifier(
            n_estimators=150,
            learning_rate=1.0,
            l2_regularization=0.0,
            min_hessian=0.0,
            nominal_l2=0.0,
            nominal_smoothing=0.0,
            min_category_rows=1,
        ).fit(X, code % 2)
        assert model.score(X, code % 2) == 1.0
        assert np.isfinite(model.predict_proba(X)).all()
