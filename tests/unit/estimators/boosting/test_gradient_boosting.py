"""Rounds: when they end, how they go on, and where they start."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
import warnings
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import treewright as tw
from treewright.errors import (
    DataError,
    ManyCategoriesWarning,
    ModelFormatError,
    NoSplitWarning,
    ParameterError,
    TargetError,
    UnsupportedError,
)

RANDOM = np.random.default_rng(11)
X = RANDOM.normal(size=(1500, 4))
VALUES = X[:, 0] * X[:, 1] + X[:, 2] + RANDOM.normal(size=1500)
CLASSES = np.where(VALUES > 0, "up", "down")


def test_rounds_stop_where_validation_rows_say_so() -> None:
    options = {"n_estimators": 500, "learning_rate": 0.3, "n_iter_no_change": 5}
    model = tw.GradientBoostingRegressor(early_stopping=True, **options)
    model.fit(X[:1000], VALUES[:1000], X_val=X[1000:], y_val=VALUES[1000:])
    losses = [told.validation_loss for told in model.rounds_]
    assert model.n_iter_ == len(model.rounds_) == len(model.ensemble_) < 500
    assert losses[-1] == min(losses)
    assert losses[-1] == pytest.approx(
        np.mean((model.predict(X[1000:]) - VALUES[1000:]) ** 2) / 2, rel=1e-9
    )
    held_out = tw.GradientBoostingClassifier(early_stopping=True, **options).fit(X, CLASSES)
    assert held_out.n_iter_ < 500
    by_training = tw.GradientBoostingClassifier(
        early_stopping=True, validation_fraction=None, n_estimators=30
    )
    assert by_training.fit(X, CLASSES).n_iter_ == 30


def test_rounds_stop_early_where_something_is_said_about_stopping() -> None:
    validation = {"X_val": X[1000:], "y_val": VALUES[1000:]}

    def rounds_of(given: dict[str, Any], **options: Any) -> Any:
        model = tw.GradientBoostingRegressor(n_estimators=150, learning_rate=0.5, **options)
        return model.fit(X[:1000], VALUES[:1000], **given).rounds_

    whole = rounds_of({})
    assert len(whole) == 150
    assert np.isnan(whole[0].validation_loss)
    recorded = rounds_of(validation, early_stopping=False)
    losses = [told.validation_loss for told in recorded]
    least = int(np.argmin(losses)) + 1
    assert (len(recorded), least < 100) == (150, True)
    for options in ({}, {"early_stopping": True}, {"n_iter_no_change": 10}):
        assert len(rounds_of(validation, **options)) == least
    assert len(rounds_of({}, n_iter_no_change=10)) < 100
    both = rounds_of({}, early_stopping=True), rounds_of({}, n_iter_no_change=10)
    assert [told.validation_loss for told in both[0]] == [told.validation_loss for told in both[1]]


def test_never_to_stop_and_when_to_stop_contradict_each_other() -> None:
    model = tw.GradientBoostingRegressor(early_stopping=False, n_iter_no_change=5)
    with pytest.raises(ParameterError) as caught:
        model.fit(X, VALUES)
    assert str(caught.value) == (
        "n_iter_no_change=5 says when to stop, but early_stopping=False never stops.\n"
        "  Hint: leave one of them out."
    )
    with pytest.raises(ParameterError, match="early_stopping='yes' must be one of 'auto'"):
        tw.GradientBoostingRegressor(early_stopping="yes").fit(X, VALUES)
    with pytest.raises(ParameterError, match="n_iter_no_change=0 must be at least 1"):
        tw.GradientBoostingRegressor(n_iter_no_change=0).fit(X, VALUES)


def test_tol_says_when_to_stop_and_not_what_is_kept() -> None:
    options = {"n_estimators": 60, "learning_rate": 0.1}
    validation = {"X_val": X[1000:], "y_val": VALUES[1000:]}
    model = tw.GradientBoostingRegressor(early_stopping=False, **options)
    model.fit(X[:1000], VALUES[:1000], **validation)
    losses = [told.validation_loss for told in model.rounds_]
    assert (np.diff(losses[:6]) < 0).all()
    # The first round beats no loss at all; the five after it fall, but not by so much.
    model = tw.GradientBoostingRegressor(n_iter_no_change=5, tol=1e3, **options)
    model.fit(X[:1000], VALUES[:1000], **validation)
    assert [told.validation_loss for told in model.rounds_] == losses[:6]


def test_a_warm_start_is_the_same_as_at_once() -> None:
    for made, y in (
        (tw.GradientBoostingRegressor, VALUES),
        (tw.GradientBoostingClassifier, CLASSES),
    ):
        whole = made(n_estimators=12, subsample=0.7).fit(X, y)
        parts = made(n_estimators=5, subsample=0.7, warm_start=True).fit(X, y)
        parts.set_params(n_estimators=12).fit(X, y)
        assert parts.n_iter_ == 12
        table = whole._table(X)
        assert parts.ensemble_.scores(table) == pytest.approx(
            whole.ensemble_.scores(table), abs=1e-9
        )
        with pytest.raises(ParameterError, match="less than the 12 rounds"):
            parts.set_params(n_estimators=3).fit(X, y)
        with pytest.raises(DataError, match="not those that boosting began with"):
            parts.set_params(n_estimators=20).fit(X[:, :3], y)


def test_scores_may_start_at_what_an_estimator_says() -> None:
    y = 3 * X[:, 3] + VALUES
    plain = tw.GradientBoostingRegressor(n_estimators=20).fit(X, y)
    started = tw.GradientBoostingRegressor(n_estimators=20, init=LinearRegression()).fit(X, y)
    assert started.score(X, y) > plain.score(X, y)
    classes = tw.GradientBoostingClassifier(n_estimators=5, init=LogisticRegression())
    assert classes.fit(X, CLASSES).score(X, CLASSES) > 0.6
    assert next(classes.staged_predict(X)).shape == (1500,)
    with pytest.raises(ParameterError, match="gives no probabilities"):
        tw.GradientBoostingClassifier(init=LinearRegression()).fit(X, CLASSES)


def test_stages_end_at_the_prediction() -> None:
    model = tw.GradientBoostingClassifier(n_estimators=7).fit(X, CLASSES)
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == 7
    assert (stages[-1] == model.predict_proba(X)).all()
    assert (list(model.staged_predict(X))[-1] == model.predict(X)).all()
    assert (list(model.staged_decision_function(X))[-1] == model.decision_function(X)).all()


def test_importances_of_every_kind_find_the_columns_that_matter() -> None:
    X_more = np.column_stack([X, RANDOM.normal(size=1500)])
    model = tw.GradientBoostingRegressor(n_estimators=30).fit(X_more, VALUES)
    for kind in ("gain", "split", "permutation"):
        measured = model.importances(kind, X=X_more, y=VALUES)
        assert set(np.argsort(measured)[-3:]) == {0, 1, 2}
    assert model.feature_importances_.sum() == pytest.approx(1)
    with pytest.raises(ParameterError, match="needs rows"):
        model.importances("permutation")


def test_rows_of_one_class_are_not_parted_for_a_gain_that_is_rounding() -> None:
    y = np.where(X[:, 0] > 0, "up", "down")
    options = {"l2_regularization": 0.0, "max_features": 1.0}  # nothing but the gain decides
    model = tw.GradientBoostingClassifier(n_estimators=1, **options).fit(X, y)
    first = model.ensemble_[0]
    assert first.n_leaves <= 3  # one bin may hold both


def test_shap_values_add_up_to_the_score() -> None:
    found = tw.GradientBoostingRegressor(n_estimators=20).fit(X, VALUES).shap_values(X)
    model = tw.GradientBoostingRegressor(n_estimators=20, n_jobs=2).fit(X, VALUES)
    assert found.values.shape == X.shape
    assert found.answers == pytest.approx(model.predict(X), abs=1e-12)
    assert (model.shap_values(X).values == found.values).all()
    for y in (CLASSES, np.digitize(VALUES, [-1, 1])):
        classes = tw.GradientBoostingClassifier(n_estimators=5).fit(X, y)
        found = classes.shap_values(X, by_hessian=True)
        assert found.answers == pytest.approx(classes.decision_function(X), abs=1e-12)
    with pytest.raises(UnsupportedError, match="init adds scores"):
        tw.GradientBoostingRegressor(init=LinearRegression()).fit(X, VALUES).shap_values(X)


def test_combinations_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="together at most 1"):
        tw.GradientBoostingRegressor(row_sampling="goss", subsample=0.9).fit(X, VALUES)
    with pytest.raises(UnsupportedError, match="order of the answers"):
        tw.GradientBoostingClassifier(monotonic_cst=[1, 0, 0, 0]).fit(X, np.arange(1500) % 3)
    with pytest.raises(ParameterError, match="belong together"):
        tw.GradientBoostingRegressor().fit(X, VALUES, X_val=X)
    with pytest.raises(TargetError, match="'sideways', which y does not have"):
        tw.GradientBoostingClassifier().fit(X, CLASSES, X_val=X[:1], y_val=["sideways"])
    with pytest.raises(ParameterError, match="interaction_cst names column 'z'"):
        tw.GradientBoostingRegressor(interaction_cst=[{"z"}]).fit(X, VALUES)


def test_categories_beyond_two_bytes_are_missing_with_a_warning() -> None:
    few, many = np.arange(65_534), np.arange(65_540)
    model = tw.GradientBoostingRegressor(
        n_estimators=1, min_category_rows=1, max_categories=100_000, categorical_features=[0]
    )
    model.fit(few[:, np.newaxis].astype(float), few % 2)  # no warning
    with pytest.warns(
        ManyCategoriesWarning,
        match=r"'x0' has 65,540 categories.* first 65,534 .* of 6 rows, count as missing",
    ):
        model.fit(many[:, np.newaxis].astype(float), many % 2)
    answers = model.predict([[65_534.0], [65_539.0], [np.nan], [0.0], [1.0]])
    assert answers[0] == answers[1] == answers[2]
    assert answers[3] != answers[4]


def test_another_number_of_bins_changes_little_and_few_bins_are_kept() -> None:
    scores = [
        tw.GradientBoostingRegressor(max_bins=bins, n_estimators=50).fit(X, VALUES).score(X, VALUES)
        for bins in (255, 64)
    ]
    assert scores[1] == pytest.approx(scores[0], abs=0.05)
    few = tw.GradientBoostingRegressor(max_bins=2, n_estimators=1).fit(X, VALUES).ensemble_
    assert all(len(cuts) <= 1 for cuts in few.core.cuts if cuts is not None)


@pytest.mark.alone
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent another way")
def test_ctrl_c_stops_boosting_and_leaves_the_estimator_as_it_was() -> None:
    """FAULTS 35."""
    code = """
        import time, numpy as np, treewright as tw
        X = np.random.default_rng(0).normal(size=(200_000, 20)).astype(np.float32)
        y = X[:, 0] * X[:, 1] > 0
        model = tw.GradientBoostingClassifier(n_estimators=2, n_jobs=2).fit(X[:5000], y[:5000])
        before = model.ensemble_
        model.set_params(n_estimators=100_000)
        print("growing", flush=True)
        try:
            model.fit(X, y)
        except KeyboardInterrupt:
            stopped = time.time()
        assert model.ensemble_ is before
        print(stopped, flush=True)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "growing\n"
        time.sleep(0.5)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=60)
    assert float(printed) - sent < 1.0


def test_goss_weighs_the_hessians_of_sampled_rows_like_their_gradients():
    # Rows alike would be drawn together.
    x = np.column_stack([np.repeat([0.0, 1.0], 500), np.arange(1000) % 500])
    y = np.where(x[:, 0] > 0, 3.0, -1.0)
    model = tw.GradientBoostingRegressor(
        n_estimators=1,
        learning_rate=1.0,
        l2_regularization=0.0,
        max_features=1.0,
        row_sampling="goss",
        top_rate=0.2,
        subsample=0.1,
    ).fit(x, y)
    np.testing.assert_allclose(model.predict(x), y, rtol=1e-6)


@pytest.mark.parametrize(
    ("estimator", "rate"),
    [(tw.GradientBoostingClassifier, 0.05), (tw.GradientBoostingRegressor, 0.1)],
)
def test_what_is_left_to_the_number_of_rows_is_a_number(estimator: Any, rate: float) -> None:
    y = (VALUES > 0).astype(int)
    left = estimator(n_estimators=5).fit(X, y)
    said = estimator(n_estimators=5, learning_rate=rate, max_features=0.5).fit(X, y)
    assert left.get_params()["learning_rate"] == "auto"
    assert np.array_equal(left.apply(X), said.apply(X))
    assert left.predict(X).tolist() == said.predict(X).tolist()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("learning_rate", "must be a number or 'auto'"),
        ("max_features", "must be 'auto', 'sqrt', 'log2', None, a whole number of columns"),
    ],
)
def test_other_words_than_auto_are_refused(name: str, message: str) -> None:
    with pytest.raises(ParameterError, match=f"{name}='fast' {message}"):
        tw.GradientBoostingRegressor(**{name: "fast"}).fit(X, VALUES)


def test_rows_are_drawn_by_their_content() -> None:
    """Neither the order of the rows nor their weights say which of them a round sees."""
    draw = np.random.default_rng(2)
    weight, order = draw.uniform(0.5, 2.0, len(X)), draw.permutation(len(X))
    made = tw.GradientBoostingClassifier(n_estimators=8, subsample=0.3, random_state=4)
    alike = made.fit(X, CLASSES).predict_proba(X)
    seen = [int(tree.arrays.n_rows[0]) for tree in made.ensemble_]
    weighed = made.fit(X, CLASSES, weight).predict_proba(X)
    assert [int(tree.arrays.n_rows[0]) for tree in made.ensemble_] == seen
    assert not np.array_equal(alike, weighed)
    moved = made.fit(X[order], CLASSES[order], weight[order]).predict_proba(X)
    assert np.array_equal(weighed, moved)
    whole = made.set_params(subsample=1.0).fit(X, CLASSES, weight).predict_proba(X)
    assert not np.array_equal(whole, weighed)


def test_a_large_table_of_numbers_shows_a_round_part_of_its_rows() -> None:
    n_rows = 125_000
    values = np.arange(n_rows, dtype=np.float64)
    table = {"x": values + 1, "z": np.sin(values)}
    told = {"n_estimators": 2, "max_leaf_nodes": 4}
    own = tw.GradientBoostingRegressor(**told).fit(table, values)
    assert np.array_equal(
        own.predict(table),
        tw.GradientBoostingRegressor(subsample=0.8, **told).fit(table, values).predict(table),
    )
    assert own.ensemble_[0].arrays.n_rows[0] == pytest.approx(100_000, rel=0.01)
    words = table | {"word": np.where(values > 10, "a", "b")}
    nominal = tw.GradientBoostingRegressor(**told).fit(words, values)
    assert nominal.ensemble_[0].arrays.n_rows[0] == n_rows


VALUE_LOSSES = ["squared_error", "absolute_error", "quantile", "huber"]


@pytest.mark.parametrize("loss", VALUE_LOSSES)
def test_scores_that_grow_beyond_all_bounds_are_an_error_of_their_round(loss: str) -> None:
    model = tw.GradientBoostingRegressor(n_estimators=5, loss=loss).fit(X, VALUES)
    before = model.ensemble_
    model.set_params(learning_rate=1e200)
    with pytest.raises(ParameterError, match=r"round \d: scores grow beyond all bounds"):
        model.fit(X, VALUES)
    assert model.ensemble_ is before


class AnswersNothing(LinearRegression):
    """Predicts what is no number for one row."""

    def predict(self, X: Any) -> Any:
        answers = super().predict(X)
        answers[3] = np.nan
        return answers


@pytest.mark.parametrize("loss", VALUE_LOSSES)
def test_boosting_starts_from_finite_scores(loss: str) -> None:
    model = tw.GradientBoostingRegressor(n_estimators=2, loss=loss, init=AnswersNothing())
    with pytest.raises(ParameterError, match="no finite number for row 3"):
        model.fit(X, VALUES)


def test_a_model_without_trees_is_looked_at_too() -> None:
    none = tw.GradientBoostingRegressor(n_estimators=2).fit(X, VALUES).ensemble_.first(0)
    state = none.__getstate__()
    state["codebook"] = {"cuts": state["codebook"]["cuts"], "n_codes": [3, 3, 3, 3]}
    with pytest.raises(ModelFormatError, match="damaged"):
        none.__setstate__(state)


def test_a_round_sees_the_rows_of_one_content_where_it_would_see_none() -> None:
    rare = tw.GradientBoostingRegressor(n_estimators=6, subsample=1e-9)
    with pytest.warns(NoSplitWarning, match="found a split in 200 rows"):
        rare.fit(X[:200], VALUES[:200])
    assert [int(tree.arrays.n_rows[0]) for tree in rare.ensemble_] == [1] * 6
    two = np.arange(200)[:, np.newaxis] % 2
    alike = tw.GradientBoostingRegressor(n_estimators=12, subsample=0.01)
    with pytest.warns(NoSplitWarning, match="found a split in 200 rows"):
        alike.fit(two, two[:, 0])
    assert [int(tree.arrays.n_rows[0]) for tree in alike.ensemble_] == [100] * 12


@pytest.mark.parametrize(
    ("name", "then", "now"),
    [("loss", "squared_error", "huber"), ("init", None, "zero"), ("max_bins", 255, 16)],
)
def test_a_warm_start_goes_on_with_what_it_began_with(name: str, then: Any, now: Any) -> None:
    model = tw.GradientBoostingRegressor(n_estimators=3, warm_start=True, **{name: then})
    model.fit(X, VALUES).set_params(n_estimators=6, **{name: now})
    with pytest.raises(ParameterError, match=f"warm_start goes on from rounds of {name}="):
        model.fit(X, VALUES)
    model.set_params(warm_start=False).fit(X, VALUES)


def test_rows_to_validate_by_start_where_the_others_do() -> None:
    model = tw.GradientBoostingRegressor(init="zero", early_stopping=True, n_estimators=5)
    model.fit(X[:1000], VALUES[:1000], X_val=X[1000:], y_val=VALUES[1000:])
    assert model.rounds_[-1].validation_loss == pytest.approx(
        np.mean((model.predict(X[1000:]) - VALUES[1000:]) ** 2) / 2
    )


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_rows_to_validate_by_count(loss: str) -> None:
    model = tw.GradientBoostingRegressor(early_stopping=True, n_estimators=5, loss=loss)
    one = np.zeros(len(X))
    one[0] = 1.0
    with pytest.raises(ParameterError, match="of 1 rows leaves none to learn from"):
        model.fit(X, VALUES, sample_weight=one)
    few = np.zeros(len(X))
    few[:20] = 2.5
    assert np.isfinite(model.fit(X, VALUES, sample_weight=few).rounds_[-1].validation_loss)
    with pytest.raises(DataError, match="zero for every row"):
        model.fit(X, VALUES, X_val=X, y_val=VALUES, sample_weight_val=one * 0.0)
    with pytest.raises(ParameterError, match="belongs to X_val"):
        model.fit(X, VALUES, sample_weight_val=one)


class Answers(LinearRegression):
    """Predicts what it is told to."""

    def __init__(self, answers: Any = None) -> None:
        super().__init__()
        self.answers = answers

    def predict(self, X: Any) -> Any:
        return self.answers


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (np.zeros(3), r"shape \(3, 1\)"),
        (np.zeros((1500, 2)), "1 axes are due"),
        (None, "1 axes are due"),
        (["a"] * 1500, "no numbers"),
    ],
)
def test_what_boosting_starts_from_is_looked_at(answers: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        tw.GradientBoostingRegressor(init=Answers(answers)).fit(X, VALUES)
    with pytest.raises(ParameterError, match="must be None, 'zero' or an estimator"):
        tw.GradientBoostingRegressor(init=LinearRegression).fit(X, VALUES)


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie"])
def test_small_targets_are_met_like_large_ones(loss: str) -> None:
    y = np.abs(VALUES) + 0.1
    model = tw.GradientBoostingRegressor(n_estimators=5, loss=loss)
    # The hessians of small counts are small, and leaves need a sum of 1; gamma's are not.
    is_alike = nullcontext() if loss == "gamma" else pytest.warns(NoSplitWarning)
    with is_alike:
        model.fit(X, y * 2.0**-60)
    tiny = model.predict(X).mean() / 2.0**-60
    assert tiny == pytest.approx(y.mean(), rel=0.2)


def test_rounds_without_a_split_are_no_surprise_where_rows_differ_all_the_same() -> None:
    """Where an estimator or earlier rounds tell rows apart, not every row gets the same answer."""
    options = {"n_estimators": 3, "min_samples_leaf": 1000}
    with warnings.catch_warnings():
        warnings.simplefilter("error", NoSplitWarning)
        started = tw.GradientBoostingRegressor(init=LinearRegression(), **options).fit(X, VALUES)
        warm = tw.GradientBoostingRegressor(n_estimators=3, warm_start=True).fit(X, VALUES)
        warm.set_params(n_estimators=5, min_samples_leaf=1000).fit(X, VALUES)
    assert min(len(np.unique(model.predict(X))) for model in (started, warm)) > 1


def test_leaves_without_curvature_have_no_gain() -> None:
    random = np.random.default_rng(0)
    few = random.integers(-5, 5, (65, 2)).astype(float)
    model = tw.GradientBoostingClassifier(
        n_estimators=50,
        learning_rate=1.0,
        min_hessian=0.0,
        l2_regularization=0.0,
        subsample=0.5,
        min_samples_leaf=1,
    ).fit(few, few[:, 0] + random.normal(size=65) > 0)
    assert model.feature_importances_.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    "damage",
    [{"base": np.zeros(3)}, {"shift": 2**40}, {"classes": 5}, {"link": "x"}, {"base": None}],
)
def test_what_scores_mean_is_looked_at_when_a_model_is_loaded(damage: dict[str, Any]) -> None:
    ensemble = tw.GradientBoostingClassifier(n_estimators=2).fit(X, CLASSES).ensemble_
    with pytest.raises(ModelFormatError, match="damaged"):
        ensemble.__setstate__(ensemble.__getstate__() | damage)
