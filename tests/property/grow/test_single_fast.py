"""Single trees by the fast grower of forests are those of the grower that knows everything."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property.growing import examples

from treewright.core import grow
from treewright.data.core_columns import lend
from treewright.data.read.table import read_table
from treewright.data.read.target import read_classes, read_values
from treewright.data.read.weights import RowWeights
from treewright.grow.options import GrowthOptions
from treewright.grow.problem import Problem

Array = np.ndarray[Any, Any]

_FLOATS = (-np.inf, -1e300, -1.5, -0.0, 0.0, 0.1, 1.0, np.nextafter(1.0, 2.0), 2.5, 1e300, np.inf)
_SINGLES = (-np.inf, -2.5, -0.0, 0.0, 0.125, 1.0, 1.0000001, 3.0, 2.0**100, np.inf)
_WHOLES = (-(2**51), -3, 0, 1, 2, 5, 6, 2**40, 2**51)
# A node whose targets lie closer together than its parent's gets a finer grid (decision 2).
_TARGETS = (-100.0, -2.0, 0.0, 0.1, 0.1 + 2.0**-40, 1.0 / 3.0, 1.0, 7.0, 33.0, 1e6)
_SIZES = (1.0, 1e-6, 1e9, 2.0**60)


def problem_of(columns: dict[str, Array], target: Array, **options: Any) -> Problem:
    is_classes = target.dtype.kind != "f"
    options.setdefault("criterion", "gini" if is_classes else "squared_error")
    read: Any = read_classes if is_classes else read_values
    return Problem(
        table=read_table(columns),
        target=read(target, owner="the test"),
        weights=RowWeights(),
        options=GrowthOptions(**options),
        seed=0,
    )


def check_both_ways(problem: Problem) -> int:
    """Compare all arrays of both engines, bit for bit; return the number of nodes."""
    columns, target, options = lend(problem.table), problem.core_target(), problem.core_options()
    fast, engine = grow(columns, target, options, None)
    assert engine == "best_cuts"
    general, engine = grow(columns, target, options, None, engine="general")
    assert engine == "general"
    assert fast.keys() == general.keys()
    for name, array in general.items():
        assert isinstance(array, np.ndarray)
        made = fast[name]
        assert isinstance(made, np.ndarray)
        assert (made.dtype, made.shape) == (array.dtype, array.shape), name
        assert made.tobytes() == array.tobytes(), name
    return len(general["kind"])  # type: ignore[arg-type]


@st.composite
def columns(draw: st.DrawFn, n_rows: int) -> Array:
    kind = draw(st.sampled_from(["float", "single", "whole", "many", "names"]))
    if kind == "names":  # two levels to one for each row
        levels = draw(st.sampled_from([2, 3, 9, 12, 40, 200]))
        codes = np.random.default_rng(draw(st.integers(0, 1000))).integers(0, levels, n_rows)
        return np.array([f"n{code}" for code in codes], object)
    if kind == "many":  # mostly distinct
        return np.random.default_rng(draw(st.integers(0, 1000))).normal(size=n_rows)
    pool, dtype = {
        "float": (_FLOATS, np.float64),
        "single": (_SINGLES, np.float32),
        "whole": (_WHOLES, np.int64),
    }[kind]
    few = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=len(pool)))
    return np.array(draw(st.lists(st.sampled_from(few), min_size=n_rows, max_size=n_rows)), dtype)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    n_rows = draw(st.integers(2, 60))
    table = {f"x{i}": draw(columns(n_rows)) for i in range(draw(st.integers(1, 5)))}
    share = draw(st.sampled_from([0.0, 0.0, 0.05, 0.4, 0.9]))
    if share > 0:
        kept = draw(st.sampled_from([None, *table]))  # a column without gaps beside the others
        rng = np.random.default_rng(draw(st.integers(0, 1000)))
        for name, column in table.items():
            if name == kept:
                continue
            if column.dtype == object:
                table[name][1:][rng.random(n_rows - 1) < share] = None  # one name gives the type
                continue
            single = column.dtype == np.float32
            table[name] = column.astype(np.float32 if single else np.float64)
            table[name][rng.random(n_rows) < share] = np.nan
    n_classes = draw(st.sampled_from([0, 2, 2, 4]))
    pool = _TARGETS if n_classes == 0 else range(n_classes)
    target = np.array(draw(st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows)))
    if n_classes > 0:
        target[:2] = 0, 1  # one class alone is a leaf
    else:
        target = target * draw(st.sampled_from(_SIZES)) + draw(st.sampled_from([0.0, 5.0]))
    by_classes = {"criterion": draw(st.sampled_from(["gini", "entropy"]))} if n_classes > 0 else {}
    times = draw(st.sampled_from([1, 1, 3, 90]))  # beyond 4,096 rows lists are not renumbered
    return problem_of(
        {name: np.tile(column, times) for name, column in table.items()},
        np.tile(target, times),
        max_depth=draw(st.sampled_from([None, None, 1, 4])),
        max_leaf_nodes=draw(st.sampled_from([None, None, 2, 5, 40])),
        max_features=draw(st.sampled_from([None, None, 1, 2])),
        min_samples_leaf=draw(st.integers(1, 4)),
        min_samples_split=draw(st.sampled_from([2, 2, 7, 0.4])),
        min_fraction_leaf=draw(st.sampled_from([0.0, 0.0, 0.1])),
        min_impurity_decrease=draw(st.sampled_from([0.0, 0.0, 0.01])),
        threshold_at="midpoint",
        nominal=draw(st.sampled_from(["subset", "subset", "one_vs_rest"])),
        **by_classes,
    )


# A name for each row is a hard case, and warned about.
@pytest.mark.filterwarnings("ignore::treewright.errors.IdentifierWarning")
@given(problem=problems())
@examples(3.0)
def test_small_tables_give_the_same_bits_by_either_engine(problem: Problem) -> None:
    check_both_ways(problem)


def made_table(kind: str, n_rows: int, n_columns: int) -> dict[str, Array]:
    rng = np.random.default_rng(n_rows)
    made = rng.normal(size=(n_rows, n_columns))
    if kind == "counts":
        made = rng.poisson(4, size=made.shape).astype(float)
    table = {f"x{i}": made[:, i].copy() for i in range(n_columns)}
    if kind == "gaps":
        for i in range(0, n_columns, 2):
            table[f"x{i}"][rng.random(n_rows) < 0.25] = np.nan
    if kind == "constant below":  # a column whose values differ on one side of the first cut alone
        table["x1"][table["x0"] > 0] = 1.0
    return table


@pytest.mark.parametrize("n_classes", [0, 2, 5])
@pytest.mark.parametrize("kind", ["decimals", "counts", "gaps", "constant below"])
def test_large_tables_give_the_same_bits_and_numbers_of_nodes(kind: str, n_classes: int) -> None:
    # 40,000 x 8 > 2^18: nodes that all threads divide together are numbered before the others;
    # with two threads the fast grower grows parts, too.
    table = made_table(kind, 40_000, 8)
    score = sum(np.nan_to_num(table[f"x{i}"]) / (1 + i) for i in range(8))
    score = score + np.random.default_rng(1).normal(size=40_000)
    target: Array = np.asarray(score)
    if n_classes > 0:
        target = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    for n_threads in (1, 2):
        n_nodes = check_both_ways(problem_of(table, target, n_threads=n_threads))
        assert n_nodes > 5_000
        others: list[dict[str, Any]] = [{"max_leaf_nodes": 255}, {"max_features": 3}]
        for options in others + [{"criterion": "entropy"}] * (n_classes > 0):
            check_both_ways(problem_of(table, target, n_threads=n_threads, **options))


def test_targets_far_from_zero_are_put_on_finer_grids_alike() -> None:
    # Nodes far down differ from one another by a millionth of the range of all targets.
    rng = np.random.default_rng(2)
    table = {f"x{i}": rng.normal(size=3_000) for i in range(3)}
    target = 1e9 * (table["x0"] > 0) + 1e3 * (table["x1"] > 0) + rng.normal(size=3_000)
    check_both_ways(problem_of(table, target))


@pytest.mark.parametrize(
    "options",
    [
        {"missing": "divide"},
        {"splitter": "random"},
        {"monotonic_cst": [1, 0, 0, 0]},
        {"thresholds": "class_boundaries"},
        {"tally": "counting"},
        {"fuse": False},
    ],
)
def test_other_options_are_for_the_general_engine(options: dict[str, Any]) -> None:
    table = made_table("decimals", 200, 4)
    target = (table["x0"] > 0).astype(int)
    problem = problem_of(table, target, **options)
    _, engine = grow(lend(problem.table), problem.core_target(), problem.core_options(), None)
    assert engine == "general"


def test_a_policy_that_is_not_served_is_seen_when_a_gap_is_found() -> None:
    table = made_table("gaps", 300, 4)
    target = (table["x1"] > 0).astype(int)
    problem = problem_of(table, target, missing="majority")
    _, engine = grow(lend(problem.table), problem.core_target(), problem.core_options(), None)
    assert engine == "general"
    del table["x0"], table["x2"]
    assert check_both_ways(problem_of(table, target, missing="majority")) > 1


@pytest.mark.parametrize("n_classes", [0, 2, 5])
@pytest.mark.parametrize("n_decimals", [0, 4])
def test_large_tables_with_names_give_the_same_bits(n_classes: int, n_decimals: int) -> None:
    rng = np.random.default_rng(5)
    n_rows = 30_000  # nodes that all threads divide together, and parts of one thread each
    table = made_table("gaps", n_rows, n_decimals) if n_decimals > 0 else {}
    for levels in (3, 20, 30, 400):
        codes = rng.integers(0, levels, n_rows)
        table[f"n{levels}"] = np.array([f"n{i}" for i in range(levels)], object)[codes]
    table["n3"][rng.random(n_rows) < 0.1] = None
    score = (codes % 7) + rng.normal(size=n_rows)
    target: Array = score
    if n_classes > 0:
        target = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    for n_threads in (1, 2):
        others: list[dict[str, Any]] = [{}, {"max_leaf_nodes": 100}, {"max_features": 3}]
        for options in others + [{"criterion": "entropy"}] * (n_classes > 0):
            assert check_both_ways(problem_of(table, target, n_threads=n_threads, **options)) > 100


def test_questions_with_more_branches_are_for_the_general_engine() -> None:
    table = made_table("decimals", 200, 2)
    table["name"] = np.array(["a", "b"] * 100, dtype=object)
    problem = problem_of(table, (table["x0"] > 0).astype(int), nominal="multiway")
    _, engine = grow(lend(problem.table), problem.core_target(), problem.core_options(), None)
    assert engine == "general"


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5])
@pytest.mark.parametrize("share", [0.0, 0.9])
def test_few_classes_of_many_tied_rows_make_the_same_tree(n_classes: int, share: float) -> None:
    # More rows tie than are counted at once (list_measures.hpp), and the root has all rows.
    random = np.random.default_rng(n_classes)
    n_rows = 9_001
    target = np.where(random.random(n_rows) < share, 0, random.integers(0, n_classes, n_rows))
    columns = {
        "flag": (random.random(n_rows) < 0.03).astype(np.int64),
        "tenths": np.round(random.random(n_rows) + 0.2 * target, 1),
        "decimal": random.random(n_rows) + 0.1 * target,
        "text": np.array(["no", "yes"], object)[(random.random(n_rows) < 0.3).astype(int)],
        "names": np.array(list("abcde"), object)[(target + random.integers(0, 4, n_rows)) % 5],
    }
    columns["text"][random.integers(0, n_rows, 50)] = None
    columns["names"][random.integers(0, n_rows, 50)] = None
    assert check_both_ways(problem_of(columns, target, max_depth=5)) > 10
