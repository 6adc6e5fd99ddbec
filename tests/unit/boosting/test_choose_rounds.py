"""Rounds and depths that cross-validation chooses."""

from __future__ import annotations

import signal
import threading
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import treewright as tw
from treewright.boosting import choose_rounds as chosen_rounds
from treewright.boosting.choose_rounds import N_FOLDS, folds_of
from treewright.boosting.losses import loss_of_classes, loss_of_values
from treewright.boosting.problem import BoostingProblem
from treewright.data.read.table import read_table
from treewright.data.read.weights import RowWeights
from treewright.errors import ParameterError

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(240, 3))
VALUES = X[:, 0] * X[:, 1] + 0.5 * RANDOM.normal(size=240)
CLASSES = np.digitize(VALUES, [-0.4, 0.6])
WHOLE = RANDOM.integers(0, 3, (400, 5))
SURE = WHOLE[:, 0] == WHOLE[:, 1]


def problem(
    X: Any, y: Any, weight: Any = None, *, of_classes: bool = True, n_classes: int = 3
) -> BoostingProblem:
    loss = loss_of_values("squared_error", quantile=None, power=1.5)
    if of_classes:
        loss = loss_of_classes("log_loss", n_classes)
    return BoostingProblem(
        table=read_table(X),
        y=np.asarray(y, dtype=np.float64),
        weights=RowWeights.of(None if weight is None else np.asarray(weight, dtype=np.float64)),
        loss=loss,
    )


def test_folds_follow_from_the_content_of_rows() -> None:
    folds = folds_of(problem(X, CLASSES))
    assert folds is not None
    order = RANDOM.permutation(len(X))
    assert np.array_equal(folds_of(problem(X[order], CLASSES[order])), folds[order])
    copies = RANDOM.integers(0, 4, len(X))
    weighed = folds_of(problem(X, CLASSES, copies))
    assert weighed is not None
    assert np.array_equal(weighed < 0, copies == 0)
    repeated = folds_of(problem(np.repeat(X, copies, axis=0), np.repeat(CLASSES, copies)))
    assert np.array_equal(repeated, np.repeat(weighed, copies))


def test_every_fold_has_its_share_of_every_class() -> None:
    folds = folds_of(problem(X, CLASSES))
    assert folds is not None
    for of_class in range(3):
        counts = np.bincount(folds[of_class == CLASSES], minlength=N_FOLDS)
        assert counts.max() - counts.min() <= 1
    by_number = folds_of(problem(X, VALUES, of_classes=False))
    assert by_number is not None
    assert np.bincount(by_number).tolist() == [48] * N_FOLDS


def test_few_rows_are_not_dealt_out() -> None:
    assert folds_of(problem(np.repeat(X[:29], 10, axis=0), np.repeat(CLASSES[:29], 10))) is None
    assert folds_of(problem(X[:30], CLASSES[:30])) is not None


@pytest.mark.parametrize("weighs", [False, True])
def test_the_choice_is_the_least_loss_of_rows_left_out(weighs: bool) -> None:
    """Against folds that are boosted one by one, each with a model of its own."""
    weight = RANDOM.uniform(0.5, 2.0, len(X)) if weighs else None
    rate = 0.3
    model = tw.GradientBoostingRegressor(learning_rate=rate, random_state=5).fit(X, VALUES, weight)
    folds = folds_of(problem(X, VALUES, weight, of_classes=False))
    least = {}
    for (depth, share), tried in zip(((None, 1.0), (3, 0.7)), model.choice_.tried, strict=True):
        curve = np.zeros(150)
        for fold in range(N_FOLDS):
            learn, judge = folds != fold, folds == fold
            own = tw.GradientBoostingRegressor(
                n_estimators=150,
                max_depth=depth,
                subsample=share,
                learning_rate=rate,
                min_hessian=0.001,
                l2_regularization=3.0,
                random_state=5,
            ).fit(X[learn], VALUES[learn], None if weight is None else weight[learn])
            shares = np.ones(judge.sum()) if weight is None else weight[judge]
            for number, told in enumerate(own.staged_predict(X[judge])):
                curve[number] += shares @ (told - VALUES[judge]) ** 2 / 2
        curve /= len(X) if weight is None else weight.sum()
        assert (tried.max_depth, tried.subsample) == (depth, share)
        assert tried.n_rounds == curve.argmin() + 1
        assert tried.loss == pytest.approx(curve.min(), rel=1e-9)
        least[depth] = curve.min()
    assert model.choice_.best.max_depth == min(least, key=least.__getitem__)
    assert model.n_iter_ == model.choice_.best.n_rounds
    assert str(model.choice_).count("chosen") == 1


def test_the_model_is_the_one_of_the_rounds_and_depth_chosen() -> None:
    model = tw.GradientBoostingClassifier(random_state=2).fit(X, CLASSES)
    best = model.choice_.best
    told = tw.GradientBoostingClassifier(
        n_estimators=best.n_rounds,
        max_depth=best.max_depth,
        subsample=best.subsample,
        learning_rate=0.05,
        min_hessian=0.001,
        l2_regularization=3.0,
        random_state=2,
    ).fit(X, CLASSES)
    assert told.choice_ is None
    assert np.array_equal(model.predict_proba(X), told.predict_proba(X))


def test_threads_and_the_order_of_rows_change_nothing() -> None:
    order = RANDOM.permutation(len(X))
    first = tw.GradientBoostingClassifier(n_jobs=1).fit(X, CLASSES)
    for n_jobs, rows in ((2, np.arange(len(X))), (7, order)):
        other = tw.GradientBoostingClassifier(n_jobs=n_jobs).fit(X[rows], CLASSES[rows])
        for own, its in zip(other.choice_.tried, first.choice_.tried, strict=True):
            assert (own.max_depth, own.n_rounds) == (its.max_depth, its.n_rounds)
            assert own.loss == pytest.approx(its.loss, rel=1e-12)
        assert np.array_equal(other.predict_proba(X), first.predict_proba(X))


def test_noise_is_left_early_and_what_is_sure_is_learned_to_the_end() -> None:
    noise = tw.GradientBoostingClassifier().fit(X, RANDOM.permutation(CLASSES))
    assert noise.n_iter_ < 40
    assert tw.GradientBoostingClassifier().fit(WHOLE, SURE).n_iter_ > 500


def test_a_depth_that_is_given_is_the_only_one_tried() -> None:
    model = tw.GradientBoostingClassifier(max_depth=2).fit(X, CLASSES)
    assert [(tried.max_depth, tried.subsample) for tried in model.choice_.tried] == [(2, 1.0)]
    model = tw.GradientBoostingClassifier(subsample=0.5).fit(X, CLASSES)
    assert [tried.subsample for tried in model.choice_.tried] == [0.5, 0.5]


def test_where_nothing_is_chosen_rounds_are_fixed() -> None:
    many = np.arange(10_001, dtype=np.float64)[:, np.newaxis]
    whole = tw.GradientBoostingRegressor(max_leaf_nodes=2).fit(many, many[:, 0])
    assert (whole.n_iter_, whole.choice_) == (250, None)

    def squared(y: Any, scores: Any) -> tuple[Any, Any]:
        return scores - y, np.ones_like(y)

    for options in ({"loss": squared}, {"init": LinearRegression()}):
        model = tw.GradientBoostingRegressor(max_leaf_nodes=2, **options).fit(X, VALUES)
        assert (model.n_iter_, model.choice_) == (250, None)
    few = tw.GradientBoostingRegressor(max_leaf_nodes=2).fit(X[:20], VALUES[:20])
    assert (few.n_iter_, few.choice_) == (250, None)


def test_early_stopping_has_a_thousand_rounds() -> None:
    model = tw.GradientBoostingClassifier(early_stopping=True, n_iter_no_change=1_000)
    model.fit(WHOLE, SURE)
    assert model.choice_ is None
    assert 250 < model.n_iter_ <= 1_000


def test_errors_name_what_can_be_meant() -> None:
    with pytest.raises(ParameterError, match=r"warm_start=True .* n_estimators='auto'"):
        tw.GradientBoostingClassifier(warm_start=True).fit(X, CLASSES)
    with pytest.raises(ParameterError, match="max_iter='many' must be a number or 'auto'"):
        tw.GradientBoostingClassifier(max_iter="many").fit(X, CLASSES)
    for name in ("max_depth", "min_hessian", "l2_regularization", "subsample"):
        with pytest.raises(ParameterError, match=f"{name}='much'"):
            tw.GradientBoostingClassifier(**{name: "much"}).fit(X, CLASSES)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_ctrl_c_while_choosing_leaves_the_estimator_as_it_was(
    n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tw.GradientBoostingClassifier(n_jobs=n_jobs).fit(X, CLASSES)
    before = model.predict_proba(X)
    whole, calls = chosen_rounds._Fold.more, []

    def more(self: Any, n_rounds: int, stop: threading.Event) -> list[float]:
        calls.append(n_rounds)
        if len(calls) == 12:
            signal.raise_signal(signal.SIGINT)
        return whole(self, n_rounds, stop)

    monkeypatch.setattr(chosen_rounds._Fold, "more", more)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, VALUES > 0)
    assert len(calls) < 25
    assert np.array_equal(model.predict_proba(X), before)
