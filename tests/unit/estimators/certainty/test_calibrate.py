"""`calibrate=` of every classifier: truer probabilities, and decisions by them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from every_estimator import CLASSIFIERS
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

import treewright as tw
from treewright.certainty.calibration import Chain, Isotonic, Shares, Temperature
from treewright.errors import ParameterError, UnsupportedError
from treewright.estimators.base import TableEstimator
from treewright.evaluate import Resampled


def made(n_rows: int, seed: int, rare: float = 0.0) -> tuple[Any, Any]:
    """Return a table of numbers and names, and noisy classes."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(n_rows, 3)).round(2)
    name = random.choice(["u", "v", "w"], size=n_rows)
    score = x[:, 0] + (name == "u") + random.logistic(size=n_rows)
    y = np.where(score > rare, "yes", "no")
    return {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "name": name}, y


X, Y = made(400, 0)
NEW, TRUTH = made(1500, 1)
WAYS = ("temperature", "isotonic")
CALIBRATED = [each for each in CLASSIFIERS if "calibrate" in each().get_params()]
"""All but trees that are updated, whose calibration would be learned anew by every row."""


@pytest.mark.parametrize("make", CALIBRATED, ids=lambda each: each.__name__)
@pytest.mark.parametrize("way", WAYS)
def test_every_classifier(make: Any, way: str) -> None:
    model = make().set_params(calibrate=way).fit(X, Y)
    told = model.predict_proba(NEW)
    np.testing.assert_allclose(told.sum(axis=1), 1.0, rtol=1e-12)
    assert told.min() > 0
    np.testing.assert_array_equal(model.predict(NEW), model.classes_[told.argmax(axis=1)])
    np.testing.assert_array_equal(model.predict_log_proba(NEW), np.log(told))
    plain = make().fit(X, Y).predict_proba(NEW)
    before = log_loss(TRUTH, np.clip(plain, 1e-7, 1 - 1e-7))
    assert (
        log_loss(TRUTH, told) < before + 0.03
    )  # halves of 400 rows say little of trees of three rounds
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(loaded.predict_proba(NEW), told)
    kind = {"temperature": Temperature, "isotonic": Isotonic}[way]
    assert isinstance(model.calibration_, kind)
    assert model.calibration_.told()
    model.set_params(calibrate=None).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(NEW), plain)
    with pytest.raises(AttributeError, match="is not calibrated"):
        model.calibration_  # noqa: B018


@pytest.mark.parametrize("kind", [tw.DecisionTreeClassifier(), tw.AdaBoostClassifier()])
def test_probabilities_become_true(kind: Any) -> None:
    told = clone(kind).set_params(calibrate="temperature").fit(X, Y).predict_proba(NEW)[:, 1]
    for low, high in ((0.0, 0.4), (0.4, 0.6), (0.6, 1.0)):
        own = (told >= low) & (told < high)
        if own.sum() > 100:
            assert told[own].mean() == pytest.approx((TRUTH[own] == "yes").mean(), abs=0.09)


def test_costs_are_weighed_by_calibrated_probabilities() -> None:
    costs = {"yes": {"no": 8.0}, "no": {"yes": 1.0}}
    for kind in (tw.C45Classifier(), tw.RandomForestClassifier(20, random_state=0)):
        model = clone(kind).set_params(calibrate="isotonic", cost_matrix=costs).fit(X, Y)
        told = model.predict_proba(NEW)[:, 1]
        np.testing.assert_array_equal(model.predict(NEW) == "yes", 8 * told > 1 - told)


@pytest.mark.parametrize("way", [*WAYS, "shares"])
@pytest.mark.parametrize(
    "kind",
    [
        tw.DecisionTreeClassifier(min_samples_leaf=30, class_weight="balanced"),
        tw.RandomForestClassifier(40, min_samples_leaf=40, random_state=0, class_weight="balanced"),
        tw.RandomForestClassifier(
            40, min_samples_leaf=40, random_state=0, class_weight="balanced_subsample"
        ),
        tw.RandomForestClassifier(40, min_samples_leaf=40, random_state=0, sampling="under"),
        tw.RandomForestClassifier(40, min_samples_leaf=40, random_state=0, sampling="over"),
        tw.ExtraTreesClassifier(
            40, min_samples_leaf=40, random_state=0, sampling={"no": 50, "yes": 50}
        ),
        tw.GradientBoostingClassifier(n_estimators=30, class_weight={"yes": 9.0}),
        tw.BaggingClassifier(
            tw.DecisionTreeClassifier(min_samples_leaf=40, class_weight="balanced"), random_state=0
        ),
    ],
    ids=lambda each: str(each)[:70] if not isinstance(each, str) else each,
)
def test_shares_of_the_table_are_put_back(kind: Any, way: str) -> None:
    table, y = made(1500, 2, rare=3.0)
    new, truth = made(1500, 3, rare=3.0)
    true = (truth == "yes").mean()
    assert true < 0.13
    plain = clone(kind).fit(table, y).predict_proba(new)[:, 1].mean()
    assert plain > 1.8 * true
    model = clone(kind).set_params(calibrate=way).fit(table, y)
    assert model.predict_proba(new)[:, 1].mean() == pytest.approx(true, rel=0.35)
    assert "put back" in model.calibration_.told()
    assert isinstance(model.calibration_, Shares if way == "shares" else Chain)


def test_priors_are_what_probabilities_are_true_of() -> None:
    table, y = made(1500, 2, rare=3.0)
    model = tw.DecisionTreeClassifier(
        min_samples_leaf=50, priors={"yes": 0.5, "no": 0.5}, calibrate="temperature"
    ).fit(table, y)
    told = model.predict_proba(table)[:, 1]
    mean = (told[y == "yes"].mean() + told[y == "no"].mean()) / 2
    assert mean == pytest.approx(0.5, abs=0.05)


def test_resampled_rows() -> None:
    table, y = made(1500, 2, rare=3.0)
    new, truth = made(1500, 3, rare=3.0)
    tree = tw.DecisionTreeClassifier(min_samples_leaf=30)
    plain = Resampled(tree, random_state=0).fit(table, y)
    back = Resampled(tree, calibrate="shares", random_state=0).fit(table, y)
    assert plain.predict_proba(new)[:, 1].mean() > 0.25
    assert back.predict_proba(new)[:, 1].mean() == pytest.approx((truth == "yes").mean(), rel=0.35)
    told = back.predict_proba(new)
    np.testing.assert_array_equal(back.predict(new), back.classes_[told.argmax(axis=1)])
    assert plain.calibration_ is None
    assert back.calibration_.told() == "class shares of the table put back"
    with pytest.raises(ParameterError, match="calibrate='temperature' must be one of 'shares'"):
        Resampled(tree, calibrate="temperature").fit(table, y)
    weights = np.where(y == "yes", 3.0, 1.0)
    heavy = Resampled(tree, calibrate="shares", random_state=0).fit(table, y, sample_weight=weights)
    share = 3 * (y == "yes").mean() / (3 * (y == "yes").mean() + (y == "no").mean())
    assert heavy.predict_proba(new)[:, 1].mean() == pytest.approx(share, rel=0.35)


def test_groups_are_left_out_whole() -> None:
    random = np.random.default_rng(5)
    person = np.repeat(np.arange(120), 5)
    table = np.c_[np.repeat(random.normal(size=120), 5), random.normal(size=600)]
    y = np.repeat(random.uniform(size=120) < 0.5, 5)
    kind = tw.DecisionTreeClassifier(calibrate="temperature")
    new = random.normal(size=(300, 2))
    sure = np.abs(clone(kind).fit(table, y).predict_proba(new)[:, 1] - 0.5).mean()
    humble = np.abs(clone(kind).fit(table, y, groups=person).predict_proba(new)[:, 1] - 0.5).mean()
    assert humble < 0.5 * sure


def test_several_outputs() -> None:
    both = np.stack([Y, np.where(X["b"] > 0, "p", "q")], axis=1)
    for kind in (tw.DecisionTreeClassifier(min_samples_leaf=5), tw.RandomForestClassifier(10)):
        model = clone(kind).set_params(calibrate="isotonic").fit(X, both)
        parts = model.predict_proba(NEW)
        assert [part.shape for part in parts] == [(1500, 2), (1500, 2)]
        assert len(model.calibration_) == 2
        answers = model.predict(NEW)
        for output, part in enumerate(parts):
            expected = model.classes_[output][part.argmax(axis=1)]
            np.testing.assert_array_equal(answers[:, output], expected)


def test_learners_of_other_libraries_inside() -> None:
    x = np.c_[X["a"], X["b"], X["c"]]
    for model in (
        tw.BaggingClassifier(LogisticRegression(), n_estimators=4, calibrate="temperature"),
        tw.AdaBoostClassifier(LogisticRegression(), n_estimators=4, calibrate="isotonic"),
        tw.BaggingClassifier(RandomForestClassifier(5), n_estimators=3, calibrate="isotonic"),
    ):
        told = model.fit(x, Y).predict_proba(x)
        np.testing.assert_array_equal(model.predict(x), model.classes_[told.argmax(axis=1)])


def test_a_rare_class_that_a_half_lacks() -> None:
    labels = Y.astype(object).copy()
    labels[0] = "once"
    for way in WAYS:
        told = tw.DecisionTreeClassifier(calibrate=way).fit(X, labels).predict_proba(NEW)
        assert told.shape == (1500, 3)
        assert np.isfinite(told).all()


def test_a_fit_that_fails_leaves_the_model() -> None:
    model = tw.DecisionTreeClassifier(calibrate="temperature").fit(X, Y)
    before = model.predict_proba(NEW)
    with pytest.raises(ParameterError, match="calibrate='sigmoid' must be"):
        model.set_params(calibrate="sigmoid").fit(X, Y[::-1])
    np.testing.assert_array_equal(model.predict_proba(NEW), before)


def test_shares_need_something_that_changed_them() -> None:
    with pytest.raises(ParameterError, match=r"class_weight.*\n.*temperature"):
        tw.DecisionTreeClassifier(calibrate="shares").fit(X, Y)
    both = np.stack([Y, Y], axis=1)
    kind = tw.DecisionTreeClassifier(calibrate="shares", class_weight="balanced")
    with pytest.raises(UnsupportedError, match="one output; y has 2"):
        kind.fit(X, both)


def test_calibrated_forests_stay_so_when_compacted() -> None:
    x = np.c_[X["a"], X["b"], X["c"]]
    forest = tw.RandomForestClassifier(10, calibrate="isotonic", random_state=0).fit(x, Y)
    compact = forest.compact()
    np.testing.assert_array_equal(compact.predict_proba(x), forest.predict_proba(x))


@pytest.mark.parametrize("make", CALIBRATED, ids=lambda each: each.__name__)
def test_a_table_read_once_calibrates_as_its_parts_do(make: Any, monkeypatch: Any) -> None:
    names = X["name"].astype(object)
    names[::7] = None
    kind = pd.Categorical(names, categories=["w", "v", "u", "never"])
    frame = pd.DataFrame(X | {"name": names, "kind": kind, "b": X["b"] > 0})
    model = make().set_params(calibrate="temperature")
    told = model.fit(frame, Y).predict_proba(frame)
    monkeypatch.setattr(TableEstimator, "_as_read", lambda _, table: table)
    np.testing.assert_array_equal(model.fit(frame, Y).predict_proba(frame), told)


def test_tables_for_learners_of_other_libraries_stay_as_they_are() -> None:
    frame = pd.DataFrame({"a": X["a"], "b": X["b"]})
    for model in (
        tw.BaggingClassifier(LogisticRegression(), n_estimators=2),
        tw.AdaBoostClassifier(LogisticRegression(), n_estimators=2),
        tw.GradientBoostingClassifier(init=LogisticRegression(), n_estimators=2),
        tw.VotingClassifier([("line", LogisticRegression())], voting="soft"),
    ):
        assert model._as_read(frame) is frame
        assert model.set_params(calibrate="temperature").fit(frame, Y).calibration_.told()
    assert tw.BaggingClassifier(tw.C45Classifier())._as_read(frame).columns == ("a", "b")
    numbers = frame.to_numpy()
    assert tw.DecisionTreeClassifier()._as_read(numbers) is numbers


EXPLAINED = [each for each in CALIBRATED if hasattr(each(), "explain")]
COSTS = {"yes": {"no": 3.0}}


@pytest.mark.parametrize("make", EXPLAINED, ids=lambda each: each.__name__)
@pytest.mark.parametrize("way", [*WAYS, None])
@pytest.mark.parametrize("costs", [None, COSTS], ids=["", "costs"])
def test_explanations_end_in_what_is_predicted(make: Any, way: str | None, costs: Any) -> None:
    model = make().set_params(calibrate=way, cost_matrix=costs).fit(X, Y)
    frame = pd.DataFrame(NEW)
    for row in range(30):
        one = frame.iloc[[row]]
        found = model.explain(one)
        assert found.label == model.predict(one)[0]
        np.testing.assert_array_equal(found.answer, model.predict_proba(one)[0])
        told = str(found).splitlines()[0]
        assert told.startswith(found.label)
        assert ("calibrated" in told) == (way is not None)
        most = model.classes_[found.answer.argmax()]
        assert ("by expected cost" in told) == (costs is not None and found.label != most)


def test_an_explanation_says_what_was_before_calibration() -> None:
    forest = tw.RandomForestClassifier(10, random_state=0, calibrate="isotonic").fit(X, Y)
    row = {name: column[0] for name, column in NEW.items()}
    text = str(forest.explain(row))
    assert "\n\nBefore calibration:\ncolumn" in text
    assert "Before calibration" not in str(forest.set_params(calibrate=None).fit(X, Y).explain(row))


def test_a_row_needs_only_the_columns_that_are_asked() -> None:
    tree = tw.DecisionTreeClassifier(max_depth=1, calibrate="temperature").fit(X, Y)
    (step,) = tree.explain(pd.DataFrame(NEW).iloc[[0]]).steps
    row = {step.column: NEW[step.column][0]}
    np.testing.assert_array_equal(
        tree.explain(row).answer, tree.predict_proba(pd.DataFrame(NEW).iloc[[0]])[0]
    )


@pytest.mark.parametrize(
    "kind",
    [
        tw.AdaBoostClassifier(n_estimators=4),
        tw.AdaBoostClassifier(LogisticRegression(), n_estimators=3),
        tw.GradientBoostingClassifier(n_estimators=4),
        tw.HistGradientBoostingClassifier(max_iter=4),
    ],
    ids=repr,
)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("costs", [None, COSTS], ids=["", "costs"])
def test_the_last_stage_is_the_model(kind: Any, way: str, costs: Any) -> None:
    model = clone(kind).set_params(calibrate=way, cost_matrix=costs)
    x, new = (np.stack([table[each] for each in "abc"], axis=1) for table in (X, NEW))
    model.fit(x, Y)
    *_, told = model.staged_predict_proba(new)
    np.testing.assert_array_equal(told, model.predict_proba(new))
    *_, chosen = model.staged_predict(new)
    np.testing.assert_array_equal(chosen, model.predict(new))
    *_, scores = model.staged_decision_function(new)
    np.testing.assert_array_equal(scores, model.decision_function(new))


def test_ordered_classes_cannot_be_calibrated_and_constrained() -> None:
    model = tw.GradientBoostingClassifier(
        n_estimators=3, loss="ordinal", monotonic_cst={"a": 1}, calibrate="isotonic"
    )
    with pytest.raises(UnsupportedError) as caught:
        model.fit(X, np.digitize(X["a"], [-0.5, 0.5]))
    assert str(caught.value) == (
        "calibrate='isotonic' cannot be used with monotonic_cst and 3 classes: the probability of"
        " each is moved by itself.\n  Hint: calibrate=None; or two classes."
    )


def test_a_constrained_model_is_saved_with_its_calibration(tmp_path: Any) -> None:
    for way in WAYS:
        model = tw.DecisionTreeClassifier(monotonic_cst={"a": 1}, calibrate=way).fit(X, Y)
        tw.save(model, tmp_path / "model.tw")
        told = tw.load(tmp_path / "model.tw").predict_proba(NEW)
        np.testing.assert_array_equal(told, model.predict_proba(NEW))
        assert model.calibration_.told().startswith("rounded to 32 bits")
