"""Values to codes: dense integers for the distinct values of one column, and their lookup.

Equal values get equal codes and nothing else does; there is no tolerance. Codes follow the order
of the values, so that the same values give the same codes in whatever order the rows come.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from treewright.array_types import Array, BoolArray, Int32Array, Int64Array
from treewright.core import KnownTexts, code_fixed_texts, code_objects
from treewright.interrupts import row_blocks

INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1
# Whole numbers below this are coded by a counting table instead of a sort: 200,000 values take
# 1 ms instead of 12, and the table still fits in the second-level cache.
COUNTING_LIMIT = 1 << 16
# The texts of a domain in the form of an array of text: of more, arrays are coded on their own.
_MOST_BYTES_OF_TEXTS = 1 << 24
# About 30 ms.
_SORTED_AT_ONCE = 1 << 16


def code_text(values: Sequence[object]) -> tuple[Int32Array, tuple[object, ...]]:
    """Return the code of each text (-1 for what is no text) and the distinct texts, sorted.

    >>> codes, distinct = code_text(["b", None, "a", "b"])
    >>> codes.tolist(), distinct
    ([1, -1, 0, 1], ('a', 'b'))
    """
    coded_by_core = code_if_text(values)
    if coded_by_core is not None:
        return coded_by_core
    found = distinct_values(values)
    distinct = _sorted([value for value in found if isinstance(value, str)])
    code_of_value: dict[object, int] = {value: code for code, value in enumerate(distinct)}
    code_of_value.update({value: -1 for value in found if not isinstance(value, str)})
    codes = np.empty(len(values), dtype=np.int32)
    coded = map(code_of_value.__getitem__, values)
    for block in row_blocks(len(values)):
        n_rows = block.stop - block.start
        codes[block] = np.fromiter(islice(coded, n_rows), np.int32, n_rows)
    return codes, tuple(distinct)


def code_if_text(
    values: Sequence[object] | Array,
) -> tuple[Int32Array, tuple[object, ...]] | None:
    """Return codes and distinct texts as :func:`code_text` does, without Python code for each row.

    None where a list, tuple or array of objects has anything but texts, None and NaN, or no text.

    >>> code_if_text([None, "a"]), code_if_text([None, 1])
    ((array([-1,  0], dtype=int32), ('a',)), None)
    """
    if not isinstance(values, list | tuple | np.ndarray):
        return None
    coded = code_objects(values, _SORTED_AT_ONCE)
    if coded is None:
        return None
    codes, texts = coded
    return (codes, tuple(texts)) if len(texts) <= _SORTED_AT_ONCE else _in_order(codes, texts)


def _in_order(codes: Int32Array, texts: list[str]) -> tuple[Int32Array, tuple[object, ...]]:
    """Return codes and texts such that codes follow the order of the texts."""
    if len(texts) <= _SORTED_AT_ONCE:
        order = sorted(range(len(texts)), key=texts.__getitem__)
        rank = np.empty(len(texts) + 1, dtype=np.int32)
        rank[order] = np.arange(len(texts), dtype=np.int32)
        rank[-1] = -1
        return rank.take(codes), tuple(texts[i] for i in order)
    distinct = _sorted(texts)
    code_of_text = {text: code for code, text in enumerate(distinct)}
    rank = np.array([*(code_of_text[text] for text in texts), -1], dtype=np.int32)
    return rank[codes], tuple(distinct)


def distinct_values(values: Sequence[object]) -> set[object]:
    """Return the distinct ones of some values."""
    found: set[object] = set()
    left = iter(values)
    for block in row_blocks(len(values)):
        found.update(islice(left, block.stop - block.start))
    return found


def _sorted(texts: list[str]) -> list[str]:
    """Return texts in order; many are parted first, since one long sort cannot be interrupted."""
    if len(texts) <= _SORTED_AT_ONCE:
        return sorted(texts)
    n_parts = 2 * len(texts) // _SORTED_AT_ONCE
    sample = sorted(texts[:: len(texts) // (32 * n_parts)])
    pivots = sample[32::32]
    parts: list[list[str]] = [[] for _ in range(len(pivots) + 1)]
    for text in texts:
        parts[bisect_left(pivots, text)].append(text)
    return [text for part in parts for text in sorted(part)]


def code_text_array(values: Array) -> tuple[Int32Array, tuple[object, ...]]:
    """Return codes and distinct texts as :func:`code_text` does, of a NumPy array (kind ``U``).

    Rows are told apart by the bytes of their letters, without making a Python object of each.

    >>> codes, distinct = code_text_array(np.array(["b", "a", "b"]))
    >>> codes.tolist(), distinct
    ([1, 0, 1], ('a', 'b'))
    """
    codes, first_rows = code_fixed_texts(values)
    return _in_order(codes, values[first_rows].tolist())


def code_numbers(values: Array, missing: BoolArray | None) -> tuple[Int32Array, Array]:
    """Return the code of each number (-1 for missing) and the distinct numbers, ascending.

    >>> codes, distinct = code_numbers(np.array([7.0, 2.0, 7.0]), None)
    >>> codes.tolist(), distinct.tolist()
    ([1, 0, 1], [2.0, 7.0])
    """
    if missing is not None and not missing.any():
        missing = None
    known = values if missing is None else values[~missing]
    if len(known) == 0:
        return np.full(len(values), -1, dtype=np.int32), known
    low, high = known.min(), known.max()
    if low >= 0 and high < COUNTING_LIMIT:
        whole = known.astype(np.int32)
        if known.dtype.kind in "iub" or bool((whole == known).all()):
            is_present = np.zeros(int(high) + 1, dtype=bool)
            is_present[whole] = True
            distinct = np.flatnonzero(is_present).astype(values.dtype)
            if len(distinct) == len(is_present):  # 0, 1, ... are their own codes
                return _spread(whole, missing), distinct
            code_of_whole = np.cumsum(is_present, dtype=np.int32) - np.int32(1)
            return _spread(code_of_whole[whole], missing), distinct
    distinct, codes = np.unique(known, return_inverse=True)
    return _spread(codes.astype(np.int32), missing), distinct


def floor_to_int64(values: Array) -> Int64Array:
    """Return floats rounded down to int64, saturating; the result for NaN is unspecified.

    >>> floor_to_int64(np.array([-1.5, 1e300])).tolist()
    [-2, 9223372036854775807]
    """
    wide = np.floor(values.astype(np.float64, copy=False))
    too_high, too_low = wide >= 2.0**63, wide < -(2.0**63)
    with np.errstate(invalid="ignore"):
        whole = np.where(too_high | too_low, 0.0, wide).astype(np.int64)
    whole[too_high] = INT64_MAX
    whole[too_low] = INT64_MIN
    return whole


class NumberCodes:
    """Codes of the numbers in a domain, looked up for a whole array at once.

    Examples
    --------
    >>> codes = NumberCodes((10, 30, 20))
    >>> codes.find(np.array([20.0, 10.0, 11.5]), absent=-2).tolist()
    [2, 0, -2]
    """

    def __init__(self, domain: Sequence[object]) -> None:
        numbers: list[tuple[Any, int]] = [
            (value, code)
            for code, value in enumerate(domain)
            if isinstance(value, int | float | np.integer | np.floating | np.bool_)
        ]
        numbers.sort()
        fits = all(
            not isinstance(value, float | np.floating) or float(value).is_integer()
            for value, _ in numbers
        ) and (not numbers or (numbers[0][0] >= INT64_MIN and numbers[-1][0] <= INT64_MAX))
        # Whole numbers are compared as int64, so that they are exact beyond 2^53.
        values = [int(value) if fits else float(value) for value, _ in numbers]
        self.values: Array = np.array(values, dtype=np.int64 if fits else np.float64)
        self.codes = np.array([code for _, code in numbers], dtype=np.int32)
        self.code_of_whole: Int32Array | None = None
        if fits and values and values[0] >= 0 and values[-1] < COUNTING_LIMIT:
            self.code_of_whole = np.full(int(values[-1]) + 1, -1, dtype=np.int32)
            self.code_of_whole[self.values] = self.codes

    def __len__(self) -> int:
        return len(self.values)

    def find(self, numbers: Array, *, absent: int) -> Int32Array:
        """Return the code of each number; `absent` for those that the domain does not have."""
        if not len(self):
            return np.full(len(numbers), absent, dtype=np.int32)
        wanted, is_exact = numbers, None
        if self.values.dtype == np.int64 and numbers.dtype.kind == "f":
            wanted = floor_to_int64(numbers)
            is_exact = wanted == numbers
        elif self.values.dtype == np.float64:
            wanted = numbers.astype(np.float64, copy=False)
        if self.code_of_whole is not None:
            within = (wanted >= 0) & (wanted < len(self.code_of_whole))
            codes = self.code_of_whole[np.where(within, wanted, 0)]
            is_found = within & (codes >= 0)
        else:
            at = np.minimum(np.searchsorted(self.values, wanted), len(self) - 1)
            codes, is_found = self.codes[at], self.values[at] == wanted
        if is_exact is not None:
            is_found &= is_exact
        return np.where(is_found, codes, np.int32(absent))


class TextCodes:
    """Codes of the texts in a domain, in the form in which arrays of text can be looked up.

    Examples
    --------
    >>> TextCodes(("a", "bc")).known_to(np.array(["bc", "d"])) is None
    False
    >>> TextCodes(("a", 7)).known_to(np.array(["a"])) is None
    True
    """

    def __init__(self, domain: Sequence[object]) -> None:
        # NumPy's texts end before the zeros at their ends: such a text is in no array.
        codes = [
            code
            for code, value in enumerate(domain)
            if isinstance(value, str) and not value.endswith("\0")
        ]
        self._codes = np.array(codes, dtype=np.int32)
        self._texts = [str(domain[code]) for code in codes]
        self._n_letters = np.array([len(text) for text in self._texts], dtype=np.int64)
        self._is_text = bool(domain) and all(isinstance(value, str) for value in domain)
        self._known: tuple[int, KnownTexts] | None = None

    def known_to(self, values: Array) -> KnownTexts | None:
        """Return the texts in the form of an array (kind ``U``); None where it has another form.

        That is the case, too, of domains of other values than texts, or of very many.
        """
        n_bytes = values.dtype.itemsize
        if not self._is_text or not values.dtype.isnative or n_bytes == 0:
            return None
        if self._known is None or self._known[0] != n_bytes:
            if len(self._texts) * n_bytes > _MOST_BYTES_OF_TEXTS:
                return None
            fits = self._n_letters <= n_bytes // 4
            texts = [text for text, is_in in zip(self._texts, fits, strict=True) if is_in]
            form = np.array(texts, dtype=values.dtype)
            self._known = n_bytes, KnownTexts(form, self._codes[fits])
        return self._known[1]


def _spread(codes: Int32Array, missing: BoolArray | None) -> Int32Array:
    """Return the code of every row, -1 where missing, from the codes of the known values."""
    if missing is None:
        return codes
    all_codes = np.full(len(missing), -1, dtype=np.int32)
    all_codes[~missing] = codes
    return all_codes
