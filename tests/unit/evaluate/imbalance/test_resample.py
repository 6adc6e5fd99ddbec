"""Resampling: classes in balance, groups whole, and no copy among the rows that judge."""

import contextlib
import unittest
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from treewright import DecisionTreeClassifier, DecisionTreeRegressor, load_example
from treewright.errors import DataError, ParameterError, UnsupportedError
from treewright.evaluate import LeastCost, Resampled, compare, cross_validate, resample
from treewright.evaluate.trial.learners import Learner

LABELS = np.array(["neg"] * 95 + ["pos"] * 5)


@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=60),
    st.sampled_from(["over", "under"]),
    st.floats(0.1, 1.0),
    st.integers(0, 5),
)
def test_counts_are_those_asked_for(y: list[str], how: Any, ratio: float, seed: int) -> None:
    rows = resample(y, how=how, ratio=ratio, random_state=seed)
    before, after = Counter(y), Counter(y[row] for row in rows)
    for label, count in before.items():
        if how == "over":
            assert after[label] == max(count, round(ratio * max(before.values())))
        else:
            assert after[label] == min(count, round(min(before.values()) / ratio))
    drawn = Counter(rows.tolist())
    for label in before:  # every row as often as any other, but for one
        times = [drawn[row] for row in range(len(y)) if y[row] == label]
        assert max(times) - min(times) <= 1
    assert rows.tolist() == resample(y, how=how, ratio=ratio, random_state=seed).tolist()


@pytest.mark.parametrize("how", ["over", "under"])
def test_groups_are_drawn_whole(how: Any) -> None:
    y = np.repeat(["a", "b"], [60, 12])
    groups = np.arange(72) // 3
    rows = resample(y, how=how, groups=groups)
    times = np.bincount(rows, minlength=72).reshape(-1, 3)
    assert (times == times[:, :1]).all()
    counts = Counter(y[rows].tolist())
    assert counts["a"] == counts["b"] == (60 if how == "over" else 12)


def test_another_seed_draws_other_rows() -> None:
    first, second = (resample(LABELS, how="under", random_state=seed) for seed in (0, 1))
    assert first.tolist() != second.tolist()


class Witness(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Remembers the rows it learned from, and fails where it is asked about one of them."""

    def fit(self, X: Any, y: Any) -> "Witness":
        self.seen_ = set(np.asarray(X)[:, 0].tolist())
        self.counts_ = Counter(np.asarray(y).tolist())
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        assert not self.seen_ & set(np.asarray(X)[:, 0].tolist()), "a row on both sides"
        assert len(set(self.counts_.values())) == 1, "not in balance"
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("how", ["over", "under"])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_no_row_is_on_both_sides_of_a_fold(how: Any, n_jobs: int | None) -> None:
    X = np.arange(100.0).reshape(-1, 1)
    found = cross_validate(
        Resampled(Witness(), how=how), X, LABELS, cv=5, n_jobs=n_jobs, refit=False
    )
    assert not found.failures
    assert len(found.scores.answers) == 100  # the rows that judge are as they came


def test_resampling_before_dividing_would_leak() -> None:
    """What Resampled is for: the same learner, resampled before, looks right on labels by lot."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 5)), (rng.uniform(size=400) < 0.1).astype(int)
    rows = resample(y)
    tree = DecisionTreeClassifier()
    metric = "balanced_accuracy"
    before = cross_validate(tree, X[rows], y[rows], cv=5, metrics=metric)[metric].value
    inside = cross_validate(Resampled(tree), X, y, cv=5, metrics=metric)[metric].value
    assert before > 0.85
    assert 0.4 < inside < 0.6


def test_it_is_an_estimator_like_any_other() -> None:
    loans = load_example("loans")
    made = Resampled(DecisionTreeClassifier(max_depth=3), how="under", ratio=0.5, random_state=4)
    copy = clone(made)
    assert copy.get_params()["estimator__max_depth"] == 3
    copy.set_params(estimator__max_depth=2)
    model = copy.fit(loans.X, loans.y)
    assert model.estimator_.get_depth() == 2
    assert model.classes_.tolist() == ["default", "late", "repaid"]
    assert model.predict_proba(loans.X).shape == (2000, 3)
    assert model.n_features_in_ == len(loans.X.columns)
    assert 0 < model.score(loans.X, loans.y) < 1
    alone = clone(made.estimator).set_params(max_depth=2)
    alone.fit(loans.X.rows(model.rows_), loans.y[model.rows_])
    assert (alone.predict(loans.X) == model.predict(loans.X)).all()


NOT_FOR_DRAWS = "check_sample_weight_equivalence"
"""A row of weight 2 is drawn as one row, and its two copies as two."""


@pytest.mark.parametrize(
    "estimator",
    [Resampled(DecisionTreeClassifier(), random_state=0), LeastCost(DecisionTreeClassifier())],
    ids=lambda each: type(each).__name__,
)
def test_the_checks_of_scikit_learn_pass(estimator: Any) -> None:
    for made, check in estimator_checks_generator(estimator, mark=None):
        name = check.func.__name__
        if isinstance(made, Resampled) and name.startswith(NOT_FOR_DRAWS):
            continue
        with contextlib.suppress(unittest.SkipTest):
            check(made)


def test_weights_and_pipelines_are_passed_on() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat([0, 1], [45, 15])
    weights = rng.uniform(0.5, 2, 60)
    model = Resampled(LogisticRegression(), random_state=0).fit(X, y, sample_weight=weights)
    rows = model.rows_
    same = LogisticRegression().fit(X[rows], y[rows], sample_weight=weights[rows])
    np.testing.assert_allclose(model.estimator_.coef_, same.coef_)
    steps = Resampled(make_pipeline(StandardScaler(), LogisticRegression()), random_state=0)
    assert steps.fit(X, y, sample_weight=weights).predict(X).shape == (60,)
    with pytest.raises(UnsupportedError, match="Witness takes no sample_weight"):
        Resampled(Witness()).fit(X, y, sample_weight=weights)


def test_a_learner_that_asks_is_told_which_rows_are_copies() -> None:
    class Asks(Witness):
        def fit(self, X: Any, y: Any, groups: Any = None) -> "Asks":
            super().fit(X, y)
            self.groups_ = groups
            return self

    X = np.arange(100.0).reshape(-1, 1)
    model = Resampled(Asks(), random_state=0).fit(X, LABELS)
    assert model.estimator_.groups_.tolist() == model.rows_.tolist()


def test_a_seed_is_given_where_it_is_open() -> None:
    learner = Learner(name="x", model=Resampled(DecisionTreeClassifier()))
    loans = load_example("loans")
    found = [compare([learner.model, "repaid"], loans.X, loans.y, cv=3) for _ in "ab"]
    assert str(found[0]) == str(found[1])


def test_what_cannot_be_resampled_is_refused() -> None:
    with pytest.raises(ParameterError, match="how='both' must be one of 'over', 'under'"):
        resample(LABELS, how="both")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"ratio=1\.5 must be above 0 and at most 1"):
        resample(LABELS, ratio=1.5)
    with pytest.raises(DataError, match=r"groups has shape \(3,\); 100 rows need 100 entries"):
        resample(LABELS, groups=[1, 2, 3])
    with pytest.raises(DataError, match=r"0 sample\(s\)"):
        resample([])
    with pytest.raises(DataError, match="X has 3 rows and y has 100"):
        Resampled(DecisionTreeClassifier()).fit([[1.0]] * 3, LABELS)
    with pytest.raises(UnsupportedError, match="DecisionTreeRegressor predicts numbers"):
        Resampled(DecisionTreeRegressor()).fit([[1.0], [2.0]], [1.0, 2.0])
    assert resample(["a"] * 3).tolist() == [0, 1, 2]
