"""Array types of the package, each declared once."""

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]
Int8Array = npt.NDArray[np.int8]
Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
UInt32Array = npt.NDArray[np.uint32]
UInt64Array = npt.NDArray[np.uint64]
IntegerArray = npt.NDArray[np.integer[Any]]
BoolArray = npt.NDArray[np.bool_]

Probabilities = FloatArray | Any
"""Probabilities, rows x classes; for several outputs a list of such arrays.

The list is `Any` here: a union with it would have type checkers refuse ``predict_proba(X)[:, 1]``.
"""
