"""What sets C4.5's programs apart in growing (docs/decisions/011-c45-variants.md)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from treewright import C45Classifier, DecisionTreeClassifier
from treewright.errors import UnsupportedError
from treewright.tree.leaf import LeafRule

EXCLUSIVE_OR = pd.DataFrame(
    [(a, b, str(a != b)) for a in "xy" for b in "xy" for _ in range(5)],
    columns=["a", "b", "differ"],
)


@pytest.mark.parametrize(("variant", "n_nodes"), [("release8", 7), ("j48", 1), ("c5", 1)])
def test_release_8_asks_a_nominal_column_that_gains_nothing(variant: str, n_nodes: int) -> None:
    X, y = EXCLUSIVE_OR[["a", "b"]], EXCLUSIVE_OR["differ"]
    assert C45Classifier(variant=variant).fit(X, y).tree_.n_nodes == n_nodes


def test_release_8_asks_no_numeric_column_that_gains_nothing() -> None:
    X = (EXCLUSIVE_OR[["a", "b"]] == "y").astype(float)
    assert C45Classifier().fit(X, EXCLUSIVE_OR["differ"]).tree_.n_nodes == 1


@pytest.mark.parametrize(("single_precision", "threshold"), [(False, 1.18), (True, 1.19)])
def test_a_value_halfway_is_the_threshold_in_single_precision(
    single_precision: bool, threshold: float
) -> None:
    """In doubles 1.19 is above the middle of 1.18 and 1.20, all three rounded to floats."""
    x = np.array([1.18] * 3 + [1.2] * 3 + [1.19] * 3, dtype=np.float32)
    X = pd.DataFrame({"group": ["a"] * 6 + ["b"] * 3, "x": x})
    y = ["low"] * 3 + ["high"] * 3 + ["other"] * 3
    tree = C45Classifier(single_precision=single_precision).fit(X, y).tree_
    (cut,) = np.flatnonzero(tree.arrays.kind == 1)
    assert tree.arrays.threshold[cut] == np.float32(threshold)


@pytest.mark.parametrize(("single_precision", "chosen"), [(False, 0), (True, 1)])
def test_in_single_precision_a_cut_may_beat_the_values_that_part_rows_alike(
    single_precision: bool, chosen: int
) -> None:
    """As in a node of ``adult``: education is nominal, education_num the same in numbers."""
    X = pd.DataFrame(
        {"education": ["school"] * 12 + ["college"] * 2, "education_num": [9.0] * 12 + [10.0] * 2}
    )
    y = ["<=50K"] * 2 + [">50K"] * 10 + ["<=50K"] * 2
    tree = C45Classifier(single_precision=single_precision).fit(X, y).tree_
    assert tree.arrays.column[0] == chosen


def test_c5_merges_leaves_of_one_class_and_says_so() -> None:
    y = np.repeat(["yes", "no", "yes", "no"], 10)
    X = pd.DataFrame({"colour": np.repeat(["red", "green", "blue", "grey"], 10)})
    tree = C45Classifier(variant="c5").fit(X, y).tree_
    assert tree.n_leaves == 2
    assert tree.pruning is not None
    (step,) = tree.pruning.steps
    assert (step.action, step.before, step.after, step.n_leaves) == ("merged", 4.0, 2.0, 2)
    assert "a question of fewer branches" in str(tree.pruning)
    assert tree.predict(X).tolist() == y.tolist()


def test_groups_of_values_are_a_question_of_any_tree() -> None:
    y = np.repeat(["yes", "no", "yes", "no"], 10)
    X = pd.DataFrame({"colour": np.repeat(["red", "green", "blue", "grey"], 10)})
    settings = {"nominal": "groups", "criterion": "gain_ratio", "missing": "divide"}
    tree = DecisionTreeClassifier(**settings).fit(X, y).tree_
    assert tree.n_leaves == 2
    (candidate,) = tree.why(0).candidates
    assert candidate.chosen
    assert [branch.n_rows for branch in candidate.branches] == [20, 20]
    # S(4, 2) = 7 ways to form two groups of four values.
    assert candidate.gain == pytest.approx(1 - np.log2(7) / 40)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"criterion": "gini"}, "weighs a gain against bits and cannot be used with criterion"),
        ({"missing": "majority"}, "needs splitter='best' and missing='divide'"),
    ],
)
def test_groups_are_refused_where_they_mean_nothing(settings: dict[str, str], message: str) -> None:
    X, y = EXCLUSIVE_OR[["a", "b"]], EXCLUSIVE_OR["differ"]
    usual = {"criterion": "gain_ratio", "missing": "divide"}
    with pytest.raises(UnsupportedError, match=message):
        DecisionTreeClassifier(nominal="groups", **{**usual, **settings}).fit(X, y)


def test_only_c5_groups_values() -> None:
    X, y = EXCLUSIVE_OR[["a", "b"]], EXCLUSIVE_OR["differ"]
    with pytest.raises(UnsupportedError, match="variant='j48' has a branch for each"):
        C45Classifier(variant="j48", nominal="groups").fit(X, y)


def test_groups_take_up_to_500_values() -> None:
    X = pd.DataFrame({"name": [f"n{i}" for i in range(501)] * 2})
    with pytest.raises(UnsupportedError, match="column 'name' has 501; it takes up to 500"):
        C45Classifier(variant="c5", nominal="groups").fit(X, ["a", "b"] * 501)


def test_c5_gives_equally_probable_classes_to_that_of_the_root() -> None:
    X = pd.DataFrame({"colour": ["red"] * 2 + ["green"] * 20})
    y = ["a", "b"] + ["b"] * 20
    model = C45Classifier(variant="c5", confidence=None, collapse=False, min_cases=1).fit(X, y)
    model.tree_.arrays.validate(model.tree_.schema)
    assert model.predict(X[:1]).tolist() == ["b"]
    assert LeafRule(preferred=1).choose(np.array([[0.5, 0.5], [0.6, 0.4]])).tolist() == [1, 0]
