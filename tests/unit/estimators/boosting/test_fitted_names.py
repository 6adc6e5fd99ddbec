"""The fitted attributes of boosting under scikit-learn's names, and what takes part in them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import treewright as tw
from treewright.errors import ParameterError

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(600, 5))
VALUES = X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * RANDOM.normal(size=600)
TWO = np.where(VALUES > 0, "up", "down")
THREE = np.digitize(VALUES, [-0.7, 0.7])
BOTH = [(tw.GradientBoostingClassifier, TWO), (tw.GradientBoostingRegressor, VALUES)]


def test_rounds_trees_and_leaves_have_scikit_learns_shapes() -> None:
    for made, y, per_round, shape in (
        (tw.GradientBoostingClassifier, TWO, 1, (600, 7, 1)),
        (tw.GradientBoostingClassifier, THREE, 3, (600, 7, 3)),
        (tw.GradientBoostingRegressor, VALUES, 1, (600, 7)),
    ):
        model = made(n_estimators=7).fit(X, y)
        assert model.n_estimators_ == model.n_iter_ == 7
        assert model.n_trees_per_iteration_ == per_round
        assert model.estimators_.shape == (7, per_round)
        assert model.apply(X).shape == shape
        assert not model.do_early_stopping_
        leaves = model.estimators_[2, -1].apply(X)
        assert np.array_equal(leaves, model.apply(X).reshape(600, 7, -1)[:, 2, -1])


def test_scores_start_at_init() -> None:
    regressor = tw.GradientBoostingRegressor(n_estimators=2).fit(X, VALUES)
    assert regressor.init_.predict(X[:1]) == pytest.approx([VALUES.mean()])
    classifier = tw.GradientBoostingClassifier(n_estimators=2).fit(X, THREE)
    assert classifier.init_.predict_proba(X[:1])[0] == pytest.approx(np.bincount(THREE) / 600)
    assert tw.GradientBoostingRegressor(n_estimators=2, init="zero").fit(X, VALUES).init_ == "zero"
    line = tw.GradientBoostingRegressor(n_estimators=2, init=LinearRegression()).fit(X, VALUES)
    assert isinstance(line.init_, LinearRegression)


@pytest.mark.parametrize(
    ("given", "drawn"),
    [("auto", 2), (None, 5), (3, 3), (9, 5), (0.41, 2), (1.0, 5), ("sqrt", 2), ("log2", 2)],
)
def test_columns_drawn_for_a_node(given: Any, drawn: int) -> None:
    model = tw.GradientBoostingRegressor(n_estimators=5, max_features=given, random_state=1)
    assert model.fit(X, VALUES).max_features_ == drawn
    if drawn == 5:
        whole = tw.GradientBoostingRegressor(n_estimators=5, max_features=1.0).fit(X, VALUES)
        assert np.array_equal(model.predict(X), whole.predict(X))


@pytest.mark.parametrize("weighted", [False, True])
def test_training_loss_is_that_of_the_stages(weighted: bool) -> None:
    weight = RANDOM.integers(0, 3, 600) if weighted else None
    model = tw.GradientBoostingRegressor(n_estimators=12).fit(X, VALUES, sample_weight=weight)
    stages = [
        np.average((stage - VALUES) ** 2, weights=weight) for stage in model.staged_predict(X)
    ]
    assert model.train_score_ == pytest.approx(stages)
    begun = tw.GradientBoostingRegressor(n_estimators=5, init=LinearRegression()).fit(X, VALUES)
    stages = [np.mean((stage - VALUES) ** 2) for stage in begun.staged_predict(X)]
    assert begun.train_score_ == pytest.approx(stages)


@pytest.mark.parametrize(("made", "y"), BOTH)
def test_rows_that_a_round_has_not_drawn_judge_it(made: Any, y: Any) -> None:
    model = made(n_estimators=40, subsample=0.5, random_state=2).fit(X, y)
    assert model.oob_improvement_.shape == model.oob_scores_.shape == (40,)
    assert model.oob_score_ == model.oob_scores_[-1]
    assert model.oob_improvement_[0] > 0.0
    # The rows not drawn look better the more rounds there are that did draw them, but never as good
    # as those just learned.
    assert np.mean(model.oob_scores_ - model.train_score_) > 0.0
    whole = made(n_estimators=3).fit(X, y)
    with pytest.raises(AttributeError, match=r"set no rows aside(.|\n)*subsample=0.5"):
        _ = whole.oob_improvement_
    assert not hasattr(whole, "oob_score_")


def test_rows_out_of_a_round_are_those_that_its_trees_have_not_seen() -> None:
    model = tw.GradientBoostingRegressor(
        n_estimators=1, subsample=0.5, learning_rate=1.0, max_leaf_nodes=None, l2_regularization=0.0
    )
    noise = RANDOM.normal(size=600)
    model.set_params(min_hessian=0.0, max_features=None).fit(X, noise)
    is_met = np.isclose(model.predict(X), noise)  # by a tree of one leaf for each row it has seen
    assert 200 < is_met.sum() < 400
    assert model.train_score_[0] == pytest.approx(0.0, abs=1e-12)
    off = (model.predict(X) - noise)[~is_met]
    assert model.oob_score_ == pytest.approx(np.mean(off**2))
    before = np.mean((noise[~is_met] - noise.mean()) ** 2)
    assert model.oob_improvement_[0] == pytest.approx(before - np.mean(off**2))


def test_a_warm_start_goes_on_with_what_is_told() -> None:
    at_once = tw.GradientBoostingRegressor(n_estimators=20, subsample=0.5).fit(X, VALUES)
    model = tw.GradientBoostingRegressor(n_estimators=8, subsample=0.5, warm_start=True)
    model.fit(X, VALUES).set_params(n_estimators=20).fit(X, VALUES)
    for name in ("train_score_", "oob_improvement_", "oob_scores_"):
        assert np.array_equal(getattr(model, name), getattr(at_once, name)), name


def test_rows_to_tell_from_are_not_saved_but_what_was_told_is() -> None:
    model = tw.GradientBoostingRegressor(n_estimators=5).fit(X, VALUES)
    loaded = pickle.loads(pickle.dumps(model))
    with pytest.raises(AttributeError, match="ask for train_score_ once before"):
        _ = loaded.train_score_
    told = model.train_score_
    assert np.array_equal(pickle.loads(pickle.dumps(model)).train_score_, told)
    changed = X.copy()
    again = tw.GradientBoostingRegressor(n_estimators=5).fit(changed, VALUES)
    changed[:] = 0.0  # the table is the user's
    assert np.array_equal(again.train_score_, told)


def test_validation_rows_are_told_of_where_there_are_some() -> None:
    model = tw.GradientBoostingRegressor(n_estimators=10)
    model.fit(X[:400], VALUES[:400], X_val=X[400:], y_val=VALUES[400:])
    assert model.do_early_stopping_
    off = model.predict(X[400:]) - VALUES[400:]
    assert model.validation_score_[-1] == pytest.approx(np.mean(off**2))
    with pytest.raises(AttributeError, match=r"X_val=, y_val="):
        _ = tw.GradientBoostingRegressor(n_estimators=2).fit(X, VALUES).validation_score_


def test_a_number_of_rows_is_held_out() -> None:
    for made, y in BOTH:
        model = made(n_estimators=5, early_stopping=True, validation_fraction=100)
        assert len(model.fit(X, y)._record._problem.y) == 500
    with pytest.raises(ParameterError, match="validation_fraction=600 of 600 rows leaves none"):
        tw.GradientBoostingRegressor(early_stopping=True, validation_fraction=600).fit(X, VALUES)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("eval_set", "X_val=..., y_val=..."),
        ("eval_metric", "GradientBoostingRegressor(scoring='accuracy')"),
        ("early_stopping_rounds", "GradientBoostingRegressor(n_iter_no_change=10)"),
    ],
)
def test_names_that_other_libraries_have_in_fit_are_answered(name: str, hint: str) -> None:
    with pytest.raises(ParameterError) as caught:
        tw.GradientBoostingRegressor().fit(X, VALUES, **{name: 3})
    assert str(caught.value).startswith(f"GradientBoostingRegressor.fit has no {name}=.\n  Hint: ")
    assert hint in str(caught.value)
    with pytest.raises(TypeError, match="unexpected keyword argument 'eval'"):
        tw.GradientBoostingRegressor().fit(X, VALUES, eval=3)


def test_a_monitor_sees_the_model_so_far_and_ends_boosting() -> None:
    for made, y in BOTH:
        seen: list[Any] = []

        def monitor(number: int, model: Any, told: dict[str, Any], seen: Any = seen) -> bool:
            figures = (model.n_estimators_, len(model.train_score_), len(model.oob_improvement_))
            seen.append((number, *figures, model.predict(told["X"][:9])))
            return number == 5

        model = made(n_estimators=9, subsample=0.5, random_state=1)
        model.fit(X, y, monitor=monitor)
        assert [each[:4] for each in seen] == [(i, i + 1, i + 1, i + 1) for i in range(6)]
        assert model.n_estimators_ == len(model.train_score_) == 6
        same = made(n_estimators=6, subsample=0.5, random_state=1).fit(X, y)
        assert np.array_equal(model.predict(X), same.predict(X))
        assert np.array_equal(seen[-1][-1], same.predict(X[:9]))
        model.set_params(warm_start=True, n_estimators=8)
        model.fit(X, y, monitor=lambda number, *_, seen=seen: seen.append(number))
        assert seen[-2:] == [6, 7]
        assert model.n_estimators_ == 8


def test_a_monitor_is_a_function() -> None:
    with pytest.raises(ParameterError, match="monitor=3 must be a function"):
        tw.GradientBoostingRegressor().fit(X, VALUES, monitor=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("row_sampling", ["uniform", "goss"])
def test_every_leaf_has_its_share_of_the_weight(row_sampling: str) -> None:
    weight = np.where(np.arange(600) % 3, 1.0, 0.05)
    table = np.column_stack([X, THREE])
    options = {"n_estimators": 6, "max_depth": None, "row_sampling": row_sampling}
    for made, y in BOTH:
        model = made(min_weight_fraction_leaf=0.1, categorical_features=[5], **options)
        model.fit(table, y, sample_weight=weight)
        leaves = model.apply(table).reshape(600, 6)
        if row_sampling == "goss":  # which draws some rows, and weighs them up
            assert max(len(np.unique(each)) for each in leaves.T) <= 10
            continue
        for each in leaves.T:
            weights = np.bincount(each, weights=weight)
            assert weights[weights > 0].min() >= 0.1 * weight.sum() - 1e-6
            assert len(np.unique(each)) > 1


def test_alpha_and_quantile_are_one() -> None:
    for loss in ("quantile", "huber"):
        models = [
            tw.GradientBoostingRegressor(loss=loss, n_estimators=5, **{name: 0.8}).fit(X, VALUES)
            for name in ("alpha", "quantile")
        ]
        assert np.array_equal(models[0].predict(X), models[1].predict(X))
    with pytest.raises(ParameterError, match=r"alpha=0.8 and quantile=0.8 are two names"):
        tw.GradientBoostingRegressor(loss="huber", alpha=0.8, quantile=0.8).fit(X, VALUES)
    with pytest.raises(ParameterError, match=r"alpha=1.5 must be above 0 and below 1"):
        tw.GradientBoostingRegressor(alpha=1.5).fit(X, VALUES)


@pytest.mark.parametrize("made", [tw.HistGradientBoostingClassifier, tw.GradientBoostingClassifier])
def test_pruned_trees_are_smaller_and_rows_are_where_they_say(made: Any) -> None:
    name = "ccp_alpha" if made is tw.GradientBoostingClassifier else "max_leaf_nodes"
    few = {name: 0.01 if name == "ccp_alpha" else 4}
    n = {"n_estimators": 10} if name == "ccp_alpha" else {"max_iter": 10}
    small, large = made(**n, **few).fit(X, THREE), made(**n).fit(X, THREE)
    sizes = [sum(tree.n_leaves for tree in model.ensemble_) for model in (small, large)]
    assert sizes[0] < sizes[1]
    start = np.log(np.bincount(THREE) / 600)
    added = sum(np.column_stack([tree.predict(X) for tree in trees]) for trees in small.estimators_)
    assert np.allclose(small.decision_function(X), start + added)


def test_histogram_boosting_stops_early_for_many_rows_only() -> None:
    many = RANDOM.normal(size=(10_001, 1))
    model = tw.HistGradientBoostingRegressor(max_iter=3)
    assert not model.fit(many[:10_000], many[:10_000, 0]).do_early_stopping_
    assert model.train_score_.size == model.validation_score_.size == 0
    assert model.fit(many, many[:, 0]).do_early_stopping_
    assert len(model.train_score_) == len(model.validation_score_) == 4


def test_histogram_boosting_knows_its_categories() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "x", "y"), "c": THREE})
    model = tw.HistGradientBoostingRegressor(max_iter=3).fit(table, VALUES)
    assert model.is_categorical_.tolist() == [False, True, False]
    model.set_params(categorical_features=["c"]).fit(table, VALUES)
    assert model.is_categorical_.tolist() == [False, True, True]
    model.set_params(categorical_features=[False, True, True]).fit(table, VALUES)
    assert model.is_categorical_.tolist() == [False, True, True]
    with pytest.raises(ParameterError, match="categorical_features='auto' must be one of"):
        model.set_params(categorical_features="auto").fit(table, VALUES)
