"""The JSON twin of a model file: the same state as one readable text, without loss."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.core import NEWEST_FORMAT
from treewright.state.container import NewerFormatError
from treewright.state.json_text import json_bytes, parsed_json
from treewright.state.model_state import FORMAT, ModelState

_DTYPES = {
    np.dtype(name).name: np.dtype(name)
    for name in ("f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?")
}
_WORDS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_USUAL_NAN = 0x7FF8000000000000


def twin_bytes(state: ModelState) -> bytes:
    """Return the JSON text of a state."""
    arrays = {
        name: {
            "dtype": array.dtype.name,
            "shape": list(array.shape),
            "values": _values(array),
        }
        for name, array in state.arrays.items()
    }
    document = {
        "what": FORMAT,
        "format": state.format,
        "treewright": state.version,
        "kind": state.kind,
        "about": state.about,
        "model": state.model,
        "arrays": arrays,
    }
    # A line for each part, array and object: what people look for with a text editor.
    return (
        b"{\n"
        + b",\n".join(json_bytes(key) + b": " + _by_lines(value) for key, value in document.items())
        + b"\n}\n"
    )


def _by_lines(value: Any) -> bytes:
    if not isinstance(value, dict) or not value:
        return json_bytes(value)
    lines = (json_bytes(key) + b": " + json_bytes(each) for key, each in value.items())
    return b"{\n" + b",\n".join(lines) + b"\n}"


def _values(array: Array) -> list[Any]:
    values: list[Any] = array.reshape(-1).tolist()
    if array.dtype.kind == "f":
        for place in np.flatnonzero(~np.isfinite(array.reshape(-1))).tolist():
            values[place] = _word_of(array.reshape(-1)[place])
    return values


def _word_of(value: Any) -> str:
    """Return the text of a number that JSON has no number for; an unusual NaN as its bits."""
    if value == np.inf:
        return "Infinity"
    if value == -np.inf:
        return "-Infinity"
    (bits,) = struct.unpack("<Q", struct.pack("<d", float(value)))
    if value.dtype != np.float64 or bits == _USUAL_NAN:
        return "NaN"
    return hex(bits)


def read_twin(text: bytes | memoryview, *, only_about: bool = False) -> ModelState:
    """Return the state that a JSON text holds; a ValueError says what is wrong with it."""
    document = parsed_json(text)
    if not isinstance(document, dict) or document.get("what") != FORMAT:
        raise ValueError(f"it does not begin with {FORMAT!r}")
    format = document.get("format")
    if type(format) is not int or format < 1:
        raise ValueError("it has no 'format'")
    if format > NEWEST_FORMAT:
        raise NewerFormatError(format)
    for name, kind in (("treewright", str), ("kind", str), ("arrays", dict)):
        if not isinstance(document.get(name), kind):
            raise ValueError(f"it has no {name!r}")
    for name in ("about", "model"):
        if name not in document:
            raise ValueError(f"it has no {name!r}")
    arrays = {}
    for name, entry in {} if only_about else document["arrays"].items():
        try:
            arrays[name] = _array(entry)
        except ValueError as error:
            raise ValueError(f"the array {name!r} {error}") from error
    return ModelState(
        kind=document["kind"],
        version=document["treewright"],
        about=document["about"],
        model=document["model"],
        arrays=arrays,
        format=format,
    )


def _array(entry: Any) -> Array:
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "values"}:
        raise ValueError("is not described by dtype, shape and values")
    dtype = _DTYPES.get(entry["dtype"]) if isinstance(entry["dtype"], str) else None
    if dtype is None:
        raise ValueError(f"has the unknown dtype {entry['dtype']!r:.40}")
    shape, values = entry["shape"], entry["values"]
    is_shape = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
    if not is_shape or len(shape) > 8 or not isinstance(values, list):
        raise ValueError("has no shape")
    if int(np.prod(shape, dtype=object)) != len(values):
        raise ValueError(f"has {len(values)} values, which is not what its shape says")
    return _typed(values, dtype).reshape(shape)


def _typed(values: list[Any], dtype: np.dtype[Any]) -> Array:
    types = set(map(type, values))
    if dtype.kind == "b":
        if not types <= {bool}:
            raise ValueError("has values that are neither true nor false")
        return np.array(values, dtype=dtype)
    if dtype.kind in "iu":
        if not types <= {int}:
            raise ValueError("has values that are no whole numbers")
        limits = np.iinfo(dtype)
        if values and (min(values) < limits.min or max(values) > limits.max):
            raise ValueError(f"has whole numbers that {dtype.name} does not hold")
        return np.array(values, dtype=dtype)
    if not types <= {float, str}:
        raise ValueError("has values that are no decimal numbers")
    words = [place for place, value in enumerate(values) if type(value) is str]
    unusual = {place: values[place] for place in words if values[place] not in _WORDS}
    for place in words:
        values[place] = _WORDS.get(values[place], 0.0)
    array = np.array(values, dtype=np.float64)
    for place, word in unusual.items():
        array.view(np.uint64)[place] = _nan_bits(word)
    return array.astype(dtype, copy=False)


def _nan_bits(word: str) -> int:
    try:
        bits = int(word, 16) if word.startswith("0x") and len(word) == 18 else 0
    except ValueError:
        bits = 0
    if bits & 0x7FF0000000000000 != 0x7FF0000000000000:
        raise ValueError(f"has the value {word!r:.40}, which is no number")
    return bits
