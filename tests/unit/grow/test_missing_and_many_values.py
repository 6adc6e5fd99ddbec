"""Questions that were never asked: given or missing; and names that offer too much choice."""

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from treewright import (
    AdaBoostClassifier,
    CHAIDClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    RandomForestClassifier,
)

GAPS_FIRST = np.r_[[np.nan] * 4, np.arange(6.0)][:, np.newaxis]
IS_GAP = [1] * 4 + [0] * 6


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"missing": "own_branch"},
        {"criterion": "entropy"},
        {"criterion": "twoing"},
        {"splitter": "random"},
        {"numeric": "mdlp"},
        {"numeric": "mdlp", "missing": "own_branch"},
        {"numeric": "cal5", "missing": "own_branch"},
    ],
)
def test_gaps_are_parted_from_all_known_values(options: dict[str, Any]) -> None:
    flag = np.where(np.isnan(GAPS_FIRST), np.nan, 7.0)
    model = DecisionTreeClassifier(**options).fit(np.tile(flag, (9, 1)), IS_GAP * 9)
    assert model.text().count("x0 is missing") == 1
    assert model.predict([[7.0], [np.nan], [3.0]]).tolist() == [0, 1, 0]
    if "numeric" not in options:
        grown = DecisionTreeClassifier(**options).fit(GAPS_FIRST, IS_GAP)
        assert grown.score(GAPS_FIRST, IS_GAP) == 1.0


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("missing", ["learned_side", "own_branch"])
def test_gaps_are_parted_in_regression(criterion: str, missing: str) -> None:
    y = np.array(IS_GAP) + 1.0
    model = DecisionTreeRegressor(criterion=criterion, missing=missing, nominal="one_vs_rest")
    assert model.fit(GAPS_FIRST, y).score(GAPS_FIRST, y) == 1.0
    words = [{"w": None if gap else "w"} for gap in IS_GAP]
    assert model.fit(words, y).score(words, y) == 1.0


@pytest.mark.parametrize("nominal", ["subset", "one_vs_rest", "multiway"])
def test_gaps_of_names_are_parted(nominal: str) -> None:
    words = [{"w": None if gap else "pq"[i % 2]} for i, gap in enumerate(IS_GAP)]
    model = DecisionTreeClassifier(nominal=nominal).fit(words, IS_GAP)
    assert model.score(words, IS_GAP) == 1.0
    assert "w is known" in model.text()
    # A value that the node has not seen is known all the same.
    assert model.predict([{"w": "p"}, {"w": None}]).tolist() == [0, 1]


def test_a_branch_for_each_declared_value_leaves_the_question_of_gaps_alone() -> None:
    # Every known value went to one branch, and gaps to one that there was not: memory was overrun.
    names = np.array(["a", "b", "c", None] * 9, dtype=object)[:, np.newaxis]
    model = ID3Classifier(missing="learned_side").fit(names, [0, 0, 0, 1] * 9)
    assert model.predict([["a"], ["b"], ["c"], [None]]).tolist() == [0, 0, 0, 1]
    assert (model.tree_.n_leaves, model.score(names, [0, 0, 0, 1] * 9)) == (2, 1.0)
    for seed in range(30):
        random = np.random.default_rng(seed)
        text = random.choice(list("abcde"), 40).astype(object)
        text[random.random(40) < 0.1] = None
        table = {"number": random.integers(0, 6, 40).astype(float), "text": text}
        tree = ID3Classifier(missing="learned_side").fit(table, random.integers(0, 3, 40)).tree_
        tree.arrays.validate(tree.schema)
        asks = tree.arrays.n_branches > 0
        assert (tree.arrays.missing_branch[asks] < tree.arrays.n_branches[asks]).all()


@pytest.mark.parametrize("missing", ["divide", "surrogates", "majority", "most_likely"])
def test_policies_that_take_a_gap_for_unknown_do_not_ask(missing: str) -> None:
    flag = np.where(np.isnan(GAPS_FIRST), np.nan, 7.0)
    assert DecisionTreeClassifier(missing=missing).fit(flag, IS_GAP).get_depth() == 0


def table_with_names(n_names: int) -> tuple[Any, Any]:
    generator = np.random.default_rng(3)
    numbers = generator.normal(size=(600, 4))
    y = (numbers[:, 0] * numbers[:, 1] + 0.3 * generator.normal(size=600) > 0).astype(int)
    columns = {f"n{i}": numbers[:, i] for i in range(4)}
    if n_names:
        columns["name"] = np.array([f"v{i}" for i in generator.integers(0, n_names, 600)])
    import pandas as pd

    return pd.DataFrame(columns), y


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(),
        DecisionTreeClassifier(max_depth=5),
        DecisionTreeClassifier(criterion="entropy"),
        AdaBoostClassifier(n_estimators=20),
        RandomForestClassifier(n_estimators=20),
    ],
)
@pytest.mark.parametrize("n_names", [40, 300])
def test_names_that_say_nothing_cost_little(model: Any, n_names: int) -> None:
    without, with_names = table_with_names(0), table_with_names(n_names)
    before = cross_val_score(model, *without).mean()
    after = cross_val_score(model, *with_names).mean()
    assert after > before - 0.04
    if n_names == 300 and hasattr(model, "guard_many_values") and model.max_depth is None:
        free = type(model)(**{**model.get_params(), "guard_many_values": False})
        assert cross_val_score(free, *with_names).mean() < after


def test_names_that_say_something_are_asked() -> None:
    generator = np.random.default_rng(0)
    names = generator.integers(0, 40, 800)
    y = generator.random(800) < np.where(names % 2 == 0, 0.9, 0.1)
    X = {"name": [f"v{i}" for i in names], "x": generator.normal(size=800)}
    model = DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert model.score(X, y) > 0.85


def test_few_values_pay_nothing() -> None:
    X, y = table_with_names(10)
    guarded = DecisionTreeClassifier().fit(X, y)
    free = DecisionTreeClassifier(guard_many_values=False).fit(X, y)
    assert guarded.text() == free.text()


def test_chaid_has_tests_of_its_own() -> None:
    assert "guard_many_values" not in CHAIDClassifier().get_params()
