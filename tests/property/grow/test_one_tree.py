"""One tree, however it is computed: tallies, widths of codes and entries, scans, threads."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle.splits import MISSING_POLICIES
from property.growing import examples, grow, problem_of
from property.tables import small_tables

from treewright.criteria import CLASS_CRITERIA, VALUE_CRITERIA
from treewright.data.read.table import read_table
from treewright.data.read.target import read_classes, read_values
from treewright.data.read.weights import RowWeights
from treewright.grow.fit import fit_tree
from treewright.grow.options import GrowthOptions
from treewright.grow.problem import Problem
from treewright.tree.tree import Tree

WAYS: tuple[dict[str, Any], ...] = (
    {"tally": "lists", "fuse": False},
    {"tally": "lists", "wide": True},
    {"tally": "lists", "wide": True, "fuse": False},
    {"tally": "codes"},
    {"tally": "codes", "wide": True},
    {"tally": "counting", "code_width": 1},
    {"tally": "counting", "code_width": 2},
    {"tally": "counting", "code_width": 4, "wide": True},
    {"tally": "sorting", "code_width": 1},
    {"tally": "sorting", "code_width": 2, "wide": True},
    {"tally": "sorting", "code_width": 4},
)
TASKS = [
    *(("classes", criterion) for criterion in CLASS_CRITERIA),
    *(
        ("counts" if criterion == "poisson" else "numbers", criterion)
        for criterion in VALUE_CRITERIA
    ),
]


@st.composite
def knobs(draw: st.DrawFn, criterion: str) -> dict[str, Any]:
    """Options that go together for every table."""
    is_classification = criterion in CLASS_CRITERIA
    policies = [
        policy
        for policy in MISSING_POLICIES
        if (is_classification or policy != "most_likely_in_class")
        and (criterion != "twoing" or policy != "own_branch")
    ]
    missing = draw(st.sampled_from(policies))
    nominals = ["one_vs_rest"]
    if criterion != "absolute_error":
        nominals.append("subset")
    if criterion != "twoing" and missing != "surrogates":
        nominals.append("multiway")
    return {
        "criterion": criterion,
        "missing": missing,
        "nominal": draw(st.sampled_from(nominals)),
        "threshold_at": draw(st.sampled_from(["midpoint", "observed", "training"])),
        "splitter": draw(st.sampled_from(["best", "best", "random"])),
        "max_leaf_nodes": draw(st.sampled_from([None, None, 4])),
        "min_samples_leaf": draw(st.sampled_from([1, 1, 2])),
        "max_features": draw(st.sampled_from([None, None, 1])),
    }


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(0.75))
def test_every_way_to_tally_gives_the_same_bits(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    sample = data.draw(small_tables(target=target))
    assume(criterion != "poisson" or any(y > 0 for y in sample.target))
    options = data.draw(knobs(criterion))
    ways = WAYS
    if options["missing"] == "surrogates":  # surrogates are looked for in sorted lists
        ways = tuple(way for way in WAYS if way["tally"] == "lists")
    first = grow(sample, tally="lists", **options)
    for way in ways:
        assert grow(sample, **way, **options).arrays.equals(first.arrays), way


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(0.25))
def test_every_way_divides_rows_alike(target: Any, criterion: str, data: st.DataObject) -> None:
    # Shares of shares of weights that do not add exactly: the order of additions shows.
    sample = data.draw(small_tables(target=target, weightings=["awkward"], min_rows=5))
    assume(criterion != "poisson" or any(y > 0 for y in sample.target))
    first = grow(sample, criterion=criterion, missing="divide", nominal="one_vs_rest")
    for way in WAYS:
        tree = grow(sample, criterion=criterion, missing="divide", nominal="one_vs_rest", **way)
        assert tree.arrays.equals(first.arrays), way


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(0.5))
def test_every_way_gives_the_same_bits_for_several_outputs(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    # Up to eight outputs fill a register, more leave a rest.
    sample = data.draw(small_tables(target=target))
    options = data.draw(knobs(criterion))
    assume(options["missing"] != "most_likely_in_class")  # of one target alone
    assume(criterion != "poisson" or any(y > 0 for y in sample.target))
    n_outputs = data.draw(st.sampled_from([2, 3, 8, 11]))
    turns = data.draw(
        st.lists(st.integers(0, sample.n_rows), min_size=n_outputs, max_size=n_outputs)
    )
    labels = list(sample.target)
    if criterion == "ordinal_gini":  # numbers have an order of their own
        labels = [sample.classes.index(label) for label in labels]
    outputs = np.stack([np.roll(np.array(labels), by) for by in turns], axis=1)
    read = read_classes if sample.is_classification else read_values
    ways = WAYS
    if options["missing"] == "surrogates":
        ways = tuple(way for way in WAYS if way["tally"] == "lists")

    def tree_of(**way: Any) -> Tree:
        problem = problem_of(sample, GrowthOptions(**options, **way))
        return fit_tree(replace(problem, target=read(outputs, owner="the test")))

    first = tree_of(tally="lists")
    for way in ways:
        assert tree_of(**way).arrays.equals(first.arrays), way


@pytest.mark.parametrize("target", ["classes", "numbers"])
@given(seed=st.integers(0, 2**32 - 1))
@settings(examples(0.5))
def test_every_way_keeps_to_constraints_alike(target: str, seed: int) -> None:
    # Columns without a direction are scanned beside constrained ones; drawn cuts are, all of them.
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(4, 60))
    columns = {f"c{i}": rng.normal(size=n_rows).round(int(rng.integers(0, 3))) for i in range(4)}
    answers = sum(columns.values()) + rng.normal(size=n_rows)
    read = read_values(answers, owner="the test")
    if target == "classes":
        assume(0 < np.count_nonzero(answers > 0) < n_rows)
        read = read_classes(answers > 0, owner="the test")  # type: ignore[assignment]
    weights = [None, rng.integers(1, 4, n_rows), rng.integers(1, 9, n_rows) / 8, rng.random(n_rows)]
    options = GrowthOptions(
        criterion="gini" if target == "classes" else "squared_error",
        monotonic_cst=rng.integers(-1, 2, 4).tolist(),
        splitter=rng.choice(["best", "random"]),
        max_features=rng.choice([None, 2]),
        min_samples_leaf=int(rng.integers(1, 4)),
    )
    problem = Problem(
        table=read_table(columns),
        target=read,
        weights=RowWeights.read(weights[rng.integers(4)], n_rows),
        options=options,
        seed=seed % 1_000,
    )
    first = grown(problem, tally="lists")
    for way in WAYS:
        assert grown(problem, **way).arrays.equals(first.arrays), way


def large_problem(n_rows: int, n_columns: int, *, target: str, missing: str, seed: int) -> Problem:
    """Numeric, whole-number and nominal columns, some with gaps, that bear on the target."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    signal = np.zeros(n_rows)
    for i in range(n_columns):
        if i % 4 == 3:
            codes = rng.integers(0, 5 + i, n_rows)
            columns[f"c{i}"] = np.array([f"v{code:02d}" for code in codes], dtype=object)
            signal += rng.normal(size=5 + i)[codes]
        elif i % 4 == 2:
            columns[f"c{i}"] = rng.integers(0, 40, n_rows)
        else:
            values = rng.normal(size=n_rows).round(2 if i % 4 else 6)
            signal += values / (1 + i)
            columns[f"c{i}"] = values
        if i % 5 == 1 and columns[f"c{i}"].dtype.kind == "f":
            columns[f"c{i}"][rng.random(n_rows) < 0.1] = np.nan
    noisy = signal + rng.normal(size=n_rows)
    options = GrowthOptions(
        criterion="gini" if target == "classes" else "squared_error", missing=missing, max_depth=9
    )
    read = read_values(noisy, owner="the test")
    if target == "classes":
        cuts = np.quantile(noisy, [0.4, 0.8])
        read = read_classes(np.searchsorted(cuts, noisy), owner="the test")  # type: ignore[assignment]
    return Problem(
        table=read_table(columns), target=read, weights=RowWeights(), options=options, seed=seed
    )


def grown(problem: Problem, **changes: Any) -> Tree:
    return fit_tree(
        Problem(
            table=problem.table,
            target=problem.target,
            weights=problem.weights,
            options=problem.options.replace(**changes),
            seed=problem.seed,
        )
    )


@pytest.mark.parametrize("target", ["classes", "numbers"])
@pytest.mark.parametrize("missing", ["learned_side", "divide", "surrogates", "own_branch"])
def test_threads_do_not_change_a_byte(target: str, missing: str) -> None:
    # 7,000 x 40 = 280,000 > 2^18: the top of the tree is split by all threads, column by column.
    problem = large_problem(7_000, 40, target=target, missing=missing, seed=3)
    one = grown(problem)
    assert one.n_nodes > 100
    for n_threads in (2, 4):
        assert grown(problem, n_threads=n_threads).arrays.equals(one.arrays)


@pytest.mark.parametrize("criterion", ["entropy", "gain_ratio", "chi2", "twoing"])
def test_threads_do_not_change_a_byte_of_other_criteria(criterion: str) -> None:
    problem = large_problem(7_000, 40, target="classes", missing="majority", seed=4)
    one = grown(problem, criterion=criterion, max_depth=5)
    for n_threads in (2, 4):
        tree = grown(problem, criterion=criterion, max_depth=5, n_threads=n_threads)
        assert tree.arrays.equals(one.arrays)


def test_threads_do_not_change_a_byte_of_absolute_error_or_random_splits() -> None:
    problem = large_problem(7_000, 40, target="numbers", missing="majority", seed=5)
    for options in (
        {"criterion": "absolute_error", "nominal": "one_vs_rest", "max_depth": 2},
        {"splitter": "random", "max_features": 20},
        {"max_leaf_nodes": 40},
    ):
        one = grown(problem, **options)
        for n_threads in (2, 4):
            assert grown(problem, n_threads=n_threads, **options).arrays.equals(one.arrays)


@pytest.mark.parametrize("target", ["classes", "numbers"])
@pytest.mark.parametrize("missing", ["learned_side", "divide"])
def test_large_tables_give_the_same_bits_every_way(target: str, missing: str) -> None:
    # More than 2^14 rows: entries begin wide and become narrow further down.
    problem = large_problem(20_000, 14, target=target, missing=missing, seed=6)
    first = grown(problem)
    for way in (
        {"wide": True},
        {"fuse": False},
        {"tally": "codes", "n_threads": 2},
        {"tally": "counting", "code_width": 4},
        {"tally": "sorting", "max_depth": 9},
    ):
        assert grown(problem, **way).arrays.equals(first.arrays), way


@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_drawn_cuts_of_large_tables_are_the_same_every_way(target: str) -> None:
    # Nodes of few rows compare values, those of many search the codebook.
    problem = large_problem(3_000, 14, target=target, missing="learned_side", seed=8)
    options = {"splitter": "random", "max_depth": None}
    first = grown(problem, **options)
    assert first.n_nodes > 500
    for way in ({"tally": "lists"}, {"tally": "codes"}, {"fuse": False}):
        assert grown(problem, **options, **way).arrays.equals(first.arrays), way


def test_a_tree_is_the_same_every_time() -> None:
    problem = large_problem(2_000, 12, target="classes", missing="learned_side", seed=7)
    options = {"splitter": "random", "max_features": 4}
    assert grown(problem, **options).arrays.equals(grown(problem, **options).arrays)
