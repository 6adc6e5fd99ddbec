"""A model from plain JSON values and arrays; whatever they are, nothing is run."""

from __future__ import annotations

import base64
import dataclasses
import fractions
import warnings
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.errors import ModelFormatError
from treewright.persist.outside import make_outside
from treewright.persist.registry import class_of, names

_PLAIN = {
    np.dtype(name).name: np.dtype(name)
    for name in ("f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?")
}
_MOST_TEXTS, _MOST_SPARE = 1 << 28, 1 << 24
_COPIES_ARRAYS = frozenset({"PackedTrees"})
"""Classes that make their own copies of the arrays in their state."""


class Decoder:
    """The values of one model, as they are made of JSON values and arrays."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = arrays
        self._copies: dict[str, Array] = {}
        self._objects: list[Any] = []
        self._lends = False

    def whole(self, model: Any) -> Any:
        """Return the model; a ModelFormatError where the values make none."""
        try:
            with warnings.catch_warnings():
                # Constructors speak to people who write parameters, not to those who load.
                warnings.simplefilter("ignore")
                for entry in _typed(_typed(model, dict)["objects"], list):
                    self._objects.append(self._object(_typed(entry, dict)))
                return self.value(model["model"])
        except ModelFormatError:
            raise
        except (
            ArithmeticError,
            AssertionError,
            AttributeError,
            LookupError,
            RecursionError,
            RuntimeError,
            TypeError,
            ValueError,
        ) as error:
            told = str(error).partition("\n")[0] if str(error) else type(error).__name__
            raise ModelFormatError(f"what it says of the model makes no sense: {told}") from error

    def value(self, value: Any) -> Any:
        """Return what some JSON values stand for."""
        if isinstance(value, list):
            return [self.value(each) for each in value]
        if not isinstance(value, dict):
            return value
        tag = next(iter(value), "")
        decode = _DECODE.get(tag)
        if decode is None:
            raise ModelFormatError(f"it holds {tag[:40]!r}, which is nothing known")
        return decode(self, value[tag], value)

    def _listed(self, values: Any) -> list[Any]:
        return [self.value(each) for each in _typed(values, list)]

    def _named(self, values: Any) -> dict[str, Any]:
        return {name: self.value(each) for name, each in _typed(values, dict).items()}

    def _array(self, name: Any, whole: dict[str, Any]) -> Array:
        if _typed(name, str) not in self._arrays:
            raise ModelFormatError(f"it lacks the array {name[:60]!r}")
        array = self._arrays[name]
        if not self._lends:
            # The bytes of the file are on loan.
            if name not in self._copies:
                self._copies[name] = array if array.flags.owndata else array.copy()
            array = self._copies[name]
        if "as" not in whole:
            return array
        dtype = np.dtype(_typed(whole["as"], str))
        if dtype.kind not in "Mm" or array.dtype != np.int64:
            raise ModelFormatError(f"the array {name[:60]!r} is no array of dates")
        return array.view(dtype)

    def _texts(self, values: Any, whole: dict[str, Any]) -> Array:
        dtype = np.dtype(_typed(whole["dtype"], str))
        texts = self._listed(values)
        most = max(map(len, texts), default=0)
        # NumPy gives every text the room of the longest, and of more if it is told so.
        room = _MOST_SPARE if dtype.itemsize > 4 * most else _MOST_TEXTS
        if dtype.kind not in "US" or dtype.itemsize * len(texts) > room:
            raise ModelFormatError(f"an array of texts has the type {dtype.str[:40]!r}")
        return np.array(texts, dtype=dtype).reshape(whole["shape"])

    def _numbers(self, values: Any, whole: dict[str, Any]) -> Array:
        dtype = _PLAIN.get(_typed(whole["dtype"], str))
        given = self._listed(values)
        kinds = {"f": float, "b": bool}
        if dtype is None or any(type(each) is not kinds.get(dtype.kind, int) for each in given):
            raise ModelFormatError(f"it has {str(values)[:40]!r} where an array is due")
        with np.errstate(over="ignore"):
            return np.array(given, dtype=dtype).reshape(whole["shape"])

    def _values(self, values: Any, whole: dict[str, Any]) -> Array:
        objects = self._listed(values)
        array = np.empty(len(objects), dtype=object)
        for place, each in enumerate(objects):
            array[place] = each
        return array.reshape(whole["shape"])

    def _scalar(self, given: Any, whole: dict[str, Any]) -> Any:
        name, value = _typed(given, list)
        dtype = np.dtype(_typed(name, str))
        plain = self.value(value)
        if dtype.kind in "Mm":
            return np.array(_typed(plain, int), dtype=np.int64).view(dtype)[()]
        if dtype.kind not in "biufUS" or dtype.itemsize > _MOST_SPARE:
            raise ModelFormatError(f"a value has the type {dtype.str[:40]!r}")
        return np.array(plain).astype(dtype)[()]

    def _is(self, place: Any, whole: dict[str, Any]) -> Any:
        if type(place) is not int or not 0 <= place < len(self._objects):
            raise ModelFormatError("an object refers to one that does not stand before it")
        return self._objects[place]

    def _object(self, entry: dict[str, Any]) -> Any:
        if "outside" in entry:
            return make_outside(_typed(entry["outside"], str), self.value(entry["state"]))
        name = _typed(entry["class"], str)
        if name not in names():
            raise ModelFormatError(f"it has an object of the class {name[:60]!r}, which is unknown")
        self._lends = name in _COPIES_ARRAYS
        try:
            state = self._named(entry["state"])
        finally:
            self._lends = False
        return restored(class_of(name), state)


def restored(kind: Any, state: dict[str, Any]) -> Any:
    """Return an object of a class of treewright from its attributes."""
    for name in state:
        if not name.isidentifier() or name.startswith("__"):
            raise ModelFormatError(f"{kind.__name__} has no {name[:60]!r}")
    if hasattr(kind, "__setstate__"):
        made = kind.__new__(kind)
        made.__setstate__(state)
        return made
    if not hasattr(kind, "__dataclass_fields__"):
        made = kind.__new__(kind)
        made.__dict__.update(state)
        return made
    fields = {each.name: each for each in dataclasses.fields(kind)}
    unknown = [name for name in state if name not in fields]
    if unknown:
        raise ModelFormatError(f"{kind.__name__} has no {unknown[0][:60]!r}")
    # The constructor checks; what a file of an earlier release does not say has its default.
    made = kind(**{name: value for name, value in state.items() if fields[name].init})
    for name, value in state.items():
        if not fields[name].init:
            object.__setattr__(made, name, value)
    return made


def _typed(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise ModelFormatError(f"it has {str(value)[:40]!r} where a {kind.__name__} is due")
    return value


def _numbers(given: Any, n: int) -> list[int]:
    values: list[int] = _typed(given, list)
    if len(values) != n or not all(type(each) is int for each in values):
        raise ModelFormatError(f"it has {str(given)[:40]!r} where {n} whole numbers are due")
    return values


def _float(text: Any) -> float:
    if text not in ("nan", "inf", "-inf"):
        raise ModelFormatError(f"it has {str(text)[:40]!r} where a number is due")
    return float(text)


_DECODE: dict[str, Any] = {
    "is": Decoder._is,
    "array": Decoder._array,
    "numbers": Decoder._numbers,
    "texts": Decoder._texts,
    "values": Decoder._values,
    "scalar": Decoder._scalar,
    "map": lambda decoder, given, _: decoder._named(given),
    "dict": lambda decoder, given, _: {
        decoder.value(key): decoder.value(each) for key, each in _typed(given, list)
    },
    "tuple": lambda decoder, given, _: tuple(decoder._listed(given)),
    "set": lambda decoder, given, _: set(decoder._listed(given)),
    "frozenset": lambda decoder, given, _: frozenset(decoder._listed(given)),
    "float": lambda decoder, given, _: _float(given),
    "bytes": lambda decoder, given, _: base64.b64decode(_typed(given, str), validate=True),
    "letters": lambda decoder, given, _: "".join(map(chr, _typed(given, list))),
    "range": lambda decoder, given, _: range(*_numbers(given, 3)),
    "complex": lambda decoder, given, _: complex(*decoder._listed(given)),
    "date": lambda decoder, given, _: date.fromisoformat(given),
    "datetime": lambda decoder, given, _: datetime.fromisoformat(given),
    "time": lambda decoder, given, _: time.fromisoformat(given),
    "timedelta": lambda decoder, given, _: timedelta(*_numbers(given, 3)),
    "decimal": lambda decoder, given, _: Decimal(_typed(given, str)),
    "fraction": lambda decoder, given, _: fractions.Fraction(*_numbers(given, 2)),
    "dtype": lambda decoder, given, _: np.dtype(_typed(given, str)),
}
