"""Derived columns from the tables of every library."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from treewright import C45Classifier, Schema
from treewright.data.read.table import match_table, read_table

Construct = Callable[[Mapping[str, Sequence[Any]]], Any]

COLUMNS: dict[str, list[Any]] = {
    "head": ["circle", "square", None, "square", "circle"],
    "body": ["circle", "circle", "circle", "square", "circle"],
    "mass": [80.0, 60.5, None, 70.0, 75.0],
    "height": [2.0, 1.5, 1.75, 0.0, 1.0],
    "born": [2**60 + 1, 2**60, 3, 4, 5],
    "seen": [2**60, 2**60, 5, 5, 5],
    "in": [datetime(2024, 3, 1), None, datetime(2024, 3, 2), datetime(2024, 3, 2), None],
    "out": [datetime(2024, 3, 3), datetime(2024, 3, 3), *[datetime(2024, 3, 2, 12)] * 3],
    "is_new": [True, None, False, True, False],
    "is_red": [True, True, True, True, False],
}
SCHEMA = Schema().derive(
    "same_shape = head == body",
    "ratio = mass / height",
    "age = seen - born",
    "was_born = born <= seen",
    "stay = out - `in`",
    "agree = is_new == is_red",
)


def test_they_are_the_same_from_every_table(construct: Construct) -> None:
    given = construct(COLUMNS)
    for table in (
        read_table(given, schema=SCHEMA),
        match_table(given, read_table(COLUMNS, schema=SCHEMA).schema, owner="Tree"),
    ):
        same_shape, ratio, age, was_born, stay, agree = table.columns[-6:]
        assert same_shape.tolist() == [1, 0, -1, 1, 1]
        np.testing.assert_array_equal(ratio, [40.0, 60.5 / 1.5, np.nan, np.inf, 75.0])
        assert age.tolist() == [-1, 0, 2, 1, 0]
        assert was_born.tolist() == [0, 1, 1, 1, 1]
        spec, mask = table.schema.column("stay"), table.masks[-2]
        assert mask is not None
        assert mask.tolist() == [True, False, True, True, False]
        assert [spec.format(each) for each in stay[mask]] == [
            "2 days 00:00:00",
            "0 days 12:00:00",
            "0 days 12:00:00",
        ]
        assert agree.tolist() == [1, -1, 0, 1, 1]


def test_a_tree_asks_about_them(construct: Construct) -> None:
    given = construct({name: COLUMNS[name] for name in ("head", "body")})
    schema = Schema().derive("same_shape = head == body")
    model = C45Classifier(schema=schema, min_cases=1)
    model.fit(given, ["ally", "enemy", "enemy", "ally", "ally"])
    assert model.n_features_in_ == 2
    row = construct({"head": ["star"], "body": ["star"]})
    assert model.predict(row).tolist() == ["ally"]
