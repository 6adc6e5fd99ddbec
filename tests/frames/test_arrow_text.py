"""Text of pandas that lies in an array of Arrow is read as text among objects is."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from treewright import DecisionTreeClassifier
from treewright.data.read.table import read_table

pytest.importorskip("pyarrow")

COLOURS = ["red", None, "blue", "é", "", "red", "blue", "red"]
ANSWERS = [0, 1, 1, 0, 1, 0, 1, 0]


def read(dtype: Any, rows: slice = slice(None)) -> tuple[Any, ...]:
    X = pd.DataFrame({"colour": pd.Series(COLOURS, dtype=dtype)}).iloc[rows]
    table = read_table(X)
    tree = DecisionTreeClassifier().fit(X, ANSWERS[rows]).tree_
    return table.columns[0].tolist(), table.schema.columns[0], str(tree)


@pytest.mark.parametrize("rows", [slice(None), slice(1, 7), slice(0, 8, 3)])
@pytest.mark.parametrize("dtype", [pd.StringDtype("pyarrow"), pd.StringDtype("python")])
def test_text_of_arrow_is_read_as_objects_are(dtype: Any, rows: slice) -> None:
    assert read(dtype, rows) == read(object, rows)


def test_text_of_arrow_in_several_pieces_is_one_column() -> None:
    parts = [pd.DataFrame({"colour": pd.Series(list(part), dtype="str")}) for part in ("ab", "ca")]
    table = read_table(pd.concat(parts, ignore_index=True))
    assert table.columns[0].tolist() == [0, 1, 2, 0]
    assert table.schema.columns[0].values == ("a", "b", "c")


def test_text_of_arrow_without_any_value_is_a_blank_column() -> None:
    X = pd.DataFrame({"colour": pd.Series([None, None], dtype="str"), "size": [1, 2]})
    objects = X.astype({"colour": object})
    assert read_table(X).schema.columns[0] == read_table(objects).schema.columns[0]
