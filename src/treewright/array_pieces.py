"""Large arrays in pieces, so that Ctrl-C is obeyed while they are pickled and loaded.

A pickler copies an array as a whole, and Python looks for no signal meanwhile: that of hundreds of
megabytes takes longer than Ctrl-C should wait. Between two pieces Python code runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.errors import ModelFormatError
from treewright.interrupts import row_blocks

_PIECE_BYTES = 1 << 22
"""Copied in about two milliseconds, memory that is touched for the first time included."""


class ArrayInPieces:
    """An array that is pickled in pieces and loaded as an array."""

    def __init__(self, array: Array) -> None:
        self.array = array

    def __reduce__(self) -> tuple[Any, ...]:
        flat = self.array.reshape(-1)
        step = max(_PIECE_BYTES // max(flat.itemsize, 1), 1)
        pieces = [_Piece(flat[block]) for block in row_blocks(len(flat), step)]
        return _joined, (self.array.shape, pieces)


def in_pieces(array: Array) -> Array | ArrayInPieces:
    """Return what to pickle in the place of an array: a small one as it is."""
    return array if array.nbytes <= _PIECE_BYTES else ArrayInPieces(array)


def as_whole(kept: Array | ArrayInPieces) -> Array:
    """Return the array that :func:`in_pieces` was given."""
    return kept.array if isinstance(kept, ArrayInPieces) else kept


class _Piece:
    def __init__(self, part: Array) -> None:
        self._part = part

    def __reduce__(self) -> tuple[Any, ...]:
        return _same, (self._part,)


def _same(part: Array) -> Array:
    return part


def _joined(shape: tuple[int, ...], pieces: list[Array]) -> Array:
    try:
        array = np.empty(shape, dtype=pieces[0].dtype)
        flat, place = array.reshape(-1), 0
        for piece in pieces:
            flat[place : place + len(piece)] = piece
            place += len(piece)
        if place != len(flat):
            raise ValueError(f"{place} entries where {len(flat)} are due")
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise ModelFormatError(f"the pieces of an array are damaged: {error}.") from error
    return array
