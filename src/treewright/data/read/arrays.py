"""NumPy arrays of any type to typed columns."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from treewright.array_types import Array
from treewright.data.codes import code_text_array
from treewright.data.column import Column, read_typed
from treewright.data.objects import read_objects
from treewright.errors import DataError


def read_array(array: Array, name: str) -> Column:
    """Return a one-dimensional array as a column; `name` is for messages.

    >>> read_array(np.array(["b", "a"]), "letter").values
    ('a', 'b')
    """
    if isinstance(array, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(array)
        plain = np.asarray(array.data)
        if plain.dtype.kind == "O":  # what is behind the mask may be anything
            plain = np.where(missing, np.array(None, dtype=object), plain)
        return read_array(plain, name).with_missing(missing)
    kind = array.dtype.kind
    if kind in "fiubMm":
        return read_typed(array, name)
    if kind == "U" and len(array):
        codes, values = code_text_array(array)
        return Column(storage="value", data=codes, values=values)
    if kind in "OTU":
        return read_objects(array.tolist(), name)
    refuse_dtype(array, name)


def refuse_dtype(array: Array, name: str | None = None) -> NoReturn:
    """Refuse an array of a type that no column can have."""
    where = "the array" if name is None else f"column {name!r}"
    if array.dtype.kind == "c":
        # scikit-learn's wording: its estimator checks look for it.
        raise DataError(
            f"Complex data not supported\n{array}\n  {where} has type {array.dtype}.\n"
            "  Hint: use the real and the imaginary part as two columns."
        )
    if array.dtype.kind == "S":
        raise DataError(
            f"{where} holds bytes (type {array.dtype}); which text they mean is unknown.\n"
            "  Hint: decode them first, for example with np.char.decode(X, 'utf-8')."
        )
    if array.dtype.names is not None:
        raise DataError(
            f"{where} is a structured array with the fields {', '.join(array.dtype.names[:5])}.\n"
            "  Hint: pass {name: X[name] for name in X.dtype.names}."
        )
    raise DataError(f"{where} has type {array.dtype}, which holds neither numbers, text nor dates.")
