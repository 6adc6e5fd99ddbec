"""The JSON twin holds the same as the container, for people to read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ModelFormatError
from treewright.state.container import NewerFormatError
from treewright.state.json_twin import read_twin, twin_bytes
from treewright.state.model_state import ModelState

STATE = ModelState(
    kind="Tree",
    version="0.1.0",
    about={"a": 1},
    model={"b": [1]},
    arrays={
        "x": np.array([0.1, np.nan, np.inf, -np.inf, -0.0]),
        "single": np.array([0.1, np.nan], dtype=np.float32),
        "whole": np.array([[1, -(2**63)]]),
        "truth": np.array([True, False]),
    },
)


def altered(**changes: Any) -> bytes:
    return json.dumps({**json.loads(twin_bytes(STATE)), **changes}).encode()


def test_it_comes_back() -> None:
    again = read_twin(twin_bytes(STATE))
    assert (again.kind, again.version, again.about, again.model) == (
        "Tree",
        "0.1.0",
        {"a": 1},
        {"b": [1]},
    )
    for name, array in STATE.arrays.items():
        assert again.arrays[name].dtype == array.dtype
        assert again.arrays[name].tobytes() == array.tobytes()


def test_any_reader_of_json_can_read_it() -> None:
    document = json.loads(twin_bytes(STATE))
    assert document["what"] == "treewright model"
    assert document["arrays"]["x"]["values"] == [0.1, "NaN", "Infinity", "-Infinity", -0.0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"what": "x"}, "does not begin with 'treewright model'"),
        ({"format": "1"}, "no 'format'"),
        ({"kind": 3}, "no 'kind'"),
        ({"arrays": []}, "no 'arrays'"),
        ({"arrays": {"x": {"dtype": "f16", "shape": [], "values": [1]}}}, "unknown dtype 'f16'"),
        ({"arrays": {"x": {"dtype": "int8", "shape": [1], "values": [300]}}}, "int8 does not hold"),
        ({"arrays": {"x": {"dtype": "int8", "shape": [1], "values": [1.5]}}}, "no whole numbers"),
        ({"arrays": {"x": {"dtype": "int8", "shape": [2], "values": [1]}}}, "what its shape says"),
        ({"arrays": {"x": {"dtype": "bool", "shape": [1], "values": [1]}}}, "neither true nor"),
        ({"arrays": {"x": {"dtype": "float64", "shape": [1], "values": [1]}}}, "no decimal"),
        ({"arrays": {"x": {"dtype": "float64", "shape": [1], "values": ["y"]}}}, "is no number"),
        ({"arrays": {"x": 3}}, "is not described"),
    ],
)
def test_what_is_wrong_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=r".") as told:
        read_twin(altered(**changes))
    assert said in str(told.value)


def test_a_newer_format_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NewerFormatError):
        read_twin(altered(format=3))
    (tmp_path / "new.json").write_bytes(altered(format=3))
    with pytest.raises(
        ModelFormatError, match=r"new.json has format 3; this treewright \S+ reads up"
    ) as told:
        tw.load(tmp_path / "new.json")
    assert str(told.value).endswith("Hint: pip install --upgrade treewright")


def test_the_content_decides_how_a_file_is_read(tmp_path: Path) -> None:
    model = tw.CARTClassifier()
    tw.save(model, tmp_path / "a.json")
    tw.save(model, tmp_path / "a.tw")
    (tmp_path / "a.json").rename(tmp_path / "b.tw")
    (tmp_path / "a.tw").rename(tmp_path / "b.json")
    for name in ("b.tw", "b.json"):
        assert type(tw.load(tmp_path / name)) is tw.CARTClassifier
