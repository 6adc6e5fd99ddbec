"""Small things that answered wrongly, or did nothing, without a word."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge

from treewright import (
    AdaBoostRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    M5Regressor,
    ObliqueTreeClassifier,
)
from treewright.errors import ColumnMismatchError, NoSplitWarning, ParameterError

GENERATOR = np.random.default_rng(8)
X = GENERATOR.normal(size=(300, 3))
Y = 2.0 * X[:, 0] + X[:, 1] + 0.1 * GENERATOR.normal(size=300)
WHOLE = [[i] for i in range(1, 30)]
DOUBLE = [2 * i for i in range(1, 30)]


# ---------------------------------------------------------------------- whole numbers
@pytest.mark.parametrize(
    "model", [M5Regressor(smoothing=0), DecisionTreeRegressor(leaf_model="linear")]
)
def test_a_line_of_whole_numbers_answers_fractions(model: Any) -> None:
    assert model.fit(WHOLE, DOUBLE).predict([[4.5]]) == pytest.approx([9.0], abs=1e-6)


def test_cuts_of_whole_numbers_lie_halfway() -> None:
    model = DecisionTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    assert "x0 <= 2.5" in model.text()
    assert model.predict([[2.2], [2.5], [2.6]]).tolist() == [0, 0, 1]
    assert "2.2" in str(model.explain([2.2]))


def test_whole_numbers_beyond_floats_are_told_apart() -> None:
    far = [[2**53], [2**53 + 1], [2**53 + 2], [7]]
    model = DecisionTreeClassifier().fit(far, [0, 1, 0, 1])
    assert model.predict(far).tolist() == [0, 1, 0, 1]
    assert model.predict([[7.5], [2.0**53]]).tolist() == [1, 0]


def test_fractions_are_summed_as_they_are() -> None:
    first, second = np.divmod(np.arange(49), 7)
    whole = np.column_stack([first, second])
    model = ObliqueTreeClassifier(max_depth=1).fit(whole, first + second > 5)
    floats = ObliqueTreeClassifier(max_depth=1).fit(whole.astype(float), first + second > 5)
    asked = [[2.4, 2.4], [2.6, 2.6], [3.2, 2.9]]
    assert model.predict(asked).tolist() == floats.predict(asked).tolist() == [False, False, True]


# ---------------------------------------------------------------------- boosting
@pytest.mark.parametrize("factor", [1 / 300, 1e-9, 1e9])
def test_the_scale_of_weights_does_not_stop_boosting(factor: float) -> None:
    weight = GENERATOR.random(300) + 0.5
    plain = GradientBoostingRegressor(n_estimators=30).fit(X, Y, sample_weight=weight)
    scaled = GradientBoostingRegressor(n_estimators=30).fit(X, Y, sample_weight=factor * weight)
    assert plain.score(X, Y) > 0.9
    assert np.array_equal(plain.predict(X), scaled.predict(X))


@pytest.mark.parametrize("n_rows", range(2, 12))
def test_small_tables_are_learned(n_rows: int) -> None:
    rows = np.arange(n_rows)[:, np.newaxis]
    classes = rows[:, 0] >= n_rows / 2
    assert GradientBoostingClassifier().fit(rows, classes).score(rows, classes) == 1.0
    assert GradientBoostingRegressor().fit(rows, rows[:, 0]).score(rows, rows[:, 0]) > 0.99


def test_boosting_that_learns_nothing_says_so() -> None:
    with pytest.warns(NoSplitWarning, match="no round of boosting found a split in 300 rows"):
        GradientBoostingRegressor(n_estimators=3, min_hessian=1000.0).fit(X, Y)


def test_the_number_of_rounds_to_wait_switches_early_stopping_on() -> None:
    model = GradientBoostingRegressor(n_estimators=500, n_iter_no_change=3).fit(X, Y)
    assert model.n_iter_ < 500
    assert GradientBoostingRegressor(n_estimators=20).fit(X, Y).n_iter_ == 20
    with pytest.raises(ParameterError, match="early_stopping=False never stops"):
        GradientBoostingRegressor(early_stopping=False, n_iter_no_change=3).fit(X, Y)


def test_validation_rows_switch_early_stopping_on_or_are_recorded() -> None:
    stopped = GradientBoostingRegressor(n_estimators=500)
    assert stopped.fit(X[:200], Y[:200], X_val=X[200:], y_val=Y[200:]).n_iter_ < 500
    told = GradientBoostingRegressor(n_estimators=20, early_stopping=False)
    told.fit(X[:200], Y[:200], X_val=X[200:], y_val=Y[200:])
    assert told.n_iter_ == 20
    assert np.isfinite([each.validation_loss for each in told.rounds_]).all()


def test_a_large_tolerance_stops_early_and_keeps_what_was_learned() -> None:
    model = GradientBoostingRegressor(n_estimators=500, early_stopping=True, tol=0.1).fit(X, Y)
    assert model.n_iter_ >= 10
    assert model.score(X, Y) > 0.5


# ---------------------------------------------------------------------- answers in bounds
def test_poisson_never_answers_zero() -> None:
    counts = GENERATOR.poisson(0.2, size=300)
    model = DecisionTreeRegressor(criterion="poisson").fit(X, counts)
    assert model.predict(X).min() > 0.0
    assert model.get_depth() > 1


@pytest.mark.parametrize(
    ("column", "options"),
    [
        ([None, 1.0, 1.0, 0.0], {"missing": "majority"}),
        ([None, 1.0, 1.0, 0.0], {"missing": "surrogates"}),
        ([None, "b", "b", "a"], {"nominal": "multiway"}),
        ([None, "b", "b", "a", "c", "c"], {"nominal": "one_vs_rest", "missing": "majority"}),
    ],
)
def test_poisson_makes_no_branch_of_zeros_where_only_a_missing_row_counts(
    column: list[Any], options: dict[str, Any]
) -> None:
    counts = [1] + [0] * (len(column) - 1)
    model = DecisionTreeRegressor(criterion="poisson", **options).fit({"a": column}, counts)
    assert model.predict({"a": column}).min() > 0.0


@pytest.mark.parametrize("missing", ["learned_side", "majority", "surrogates", "own_branch"])
@pytest.mark.parametrize("nominal", ["subset", "multiway", "one_vs_rest"])
def test_poisson_never_answers_zero_whatever_is_missing(nominal: str, missing: str) -> None:
    if (nominal, missing) == ("multiway", "surrogates"):
        return  # refused
    for seed in range(20):
        generator = np.random.default_rng(seed)
        words = [None if code > 5 else "abcdef"[code] for code in generator.integers(0, 7, 40)]
        table = {"a": words, "b": generator.normal(size=40).round(1)}
        counts = generator.poisson(0.4, 40)
        counts[0] = 1
        model = DecisionTreeRegressor(criterion="poisson", nominal=nominal, missing=missing)
        assert model.fit(table, counts).predict(table).min() > 0.0


def test_a_line_does_not_leave_what_it_answered_in_training() -> None:
    model = DecisionTreeRegressor(leaf_model="linear", max_depth=2).fit(X, Y)
    far = model.predict(np.array([[1e6, -1e6, 0.0], [-1e9, 1e9, 1e9]]))
    fitted = model.predict(X)
    assert (far >= fitted.min()).all()
    assert (far <= fitted.max()).all()


def test_lines_change_a_tree_without_limits() -> None:
    lines = DecisionTreeRegressor(leaf_model="linear").fit(X[:200], Y[:200])
    steps = DecisionTreeRegressor().fit(X[:200], Y[:200])
    assert lines.score(X[200:], Y[200:]) > steps.score(X[200:], Y[200:]) + 0.02


@pytest.mark.parametrize("form", ["coo", "bsr", "lil", "dok", "csc"])
def test_sparse_tables_of_any_form_go_to_another_librarys_learner(form: str) -> None:
    sparse = sp.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0))
    model = AdaBoostRegressor(Ridge(), n_estimators=3, random_state=0)
    expected = model.fit(sparse, Y).predict(sparse)
    assert np.allclose(model.fit(sparse.asformat(form), Y).predict(sparse.asformat(form)), expected)


# ---------------------------------------------------------------------- texts
def test_a_printed_cut_sends_every_value_as_the_tree_does() -> None:
    just_below = 1844.8899999999999
    model = DecisionTreeClassifier().fit([[1700.3], [just_below], [1844.89]], [0, 0, 1])
    assert "x0 < 1844.89" in model.text()
    assert "x0 >= 1844.89" in str(model.explain([1844.89]))
    assert "IF x0 < 1844.89" in str(model.rules())


def test_explain_needs_only_what_is_asked() -> None:
    table = {"a": [1, 2, 3, 4], "b": [0, 1, 0, 1], "c": [5.0, 5.0, 5.0, 5.0]}
    model = DecisionTreeClassifier().fit(table, [0, 0, 1, 1])
    assert model.explain({"a": 1}).label == 0
    assert model.tree_.predict({"a": [1, 4]}).tolist() == [0, 1]
    with pytest.raises(ColumnMismatchError, match="no value of 'a', which node 0 asks") as told:
        model.explain({"b": 1})
    assert "Given: b\n" in str(told.value)


def test_numbers_as_classes_are_told_from_their_counts() -> None:
    y = np.where(X[:, 0] > 0, 3, 1)
    heading = str(DecisionTreeClassifier(max_depth=1).fit(X, y).tree_.why(0)).split("\n")[0]
    counts = sorted([((y == 3).sum(), 3), ((y == 1).sum(), 1)], reverse=True)
    assert ", ".join(f"{name}: {count}" for count, name in counts) in heading


def test_a_cost_matrix_adds_no_column_of_weights() -> None:
    y = (X[:, 0] > 0).astype(int)
    model = DecisionTreeClassifier(max_depth=2, cost_matrix=[[0, 5], [1, 0]]).fit(X, y)
    assert "weight" not in model.text()


def test_trees_of_boosting_name_hessians_and_scores() -> None:
    y = (X[:, 0] > 0).astype(int)
    heading = (
        GradientBoostingClassifier(n_estimators=1).fit(X, y).ensemble_[0].text().split("\n")[0]
    )
    assert heading.split() == ["node", "rows", "hessian", "score"]
