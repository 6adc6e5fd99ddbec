"""The container: what is written is read, what is not right is refused by name and byte."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treewright.core import checksum
from treewright.state.container import NewerFormatError, container_pieces, read_state
from treewright.state.model_state import ModelState

ARRAYS: dict[str, Any] = {
    "decimal": np.linspace(0, 1, 40),
    "whole": np.arange(1000, dtype=np.int64) % 7,
    "truth": np.arange(300) % 3 == 0,
    "square": np.arange(600, dtype=np.int32).reshape(30, 20) * 100_003,
    "none": np.empty((0, 3)),
}
STATE = ModelState(kind="Tree", version="0.1.0", about={"a": 1}, model=[1, "x"], arrays=ARRAYS)


def whole(state: ModelState = STATE) -> bytes:
    return b"".join(bytes(piece) for piece in container_pieces(state))


def header_of(data: bytes) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return made


def with_header(data: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    header = header_of(data)
    change(header)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data[8 + int.from_bytes(data[:8], "little") :]


def refusal(data: bytes) -> str:
    with pytest.raises(ValueError, match=r".") as told:
        read_state(data)
    return str(told.value)


def test_arrays_come_back_in_their_types() -> None:
    again = read_state(whole())
    assert (again.kind, again.version, again.about, again.model) == (
        "Tree",
        "0.1.0",
        {"a": 1},
        [1, "x"],
    )
    assert again.arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert again.arrays[name].dtype == array.dtype
        assert again.arrays[name].shape == array.shape
        assert again.arrays[name].tobytes() == array.tobytes()


def test_large_arrays_are_aligned_and_have_no_gaps() -> None:
    big = {"a": np.arange(10, dtype=np.uint8), "b": np.random.default_rng(0).normal(size=1 << 20)}
    data = whole(ModelState(kind="Tree", version="0", about={}, model={}, arrays=big))
    header = header_of(data)
    entries = sorted(
        (each for name, each in header.items() if name != "__metadata__"),
        key=lambda each: each["data_offsets"],
    )
    assert (8 + int.from_bytes(data[:8], "little")) % 8 == 0
    assert entries[0]["dtype"] == "F64"
    end = 0
    for each in entries:
        assert each["data_offsets"][0] == end
        end = each["data_offsets"][1]


def test_safetensors_can_read_it(tmp_path: Any) -> None:
    safetensors = pytest.importorskip("safetensors", reason="safetensors is not installed")
    path = tmp_path / "m.tw"
    path.write_bytes(whole())
    with safetensors.safe_open(path, framework="numpy") as file:
        assert file.metadata()["kind"] == "Tree"
        assert set(file.keys()) >= set(ARRAYS)


def test_a_newer_format_is_told_apart() -> None:
    data = with_header(whole(), lambda header: header["__metadata__"].update(format="3"))
    with pytest.raises(NewerFormatError) as told:
        read_state(data)
    assert told.value.found == 3


def test_only_what_is_told_is_read_if_wanted() -> None:
    data = bytearray(whole())
    offsets = header_of(bytes(data))["decimal"]["data_offsets"]
    data[8 + int.from_bytes(data[:8], "little") + offsets[0]] ^= 1
    assert read_state(bytes(data), only_about=True).about == {"a": 1}
    assert "'decimal'" in refusal(bytes(data))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda h: h.pop("__metadata__"), "does not say that treewright wrote it"),
        (lambda h: h["__metadata__"].update(format="one"), "no 'format'"),
        (lambda h: h["__metadata__"].update(kind=3), "no 'kind'"),
        (lambda h: h["whole"].update(dtype="F128"), "'whole' has the unknown dtype 'F128'"),
        (lambda h: h["whole"].update(shape=[-1]), "'whole' has no shape"),
        (lambda h: h["square"].update(shape=[2**63, 2**63]), "more entries than can be counted"),
        (lambda h: h["square"].update(shape=[7]), "another size than its shape"),
        (lambda h: h["square"].update(data_offsets=[2**64 - 8, 2**64 - 1]), "ends before it"),
        (lambda h: h["square"].update(data_offsets=[9, 3]), "'square' ends before it begins"),
        (lambda h: h["square"].pop("crc32c"), "'square' has no checksum"),
        (lambda h: h["square"].update(crc32c=1), "does not match its checksum"),
        (lambda h: h.pop("square"), "instead of"),
        (lambda h: h.update(more=h["none"] | {"shape": [0]}), None),
        (lambda h: h.update(twice=dict(h["square"])), "instead of"),
        (lambda h: h.update(square=3), "'square' is not described"),
        (lambda h: h["about.json"].update(packed={"dtype": "U8", "shape": [10**12]}), "ten times"),
        (lambda h: h["about.json"].update(packed={"dtype": "U8", "shape": [99]}), "packed wrongly"),
        (lambda h: h["truth"].pop("packed"), None),
    ],
)
def test_a_wrong_header_is_refused(change: Any, said: str | None) -> None:
    data = with_header(whole(), change)
    if said is not None:
        assert said in refusal(data)
    else:
        read_state(data)


def test_the_checksum_is_crc32c() -> None:
    # RFC 3720, appendix B.4.
    of_bytes = {b"\0" * 32: 0x8A9136AA, b"\xff" * 32: 0x62A8AB43, b"123456789": 0xE3069283}
    for given, known in of_bytes.items():
        assert checksum(np.frombuffer(given, dtype=np.uint8)) == known


def test_every_changed_byte_is_noticed() -> None:
    data = whole(ModelState(kind="Tree", version="0", about={}, model={}, arrays={}))
    start = 8 + int.from_bytes(data[:8], "little")
    for place in range(start, len(data)):
        changed = bytearray(data)
        changed[place] ^= 0x10
        assert "does not match its checksum" in refusal(bytes(changed))
