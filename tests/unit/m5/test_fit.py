"""M5, one behaviour per test; what a whole tree is, is for the oracle and Weka to say."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from treewright import DecisionTreeRegressor, M5Regressor, Schema
from treewright.errors import UnsupportedError
from treewright.m5 import node_models
from treewright.m5.least_squares import (
    LeastSquares,
    choose_as_weka,
    choose_by_estimate,
)
from treewright.tree.linear_leaves import IndicatorTerm, LinearModel

RANDOM = np.random.default_rng(3)
N = 120
X = {
    "a": RANDOM.normal(size=N),
    "b": RANDOM.normal(size=N),
    "c": [("p", "q", "r")[i] for i in RANDOM.integers(0, 3, N)],
}
Y = np.where(X["a"] > 0, 5 + 2 * X["b"], X["a"]) + np.array(
    [{"p": 2, "q": 0, "r": 9}[v] for v in X["c"]]
)
Y = Y + RANDOM.normal(scale=0.2, size=N)


def line(size: int = 40) -> tuple[np.ndarray, np.ndarray]:
    x = np.arange(float(size))[:, np.newaxis]
    return x, np.where(x[:, 0] < size / 2, 2 * x[:, 0], 300 - 3 * x[:, 0])


def model_at(tree: Any, node: int) -> LinearModel:
    model = tree.linear.model(node)
    assert isinstance(model, LinearModel)
    return model


def test_leaves_of_the_tree_as_it_was_grown_are_constants() -> None:
    """Models use what is asked below a node, and nothing is asked below a leaf."""
    tree = M5Regressor(prune=False, smoothing=0).fit(X, Y).tree_
    assert tree.n_leaves > 10
    assert tree.linear is not None
    assert tree.linear.n_models == 0


def test_a_pruned_leaf_is_made_of_what_was_asked_below_it() -> None:
    x, y = line()
    tree = M5Regressor(smoothing=0).fit(x, y).tree_
    assert tree.n_leaves == 2
    model = model_at(tree, 1)
    assert model.coefficients == pytest.approx((2.0,))
    assert model.intercept == pytest.approx(0.0, abs=1e-6)


def test_smoothing_mixes_in_the_models_above() -> None:
    x, y = line()
    plain = M5Regressor(smoothing=0).fit(x, y)
    smooth = M5Regressor(smoothing=15).fit(x, y)
    root = np.polynomial.Polynomial.fit(x[:, 0], y, 1).convert().coef
    expected = (20 * 2.0 + 15 * root[1]) / 35
    assert model_at(smooth.tree_, 1).coefficients[0] == pytest.approx(expected, rel=1e-6)
    above = root[0] + root[1] * x[:, 0]
    assert smooth.predict(x) == pytest.approx((20 * plain.predict(x) + 15 * above) / 35)


def test_a_regression_tree_answers_smoothed_constants() -> None:
    x, y = line()
    tree = M5Regressor(linear=False).fit(x, y).tree_
    assert tree.linear is not None
    assert tree.linear.n_models == 0
    assert "LM" not in tree.text()
    grown = M5Regressor(linear=False, smoothing=0).fit(x, y).tree_
    assert tree.n_leaves == grown.n_leaves
    assert not np.array_equal(tree.arrays.value, grown.arrays.value)
    assert tree.rules()[0].label == tree.predict(x)[0]


def test_values_are_ordered_by_their_mean_target() -> None:
    tree = M5Regressor().fit(X, Y).tree_
    assert tree.linear is not None
    sets = {
        frozenset(term.column.values[code] for code in term.codes)
        for term in tree.linear.terms
        if isinstance(term, IndicatorTerm)
    }
    assert sets <= {frozenset("pr"), frozenset("r")}  # q < p < r


def test_a_value_of_no_row_stands_where_the_mean_of_all_rows_is() -> None:
    x = {"c": ["low"] * 10 + ["high"] * 10}
    y = [0.0, 0.1] * 5 + [9.0, 9.1] * 5
    schema = Schema(values={"c": ["high", "between", "low"]})
    model = M5Regressor(schema=schema, smoothing=0).fit(x, y)
    # "between" has the overall mean, and goes up as M5P has it: above the highest value below.
    assert model.predict({"c": ["between"]})[0] == pytest.approx(model.predict({"c": ["high"]})[0])


def test_gaps_are_filled_by_the_mean_or_the_most_frequent_value() -> None:
    x = {"n": [1.0, 2.0, 3.0, None] * 8, "c": ["u", "u", "v", None] * 8}
    y = np.arange(32.0)
    for name, gap, same in (("n", None, 2.0), ("c", None, "u")):
        model = M5Regressor().fit({name: x[name]}, y)
        assert model.predict({name: [gap]}) == pytest.approx(model.predict({name: [same]}))


def test_an_unseen_value_counts_as_missing_or_is_refused() -> None:
    model = M5Regressor().fit(X, Y)
    row = {"a": [0.5], "b": [0.1]}
    assert model.predict(row | {"c": ["new"]}) == model.predict(row | {"c": [None]})
    with pytest.raises(ValueError, match="column 'c', row 0 holds 'new'"):
        M5Regressor(unseen="error").fit(X, Y).predict(row | {"c": ["new"]})
    majority = M5Regressor(unseen="majority").fit(X, Y)
    assert np.isfinite(majority.predict(row | {"c": ["new"]})).all()


def test_the_mean_of_whole_numbers_lies_between_them() -> None:
    n: list[int | None] = [1, 2, None, 4] * 10
    y = [0.0, 0.0, 7.0, 9.0] * 10
    model = M5Regressor(linear=False, smoothing=0).fit({"n": n}, y)
    assert model.tree_.schema.columns[0].storage == "float"
    # 7/3 is told apart from 2 and from 4, and so are the rows without a value.
    assert model.predict({"n": [None, 2, 3, 4]}).tolist() == pytest.approx([7.0, 0.0, 7.0, 9.0])


def test_unsigned_and_very_large_numbers_with_gaps() -> None:
    for values in ([2**64 - 1, 2**63, None, 5], [2**60, 2**60 + 1, None, 2**60 + 2]):
        model = M5Regressor(linear=False, smoothing=0).fit(
            {"n": values * 10}, [3.0, 2.0, 9, 1] * 10
        )
        assert model.tree_.schema.columns[0].storage == ("uint" if values[0] > 2**63 else "int")
        assert np.isfinite(model.predict({"n": values})).all()
        assert model.predict({"n": values})[0] != model.predict({"n": values})[3]


def test_an_ordinal_column_keeps_its_own_order() -> None:
    grades = ["poor", "fair", "good"]
    x = {"grade": [grades[i] for i in [0, 1, 2] * 12]}
    y = [[5.0, 0.0, 9.0][i] for i in [0, 1, 2] * 12]
    model = M5Regressor(schema=Schema(order={"grade": grades}), smoothing=0).fit(x, y)
    assert model.predict({"grade": grades}) == pytest.approx([5.0, 0.0, 9.0], abs=0.1)
    assert model.tree_.linear is not None
    texts = {term.text() for term in model.tree_.linear.terms}
    assert texts <= {"(grade > poor)", "(grade = good)"}


def test_every_branch_has_more_than_a_fifth_of_the_rows_in_weka() -> None:
    x = np.arange(50.0)[:, np.newaxis]
    y = np.where(x[:, 0] < 10, 0.0, 100.0) + 0.001 * x[:, 0]
    grown = {"prune": False, "linear": False}
    weka = M5Regressor(**grown).fit(x, y).tree_.arrays  # type: ignore[arg-type]
    paper = M5Regressor(variant="paper", **grown).fit(x, y).tree_.arrays  # type: ignore[arg-type]
    assert sorted(weka.n_rows[[1, 2]].tolist()) == [11, 39]  # 10 rows are not more than a fifth
    assert sorted(paper.n_rows[[1, 2]].tolist()) == [10, 40]


def test_limits_on_nodes() -> None:
    grown: dict[str, Any] = {"prune": False, "linear": False}
    few = M5Regressor(min_cases=30, **grown).fit(X, Y).tree_
    assert few.arrays.n_rows[few.arrays.n_branches > 0].min() >= 30
    rough = M5Regressor(min_deviation=0.5, **grown).fit(X, Y).tree_
    sd = rough.arrays.impurity**2.5  # fifth root of the variance
    assert sd[rough.arrays.n_branches > 0].min() > 0.5 * sd[0]
    assert rough.n_leaves < M5Regressor(**grown).fit(X, Y).tree_.n_leaves


@pytest.mark.parametrize("criterion", ["standard_deviation", "fifth_root"])
@pytest.mark.parametrize("weight", [None, 3.0, 0.375, 0.1])
def test_equal_targets_have_no_spread_at_all(criterion: str, weight: float | None) -> None:
    """A root would make much of a rounding error."""
    y = np.array([0.1] * 3 + [21.7] * 4 + [1e6 + 1 / 3] * 5)
    weights = None if weight is None else np.full(12, weight)
    x = np.arange(12.0)[:, np.newaxis]
    tree = DecisionTreeRegressor(criterion=criterion).fit(x, y, sample_weight=weights).tree_
    assert tree.n_leaves == 3
    inner = tree.arrays.n_branches > 0
    last = int(np.flatnonzero(inner)[-1])  # between two constants: nothing is left
    assert tree.arrays.gain[last] == pytest.approx(tree.arrays.impurity[last], rel=1e-12)


def test_simplifying_merges_no_linear_models() -> None:
    x = np.concatenate([np.arange(-20.0, 0.0), np.arange(1.0, 21.0)])[:, np.newaxis]
    y = np.abs(x[:, 0])  # both sides have one mean
    model = DecisionTreeRegressor(leaf_model="linear", max_depth=1, min_samples_leaf=20).fit(x, y)
    assert model.tree_.n_leaves == 2
    assert model.tree_.simplify().predict(x) == pytest.approx(y, abs=1e-6)


@pytest.mark.parametrize("variant", ["weka", "paper"])
def test_little_data(variant: str) -> None:
    model = M5Regressor(variant=variant)
    assert model.fit([[1.0], [2.0], [3.0]], [1.0, 1.0, 1.0]).predict([[9.0]])[0] == 1.0
    assert model.fit([[1.0], [1.0]], [0.1, 0.3]).predict([[1.0]])[0] == pytest.approx(0.2)
    exact = model.fit(np.arange(30.0)[:, np.newaxis], np.arange(30.0) * 1e-9)
    assert exact.predict([[100.0]])[0] == pytest.approx(1e-7)


def test_equal_columns_share_or_go() -> None:
    x, y = line()
    for variant in ("weka", "paper"):
        single = M5Regressor(variant=variant).fit(x, y)
        double = M5Regressor(variant=variant).fit(np.hstack([x, x, 2 * x]), y)
        assert double.predict(np.hstack([x, x, 2 * x])) == pytest.approx(
            single.predict(x), abs=1e-4
        )


def test_rows_without_weight_are_as_if_removed() -> None:
    keep = RANDOM.random(N) < 0.7
    weighed = M5Regressor().fit(X, Y, sample_weight=keep * 0.5)
    part = {name: [v for v, k in zip(column, keep, strict=True) if k] for name, column in X.items()}
    removed = M5Regressor().fit(part, Y[keep])
    assert weighed.predict(X) == pytest.approx(removed.predict(X))


def test_threads_do_not_change_the_tree() -> None:
    one, two = M5Regressor().fit(X, Y).tree_, M5Regressor(n_jobs=2).fit(X, Y).tree_
    assert one.arrays.equals(two.arrays)
    assert one.linear is not None
    assert one.linear.equals(two.linear)


def test_why_is_told_in_the_users_columns_and_again_after_pickling() -> None:
    tree = M5Regressor().fit(X, Y).tree_
    told = str(tree.why(0))
    assert "→  c " in told
    assert "!= r " in told
    assert "variance ** 0.2" in told
    copy = pickle.loads(pickle.dumps(tree))
    assert str(copy.why(0, X, Y)) == told


def test_pruning_is_on_record() -> None:
    tree = M5Regressor().fit(X, Y).tree_
    assert tree.pruning is not None
    assert tree.pruning.method == "m5"
    assert tree.pruning.curve.n_leaves[-1] == tree.n_leaves
    assert all(step.after <= step.before for step in tree.pruning.steps)
    assert M5Regressor(prune=False).fit(X, Y).tree_.pruning is None


def test_many_rows_are_regressed_a_part_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    for variant in ("weka", "paper"):
        whole = M5Regressor(variant=variant).fit(X, Y).predict(X)
        with monkeypatch.context() as patched:
            patched.setattr(node_models, "_CELLS_AT_ONCE", 50)
            parts = M5Regressor(variant=variant).fit(X, Y).predict(X)
        assert parts == pytest.approx(whole, abs=1e-6)


def test_a_model_considers_the_terms_that_gained_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_models, "_MOST_TERMS", 1)
    tree = M5Regressor(smoothing=0).fit(X, Y).tree_
    assert tree.linear is not None
    assert np.diff(tree.linear.start).max() == 1


@pytest.mark.parametrize("n_terms", [8, 60])
def test_terms_are_taken_out_as_if_solved_anew(n_terms: int) -> None:
    random = np.random.default_rng(n_terms)
    numbers = random.normal(size=(300, n_terms)) @ random.normal(size=(n_terms, n_terms))
    target = numbers[:, :5].sum(axis=1) + random.normal(size=300)
    squares = LeastSquares(lambda: iter((numbers,)), target, None)
    choice = squares.solve(squares.varying, 1e-12)
    for _ in range(n_terms - 2):
        choice = squares.without(choice, squares.least_needed(choice))
        anew = squares.solve(choice.terms, 1e-12)
        assert choice.coefficients == pytest.approx(anew.coefficients, rel=1e-6, abs=1e-9)
        assert squares.squared_error(choice) == pytest.approx(squares.squared_error(anew))


def test_no_more_terms_than_rows_bear() -> None:
    random = np.random.default_rng(0)
    numbers, target = random.normal(size=(6, 9)), random.normal(size=6)
    squares = LeastSquares(lambda: iter((numbers,)), target, None)
    assert len(choose_as_weka(squares, 6).terms) == 0
    assert len(choose_by_estimate(squares, 6, squares.absolute_error).terms) < 5


class TestLinearLeaves:
    """``leaf_model="linear"`` of DecisionTreeRegressor."""

    def test_few_rows_stay_a_constant(self) -> None:
        x = [[0.2], [0.4], [0.6], [0.6], [0.5], [0.2]]
        y = [8.0, 8.0, 12.0, 10.0, 12.0, 10.0]
        model = DecisionTreeRegressor(leaf_model="linear", min_samples_split=7)
        assert model.fit(x, y).tree_.label(0) == 10.0
        line = model.fit(x, y, sample_weight=[1.0] * 6).tree_.label(0)
        assert line == 10.0  # weights of 1 are no copies

    def test_the_tree_is_grown_and_pruned_first(self) -> None:
        options: dict[str, Any] = {"max_depth": 4, "ccp_alpha": 0.05}
        flat = DecisionTreeRegressor(**options).fit(X, Y).tree_
        lines = DecisionTreeRegressor(leaf_model="linear", **options).fit(X, Y)
        assert lines.tree_.arrays.equals(flat.arrays)
        assert lines.score(X, Y) > 0.95

    def test_gaps_count_as_the_leafs_mean(self) -> None:
        x = np.arange(40.0)[:, np.newaxis]
        y = 3 * x[:, 0] + 1
        model = DecisionTreeRegressor(leaf_model="linear", max_depth=1, missing="majority").fit(
            x, y
        )
        leaf = int(model.apply([[np.nan]])[0])
        own = x[model.apply(x) == leaf]
        assert model.predict([[np.nan]])[0] == pytest.approx(3 * own.mean() + 1)

    def test_most_columns_are_left_out_where_rows_are_few(self) -> None:
        random = np.random.default_rng(1)
        x = random.normal(size=(30, 400))
        y = 5 * x[:, 7] + 0.01 * random.normal(size=30)
        model = DecisionTreeRegressor(leaf_model="linear", min_samples_split=31).fit(x, y)
        label = model.tree_.label(0)
        assert "x7" in [term.column.name for term in label.terms]
        assert len(label.terms) <= 15

    def test_text_alone_gives_constants(self) -> None:
        model = DecisionTreeRegressor(leaf_model="linear", max_depth=2).fit({"c": X["c"]}, Y)
        assert model.tree_.linear is not None
        assert model.tree_.linear.n_models == 0

    def test_numbers_near_the_largest_have_no_say(self) -> None:
        x = np.array([[1.7e308], [-1.7e308]] * 20)
        model = DecisionTreeRegressor(leaf_model="linear", min_samples_split=50).fit(
            x, np.arange(40.0)
        )
        assert np.isfinite(model.predict(x)).all()

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            (
                {"criterion": "absolute_error"},
                "leaf_model='linear' fits least squares and cannot be used with criterion"
                " 'absolute_error'.\n  Hint: criterion='squared_error'.",
            ),
            (
                {"criterion": "poisson"},
                "leaf_model='linear' fits least squares and cannot be used with criterion"
                " 'poisson'.\n"
                "  Hint: criterion='squared_error'.",
            ),
            (
                {"monotonic_cst": [1]},
                "leaf_model='linear' cannot be used with monotonic_cst: a line may run against the"
                " constraint.\n  Hint: leaf_model='constant'.",
            ),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, parameters: dict[str, Any], message: str) -> None:
        model = DecisionTreeRegressor(leaf_model="linear", **parameters)
        with pytest.raises(UnsupportedError) as caught:
            model.fit([[1.0], [2.0]], [1.0, 2.0])
        assert str(caught.value) == message

    def test_several_targets_are_refused(self) -> None:
        with pytest.raises(UnsupportedError) as caught:
            DecisionTreeRegressor(leaf_model="linear").fit([[1.0], [2.0]], [[1.0, 2.0], [3.0, 4.0]])
        assert str(caught.value) == (
            "leaf_model='linear' fits one target, but y has 2 columns.\n  Hint: fit one tree per"
            " target."
        )


@pytest.mark.parametrize("variant", ["weka", "paper"])
def test_a_column_without_any_value_is_not_asked(variant: str) -> None:
    columns = {"nothing": [None] * N, "a": X["a"]}
    schema = Schema(kinds={"nothing": "nominal"})
    model = M5Regressor(variant=variant, schema=schema).fit(columns, Y)
    assert model.tree_.unused_columns == ("nothing",)
    assert np.isfinite(model.predict(columns)).all()


def test_gaps_beside_numbers_whose_sum_is_none() -> None:
    large = np.where(np.arange(N) % 2, 1.0, -1.0) * 1.7e308
    large[5] = np.nan
    model = M5Regressor().fit({"large": large, "a": X["a"]}, Y, sample_weight=1 + np.arange(N))
    assert np.isfinite(model.predict({"large": large, "a": X["a"]})).all()
