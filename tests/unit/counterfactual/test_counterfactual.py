"""What would change the answer: of every kind of column and model, in words, and refused."""

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import (
    ColumnMismatchError,
    NoSuchRowError,
    ParameterError,
    TreewrightError,
    UnsupportedError,
)

PLAY = tw.load_example("play_tennis")
IRIS = tw.load_example("iris")
DIABETES = tw.load_example("diabetes")
RAIN = {"Outlook": "Rain", "Humidity": "High", "Wind": "Strong"}
DAYS = pd.date_range("2024-01-01", periods=20, freq="D")
HALVES = ["a"] * 10 + ["b"] * 10


def fitted(X: Any, y: Any = HALVES, **options: Any) -> tw.DecisionTreeClassifier:
    return tw.DecisionTreeClassifier(**options).fit(X, y)


def tennis() -> tw.Tree:
    tree: tw.Tree = tw.ID3Classifier().fit(PLAY.X, PLAY.y).tree_
    return tree


# One column


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_number_moves_to_the_nearest_one_beyond_the_cut(dtype: Any) -> None:
    X = np.array([[1.0], [2.1], [3.3], [4.7]], dtype=dtype)
    model = fitted(X, ["a", "a", "b", "b"])
    cut = model.tree_.question(0).threshold  # type: ignore[union-attr]
    up = model.counterfactual(X[[0]], to="b").changes[0].after
    down = model.counterfactual(X[[3]], to="a").changes[0].after
    assert down <= cut < up  # type: ignore[operator]
    assert np.nextafter(dtype(up), dtype(0)) <= cut  # type: ignore[arg-type]
    assert np.nextafter(dtype(down), dtype(9)) > cut  # type: ignore[arg-type]
    assert model.predict(np.array([[up], [down]], dtype=dtype)).tolist() == ["b", "a"]


def test_whole_numbers_move_to_whole_numbers() -> None:
    model = fitted({"age": [20, 30, 40, 50]}, ["a", "a", "b", "b"])
    found = model.counterfactual({"age": 21}, to="b")
    assert str(found) == (
        "It would be 'b' if age were 36 instead of 21 (and nothing else changed)."
    )
    assert found.row == {"age": 36}
    # Also without rows: the row is whole, and so is twice every cut.
    assert model.tree_.without_record().counterfactual({"age": 21}, to="b").row == {"age": 36}


def test_decimal_numbers_stand_just_above_a_cut_or_on_it() -> None:
    model = fitted({"size": [1.5, 2.5, 3.5, 4.5]}, ["a", "a", "b", "b"])
    up, down = model.counterfactual({"size": 1.5}, to="b"), model.counterfactual([4.5], to="a")
    assert "if size were just above 3 instead of 1.5 (" in str(up)
    assert "if size were 3 instead of 4.5 (" in str(down)


def test_numbers_beyond_what_floats_hold_are_exact() -> None:
    model = fitted({"n": np.arange(20, dtype=np.uint64) + 2**63 + 5})
    found = model.counterfactual({"n": 2**63 + 7}, to="b")
    assert found.row == {"n": 2**63 + 15}
    assert model.predict([found.row]).tolist() == ["b"]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (DAYS, "2024-01-11 instead of 2024-01-03"),
        (
            DAYS.tz_localize("Europe/Berlin"),
            "2024-01-10 13:00:00+01:00 instead of 2024-01-03 00:00:00+01:00",
        ),
        (pd.to_timedelta(np.arange(20), unit="h"), "0 days 10:00:00 instead of 0 days 02:00:00"),
    ],
)
def test_dates_and_durations_move_on_their_grid(values: Any, told: str) -> None:
    X = pd.DataFrame({"when": values})
    model = fitted(X)
    found = model.counterfactual(X.iloc[[2]], to="b")
    assert told in str(found).replace("\n", " ")
    assert model.predict([found.row]).tolist() == ["b"]


def test_ranks_count_by_their_spread_and_costs_multiply() -> None:
    schema = tw.Schema(order={"size": ["S", "M", "L", "XL"]}, costs={"size": 3.0})
    X = {"size": ["S", "M", "L", "XL"] * 5}
    model = fitted(X, ["a", "a", "b", "b"] * 5, schema=schema)
    found = model.counterfactual({"size": "S"}, to="b")
    assert (found.row, found.distance) == ({"size": "L"}, 6.0)  # 2 ranks, spread 1, cost 3
    assert model.counterfactual({"size": "S"}, to="b", costs={"size": 0.5}).distance == 1.0


def test_costs_and_fixed_columns_choose_among_changes() -> None:
    tree = tennis()
    assert tree.counterfactual(RAIN, to="Yes").changes[0].column == "Outlook"
    dear = tree.counterfactual(RAIN, to="Yes", costs={"Outlook": 5})
    fixed = tree.counterfactual(RAIN, to="Yes", fixed=["Outlook"])
    assert dear.row == fixed.row
    assert fixed.row["Wind"] == "Weak"


def test_a_missing_value_may_stay_or_become_known_and_no_value_becomes_missing() -> None:
    tree = tennis()
    row = {**RAIN, "Outlook": None}
    known = tree.counterfactual(row, to="Yes")
    assert "Outlook were Overcast instead of missing" in str(known)
    stays = tree.counterfactual(row, to="Yes", fixed=["Outlook"])
    assert (stays.row["Outlook"], stays.row["Wind"], stays.distance) == (None, "Weak", 1.0)


def test_an_unseen_category_is_given_back_as_it_came() -> None:
    tree = tennis()
    for row in ({**RAIN, "Outlook": "Fog"}, pd.DataFrame([{**RAIN, "Outlook": "Fog"}])):
        found = tree.counterfactual(row, to="Yes", fixed=["Outlook"])
        assert found.row["Outlook"] == "Fog"
        assert tree.predict([found.row]).tolist() == ["Yes"]
    assert "instead of unseen" in str(tree.counterfactual({**RAIN, "Outlook": "Fog"}, to="Yes"))


def test_derived_columns_follow_fixed_ones() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"debt": rng.uniform(1, 9, 50), "income": rng.uniform(1, 9, 50)})
    X["age"] = rng.integers(20, 60, 50)
    y = np.where((X.debt > X.income) & (X.age < 50), "no", "yes")
    model = fitted(X, y, schema=tw.Schema().derive("ratio = debt / income"))
    row = X.iloc[[int(np.flatnonzero(y == "no")[0])]]
    found = model.counterfactual(row, to="yes", fixed=["debt", "income"])
    assert [each.column for each in found.changes] == ["age"]
    assert model.predict([found.row]).tolist() == ["yes"]
    with pytest.raises(UnsupportedError) as error:
        model.counterfactual(row, to="yes", fixed=["debt"])
    assert str(error.value) == (
        "counterfactual cannot change column 'ratio', which is derived from debt, income: their"
        " changes would change it too.\n  Hint: fixed=['debt', 'income'] keeps all of them."
    )


# The spread


def test_the_spread_is_that_of_the_rows_given() -> None:
    tree = fitted({"x": [0.0, 1.0, 2.0, 9.0]}, ["a", "a", "b", "b"]).tree_
    by_training = tree.counterfactual([0.5], to="b")
    by_others = tree.counterfactual([0.5], to="b", X={"x": [0.5, 10.5, 20.5]})
    assert by_training.distance == pytest.approx(1.0)  # from 0.5 to 1.5, deviation 1
    assert by_others.distance == pytest.approx(0.1)
    assert by_training.row == by_others.row


def test_without_rows_the_spread_is_that_of_the_cuts() -> None:
    tree = fitted({"x": [0.0, 1.0, 2.0, 9.0]}, ["a", "a", "b", "b"]).tree_.without_record()
    assert tree.counterfactual([0.5], to="b").distance == pytest.approx(1.0)  # the only cut
    loaded = pickle.loads(pickle.dumps(tree))
    assert loaded.counterfactual([0.25], to="b").distance == pytest.approx(1.0)


# Answers


def test_nothing_changes_where_the_answer_is_wanted_already() -> None:
    found = tennis().counterfactual({**RAIN, "Outlook": "Overcast"}, to="Yes")
    assert str(found) == "It is 'Yes' already: nothing needs to change."
    assert (found.changes, found.distance, found.is_exact) == ((), 0.0, True)


def test_numbers_are_wanted_by_a_range() -> None:
    tree = tw.DecisionTreeRegressor(max_depth=3).fit(DIABETES.X, DIABETES.y).tree_
    row = DIABETES.X.rows([1])
    more, less = (tree.counterfactual(row, to=to) for to in ((200, None), (None, 200)))
    assert more.to >= 200  # type: ignore[operator]
    assert "(200 or more is wanted) if" in str(more)
    assert str(less).endswith("already (200 or less is wanted): nothing needs to change.")
    between = tree.counterfactual(row, to=(150, 170))
    assert 150 <= between.to <= 170  # type: ignore[operator]
    assert "(150 to 170 is wanted)" in str(between)


def test_a_result_is_one_sentence_a_dict_and_html() -> None:
    found = (
        tw.RandomForestClassifier(n_estimators=20, random_state=0)
        .fit(IRIS.X, IRIS.y)
        .counterfactual(IRIS.X.rows([7]), to="virginica")
    )
    assert max(map(len, str(found).splitlines())) <= 80
    assert str(found).endswith("\nThe nearest row that was found; a nearer one is not ruled out.")
    assert "It would be &#x27;virginica&#x27; if" in found._repr_html_()
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["distance"] == pytest.approx(sum(each["distance"] for each in plain["changes"]))
    assert plain["is_exact"] is False


def test_it_draws_what_each_change_counts() -> None:
    forest = tw.RandomForestClassifier(n_estimators=20, random_state=0).fit(IRIS.X, IRIS.y)
    found = forest.counterfactual(IRIS.X.rows([7]), to="virginica")
    chart = found.draw()
    assert chart.title == f"{len(found.changes)} changes would make it 'virginica'"
    assert chart.caption == "A nearer row is not ruled out."
    assert "petal width (cm): 0.2 → just above" in chart.svg()
    already = tennis().counterfactual({**RAIN, "Outlook": "Overcast"}, to="Yes")
    assert "It is &#x27;Yes&#x27;" in already.draw().svg() or "It is 'Yes'" in already.draw().svg()
    assert already._repr_html_().endswith(
        "<pre>It is &#x27;Yes&#x27; already: nothing needs to change.</pre>"
    )


def test_a_tree_of_linear_models_is_searched() -> None:
    model = tw.M5Regressor().fit(DIABETES.X, DIABETES.y)
    found = model.counterfactual(DIABETES.X.rows([1]), to=(200, None))
    assert not found.is_exact
    assert model.predict([found.row])[0] >= 200


MODELS = [
    tw.DecisionTreeClassifier(calibrate="temperature"),
    tw.CHAIDClassifier(),
    tw.C45RulesClassifier(calibrate="isotonic"),
    tw.RandomForestClassifier(n_estimators=20, random_state=0),
    tw.ExtraTreesClassifier(n_estimators=20, random_state=0, cost_matrix=[[0, 1], [5, 0]]),
    tw.BaggingClassifier(n_estimators=5, random_state=0),
    tw.AdaBoostClassifier(n_estimators=10),
    tw.GradientBoostingClassifier(n_estimators=20),
    tw.HistGradientBoostingClassifier(max_iter=20),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("names", [True, False])
def test_every_estimator_keeps_its_word(model: Any, names: bool) -> None:
    X = IRIS.X.to_pandas().iloc[50:]
    X = X if names else X.to_numpy()
    y = IRIS.y[50:]
    model.fit(X, y)
    said = model.predict(X)
    for place in (0, 27, 60):
        row = X.iloc[[place]] if names else X[place]
        (other,) = {"versicolor", "virginica"} - {said[place]}
        found = model.counterfactual(row, to=other)
        assert found.label == said[place]
        assert found.distance > 0
        values = pd.DataFrame([found.row]) if names else np.array([list(found.row.values())])
        assert model.predict(values).tolist() == [other] == [found.to]


def test_a_model_fitted_with_offsets_is_asked_without() -> None:
    X, y = {"x": np.arange(40.0)}, np.arange(40.0)
    model = tw.GradientBoostingRegressor(loss="poisson", n_estimators=20)
    model.fit(X, y, offset=np.zeros(40))
    found = model.counterfactual({"x": 3.0}, to=(20, None))
    assert model.predict([found.row], offset=0)[0] == found.to >= 20


def test_scores_of_another_model_are_refused() -> None:
    model = tw.GradientBoostingClassifier(n_estimators=2, init=tw.DecisionTreeClassifier())
    model.fit(IRIS.X, IRIS.y)
    with pytest.raises(UnsupportedError) as error:
        model.counterfactual(IRIS.X.rows([0]), to="virginica")
    assert str(error.value) == (
        "counterfactual explains the trees, and init adds scores of another model.\n"
        "  Hint: init=None."
    )


def test_a_search_that_is_cut_short_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tennis()
    monkeypatch.setattr("treewright.counterfactual.regions.MOST_REGIONS", -tree.n_nodes)
    found = tree.counterfactual(RAIN, to="Yes")
    assert (found.is_exact, found.distance) == (False, 1.0)
    assert tree.predict([{**RAIN, **found.row}]).tolist() == ["Yes"]


# Refusals


@pytest.mark.parametrize(
    ("asked", "kind", "message"),
    [
        (
            {"to": "Ye"},
            ParameterError,
            "to='Ye' is none of the classes.\n  Classes: No, Yes\n  Hint: did you mean 'Yes'?",
        ),
        (
            {"to": "Yes", "fixed": "Wind"},
            ParameterError,
            "fixed='Wind' must be a list of columns.\n  Hint: fixed=['Wind'].",
        ),
        (
            {"to": "Yes", "fixed": ["wind"]},
            ColumnMismatchError,
            "there is no column 'wind'.\n  Columns: Outlook, Temperature, Humidity, Wind\n"
            "  Hint: did you mean 'Wind'?",
        ),
        (
            {"to": "Yes", "costs": {"Wind": -1}},
            ParameterError,
            "costs: -1 of column 'Wind' must be a finite number, 0 or more.\n"
            "  Hint: fixed=['Wind'] for a column that never changes.",
        ),
        ({"to": "Yes", "costs": 3}, ParameterError, "costs=3 must be a dict of column to factor."),
        (
            {"to": "Yes", "fixed": ["Outlook", "Wind"]},
            NoSuchRowError,
            "no row gets the answer 'Yes' while Outlook, Wind stay as they are.\n"
            "  Hint: fix fewer columns.",
        ),
    ],
)
def test_what_cannot_be_is_refused(asked: Any, kind: type[TreewrightError], message: str) -> None:
    with pytest.raises(kind) as error:
        tennis().counterfactual(RAIN, **asked)
    assert str(error.value) == message


def test_an_ensemble_that_finds_nothing_does_not_claim_a_proof() -> None:
    forest = tw.RandomForestClassifier(n_estimators=5, random_state=0).fit(PLAY.X, PLAY.y)
    with pytest.raises(NoSuchRowError) as error:
        forest.counterfactual({**RAIN, "Temperature": "Hot"}, to="Yes", fixed=list(PLAY.X.columns))
    assert str(error.value) == (
        "no row was found that gets the answer 'Yes' while Humidity, Outlook, Temperature, Wind"
        " stay as they are. That does not prove that there is none.\n"
        "  Hint: fix fewer columns; or X= with rows that get it gives the search more to start"
        " from."
    )


@pytest.mark.parametrize("to", ["high", (None, None), 200, (1, 2, 3), (float("nan"), 3)])
def test_a_range_is_a_pair_of_numbers(to: Any) -> None:
    tree = tw.DecisionTreeRegressor(max_depth=2).fit(DIABETES.X, DIABETES.y).tree_
    with pytest.raises(ParameterError) as error:
        tree.counterfactual(DIABETES.X.rows([0]), to=to)
    assert str(error.value) == (
        f"to={to!r} must be a pair of numbers, lowest and highest, one of which may be None.\n"
        "  Hint: to=(200, None) wants 200 or more."
    )


def test_a_range_goes_up() -> None:
    tree = tw.DecisionTreeRegressor(max_depth=2).fit(DIABETES.X, DIABETES.y).tree_
    with pytest.raises(ParameterError) as error:
        tree.counterfactual(DIABETES.X.rows([0]), to=(300, 100))
    assert str(error.value) == (
        "to=(300, 100) wants numbers from 300 up to 100, and there are none.\n"
        "  Hint: the lower number comes first."
    )


def test_sums_of_columns_that_may_change_are_refused() -> None:
    a, b = np.random.default_rng(0).uniform(size=(2, 200))
    X, y = {"a": a, "b": b}, np.where(a + b > 1, "y", "n")
    model = tw.ObliqueTreeClassifier(max_depth=1).fit(X, y)
    with pytest.raises(UnsupportedError) as error:
        model.counterfactual({"a": 0.1, "b": 0.2}, to="y", fixed=["a"])
    assert str(error.value) == (
        "counterfactual moves one column at a time across its cuts, and this model asks about a sum"
        " of a, b.\n  Hint: fixed=['a', 'b'] keeps the sum as it is; or a tree without oblique"
        " questions."
    )
    with pytest.raises(NoSuchRowError):
        model.counterfactual({"a": 0.1, "b": 0.2}, to="y", fixed=["a", "b"])
    kept = model.counterfactual({"a": 0.1, "b": 0.2}, to="n", fixed=["a", "b"])
    assert kept.changes == ()


def test_several_targets_are_refused() -> None:
    two = np.column_stack([DIABETES.y, DIABETES.y])
    tree = tw.DecisionTreeRegressor(max_depth=2).fit(DIABETES.X, two).tree_
    with pytest.raises(UnsupportedError) as error:
        tree.counterfactual(DIABETES.X.rows([0]), to=(1, 2))
    assert str(error.value) == (
        "counterfactual is for one target, and this model predicts 2 together.\n"
        "  Hint: fit a model for the target that is to change."
    )
