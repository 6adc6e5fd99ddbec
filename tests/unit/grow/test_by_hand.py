"""Trees written by hand: the notation, what is refused, and rows that fill them."""

import json
import pickle
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright import Schema, Tree, load_example
from treewright.errors import (
    DataError,
    ParameterError,
    TargetError,
    TreewrightError,
    UnsupportedError,
)

TENNIS = {
    "Outlook": {
        "Sunny": {"Humidity": {"High": "No", "Normal": "Yes"}},
        "Overcast": "Yes",
        "Rain": {"Wind": {"Strong": "No", "Weak": "Yes"}},
    }
}


def test_a_tree_from_a_slide_answers_as_the_grown_one() -> None:
    play = load_example("play_tennis")
    grown = tw.ID3Classifier().fit(play.X, play.y).tree_
    by_hand = Tree.build(TENNIS)
    assert by_hand.predict(play.X).tolist() == grown.predict(play.X).tolist()
    assert [rule.premise() for rule in by_hand.rules()][:2] == [
        "Outlook = Sunny AND Humidity = High",
        "Outlook = Sunny AND Humidity = Normal",
    ]
    assert by_hand.explain({"Outlook": "Overcast"}).label == "Yes"
    assert by_hand.counts(0).classes == {"No": 0.0, "Yes": 0.0}


def test_rows_give_the_counts_of_the_grown_tree() -> None:
    play = load_example("play_tennis")
    grown = tw.ID3Classifier().fit(play.X, play.y).tree_
    filled = Tree.build(TENNIS, play.X, play.y)
    for name in ("n_rows", "weight", "value", "impurity"):
        expected = getattr(grown.arrays, name)[:4]  # the leaves of Wind are in another order
        np.testing.assert_allclose(getattr(filled.arrays, name)[:4], expected, atol=1e-12)
    np.testing.assert_allclose(filled.arrays.gain[0], grown.arrays.gain[0], atol=1e-12)


@pytest.mark.parametrize(
    ("nested", "row", "answer"),
    [
        ({"x <= 2.5": {"yes": "a", "no": "b"}}, {"x": 2.5}, "a"),
        ({"x < 2.5": {"yes": "a", "no": "b"}}, {"x": 2.5}, "b"),
        ({"x > 2.5": {"yes": "a", "no": "b"}}, {"x": 2.5}, "b"),
        ({"x >= 2.5": {"no": "b", "yes": "a"}}, {"x": 2.5}, "a"),
        ({"x>=2.5": {True: "a", False: "b"}}, {"x": 2.4}, "b"),
        ({"x": {"<= 2.5": "a", "> 2.5": "b"}}, {"x": 3}, "b"),
        ({"x": {"> 64": "c", "<= 17": "a", "<= 64": "b"}}, {"x": 64}, "b"),
        ({"x": {"> 64": "c", "<= 17": "a", "<= 64": "b"}}, {"x": 65}, "c"),
        ({"x": {"< 1": "a", ">= 1": "b", None: "c"}}, {"x": None}, "c"),
        ({"c = red": {"yes": "a", "no": "b"}}, {"c": "blue"}, "b"),
        ({"c != red": {"yes": "a", "no": "b"}}, {"c": "blue"}, "a"),
        ({"c in {red, blue}": {"yes": "a", "no": "b"}}, {"c": "blue"}, "a"),
        ({"c not in {red, blue}": {"yes": "a", "no": "b"}}, {"c": "green"}, "a"),
        ({"c": {("red", "blue"): "a", "green": "b"}}, {"c": "blue"}, "a"),
        ({"c": {"red": "a", ("blue", None): "b"}}, {"c": None}, "b"),
        ({"c": {"red": {"a": 0.2, "b": 0.8}, "blue": "a"}}, {"c": "red"}, "b"),
        ({"c": {"red": 1.5, "blue": 2}}, {"c": "blue"}, 2.0),
        ("a", {"x0": 1.0}, "a"),
    ],
)
def test_every_form_of_a_question(nested: Any, row: dict[str, Any], answer: Any) -> None:
    tree = Tree.build(nested)
    assert tree.predict([row]).tolist() == [answer]
    if tree.n_nodes > 1:
        assert tree.explain(row).label == answer


def test_a_strict_cut_is_printed_as_it_was_written() -> None:
    tree = Tree.build({"f1 < 0.8": {"yes": "1", "no": "2"}})
    assert str(tree.rules()) == (
        "IF f1 < 0.8 THEN 1  (0 covered, 0 wrong)\nIF f1 >= 0.8 THEN 2  (0 covered, 0 wrong)"
    )


def test_a_column_may_have_an_operator_in_its_name() -> None:
    table = {"a < b": ["yes", "no"], "x": [1.0, 2.0]}
    nested = {"a < b": {"yes": {"x > 1": {"yes": "p", "no": "q"}}, "no": "p"}}
    tree = Tree.build(nested, table, ["q", "p"])
    assert tree.predict(table).tolist() == ["q", "p"]


def test_ordinal_columns_are_cut_by_their_values() -> None:
    schema = Schema(order={"size": ["small", "medium", "large"]})
    tree = Tree.build({"size <= medium": {"yes": "a", "no": "b"}}, schema=schema)
    sizes = [{"size": each} for each in ("small", "medium", "large")]
    assert tree.predict(sizes).tolist() == ["a", "a", "b"]
    strict = Tree.build({"size < medium": {"yes": "a", "no": "b"}}, schema=schema)
    assert strict.predict(sizes).tolist() == ["a", "b", "b"]


def test_everything_that_reads_a_tree_reads_one_written_by_hand() -> None:
    tree = Tree.build(TENNIS)
    assert pickle.loads(pickle.dumps(tree)).arrays.equals(tree.arrays)
    assert json.loads(json.dumps(tree.to_dict()))["classes"] == [["No", "Yes"]]
    assert tree.diff(Tree.build(TENNIS)).relation == "same"
    assert tree.consult(known={"Outlook": "Overcast"}).question is None
    assert str(tree.dnf("No")).startswith("(Outlook = Sunny and Humidity = High)")
    assert tree.importances().names[0] in ("Outlook", "Humidity", "Wind")
    assert tree.simplify().n_leaves == 5
    assert tree.unused_columns == ()
    divided = tree.explain({"Outlook": None, "Humidity": "High", "Wind": "Weak"})
    assert divided.fractions == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    with pytest.raises(TreewrightError, match="keeps no record"):
        tree.why(0)


def test_numbers_are_classes_where_classes_say_so() -> None:
    nested = {"x <= 0": {"yes": 0, "no": 1}}
    assert Tree.build(nested).classes is None
    tree = Tree.build(nested, classes=[0, 1, 2])
    assert tree.classes is not None
    assert tree.classes[0].tolist() == [0, 1, 2]


def test_leaves_of_counts_have_rows_and_can_be_pruned() -> None:
    # Textbook, Fig. 3.7: 100 patterns; the two lowest leaves hold one each.
    nested = {
        "Feature1 < 2": {
            "yes": {"1": 60},
            "no": {
                "Feature2 < 3": {
                    "yes": {"Feature1 < 4.5": {"yes": {"2": 1}, "no": {"1": 1}}},
                    "no": {"1": 3},
                },
            },
        }
    }
    tree = Tree.build(nested)
    assert tree.arrays.n_rows.tolist() == [65, 60, 5, 2, 3, 1, 1]
    assert tree.counts(2).classes == {"1": 4.0, "2": 1.0}
    assert tree.prune("minimum_fraction").n_leaves < tree.n_leaves
    assert tree.expected_tests() == pytest.approx((65 + 5 + 2) / 65)


def test_a_tree_written_by_hand_is_pruned_by_given_rows() -> None:
    play = load_example("play_tennis")
    tree = Tree.build(TENNIS, play.X, play.y)
    always_yes = ["Yes"] * len(play.y)
    assert tree.prune("reduced_error", play.X, always_yes).n_leaves == 1


def test_a_regression_tree_is_filled_with_means() -> None:
    tree = Tree.build({"x <= 2": {"yes": 0, "no": 0}}, {"x": [1, 2, 3, 5]}, [1.0, 2.0, 7.0, 9.0])
    grown = tw.DecisionTreeRegressor(max_depth=1).fit({"x": [1, 2, 3, 5]}, [1.0, 2.0, 7.0, 9.0])
    assert tree.predict({"x": [0, 9]}).tolist() == [1.5, 8.0]
    np.testing.assert_allclose(tree.arrays.impurity, grown.tree_.arrays.impurity)
    np.testing.assert_allclose(tree.arrays.gain, grown.tree_.arrays.gain)


def test_refit_takes_weights_and_divides_rows_with_missing_values() -> None:
    tree = Tree.build({"c": {"a": "p", "b": "q"}})
    filled = tree.refit(
        {"c": ["a", "b", "b", None]}, ["p", "q", "q", "q"], sample_weight=[3, 1, 1, 2]
    )
    # The branches weigh alike before there are rows, so the row without a value is halved.
    assert filled.counts(1).classes == {"p": 3.0, "q": 1.0}
    assert filled.counts(0).n_rows == 4
    assert filled.counts(1).n_rows == 2


def test_a_leaf_without_rows_keeps_its_class() -> None:
    tree = Tree.build({"c": {"a": "p", "b": "q"}}).refit({"c": ["a"]}, ["p"])
    assert tree.predict({"c": ["a", "b"]}).tolist() == ["p", "q"]


def test_refit_of_a_grown_tree_is_the_tree_of_its_rows() -> None:
    for name in ("iris", "diabetes"):
        data = load_example(name)
        kind = tw.DecisionTreeClassifier if data.classes else tw.DecisionTreeRegressor
        tree = kind(max_depth=3).fit(data.X, data.y).tree_
        again = tree.refit(data.X, data.y)
        for part in ("n_rows", "weight", "value", "impurity", "gain"):
            expected = getattr(tree.arrays, part)
            np.testing.assert_allclose(
                getattr(again.arrays, part), expected, rtol=1e-9, atol=1e-9, err_msg=part
            )


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ({}, r"the root: an empty dict is no tree"),
        ({"x": {"a": {"y": {"b": {}, "c": "p"}}, "d": "q"}}, r"x = a, y = b: an empty dict"),
        ({"x": {"a": "p"}}, r"the root: the question 'x' has 1 branches"),
        ({"x": {"a": None, "b": "q"}}, r"x = a: None is neither a question nor a leaf"),
        ({"x": {"a": float("inf"), "b": 1}}, r"x = a: a leaf cannot be inf"),
        ({"x": {"a": ["p"], "b": "q"}}, r"x = a: \['p'\] is neither"),
        ({"x": {"a": "p", "b": 2}}, r"x = b is the number 2, but x = a is 'p'"),
        ({"x": {"a": {"p": -1}, "b": "q"}}, r"x = a: the leaf counts -1 rows of class 'p'"),
        ({"x": {"a": {"p": 0}, "b": "q"}}, r"x = a: the leaf counts no rows at all"),
        ({"x": {"a": {}, "b": {}}, "y": {"a": {}}}, r"one question, but there are 2: x, y"),
        ({3: {"a": "p", "b": "q"}}, r"the question 3 must be text"),
        ({"x": {"<= 3": "p", "> 4": "q"}}, r"leave a gap or overlap: <= 3, > 4"),
        ({"x": {"<= 3": "p", "<= 4": "q"}}, r"and one '>' \(or '>='\) the last"),
        ({"x": {"<= a": "p", "> a": "q"}}, r"compares column 'x' with 'a', which is no number"),
        ({"x": {("a", "b"): "p", "b": "q"}}, r"value 'b' of 'x' has two branches"),
        ({"x <= 3": {"<= 3": "p", "> 3": "q"}}, r"needs the branches 'yes' and 'no'"),
        (
            {"x": {"a": {"x <= 1": {"yes": "p", "no": "q"}}, "b": "q"}},
            r"x = a: column 'x' is cut, but the root lists its values",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(nested: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Tree.build(nested)


def test_a_table_tells_what_the_columns_are() -> None:
    play = load_example("play_tennis")
    with pytest.raises(DataError, match=r"asks for no column of the table.*\n.*\n.*'Outlook'"):
        Tree.build({"Outlok": {"Sunny": "No", "Rain": "Yes"}}, play.X, play.y)
    with pytest.raises(DataError, match="'Snow' is not a value of column 'Outlook'"):
        Tree.build({"Outlook": {"Snow": "No", "Rain": "Yes"}}, play.X, play.y)
    with pytest.raises(DataError, match="cuts a nominal column"):
        Tree.build({"Outlook <= 3": {"yes": "No", "no": "Yes"}}, play.X, play.y)
    iris = load_example("iris")
    nested = {"petal width (cm)": {"a": "setosa", "b": "virginica"}}
    with pytest.raises(DataError, match="lists values of a numeric column"):
        Tree.build(nested, iris.X, iris.y)


def test_wrong_arguments_are_refused() -> None:
    nested = {"x": {"a": "p", "b": "q"}}
    with pytest.raises(ParameterError, match="X, y and sample_weight belong to one table"):
        Tree.build(nested, {"x": ["a"]})
    with pytest.raises(ParameterError, match="classes='p' must be a list"):
        Tree.build(nested, classes="p")
    with pytest.raises(DataError, match="x = b: 'q' is none of the classes"):
        Tree.build(nested, classes=["p"])
    with pytest.raises(ParameterError, match="must be a Schema"):
        Tree.build(nested, schema={"x": "nominal"})  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="derived or ignored columns needs a table"):
        Tree.build(nested, schema=Schema(ignore=["x"]))
    tree = Tree.build(nested)
    with pytest.raises(TargetError, match="y has class 'z', which the tree does not know"):
        tree.refit({"x": ["a"]}, ["z"])
    median = tw.DecisionTreeRegressor(criterion="absolute_error").fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(UnsupportedError, match="absolute_error"):
        median.tree_.refit([[1.0]], [1.0])
