"""Arrays in fewer bytes, without loss: narrow types, and bytes of one place side by side.

An array is written in the narrowest type that holds every value bit for bit. Small models are
packed tightly besides: the first bytes of all numbers, then the second bytes and so on (so that
exponents stand beside exponents), deflated. Large ones are not, since inflating takes longer than
reading.
"""

from __future__ import annotations

import zlib

import numpy as np

from treewright.array_types import Array

_WHOLE = tuple(map(np.dtype, ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8")))
_LARGEST_EXACT = 2.0**53


def narrowed(array: Array) -> Array:
    """Return an array of equal values in the narrowest type that holds them bit for bit.

    >>> narrowed(np.array([0.0, 3.0, 200.0])).dtype, narrowed(np.array([0.5, -0.0])).dtype
    (dtype('uint8'), dtype('float32'))
    >>> narrowed(np.array([0.1])).dtype, narrowed(np.array([-1, 70_000])).dtype
    (dtype('float64'), dtype('int32'))
    """
    if array.dtype.kind in "iu" and array.size:
        return _narrow_whole(array, int(array.min()), int(array.max()))
    if array.dtype.kind != "f" or not array.size:
        return array
    # Most arrays of decimal numbers are told by their first entries.
    for sample in (array.reshape(-1)[:16], array):
        whole = _is_whole(sample)
        if not whole and not _is_single(sample):
            return array
    if whole:
        return _narrow_whole(array, int(array.min()), int(array.max()))
    return array.astype(np.float32)


def _is_whole(array: Array) -> bool:
    if not (np.abs(array) < _LARGEST_EXACT).all():  # false for NaN, too
        return False
    return bool(((array == np.rint(array)) & ~(np.signbit(array) & (array == 0))).all())


def _is_single(array: Array) -> bool:
    if array.dtype != np.float64:
        return False
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        again = array.astype(np.float32).astype(np.float64)
    return bool((again.view(np.uint64) == array.view(np.uint64)).all())


def _narrow_whole(array: Array, least: int, most: int) -> Array:
    for dtype in _WHOLE:
        limits = np.iinfo(dtype)
        if dtype.itemsize >= array.dtype.itemsize:
            return array
        if limits.min <= least and most <= limits.max:
            return array.astype(dtype)
    return array


def deflated(array: Array) -> bytes:
    """Return the bytes of an array, those of one place side by side, deflated."""
    flat = np.ascontiguousarray(array).reshape(-1)
    places = flat.view(np.uint8).reshape(-1, flat.itemsize).T
    return zlib.compress(np.ascontiguousarray(places).tobytes(), 6)


def inflated(packed: bytes, dtype: np.dtype[np.generic], shape: tuple[int, ...]) -> Array:
    """Return the array that :func:`deflated` was given; a ValueError where the bytes are another's.

    >>> inflated(deflated(np.array([1.5, 2.5])), np.dtype("f8"), (2,)).tolist()
    [1.5, 2.5]
    """
    n_entries = int(np.prod(shape, dtype=object))
    n_bytes = n_entries * dtype.itemsize
    stream = zlib.decompressobj()
    try:
        whole = stream.decompress(packed, n_bytes + 1)  # no more memory than the array takes
    except zlib.error as error:
        raise ValueError(f"is packed wrongly ({error})") from error
    if len(whole) != n_bytes or not stream.eof or stream.unused_data:
        raise ValueError("has another size than its shape when it is unpacked")
    places = np.frombuffer(whole, dtype=np.uint8).reshape(dtype.itemsize, n_entries)
    return np.ascontiguousarray(places.T).reshape(-1).view(dtype).reshape(shape)
