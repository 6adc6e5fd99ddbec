"""Every value that a model may have comes back as it was, bit for bit and type for type."""

from __future__ import annotations

import decimal
import fractions
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from saved_models import HOSTILE

import treewright as tw
from treewright.errors import ModelFormatError
from treewright.persist.decode import Decoder
from treewright.persist.encode import Encoder
from treewright.state.container import container_pieces, read_state
from treewright.state.json_twin import read_twin, twin_bytes
from treewright.state.model_state import ModelState

VALUES = [
    *(None, True, False, 0, -1, 2**63, -(10**100), 0.1, -0.0, 1e308, 5e-324),
    *(float("inf"), float("-inf"), "", "a", *HOSTILE, b"\x00\xff", 1 + 2j),
    *("two \ud83c\udf33", {"\ud83c\udf33": 1}, {"\ud83c\udf33", "🌳"}),
    *((), (1, (2,)), [], [[1]], {}, {"a": [1]}, {1: "b", None: (3,)}, {1, 2}, frozenset("ab")),
    *(date(2024, 2, 29), datetime(2024, 2, 29, 1, 2, 3, 4), datetime(2024, 1, 1, tzinfo=UTC)),
    *(time(1, 2), timedelta(days=-1, microseconds=3), range(2, 9, 3)),
    *(decimal.Decimal("0.10"), fractions.Fraction(1, 3), {(1, "a"): {"b": (2,)}}),
]
SCALARS = [
    *(np.float64(0.1), np.float32(0.1), np.int8(-3), np.uint64(2**64 - 1), np.bool_(True)),
    *(np.str_("größe"), np.datetime64("2024-01-01", "ns"), np.timedelta64(3, "s")),
    *(np.datetime64("NaT", "D"),),
]
ARRAYS = [
    *(np.arange(n, dtype=dtype) for n in (0, 3, 40) for dtype in ("f8", "f4", "i8", "i2", "u1")),
    *(np.zeros((3, 0)), np.arange(24).reshape(2, 3, 4), np.asfortranarray(np.eye(5))),
    *(np.array([0.1, np.nan, -np.inf, -0.0]), np.linspace(0, 1, 50), np.arange(50) % 2 == 0),
    *(np.array([2**53 + 1, -(2**62)] * 20), np.arange(40, dtype=">f8"), np.array(3.5)),
    *(np.array(["a", "größe"]), np.array(["a"], dtype="U9"), np.array([b"x", b"yz"])),
    *(np.array(["a", None, 3.5, (1, 2)], dtype=object), np.full(20, -0.0)),
    np.array(["2024-01-01", "NaT"], dtype="M8[s]"),
    np.arange(30).astype("m8[ns]"),
]


def there_and_back(value: Any) -> list[Any]:
    encoder = Encoder()
    state = ModelState(
        kind="x", version="0", about={}, model=encoder.whole([value]), arrays=encoder.arrays
    )
    container = b"".join(bytes(piece) for piece in container_pieces(state))
    read = [read_state(container), read_twin(twin_bytes(state))]
    return [Decoder(each.arrays).whole(each.model)[0] for each in read]


@pytest.mark.parametrize(
    "value", VALUES, ids=lambda value: type(value).__name__
)  # sets have no order
def test_plain_values(value: Any) -> None:
    for again in there_and_back(value):
        assert again == value
        assert type(again) is type(value)
        assert repr(again) == repr(value)


def test_not_a_number() -> None:
    for again in there_and_back(float("nan")):
        assert isinstance(again, float)
        assert again != again


@pytest.mark.parametrize("value", SCALARS, ids=repr)
def test_scalars_of_numpy(value: Any) -> None:
    for again in there_and_back(value):
        assert type(again) is type(value)
        assert again.dtype == value.dtype
        assert again.tobytes() == value.tobytes()


@pytest.mark.parametrize("value", ARRAYS, ids=lambda value: f"{value.dtype}{value.shape}")
def test_arrays(value: Any) -> None:
    for again in there_and_back(value):
        assert again.shape == value.shape
        assert again.dtype == value.dtype.newbyteorder("=")
        if value.dtype == object:
            assert again.tolist() == value.tolist()
        else:
            assert again.tobytes() == value.astype(again.dtype).tobytes()


def test_bits_of_unusual_nans() -> None:
    value = np.full(40, np.nan)
    value.view(np.uint64)[:] += np.arange(40, dtype=np.uint64)
    for again in there_and_back(value):
        assert again.tobytes() == value.tobytes()
    for again in there_and_back(value[3:5].copy()):
        assert again.tobytes() == value[3:5].tobytes()


def test_what_is_shared_stays_shared(tmp_path: Path) -> None:
    array, rule = np.linspace(0, 1, 90), tw.Schema(ignore=["a"])
    for again in there_and_back([array, array, rule, rule]):
        assert again[0] is again[1]
        assert again[2] is again[3]


def test_nothing_keeps_the_bytes_of_the_file(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(400, 3))
    tw.save(tw.DecisionTreeRegressor().fit(X, X[:, 0]), tmp_path / "m.tw", why=False)
    tree = tw.load(tmp_path / "m.tw").tree_
    for array in tree.arrays.to_dict().values():
        base: Any = array
        while base.base is not None:
            base = base.base
        assert isinstance(base, np.ndarray)
        assert base.flags.owndata


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ({"objects": [], "model": {"os.system": ["reboot"]}}, "'os.system', which is nothing"),
        ({"objects": [{"class": "os", "state": {}}], "model": None}, "class 'os', which is unk"),
        ({"objects": [], "model": {"is": 0}}, "refers to one that does not stand before it"),
        ({"objects": [{"class": "Tree", "state": {"__class__": 1}}]}, "Tree has no '__class__'"),
        ({"objects": [{"class": "LeafRule", "state": {"x": 1}}]}, "LeafRule has no 'x'"),
        ({"objects": [{"outside": "os", "state": {"map": {}}}]}, "makes no sense"),
        ({"objects": 3}, "'3' where a list is due"),
        ([], "'[]' where a dict is due"),
        ({"objects": [], "model": {"array": "a"}}, "lacks the array 'a'"),
        ({"objects": [], "model": {"texts": ["a"], "dtype": "U99999999", "shape": [1]}}, "texts"),
        ({"objects": [], "model": {"dtype": "O8,O8"}}, ""),
        ({"objects": [], "model": {"decimal": "x"}}, "makes no sense"),
        ({"objects": [], "model": {"numbers": [1.5], "dtype": "int8", "shape": [1]}}, "array is"),
    ],
)
def test_nothing_but_what_is_known_is_made(model: Any, said: str) -> None:
    if said:
        with pytest.raises(ModelFormatError) as told:
            Decoder({}).whole(model)
        assert said in str(told.value)
