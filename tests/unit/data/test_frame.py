"""Frame: a small immutable table."""

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from treewright.data.column import Column, text_column
from treewright.data.examples.load import load_example
from treewright.data.frame import Frame
from treewright.data.objects import read_objects
from treewright.errors import ColumnMismatchError, DataError


@pytest.fixture
def frame() -> Frame:
    sizes = Column(
        storage="value",
        data=np.array([2, 0, -1], dtype=np.int32),
        values=("small", "medium", "large"),
        fixed=True,
        ordered=True,
    )
    return Frame(
        {
            "count": read_objects([2**60 + 1, None, 3], "count"),
            "weight": read_objects([1.5, None, 2.25], "weight"),
            "name": text_column(["b", None, "a"]),
            "size": sizes,
            "is_new": read_objects([True, False, True], "is_new"),
            "day": read_objects(
                [np.datetime64("2024-03-01"), None, np.datetime64("NaT", "D")], "day"
            ),
        },
        weights=np.array([1.0, 2.0, 3.0]),
    )


def test_columns_and_rows_are_taken(frame: Frame) -> None:
    assert frame.shape == (3, 6)
    assert list(frame) == list(frame.columns)
    assert frame.select(["name", "count"]).columns == ("name", "count")
    assert frame.drop("name", "day").columns == ("count", "weight", "size", "is_new")
    assert frame["name"].tolist() == ["b", None, "a"]
    for some in (frame[[2, 0]], frame.rows(np.array([2, 0])), frame.rows(slice(None, None, -2))):
        assert some["name"].tolist() == ["a", "b"]
        assert some.weights is not None
        assert some.weights.tolist() == [3.0, 1.0]
    assert frame[np.array([False, True, False])]["count"].tolist() == [None]
    assert len(frame[[]]) == 0


def test_what_the_source_declared_is_its_schema(frame: Frame) -> None:
    assert frame.schema.order == {"size": ("small", "medium", "large")}
    assert frame.schema.values == {}
    assert load_example("play_tennis").X.schema.values["Wind"] == ("Weak", "Strong")


def test_a_pandas_frame_is_made(frame: Frame) -> None:
    made = frame.to_pandas()
    assert str(made["count"].dtype) == "Int64"
    assert made["count"].tolist()[0] == 2**60 + 1
    assert made["size"].cat.ordered
    assert made["size"].cat.categories.tolist() == ["small", "medium", "large"]
    assert made["day"].isna().tolist() == [False, True, True]


def test_a_polars_frame_is_made(frame: Frame) -> None:
    made = frame.to_polars()
    assert made["count"].to_list() == [2**60 + 1, None, 3]
    assert made["weight"].to_list() == [1.5, None, 2.25]
    assert made["size"].to_list() == ["large", "small", None]
    assert made["is_new"].to_list() == [True, False, True]
    assert made["day"].null_count() == 2


def test_time_zones_survive() -> None:
    import pandas as pd

    instants = pd.DatetimeIndex(["2024-03-01 12:00"], tz="Europe/Berlin")
    from treewright.data.read.table import read_frame

    frame = read_frame(pd.DataFrame({"at": instants}))
    assert frame.to_pandas()["at"].tolist() == instants.tolist()
    assert (
        str(frame.to_polars()["at"].dtype) == "Datetime(time_unit='ns', time_zone='Europe/Berlin')"
    )
    assert "2024-03-01 12:00:..." in repr(frame)


def test_it_prints_its_first_rows(frame: Frame) -> None:
    assert repr(frame.select(["weight", "name", "day"])) == (
        "Frame: 3 rows, 3 columns\n"
        "weight  name  day\n"
        "1.5     b     2024-03-01\n"
        "?       ?     ?\n"
        "2.25    a     ?"
    )
    long = Frame({"x" * 30: text_column(["y" * 30] * 12)})
    assert repr(long).endswith("... 2 more rows")
    assert max(map(len, repr(long).splitlines()[1:])) == 20


def test_scikit_learns_splitters_take_it() -> None:
    example = load_example("iris")
    X_train, X_test, y_train, _ = train_test_split(example.X, example.y, random_state=0)
    assert isinstance(X_train, Frame)
    assert (len(X_train), len(X_test), len(y_train)) == (112, 38, 112)


def test_unknown_columns_and_unequal_lengths_are_errors(frame: Frame) -> None:
    with pytest.raises(ColumnMismatchError, match=r"no column 'nam'[\s\S]*did you mean 'name'\?"):
        frame["nam"]
    with pytest.raises(ColumnMismatchError, match="no column 'target'"):
        frame.drop("target")
    with pytest.raises(DataError, match=r"one length, not \[1, 2\]"):
        Frame({"a": text_column(["x"]), "b": text_column(["x", "y"])})


def test_one_position_is_a_frame_of_one_row(frame: Frame) -> None:
    assert len(frame[0]) == 1
    assert frame[2]["name"].tolist() == ["a"]
    assert frame[-1]["name"].tolist() == ["a"]
    with pytest.raises(IndexError, match="out of bounds"):
        frame[9]
