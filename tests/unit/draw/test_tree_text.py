from __future__ import annotations

import numpy as np
import pytest
from unit.tree.hand_trees import (
    TENNIS,
    build,
    categories,
    chain,
    cut,
    leaf,
    loans,
    mean_leaf,
    nominal,
    numeric,
    play_tennis,
    schema_of,
)

from treewright.errors import ParameterError


def test_the_tree_of_the_lectures() -> None:
    assert play_tennis().text() == (
        "node                           rows  No  Yes\n"
        "   0  (all rows)                 14   5    9\n"
        "   1  ├─ Outlook = Sunny          5   3    2\n"
        "   4  │  ├─ Humidity = High       3   3    0  → No\n"
        "   5  │  └─ Humidity = Normal     2   0    2  → Yes\n"
        "   2  ├─ Outlook = Overcast       4   0    4  → Yes\n"
        "   3  └─ Outlook = Rain           5   2    3\n"
        "   6     ├─ Wind = Weak           3   0    3  → Yes\n"
        "   7     └─ Wind = Strong         2   2    0  → No"
    )


def test_what_lies_below_max_depth_is_counted() -> None:
    assert play_tennis().text(max_depth=1, ascii=True) == (
        "node                         rows  No  Yes\n"
        "   0  (all rows)               14   5    9\n"
        "   1  |- Outlook = Sunny        5   3    2          ... 2 nodes below\n"
        "   2  |- Outlook = Overcast     4   0    4  -> Yes\n"
        "   3  `- Outlook = Rain         5   2    3          ... 2 nodes below"
    )
    assert "… 7 nodes below" in play_tennis().text(max_depth=0)
    assert play_tennis().text(max_depth=9) == play_tennis().text()
    with pytest.raises(ParameterError, match="max_depth=-1 must be at least 0"):
        play_tennis().text(max_depth=-1)


def test_dates_subsets_and_missing_values() -> None:
    text = loans().text()
    for words in (
        "region in {north, west}",
        "opened <= 2024-03-01",
        "rating > fair",
        "income is missing",
    ):
        assert words in text
    assert "or missing" not in text
    assert "income > 80000 or missing" in loans().text(missing=True)


def test_a_regression_tree_shows_mean_and_spread() -> None:
    inner = cut("y", -2.25, mean_leaf(4, 10.0, variance=4.0), mean_leaf(2, 120.125))
    root = cut("x", 0.5, mean_leaf(10, 3.25, variance=1.3), inner)
    assert build(schema_of(numeric("x"), numeric("y")), root).text() == (
        "node                    rows     sd      mean\n"
        "   0  (all rows)          16  38.15      19.5\n"
        "   1  ├─ x <= 0.5         10   1.14  →    3.2\n"
        "   2  └─ x > 0.5           6  51.94      46.7\n"
        "   3     ├─ y <= -2.25     4   2.00  →   10.0\n"
        "   4     └─ y > -2.25      2   0.00  →  120.1"
    )


def test_the_prediction_of_absolute_error_is_a_median() -> None:
    root = cut("x", 0.5, mean_leaf(10, 3.25), mean_leaf(2, 1.0))
    header = build(schema_of(numeric("x")), root, criterion="absolute_error").text().splitlines()[0]
    assert header.split() == ["node", "rows", "impurity", "median"]


def test_many_classes_are_named_by_weight() -> None:
    counts = (5, 1, 0, 40, 7, 2, 0, 1)
    tree = build(schema_of(numeric("x")), cut("x", 1.0, leaf(*counts), leaf(*counts)), "abcdefgh")
    assert "d 40, e 7, a 5, … 3 more    → d" in tree.text()
    assert tree.text(ascii=True).isascii()


def test_a_root_alone() -> None:
    assert build(TENNIS, leaf(5, 9), ["No", "Yes"]).text() == (
        "node              rows  No  Yes\n   0  (all rows)    14   5    9  → Yes"
    )


def test_awkward_names_stay_on_their_line() -> None:
    schema = schema_of(nominal("a\nb" * 5000, "x\ty", "<script>"))
    root = categories(schema.names[0], (["x\ty"], leaf(1, 0)), (["<script>"], leaf(0, 1)))
    lines = build(schema, root, ["line\nbreak", "b"]).text().splitlines()
    assert len(lines) == 4
    assert max(map(len, lines)) < 200


def test_float32_thresholds_read_as_they_were_written() -> None:
    threshold = float(np.float32(0.8))
    tree = build(schema_of(numeric("x")), cut("x", threshold, leaf(1, 0), leaf(0, 1)), "ab")
    assert "x <= 0.8 " in tree.text()


def test_below_forty_levels_the_level_is_a_number() -> None:
    lines = chain(45).text().splitlines()
    assert "[41] x <= 40" in lines[82]
    assert "[40]" not in lines[80]
    assert "x <= 39" in lines[80]
    indents = [len(line) - len(line[5:].lstrip(" ├└─│")) for line in lines[1:]]
    assert max(indents) == indents[-1] == indents[80]


def test_a_multiway_split_on_many_values_is_quick() -> None:
    values = [f"v{i}" for i in range(3000)]
    root = categories("c", *(([value], leaf(1, 0)) for value in values))
    tree = build(schema_of(nominal("c", *values)), root, "ab")
    assert len(tree.text().splitlines()) == 3002
