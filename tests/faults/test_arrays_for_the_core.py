"""Arrays that lead astray are refused by every function of the core that would follow them.

Each is given them in a process of its own, which is stopped after some seconds: before they were
checked, some crashed and some never returned.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treewright import C45Classifier, DecisionTreeClassifier, ObliqueTreeClassifier, core
from treewright.data.core_columns import lend
from treewright.data.read.table import read_table
from treewright.tree import invariants
from treewright.tree.arrays import TreeArrays

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes to be forked"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of forking beside threads
]
SECONDS = 20
GENERATOR = np.random.default_rng(0)
TABLE = {
    "size": GENERATOR.normal(size=200),
    "colour": GENERATOR.choice(["red", "green", "blue"], 200),
    "age": GENERATOR.integers(0, 9, 200),
}
NUMBERS = GENERATOR.normal(size=(200, 3))
CLASSES = (TABLE["size"] + GENERATOR.normal(size=200) > 0).astype(np.int32)
TARGET = core.Target.classes(CLASSES, [2])
TREE = C45Classifier(confidence=None).fit(TABLE, CLASSES).tree_
N_NODES = TREE.n_nodes


def result_of(work: Callable[[], object]) -> str:
    """Run work in a forked process; the name of what it raises, or how it ended."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(SECONDS)
        try:
            work()
            os.write(writer, b"returned")
        except BaseException as error:
            os.write(writer, type(error).__name__.encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as said:
        name = said.read()
    _, status = os.waitpid(child, 0)
    return name or f"ended by signal {os.WTERMSIG(status)}"


def use(plan: Any, columns: Any) -> None:
    for combine in ("branch_fractions", "leaf_counts"):
        plan.predict(columns, combine, 1)
        core.add_up([plan, plan], columns, combine, 1)
    plan.apply(columns, 1)
    core.apply_all([plan, plan], columns, 1)
    plan.parts(columns)
    plan.paths(columns)


def prune_by_error(arrays: Any) -> Any:
    how = core.ErrorPruning()
    how.set_variant("release8", False)
    how.raising = True
    return core.prune_by_error(lend(read_table(TABLE)), TARGET, [], arrays, how, None)


FOLLOW: dict[str, Callable[[Any], object]] = {
    "plan": lambda arrays: use(core.Plan(arrays, [2], None), lend(read_table(TABLE))),
    "prune by error": prune_by_error,
    "sums below": lambda arrays: core.sums_below(arrays, np.ones(N_NODES), None),
    "cut from below": lambda arrays: core.cut_from_below(
        arrays, np.ones(N_NODES), None, np.ones(N_NODES), 0.0, False
    ),
    "weakest links": lambda arrays: core.weakest_links(arrays, np.arange(float(N_NODES))),
}
every_follower = pytest.mark.parametrize("follower", FOLLOW)


def altered(**entries: tuple[int, int]) -> TreeArrays:
    arrays = {name: np.array(array) for name, array in TREE.arrays.to_dict().items()}
    for name, (place, entry) in entries.items():
        arrays[name][place] = entry
    return TreeArrays(**arrays)


INNER = int(np.flatnonzero(TREE.arrays.n_branches > 0)[1])
ASTRAY = {
    "a child beyond the end": {"first_child": (0, N_NODES - 1)},
    "a child far beyond the end": {"first_child": (0, 2**31 - 1)},
    "a child before the start": {"first_child": (0, -2)},
    "a cycle": {"first_child": (INNER, 0)},
    "its own child": {"first_child": (INNER, INNER)},
    "a shared child": {"first_child": (INNER, 1)},
    "too many branches": {"n_branches": (0, 2**31 - 1)},
    "fewer than no branches": {"n_branches": (0, -1)},
    "a leaf that asks": {"n_branches": (N_NODES - 1, 2)},
    "a parent beyond the end": {"parent": (1, N_NODES)},
    "a parent before the start": {"parent": (1, -2)},
    "a column below 0": {"column": (0, -5)},
    "an unknown question": {"kind": (0, 9)},
    "a missing branch that is none": {"missing_branch": (0, 99)},
    "an unseen branch that is none": {"unseen_branch": (0, 99)},
    "a slice of codes outside": {"code_offset": (0, 2**40)},
}


@every_follower
def test_sound_arrays_are_followed(follower: str) -> None:
    assert result_of(lambda: FOLLOW[follower](altered())) == "returned"


@every_follower
@pytest.mark.parametrize("way", ASTRAY)
def test_arrays_that_lead_astray_are_refused(follower: str, way: str) -> None:
    arrays = altered(**ASTRAY[way])
    assert result_of(lambda: FOLLOW[follower](arrays)) == "ModelFormatError"


@every_follower
def test_arrays_that_do_not_vouch_for_themselves_are_refused(follower: str) -> None:
    plain = TREE.arrays.to_dict()
    assert result_of(lambda: FOLLOW[follower](plain)) == "AttributeError"


@pytest.mark.parametrize("name", ["first_child", "parent", "value", "code", "surrogate_start"])
def test_arrays_of_another_length_are_refused(name: str) -> None:
    arrays = {**TREE.arrays.to_dict()}
    arrays[name] = np.array(arrays[name])[:-1]
    for follow in FOLLOW.values():
        assert result_of(lambda follow=follow: follow(TreeArrays(**arrays))) == "ModelFormatError"


@pytest.mark.parametrize(
    "follow",
    [
        lambda: core.sums_below(TREE.arrays, np.ones(2), None),
        lambda: core.sums_below(TREE.arrays, np.ones(N_NODES), np.ones(2, dtype=bool)),
        lambda: core.weakest_links(TREE.arrays, np.ones(2)),
        lambda: core.cut_from_below(TREE.arrays, np.ones(2), None, np.ones(2), 0.0, False),
        lambda: core.Plan(TREE.arrays, [5], None),
        lambda: core.Plan(TREE.arrays, [2], np.ones((2, 2))),
    ],
)
def test_figures_are_one_for_every_node(follow: Callable[[], object]) -> None:
    assert result_of(follow) == "RuntimeError"


def columns(*, n: int = 3, codes: int = 0) -> Any:
    made = core.Columns()
    made.add_matrix(np.ascontiguousarray(NUMBERS[:, :n]))
    for _ in range(codes):
        made.add_codes(np.zeros(200, dtype=np.int32), 3, False)
    return made


@pytest.mark.parametrize(
    ("model", "given"),
    [
        (DecisionTreeClassifier(), columns(n=1)),
        (DecisionTreeClassifier(), columns(n=0)),
        (DecisionTreeClassifier(), columns(n=0, codes=3)),
        (ObliqueTreeClassifier(), columns(n=1)),
    ],
)
def test_rows_without_the_columns_asked_about_are_refused(model: Any, given: Any) -> None:
    arrays = model.fit(NUMBERS, NUMBERS.sum(axis=1) > 0).tree_.arrays
    plan = core.Plan(arrays, [2], None)
    assert result_of(lambda: use(plan, given)) == "RuntimeError"


def test_numbers_where_categories_are_asked_about_are_refused() -> None:
    plan = core.Plan(TREE.arrays, [2], None)
    assert result_of(lambda: use(plan, columns())) == "RuntimeError"
    assert result_of(lambda: core.apply_all([plan], columns(), 1)) == "RuntimeError"


def rounds_ahead() -> Any:
    return core.RoundsAhead(0.1, np.zeros(2, dtype=np.uint64), [1])


@pytest.mark.parametrize(
    "call",
    [
        lambda plan: core.add_up([plan, None], lend(read_table(TABLE)), "leaf_counts", 1),
        lambda plan: core.add_up([], lend(read_table(TABLE)), "leaf_counts", 1),
        lambda plan: core.apply_all([None, plan], lend(read_table(TABLE)), 1),
        lambda plan: core.make_side_by_side([None], [rounds_ahead()], 0.0, 1),
        lambda plan: core.make_side_by_side([None], [None], 0.0, 1),
        lambda plan: core.make_side_by_side([], [rounds_ahead()], 0.0, 1),
    ],
)
def test_lists_without_what_is_due_are_refused(call: Callable[[Any], object]) -> None:
    plan = core.Plan(TREE.arrays, [2], None)
    assert result_of(lambda: call(plan)) == "RuntimeError"


def grown(given: Any, target: Any, asked: list[int]) -> None:
    options = core.GrowOptions()
    options.columns = asked
    core.grow(given, target, options, None)
    core.Stumps(given, target, options).find(core.AdaBoostRows(np.ones(200), CLASSES, 2), 1)


@pytest.mark.parametrize("code", [3, 99, 2**31 - 1, -3])
def test_codes_of_no_category_are_refused(code: int) -> None:
    codes = np.zeros(200, dtype=np.int32)
    codes[7] = code
    assert result_of(lambda: core.Columns().add_codes(codes, 3, False)) == "RuntimeError"


@pytest.mark.parametrize("code", [2, 99, 2**31 - 1, -1])
def test_codes_of_no_class_are_refused(code: int) -> None:
    codes = CLASSES.copy()
    codes[7] = code
    target = core.Target.classes(codes, [2])
    assert result_of(lambda: grown(columns(), target, [0])) == "RuntimeError"


@pytest.mark.parametrize("asked", [[3], [0, 2**31]])
def test_columns_that_are_not_there_are_refused(asked: list[int]) -> None:
    assert result_of(lambda: grown(columns(), TARGET, asked)) == "RuntimeError"


@pytest.mark.parametrize("leaf", [-5, 2**31 - 1])
def test_leaves_that_no_tree_has_are_refused(leaf: int) -> None:
    leaves = np.zeros(10, dtype=np.int32)
    leaves[3] = leaf
    targets = core.LeafTargets(np.arange(10, dtype=np.uint32), 10, None)
    assert result_of(lambda: targets.add_tree(leaves, None)) == "RuntimeError"
    assert result_of(lambda: core.Proximities(10, 1).add_tree(leaves, None)) == "RuntimeError"


def test_arrays_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    n_checks = 0
    check = invariants.check

    def counted(*given: Any) -> None:
        nonlocal n_checks
        n_checks += 1
        check(*given)

    monkeypatch.setattr(invariants, "check", counted)
    arrays = altered()
    for _ in range(3):
        arrays.checked()
    assert n_checks == 1
    pickle.loads(pickle.dumps(arrays)).checked()  # a pickle may have been altered
    assert n_checks == 2
