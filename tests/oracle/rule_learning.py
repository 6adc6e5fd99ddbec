"""C4.5rules and rule post-pruning, step by step, rule by rule and row by row.

A rule is a tuple of named tests; a test is any function of a row. Nothing is counted twice the
clever way: every figure is a walk over all rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from oracle.errors import upper_errors

Row = Any


@dataclass(frozen=True)
class Test:
    __test__ = False

    name: str
    column: int
    holds: Callable[[Row], bool]


@dataclass(frozen=True)
class Learned:
    """A rule of the list: its tests, its class and its pessimistic error."""

    tests: tuple[Test, ...]
    label: str
    error: float


def covered(tests: Sequence[Test], rows: Sequence[Row]) -> list[int]:
    return [i for i, row in enumerate(rows) if all(test.holds(row) for test in tests)]


def figures(
    tests: Sequence[Test], label: str, rows: Sequence[Row], y: Sequence[str], w: Sequence[float]
) -> tuple[float, float]:
    """Weight covered and weight wrong."""
    met = covered(tests, rows)
    return sum(w[i] for i in met), sum(w[i] for i in met if y[i] != label)


def single(value: float) -> float:
    """Round to what four bytes hold, as the program's variables do."""
    import struct

    return float(struct.unpack("f", struct.pack("f", value))[0])


def generalise(
    tests: Sequence[Test],
    label: str,
    rows: Sequence[Row],
    y: Sequence[str],
    w: Sequence[float],
    confidence: float,
) -> Learned | None:
    """Drop tests one at a time; None where nothing worth saying is left."""
    frequency = sum(weight for weight, each in zip(w, y, strict=True) if each == label)
    guess = 1 - (frequency + 1) / (sum(w) + 2)

    def judged(some: Sequence[Test]) -> tuple[float, float]:
        n, e = figures(some, label, rows, y, w)
        if n == 0:
            return single(guess), 0.0
        return single(upper_errors(n, e, confidence) / n), e / n

    kept = list(tests)
    while kept:
        now = judged(kept)
        without = [judged(kept[:i] + kept[i + 1 :]) for i in range(len(kept))]
        if not any(error <= now[0] or plain <= now[1] for error, plain in without):
            break
        lowest = min(error for error, _ in without)
        last = max(i for i, (error, _) in enumerate(without) if error == lowest)
        del kept[last]
    error = judged(kept)[0]
    if not kept or not covered(kept, rows) or error >= single(guess):
        return None
    return Learned(tests=tuple(kept), label=label, error=error)


def log2_factorial(n: int) -> float:
    return sum(math.log2(i) for i in range(1, n + 1))


def coded(n: float, errors: float, expected: float) -> float:
    if expected <= 1e-6:
        return 0.0 if errors <= 1e-6 else 1e6
    if expected >= n - 1e-6:
        return 0.0 if errors >= n - 1e-6 else 1e6
    rate = expected / n
    return -errors * math.log2(rate) - (n - errors) * math.log2(1 - rate)


def exception_bits(total: float, fires: float, false_pos: float, false_neg: float) -> float:
    even = (false_pos + false_neg) / 2
    if fires > total / 2:
        parts = coded(fires, false_pos, even) + coded(total - fires, false_neg, false_neg)
    else:
        parts = coded(fires, false_pos, false_pos) + coded(total - fires, false_neg, even)
    return math.log2(total) + parts


def subset_bits(
    rules: Sequence[Learned],
    bits: Sequence[float],
    label: str,
    rows: Sequence[Row],
    y: Sequence[str],
    w: Sequence[float],
) -> float:
    """What it takes to send the rules of a class and the rows they get wrong."""
    met = {i for rule in rules if 1 - rule.error >= 0.3 for i in covered(rule.tests, rows)}
    false_pos = sum(w[i] for i in met if y[i] != label)
    false_neg = sum(w[i] for i in range(len(rows)) if i not in met and y[i] == label)
    fires = sum(w[i] for i in met)
    theory = sum(bits) - log2_factorial(len(rules))
    return 0.5 * theory + exception_bits(sum(w), fires, false_pos, false_neg)


def best_subset(
    rules: Sequence[Learned], bits: Sequence[float], label: str, *data: Any
) -> list[Learned]:
    """Try every subset; of equals, the first counting in binary from the first rule on."""
    best, best_bits = [], math.inf
    for flags in product([False, True], repeat=len(rules)):
        chosen = [i for i, is_in in enumerate(reversed(flags)) if is_in]
        found = single(
            subset_bits([rules[i] for i in chosen], [bits[i] for i in chosen], label, *data)
        )
        if found < best_bits:
            best, best_bits = [rules[i] for i in chosen], found
    return best


def test_bits(
    columns: Sequence[Sequence[Any]], is_nominal: Sequence[bool], w: Sequence[float]
) -> tuple[float, list[float]]:
    """Bits to name a column, and to name a value (or cut) of each."""
    total = sum(w)
    bits = []
    for values, nominal in zip(columns, is_nominal, strict=True):
        if nominal:
            share: dict[Any, float] = {}
            for value, weight in zip(values, w, strict=True):
                if value is not None:
                    share[value] = share.get(value, 0.0) + weight / total
            bits.append(-sum(p * math.log2(p) for p in share.values() if p > 0))
        else:
            n_values = len({value for value, weight in zip(values, w, strict=True) if weight > 0})
            bits.append(1 + math.log2(n_values) / 2 if n_values > 1 else 0.0)
    whole = sum(bits)
    column = -sum(b / whole * math.log2(b / whole) for b in bits if b > 0) if whole else 0.0
    return column, bits


test_bits.__test__ = False  # type: ignore[attr-defined]


def c45rules(
    leaves: Sequence[tuple[float, str, Sequence[Test]]],
    rows: Sequence[Row],
    y: Sequence[str],
    w: Sequence[float],
    *,
    columns: Sequence[Sequence[Any]],
    is_nominal: Sequence[bool],
    classes: Sequence[str],
    confidence: float,
    redundancy: float,
) -> tuple[list[Learned], str]:
    """The decision list and its default class."""
    candidates: list[Learned] = []
    for weight, label, tests in leaves:
        if weight < 1 - 1e-9:
            continue
        rule = generalise(tests, label, rows, y, w, confidence)
        if rule is None:
            continue
        key = {test.name for test in rule.tests}
        twins = [
            i
            for i, other in enumerate(candidates)
            if other.label == label and {test.name for test in other.tests} == key
        ]
        if twins:
            if candidates[twins[0]].error < rule.error:
                candidates[twins[0]] = rule
        else:
            candidates.append(rule)
    column_bits, value_bits = test_bits(columns, is_nominal, w)

    def bits_of(rule: Learned) -> float:
        sent = sum(column_bits / redundancy + value_bits[test.column] for test in rule.tests)
        return sent + math.log2(len(rule.tests)) - log2_factorial(len(rule.tests))

    chosen: dict[str, list[Learned]] = {}
    for label in classes:
        of_class = [rule for rule in candidates if rule.label == label]
        chosen[label] = best_subset(of_class, list(map(bits_of, of_class)), label, rows, y, w)
    listed = _in_order(chosen, rows, y, w)
    default = _default(listed, rows, y, w, classes)
    return _without_harm(listed, default, rows, y, w), default


def _fires(rule: Learned, row: Row) -> bool:
    return 1 - rule.error >= 0.3 and all(test.holds(row) for test in rule.tests)


def _in_order(chosen: dict[str, list[Learned]], rows: Any, y: Any, w: Any) -> list[Learned]:
    """Classes by their false positives among rows still open, rules by their error."""
    left = [label for label in chosen if chosen[label]]
    listed: list[Learned] = []
    while left:
        is_open = [not any(_fires(rule, row) for rule in listed) for row in rows]
        false_pos = [
            sum(
                weight
                for row, actual, weight, free in zip(rows, y, w, is_open, strict=True)
                if free and actual != label and any(_fires(rule, row) for rule in chosen[label])
            )
            for label in left
        ]
        label = left.pop(false_pos.index(min(false_pos)))
        listed += sorted(chosen[label], key=lambda rule: rule.error)
    return listed


def _default(listed: list[Learned], rows: Any, y: Any, w: Any, classes: Sequence[str]) -> str:
    def weight_of(label: str, *, uncovered: bool) -> float:
        return float(
            sum(
                weight
                for row, actual, weight in zip(rows, y, w, strict=True)
                if actual == label and not (uncovered and any(_fires(rule, row) for rule in listed))
            )
        )

    return max(
        classes,
        key=lambda label: (weight_of(label, uncovered=True), weight_of(label, uncovered=False)),
    )


def _without_harm(listed: list[Learned], default: str, rows: Any, y: Any, w: Any) -> list[Learned]:
    while True:
        for place in range(len(listed)):
            gain = 0.0
            for row, actual, weight in zip(rows, y, w, strict=True):
                firing = [i for i, rule in enumerate(listed) if _fires(rule, row)]
                if not firing or firing[0] != place:
                    continue
                said = listed[place].label
                instead = listed[firing[1]].label if len(firing) > 1 else default
                if said != instead:
                    gain += weight if said == actual else -weight if instead == actual else 0.0
            if gain < 0:
                listed = listed[:place] + listed[place + 1 :]
                break
        else:
            return listed
