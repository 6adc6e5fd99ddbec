"""Description length of a test in bits: of its column, and of a value or a cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from treewright.tree.condition import Condition, Members

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treewright.array_types import FloatArray, Int64Array
    from treewright.rules.counting import LabelledRows


_MOST_BITS = 1e30
"""More bits than any errors take; sums of it are finite even in single precision."""


def log2_factorial(n: int | Int64Array) -> FloatArray:
    """Return log2(n!): the bits saved by encoding n things in any order."""
    return np.asarray(gammaln(np.asarray(n, dtype=np.float64) + 1) / np.log(2))


@dataclass(frozen=True, kw_only=True)
class TestCode:
    """A code for the tests of one table.

    Parameters
    ----------
    column_bits
        Bits that encode a column.
    value_bits
        For each column, bits that encode a value of it or a cut.
    """

    __test__ = False  # not collected by pytest

    column_bits: float
    value_bits: FloatArray

    @classmethod
    def c45(cls, rows: LabelledRows, *, redundancy: float) -> TestCode:
        """Return C4.5's code: columns of longer values take fewer bits (``genrules.c``)."""
        value_bits = _value_bits(rows)
        total = value_bits.sum()
        shares = value_bits[value_bits > 0] / total if total > 0 else np.empty(0)
        named = -float((shares * np.log2(shares)).sum())
        return cls(column_bits=min(named / redundancy, _MOST_BITS), value_bits=value_bits)

    @classmethod
    def c5(cls, rows: LabelledRows) -> TestCode:
        """Return C5.0's code: all columns take the same bits (``siftrules.c``)."""
        value_bits = _value_bits(rows)
        return cls(column_bits=float(np.log2(len(value_bits))), value_bits=value_bits)

    def bits(self, test: Condition) -> float:
        """Return the bits of one test; a group of values takes one bit per value of the domain."""
        is_group = isinstance(test, Members) and len(test.codes) > 1
        named = len(test.column.values) if is_group else self.value_bits[test.index]
        return self.column_bits + float(named)

    def rule_bits(self, tests: Sequence[Condition]) -> float:
        """Return the bits of a rule: of the number of its tests, and of the tests in any order."""
        n_tests = len(tests)
        return sum(map(self.bits, tests)) + float(np.log2(n_tests) - log2_factorial(n_tests))


def _value_bits(rows: LabelledRows) -> FloatArray:
    """Return, for each column, the mean bits of a value, or one plus half those of a cut."""
    table, weight = rows.table, rows.weight
    total = float(weight.sum())
    bits = np.zeros(len(table.schema.columns))
    for index, spec in enumerate(table.schema.columns):
        missing = table.is_missing(index)
        counted = weight[~missing]
        values = np.asarray(table.columns[index])[~missing]
        if spec.kind == "nominal":
            share = np.bincount(values, weights=counted) / total
            share = share[share > 0]
            bits[index] = -(share * np.log2(share)).sum()
            continue
        # The programs count missing as one more value of a numeric column.
        n_values = len(np.unique(values[counted > 0])) + bool(missing[weight > 0].any())
        if n_values > 1:
            bits[index] = 1 + np.log2(n_values) / 2
    return bits
