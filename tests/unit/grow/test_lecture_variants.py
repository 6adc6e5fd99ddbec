"""The lectures' variants of one algorithm, its limits, and what a single leaf says of them."""

import pickle
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright import load_example, prune
from treewright.errors import ParameterError, UnsupportedError

PLAY = load_example("play_tennis")


def test_the_defaults_of_id3_are_id3() -> None:
    tree = tw.ID3Classifier().fit(PLAY.X, PLAY.y).tree_
    assert (tree.criterion, tree.n_leaves, tree.depth) == ("entropy", 5, 2)


@pytest.mark.parametrize(
    ("parameters", "like"),
    [
        ({"criterion": "gain_ratio"}, {"criterion": "gain_ratio"}),
        ({"criterion": "gini"}, {"criterion": "gini"}),
        ({"nominal": "binary"}, {"nominal": "one_vs_rest"}),
        ({"missing": "most_likely"}, {"missing": "most_likely"}),
        ({"column_costs": {"Outlook": 9.0}}, {"column_costs": {"Outlook": 9.0}}),
        (
            {"column_costs": {"Outlook": 1.0}, "cost_rule": "nunez", "cost_exponent": 0.5},
            {"column_costs": {"Outlook": 1.0}, "cost_rule": "nunez", "cost_exponent": 0.5},
        ),
    ],
)
def test_variants_of_id3_are_the_general_tree_of_these_settings(
    parameters: dict[str, Any], like: dict[str, Any]
) -> None:
    settings = {"criterion": "entropy", "nominal": "multiway", "missing": "divide"} | like
    general = tw.DecisionTreeClassifier(
        thresholds="class_boundaries", guard_many_values=False, **settings
    )
    found = tw.ID3Classifier(**parameters).fit(PLAY.X, PLAY.y).tree_
    assert str(found.rules()) == str(general.fit(PLAY.X, PLAY.y).tree_.rules())


def test_id3_refuses_other_names() -> None:
    with pytest.raises(ParameterError, match="criterion='entropy' must be one of 'gain'"):
        tw.ID3Classifier(criterion="entropy").fit(PLAY.X, PLAY.y)
    with pytest.raises(ParameterError, match="nominal='subset' must be one of 'multiway'"):
        tw.ID3Classifier(nominal="subset").fit(PLAY.X, PLAY.y)


@pytest.mark.parametrize(
    "criterion", ["gini", "entropy", "gain_ratio", "misclassification", "chi2"]
)
@pytest.mark.parametrize(("n_others", "n_leaves"), [(1, 1), (2, 1), (3, 2)])
def test_a_share_of_the_largest_class_ends_growth_by_any_criterion(
    criterion: str, n_others: int, n_leaves: int
) -> None:
    y = ["a"] * (100 - n_others) + ["b"] * n_others
    tree = tw.DecisionTreeClassifier(criterion=criterion, max_class_share=0.98)
    assert tree.fit(np.arange(100.0)[:, np.newaxis], y).get_n_leaves() == n_leaves


def test_a_share_of_classes_is_checked() -> None:
    with pytest.raises(ParameterError, match="max_class_share=0"):
        tw.DecisionTreeClassifier(max_class_share=0).fit([[1], [2]], [0, 1])


@pytest.mark.parametrize(("n_columns", "depth"), [(1, 1), (2, 1), (4, 2), (16, 4), (20, 4)])
def test_the_suggested_depth_is_the_logarithm_of_the_columns(n_columns: int, depth: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, n_columns)), rng.integers(0, 2, 300)
    assert tw.DecisionTreeClassifier(max_depth="suggested").fit(X, y).get_depth() == depth
    assert tw.DecisionTreeRegressor(max_depth="suggested").fit(X, y).get_depth() == depth


def test_only_this_word_suggests_a_depth() -> None:
    with pytest.raises(ParameterError, match="max_depth='deep' must be a whole number or None"):
        tw.DecisionTreeClassifier(max_depth="deep").fit([[1], [2]], [0, 1])


def test_missing_values_are_filled_from_the_whole_training_table() -> None:
    rng = np.random.default_rng(1)
    colours = rng.choice(["red", "green", "blue"], 200, p=[0.6, 0.2, 0.2]).astype(object)
    size = rng.normal(size=200)
    y = np.where((colours == "green") ^ (size > 0.3), "p", "q")
    gaps = rng.random((2, 200)) < 0.2
    with_gaps = {
        "colour": np.where(gaps[0], None, colours).tolist(),
        "size": np.where(gaps[1], np.nan, size),
    }
    mean = float(np.nanmean(with_gaps["size"]))
    by_hand = {
        "colour": ["red" if each is None else each for each in with_gaps["colour"]],
        "size": np.where(gaps[1], mean, size),
    }
    settings: dict[str, Any] = {"max_depth": 4, "nominal": "multiway"}
    found = tw.DecisionTreeClassifier(missing="most_likely_in_training", **settings)
    expected = tw.DecisionTreeClassifier(missing="majority", **settings).fit(by_hand, y)
    found.fit(with_gaps, y)
    assert str(found.tree_.rules()) == str(expected.tree_.rules())
    np.testing.assert_array_equal(found.predict_proba(with_gaps), expected.predict_proba(by_hand))
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.predict(with_gaps), expected.predict(by_hand))
    assert str(again.tree_.why(1, with_gaps, y)) == str(found.tree_.why(1))


@pytest.mark.parametrize("seed", [3, 10])
def test_a_missing_value_goes_where_its_fill_goes_in_regrown_branches_too(seed: int) -> None:
    rng = np.random.default_rng(seed)
    letter = rng.choice(list("abcdef"), 300, p=[0.1, 0.1, 0.1, 0.1, 0.1, 0.5])
    x, z = rng.normal(size=300) ** 3, rng.normal(size=300)
    y = np.where((x > 1.2) ^ (letter == "a") ^ (rng.random(300) < 0.2), "p", "q")
    X = {
        "letter": letter,
        "x": np.where(rng.random(300) < 0.1, np.nan, x),
        "z": np.where(rng.random(300) < 0.1, np.nan, z),
    }
    grown = tw.DecisionTreeClassifier(
        criterion="gain_ratio",
        missing="most_likely_in_training",
        prune=prune.ErrorBased(variant="c5"),
    )
    tree = grown.fit(X, y).tree_
    fills = tree.record(None, None, None, owner="", hint="").problem.fills
    questions = [tree.question(node) for node in range(tree.n_nodes)]
    asked = [each for each in questions if each is not None and each.knows(fills[each.index])]
    assert asked
    for question in asked:
        assert question.missing_branch == question.branch_of(fills[question.index])


def test_linear_leaves_have_fills_of_their_own() -> None:
    model = tw.DecisionTreeRegressor(leaf_model="linear", missing="most_likely_in_training")
    with pytest.raises(UnsupportedError, match="fills missing values with the mean of the leaf"):
        model.fit([[1.0], [2.0]], [1.0, 2.0])


def test_forests_fill_from_the_training_table_too() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 3))
    y = (X[:, 0] > 0.2).astype(int)
    gaps = X.copy()
    gaps[rng.random(X.shape) < 0.2] = np.nan
    filled = np.where(np.isnan(gaps), np.nanmean(gaps, axis=0), gaps)
    forest = tw.RandomForestClassifier(
        n_estimators=5, missing="most_likely_in_training", random_state=0
    ).fit(gaps, y)
    np.testing.assert_array_equal(forest.predict_proba(gaps), forest.predict_proba(filled))


def test_whole_numbers_and_columns_without_values_are_filled_or_left() -> None:
    large = 2**60
    X = {"n": [large, large + 4, None, large + 8], "none": [None] * 4}
    tree = tw.DecisionTreeClassifier(missing="most_likely_in_training")
    fitted = tree.fit(X, ["a", "a", "a", "b"])
    assert fitted.predict({"n": [None, large + 8], "none": [None] * 2}).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        (tw.CARTClassifier(), "14 rows, and a question needs min_samples_split=20"),
        (tw.CHAIDClassifier(), "14 rows, and a question needs min_samples_split=20"),
        (
            tw.CARTClassifier(min_samples_split=2, min_samples_leaf=8),
            "14 rows, and each of two branches needs min_samples_leaf=8",
        ),
        (
            tw.CHAIDClassifier(min_samples_split=2, min_samples_leaf=1),
            "no column is significant at alpha_split=0.05",
        ),
        (tw.DecisionTreeClassifier(min_impurity=1.0), "at most min_impurity=1"),
        (tw.DecisionTreeClassifier(max_class_share=0.6), "64.3 %, and max_class_share=0.6"),
        (tw.C45Classifier(min_cases=9), "14 rows, and two branches need min_cases=9 each"),
        (tw.DecisionTreeClassifier(ccp_alpha=0.9), "what was below it has been pruned"),
        (tw.CARTClassifier(cp=0.01), "14 rows, and a question needs min_samples_split=20"),
    ],
)
def test_a_single_leaf_says_which_limit_made_it(estimator: Any, reason: str) -> None:
    tree = estimator.fit(PLAY.X, PLAY.y).tree_
    assert tree.n_nodes == 1
    assert "\n\none leaf: " in str(tree)
    assert reason in str(tree)
    assert reason in str(tree.explain({"Wind": "Weak"}))
    assert reason in str(pickle.loads(pickle.dumps(tree)))


def test_rows_of_one_class_need_no_reason() -> None:
    tree = tw.CARTClassifier().fit(PLAY.X, ["Yes"] * 14).tree_
    assert "one leaf" not in str(tree)
    copies = tw.CARTClassifier().fit(PLAY.X, PLAY.y, [2] * 14).tree_
    assert "one leaf" not in str(copies)


def test_levels_are_shown_from_0_or_1() -> None:
    tree = tw.ID3Classifier(max_depth=1).fit(PLAY.X, PLAY.y).tree_
    assert tree.text(levels_from=1, ascii=True).splitlines()[:3] == [
        "node  level                         rows  No  Yes",
        "   0      1  (all rows)               14   5    9",
        "   1      2  |- Outlook = Sunny        5   3    2  -> No",
    ]
    with pytest.raises(ParameterError, match="levels_from='a' must be a whole number"):
        tree.text(levels_from="a")


def test_cuts_are_written_at_values_and_send_the_rows_the_same_ways() -> None:
    for name in ("iris", "diabetes"):
        data = load_example(name)
        kind = tw.DecisionTreeClassifier if data.classes else tw.DecisionTreeRegressor
        tree = kind(max_depth=4).fit(data.X, data.y).tree_
        at_values = tree.cut_at_values()
        np.testing.assert_array_equal(at_values.apply(data.X), tree.apply(data.X))
        assert at_values.text() == tree.text(cut_form="value")
        assert str(at_values.rules()) == str(tree.rules(cut_form="value"))
        assert tree.text(cut_form="midpoint") == tree.text()
    first = load_example("iris")
    tree = tw.DecisionTreeClassifier(max_depth=1).fit(first.X, first.y).tree_
    assert [rule.premise() for rule in tree.rules(cut_form="value")] == [
        "petal length (cm) < 3",
        "petal length (cm) >= 3",
    ]
    loaded = pickle.loads(pickle.dumps(tree))
    with pytest.raises(
        tw.errors.TreewrightError, match=r"Hint: pass them, tree.cut_at_values\(X\)"
    ):
        loaded.text(cut_form="value")
    assert loaded.cut_at_values(first.X).text() == tree.text(cut_form="value")
    with pytest.raises(ParameterError, match="cut_form='data' must be one of"):
        tree.text(cut_form="data")


def test_several_cuts_at_once_are_moved_too() -> None:
    iris = load_example("iris")
    tree = tw.DecisionTreeClassifier(numeric="mdlp", max_depth=1).fit(iris.X, iris.y).tree_
    assert tree.question(0).n_branches > 2
    np.testing.assert_array_equal(tree.cut_at_values().apply(iris.X), tree.apply(iris.X))
    assert "<" in tree.text(cut_form="value")
