"""Rounds that one call into the core makes are those that single calls make, on any threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.boosting import fit as boosting_fit
from treewright.errors import ParameterError

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(180, 4))
VALUES = np.exp(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RANDOM.normal(size=180)
CLASSES = np.digitize(VALUES, [0.5, 1.5])
WEIGHT = RANDOM.uniform(0.2, 3.0, 180)
FRAME = pd.DataFrame(X, columns=list("abcd")).assign(
    kind=[f"k{n}" for n in RANDOM.integers(0, 9, 180)]
)


def fitted(n_jobs: int | None, **given: Any) -> list[tw.GradientBoostingRegressor]:
    common = {"random_state": 3, "n_jobs": n_jobs, **given}
    regressor = tw.GradientBoostingRegressor(**common)
    classifier = tw.GradientBoostingClassifier(**common)
    return [
        regressor.fit(FRAME, VALUES),
        classifier.fit(FRAME, CLASSES, sample_weight=WEIGHT),
        tw.GradientBoostingClassifier(**common).fit(X, CLASSES > 1),
        tw.GradientBoostingRegressor(loss="absolute_error", **common).fit(X, VALUES),
        tw.GradientBoostingClassifier(loss="ordinal", **common).fit(X, CLASSES),
    ]


def states(models: list[Any]) -> list[bytes]:
    answers = (m.predict_proba if hasattr(m, "predict_proba") else m.predict for m in models)
    rows = [FRAME, FRAME, X, X, X]
    return [np.asarray(answer(x)).tobytes() for answer, x in zip(answers, rows, strict=True)]


def test_chosen_rounds_have_the_same_bits_on_any_number_of_threads() -> None:
    one = fitted(1)
    for n_jobs in (None, 3):
        more = fitted(n_jobs)
        assert states(more) == states(one)
        assert [str(each.choice_) for each in more] == [str(each.choice_) for each in one]


@pytest.mark.parametrize("given", [{}, {"subsample": 0.6, "n_estimators": 70}])
def test_rounds_made_together_are_those_made_one_by_one(
    given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    together = fitted(1, **given)
    monkeypatch.setattr(boosting_fit, "_MOST_TOGETHER", 1)
    alone = fitted(1, **given)
    assert states(together) == states(alone)
    for some, one in zip(together, alone, strict=True):
        assert [each.number for each in some.rounds_] == [each.number for each in one.rounds_]
        assert [each.n_leaves for each in some.rounds_] == [each.n_leaves for each in one.rounds_]
        assert all(each.seconds > 0.0 for each in some.rounds_)


def test_scores_beyond_all_bounds_are_told_with_their_round_in_the_midst_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = tw.GradientBoostingRegressor(n_estimators=1_000, learning_rate=50.0, max_depth=2)
    with pytest.raises(ParameterError, match="scores grow beyond all bounds") as together:
        model.fit(X, VALUES)
    monkeypatch.setattr(boosting_fit, "_MOST_TOGETHER", 1)
    with pytest.raises(ParameterError, match="scores grow beyond all bounds") as alone:
        model.fit(X, VALUES)
    assert str(together.value) == str(alone.value)


def test_scores_beyond_all_bounds_are_told_where_rounds_are_chosen() -> None:
    model = tw.GradientBoostingRegressor(learning_rate=1e200, l2_regularization=0.0)
    with pytest.raises(ParameterError, match=r"round \d+: scores grow beyond all bounds"):
        model.fit(X, VALUES)
