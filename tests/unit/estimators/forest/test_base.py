"""Forests on all kinds of tables, with the parameters that are their own."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.errors import (
    AbsentClassWarning,
    DataError,
    ParameterError,
    TreewrightWarning,
    UnsupportedError,
)

FORESTS = [tw.RandomForestClassifier, tw.ExtraTreesClassifier]
REGRESSORS = [tw.RandomForestRegressor, tw.ExtraTreesRegressor]
RANDOM = np.random.default_rng(4)
N_ROWS = 240
NUMBERS = RANDOM.normal(size=(N_ROWS, 3)).round(2)
LETTER = RANDOM.choice(list("pqrs"), N_ROWS)
GAPS = np.where(RANDOM.random(N_ROWS) < 0.2, np.nan, NUMBERS[:, 1])
MIXED = {"a": NUMBERS[:, 0], "letter": LETTER, "gaps": GAPS, "whole": np.arange(N_ROWS) % 9}
KIND = np.where((NUMBERS[:, 0] > 0) ^ (LETTER == "p"), "yes", "no")
AMOUNT = NUMBERS[:, 0] * 3 + (LETTER == "q") * 2 + NUMBERS[:, 1]
POLICIES = ("learned_side", "divide", "surrogates", "most_likely", "own_branch", "majority")


@pytest.mark.parametrize("missing", [*POLICIES, "most_likely_in_class"])
@pytest.mark.parametrize("made", FORESTS)
def test_classes_from_letters_and_gaps(made: Any, missing: str) -> None:
    forest = made(15, missing=missing, max_features=None).fit(MIXED, KIND)
    assert forest.score(MIXED, KIND) > 0.95
    some = {name: column[:7] for name, column in MIXED.items()}
    np.testing.assert_array_equal(forest.predict_proba(some), forest.predict_proba(MIXED)[:7])
    for name in ("letter", "gaps"):
        unknown = some | {name: np.array([None] * 7) if name == "letter" else np.full(7, np.nan)}
        shares = forest.predict_proba(unknown)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)


@pytest.mark.parametrize("missing", POLICIES)
@pytest.mark.parametrize("made", REGRESSORS)
def test_numbers_from_letters_and_gaps(made: Any, missing: str) -> None:
    forest = made(15, missing=missing).fit(MIXED, AMOUNT)
    assert forest.score(MIXED, AMOUNT) > 0.85


def test_a_policy_that_does_not_fit_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="most_likely_in_class"):
        tw.RandomForestRegressor(2, missing="most_likely_in_class").fit(MIXED, AMOUNT)


@pytest.mark.parametrize("made", REGRESSORS)
def test_several_numbers_at_once(made: Any) -> None:
    both = np.column_stack([AMOUNT, -AMOUNT + 1])
    forest = made(10).fit(NUMBERS, both)
    answers = forest.predict(NUMBERS)
    assert answers.shape == (N_ROWS, 2)
    np.testing.assert_allclose(answers[:, 1], 1 - answers[:, 0])
    np.testing.assert_allclose(
        answers, np.mean([tree.predict(NUMBERS) for tree in forest.ensemble_], axis=0), rtol=1e-12
    )


@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_several_classes_at_once(vote: str) -> None:
    both = np.column_stack([KIND, np.where(NUMBERS[:, 2] > 0, "up", "down")])
    forest = tw.RandomForestClassifier(15, vote=vote, max_features=None).fit(MIXED, both[:, ::-1])
    assert [names.tolist() for names in forest.classes_] == [["down", "up"], ["no", "yes"]]
    first, second = forest.predict_proba(MIXED)
    np.testing.assert_allclose(first.sum(axis=1), 1.0)
    assert (
        forest.predict(MIXED)[:, 1].tolist() == forest.classes_[1][second.argmax(axis=1)].tolist()
    )
    assert np.mean(forest.predict(MIXED)[:, 1] == KIND) > 0.9


@pytest.mark.parametrize("made", FORESTS)
@pytest.mark.parametrize("X", [NUMBERS, MIXED], ids=["packed", "listed"])
def test_a_hard_vote_counts_the_trees(made: Any, X: Any) -> None:
    forest = made(7, vote="hard", max_depth=3).fit(X, KIND)
    votes = np.array([tree.predict(X) for tree in forest.ensemble_])
    shares = np.mean(votes[:, :, np.newaxis] == forest.classes_, axis=0)
    np.testing.assert_allclose(forest.predict_proba(X), shares, rtol=1e-12)
    assert forest.predict(X).tolist() == forest.classes_[shares.argmax(axis=1)].tolist()
    soft = made(7, max_depth=3).fit(X, KIND)
    mean = np.mean([tree.predict_proba(X) for tree in soft], axis=0)
    np.testing.assert_allclose(soft.predict_proba(X), mean, rtol=1e-12)


@pytest.mark.parametrize("made", FORESTS)
@pytest.mark.parametrize("X", [NUMBERS, MIXED], ids=["packed", "listed"])
def test_columns_drawn_once_for_each_tree(made: Any, X: Any) -> None:
    forest = made(12, max_features=1, features_per="tree", max_depth=4).fit(X, KIND)
    n_columns = len(forest.ensemble_.schema)
    asked = [
        set(tree.arrays.column[tree.arrays.n_branches > 0].tolist()) for tree in forest.ensemble_
    ]
    assert all(len(columns) <= 1 for columns in asked)
    assert len(set().union(*asked)) == n_columns
    node_wise = made(3, max_features=1, max_depth=4).fit(X, KIND)
    assert any(
        len(set(tree.arrays.column[tree.arrays.n_branches > 0])) > 1 for tree in node_wise.ensemble_
    )


@pytest.mark.parametrize("made", [*FORESTS, *REGRESSORS])
def test_leaves_are_limited(made: Any) -> None:
    y = KIND if made in FORESTS else AMOUNT
    leaves = [tree.n_leaves for tree in made(4, max_leaf_nodes=6).fit(MIXED, y).ensemble_]
    assert max(leaves) == 6
    assert all(tree.depth <= 3 for tree in made(4, max_depth=3).fit(MIXED, y).ensemble_)


@pytest.mark.parametrize("made", [*FORESTS, *REGRESSORS])
@pytest.mark.parametrize("X", [NUMBERS, MIXED], ids=["packed", "listed"])
def test_more_trees_are_those_of_the_larger_forest(made: Any, X: Any) -> None:
    y = KIND if made in FORESTS else AMOUNT
    grown = made(3, warm_start=True).fit(X, y)
    early = grown.ensemble_
    with pytest.warns(TreewrightWarning, match="n_estimators=3 is the number of trees grown"):
        assert grown.fit(X, y).ensemble_ is early
    grown.set_params(n_estimators=7).fit(X, y)
    whole = made(7).fit(X, y)
    assert all(
        a.arrays.equals(b.arrays) for a, b in zip(grown.ensemble_, whole.ensemble_, strict=True)
    )
    with pytest.raises(ParameterError, match="n_estimators=2 is less than the 7 trees grown"):
        grown.set_params(n_estimators=2).fit(X, y)


RARE = np.where(np.arange(N_ROWS) % 12 == 0, "rare", "usual")


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("class_weight", ["balanced", "balanced_subsample", {"rare": 11.0}])
def test_a_rare_class_that_weighs_more_counts_more(class_weight: Any, bootstrap: bool) -> None:
    plain = tw.RandomForestClassifier(20, max_depth=3, bootstrap=bootstrap).fit(NUMBERS, RARE)
    heavy = tw.RandomForestClassifier(
        20, max_depth=3, bootstrap=bootstrap, class_weight=class_weight
    ).fit(NUMBERS, RARE)
    assert np.mean(plain.predict_proba(NUMBERS)[:, 0]) == pytest.approx(1 / 12, abs=0.03)
    assert np.mean(heavy.predict_proba(NUMBERS)[:, 0]) > 0.3
    for tree in heavy.ensemble_:
        shares = tree.distribution(0)
        if not bootstrap:
            tolerance = 2.0**-24  # to which weights are rounded
        elif class_weight == "balanced_subsample":
            tolerance = 1e-9
        else:
            tolerance = 0.2
        assert shares[0] == pytest.approx(0.5, abs=tolerance)


def test_class_weights_are_refused_by_name() -> None:
    plain = tw.RandomForestClassifier(2).fit(NUMBERS, RARE)
    with pytest.warns(AbsentClassWarning, match="class_weight names class 'nobody'"):
        warned = tw.RandomForestClassifier(2, class_weight={"nobody": 2}).fit(NUMBERS, RARE)
    assert np.array_equal(warned.predict_proba(NUMBERS), plain.predict_proba(NUMBERS))
    with pytest.raises(ParameterError, match="class_weight='even' must be 'balanced'"):
        tw.RandomForestClassifier(2, class_weight="even").fit(NUMBERS, RARE)
    nothing = {"rare": 0.0, "usual": 0.0}
    with pytest.raises(ParameterError, match="leave every row without weight"):
        tw.RandomForestClassifier(2, class_weight=nothing).fit(NUMBERS, RARE)


def test_rows_of_a_class_without_weight_are_not_drawn() -> None:
    forest = tw.RandomForestClassifier(5, class_weight={"usual": 0.0}, max_samples=2)
    assert (forest.fit(NUMBERS, RARE).predict(NUMBERS) == "rare").all()
    assert [tree.arrays.weight[0] for tree in forest.ensemble_] == [2] * 5


@pytest.mark.parametrize(
    ("sampling", "share"), [("under", 0.5), ("over", 0.5), ({"usual": 20}, 0.5), ("all", 1 / 12)]
)
def test_sampling_by_class(sampling: Any, share: float) -> None:
    forest = tw.RandomForestClassifier(6, sampling=sampling).fit(NUMBERS, RARE)
    tolerance = 0.05 if isinstance(sampling, str) and sampling == "all" else 1e-9
    for tree in forest.ensemble_:
        assert tree.distribution(0)[0] == pytest.approx(share, abs=tolerance)
    under = tw.RandomForestClassifier(4, sampling="under", bootstrap=False).fit(NUMBERS, RARE)
    assert [tree.arrays.weight[0] for tree in under.ensemble_] == [40] * 4


@pytest.mark.parametrize("made", [tw.RandomForestRegressor, tw.ExtraTreesRegressor])
@pytest.mark.parametrize("sign", [1, -1])
def test_predictions_do_not_go_against_a_constraint(made: Any, sign: int) -> None:
    y = sign * NUMBERS[:, 0] + RANDOM.normal(size=N_ROWS)
    forest = made(10, monotonic_cst=[sign, 0, 0], min_samples_leaf=3).fit(NUMBERS, y)
    line = np.repeat(NUMBERS[:20], 30, axis=0)
    line[:, 0] = np.tile(np.linspace(-2, 2, 30), 20)
    steps = np.diff(forest.predict(line).reshape(20, 30), axis=1)
    assert (sign * steps >= -1e-12).all()
    free = made(10, min_samples_leaf=3).fit(NUMBERS, y)
    assert (sign * np.diff(free.predict(line).reshape(20, 30), axis=1) < -1e-3).any()


def test_the_order_of_rows_changes_nothing() -> None:
    order = np.random.default_rng(0).permutation(N_ROWS)
    shuffled = {name: column[order] for name, column in MIXED.items()}
    forest = tw.RandomForestClassifier(5).fit(MIXED, KIND)
    again = tw.RandomForestClassifier(5).fit(shuffled, KIND[order])
    np.testing.assert_allclose(again.predict_proba(MIXED), forest.predict_proba(MIXED), rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_rows_reach_trees_of_one_leaf(dtype: type) -> None:
    X = np.random.default_rng(0).normal(size=(2000, 3)).astype(dtype)
    y = np.arange(2000.0)
    forest = tw.RandomForestRegressor(3, min_samples_leaf=1500).fit(X, y)
    assert [tree.n_leaves for tree in forest.ensemble_] == [1, 1, 1]
    expected = np.mean([tree.arrays.value[0, 0] for tree in forest.ensemble_])
    np.testing.assert_allclose(forest.predict(X), expected)


def test_answers_do_not_depend_on_the_batch() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 5)).astype(np.float32)
    y = (X[:, 0] + rng.normal(size=3000) > 0).astype(int)
    forest = tw.RandomForestClassifier(37).fit(X, y)
    whole = forest.predict_proba(X)
    for size in (1, 7, 16, 500):
        parts = [forest.predict_proba(X[i : i + size]) for i in range(0, 1500, size)]
        assert np.array_equal(np.vstack(parts)[:1500], whole[:1500])


def test_each_tree_tells_the_rows_that_it_was_grown_on() -> None:
    forest = tw.RandomForestClassifier(4, random_state=3).fit(NUMBERS, KIND)
    for number, rows in enumerate(forest.estimators_samples_):
        assert len(rows) == len(KIND)
        others = np.setdiff1d(np.arange(N_ROWS), rows)
        assert forest[number].score(NUMBERS[rows], KIND[rows]) == 1.0
        assert forest[number].score(NUMBERS[others], KIND[others]) < 1.0
    whole = tw.ExtraTreesClassifier(2).fit(NUMBERS, KIND)
    assert all(rows.tolist() == list(range(len(KIND))) for rows in whole.estimators_samples_)
    loaded = pickle.loads(pickle.dumps(forest))
    with pytest.raises(DataError, match="has no training data"):
        _ = loaded.estimators_samples_
    assert forest.max_features_ == int(np.sqrt(NUMBERS.shape[1]))
    assert {"criterion", "max_depth", "ccp_alpha"} <= set(forest.estimator_params)
    assert "n_estimators" not in forest.estimator_params


@pytest.mark.parametrize(("given", "n_drawn"), [(300, 300), (1.5, 1.5)])
def test_a_tree_may_draw_more_rows_than_there_are(given: Any, n_drawn: float) -> None:
    forest = tw.RandomForestClassifier(3, max_samples=given).fit(NUMBERS, KIND)
    expected = n_drawn if n_drawn > 2 else round(n_drawn * len(KIND))
    assert {len(rows) for rows in forest.estimators_samples_} == {expected}
    with pytest.raises(ParameterError, match="cannot be drawn without replacement"):
        tw.RandomForestClassifier(3, max_samples=5 * len(KIND), bootstrap=False).fit(NUMBERS, KIND)


def test_quantiles_are_predicted_where_they_are_asked_for() -> None:
    numbers = NUMBERS[:, 0] + np.arange(N_ROWS) % 3
    forest = tw.RandomForestRegressor(10).fit(NUMBERS, numbers)
    told = forest.predict(NUMBERS[:4], quantiles=[0.1, 0.9])
    assert np.array_equal(told, forest.predict_quantiles(NUMBERS[:4], [0.1, 0.9]))
    assert told.shape == (4, 2)


@pytest.mark.parametrize("made", [*FORESTS, *REGRESSORS])
def test_threads_are_reckoned_for_the_work_of_all_trees(made: Any) -> None:
    assert made(n_estimators=7)._n_trees_grown() == 7
