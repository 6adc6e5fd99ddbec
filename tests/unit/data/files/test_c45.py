"""C4.5's pairs of files."""

from pathlib import Path

import pytest

from treewright import C45Classifier, read
from treewright.errors import FileFormatError

NAMES = """play, don't play.  | the classes

outlook:     sunny, overcast,
             rain.
temperature: continuous.
id:          ignore.
windy:       true, false.
size:        [ordered] small, medium, large.
site:        discrete 3.
"""
DATA = """sunny, 85, 1, false, small, a\\,b, don't play
overcast, 83, 2, ?, large, c, play.  | a comment
rain, ?, 3, true, medium, c, play
"""


@pytest.fixture
def golf(tmp_path: Path) -> Path:
    (tmp_path / "golf.names").write_text(NAMES)
    (tmp_path / "golf.data").write_text(DATA)
    return tmp_path / "golf.data"


@pytest.mark.parametrize("suffix", [".data", ".names"])
def test_declared_attributes_and_classes(golf: Path, suffix: str) -> None:
    frame = read(golf.with_suffix(suffix))
    assert frame.columns == ("outlook", "temperature", "windy", "size", "site", "class")
    assert frame["outlook"].tolist() == ["sunny", "overcast", "rain"]
    assert frame["temperature"].tolist() == [85, 83, None]
    assert frame["windy"].tolist() == ["false", None, "true"]
    assert frame["site"].tolist() == ["a,b", "c", "c"]
    assert frame.schema.order == {"size": ("small", "medium", "large")}
    assert frame.column("class").values == ("play", "don't play")
    assert (
        C45Classifier()
        .fit(frame.drop("class"), frame["class"])
        .score(frame.drop("class"), frame["class"])
        >= 2 / 3
    )


def test_a_description_in_prose_is_none(tmp_path: Path) -> None:
    (tmp_path / "iris.names").write_text("1. Title: Iris Plants\n2. Sources:\n  (a) Fisher\n")
    (tmp_path / "iris.data").write_text("5.1,Iris-setosa\n4.9,Iris-setosa\n")
    assert read(tmp_path / "iris.data", header=False)["x0"].tolist() == [5.1, 4.9]


def test_the_class_may_be_an_attribute(tmp_path: Path) -> None:
    (tmp_path / "a.names").write_text("b.\na: continuous.\nb: x, y.\nc := a * 2.\n")
    (tmp_path / "a.test").write_text("1,x\n2,y\n")
    assert read(tmp_path / "a.test").columns == ("a", "b")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sunny, 85, 1, false, small, c", r"golf.data, line 4 has 6 fields, not 7"),
        (
            "foggy, 85, 1, false, small, c, play",
            "'outlook' of row 3 is 'foggy', which is not declared",
        ),
        (
            "rain, warm, 1, false, small, c, play",
            "'temperature' is continuous, but row 3 holds 'warm'",
        ),
    ],
)
def test_a_case_that_was_not_declared_is_refused(golf: Path, line: str, said: str) -> None:
    golf.write_text(DATA + line + "\n")
    with pytest.raises(FileFormatError, match=said):
        read(golf)
