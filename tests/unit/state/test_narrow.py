"""Arrays are narrowed without loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright.state.narrow import deflated, inflated, narrowed


@pytest.mark.parametrize(
    ("values", "dtype", "narrow"),
    [
        ([0, 255], "i8", "u1"),
        ([-1, 127], "i8", "i1"),
        ([0, 256], "i4", "u2"),
        ([-1, 256], "i4", "i2"),
        ([0, 2**32 - 1], "i8", "u4"),
        ([0, 2**33], "u8", "u8"),
        ([-(2**63)], "i8", "i8"),
        ([0, 300], "u2", "u2"),
        ([1.0, 2.0], "f8", "u1"),
        ([-3.0], "f8", "i1"),
        ([0.0, -0.0], "f8", "f4"),
        ([0.5], "f8", "f4"),
        ([0.1], "f8", "f8"),
        ([np.nan, 0.5], "f8", "f4"),
        ([np.inf], "f8", "f4"),
        ([1e300], "f8", "f8"),
        ([2.0**60], "f8", "f4"),
        ([2.0**53 + 2], "f8", "f8"),
        ([1e-300], "f8", "f8"),
        ([], "f8", "f8"),
    ],
)
def test_the_narrowest_type_that_holds_all(values: Any, dtype: str, narrow: str) -> None:
    array = np.array(values, dtype=dtype)
    made = narrowed(array)
    assert made.dtype == np.dtype(narrow)
    assert made.astype(dtype).tobytes() == array.tobytes()


def test_numbers_that_start_narrow_are_looked_at_to_the_end() -> None:
    array = np.append(np.zeros(100), 0.1)
    assert narrowed(array).dtype == np.float64
    array = np.append(np.zeros(100), 0.5)
    assert narrowed(array).dtype == np.float32


def test_packed_bytes_of_another_size_are_refused() -> None:
    packed = deflated(np.arange(10.0))
    with pytest.raises(ValueError, match="another size"):
        inflated(packed, np.dtype("f8"), (9,))
    with pytest.raises(ValueError, match="another size"):
        inflated(packed, np.dtype("f8"), (11,))
    with pytest.raises(ValueError, match="another size"):
        inflated(packed[:-3], np.dtype("f8"), (10,))
    with pytest.raises(ValueError, match="packed wrongly"):
        inflated(b"nonsense", np.dtype("f8"), (10,))
    with pytest.raises(ValueError, match="another size"):
        inflated(packed + b"more", np.dtype("f8"), (10,))
