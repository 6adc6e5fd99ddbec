"""The cost matrix: how it is read, what it decides, and what it changes in growing."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from treewright import CARTClassifier, DecisionTreeClassifier
from treewright.data.read.target import read_classes
from treewright.errors import ParameterError, UnsupportedError
from treewright.grow.costs import read_costs
from treewright.prune import CostComplexity, ErrorBased
from treewright.tree.leaf import LeafRule

TARGET = read_classes(["bad", "good", "ok"], owner="the test")
X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
Y = ["bad", "good", "good", "ok", "ok", "bad"]


def noisy(n_rows: int = 200, n_classes: int = 2) -> tuple[Any, Any]:
    generator = np.random.default_rng(2)
    x = generator.normal(size=(n_rows, 3))
    y = np.digitize(x[:, 0] + generator.normal(size=n_rows), np.linspace(-0.5, 0.5, n_classes - 1))
    return x, np.array(["a", "b", "c", "d"])[y]


def test_no_costs_are_none() -> None:
    assert read_costs(None, TARGET) is None


def test_a_table_is_taken_in_the_order_of_classes() -> None:
    given = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    costs = read_costs(given, TARGET)
    assert costs is not None
    assert costs.tolist() == given
    assert costs.dtype == np.float64


def test_names_say_only_what_is_not_1() -> None:
    costs = read_costs({"bad": {"good": 5, "bad": 0.5}, "ok": {"bad": 0}}, TARGET)
    assert costs is not None
    assert costs.tolist() == [[0.5, 5, 1], [1, 0, 1], [0, 1, 0]]  # actual class by line


def test_classes_of_any_type_are_named() -> None:
    target = read_classes([0, 1, 0], owner="the test")
    costs = read_costs({1: {0: 7}}, target)
    assert costs is not None
    assert costs.tolist() == [[0, 1], [7, 0]]


SHAPE = (
    "cost_matrix must have 3 rows (actual) and 3 columns (predicted), one for each of the classes"
    " bad, good, ok.\n  Hint: a dict {actual: {predicted: cost}} names only what is not 1."
)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[0, 1], [1, 0]], SHAPE),
        ([0, 1, 2], SHAPE),
        ([[0, 1, 2], [1, 0]], SHAPE),
        ("costs", SHAPE),
        (3, SHAPE),
        ([[0, 1, "x"], [1, 0, 1], [1, 1, 0]], SHAPE),
        (
            [[0, -1, 1], [1, 0, 1], [1, 1, 0]],
            "cost_matrix must hold finite numbers of 0 or more.",
        ),
        (
            [[0, np.inf, 1], [1, 0, 1], [1, 1, 0]],
            "cost_matrix must hold finite numbers of 0 or more.",
        ),
        (
            [[0, np.nan, 1], [1, 0, 1], [1, 1, 0]],
            "cost_matrix must hold finite numbers of 0 or more.",
        ),
        ({"bad": {"good": -2}}, "cost_matrix must hold finite numbers of 0 or more."),
        (
            np.zeros((3, 3)),
            "cost_matrix is all 0: then no decision is better than another.",
        ),
        (
            {"bad": {"great": 2}},
            "cost_matrix names class 'great', which is not in y.\n  Classes: bad, good, ok",
        ),
        (
            {"awful": {"good": 2}},
            "cost_matrix names class 'awful', which is not in y.\n  Classes: bad, good, ok",
        ),
        ({"bad": 5}, "cost_matrix['bad']=5 must be a dict of predicted class to cost."),
        ({"bad": {"good": "5 $"}}, "cost_matrix['bad']['good']='5 $' must be a number."),
        ({"bad": {"good": None}}, "cost_matrix['bad']['good']=None must be a number."),
    ],
    ids=str,
)
def test_what_is_no_cost_matrix_is_refused(given: Any, message: str) -> None:
    for model in (DecisionTreeClassifier(cost_matrix=given), CARTClassifier(cost_matrix=given)):
        with pytest.raises(ParameterError) as caught:
            model.fit(X, Y)
        assert str(caught.value) == message


def test_costs_are_for_one_target() -> None:
    y = np.column_stack([Y, Y])
    with pytest.raises(UnsupportedError) as caught:
        DecisionTreeClassifier(cost_matrix=np.ones((3, 3))).fit(X, y)
    assert str(caught.value) == "cost_matrix is for one target of classes, but y has 2 columns."


@pytest.mark.parametrize("leaf", ["majority", "laplace", "m_estimate"])
def test_the_class_of_least_expected_cost_is_predicted(leaf: str) -> None:
    x, y = noisy(n_classes=3)
    costs = np.array([[0.0, 2.0, 70.0], [1.0, 0.0, 1.0], [3.0, 0.5, 0.0]])
    model = DecisionTreeClassifier(cost_matrix=costs, leaf=leaf, max_depth=2).fit(x, y)
    expected = model.predict_proba(x) @ costs
    assert (model.predict(x) == model.classes_[expected.argmin(axis=1)]).all()
    assert (model.predict(x) != model.classes_[model.predict_proba(x).argmax(axis=1)]).any()


def test_the_lecture_gives_the_credit_only_if_seven_in_eight_repay() -> None:
    """Rows are actual, columns predicted: a bad risk taken for a good one costs 7."""
    y = ["bad"] * 1 + ["good"] * 6 + ["bad"] * 1 + ["good"] * 8
    x = [[0.0]] * 7 + [[1.0]] * 9
    model = DecisionTreeClassifier(cost_matrix={"bad": {"good": 7}}).fit(x, y)
    assert model.predict([[0.0], [1.0]]).tolist() == ["bad", "good"]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio"])
@pytest.mark.parametrize("ratio", [0.25, 3.0, 20.0])
def test_two_classes_grow_as_with_weights_in_the_ratio_of_costs(
    ratio: float, criterion: str
) -> None:
    x, y = noisy()
    options: Any = {"criterion": criterion, "max_depth": 5, "min_samples_leaf": 4}
    costs = DecisionTreeClassifier(cost_matrix=[[0, 1], [ratio, 0]], **options).fit(x, y).tree_
    weights = DecisionTreeClassifier(class_weight={"b": ratio}, **options).fit(x, y).tree_
    for name in ("column", "threshold", "first_child", "n_rows"):
        np.testing.assert_array_equal(getattr(costs.arrays, name), getattr(weights.arrays, name))
    np.testing.assert_allclose(costs.arrays.gain, weights.arrays.gain, rtol=1e-9, atol=1e-15)


def test_costs_change_what_is_asked() -> None:
    x, y = noisy()
    plain = DecisionTreeClassifier(max_depth=3).fit(x, y).tree_
    costs = DecisionTreeClassifier(cost_matrix=[[0, 1], [20, 0]], max_depth=3).fit(x, y).tree_
    assert not np.array_equal(plain.arrays.threshold, costs.arrays.threshold, equal_nan=True)


def test_without_a_difference_costs_change_nothing() -> None:
    x, y = noisy(n_classes=3)
    plain = DecisionTreeClassifier(max_depth=5).fit(x, y).tree_
    costs = DecisionTreeClassifier(cost_matrix=3 * (1 - np.eye(3)), max_depth=5).fit(x, y).tree_
    for name in ("column", "threshold", "value", "weight"):
        np.testing.assert_allclose(
            getattr(plain.arrays, name), getattr(costs.arrays, name), rtol=1e-12
        )
    assert (plain.predict(x) == costs.predict(x)).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_nodes_count_rows_as_they_are(weighted: bool) -> None:
    x, y = noisy(n_classes=3)
    weight = np.random.default_rng(0).uniform(0.1, 2.0, len(y)) if weighted else np.ones(len(y))
    costs = {"a": {"b": 10}, "c": {"a": 4}}
    tree = DecisionTreeClassifier(cost_matrix=costs, max_depth=4).fit(x, y, weight).tree_
    leaf = tree.apply(x)
    for node in np.unique(leaf).tolist():
        at = leaf == node
        counts = [weight[at & (y == name)].sum() for name in "abc"]
        np.testing.assert_allclose(tree.arrays.value[node], counts, rtol=1e-9, atol=1e-12)
        assert tree.arrays.weight[node] == pytest.approx(weight[at].sum())
        assert tree.arrays.n_rows[node] == at.sum()
    assert tree.arrays.weight[0] == pytest.approx(weight.sum())


def test_factors_keep_the_total_weight() -> None:
    costs = np.array([[0.0, 1.0, 1.0], [5.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    totals = np.array([10.0, 20.0, 70.0])
    factors = LeafRule(cost_matrix=costs).growing_factors(totals)
    assert factors @ totals == pytest.approx(100.0)
    assert factors[1] / factors[0] == pytest.approx(3.0)
    assert 0 < factors[2] < factors[0] / 100  # its errors cost nothing, but it is not gone


def by_hand() -> Any:
    """Return a tree of three leaves: b counts 1.5 and a counts 0.5 in growing.

    Weights of a and b, in growing, and twice their product by their sum (weight x Gini)::

        0: 2.0 6.0  3.0 ── x = 0 ── 1: 1.5 1.5  1.5 ── z = 0 ── 1.5 0.0  0
                                                    ── z = 1 ── 0.0 1.5  0
                        ── x = 1 ── 2: 0.5 4.5  0.9
    """
    rows = [*[(0, 0, "a")] * 3, (0, 1, "b"), (1, 0, "a"), *[(1, 0, "b")] * 3]
    x, y = [row[:2] for row in rows], [row[2] for row in rows]
    model = DecisionTreeClassifier(cost_matrix=[[0, 1], [3, 0]]).fit(x, y)
    assert model.tree_.arrays.value.tolist() == [[4, 4], [3, 1], [1, 3], [3, 0], [0, 1]]
    return model


def test_importances_are_of_the_weights_in_growing() -> None:
    model = by_hand()
    np.testing.assert_allclose(model.tree_.importances(normalize=False), [0.6 / 8, 1.5 / 8])
    np.testing.assert_allclose(model.feature_importances_, [2 / 7, 5 / 7])


def test_penalties_on_impurity_are_of_the_weights_in_growing() -> None:
    path = CostComplexity(on="impurity").path(by_hand().tree_)
    np.testing.assert_allclose(path.alphas, [0, (3.0 - 0.9) / 2 / 8], atol=1e-15)
    np.testing.assert_allclose(path.risks, [0.9 / 8, 3.0 / 8])


@pytest.mark.parametrize("on", ["importances", "penalties"])
@pytest.mark.parametrize("ratio", [0.25, 20.0])
def test_two_classes_weigh_impurity_as_with_weights_in_the_ratio_of_costs(
    ratio: float, on: str
) -> None:
    x, y = noisy()
    costs = DecisionTreeClassifier(cost_matrix=[[0, 1], [ratio, 0]], max_depth=5).fit(x, y).tree_
    weights = DecisionTreeClassifier(class_weight={"b": ratio}, max_depth=5).fit(x, y).tree_
    if on == "importances":
        found = [tree.importances().mean for tree in (costs, weights)]
    else:
        found = [CostComplexity(on="impurity").path(tree).alphas for tree in (costs, weights)]
    np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-12)


def test_error_based_pruning_counts_rows_as_the_tree_does() -> None:
    x, y = noisy()
    model = DecisionTreeClassifier(cost_matrix={"a": {"b": 6}}).fit(x, y)
    pruned = model.tree_.prune("error_based")
    assert pruned.arrays.weight[0] == len(y)
    loaded = pickle.loads(pickle.dumps(model.tree_))
    assert ErrorBased().prune(loaded, x, y).arrays.equals(pruned.arrays)
    fitted = DecisionTreeClassifier(cost_matrix={"a": {"b": 6}}, prune="error_based").fit(x, y)
    assert fitted.tree_.arrays.equals(pruned.arrays)


@pytest.mark.parametrize(
    "prune", ["cost_complexity", "reduced_error", "minimum_error", "error_based", "pessimistic"]
)
def test_pruning_with_costs_costs_less(prune: str) -> None:
    x, y = noisy(600)
    costs = np.array([[0.0, 1.0], [8.0, 0.0]])
    fresh, labels = noisy(599)[0], noisy(599)[1]

    def mean_cost(model: Any) -> float:
        actual = np.searchsorted(model.classes_, labels)
        decided = np.searchsorted(model.classes_, model.predict(fresh))
        return float(costs[actual, decided].mean())

    cheap = DecisionTreeClassifier(cost_matrix=costs, prune=prune).fit(x[:300], y[:300])
    dear = DecisionTreeClassifier(prune=prune).fit(x[:300], y[:300])
    assert mean_cost(cheap) < mean_cost(dear)
    assert cheap.tree_.pruning is not None


def test_the_curve_of_a_tree_with_costs_is_in_costs() -> None:
    x, y = noisy()
    costs = np.array([[0.0, 1.0], [8.0, 0.0]])
    model = DecisionTreeClassifier(cost_matrix=costs, prune=CostComplexity(alpha=0.03)).fit(x, y)
    actual = np.searchsorted(model.classes_, y)
    decided = np.searchsorted(model.classes_, model.predict(x))
    record = model.tree_.pruning
    assert record is not None
    assert len(record) > 0
    assert record.curve.errors["train"][-1] == pytest.approx(costs[actual, decided].mean())


def test_a_loaded_tree_with_costs_says_why() -> None:
    x, y = noisy()
    tree = DecisionTreeClassifier(cost_matrix={"a": {"b": 6}}, max_depth=3).fit(x, y).tree_
    loaded = pickle.loads(pickle.dumps(tree))
    for node in range(tree.n_nodes):
        assert str(loaded.why(node, x, y)) == str(tree.why(node))
    assert (loaded.predict(x) == tree.predict(x)).all()


def test_cart_weighs_costs_as_the_general_tree() -> None:
    x, y = noisy()
    costs = [[0, 1], [4, 0]]
    cart = CARTClassifier(cost_matrix=costs).fit(x, y)
    general = DecisionTreeClassifier(
        cost_matrix=costs,
        missing="surrogates",
        min_samples_split=20,
        min_samples_leaf=7,
        max_depth=30,
    ).fit(x, y)
    assert (cart.predict(x) == general.predict(x)).all()
    assert (cart.predict(x) != CARTClassifier().fit(x, y).predict(x)).any()


@pytest.mark.parametrize("estimate", ["majority", "laplace", "m_estimate"])
def test_estimates_of_leaves(estimate: str) -> None:
    x, y = noisy(n_classes=3)
    model = DecisionTreeClassifier(leaf=estimate, leaf_m=3.0, max_depth=3).fit(x, y)
    tree = model.tree_
    prior = np.array([(y == name).mean() for name in "abc"])
    added = {"majority": np.zeros(3), "laplace": np.ones(3), "m_estimate": 3.0 * prior}[estimate]
    counts = tree.arrays.value[tree.apply(x)] + added
    expected = counts / counts.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(x), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"leaf": "mean"}, "leaf='mean' must be one of 'majority', 'laplace', 'm_estimate'."),
        ({"leaf_m": -1}, "leaf_m=-1 must be at least 0."),
        ({"leaf_m": "2"}, "leaf_m='2' must be a number."),
    ],
)
def test_parameters_of_leaves_are_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        DecisionTreeClassifier(**parameters).fit(X, Y)
    assert str(caught.value) == message
