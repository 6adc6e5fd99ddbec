"""AdaBoost: learners, stops, rounds, errors."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import treewright as tw
from treewright.adaboost.stump_trees import StumpTrees
from treewright.ensemble.ensemble import ListedTrees
from treewright.errors import DataError, ModelFormatError, ParameterError

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(200, 4))
Y = (X[:, 0] * X[:, 1] + 0.5 * X[:, 2] > 0).astype(int)
V = X[:, 0] * X[:, 1] + 0.5 * X[:, 2]


@pytest.mark.parametrize("algorithm", ["M1", "SAMME"])
def test_two_classes_are_the_same_for_both_algorithms(algorithm: str) -> None:
    boosted = tw.AdaBoostClassifier(n_estimators=20, algorithm=algorithm).fit(X, Y)
    plain = tw.AdaBoostClassifier(n_estimators=20).fit(X, Y)
    assert np.array_equal(boosted.estimator_weights_, plain.estimator_weights_)
    errors = boosted.estimator_errors_
    assert np.allclose(boosted.estimator_weights_, np.log((1 - errors) / errors))


def test_stumps_are_held_together_and_other_trees_one_by_one() -> None:
    stumps = tw.AdaBoostClassifier(n_estimators=3).fit(X, Y)
    trees = tw.AdaBoostClassifier(tw.DecisionTreeClassifier(max_depth=2), n_estimators=3).fit(X, Y)
    assert isinstance(stumps.ensemble_.trees, StumpTrees)
    assert isinstance(trees.ensemble_.trees, ListedTrees)


def test_stumps_found_in_one_go_are_those_grown_one_by_one() -> None:
    """A class weight of 1 takes the way that every other tree takes."""
    plain = tw.AdaBoostClassifier(n_estimators=25).fit(X, Y)
    stump = tw.DecisionTreeClassifier(max_depth=1, class_weight={0: 1.0, 1: 1.0})
    grown = tw.AdaBoostClassifier(stump, n_estimators=25).fit(X, Y)
    assert isinstance(grown.ensemble_.trees, ListedTrees)
    assert np.allclose(plain.estimator_errors_, grown.estimator_errors_, atol=1e-12)
    for mine, other in zip(plain.ensemble_, grown.ensemble_, strict=True):
        assert mine.text() == other.text()
        assert mine.arrays.value == pytest.approx(other.arrays.value)


def test_the_ensemble_is_an_ensemble() -> None:
    ensemble = tw.AdaBoostClassifier(n_estimators=9).fit(X, Y).ensemble_
    assert len(ensemble) == 9
    assert [tree.depth for tree in ensemble] == [1] * 9
    table = tw.AdaBoostClassifier(n_estimators=9).fit(X, Y)._table(X)
    leaves = ensemble.apply(table)
    alone = np.column_stack([tree.plan.apply(table) for tree in ensemble])
    assert np.array_equal(leaves, alone)
    both = ensemble.first(4).joined(ensemble.first(9).first(5))
    assert len(both) == 9
    assert [tree.text() for tree in both][:4] == [tree.text() for tree in ensemble][:4]
    assert np.allclose(ensemble.importances().mean.sum(), 1.0)
    by_tree = np.array([tree.importances(normalize=False).mean for tree in ensemble])
    assert np.allclose(ensemble.trees.impurity_decrease(), by_tree)
    assert ensemble.compacted().nbytes == ensemble.nbytes > 0
    soft = ensemble.trees.add_answers(table, 0, 9, "soft", 1)
    assert np.allclose(soft, sum(tree.plan.answers(table) for tree in ensemble))


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_do_not_show(n_jobs: int) -> None:
    random = np.random.default_rng(0)
    wide = random.normal(size=(20_000, 8))
    y = (wide[:, 0] + random.normal(size=20_000) > 0).astype(int)
    one = tw.AdaBoostClassifier(n_estimators=8).fit(wide, y)
    many = tw.AdaBoostClassifier(n_estimators=8, n_jobs=n_jobs).fit(wide, y)
    assert np.array_equal(one.estimator_weights_, many.estimator_weights_)
    assert np.array_equal(one.decision_function(wide), many.decision_function(wide))


@pytest.mark.parametrize(
    "learner",
    [
        GaussianNB(),
        KNeighborsClassifier(1),
        make_pipeline(StandardScaler(), LogisticRegression()),
        tw.C45RulesClassifier(),
        tw.C45Classifier(),
        tw.CARTClassifier(),
        tw.DecisionTreeClassifier(max_depth=3, cost_matrix=[[0, 1], [5, 0]]),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_any_learner_is_boosted(learner: Any) -> None:
    boosted = tw.AdaBoostClassifier(learner, n_estimators=5, random_state=0).fit(X, Y)
    assert boosted.score(X, Y) >= 0.6
    assert len(boosted.rounds_) == len(boosted) == len(boosted.estimators_)
    assert str(boosted.rounds_)
    *_, last = boosted.staged_predict(X)
    assert np.array_equal(last, boosted.predict(X))
    again = pickle.loads(pickle.dumps(boosted))
    assert np.array_equal(again.decision_function(X), boosted.decision_function(X))


@pytest.mark.parametrize("learner", [LinearRegression(), KNeighborsRegressor(3), tw.M5Regressor()])
def test_any_regressor_is_boosted(learner: Any) -> None:
    boosted = tw.AdaBoostRegressor(learner, n_estimators=5, random_state=0).fit(X, V)
    *_, last = boosted.staged_predict(X)
    assert np.array_equal(last, boosted.predict(X))
    stages = list(boosted.staged_weights(X, V))
    assert len(stages) == len(boosted) + 1
    assert all(weights.sum() == pytest.approx(1.0) for weights in stages)


def test_the_median_is_that_of_the_weights() -> None:
    boosted = tw.AdaBoostRegressor(n_estimators=15, random_state=1).fit(X, V)
    said = np.array([tree.plan.answers(boosted._table(X))[:, 0] for tree in boosted.ensemble_])
    order = said.argsort(axis=0)
    weight = np.cumsum(boosted.estimator_weights_[order], axis=0)
    middle = (weight >= weight[-1] / 2).argmax(axis=0)
    rows = np.arange(len(X))
    assert np.array_equal(boosted.predict(X), said[order[middle, rows], rows])


def test_an_error_of_0_ends_boosting_with_that_learner() -> None:
    boosted = tw.AdaBoostClassifier().fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    assert boosted.estimator_errors_.tolist() == [0.0]
    assert boosted.estimator_weights_.tolist() == [1.0]
    assert "every row right" in boosted.rounds_.stopped
    assert boosted.predict([[0.4], [2.6]]).tolist() == [0, 1]


def test_a_learner_as_bad_as_guessing_is_left_out_unless_it_is_the_first() -> None:
    xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    boosted = tw.AdaBoostClassifier().fit(xor, [0, 1, 1, 0])
    assert len(boosted) == 1
    assert "it is kept" in boosted.rounds_.stopped
    three = tw.AdaBoostClassifier(algorithm="M1", n_estimators=50)
    three.fit(X, np.digitize(V, [-0.5, -0.1, 0.1, 0.5]))
    assert len(three) < 50
    assert "left out" in three.rounds_.stopped or "it is kept" in three.rounds_.stopped
    samme = tw.AdaBoostClassifier(n_estimators=50).fit(X, np.digitize(V, [-0.5, -0.1, 0.1, 0.5]))
    assert len(samme) > len(three)
    assert all(samme.estimator_errors_ < 1 - 1 / 5)


def test_boosting_may_stop_when_all_rows_are_right() -> None:
    x, y = [[1], [2], [3], [4], [5], [6]], ["+", "+", "-", "-", "+", "-"]
    boosted = tw.AdaBoostClassifier(stop_when_correct=True).fit(x, y)
    assert len(boosted) == 3
    assert boosted.score(x, y) == 1.0
    assert boosted.rounds_.stopped == "every training row is right"


def test_rounds_are_a_table() -> None:
    rounds = tw.AdaBoostClassifier(n_estimators=100).fit(X, Y).rounds_
    assert len(rounds) == 100
    assert rounds[-1].number == 100
    assert rounds[0].bound == pytest.approx(2 * np.sqrt(rounds[0].error * (1 - rounds[0].error)))
    told = rounds.to_dicts()
    assert list(told[0]) == [
        "number",
        "learner",
        "error",
        "alpha",
        "sum_of_weights",
        "bound",
        "training_error",
    ]
    assert len(rounds.text().splitlines()) == 102
    assert "40 rounds more" in str(rounds)
    assert tw.AdaBoostRegressor(n_estimators=2).fit(X, V).rounds_.to_dicts()[0]["bound"] is None


def test_a_learner_that_fails_names_the_round() -> None:
    class Fails(GaussianNB):  # type: ignore[misc]
        n_fits = 0

        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            Fails.n_fits += 1
            if Fails.n_fits == 3:
                raise RuntimeError("no more")
            return super().fit(X, y, sample_weight)

    boosted = tw.AdaBoostClassifier(n_estimators=2).fit(X, Y)
    before = boosted.decision_function(X)
    boosted.set_params(estimator=Fails(), n_estimators=5)
    with pytest.raises(RuntimeError, match="no more") as caught:
        boosted.fit(X, Y)
    assert caught.value.__notes__ == ["This happened to the weak learner in round 3 of AdaBoost."]
    assert np.array_equal(boosted.decision_function(X), before)


def test_ctrl_c_leaves_the_estimator_as_it_was() -> None:
    class Stops(GaussianNB):  # type: ignore[misc]
        def predict(self, X: Any) -> Any:
            raise KeyboardInterrupt

    boosted = tw.AdaBoostClassifier(n_estimators=4).fit(X, Y)
    state = pickle.dumps(boosted.ensemble_)
    boosted.set_params(estimator=Stops())
    with pytest.raises(KeyboardInterrupt):
        boosted.fit(X[:, :2], Y)
    assert pickle.dumps(boosted.ensemble_) == state
    assert boosted.n_features_in_ == 4


def test_predictions_that_are_none_are_refused() -> None:
    class Nonsense(LinearRegression):  # type: ignore[misc]
        def predict(self, X: Any) -> Any:
            return np.full(len(X), np.nan)

    with pytest.raises(DataError, match=r"predicts nan for row 0 in round 1 of AdaBoost"):
        tw.AdaBoostRegressor(Nonsense()).fit(X, V)

    class Stranger(GaussianNB):  # type: ignore[misc]
        def predict(self, X: Any) -> Any:
            return np.full(len(X), 7)

    with pytest.raises(DataError, match=r"Stranger predicts .*7.*, which is not among the classes"):
        tw.AdaBoostClassifier(Stranger()).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, r"n_estimators=0 must be at least 1"),
        ({"learning_rate": 0.0}, r"learning_rate=0.0 must be between 1e-09 and 1e\+09"),
        ({"algorithm": "SAME"}, r"algorithm='SAME' must be one of 'SAMME', 'M1'.\n.*'SAMME'"),
        ({"resample": 1}, r"resample=1 must be True, False or None"),
        ({"estimator": 3}, r"estimator=3 must be a single tree of Treewright, or an estimator of"),
        ({"estimator": tw.CARTRegressor()}, r"predicts numbers, but AdaBoostClassifier predicts"),
        ({"estimator": LinearRegression()}, r"predicts numbers, but AdaBoostClassifier predicts"),
        (
            {"estimator": KNeighborsClassifier(), "resample": False},
            r"but KNeighborsClassifier does not take sample_weight.\n  Hint: resample=True",
        ),
        ({"stop_when_correct": 1}, r"stop_when_correct=1 must be True or False"),
    ],
)
def test_parameters_are_refused_by_name(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        tw.AdaBoostClassifier(**parameters).fit(X, Y)


def test_a_damaged_model_is_refused() -> None:
    trees = tw.AdaBoostClassifier(n_estimators=3).fit(X, Y).ensemble_.trees
    state = trees.__getstate__()
    with pytest.raises(ModelFormatError, match="do not add up"):
        trees.__class__.__new__(StumpTrees).__setstate__({**state, "start": state["start"][:-1]})
    column = state["arrays"]["column"].copy()
    column[0] = 99
    damaged = StumpTrees({**state["arrays"], "column": column}, state["start"], 4)
    boosted = tw.AdaBoostClassifier(n_estimators=3).fit(X, Y)
    boosted.ensemble_.trees = damaged
    with pytest.raises(ModelFormatError, match="the stumps are damaged"):
        boosted.predict(X)


@pytest.mark.parametrize(
    "damage", [{"weights": np.ones(1)}, {"weights": np.full(3, np.nan)}, {"classes": None}]
)
def test_what_the_trees_of_a_damaged_model_count_is_looked_at(damage: dict[str, Any]) -> None:
    ensemble = tw.AdaBoostClassifier(n_estimators=3).fit(X, Y).ensemble_
    state = ensemble.__getstate__()
    assert len(state["weights"]) == 3
    with pytest.raises(ModelFormatError, match="what its trees count"):
        ensemble.__setstate__(state | damage)


def test_members_that_are_no_trees_have_no_ensemble() -> None:
    boosted = tw.AdaBoostClassifier(GaussianNB(), n_estimators=2).fit(X, Y)
    assert not hasattr(boosted, "ensemble_")
    with pytest.raises(AttributeError, match="has no feature_importances_"):
        _ = boosted.feature_importances_


def test_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    tw.AdaBoostClassifier(n_estimators=3, verbose=1).fit(X, Y)
    assert "boosting: round 3 of 3, error 0." in capsys.readouterr().err


def test_weights_may_be_enormous_whole_numbers() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(100, 2))
    y = X[:, 0] + random.normal(size=100) * 0.5
    for model, target in (
        (tw.AdaBoostClassifier(n_estimators=5), y > 0),
        (tw.AdaBoostClassifier(tw.DecisionTreeClassifier(max_depth=2), n_estimators=5), y > 0),
        (tw.AdaBoostRegressor(n_estimators=5, resample=False), y),
    ):
        plain = model.fit(X, target).predict(X)
        model.fit(X, target, sample_weight=np.full(100, 1e14))
        assert model.predict(X) == pytest.approx(plain, rel=1e-9)


def test_a_learning_rate_may_leave_only_the_worst_row() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(100, 2))
    y = X[:, 0] * 2 + random.normal(size=100) * 0.5
    model = tw.AdaBoostRegressor(n_estimators=10, learning_rate=200, loss="exponential")
    assert np.isfinite(model.fit(X, y).predict(X)).all()


class KeepsTheKind(LinearRegression):  # type: ignore[misc]
    """A weak learner that records what kind of table it was fitted on."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KeepsTheKind:
        self.format_ = X.format
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(("given", "fitted"), [("csc", "csc"), ("csr", "csr"), ("coo", "csr")])
def test_other_weak_learners_get_sparse_tables_by_column_as_given(given: str, fitted: str) -> None:
    sparse = sp.csr_array(X * (X > 1)).asformat(given)
    model = tw.AdaBoostRegressor(KeepsTheKind(), n_estimators=2, random_state=0).fit(sparse, V)
    assert {member.format_ for member in model.estimators_} == {fitted}
    dense = tw.AdaBoostRegressor(LinearRegression(), n_estimators=2, random_state=0)
    np.testing.assert_allclose(
        model.predict(sparse), dense.fit(sparse.toarray(), V).predict(sparse.toarray())
    )


@pytest.mark.parametrize(
    "values",
    [["S", "M", "S", "S", None], [2**60 + 1, 2**60 + 3, 2**60 + 5, 7, None], [1.5, 2, 3, 4, None]],
)
def test_stumps_that_only_ask_whether_a_value_is_known_predict(values: list[Any]) -> None:
    schema = tw.Schema(order={"s": ["S", "M"]} if values[0] == "S" else {})
    model = tw.AdaBoostClassifier(schema=schema).fit({"s": values}, list("aaaab"))
    assert model.predict({"s": values}).tolist() == list("aaaab")
    copied = pickle.loads(pickle.dumps(model))
    assert copied.predict({"s": values}).tolist() == list("aaaab")


def test_rounds_are_drawn() -> None:
    iris = tw.load_example("iris")
    model = tw.AdaBoostClassifier(n_estimators=6).fit(iris.X, iris.y)
    picture = model.rounds_.draw()
    assert picture.title.startswith("6 learners together err by ")
    assert {line.name for line in picture.lines} == {"one learner", "votes so far"}
    of_two = tw.AdaBoostClassifier(n_estimators=3).fit(
        [[1], [2], [3], [4], [5], [6]], list("++--+-")
    )
    assert "bound" in {line.name for line in of_two.rounds_.draw().lines}
    diabetes = tw.load_example("diabetes")
    numbers = tw.AdaBoostRegressor(n_estimators=4).fit(diabetes.X, diabetes.y).rounds_.draw()
    assert [line.name for line in numbers.lines] == ["mean loss"]
