"""Boosting of ordered classes: one score, and thresholds that are learned with the trees."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from oracle.boosting import boost
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

import treewright as tw
from treewright.boosting.losses.ordinal import Ordinal
from treewright.errors import ModelFormatError, TargetError, UnsupportedError

LEVELS = ["low", "medium", "high", "top"]


def table(seed: int, n_rows: int, n_classes: int = 4) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 4))
    hidden = 1.2 * X[:, 0] + np.abs(X[:, 1]) + random.logistic(size=n_rows)
    return X, np.digitize(hidden, np.quantile(hidden, np.linspace(0, 1, n_classes + 1)[1:-1]))


X, Y = table(0, 400)
NAMES = np.array(LEVELS, dtype=object)[Y]


def ordinal(**options: Any) -> Any:
    return tw.GradientBoostingClassifier(loss="ordinal", **{"n_estimators": 20, **options})


def shares_of(scores: Any, thresholds: Any) -> Any:
    below = expit(np.asarray(thresholds)[np.newaxis] - np.asarray(scores)[:, np.newaxis])
    return np.diff(np.pad(below, ((0, 0), (1, 1)), constant_values=((0, 0), (0, 1))), axis=1)


def ranked_probability_score(shares: Any, y: Any) -> float:
    """Epstein 1969: squares of what the shares up to each class are off."""
    below = np.cumsum(shares, axis=1)[:, :-1]
    return float(np.mean(((below - (y[:, np.newaxis] <= np.arange(below.shape[1]))) ** 2).sum(1)))


def test_probabilities_are_what_lies_between_thresholds() -> None:
    model = ordinal().fit(X, Y)
    scores = model.decision_function(X)
    assert scores.shape == (400,)
    assert len(model.thresholds_) == 3
    assert (np.diff(model.thresholds_) > 0).all()
    found = model.predict_proba(X)
    assert found == pytest.approx(shares_of(scores, model.thresholds_))
    assert (found >= 0).all()
    assert found.sum(axis=1) == pytest.approx(np.ones(400))
    assert np.array_equal(model.predict(X), found.argmax(axis=1))
    assert model.n_trees_per_iteration_ == 1
    assert len(model.ensemble_) == 20


def test_two_classes_are_boosted_as_by_log_loss() -> None:
    two = (Y > 1).astype(int)
    for weight in (None, np.arange(400) % 3):
        found = ordinal().fit(X, two, sample_weight=weight).predict_proba(X)
        plain = tw.GradientBoostingClassifier(n_estimators=20).fit(X, two, sample_weight=weight)
        assert found == pytest.approx(plain.predict_proba(X), abs=1e-6)


def test_the_first_round_is_that_of_the_oracle() -> None:
    x, y = np.round(X[:60]), Y[:60]
    shares = np.cumsum(np.bincount(y)[:-1]) / 60
    bounds = [-math.inf, *np.log(shares / (1 - shares)).tolist(), math.inf]

    def loss(score: float, value: int) -> float:
        below = [1 / (1 + math.exp(min(score - bounds[k], 700))) for k in (value, value + 1)]
        return -math.log(below[1] - below[0])

    def derivatives(score: float, value: float) -> tuple[float, float]:
        step, own = 1e-4, int(value)
        at = [loss(score + off, own) for off in (-step, 0.0, step)]
        return (at[2] - at[0]) / (2 * step), (at[2] - 2 * at[1] + at[0]) / step**2

    expected = boost(
        x.tolist(),
        y.tolist(),
        derivatives=derivatives,
        start=0.0,
        n_rounds=1,
        rate=0.5,
        max_leaves=4,
        min_leaf=3,
        l2=1.0,
    )
    model = ordinal(
        n_estimators=1,
        learning_rate=0.5,
        max_leaf_nodes=4,
        max_depth=None,
        min_samples_leaf=3,
        min_hessian=0.0,
        l2_regularization=1.0,
        max_features=None,
    ).fit(x, y)
    assert model.decision_function(x) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("weighted", [False, True])
def test_rounds_end_at_the_proportional_odds_of_a_linear_model(weighted: bool) -> None:
    # One column of two values: trees can say no more than a coefficient does (McCullagh 1980).
    random = np.random.default_rng(2)
    x = random.integers(0, 2, size=(500, 1))
    y = np.digitize(1.3 * x[:, 0] + random.logistic(size=500), [-1.0, 0.2, 2.0])
    weight = random.gamma(2.0, size=500) if weighted else np.ones(500)

    def loss(parameters: Any) -> float:
        if (np.diff(parameters[:3]) <= 0).any():
            return math.inf
        own = shares_of(parameters[3] * x[:, 0], parameters[:3])[np.arange(500), y]
        return float(np.average(-np.log(own), weights=weight))

    first = np.array([-1.0, 0.0, 1.0, 0.0])
    found = minimize(loss, first, method="Nelder-Mead", options={"maxiter": 4000, "xatol": 1e-8})
    model = ordinal(
        n_estimators=400, learning_rate=0.5, l2_regularization=0.0, min_hessian=0.0
    ).fit(x, y, sample_weight=weight)
    assert model.predict_proba([[0], [1]]) == pytest.approx(
        shares_of(found.x[3] * np.array([0, 1]), found.x[:3]), abs=1e-4
    )
    assert np.diff(model.thresholds_) == pytest.approx(np.diff(found.x[:3]), abs=1e-3)


def test_the_loss_of_rows_is_minus_the_logarithm_of_their_share() -> None:
    thresholds, scores = np.array([-1.0, 0.5, 0.50001]), np.linspace(-5, 5, 400)
    loss = Ordinal(n_classes=4, thresholds=thresholds)
    own = shares_of(scores, thresholds)[np.arange(400), Y]
    assert loss.of_rows(scores[:, np.newaxis], Y.astype(float), None) == pytest.approx(
        -np.log(own), rel=1e-6
    )
    # Where shares cancel, logarithms do not.
    far = loss.of_rows(np.full((4, 1), 60.0), np.arange(4.0), None)
    assert np.isfinite(far).all()
    assert far[0] == pytest.approx(61.0)


def test_order_helps_where_rows_are_few() -> None:
    better: list[list[bool]] = []
    for seed in range(4):
        x, y = table(seed, 2150, 5)
        told = []
        for loss in ("ordinal", "log_loss"):
            model = tw.GradientBoostingClassifier(loss=loss).fit(x[:150], y[:150])
            off = np.abs(model.predict(x[150:]) - y[150:]).mean()
            told.append((ranked_probability_score(model.predict_proba(x[150:]), y[150:]), off))
        better.append([told[0][0] < told[1][0], told[0][1] < told[1][1]])
    assert np.mean(better, axis=0).min() >= 0.75


def test_stages_and_scores_have_the_thresholds_of_their_round() -> None:
    model = ordinal(subsample=0.7).fit(X, Y)
    losses = []
    for number, shares in enumerate(model.staged_predict_proba(X), start=1):
        short = model.ensemble_.first(number)
        scores = list(model.staged_decision_function(X))[number - 1]
        assert np.array_equal(shares, short.apply_link(scores[:, np.newaxis]))
        losses.append(-np.mean(np.log(shares[np.arange(400), Y])))
    assert losses[-1] < losses[9] < losses[0]
    assert np.array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    whole = ordinal().fit(X, Y)
    own = whole.predict_proba(X)[np.arange(400), Y]
    assert whole.train_score_[-1] == pytest.approx(-np.mean(np.log(own)))
    assert np.isfinite(model.oob_improvement_).all()
    assert whole.init_.predict_proba([[0]])[0] == pytest.approx(np.bincount(Y) / 400)


def test_early_stopping_judges_by_log_loss() -> None:
    x, y = table(5, 900)
    model = ordinal(n_estimators=300, learning_rate=0.3, n_iter_no_change=5)
    model.fit(x[:300], y[:300], X_val=x[300:], y_val=y[300:])
    assert model.n_iter_ < 100
    own = model.predict_proba(x[300:])[np.arange(600), y[300:]]
    assert model.validation_score_[-1] == pytest.approx(-np.mean(np.log(own)))
    assert len(model.ensemble_.thresholds) == model.n_iter_ + 1
    scored = ordinal(n_estimators=60, scoring="neg_log_loss", n_iter_no_change=5)
    scored.fit(x[:300], y[:300], X_val=x[300:], y_val=y[300:])
    own = scored.predict_proba(x[300:])[np.arange(600), y[300:]]
    assert scored.rounds_[-1].validation_score == pytest.approx(np.mean(np.log(own)))


def test_rounds_are_chosen() -> None:
    model = ordinal(n_estimators="auto").fit(X, Y)
    assert model.choice_ is not None
    assert 1 < model.n_iter_ < 1000


def test_warm_start_goes_on_with_the_thresholds() -> None:
    whole = ordinal().fit(X, Y)
    part = ordinal(n_estimators=7, warm_start=True).fit(X, Y)
    part.set_params(n_estimators=20).fit(X, Y)
    assert np.array_equal(part.predict_proba(X), whole.predict_proba(X))
    assert np.array_equal(part.ensemble_.thresholds, whole.ensemble_.thresholds)


def test_neither_threads_nor_the_order_of_rows_matter() -> None:
    weight = np.random.default_rng(1).gamma(2.0, size=400)
    model = ordinal(n_jobs=1).fit(X, Y, sample_weight=weight)
    turned = np.random.default_rng(2).permutation(400)
    for other in (
        ordinal(n_jobs=4).fit(X, Y, sample_weight=weight),
        ordinal().fit(X[turned], Y[turned], sample_weight=weight[turned]),
    ):
        assert np.array_equal(other.predict_proba(X), model.predict_proba(X))


def test_weight_0_is_a_row_left_out() -> None:
    weight = np.where(np.arange(400) % 5, 1.0, 0.0)
    part = weight > 0
    model = ordinal().fit(X, Y, sample_weight=weight)
    assert np.array_equal(model.predict_proba(X), ordinal().fit(X[part], Y[part]).predict_proba(X))


@pytest.mark.parametrize("n_left", [0, 1, 3])
def test_a_class_without_weight_has_a_share_near_0(n_left: int) -> None:
    weight = np.where(n_left == Y, 0.0, 1.0)
    shares = ordinal().fit(X, Y, sample_weight=weight).predict_proba(X)
    assert np.isfinite(shares).all()
    assert shares[:, n_left].max() < 1e-6
    assert shares.sum(axis=1) == pytest.approx(np.ones(400))


def test_names_and_gaps_are_taken_as_they_are() -> None:
    frame = pd.DataFrame(X).rename(columns=str)
    frame["kind"] = np.where(X[:, 0] > 0, "up", "down")
    frame.loc[::7, "0"] = np.nan
    frame.loc[::5, "kind"] = None
    y = pd.Categorical(NAMES, categories=LEVELS, ordered=True)
    model = ordinal().fit(frame, y)
    assert model.classes_.tolist() == LEVELS
    own = model.predict_proba(frame)[np.arange(400), Y]
    assert -np.log(own).mean() < np.log(4) - 0.2
    same = ordinal(schema=tw.Schema(class_order=LEVELS)).fit(frame, NAMES)
    assert np.array_equal(same.predict_proba(frame), model.predict_proba(frame))
    coded = ordinal().fit(frame, Y)
    assert np.array_equal(coded.predict_proba(frame), model.predict_proba(frame))


def test_offsets_shift_the_score() -> None:
    offset = X[:, 3]
    model = ordinal().fit(X, Y, offset=offset)
    shares = model.predict_proba(X, offset=offset)
    assert shares == pytest.approx(
        shares_of(model.decision_function(X, offset=offset), model.thresholds_)
    )
    more = ordinal().fit(X, Y, offset=offset + 3.0).predict_proba(X, offset=offset + 3.0)
    assert more == pytest.approx(shares, abs=1e-6)
    none = ordinal().fit(X, Y, offset=0.0).predict_proba(X, offset=0)
    assert np.array_equal(none, ordinal().fit(X, Y).predict_proba(X))
    # Before the first round, thresholds are the best beside the offsets.
    first = model.ensemble_.thresholds[0]
    base = model.ensemble_.base + offset
    least = -np.log(shares_of(base, first)[np.arange(400), Y]).mean()
    for place in range(3):
        for off in (-0.01, 0.01):
            moved = first.copy()
            moved[place] += off
            assert -np.log(shares_of(base, moved)[np.arange(400), Y]).mean() >= least


def test_a_monotonic_column_raises_the_class() -> None:
    model = ordinal(monotonic_cst=[1, 0, 0, 0], n_estimators=40).fit(X, Y)
    line = np.column_stack([np.linspace(-3, 3, 50), np.zeros((50, 3))])
    assert (np.diff(model.decision_function(line)) >= 0).all()
    assert (np.diff(np.cumsum(model.predict_proba(line), axis=1)[:, :-1], axis=0) <= 1e-12).all()


@pytest.mark.parametrize(
    "options",
    [
        {"leaf_model": "linear"},
        {"row_sampling": "goss", "subsample": 0.2},
        {"init": "zero"},
        {"criterion": "friedman_mse"},
        {"learning_rate": 1.0, "l2_regularization": 0.0, "n_estimators": 60},
    ],
)
def test_other_options_go_with_it(options: dict[str, Any]) -> None:
    model = ordinal(**options).fit(X, Y)
    own = model.predict_proba(X)[np.arange(400), Y]
    assert -np.log(own).mean() < np.log(4) - 0.2
    assert (np.diff(model.ensemble_.thresholds, axis=1) > 0).all()


def test_the_thresholds_are_part_of_a_pickled_model() -> None:
    model = ordinal().fit(X, Y)
    copied = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copied.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(copied.thresholds_, model.thresholds_)
    for damage in (None, model.ensemble_.thresholds[:3], -model.ensemble_.thresholds, "abc"):
        state = copy.copy(model.ensemble_.__getstate__())
        state["thresholds"] = damage
        with pytest.raises(ModelFormatError, match="where scores start, or what they mean"):
            model.ensemble_.__class__.__new__(type(model.ensemble_)).__setstate__(state)
    plain = tw.GradientBoostingClassifier(n_estimators=2).fit(X, Y)
    with pytest.raises(AttributeError, match="thresholds between them with loss='ordinal'"):
        _ = plain.thresholds_


def test_shap_values_explain_the_score() -> None:
    model = ordinal().fit(X, Y)
    for background in (None, X[:10]):
        found = model.shap_values(X[:8], background=background)
        total = np.asarray(found.values).sum(axis=1) + found.base_values
        assert total == pytest.approx(model.decision_function(X[:8]))
    with pytest.raises(UnsupportedError, match="is compared with thresholds"):
        model.shap_values(X[:8], background=X[:8], output="probability")


def test_what_does_not_go_with_it_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="its classes are ordered"):
        ordinal(n_estimators=2).fit(X, Y).to_sklearn()
    with pytest.raises(UnsupportedError, match="has one score for all"):
        ordinal(init=LogisticRegression()).fit(X, Y)
    for made in (tw.GradientBoostingClassifier, tw.HistGradientBoostingClassifier):
        with pytest.raises(TargetError) as caught:
            made(loss="ordinal").fit(X, NAMES)
        assert str(caught.value) == (
            "loss='ordinal' is for classes in an order, and y has names without one: 'high', 'low',"
            " 'medium', 'top'.\n  Hint: schema=Schema(class_order=[...]), lowest first, or an"
            " ordered categorical as y."
        )


def test_the_namesake_of_scikit_learn_has_it() -> None:
    model = tw.HistGradientBoostingClassifier(loss="ordinal", max_iter=10).fit(X, Y)
    assert model.predict_proba(X) == pytest.approx(
        shares_of(model.decision_function(X), model.thresholds_)
    )


def test_one_class_and_booleans() -> None:
    assert ordinal(n_estimators=2).fit(X, np.ones(400)).predict_proba(X[:2]).tolist() == [[1], [1]]
    both = ordinal(n_estimators=5).fit(X, Y > 1)
    assert both.classes_.tolist() == [False, True]
