"""A model as plain JSON values and arrays.

A value that JSON has stands for itself; any other is an object whose first key says what it is:
``{"tuple": [...]}``, ``{"array": "threshold"}``. Objects of treewright's classes stand in one list,
each behind those it is made of, and are referred to by their place in it: ``{"is": 3}``. So nothing
is written twice, nothing can refer to itself, and no text is deeply nested.
"""

from __future__ import annotations

import base64
import dataclasses
import fractions
import math
import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from treewright.array_pieces import ArrayInPieces
from treewright.array_types import Array
from treewright.errors import UnsupportedError
from treewright.persist.outside import outside_of
from treewright.persist.registry import ESTIMATORS, name_of
from treewright.text.names import on_one_line

_MOST_DIGITS = 900
_FEW = 16
"""Arrays of so few entries are written among the values: a header for each takes more room."""
_PLAIN = {np.dtype(name) for name in ("f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1")}
_TWO_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_PLAIN.add(np.dtype("?"))


class Encoder:
    """The values of one model, as they are turned into JSON values and arrays.

    Parameters
    ----------
    kept_whys
        The tables of why to save with a tree, by the tree's id.
    """

    def __init__(self, kept_whys: Mapping[int, Any] | None = None) -> None:
        self._kept_whys = kept_whys or {}
        self.objects: list[Any] = []
        self.arrays: dict[str, Array] = {}
        self._place_of_id: dict[int, int] = {}
        self._array_of_id: dict[int, str] = {}
        self._n_of_name: dict[str, int] = {}
        self._kept: list[Any] = []  # so that no id is given to another object
        self._path: list[str] = []

    def whole(self, model: object) -> dict[str, Any]:
        """Return the JSON values of a model."""
        try:
            root = self.value(model)
        except RecursionError:
            raise UnsupportedError(
                f"{type(model).__name__} cannot be saved: its parts refer to one another, or are"
                " nested too deeply.\n  Hint: tree.without_record() drops what pruning has kept."
            ) from None
        return {"objects": self.objects, "model": root}

    def value(self, value: Any) -> Any:
        """Return the JSON values of one value."""
        kind = type(value)
        if kind is str:
            return value if _is_told_by_json(value) else {"letters": list(map(ord, value))}
        if value is None or kind is bool:
            return value
        if kind is int:
            return value if abs(value) < 10**_MOST_DIGITS else self._refuse(value)
        if kind is float:
            return value if np.isfinite(value) else {"float": repr(value)}
        if kind is list:
            return [self.value(each) for each in value]
        if kind is np.ndarray:
            return self._array(value)
        encode = _SIMPLE.get(kind)
        if encode is not None:
            return encode(self, value)
        if isinstance(value, ArrayInPieces):
            return self._array(value.array)
        if isinstance(value, np.generic):
            return self._scalar(value)
        if isinstance(value, np.dtype):
            return {"dtype": value.str}
        return self._object(value)

    def _listed(self, values: Any) -> list[Any]:
        return [self.value(each) for each in values]

    def _dict(self, value: dict[Any, Any]) -> Any:
        if all(type(key) is str and _is_told_by_json(key) for key in value):
            return {"map": self._named(value)}
        return {"dict": [[self.value(key), self.value(each)] for key, each in value.items()]}

    def _named(self, values: dict[str, Any]) -> dict[str, Any]:
        encoded = {}
        for name, value in values.items():
            self._path.append(name)
            encoded[name] = self.value(value)
            self._path.pop()
        return encoded

    def _scalar(self, value: np.generic) -> Any:
        if value.dtype.kind in "Mm":
            return {"scalar": [value.dtype.str, int(value.astype(np.int64))]}
        kind, n_bytes = value.dtype.kind, value.dtype.itemsize
        if kind not in "biufUS" or (kind == "f" and n_bytes > 8):
            self._refuse(value)
        return {"scalar": [value.dtype.str, self.value(value.item())]}

    def _array(self, array: Array) -> Any:
        kind = array.dtype.kind
        if kind in "Mm":
            return {"array": self._stored(array.view(np.int64), array), "as": array.dtype.str}
        if kind in "US":
            values = [self.value(each) for each in array.reshape(-1).tolist()]
            return {"texts": values, "dtype": array.dtype.str, "shape": list(array.shape)}
        if kind == "O":
            values = [self.value(each) for each in array.reshape(-1).tolist()]
            return {"values": values, "shape": list(array.shape)}
        dtype = array.dtype.newbyteorder("=")
        if dtype not in _PLAIN:
            self._refuse(array)
        if array.size <= _FEW and not _has_unusual_nan(array):
            values = self._listed(array.reshape(-1).tolist())
            return {"numbers": values, "dtype": dtype.name, "shape": list(array.shape)}
        return {"array": self._stored(array, array)}

    def _stored(self, plain: Array, owner: Array) -> str:
        known = self._array_of_id.get(id(owner))
        if known is not None:
            return known
        stem = self._path[-1].strip("_") if self._path else "array"
        n = self._n_of_name[stem] = self._n_of_name.get(stem, 0) + 1
        name = stem if n == 1 else f"{stem}.{n}"
        self.arrays[name] = np.ascontiguousarray(plain, dtype=plain.dtype.newbyteorder("="))
        self._array_of_id[id(owner)] = name
        self._kept.append(owner)
        return name

    def _object(self, value: Any) -> Any:
        place = self._place_of_id.get(id(value))
        if place is None:
            name = name_of(type(value))
            outside = outside_of(value) if name is None else None
            if name is None and outside is None:
                self._refuse(value)
            path, self._path = self._path, []
            if name is None:
                assert outside is not None
                self._path = [*path[-1:]]
                entry = {"outside": outside[0], "state": self.value(outside[1])}
            else:
                self._path = [name]
                state = state_of(value)
                if id(value) in self._kept_whys:
                    state["kept_whys"] = self._kept_whys[id(value)]
                entry = {"class": name, "state": self._named(state)}
            self._path = path
            place = self._place_of_id[id(value)] = len(self.objects)
            self.objects.append(entry)
            self._kept.append(value)
        return {"is": place}

    def _refuse(self, value: Any) -> Any:
        where = ".".join(self._path) or "the model"
        kind = type(value)
        if callable(value) and hasattr(value, "__name__"):
            what, hint = f"the function {value.__name__!r}", "name one of treewright's own"
        elif hasattr(value, "get_params"):
            what = f"a {kind.__module__.partition('.')[0]} {kind.__name__}"
            hint = "members of treewright can be saved"
        else:
            text = on_one_line(repr(value))
            what = f"{text if len(text) <= 60 else text[:57] + '...'} ({kind.__qualname__})"
            hint = "give plain numbers and texts"
        raise UnsupportedError(
            f"{on_one_line(where)} is {what}, which a model file cannot hold: files run no code"
            f" of others.\n  Hint: {hint}; or pickle the model, for those who trust you."
        )


def _is_told_by_json(text: str) -> bool:
    """Return whether JSON can tell a text from others; two surrogates read as one letter."""
    return text.isascii() or _TWO_SURROGATES.search(text) is None


def _has_unusual_nan(array: Array) -> bool:
    """Return whether NaNs have bits of their own, which JSON has no number for."""
    if array.dtype.kind != "f":
        return False
    usual = np.full(array.shape, np.nan, dtype=array.dtype)
    return bool((np.isnan(array) & (bits(array) != bits(usual))).any())


def bits(array: Array) -> Array:
    """Return the bits of floats as whole numbers."""
    return np.ascontiguousarray(array).view(f"u{array.itemsize}")


def state_of(value: Any) -> dict[str, Any]:
    """Return the attributes that make up an object."""
    if dataclasses.is_dataclass(value) and not _has_own(type(value), "__getstate__"):
        # Without what is only remembered for speed, and times, which no two fits have in common.
        return {
            each.name: getattr(value, each.name) if each.metadata.get("kept", True) else math.nan
            for each in dataclasses.fields(value)
        }
    state: Any = value.__getstate__()
    return dict(state or {})


def _has_own(kind: type, name: str) -> bool:
    return getattr(kind, name, None) is not getattr(object, name, None)


def is_estimator(value: object) -> bool:
    """Return whether a value is one of treewright's estimators."""
    return name_of(type(value)) in ESTIMATORS


def _sorted(encoder: Encoder, values: Any) -> list[Any]:
    """Return the members of a set in an order that does not depend on their hashes."""
    return encoder._listed(sorted(values, key=lambda each: (type(each).__name__, repr(each))))


_SIMPLE: dict[type, Any] = {
    tuple: lambda encoder, value: {"tuple": encoder._listed(value)},
    dict: Encoder._dict,
    set: lambda encoder, value: {"set": _sorted(encoder, value)},
    frozenset: lambda encoder, value: {"frozenset": _sorted(encoder, value)},
    range: lambda encoder, value: {"range": [value.start, value.stop, value.step]},
    bytes: lambda encoder, value: {"bytes": base64.b64encode(value).decode()},
    complex: lambda encoder, value: {"complex": encoder._listed([value.real, value.imag])},
    date: lambda encoder, value: {"date": value.isoformat()},
    datetime: lambda encoder, value: {"datetime": value.isoformat()},
    time: lambda encoder, value: {"time": value.isoformat()},
    timedelta: lambda encoder, value: {
        "timedelta": [value.days, value.seconds, value.microseconds]
    },
    Decimal: lambda encoder, value: {"decimal": str(value)},
    fractions.Fraction: lambda encoder, value: {"fraction": [value.numerator, value.denominator]},
}
