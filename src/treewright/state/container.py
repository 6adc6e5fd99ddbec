"""The container of a model file: written here, read and checked by the core."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.core import NEWEST_FORMAT, checksum, read_container, read_head
from treewright.state.json_text import json_bytes, parsed_json
from treewright.state.model_state import ModelState
from treewright.state.narrow import deflated, inflated, narrowed

ABOUT, MODEL = "about.json", "model.json"
"""Arrays of bytes that hold JSON."""

MOST_PACKED = 1 << 22
"""Models of at most so many bytes are packed tightly: inflating takes longer than reading."""
_WORTH_PACKING = 256

_NAMES = {
    "F64": "f8",
    "I64": "i8",
    "U64": "u8",
    "F32": "f4",
    "I32": "i4",
    "U32": "u4",
    "I16": "i2",
    "U16": "u2",
    "I8": "i1",
    "U8": "u1",
    "BOOL": "?",
}
_DTYPES = {name: np.dtype(short).newbyteorder("<") for name, short in _NAMES.items()}
_NAME_OF_DTYPE = {np.dtype(short): name for name, short in _NAMES.items()}


class NewerFormatError(ValueError):
    """The file has a format that is newer than is read here."""

    def __init__(self, found: int) -> None:
        super().__init__(found)
        self.found = found


@dataclass(frozen=True)
class _Stored:
    """An array as it is written."""

    name: str
    array: Array
    holds: np.dtype[Any]
    unpacked: Array | None = None

    def entry(self, begin: int) -> dict[str, Any]:
        """Return what the header says of it."""
        entry: dict[str, Any] = {
            "dtype": _NAME_OF_DTYPE[self.array.dtype],
            "shape": list(self.array.shape),
            "data_offsets": [begin, begin + self.array.nbytes],
            "crc32c": checksum(_bytes_of(self.array)),
        }
        if self.unpacked is not None:
            entry["packed"] = {
                "dtype": _NAME_OF_DTYPE[self.unpacked.dtype],
                "shape": list(self.unpacked.shape),
            }
        if self.holds != (self.array if self.unpacked is None else self.unpacked).dtype:
            entry["holds"] = _NAME_OF_DTYPE[self.holds]
        return entry


def _bytes_of(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def container_pieces(state: ModelState) -> Iterator[bytes | memoryview]:
    """Yield the bytes of a model file, piece by piece."""
    texts = {
        ABOUT: np.frombuffer(json_bytes(state.about), dtype=np.uint8),
        MODEL: np.frombuffer(json_bytes(state.model), dtype=np.uint8),
    }
    arrays = {**state.arrays, **texts}
    total = sum(array.nbytes for array in arrays.values())
    stored = [_stored(name, array, total <= MOST_PACKED) for name, array in arrays.items()]
    # From wide entries to narrow ones: then every array is aligned, and there are no gaps.
    stored.sort(key=lambda each: -each.array.itemsize)
    header: dict[str, Any] = {
        "__metadata__": {
            "format": str(state.format),
            "treewright": state.version,
            "kind": state.kind,
        }
    }
    begin = 0
    for each in stored:
        header[each.name] = each.entry(begin)
        begin += each.array.nbytes
    text = json_bytes(header)
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little")
    yield text
    for each in stored:
        yield _bytes_of(each.array).data


def _stored(name: str, array: Array, small: bool) -> _Stored:
    holds = array.dtype
    plain = narrowed(array) if name not in (ABOUT, MODEL) else array
    if not small and plain.nbytes > array.nbytes / 4:
        plain = array  # widening takes longer than reading twice the bytes
    if small and plain.nbytes >= _WORTH_PACKING and name != ABOUT:
        packed = np.frombuffer(deflated(plain), dtype=np.uint8)
        if packed.nbytes <= plain.nbytes * 0.95:
            return _Stored(name, packed, holds, plain)
    return _Stored(name, plain, holds)


def read_state(data: memoryview | bytes, *, only_about: bool = False) -> ModelState:
    """Return the state that a model file holds; a ValueError says what is wrong with it.

    Parameters
    ----------
    data
        The whole file.
    only_about
        Whether to leave out the arrays and what is built of them.
    """
    whole = np.frombuffer(data, dtype=np.uint8)
    if only_about:
        format, version, kind, entries = read_head(whole, whole.nbytes)
        entries = [entry for entry in entries if entry[0] == ABOUT]
    else:
        format, version, kind, entries = read_container(whole)
    if format > NEWEST_FORMAT:
        raise NewerFormatError(format)
    arrays = {}
    for name, dtype, shape, begin, packed, holds in entries:
        stored = np.frombuffer(
            data, dtype=_DTYPES[dtype], count=int(np.prod(shape, dtype=object)), offset=begin
        ).reshape(shape)
        try:
            arrays[name] = _restored(stored, packed, holds)
        except ValueError as error:
            raise ValueError(f"the array {name!r} (byte {begin:,}) {error}") from error
    texts = {}
    for name in (ABOUT,) if only_about else (ABOUT, MODEL):
        if name not in arrays:
            raise ValueError(f"it has no array {name!r}")
        text = arrays.pop(name)
        if text.dtype != np.uint8:
            raise ValueError(f"the array {name!r} holds no text")
        try:
            texts[name] = parsed_json(text.tobytes(), file_size=whole.nbytes)
        except ValueError as error:
            raise ValueError(f"the array {name!r} is wrong: {error}") from error
    return ModelState(
        kind=kind,
        version=version,
        about=texts[ABOUT],
        model=texts.get(MODEL),
        arrays=arrays,
        format=format,
    )


def _restored(
    stored: Array, packed: tuple[str, tuple[int, ...]] | None, holds: str | None
) -> Array:
    """Return an array in the type it had when the model was saved."""
    array = stored
    if packed is not None:
        array = inflated(stored.tobytes(), _DTYPES[packed[0]], packed[1])
    if array.dtype == np.bool_ and (array.view(np.uint8) > 1).any():
        raise ValueError("has a truth value that is neither 0 nor 1")
    if holds is None:
        return array
    dtype = _DTYPES[holds]
    widened = array.astype(dtype)
    if dtype.kind in "iu" and array.dtype.kind == "f":
        raise ValueError("has decimal numbers where whole ones are due")
    return widened
