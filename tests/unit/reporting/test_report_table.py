"""What a table holds, and what in it could mislead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright import report
from treewright.data.read.table import read_frame
from treewright.evaluate.trial.task_data import read_task_data
from treewright.reporting.given import read_given
from treewright.reporting.table.profile import codes_by_first_row, edges_of, profile_of
from treewright.reporting.table.suspicion import TableProfile, table_profile

N = 100


def profiled(X: dict[str, Any], y: Any, **options: Any) -> TableProfile:
    given = read_given(X, y, **options)
    data = read_task_data(given.X, given.y, task=given.task, owner="report")
    return table_profile(given, data)


def classes(n: int = N) -> Any:
    return np.array(["a", "b"] * (n // 2))


def test_a_column_of_numbers() -> None:
    column = read_frame({"x": [1.0, 2.0, 2.0, np.nan]}).column("x")
    found = profile_of("x", column, np.array([0, 0, 1, 1]), 2)
    assert (found.kind, found.n_missing, found.n_distinct) == ("number", 1, 2)
    assert found.values == "1 to 2"
    assert found.bars.tolist() == [[1.0, 0.0], [1.0, 1.0]]


def test_a_column_of_texts_has_the_rest_in_one_bar() -> None:
    values = [f"v{i}" for i in range(12) for _ in range(12 - i)]
    column = read_frame({"t": values}).column("t")
    found = profile_of("t", column, np.zeros(len(values), dtype=np.int64), 1)
    assert found.kind == "text"
    assert found.values == "v0 12, v1 11, v2 10, …"
    assert found.n_rest == 4
    assert found.bars[:, 0].tolist() == [12, 11, 10, 9, 8, 7, 6, 5, 4 + 3 + 2 + 1]


@pytest.mark.parametrize(
    ("values", "kind", "told"),
    [
        ([True, False, True], "yes or no", "yes 2, no 1"),
        (np.array(["2020-01-01", "2020-03-01"], dtype="M8[D]"), "date", "2020-01-01 to 2020-03-01"),
        ([None, None], "text", ""),
        ([5, 5], "number", "5"),
    ],
)
def test_kinds_in_words(values: Any, kind: str, told: str) -> None:
    column = read_frame({"c": values}).column("c")
    found = profile_of("c", column, np.zeros(len(values), dtype=np.int64), 1)
    assert (found.kind, found.values) == (kind, told)


def test_bins_of_long_tails_are_even_on_a_log_scale() -> None:
    numbers = np.exp(np.linspace(0, 10, 200))
    edges, is_log = edges_of(numbers)
    assert is_log
    assert np.diff(np.log(edges)) == pytest.approx(np.log(edges[1] / edges[0]))
    assert not edges_of(np.linspace(1, 2, 200))[1]
    assert np.isfinite(edges_of(2 * np.linspace(-8e307, 8e307, 100))[0]).all()


def test_codes_are_equal_where_values_go_with_each_other() -> None:
    frame = read_frame({"a": ["x", "y", "x", None], "b": [3.0, 1.0, 3.0, np.nan]})
    one, two = (codes_by_first_row(frame.column(name)) for name in ("a", "b"))
    assert one.tolist() == two.tolist() == [0, 1, 0, 2]


def test_columns_that_say_the_same_are_told_and_those_that_differ_in_every_row_are_not() -> None:
    random = np.random.default_rng(0)
    code = random.integers(0, 4, N)
    numbers = random.normal(size=N)
    X = {
        "code": code,
        "name": np.array(["n", "e", "s", "w"])[code],
        "one": numbers,
        "two": numbers[::-1],
        "copy": numbers,
    }
    assert profiled(X, classes()).same == {"name": "code", "copy": "one"}


def test_a_column_that_says_the_answer_alone_is_told() -> None:
    random = np.random.default_rng(0)
    y = classes()
    X = {"x": random.normal(size=N), "paid_back": np.where(y == "a", 10.0, 20.0)}
    assert list(profiled(X, y).alone) == ["paid_back"]
    assert profiled({key: v[:40] for key, v in X.items()}, y[:40]).alone == {}
    numbers = random.normal(size=N)
    rounded = np.round(numbers * 4) / 4
    assert list(profiled({"x": X["x"], "rounded": rounded}, rounded).alone) == ["rounded"]


def test_rows_that_repeat_others_and_rows_that_contradict_them() -> None:
    X = {"x": [1, 1, 1, 2, 2], "y": ["u", "u", "u", "v", "w"]}
    found = profiled(X, ["a", "a", "b", "a", "b"])
    assert found.n_repeated == 1
    assert found.n_contradicting == 1
    assert profiled(X, [1.0, 1.5, 1.5, 2.0, 2.0], task="numbers").n_repeated == 1


@pytest.mark.parametrize(
    ("counts", "rare"),
    [([80, 17, 3], [2]), ([50, 50], []), ([90, 10], [1]), ([2, 1], []), ([40, 20], [])],
)
def test_rare_classes(counts: list[int], rare: list[int]) -> None:
    y = np.repeat(["a", "b", "c"][: len(counts)], counts)
    X = {"x": np.arange(len(y), dtype=float)}
    assert profiled(X, y).rare_classes == rare


def test_what_misleads_is_said_in_the_section() -> None:
    random = np.random.default_rng(0)
    y = classes()
    X = {
        "member_id": np.arange(N) + 7000,
        "same": [1.5] * N,
        "gaps": np.where(np.arange(N) < 40, np.nan, random.normal(size=N)),
        "leak": np.where(y == "a", 1.0, 2.0),
    }
    found = report(X, y, rivals=[])
    page = found.html()
    assert found.sections[0].finding == "leak says the answer almost alone: known beforehand?"
    assert "every value differs: it names rows" in page
    assert "has one value" in page
    assert "missing in 40" in page
    assert len([w for kind, w in found.findings.warnings if kind == "Identifier"]) == 1
    clean = report({"x": random.normal(size=N)}, y, rivals=[])
    assert clean.sections[0].finding == "Nothing in the table looks misleading"


def test_tables_of_any_shape_are_told(recwarn: pytest.WarningsRecorder) -> None:
    three = report({"a": [1, 2, 3], "b": ["x", "y", "z"]}, ["u", "v", "u"], rivals=[])
    assert three.sections[0].finding == "3 rows are few"
    assert any("3 rows are too few" in each for each in three.findings.not_done)
    wide = {f"c{i}": np.arange(60) % (i + 2) for i in range(90)}
    made = report(wide, classes(60), rivals=[])
    assert "30 more columns, without remarks" in made.html()
    twenty = np.array([f"class {i}" for i in range(20)])[np.arange(200) % 20]
    many = report({"x": np.arange(200) % 20 + 0.0}, twenty, rivals=[])
    assert many.findings.value == 0
    assert "and 8 more" in many.html()
    assert [each for each in recwarn if "Identifier" in each.category.__name__] == []
