"""scikit-learn's names on ``tree_``: which trees have them, and what they say."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.tree

import treewright as tw
from treewright.errors import TreewrightError, UnsupportedNameError

NAMES = (
    "node_count",
    "capacity",
    "max_depth",
    "n_features",
    "n_classes",
    "max_n_classes",
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
    "value",
    "missing_go_to_left",
    "compute_node_depths",
    "compute_feature_importances",
)


def numbers(n_rows: int = 400, *, missing: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n_rows, 4)).astype(np.float32)
    X[rng.random(X.shape) < missing] = np.nan
    return X


def targets(X: np.ndarray) -> dict[str, np.ndarray]:
    known = np.nan_to_num(X.astype(np.float64))
    noise = np.random.default_rng(1).normal(size=len(X))
    value = known[:, 0] - 2 * known[:, 1] ** 2 + known[:, 2] * known[:, 3] + 0.1 * noise
    classes = np.digitize(value, [-2.0, 0.0])
    return {
        "classes": classes,
        "two_outputs": np.column_stack([classes, (value > -1).astype(int)]),
        "value": value,
        "values": np.column_stack([value, known[:, 3] + noise]),
    }


def paired_nodes(ours: tw.Tree, theirs) -> tuple[list[int], list[int]]:
    """Nodes of two trees of the same questions, from the root down; fail where they differ."""
    pairs = [(0, 0)]
    for mine, other in pairs:
        assert ours.feature[mine] == theirs.feature[other]
        assert ours.threshold[mine] == pytest.approx(theirs.threshold[other], rel=1e-7)
        if ours.children_left[mine] != -1:
            pairs.append((ours.children_left[mine], theirs.children_left[other]))
            pairs.append((ours.children_right[mine], theirs.children_right[other]))
    assert len(pairs) == ours.node_count == theirs.node_count
    return [mine for mine, _ in pairs], [other for _, other in pairs]


@pytest.mark.parametrize("kind", ["classes", "two_outputs", "value", "values"])
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_names_agree_with_scikit_learn(kind: str, missing: float, weighted: bool) -> None:
    X = numbers(4_000, missing=missing)
    y = targets(X)[kind]
    weight = np.random.default_rng(2).uniform(0.5, 2.0, len(X)) if weighted else None
    task = "Classifier" if y.dtype.kind == "i" else "Regressor"
    limits = {"max_depth": 3}  # deeper down few rows have equally good splits
    ours = getattr(tw, f"DecisionTree{task}")(**limits).fit(X, y, sample_weight=weight)
    theirs = getattr(sklearn.tree, f"DecisionTree{task}")(**limits, random_state=0)
    theirs.fit(X, y, sample_weight=weight)
    mine, other = paired_nodes(ours.tree_, theirs.tree_)
    for name in ("impurity", "n_node_samples", "weighted_n_node_samples", "value"):
        got, due = getattr(ours.tree_, name)[mine], getattr(theirs.tree_, name)[other]
        assert got.dtype == due.dtype
        np.testing.assert_allclose(got, due, rtol=1e-9, atol=1e-9, err_msg=name)
    if missing:
        met = X[:, np.unique(ours.tree_.feature[ours.tree_.feature >= 0])]
        assert np.isnan(met).any()
        assert (ours.tree_.missing_go_to_left[mine] == theirs.tree_.missing_go_to_left[other]).all()
    for name in ("max_depth", "n_leaves", "n_features", "n_outputs", "max_n_classes"):
        assert getattr(ours.tree_, name) == getattr(theirs.tree_, name), name
    assert ours.tree_.n_classes.tolist() == theirs.tree_.n_classes.tolist()
    depths = ours.tree_.compute_node_depths(), theirs.tree_.compute_node_depths()
    assert depths[0][mine].tolist() == depths[1][other].tolist()
    for normalize in (True, False):
        got = ours.tree_.compute_feature_importances(normalize=normalize)
        due = theirs.tree_.compute_feature_importances(normalize=normalize)
        np.testing.assert_allclose(got, due, rtol=1e-9)


def leaves_by_names(tree: tw.Tree, X: np.ndarray) -> list[int]:
    found = []
    for row in X:
        node = 0
        while tree.children_left[node] != -1:
            value = row[tree.feature[node]]
            left = (
                tree.missing_go_to_left[node] if np.isnan(value) else value <= tree.threshold[node]
            )
            node = (tree.children_left if left else tree.children_right)[node]
        found.append(int(node))
    return found


def test_node_numbers_are_those_of_apply_and_decision_path() -> None:
    X = numbers(missing=0.2)
    model = tw.DecisionTreeRegressor(max_depth=6).fit(X, targets(X)["value"])
    leaves = leaves_by_names(model.tree_, X)
    assert model.apply(X).tolist() == leaves
    path = model.decision_path(X)
    assert all(path[row, leaf] for row, leaf in enumerate(leaves))
    np.testing.assert_array_equal(model.tree_.value[leaves, 0, 0], model.predict(X))


def test_leaves_have_scikit_learns_marks() -> None:
    X = numbers()
    tree = tw.DecisionTreeClassifier(max_depth=3).fit(X, targets(X)["classes"]).tree_
    leaf = tree.arrays.n_branches == 0
    assert set(tree.children_left[leaf]) == set(tree.children_right[leaf]) == {-1}
    assert set(tree.feature[leaf]) == set(tree.threshold[leaf]) == {-2}
    assert not tree.missing_go_to_left[leaf].any()


def test_feature_is_the_position_in_the_table_given() -> None:
    X = pd.DataFrame(numbers(), columns=["a", "b", "c", "d"])
    model = tw.DecisionTreeRegressor(max_depth=3, schema=tw.Schema(ignore=["b"]))
    tree = model.fit(X, X["c"] - X["d"]).tree_
    assert set(tree.feature) == {-2, 2, 3}
    assert tree.n_features == 4
    assert np.flatnonzero(tree.compute_feature_importances()).tolist() == [2, 3]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64])
def test_whole_numbers_are_cut_where_they_are(dtype: type) -> None:
    X = pd.DataFrame({"n": np.arange(1, 9, dtype=dtype)})
    tree = tw.DecisionTreeRegressor(max_depth=1).fit(X, [0.0] * 5 + [1.0] * 3).tree_
    assert 5 <= tree.threshold[0] < 6


def test_several_outputs_are_filled_up_with_0() -> None:
    X = numbers()
    tree = tw.DecisionTreeClassifier(max_depth=3).fit(X, targets(X)["two_outputs"]).tree_
    assert tree.value.shape == (tree.node_count, 2, 3)
    assert not tree.value[:, 1, 2].any()
    np.testing.assert_allclose(tree.value.sum(axis=2), 1.0)


def table_of_all_kinds() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "name": rng.choice(["a", "b", "c"], 90),
            "size": pd.Categorical(rng.choice(["s", "m", "l"], 90), ["s", "m", "l"], ordered=True),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 99, 90), "D"),
            "lasts": pd.to_timedelta(rng.integers(0, 99, 90), "h"),
            "x": rng.normal(size=90),
            "z": rng.normal(size=90),
        }
    )


def tree_about(part: str) -> tw.Tree:
    table = table_of_all_kinds()
    x, z = table["x"].to_numpy(), table["z"].to_numpy()
    gone = np.where(np.arange(90) % 5 == 0, np.nan, x)
    models = {
        "category": (tw.DecisionTreeClassifier(), table[["name"]], table["name"] == "b"),
        "ordinal": (tw.DecisionTreeClassifier(), table[["size"]], table["size"] == "l"),
        "date": (tw.DecisionTreeRegressor(), table[["day"]], table["day"].dt.day),
        "duration": (tw.DecisionTreeRegressor(), table[["lasts"]], table["lasts"].dt.seconds),
        "branches": (tw.CHAIDRegressor(), x[:, None], x**3),
        "own branch": (tw.DecisionTreeRegressor(missing="own_branch"), gone[:, None], x),
        "divided": (tw.C45Classifier(), gone[:, None], x > 0),
        "oblique": (tw.ObliqueTreeClassifier(), np.column_stack([x, z]), x + 1.3 * z > 0),
        "line": (tw.DecisionTreeRegressor(leaf_model="linear"), x[:, None], 2 * x),
        "M5": (tw.M5Regressor(), x[:, None], 2 * x),
        "derived": (
            tw.DecisionTreeClassifier(schema=tw.Schema().derive("more = x > z"), max_depth=1),
            table[["x", "z"]],
            x > z,
        ),
    }
    model, X, y = models[part]
    return model.fit(X, y).tree_


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("category", "node 0 asks for the category of column 'name'"),
        ("ordinal", "node 0 cuts column 'size', whose values have an order but are no numbers"),
        ("date", "node 0 cuts column 'day', whose values are dates"),
        ("duration", "node 0 cuts column 'lasts', whose values are durations"),
        ("branches", r"node 0 has \d+ branches"),
        ("own branch", "node 0 has 3 branches"),
        ("divided", "node 0 divides rows among its branches where 'x0' is missing"),
        ("oblique", "node 0 asks about a linear combination of columns"),
        ("line", "its leaves hold linear models"),
        ("M5", "its leaves hold linear models"),
        (
            "derived",
            "node 0 asks (about 'more', a derived column|for the category of column 'more')",
        ),
    ],
)
def test_other_trees_have_none_of_the_names(part: str, told: str) -> None:
    tree = tree_about(part)
    assert [name for name in NAMES if hasattr(tree, name)] == []
    with pytest.raises(UnsupportedNameError, match=told) as caught:
        _ = tree.children_left
    assert isinstance(caught.value, AttributeError)
    assert isinstance(caught.value, TreewrightError)
    assert "to_dict()" in str(caught.value)
    assert tree.n_leaves >= 1  # names that are ours stay


@pytest.mark.parametrize("model", [tw.CARTClassifier(), tw.C45Classifier()])
def test_only_the_side_of_missing_values_is_refused_where_there_is_none(model) -> None:
    X = numbers()
    tree = model.fit(X, targets(X)["classes"]).tree_
    assert [name for name in NAMES if not hasattr(tree, name)] == ["missing_go_to_left"]
    with pytest.raises(UnsupportedNameError, match="divide rows with a missing value, or ask"):
        _ = tree.missing_go_to_left


def test_a_loaded_tree_has_the_names() -> None:
    X = numbers()
    tree = tw.DecisionTreeClassifier(max_depth=2).fit(X, targets(X)["classes"]).tree_
    due = tree.threshold
    assert tree.threshold is due  # made once
    assert not due.flags.writeable
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(tree)).threshold, due)
