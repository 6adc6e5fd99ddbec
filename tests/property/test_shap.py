"""SHAP values of trees and of sums of trees: Shapley's definition, by every set of columns."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import shapley

import treewright as tw
from property.growing import examples, problem_of
from property.tables import Sample, small_tables
from treewright.data.table import MISSING, UNSEEN, Table
from treewright.explain.shap import explain_tree
from treewright.grow.fit import fit_tree
from treewright.grow.options import GrowthOptions
from treewright.tree.tree import Tree

MISSING_POLICIES = (
    "learned_side",
    "divide",
    "surrogates",
    "most_likely",
    "own_branch",
    "majority",
)


def stored(table: Table) -> list[list[Any]]:
    """The rows as the oracle takes them."""
    columns: list[list[Any]] = []
    for index, spec in enumerate(table.schema.columns):
        values: list[Any] = np.asarray(table.columns[index]).tolist()
        if spec.storage == "value":
            words = {MISSING: None, UNSEEN: "unseen"}
            values = [words.get(value, value) for value in values]
        else:
            missing = table.is_missing(index)
            values = [None if gone else v for v, gone in zip(values, missing, strict=True)]
        columns.append(values)
    return [list(row) for row in zip(*columns, strict=True)]


def walk_of(tree: Tree, output: int, numbers: Callable[[Any], Any] | None = None) -> shapley.Walk:
    def model(leaf: int) -> Any:
        if tree.linear is None or not tree.linear.has_model(leaf):
            return None
        found = tree.linear.model(leaf)
        assert found is not None
        assert numbers is not None
        terms = [
            (term.index, numbers(term), coefficient, fill)
            for term, coefficient, fill in zip(
                found.terms, found.coefficients, found.fills, strict=True
            )
        ]
        low, high = found.limits or (-np.inf, np.inf)
        return terms, found.intercept, low, high

    return shapley.Walk(tree.arrays, lambda leaf: float(tree.answers[leaf, output]), model)


@st.composite
def grown(draw: st.DrawFn, **tables: Any) -> tuple[Tree, Table, Sample]:
    target = draw(st.sampled_from(["classes", "numbers"]))
    sample = draw(small_tables(target=target, **tables))
    missing = draw(st.sampled_from(MISSING_POLICIES))
    two = missing == "surrogates"
    options = GrowthOptions(
        criterion="gini" if target == "classes" else "squared_error",
        missing=missing,
        nominal="subset" if two else draw(st.sampled_from(["subset", "multiway", "one_vs_rest"])),
        max_depth=4,
    )
    problem = problem_of(sample, options)
    return fit_tree(problem), problem.table, sample


def assert_is_game(found: Any, game: Callable[[frozenset[int]], float], scale: float) -> None:
    n = len(found)
    np.testing.assert_allclose(found, shapley.of_game(game, n), rtol=0, atol=1e-9 * scale)


@examples(1)
@given(made=grown())
def test_values_of_a_tree_are_those_of_the_definition(made: tuple[Tree, Table, Sample]) -> None:
    tree, table, _ = made
    values = explain_tree(tree, table)
    answers = tree.plan.answers(table)
    scale = max(1.0, float(np.abs(tree.answers).max()))
    by_output = values.values.reshape(*values.values.shape[:2], -1)
    base = np.atleast_1d(values.base_values)
    np.testing.assert_allclose(
        by_output.sum(axis=1) + base, answers, rtol=1e-12, atol=1e-12 * scale
    )
    used = set(tree.used_columns)
    for output in range(answers.shape[1]):
        walk = walk_of(tree, output)
        for number, row in enumerate(stored(table)[:4]):
            own = by_output[number, :, output]
            assert_is_game(own, lambda known: walk.expected(row, known), scale)  # noqa: B023
            assert all(own[c] == 0.0 for c in range(len(own)) if c not in used)


@examples(0.5)
@given(made=grown())
def test_a_background_stands_for_what_is_not_known(made: tuple[Tree, Table, Sample]) -> None:
    tree, table, _ = made
    beside = table.take(np.arange(min(3, table.n_rows)))
    values = explain_tree(tree, table, background=beside)
    answers = tree.plan.answers(table)
    scale = max(1.0, float(np.abs(tree.answers).max()))
    by_output = values.values.reshape(*values.values.shape[:2], -1)
    base = np.atleast_1d(values.base_values)
    np.testing.assert_allclose(
        by_output.sum(axis=1) + base, answers, rtol=1e-12, atol=1e-12 * scale
    )
    rows = stored(table)
    others = rows[: beside.n_rows]
    for output in range(answers.shape[1]):
        walk = walk_of(tree, output)
        for number, row in enumerate(rows[-3:], start=max(0, table.n_rows - 3)):

            def game(known: frozenset[int]) -> float:
                return float(np.mean([walk.beside(row, other, known) for other in others]))  # noqa: B023

            assert_is_game(by_output[number, :, output], game, scale)


@examples(0.5)
@given(made=grown(), has_background=st.booleans())
def test_interactions_are_those_of_the_definition(
    made: tuple[Tree, Table, Sample], has_background: bool
) -> None:
    tree, table, _ = made
    beside = table.take(np.arange(min(2, table.n_rows))) if has_background else None
    values = explain_tree(tree, table, background=beside)
    pairs = explain_tree(tree, table, background=beside, interactions=True)
    scale = max(1.0, float(np.abs(tree.answers).max()))
    by_pair = pairs.values.reshape(*pairs.values.shape[:3], -1)
    by_output = values.values.reshape(*values.values.shape[:2], -1)
    assert np.array_equal(by_pair, by_pair.swapaxes(1, 2))
    np.testing.assert_allclose(by_pair.sum(axis=2), by_output, rtol=0, atol=1e-12 * scale)
    rows = stored(table)
    walk = walk_of(tree, 0)
    for number, row in enumerate(rows[:2]):

        def game(known: frozenset[int]) -> float:
            if beside is None:
                return walk.expected(row, known)  # noqa: B023
            others = rows[: beside.n_rows]
            return float(np.mean([walk.beside(row, other, known) for other in others]))  # noqa: B023

        due = shapley.interactions_of_game(game, len(row))
        np.testing.assert_allclose(by_pair[number, :, :, 0], due, rtol=0, atol=1e-9 * scale)


def numeric_table(n_rows: int = 120, missing: float = 0.15) -> tuple[Any, Any]:
    random = np.random.default_rng(4)
    X = random.normal(size=(n_rows, 4)).round(2)
    y = X[:, 0] * 2 + np.where(X[:, 1] > 0, X[:, 2], -X[:, 0]) + random.normal(size=n_rows) / 9
    X[random.random(X.shape) < missing] = np.nan
    return X, y


def numbers_of(term: Any) -> Callable[[list[Any]], Any]:
    return lambda row: row[term.index]


@pytest.mark.parametrize("has_background", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        tw.DecisionTreeRegressor(leaf_model="linear", max_depth=2, missing="divide"),
        tw.DecisionTreeRegressor(leaf_model="linear", max_depth=2),
        tw.M5Regressor(),
    ],
)
def test_linear_models_in_leaves(model: Any, has_background: bool) -> None:
    X, y = numeric_table()
    tree = model.fit(X, y).tree_
    assert tree.linear is not None
    assert tree.linear.n_models > 0
    background = X[:3] if has_background else None
    found = model.shap_values(X, background=background)
    np.testing.assert_allclose(found.answers, model.predict(X), rtol=1e-12, atol=1e-12)
    rows = [[None if x != x else x for x in row] for row in X.tolist()]
    walk = walk_of(tree, 0, numbers_of)
    pairs = model.shap_values(X[:8], background=background, interactions=True)
    for number in range(8):

        def game(known: frozenset[int]) -> float:
            if not has_background:
                return walk.expected(rows[number], known)  # noqa: B023
            return float(np.mean([walk.beside(rows[number], b, known) for b in rows[:3]]))  # noqa: B023

        assert_is_game(found.values[number], game, 10.0)
        due = shapley.interactions_of_game(game, 4)
        np.testing.assert_allclose(pairs.values[number], due, rtol=0, atol=1e-8)


@pytest.mark.parametrize("has_background", [False, True])
def test_linear_combinations_are_known_where_all_of_their_columns_are(has_background: bool) -> None:
    X, y = numeric_table(missing=0.0)
    model = tw.ObliqueTreeRegressor(max_depth=3).fit(X, y)
    background = X[:2] if has_background else None
    found = model.shap_values(X[:10], background=background)
    np.testing.assert_allclose(found.answers, model.predict(X[:10]), rtol=0, atol=1e-12)
    walk, rows = walk_of(model.tree_, 0), X.tolist()
    for number in range(10):

        def game(known: frozenset[int]) -> float:
            if not has_background:
                return walk.expected(rows[number], known)  # noqa: B023
            return float(np.mean([walk.beside(rows[number], b, known) for b in rows[:2]]))  # noqa: B023

        assert_is_game(found.values[number], game, 1.0)


@pytest.mark.parametrize("has_background", [False, True])
def test_surrogates_share_with_the_column_they_stand_for(has_background: bool) -> None:
    X, y = numeric_table()
    X = np.column_stack([X[:, :3], X[:, 0] + np.where(X[:, 1] > 0, 0.1, -0.1)])
    model = tw.DecisionTreeRegressor(missing="surrogates", max_depth=4).fit(X, y)
    assert len(model.tree_.arrays.surrogate_column) > 0
    rows = [[None if x != x else x for x in row] for row in X.tolist()]
    walk = walk_of(model.tree_, 0)
    columns = [len(walk.step(0, row)[1]) for row in rows]
    chosen = [number for number in range(120) if columns[number] > 1][:6]
    assert chosen
    background = X[:3] if has_background else None
    found = model.shap_values(X[chosen], background=background)
    pairs = model.shap_values(X[chosen], background=background, interactions=True)
    np.testing.assert_allclose(found.answers, model.predict(X[chosen]), rtol=0, atol=1e-12)
    for number, values, by_pair in zip(chosen, found.values, pairs.values, strict=True):

        def game(known: frozenset[int]) -> float:
            if not has_background:
                return walk.expected(rows[number], known)  # noqa: B023
            return float(np.mean([walk.beside(rows[number], b, known) for b in rows[:3]]))  # noqa: B023

        assert_is_game(values, game, 1.0)
        due = shapley.interactions_of_game(game, 4)
        np.testing.assert_allclose(by_pair, due, rtol=0, atol=1e-9)


def boosted_games(
    model: Any, rows: list[Any], n_beside: int
) -> Callable[[int, int], Callable[[frozenset[int]], float]]:
    """The game of a row in a sum of trees: path-dependent, or beside one of the first rows."""
    walks = [walk_of(tree, 0, numbers_of) for tree in model.ensemble_]

    def of_row(number: int, beside: int) -> Callable[[frozenset[int]], float]:
        if n_beside:
            return lambda known: sum(w.beside(rows[number], rows[beside], known) for w in walks)
        return lambda known: sum(w.expected(rows[number], known) for w in walks)

    return of_row


@pytest.mark.parametrize("leaf_model", ["constant", "linear"])
@pytest.mark.parametrize("n_beside", [0, 3])
def test_boosting_of_any_leaves_is_the_game_of_its_trees(leaf_model: str, n_beside: int) -> None:
    X, y = numeric_table()
    model = tw.GradientBoostingRegressor(
        n_estimators=3, leaf_model=leaf_model, max_leaf_nodes=6, learning_rate=0.5
    ).fit(X, y)
    rows = [[None if x != x else x for x in row] for row in X.tolist()]
    options: dict[str, Any] = {"background": X[:n_beside]} if n_beside else {"by_hessian": True}
    found = model.shap_values(X[:6], **options)
    pairs = model.shap_values(X[:6], **options, interactions=True)
    of_row = boosted_games(model, rows, n_beside)
    for number in range(6):
        games = [of_row(number, beside) for beside in range(max(1, n_beside))]

        def game(known: frozenset[int]) -> float:
            return float(np.mean([each(known) for each in games]))  # noqa: B023

        assert_is_game(found.values[number], game, 1.0)
        due = shapley.interactions_of_game(game, 4)
        np.testing.assert_allclose(pairs.values[number], due, rtol=0, atol=1e-9)


def test_probabilities_are_scaled_beside_each_background_row() -> None:
    X, y = numeric_table()
    model = tw.GradientBoostingClassifier(n_estimators=3, max_leaf_nodes=5).fit(X, y > 0)
    rows = [[None if x != x else x for x in row] for row in X.tolist()]
    scores, shares = model.decision_function(X), model.predict_proba(X)[:, 1]
    found = model.shap_values(X[:9], background=X[4:8], output="probability")
    of_row = boosted_games(model, rows, 4)
    for number in range(9):
        due = np.zeros(4)
        for beside in range(4, 8):
            slope = shares[number] * (1 - shares[number])  # where the scores are equal
            if scores[number] != scores[beside]:
                slope = (shares[number] - shares[beside]) / (scores[number] - scores[beside])
            due += slope * np.array(shapley.of_game(of_row(number, beside), 4)) / 4
        np.testing.assert_allclose(found.values[number], due, rtol=0, atol=1e-9)
