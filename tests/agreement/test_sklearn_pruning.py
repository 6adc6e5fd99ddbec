"""Cost-complexity pruning on impurity: scikit-learn's path, and its trees for a ``ccp_alpha``.

Where two questions tie, the two libraries may choose differently, so the path is compared on
scikit-learn's own tree, read node by node; and the estimators on tables whose splits do not tie.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn import datasets, tree
from unit.tree.hand_trees import arrays_of_cuts

from treewright import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.data.read.table import read_table
from treewright.prune import CostComplexity, cost_complexity_path
from treewright.tree.tree import Tree

Array = npt.NDArray[Any]
TABLES = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast_cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "diabetes": datasets.load_diabetes,
}


def model_of(name: str, **options: Any) -> Any:
    if name == "diabetes":
        return tree.DecisionTreeRegressor(random_state=0, **options)
    return tree.DecisionTreeClassifier(random_state=0, **options)


def read_tree(model: Any, X: Array) -> Tree:
    """A fitted scikit-learn tree as one of ours, numbered so that siblings stand together."""
    theirs = model.tree_
    order, parent, first_child = [0], [-1], []
    for place, node in enumerate(order):  # grows while it is walked
        is_leaf = theirs.children_left[node] < 0
        first_child.append(-1 if is_leaf else len(order))
        if not is_leaf:
            order += [int(theirs.children_left[node]), int(theirs.children_right[node])]
            parent += [place, place]
    weight = theirs.weighted_n_node_samples[order]
    value = theirs.value[order, 0, :]
    is_classifier = hasattr(model, "classes_")
    arrays = arrays_of_cuts(
        first_child=np.array(first_child),
        parent=np.array(parent),
        column=theirs.feature[order],
        threshold=theirs.threshold[order],
        missing_branch=0,
        n_rows=theirs.n_node_samples[order],
        weight=weight,
        impurity=theirs.impurity[order],
        value=value * weight[:, np.newaxis] if is_classifier else value,
    )
    return Tree(
        arrays=arrays,
        schema=read_table(X).schema,
        classes=(model.classes_,) if is_classifier else None,
        criterion="gini" if is_classifier else "squared_error",
    )


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", TABLES)
def test_the_path_is_scikit_learns(name: str, weighted: bool) -> None:
    X, y = TABLES[name](return_X_y=True)
    X = X.astype(np.float32)
    weight = np.random.default_rng(3).integers(1, 4, len(y)).astype(float) if weighted else None
    model = model_of(name).fit(X, y, sample_weight=weight)
    theirs = model.cost_complexity_pruning_path(X, y, sample_weight=weight)
    path = cost_complexity_path(read_tree(model, X), on="impurity")

    # They cut one weakest link at a time and list ties one by one; we list the last of each.
    scale = theirs.ccp_alphas[-1]
    is_last = np.append(np.diff(theirs.ccp_alphas) > 1e-9 * scale, True)
    np.testing.assert_allclose(
        path.alphas, np.maximum(theirs.ccp_alphas[is_last], 0), rtol=1e-6, atol=1e-9 * scale
    )
    np.testing.assert_allclose(path.risks, theirs.impurities[is_last], rtol=1e-6, atol=1e-9 * scale)


@pytest.mark.parametrize("name", TABLES)
def test_trees_of_a_penalty_are_scikit_learns(name: str) -> None:
    X, y = TABLES[name](return_X_y=True)
    X = X.astype(np.float32)
    whole = read_tree(model_of(name).fit(X, y), X)
    alphas = cost_complexity_path(whole, on="impurity").alphas
    for alpha in np.sqrt(alphas[1:-1] * alphas[2:])[:: max(1, len(alphas) // 6)].tolist():
        theirs = read_tree(model_of(name, ccp_alpha=alpha).fit(X, y), X)
        ours = CostComplexity(alpha=alpha, on="impurity").prune(whole)
        assert ours.n_nodes == theirs.n_nodes
        assert ours.n_leaves < whole.n_leaves
        for array in ("column", "threshold", "weight", "impurity", "value", "first_child"):
            np.testing.assert_array_equal(
                getattr(ours.arrays, array), getattr(theirs.arrays, array), err_msg=array
            )


def noisy_table(seed: int, n_rows: int = 1500) -> tuple[Array, Array]:
    """Numbers without ties, and a target that is partly chance."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_rows, 4)).astype(np.float32)
    return X, X[:, 0] + X[:, 1] * X[:, 2] + generator.normal(size=n_rows)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_ccp_alpha_of_the_classifier_is_a_drop_in(seed: int, criterion: str) -> None:
    X, y = noisy_table(seed)
    classes = np.digitize(y, [-1, 1])
    for alpha in (0.0, 0.0005, 0.002, 0.01, 0.05, 1.0):
        options: Any = {"ccp_alpha": alpha, "criterion": criterion, "min_samples_leaf": 25}
        ours = DecisionTreeClassifier(**options).fit(X, classes)
        theirs = tree.DecisionTreeClassifier(random_state=0, **options).fit(X, classes)
        assert ours.get_n_leaves() == theirs.get_n_leaves()
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_ccp_alpha_of_the_regressor_is_a_drop_in(criterion: str) -> None:
    X, y = noisy_table(5)
    y = np.exp(y)
    for alpha in (0.0, 0.01, 0.05, 0.2, 1.0):
        options: Any = {"ccp_alpha": alpha, "criterion": criterion, "min_samples_leaf": 25}
        ours = DecisionTreeRegressor(**options).fit(X, y)
        theirs = tree.DecisionTreeRegressor(random_state=0, **options).fit(X, y)
        assert ours.get_n_leaves() == theirs.get_n_leaves()
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_pruning_path_is_scikit_learns(weighted: bool) -> None:
    for name in ("iris", "wine", "breast_cancer"):
        table = TABLES[name]()
        weight = np.arange(len(table.target)) % 3 + 1 if weighted else None
        given = (table.data, table.target, weight)
        ours = DecisionTreeClassifier(max_depth=4).cost_complexity_pruning_path(*given)
        theirs = tree.DecisionTreeClassifier(max_depth=4, random_state=0)
        expected = theirs.cost_complexity_pruning_path(*given)
        assert np.allclose(ours.ccp_alphas, expected.ccp_alphas)
        assert np.allclose(ours.impurities, expected.impurities)
    random = np.random.default_rng(4)
    X = random.normal(size=(200, 3))
    y = X[:, 0] * X[:, 1] + random.normal(size=200)
    weight = random.integers(1, 4, 200) if weighted else None
    ours = DecisionTreeRegressor().cost_complexity_pruning_path(X, y, weight)
    theirs = tree.DecisionTreeRegressor(random_state=0)
    expected = theirs.cost_complexity_pruning_path(X, y, weight)
    assert np.allclose(ours.ccp_alphas, expected.ccp_alphas, atol=1e-12)
    assert np.allclose(ours.impurities, expected.impurities)
    assert not hasattr(DecisionTreeRegressor(), "tree_")
