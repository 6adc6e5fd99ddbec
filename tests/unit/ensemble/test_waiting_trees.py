"""Trees that are made when one of them is first asked for, as those of forests with names are."""

from __future__ import annotations

import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.ensemble.waiting_trees import WaitingTrees
from treewright.errors import MemoryLimitError
from treewright.forest.problem import ForestProblem
from treewright.tree.invariants import check

RANDOM = np.random.default_rng(5)
N_ROWS = 400
X = {"size": RANDOM.normal(size=N_ROWS), "kind": RANDOM.choice(["red", "green"], N_ROWS)}
Y = (X["size"] + (X["kind"] == "red") > 0.5).astype(int)


def forest() -> Any:
    return tw.RandomForestClassifier(4, random_state=1).fit(X, Y)


def are_made(model: Any) -> bool:
    made: bool = model.ensemble_.trees._trees.are_made
    return made


def test_trees_are_made_once_by_whichever_thread_asks_first() -> None:
    calls = []

    def make() -> list[Any]:
        calls.append(1)
        return [object() for _ in range(3)]

    trees = WaitingTrees(3, make)
    assert len(trees) == 3
    assert not trees.are_made
    with ThreadPoolExecutor(4) as pool:
        first = list(pool.map(lambda _: trees[0], range(8)))
    assert len(calls) == 1
    assert trees.are_made
    assert all(each is first[0] for each in first)
    assert len(trees[:2]) == 2


def test_trees_that_could_not_be_made_wait_on() -> None:
    answers: list[Any] = [MemoryError(), [1, 2]]

    def make() -> Any:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    trees = WaitingTrees(2, make)
    with pytest.raises(MemoryError):
        trees[0]
    assert not trees.are_made
    assert list(trees) == [1, 2]


def test_a_forest_with_names_unpacks_its_trees_when_it_predicts() -> None:
    model = forest()
    assert len(model.ensemble_) == 4
    assert not are_made(model)
    model.predict(X)
    assert are_made(model)


def test_waiting_trees_are_pickled_as_those_that_were_made() -> None:
    asked, waiting = forest(), forest()
    asked.predict(X)
    assert pickle.dumps(waiting.ensemble_.trees) == pickle.dumps(asked.ensemble_.trees)
    loaded = pickle.loads(pickle.dumps(waiting))
    assert np.array_equal(loaded.predict_proba(X), asked.predict_proba(X))


def test_waiting_trees_of_numbers_and_weights_are_those_that_were_grown() -> None:
    weight = RANDOM.integers(1, 4, N_ROWS)
    target = X["size"] + RANDOM.normal(size=N_ROWS)
    model, again = (
        tw.ExtraTreesRegressor(3, random_state=1).fit(X, target, sample_weight=weight)
        for _ in range(2)
    )
    assert not are_made(model)
    for one, other in zip(model.ensemble_, again.ensemble_, strict=True):
        assert one.arrays.equals(other.arrays)


@pytest.mark.parametrize("made", [tw.RandomForestClassifier, tw.ExtraTreesClassifier])
@pytest.mark.parametrize("more", [{}, {"criterion": "entropy"}, {"unseen": "majority"}])
def test_trees_that_are_taken_on_trust_keep_every_invariant(made: Any, more: Any) -> None:
    table = {**X, "many": RANDOM.choice(np.array([f"v{i}" for i in range(300)]), N_ROWS)}
    gaps = np.where(RANDOM.random(N_ROWS) < 0.1, np.nan, RANDOM.normal(size=N_ROWS))
    model = made(5, random_state=2, **more).fit({**table, "gaps": gaps}, Y)
    for tree in model.ensemble_:
        check(tree.arrays, tree.schema)


def test_trees_that_do_not_fit_into_memory_wait_on(monkeypatch: pytest.MonkeyPatch) -> None:
    model = forest()

    def out_of_memory(*args: Any, **kwargs: Any) -> Any:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr("treewright.forest.problem.tree_of", out_of_memory)
        with pytest.raises(MemoryLimitError, match="unpacking 4 trees ran out of memory"):
            model.predict(X)
    assert len(model.predict(X)) == N_ROWS


def test_waiting_trees_do_not_keep_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = []
    grow = ForestProblem.grow

    def noting(self: ForestProblem, *args: Any, **kwargs: Any) -> Any:
        problems.append(weakref.ref(self.problem))
        return grow(self, *args, **kwargs)

    monkeypatch.setattr(ForestProblem, "grow", noting)
    ensemble = forest().ensemble_
    gc.collect()
    assert problems
    assert problems[0]() is None
    assert len(list(ensemble)) == 4
