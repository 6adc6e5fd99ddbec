"""Columns that look like the identifier of a group of rows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from treewright.data.identifiers import warn_of_groups
from treewright.data.read.table import read_table
from treewright.errors import GroupsWarning

N_PEOPLE, N_VISITS = 60, 5
WHO = np.repeat(np.arange(N_PEOPLE), N_VISITS)


def people(seed: int = 0) -> tuple[dict[str, Any], Any]:
    """Return visits of people: their age, height and sex, a measurement, and who is ill."""
    random = np.random.default_rng(seed)
    of_person = {
        "age": random.uniform(20, 80, N_PEOPLE).round(2),
        "height": random.normal(170, 9, N_PEOPLE).round(1),
        "sex": random.choice(["f", "m"], N_PEOPLE),
    }
    table = {name: values[WHO] for name, values in of_person.items()}
    table["measured"] = random.normal(size=len(WHO))
    ill = random.random(N_PEOPLE) < 0.5
    return table, (ill[WHO] ^ (random.random(len(WHO)) < 0.1)).astype(np.int64)


def warns(table: Any, y: Any, *, of_classes: bool = True) -> None:
    warn_of_groups(read_table(table), y, of_classes=of_classes, figures="Figures hold")


def test_rows_that_share_the_values_of_several_columns_are_told() -> None:
    table, y = people()
    message = (
        "rows seem to belong to groups: column 'age' has 60 values of about 5 rows each, and rows"
        " of one value have like targets and the same height, sex. Figures hold for such groups,"
        " not for new ones.\n  Hint: fit(..., groups=...) with a label for each group, such as"
        " column 'age'; leave a column that only names the groups out of X."
    )
    with pytest.warns(GroupsWarning, match=f"^{re.escape(message)}$"):
        warns(table, y)


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("patient", [f"p{who}" for who in WHO]),
        ("Subject", WHO),
        ("customer_id", WHO + 0.0),
        ("famID", WHO),
        ("id", [None if who == 3 else who for who in WHO.tolist()]),
    ],
)
def test_a_column_named_as_an_identifier_is_enough(name: str, labels: Any) -> None:
    table, y = people()
    with pytest.warns(GroupsWarning, match=f"column '{name}'"):
        warns({"measured": table["measured"], name: labels}, y)
    with pytest.warns(GroupsWarning, match=f"column '{name}'"):
        warns({name: labels}, y + table["measured"], of_classes=False)


def test_the_order_of_rows_does_not_matter() -> None:
    table, y = people()
    order = np.random.default_rng(5).permutation(len(y))
    with pytest.warns(GroupsWarning, match="column 'age'"):
        warns({name: values[order] for name, values in table.items()}, y[order])


def ordinary() -> list[Any]:
    """Return tables that say nothing about groups, and why."""
    random = np.random.default_rng(3)
    table, y = people()
    n = len(y)
    age = random.integers(20, 80, n)
    return [
        pytest.param(table, random.integers(0, 2, n), id="targets of a group are not alike"),
        pytest.param({"age": table["age"], "sex": table["sex"]}, y, id="one other column"),
        pytest.param(
            {"age": age, "decade": age // 10, "is_old": age > 60}, (age > 60) * 1, id="ranges"
        ),
        pytest.param({"zip": [f"z{who}" for who in WHO], "x": table["measured"]}, y, id="names"),
        pytest.param(
            {f"x{i}": random.normal(size=n).round(1) for i in range(8)}, y, id="rounded numbers"
        ),
        pytest.param({name: values[:30] for name, values in table.items()}, y[:30], id="few rows"),
        pytest.param({"id": random.integers(0, 4, n), "x": age}, y, id="four values"),
        pytest.param({"a": np.ones(n), "b": np.full(n, np.nan)}, y, id="nothing varies"),
    ]


@pytest.mark.parametrize(("table", "y"), ordinary())
def test_ordinary_columns_raise_no_warning(table: Any, y: Any) -> None:
    warns(table, y)  # warnings are errors here


def test_wide_tables_are_looked_at_quickly() -> None:
    y = people()[1]
    wide = {f"x{i}": np.random.default_rng(i).integers(0, 100, len(y)) for i in range(2000)}
    warns(wide, y)
    with pytest.warns(GroupsWarning, match="column 'subject'"):
        warns(wide | {"subject": WHO}, y)
