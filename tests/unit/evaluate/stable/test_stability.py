from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from treewright import (
    CARTRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    load_example,
)
from treewright.errors import ParameterError
from treewright.evaluate import stability

IRIS = load_example("iris")


def test_figures_are_those_of_trees_fitted_by_hand() -> None:
    """The whole of it once more, row by row and tree by tree, from rows written out."""
    random = np.random.default_rng(5)
    X = {"a": random.normal(size=60), "b": random.integers(0, 4, 60).astype(float)}
    y = np.where(X["a"] + X["b"] + random.normal(size=60) > 2, "yes", "no")
    n_bootstraps = 6
    result = stability(
        DecisionTreeClassifier(max_depth=3), X, y, n_bootstraps=n_bootstraps, random_state=11
    )
    draws = np.random.default_rng(11)
    trees, seen = [], []
    for _ in range(n_bootstraps):
        rows = draws.choice(np.arange(60), size=60)
        part = {name: values[rows] for name, values in X.items()}
        trees.append(DecisionTreeClassifier(max_depth=3).fit(part, y[rows]).tree_)
        seen.append(set(rows.tolist()))
    labels = [tree.predict(X) for tree in trees]
    pairs = [(i, j) for i in range(n_bootstraps) for j in range(i)]
    assert result.agreement == pytest.approx(
        np.mean([np.mean(labels[i] == labels[j]) for i, j in pairs])
    )
    unseen = [(i, j, row) for i, j in pairs for row in range(60) if row not in seen[i] | seen[j]]
    assert result.agreement_out_of_bag == pytest.approx(
        np.mean([labels[i][row] == labels[j][row] for i, j, row in unseen])
    )
    whole = DecisionTreeClassifier(max_depth=3).fit(X, y).tree_
    roots = [tree.question(0) for tree in trees]
    assert result.same_root_column == np.mean([q.index == whole.question(0).index for q in roots])
    assert result.same_root_question == np.mean(
        [(q.index, q.threshold) == (whole.question(0).index, whole.question(0).threshold)
         for q in roots]
    )  # fmt: skip
    assert result.leaves.mean == np.mean([tree.n_leaves for tree in trees])
    assert result.leaves.sd == pytest.approx(np.std([tree.n_leaves for tree in trees], ddof=1))
    assert result.leaves.of_all_rows == whole.n_leaves
    assert result.similarity.mean == pytest.approx(
        np.mean([whole.diff(tree).similarity for tree in trees])
    )
    assert len(result.level_agreement) == max(tree.depth for tree in trees)
    # At the root a tree asks one column of all rows: agreement is the share of equal pairs.
    assert result.level_agreement[0] == pytest.approx(
        np.mean([roots[i].index == roots[j].index for i, j in pairs])
    )
    for use in result.columns:
        asked = [use.column not in tree.unused_columns for tree in trees]
        assert use.trees == np.mean(asked)


def test_a_learner_that_never_changes_is_stable() -> None:
    X = {"x": np.repeat([0.0, 1.0], 50)}
    y = np.repeat(["a", "b"], 50)
    result = stability(DecisionTreeClassifier(), X, y, n_bootstraps=5)
    assert result.agreement == result.agreement_out_of_bag == result.kappa == 1
    assert result.same_root_column == result.same_root_question == 1
    assert result.level_agreement == (1.0,)
    assert (result.similarity.mean, result.similarity.sd) == (1, 0)
    assert (result.leaves.mean, result.depth.mean) == (2, 1)


def test_noise_is_unstable() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(100, 8)), random.integers(0, 2, 100)
    result = stability(DecisionTreeClassifier(), X, y, n_bootstraps=8)
    assert result.kappa < 0.6
    assert result.agreement_out_of_bag < 0.65
    assert result.similarity.mean < 0.3


def test_numbers() -> None:
    diabetes = load_example("diabetes")
    shallow = stability(CARTRegressor(max_depth=2), diabetes.X, diabetes.y, n_bootstraps=5)
    assert shallow.kappa is None
    assert 0.3 < shallow.agreement_out_of_bag < shallow.agreement + 0.1
    assert shallow.agreement < 1
    assert "concordance, all rows" in str(shallow)
    several = np.column_stack([diabetes.y, -diabetes.y])
    both = stability(DecisionTreeRegressor(max_depth=2), diabetes.X, several, n_bootstraps=3)
    assert 0 < both.agreement < 1


def test_several_outputs() -> None:
    y = np.column_stack([IRIS.y, np.where(IRIS.y == "setosa", "small", "large")])
    one = stability(DecisionTreeClassifier(max_depth=1), IRIS.X, y, n_bootstraps=4)
    assert 0 < one.agreement <= 1
    assert one.kappa is not None


def test_the_same_seed_gives_the_same_figures() -> None:
    one, two, other = (
        stability(DecisionTreeClassifier(), IRIS.X, IRIS.y, n_bootstraps=4, random_state=seed)
        for seed in (1, 1, 2)
    )
    assert one.to_dict() == two.to_dict() != other.to_dict()
    drawn = stability(
        DecisionTreeClassifier(),
        IRIS.X,
        IRIS.y,
        n_bootstraps=4,
        random_state=np.random.default_rng(1),
    )
    assert drawn.to_dict() == one.to_dict()


def test_the_estimator_is_left_alone() -> None:
    model = ID3Classifier()
    play = load_example("play_tennis")
    stability(model, play.X, play.y, n_bootstraps=3)
    assert not hasattr(model, "tree_")


def test_rows_without_weight_are_not_drawn() -> None:
    random = np.random.default_rng(2)
    X, y = random.normal(size=(90, 3)), random.integers(0, 2, 90)
    kept = np.arange(90) % 3 != 0
    weighted = stability(
        DecisionTreeClassifier(), X, y, n_bootstraps=4, sample_weight=kept.astype(float)
    )
    alone = stability(DecisionTreeClassifier(), X[kept], y[kept], n_bootstraps=4)
    assert weighted.leaves == alone.leaves
    assert weighted.agreement_out_of_bag == alone.agreement_out_of_bag
    assert weighted.agreement != alone.agreement  # over all rows of the table


def test_a_tree_that_asks_nothing() -> None:
    result = stability(DecisionTreeClassifier(max_depth=1), [[0.0]] * 9, [0] * 6 + [1] * 3)
    assert result.level_agreement == ()
    assert result.columns == ()
    assert result.same_root_question == 1
    assert "level" not in str(result)


def test_the_report() -> None:
    result = stability(DecisionTreeClassifier(max_depth=2), IRIS.X, IRIS.y, n_bootstraps=4)
    text = str(result)
    assert text.startswith("DecisionTreeClassifier: 4 bootstraps of 150 rows\n")
    for words in ("class, out of bag", "kappa", "question at the root", "level  same columns"):
        assert words in text
    assert result.text(ascii=True).isascii()
    assert json.loads(json.dumps(result.to_dict()))["leaves"]["mean"] == result.leaves.mean


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_bootstraps": 1}, "n_bootstraps=1 must be a whole number, at least 2."),
        ({"n_bootstraps": 2.5}, "n_bootstraps=2.5 must be a whole number, at least 2."),
        ({"random_state": -1}, "random_state=-1 must be a whole number, 0 or more"),
        ({"random_state": None}, "random_state=None must be a whole number, 0 or more"),
        ({"estimator": "tree"}, "estimator='tree' is no estimator"),
        ({"estimator": DecisionTreeClassifier}, "is no estimator that can be fitted"),
        (
            {"estimator": SklearnTree()},
            "DecisionTreeClassifier has no treewright.Tree as its tree_",
        ),
        ({"estimator": LogisticRegression()}, "LogisticRegression has no treewright.Tree"),
    ],
)
def test_bad_parameters(options, message: str) -> None:
    estimator = options.pop("estimator", DecisionTreeClassifier())
    X = np.column_stack([IRIS.X[name] for name in IRIS.X.columns]) / 10
    with pytest.raises(ParameterError) as raised:
        stability(estimator, X, (IRIS.y == "setosa").astype(int), **options)
    assert message in str(raised.value)
