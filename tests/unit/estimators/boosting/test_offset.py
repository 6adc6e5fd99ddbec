"""Offsets: what is added to the score of each row, in training and prediction."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score

import treewright as tw
from treewright.boosting.losses import loss_of_classes, loss_of_values
from treewright.errors import DataError, ParameterError, UnsupportedError

RANDOM = np.random.default_rng(8)
N = 400
X = RANDOM.normal(size=(N, 3))
YEARS = RANDOM.gamma(2.0, 0.5, size=N) + 0.05
CLAIMS = RANDOM.poisson(YEARS * np.exp(0.7 * X[:, 0])).astype(float)
TWO = (X[:, 1] + RANDOM.normal(size=N) > 0.5).astype(int)
THREE = np.digitize(X[:, 1] + RANDOM.normal(size=N), [-0.4, 0.8])
VALUE_LOSSES = [
    "squared_error",
    "absolute_error",
    "huber",
    "quantile",
    "poisson",
    "gamma",
    "tweedie",
]


def poisson(**options: Any) -> Any:
    return tw.GradientBoostingRegressor(loss="poisson", **{"n_estimators": 20, **options})


def every_model() -> list[Any]:
    """Return estimators with a target and offsets that suit them."""
    both = [tw.GradientBoostingRegressor, tw.HistGradientBoostingRegressor]
    made: list[Any] = [
        (kind(loss=loss, max_iter=12), CLAIMS + 0.5, RANDOM.normal(size=N))
        for kind in both
        for loss in VALUE_LOSSES
        if not (loss == "tweedie" and kind is tw.HistGradientBoostingRegressor)
    ]
    classes = [tw.GradientBoostingClassifier, tw.HistGradientBoostingClassifier]
    for kind in classes:
        made += [
            (kind(max_iter=12), TWO, RANDOM.normal(size=N)),
            (kind(max_iter=12), THREE, RANDOM.normal(size=(N, 3))),
        ]
    return [*made, (tw.GradientBoostingClassifier(loss="exponential", max_iter=12), TWO, YEARS)]


MODELS = every_model()
NAMED = [f"{type(each[0]).__name__}-{each[0].loss}-{i}" for i, each in enumerate(MODELS)]


def told(model: Any, x: Any, **offset: Any) -> Any:
    return (model.predict_proba if hasattr(model, "classes_") else model.predict)(x, **offset)


@pytest.mark.parametrize(("made", "y", "offset"), MODELS, ids=NAMED)
def test_offsets_of_0_change_no_bit(made: Any, y: Any, offset: Any) -> None:
    plain, beside = clone(made).fit(X, y), clone(made).fit(X, y, offset=np.zeros_like(offset))
    assert np.array_equal(plain.ensemble_.base, beside.ensemble_.base)
    assert np.array_equal(told(plain, X), told(beside, X, offset=0))


@pytest.mark.parametrize(("made", "y", "offset"), MODELS, ids=NAMED)
def test_a_constant_more_in_all_offsets_changes_nothing(made: Any, y: Any, offset: Any) -> None:
    more = np.array([0.5, -1.5, 2.0]) if offset.ndim == 2 else 1.5
    one, other = clone(made).fit(X, y, offset=offset), clone(made).fit(X, y, offset=offset + more)
    there, here = told(one, X, offset=offset), told(other, X, offset=offset + more)
    assert here == pytest.approx(there, rel=1e-6, abs=1e-9)
    assert not np.allclose(told(one, X, offset=0), there, rtol=1e-3)


@pytest.mark.parametrize(("made", "y", "offset"), MODELS, ids=NAMED)
def test_stages_and_methods_agree_on_the_offset(made: Any, y: Any, offset: Any) -> None:
    model = clone(made).fit(X, y, offset=offset)
    assert np.array_equal(
        list(model.staged_predict(X, offset=offset))[-1], model.predict(X, offset=offset)
    )
    if hasattr(model, "classes_"):
        shares = model.predict_proba(X, offset=offset)
        assert np.array_equal(list(model.staged_predict_proba(X, offset=offset))[-1], shares)
        assert np.array_equal(np.log(shares), model.predict_log_proba(X, offset=offset))
        scores = model.decision_function(X, offset=offset)
        assert np.array_equal(list(model.staged_decision_function(X, offset=offset))[-1], scores)
        assert scores == pytest.approx(model.decision_function(X, offset=0) + offset)
        assert model.score(X, y, offset=offset) == np.mean(model.predict(X, offset=offset) == y)
    else:
        off = model.predict(X, offset=offset) - y
        assert model.score(X, y, offset=offset) == pytest.approx(1 - np.mean(off**2) / np.var(y))
    copied = pickle.loads(pickle.dumps(model))
    assert np.array_equal(told(copied, X, offset=offset), told(model, X, offset=offset))
    with pytest.raises(DataError, match="was fitted with offsets"):
        copied.predict(X)


@pytest.mark.parametrize("name", VALUE_LOSSES)
@pytest.mark.parametrize("weighted", [False, True])
def test_values_start_where_no_constant_is_better(name: str, weighted: bool) -> None:
    loss = loss_of_values(name, quantile=None, power=1.5)
    offset = 2.0 + RANDOM.normal(size=(N, 1))
    y, weight = CLAIMS + 0.5, YEARS if weighted else None
    start = loss.base_score(y, weight, offset)
    least = loss.mean(start + offset, y, weight)
    assert least < loss.mean(loss.start(y, weight) + offset, y, weight) - 1e-3
    for off in (-0.02, 0.02):
        # Huber's delta moves with the residuals: the median is its start, not its least.
        slack = 0.02 if name == "huber" else 1e-12
        assert loss.mean(start + off + offset, y, weight) >= least - slack


@pytest.mark.parametrize(
    ("name", "y"), [("log_loss", TWO), ("log_loss", THREE), ("exponential", TWO)]
)
@pytest.mark.parametrize("size", [0.3, 3.0, 40.0])
def test_classes_start_where_no_constant_is_better(name: str, y: Any, size: float) -> None:
    loss = loss_of_classes(name, int(y.max()) + 1)
    offset = size * RANDOM.normal(size=(N, loss.n_outputs))
    start = loss.base_score(y.astype(float), YEARS, offset)
    least = loss.mean(start + offset, y.astype(float), YEARS)
    for output in range(loss.n_outputs):
        for off in (-0.01, 0.01):
            moved = start.copy()
            moved[output] += off
            assert loss.mean(moved + offset, y.astype(float), YEARS) >= least


def test_a_class_without_rows_starts_as_very_unlikely() -> None:
    for name in ("log_loss", "exponential"):
        start = loss_of_classes(name, 2).base_score(np.zeros(N), None, X[:, :1])
        assert -100 < start[0] < -5
    start = loss_of_classes("log_loss", 3).base_score(TWO.astype(float), None, X)
    assert start[2] < start[:2].min() - 20
    assert np.isfinite(start).all()


def test_poisson_starts_at_the_rate() -> None:
    start = loss_of_values("poisson", quantile=None, power=1.5).base_score(
        CLAIMS, None, np.log(YEARS)[:, np.newaxis]
    )
    assert np.exp(start[0]) == pytest.approx(CLAIMS.sum() / YEARS.sum())


def test_counts_beside_exposure_are_rates_weighted_by_it() -> None:
    # The gradient and hessian of both are the same: only what penalties count differs, unless the
    # mean exposure is 1.
    years, few = YEARS / YEARS.mean(), np.round(5 * X)  # each value has a bin of its own
    counts = poisson().fit(few, CLAIMS, offset=np.log(years))
    rates = poisson().fit(few, CLAIMS / years, sample_weight=years)
    assert counts.predict(few, offset=0) == pytest.approx(rates.predict(few), rel=1e-5)
    # A model without offsets may be given some: it predicts counts from rates.
    found = rates.predict(few, offset=np.log(years))
    assert counts.predict(few, offset=np.log(years)) == pytest.approx(found, rel=1e-5)


def test_offsets_reach_the_folds_that_choose_rounds_whatever_the_order_of_rows() -> None:
    offset = np.log(YEARS)
    options = {"n_estimators": "auto", "learning_rate": 0.1, "max_depth": 3}
    model = poisson(**options).fit(X, CLAIMS, offset=offset)
    order = RANDOM.permutation(N)
    turned = poisson(**options).fit(X[order], CLAIMS[order], offset=offset[order])
    assert np.array_equal(model.predict(X, offset=offset), turned.predict(X, offset=offset))
    without = poisson(**options).fit(X, CLAIMS)
    assert model.choice_.best.loss < without.choice_.best.loss - 0.01
    # Rows of one content, told apart by their offsets alone.
    flat, far = np.zeros((N, 1)), np.repeat([0.0, 4.0], N // 2)
    counts = np.exp(far)
    same = poisson(**options).fit(flat, counts, offset=far)
    assert same.predict(flat, offset=far) == pytest.approx(counts, rel=1e-6)


def test_early_stopping_judges_rows_with_their_offsets() -> None:
    offset = np.log(YEARS)
    held = slice(300, N)
    model = poisson(n_estimators=60, n_iter_no_change=5)
    model.fit(
        X[:300],
        CLAIMS[:300],
        offset=offset[:300],
        X_val=X[held],
        y_val=CLAIMS[held],
        offset_val=offset[held],
    )
    found = model.predict(X[held], offset=offset[held])
    assert model.validation_score_[-1] == pytest.approx(
        np.mean(found - CLAIMS[held] * np.log(found))
    )
    own = poisson(n_estimators=60, early_stopping=True, validation_fraction=0.2)
    own.fit(X, CLAIMS, offset=offset)
    shuffled = poisson(n_estimators=60, early_stopping=True, validation_fraction=0.2)
    shuffled.fit(X, CLAIMS, offset=RANDOM.permutation(offset))
    assert own.validation_score_[-1] < shuffled.validation_score_[-1]
    whole = poisson().fit(X, CLAIMS, offset=offset)
    found = whole.predict(X, offset=offset)
    assert whole.train_score_[-1] == pytest.approx(np.mean(found - CLAIMS * np.log(found)))


def test_a_scorer_judges_rows_with_their_offsets() -> None:
    offset = np.log(YEARS)
    model = poisson(scoring="neg_mean_squared_error", n_iter_no_change=5, validation_fraction=None)
    model.fit(X, CLAIMS, offset=offset)
    found = model.predict(X, offset=offset)
    assert model.rounds_[-1].train_score == pytest.approx(-np.mean((found - CLAIMS) ** 2))


def test_warm_start_goes_on_beside_the_same_offsets() -> None:
    offset = np.log(YEARS)
    whole = poisson().fit(X, CLAIMS, offset=offset)
    part = poisson(n_estimators=8, warm_start=True).fit(X, CLAIMS, offset=offset)
    part.set_params(n_estimators=20).fit(X, CLAIMS, offset=offset)
    assert np.array_equal(part.predict(X, offset=offset), whole.predict(X, offset=offset))
    with pytest.raises(ParameterError, match="rounds with offsets; they are made without"):
        part.set_params(n_estimators=25).fit(X, CLAIMS)
    assert part.n_iter_ == 20


def test_weight_0_is_a_row_left_out_with_its_offset() -> None:
    weight = np.where(np.arange(N) % 4, 1.0, 0.0)
    offset = np.where(weight > 0, np.log(YEARS), 50.0)
    part = weight > 0
    model = poisson().fit(X, CLAIMS, sample_weight=weight, offset=offset)
    without = poisson().fit(X[part], CLAIMS[part], offset=offset[part])
    assert np.array_equal(model.predict(X, offset=0), without.predict(X, offset=0))


def test_lines_in_leaves_and_row_draws_go_with_offsets() -> None:
    offset = np.log(YEARS)
    for options in (
        {"leaf_model": "linear"},
        {"subsample": 0.5},
        {"row_sampling": "goss", "subsample": 0.2},
        {"monotonic_cst": [1, 0, 0]},
        {"init": "zero"},
    ):
        model = poisson(n_estimators=60, **options).fit(X, CLAIMS, offset=offset)
        found = model.predict(X, offset=offset)
        worse = poisson(n_estimators=60, **options).fit(X, CLAIMS).predict(X)
        assert np.mean(found - CLAIMS * np.log(found)) < np.mean(worse - CLAIMS * np.log(worse))


def test_a_loss_of_ones_own_starts_at_the_offset() -> None:
    def squares(y: Any, score: Any) -> Any:
        return score - y, np.ones_like(y)

    guess = CLAIMS + RANDOM.normal(size=N)
    model = tw.GradientBoostingRegressor(loss=squares, n_estimators=5)
    model.fit(X, CLAIMS, offset=guess)
    assert model.ensemble_.base.tolist() == [0.0]
    assert np.mean((model.predict(X, offset=guess) - CLAIMS) ** 2) < 1.0
    flat = tw.GradientBoostingRegressor(loss=squares, n_estimators=5).fit(X, CLAIMS, offset=3.0)
    assert flat.ensemble_.base.tolist() == [0.0]


def test_targets_of_extreme_size_have_offsets_of_that_size() -> None:
    guess = CLAIMS + RANDOM.normal(size=N)
    one = tw.GradientBoostingRegressor(n_estimators=5).fit(X, CLAIMS, offset=guess)
    size = 2.0**900
    many = tw.GradientBoostingRegressor(n_estimators=5)
    many.fit(X, CLAIMS * 2.0**-900, offset=guess * 2.0**-900)
    found = many.predict(X, offset=guess * 2.0**-900) * size
    assert found == pytest.approx(one.predict(X, offset=guess))


def test_offsets_come_from_any_frame() -> None:
    offset = np.log(YEARS)
    model = poisson().fit(X, CLAIMS, offset=offset)
    expected = model.predict(X, offset=offset)
    for given in (offset.tolist(), pd.Series(offset), offset[:, np.newaxis], pd.array(offset)):
        assert np.array_equal(model.predict(X, offset=given), expected)
    many = tw.GradientBoostingClassifier(n_estimators=3).fit(X, THREE, offset=pd.DataFrame(X))
    assert np.array_equal(many.predict_proba(X, offset=X), many.predict_proba(X, offset=X.tolist()))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.zeros(3), "offset has 3 values, the table has 400 rows."),
        (np.where(np.arange(N) == 7, np.nan, 0.0), "offset of row 7 is nan; an offset is a finite"),
        (np.where(np.arange(N) == 7, np.inf, 0.0), "offset of row 7 is inf; an offset is a finite"),
        (np.where(np.arange(N) == 7, -np.inf, 0.0), "the logarithm of an exposure of 0?"),
        (np.full(N, 1e200), r"At most 1e\+100 can be added to a score."),
        (["a"] * N, "offset must be numbers, not"),
        (["1"] * N, "offset must be numbers, not"),
        (np.zeros(N, dtype=complex), "offset must be numbers, not complex128"),
        (np.zeros(N, dtype="datetime64[s]"), "offset must be numbers, not datetime64"),
        (np.zeros((N, 2)), r"offset has shape \(400, 2\); \(400,\) is due."),
        (np.zeros((N, 1, 1)), r"offset has shape \(400, 1, 1\); \(400,\) is due."),
        ([None] * N, "offset of row 0 is nan"),
    ],
)
def test_what_is_no_offset_is_refused(given: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        poisson().fit(X, CLAIMS, offset=given)
    model = poisson(n_estimators=2).fit(X, CLAIMS, offset=0.0)
    with pytest.raises(DataError, match=words):
        model.predict(X, offset=given)
    val = {"X_val": X, "y_val": CLAIMS, "offset_val": given}
    with pytest.raises(DataError, match=words.replace("offset", "offset_val", 1)):
        poisson().fit(X, CLAIMS, offset=0.0, **val)


def test_one_column_for_three_classes_is_refused() -> None:
    with pytest.raises(DataError) as caught:
        tw.GradientBoostingClassifier().fit(X, THREE, offset=np.zeros(N))
    assert str(caught.value) == (
        "offset has one value for each row, and a row has a score for each of 3 classes: the same"
        " number added to all changes no probability.\n"
        "  Hint: an array of 400 rows and 3 columns, in the order of classes_."
    )


def test_offsets_that_were_forgotten_are_asked_for() -> None:
    model = poisson(n_estimators=3).fit(X, CLAIMS, offset=np.log(YEARS))
    for call in (model.predict, lambda x: list(model.staged_predict(x))):
        with pytest.raises(DataError) as caught:
            call(X)
        assert str(caught.value) == (
            "GradientBoostingRegressor was fitted with offsets, and the rows to predict have none."
            "\n  Hint: predict(X, offset=...); offset=0 predicts without them (for log exposure:"
            " for an exposure of 1)."
        )
    with pytest.raises(DataError, match="was fitted with offsets"):
        model.score(X, CLAIMS)
    assert model.apply(X).shape == (N, 3)  # which leaf does not depend on it
    with pytest.raises(DataError, match="offset_val=0 if they have none"):
        poisson().fit(X, CLAIMS, offset=0, X_val=X, y_val=CLAIMS)
    with pytest.raises(DataError, match="offset_val belongs to offset"):
        poisson().fit(X, CLAIMS, X_val=X, y_val=CLAIMS, offset_val=0)
    with pytest.raises(ParameterError, match="offset_val belongs to X_val and y_val"):
        poisson().fit(X, CLAIMS, offset=0, offset_val=0)


def test_another_model_to_start_from_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"they would count twice.\n  Hint: init='zero'"):
        poisson(init=LinearRegression()).fit(X, CLAIMS, offset=0)


def test_shap_values_add_up_to_the_score_without_offset() -> None:
    model = tw.GradientBoostingClassifier(n_estimators=5).fit(X, TWO, offset=X[:, 2])
    for background in (None, X[:20]):
        values = model.shap_values(X[:9], background=background)
        total = np.asarray(values.values).sum(axis=1) + values.base_values
        assert total == pytest.approx(model.decision_function(X[:9], offset=0))
    with pytest.raises(UnsupportedError, match="depends on the offset of a row"):
        model.shap_values(X[:9], background=X[:9], output="probability")


def test_scikit_learn_has_no_offsets() -> None:
    model = poisson(n_estimators=3).fit(X, CLAIMS, offset=np.log(YEARS))
    with pytest.raises(UnsupportedError, match="its rows have offsets"):
        model.to_sklearn()


def test_permutation_importances_take_offsets() -> None:
    model = poisson().fit(X, CLAIMS, offset=np.log(YEARS))
    found = model.importances("permutation", X=X, y=CLAIMS, offset=np.log(YEARS))
    assert found.by_tree.mean(axis=0).argmax() == 0
    with pytest.raises(DataError, match="was fitted with offsets"):
        model.importances("permutation", X=X, y=CLAIMS)


def test_offsets_are_routed_as_metadata() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        model = poisson().set_fit_request(offset=True).set_score_request(offset=True)
        scores = cross_val_score(model, X, CLAIMS, params={"offset": np.log(YEARS)}, cv=3)
        bare = cross_val_score(poisson(), X, CLAIMS, cv=3)
        assert scores.mean() > bare.mean()


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("init_score", "fit(..., offset=...)"),
        ("base_margin", "fit(..., offset=...)"),
        ("exposure", "offset=np.log(exposure)"),
        ("base_margin_eval_set", "offset_val="),
    ],
)
def test_other_libraries_names_of_it_are_answered(name: str, hint: str) -> None:
    with pytest.raises(ParameterError) as caught:
        poisson().fit(X, CLAIMS, **{name: YEARS})
    assert str(caught.value).startswith(f"GradientBoostingRegressor.fit has no {name}=.\n  Hint: ")
    assert hint in str(caught.value)


def test_one_row_and_any_number_of_threads() -> None:
    with pytest.warns(tw.errors.SmallDataWarning):
        one = tw.GradientBoostingRegressor(n_estimators=2).fit([[1.0]], [3.0], offset=[1.0])
    assert one.predict([[1.0]], offset=[5.0]) == pytest.approx([7.0])
    models = [poisson(n_jobs=n).fit(X, CLAIMS, offset=np.log(YEARS)) for n in (1, 4)]
    first, second = (each.predict(X, offset=0) for each in models)
    assert np.array_equal(first, second)
