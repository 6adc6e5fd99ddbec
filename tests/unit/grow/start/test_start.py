"""Trees that start with given questions: the algorithm's own top, free columns, limits, errors."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import treewright as tw
from treewright.errors import ParameterError, UnsupportedError
from treewright.tree.edit import with_leaves

PLAY = tw.load_example("play_tennis")
IRIS = tw.load_example("iris")
NESTED = {
    "Outlook": {
        "Sunny": "Humidity",
        "Overcast": None,
        "Rain": {"Wind": {"Weak": None, "Strong": None}},
    }
}


def mixed(n_rows: int = 300, seed: int = 0, *, gaps: float = 0.15) -> tuple[Any, Any, Any]:
    """Numbers, text and gaps, with classes and numbers to learn."""
    generator = np.random.default_rng(seed)
    size = generator.normal(size=n_rows).round(2)
    count = generator.integers(0, 9, size=n_rows)
    colour = generator.choice(["red", "green", "blue", "grey"], size=n_rows)
    signal = size + 0.3 * count + (colour == "red") + generator.normal(size=n_rows)
    lacks = generator.random((n_rows, 2)) < gaps
    X = {
        "size": [None if lack else each for lack, each in zip(lacks[:, 0], size, strict=True)],
        "count": count.tolist(),
        "colour": [
            None if lack else each for lack, each in zip(lacks[:, 1], colour.tolist(), strict=True)
        ],
    }
    return X, np.digitize(signal, [0.5, 2.0]), signal.round(3)


def top_of(tree: Any, depth: int) -> Any:
    return with_leaves(tree, np.asarray(tree.levels) >= depth).without_record()


def same(first: Any, second: Any, *, given: int = 0) -> None:
    """Equal nodes; the gain of a given question is that of all of its rows, with gaps or not."""
    for name in ("first_child", "n_branches", "column", "kind", "n_rows", "missing_branch"):
        np.testing.assert_array_equal(getattr(first.arrays, name), getattr(second.arrays, name))
    for name in ("threshold", "threshold_int", "unseen_branch"):
        np.testing.assert_array_equal(getattr(first.arrays, name), getattr(second.arrays, name))
    for node in range(first.n_nodes):
        assert first.question(node) == second.question(node)
        assert first.surrogates(node) == second.surrogates(node)
    for name in ("weight", "value", "impurity", "gain"):
        apart = np.asarray(first.levels) >= (given if name == "gain" else 0)
        np.testing.assert_allclose(
            getattr(first.arrays, name)[apart],
            getattr(second.arrays, name)[apart],
            rtol=1e-9,
            atol=1e-12,
        )


CLASSIFIERS = [
    tw.DecisionTreeClassifier(min_samples_leaf=3),
    tw.DecisionTreeClassifier(min_samples_leaf=0.02, min_impurity_decrease=0.002, max_depth=5),
    tw.DecisionTreeClassifier(missing="divide", nominal="multiway", min_samples_leaf=3),
    tw.DecisionTreeClassifier(missing="majority", min_samples_leaf=3),
    tw.DecisionTreeClassifier(missing="surrogates", min_samples_leaf=3),
    tw.DecisionTreeClassifier(missing="own_branch", min_samples_leaf=3),
    tw.DecisionTreeClassifier(missing="most_likely", min_samples_leaf=3),
    tw.DecisionTreeClassifier(missing="most_likely_in_training", min_samples_leaf=3),
    tw.DecisionTreeClassifier(criterion="gain_ratio", class_weight="balanced", max_depth=4),
    tw.DecisionTreeClassifier(cost_matrix=[[0, 1, 4], [1, 0, 1], [2, 1, 0]], max_depth=4),
    tw.DecisionTreeClassifier(min_weight_fraction_leaf=0.05),
    tw.ID3Classifier(),
    tw.C45Classifier(confidence=None, collapse=False),
    tw.CARTClassifier(min_samples_leaf=5),
    tw.CARTClassifier(variant="rpart", min_samples_leaf=5),
]
REGRESSORS = [
    tw.DecisionTreeRegressor(min_samples_leaf=4),
    tw.DecisionTreeRegressor(missing="divide", min_samples_leaf=4),
    tw.DecisionTreeRegressor(criterion="absolute_error", nominal="one_vs_rest", max_depth=4),
    tw.DecisionTreeRegressor(criterion="standard_deviation", max_depth=5),
    tw.CARTRegressor(),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=repr)
def test_the_top_of_its_own_tree_grows_the_same_tree(
    model: Any, depth: int, weighted: bool
) -> None:
    X, classes, numbers = mixed()
    y = numbers if isinstance(model, tw.DecisionTreeRegressor | tw.CARTRegressor) else classes
    weight = np.random.default_rng(3).integers(1, 4, len(y)).astype(float) if weighted else None
    grown = clone(model).fit(X, y, sample_weight=weight).tree_
    assert grown.depth > depth
    again = clone(model).set_params(start=top_of(grown, depth)).fit(X, y, sample_weight=weight)
    same(again.tree_, grown, given=depth)
    again.tree_.arrays.validate(again.tree_.schema)


def test_the_whole_tree_as_a_start_is_the_tree() -> None:
    grown = tw.DecisionTreeClassifier().fit(IRIS.X, IRIS.y).tree_
    same(tw.DecisionTreeClassifier(start=grown).fit(IRIS.X, IRIS.y).tree_, grown)


def test_a_tree_of_one_leaf_starts_nothing() -> None:
    leaf = top_of(tw.DecisionTreeClassifier().fit(IRIS.X, IRIS.y).tree_, 0)
    grown = tw.DecisionTreeClassifier().fit(IRIS.X, IRIS.y).tree_
    same(tw.DecisionTreeClassifier(start=leaf).fit(IRIS.X, IRIS.y).tree_, grown)


def test_nested_questions_are_asked_first() -> None:
    tree = tw.DecisionTreeClassifier(criterion="entropy", start=NESTED).fit(PLAY.X, PLAY.y).tree_
    asked = [tree.question(node) for node in range(4)]
    assert [None if each is None else each.column.name for each in asked] == [
        "Outlook",
        "Humidity",
        None,
        "Wind",
    ]
    assert (tree.predict(PLAY.X) == PLAY.y).all()


@pytest.mark.parametrize("made", [tw.ID3Classifier, tw.C45Classifier, tw.CARTClassifier])
def test_a_column_alone_has_its_question_found(made: Any) -> None:
    X, y, _ = mixed(gaps=0.0)
    tree = made(start="colour").fit(X, y).tree_
    assert tree.question(0).column.name == "colour"
    assert tree.n_leaves > tree.question(0).n_branches


def test_the_cut_of_a_free_column_is_that_of_a_tree_of_this_column() -> None:
    generator = np.random.default_rng(0)
    a, b = generator.normal(size=(2, 200)).round(2)
    y = 3 * a + b
    alone = tw.DecisionTreeRegressor(max_depth=1).fit({"b": b}, y).tree_
    start = tw.DecisionTreeRegressor(start="b").fit({"a": a, "b": b}, y).tree_
    assert start.question(0).column.name == "b"
    assert start.arrays.threshold[0] == alone.arrays.threshold[0]
    assert start.arrays.gain[0] == pytest.approx(alone.arrays.gain[0])


def test_a_cut_is_taken_as_it_is() -> None:
    start = {"petal length (cm) <= 4.2": {"yes": None, "no": "petal width (cm)"}}
    tree = tw.DecisionTreeClassifier(start=start).fit(IRIS.X, IRIS.y).tree_
    assert tree.arrays.threshold[0] == 4.2
    assert tree.question(2).column.name == "petal width (cm)"


def test_a_tree_of_another_table_is_translated() -> None:
    """Columns by name, categories by value, whole numbers and decimals alike."""
    first = {"colour": ["red", "blue", "red", "blue"] * 3, "n": [1, 2, 3, 4] * 3}
    other = {"n": [1.0, 2.5, 3.0, 4.0] * 3, "colour": ["amber", "blue", "red", "red"] * 3}
    top = tw.Tree.build(
        {"colour": {"red": {"n <= 3": {"yes": "a", "no": "b"}}, "blue": "b"}},
        first,
        ["a", "b"] * 6,
    )
    tree = tw.DecisionTreeClassifier(start=top, missing="divide").fit(other, ["a", "b"] * 6).tree_
    assert tree.question(0).column.name == "colour"
    assert tree.question(0).text(0) == "colour = red"
    assert tree.question(1).text(0) == "n <= 3"


def test_limits_count_from_the_root() -> None:
    X, y, _ = mixed(gaps=0.0)
    model = tw.DecisionTreeClassifier(
        max_depth=3, start={"colour": {("red", "blue"): None, ("green", "grey"): None}}
    )
    assert model.fit(X, y).get_depth() == 3
    deep = tw.DecisionTreeClassifier(max_depth=1, start=NESTED).fit(PLAY.X, PLAY.y).tree_
    assert deep.depth == 2  # as given, and no more
    shares = tw.DecisionTreeClassifier(min_samples_leaf=0.2, start="colour").fit(X, y).tree_
    assert shares.arrays.n_rows[shares.arrays.n_branches == 0].min() >= 60


def test_pruning_keeps_what_was_given() -> None:
    generator = np.random.default_rng(0)
    X = {"noise": generator.choice(["u", "v"], 200).tolist(), "x": generator.normal(size=200)}
    y = np.where(X["x"] > 0, "a", "b")
    for model in (
        tw.C45Classifier(start={"noise": {"u": None, "v": None}}),
        tw.C45Classifier(variant="c5", start="noise"),
        tw.DecisionTreeClassifier(start="noise", prune="reduced_error"),
        tw.CARTClassifier(start="noise", prune="cost_complexity"),
        tw.DecisionTreeClassifier(start="noise", ccp_alpha=0.01),
    ):
        tree = model.fit(X, y).tree_
        assert tree.question(0).column.name == "noise"
        assert tree.depth == 2
        assert (tree.predict(X) == y).mean() > 0.95


def test_rows_with_gaps_follow_the_policy() -> None:
    X, y, _ = mixed(gaps=0.3)
    start = {"colour": {("red", "blue"): None, ("green", "grey"): None}}
    divided = tw.DecisionTreeClassifier(start=start, missing="divide", max_depth=1).fit(X, y).tree_
    assert divided.arrays.missing_branch[0] == -1
    assert divided.arrays.weight[1:3].sum() == pytest.approx(300)
    known = [value for value in X["colour"] if value is not None]
    share = np.mean([value in ("red", "blue") for value in known])
    assert divided.arrays.weight[1] == pytest.approx(300 * share)
    sent = tw.DecisionTreeClassifier(start=start, max_depth=1).fit(X, y).tree_
    heavier = int(share < 0.5)
    assert sent.arrays.missing_branch[0] == heavier
    assert sent.arrays.n_rows[1 + heavier] > sent.arrays.n_rows[2 - heavier]


def test_a_weight_is_a_number_of_copies() -> None:
    X, y, _ = mixed(120)
    copies = np.random.default_rng(1).integers(1, 3, 120)
    twice = {name: np.repeat(np.array(values, dtype=object), copies) for name, values in X.items()}
    model = tw.DecisionTreeClassifier(start="colour", min_samples_leaf=5)
    weighed = clone(model).fit(X, y, sample_weight=copies.astype(float)).tree_
    written = clone(model).fit(twice, np.repeat(y, copies)).tree_
    assert weighed.n_leaves == written.n_leaves
    np.testing.assert_allclose(weighed.arrays.value, written.arrays.value)


def test_why_says_that_a_question_was_given() -> None:
    model = tw.DecisionTreeClassifier(criterion="entropy", start=NESTED).fit(PLAY.X, PLAY.y)
    shown = model.why(0)
    assert shown.chosen is None
    assert shown.given == "Outlook = Sunny | Outlook = Overcast | Outlook = Rain"
    assert "Its question was given: Outlook = Sunny |" in shown.text()
    assert {row.column for row in shown.candidates} == {
        "Outlook",
        "Temperature",
        "Humidity",
        "Wind",
    }


def test_why_of_a_node_below_is_that_of_its_rows() -> None:
    X, y, _ = mixed()
    grown = tw.DecisionTreeClassifier(min_samples_leaf=5).fit(X, y)
    again = tw.DecisionTreeClassifier(min_samples_leaf=5, start=top_of(grown.tree_, 1)).fit(X, y)
    for node in (1, 2, 3):
        first, second = grown.why(node), again.why(node)
        assert first.n_rows == second.n_rows
        assert second.given is None
        assert [row.gain for row in first.candidates] == pytest.approx(
            [row.gain for row in second.candidates]
        )


def test_the_same_on_any_number_of_threads_and_from_a_file() -> None:
    X, y, _ = mixed()
    model = tw.DecisionTreeClassifier(start="colour", max_features=2, random_state=4)
    first = clone(model).fit(X, y)
    second = clone(model).set_params(n_jobs=3).fit(X, y)
    assert first.text() == second.text()
    assert pickle.loads(pickle.dumps(first)).text() == first.text()


@pytest.mark.parametrize("start", [NESTED, "Outlook"], ids=["nested", "column"])
def test_ensembles_of_such_trees_ask_first_what_is_given(start: Any) -> None:
    base = tw.DecisionTreeClassifier(start="Outlook")
    for model in (
        tw.BaggingClassifier(base, n_estimators=4, random_state=0),
        tw.RandomForestClassifier(4, estimator=base, bootstrap=False),
        tw.AdaBoostClassifier(
            tw.DecisionTreeClassifier(start="Outlook", max_depth=1), n_estimators=3
        ),
    ):
        trees = model.fit(PLAY.X, PLAY.y).ensemble_
        assert {tree.question(0).column.name for tree in trees} == {"Outlook"}


def said(error: type, start: Any, X: Any = None, y: Any = None, **options: Any) -> str:
    model = tw.DecisionTreeClassifier(start=start, **options)
    with pytest.raises(error) as caught:
        model.fit(PLAY.X if X is None else X, PLAY.y if y is None else y)
    assert not hasattr(model, "tree_")
    return str(caught.value)


def test_what_cannot_be_asked_is_refused() -> None:
    assert said(ParameterError, 3) == (
        "start=3 must be a Tree, nested questions as for Tree.build, or the name of a column."
    )
    assert said(ParameterError, "Humidty") == (
        "start, the root: 'Humidty' is no column of the table.\n"
        "  Columns: Outlook, Temperature, Humidity, Wind\n  Hint: did you mean 'Humidity'?"
    )
    assert "asks for no column of the table" in said(
        ParameterError, {"Sky": {"a": None, "b": None}}
    )
    assert "'Fog' is not a value of column 'Outlook'" in said(
        ParameterError, {"Outlook": {"Fog": None, "Sunny": None}}
    )
    top = tw.Tree.build({"Sky": {"clear": "Yes", "grey": "No"}})
    assert said(ParameterError, top).startswith(
        "start asks column 'Sky', which the table does not have."
    )
    top = tw.Tree.build({"Outlook": {"Sunny": "Yes", "Fog": "No"}})
    assert said(ParameterError, top).startswith(
        "start asks for the value 'Fog' of column 'Outlook', which the table has not."
    )
    top = tw.Tree.build({"Outlook <= 3": {"yes": "Yes", "no": "No"}})
    assert "but the table has it as nominal" in said(ParameterError, top)


def test_a_branch_without_rows_is_refused() -> None:
    X = {"x": [1.0, 2.0, 3.0], "flag": ["u", "u", "u"]}
    y = ["a", "b", "a"]
    assert said(ParameterError, {"x <= 9": {"yes": None, "no": None}}, X, y) == (
        "start: no training row goes to the branch 'x > 9' of a given question.\n"
        "  Hint: ask another question there, or none."
    )
    assert said(ParameterError, "flag", X, y).startswith(
        "start: column 'flag' has no question for the 3 rows that reach it"
    )


@pytest.mark.parametrize("options", [{"max_leaf_nodes": 4}, {"monotonic_cst": [0, 0, 0, 0]}])
def test_what_does_not_go_together_is_refused(options: dict[str, Any]) -> None:
    (name,) = options
    assert said(UnsupportedError, "Outlook", **options).startswith(
        f"start cannot be used with {name}"
    )


def test_lines_in_leaves_have_no_start() -> None:
    model = tw.DecisionTreeRegressor(start="a", leaf_model="linear")
    with pytest.raises(UnsupportedError, match="start cannot be used with leaf_model='linear'"):
        model.fit({"a": [1.0, 2.0, 3.0, 4.0]}, [1.0, 2.0, 3.0, 4.0])
