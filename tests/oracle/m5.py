"""M5 model trees, straight from the descriptions: recursive, row by row, nothing shared or reused.

``variant="weka"`` is Weka's M5P (Wang and Witten 1997, and what the program adds), ``"paper"`` is
Quinlan 1992 with the details of Witten and Frank 2005, section 6.5. Every row counts once: copies
are written out. Spreads are exact fractions, so that equal targets have a spread of exactly 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

import numpy as np

Variant = Literal["weka", "paper"]
Numbers = list[float]


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column as it is given: numbers, or values of a domain; None is missing."""

    values: Sequence[Any]
    domain: Sequence[Any] | None = None  # None: numeric


@dataclass(kw_only=True)
class Model:
    intercept: float
    coefficients: dict[int, float] = field(default_factory=dict)  # by attribute

    def predict(self, row: Numbers) -> float:
        return self.intercept + sum(c * row[i] for i, c in self.coefficients.items())


@dataclass(kw_only=True)
class Node:
    n: int
    model: Model
    attribute: int | None = None  # None at a leaf
    threshold: float = 0.0
    children: tuple[Node, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ModelTree:
    root: Node
    columns: Sequence[Column]
    fills: Sequence[Any]
    orders: Sequence[Sequence[Any] | None]
    smoothing: float

    def predict(self, values: Sequence[Any]) -> float:
        row = attributes(values, self.fills, self.orders)
        node, above = self.root, []
        while node.attribute is not None:
            above.append(node)
            node = node.children[0 if row[node.attribute] <= node.threshold else 1]
        answer, n = node.model.predict(row), node.n
        for parent in reversed(above):
            answer = (n * answer + self.smoothing * parent.model.predict(row)) / (
                n + self.smoothing
            )
            n = parent.n
        return answer

    def n_leaves(self) -> int:
        return count_leaves(self.root)


def count_leaves(node: Node) -> int:
    return 1 if node.attribute is None else sum(count_leaves(child) for child in node.children)


def fill_of(column: Column) -> Any:
    """The mean, or the first of the most frequent values."""
    known = [value for value in column.values if value is not None]
    if column.domain is None:
        return float(np.mean(known)) if known else 0.0
    return max(column.domain, key=known.count)


def order_of(column: Column, fill: Any, target: Sequence[float]) -> list[Any] | None:
    """The values by their mean target; those of no row have the mean of all rows."""
    if column.domain is None:
        return None
    filled = [fill if value is None else value for value in column.values]
    means = []
    for value in column.domain:
        own = [y for x, y in zip(filled, target, strict=True) if x == value]
        means.append(float(np.mean(own or target)))
    return [column.domain[i] for i in sorted(range(len(means)), key=lambda i: (means[i], i))]


def attributes(values: Sequence[Any], fills: Sequence[Any], orders: Sequence[Any]) -> Numbers:
    """Numbers as they are; a nominal value as indicators of being above each place of the order."""
    row: Numbers = []
    for value, fill, order in zip(values, fills, orders, strict=True):
        known = fill if value is None else value
        if order is None:
            row.append(float(known))
        else:
            row += [float(order.index(known) > place) for place in range(len(order) - 1)]
    return row


def grow_m5(
    columns: Sequence[Column],
    target: Sequence[float],
    *,
    variant: Variant = "weka",
    linear: bool = True,
    prune: bool = True,
    smoothing: float = 15.0,
    min_cases: int = 4,
    min_deviation: float = 0.05,
) -> ModelTree:
    fills = [fill_of(column) for column in columns]
    orders = [order_of(column, fill, target) for column, fill in zip(columns, fills, strict=True)]
    rows = [
        attributes([column.values[i] for column in columns], fills, orders)
        for i in range(len(target))
    ]
    grower = _Grower(
        variant=variant,
        linear=linear,
        prune=prune,
        min_cases=min_cases,
        enough=min_deviation * float(np.std(target)),
        deviation=float(np.std(target)),
    )
    root = grower.grow(rows, list(target)).node
    return ModelTree(root=root, columns=columns, fills=fills, orders=orders, smoothing=smoothing)


@dataclass(frozen=True, kw_only=True)
class _Grown:
    """A node, what is asked in it and below, and how its better choice fares."""

    node: Node
    asked: frozenset[int]
    loss: float  # sum of squared (weka) or estimated mean of absolute (paper) errors
    n_parameters: int


@dataclass(frozen=True, kw_only=True)
class _Grower:
    variant: Variant
    linear: bool
    prune: bool
    min_cases: int
    enough: float
    deviation: float

    def grow(self, rows: list[Numbers], target: Numbers) -> _Grown:
        split = self.split(rows, target)
        if split is None:
            constant = Model(intercept=float(np.mean(target)))
            leaf = Node(n=len(rows), model=constant)
            return self.judged(leaf, frozenset(), rows, target)
        attribute, threshold = split
        left = [i for i, row in enumerate(rows) if row[attribute] <= threshold]
        right = [i for i, row in enumerate(rows) if row[attribute] > threshold]
        below = [
            self.grow([rows[i] for i in part], [target[i] for i in part]) for part in (left, right)
        ]
        asked = frozenset({attribute}).union(*(part.asked for part in below))
        model = Model(intercept=float(np.mean(target)))
        if self.linear:
            fit = weka_model if self.variant == "weka" else paper_model
            model = fit(rows, target, sorted(asked))
        alone = self.judged(Node(n=len(rows), model=model), asked, rows, target)
        whole = Node(
            n=len(rows),
            model=model,
            attribute=attribute,
            threshold=threshold,
            children=tuple(part.node for part in below),
        )
        return self.better(alone, whole, below)

    def judged(
        self, node: Node, asked: frozenset[int], rows: list[Numbers], target: Numbers
    ) -> _Grown:
        off = [node.model.predict(row) - y for row, y in zip(rows, target, strict=True)]
        n, v = len(rows), 1 + len(node.model.coefficients)
        if self.variant == "weka":
            loss = sum(e * e for e in off)
        else:
            mean = sum(abs(e) for e in off) / n
            loss = mean * (n + v) / (n - v) if n > v else float("inf")
        return _Grown(node=node, asked=asked, loss=loss, n_parameters=v)

    def better(self, alone: _Grown, whole: Node, below: list[_Grown]) -> _Grown:
        n = whole.n
        if self.variant == "weka":
            loss = sum(part.loss for part in below)
            v = 1 + sum(part.n_parameters for part in below)
            of_tree = (loss / n) ** 0.5 * weka_factor(n, v)
            of_model = (alone.loss / n) ** 0.5 * weka_factor(n, alone.n_parameters)
            takes_over = of_model <= of_tree or of_model < 1e-5 * self.deviation
        else:
            loss = sum(part.node.n * part.loss for part in below) / n
            v = 0
            takes_over = alone.loss <= loss
        if self.prune and takes_over:
            return alone
        return _Grown(node=whole, asked=alone.asked, loss=loss, n_parameters=v)

    def split(self, rows: list[Numbers], target: Numbers) -> tuple[int, float] | None:
        n = len(rows)
        if n < self.min_cases or float(exact_variance(target)) ** 0.5 <= self.enough:
            return None
        least = max(1, n // 5) + 1 if self.variant == "weka" else 2
        power = 0.2 if self.variant == "weka" else 0.5
        best: tuple[float, int, float] | None = None
        for attribute in range(len(rows[0])):
            values = sorted({row[attribute] for row in rows})
            for low, high in pairwise(values):
                left = [y for row, y in zip(rows, target, strict=True) if row[attribute] <= low]
                right = [y for row, y in zip(rows, target, strict=True) if row[attribute] > low]
                if min(len(left), len(right)) < least:
                    continue
                spread = sum(
                    len(part) / n * float(exact_variance(part)) ** power for part in (left, right)
                )
                gain = float(exact_variance(target)) ** power - spread
                if best is None or gain > best[0] + 1e-12 * max(1.0, abs(best[0])):
                    best = gain, attribute, (low + high) / 2
        return None if best is None else best[1:]


def exact_variance(target: Numbers) -> Fraction:
    values = [Fraction(y) for y in target]
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((y - mean) ** 2 for y in values), Fraction(0)) / len(values)


def weka_factor(n: int, v: int) -> float:
    return 10.0 if n <= v else (n + 2 * v) / (n - v)


def regress(
    rows: list[Numbers], target: Numbers, chosen: list[int], ridge: float
) -> tuple[Model, dict[int, float], float]:
    """Ridge regression of standardised attributes: the model, its standardised coefficients and its
    squared error."""
    y = np.array(target)
    x = np.array(rows)[:, chosen].reshape(len(rows), len(chosen))
    mean, sd = x.mean(axis=0), x.std(axis=0)
    z = (x - mean) / sd
    c = np.linalg.solve(z.T @ z + ridge * np.eye(len(chosen)), z.T @ (y - y.mean()))
    off = y - y.mean() - z @ c
    plain = c / sd
    model = Model(
        intercept=float(y.mean() - plain @ mean),
        coefficients=dict(zip(chosen, plain.tolist(), strict=True)),
    )
    standardised = dict(zip(chosen, (c / y.std()).tolist(), strict=True))
    return model, standardised, max(float(off @ off), 1e-20 * len(y) * float(y.var()))


def varying(rows: list[Numbers], asked: list[int]) -> list[int]:
    return [i for i in asked if len({row[i] for row in rows}) > 1]


def weka_model(rows: list[Numbers], target: Numbers, asked: list[int]) -> Model:
    """Weka's LinearRegression: collinear attributes out, then the weakest by Akaike's criterion."""
    n, ridge = len(rows), 1e-8
    chosen = varying(rows, asked)
    model, sizes, error = regress(rows, target, chosen, ridge)
    while any(abs(size) > 1.5 for size in sizes.values()):
        chosen.remove(max(chosen, key=lambda i: abs(sizes[i])))
        model, sizes, error = regress(rows, target, chosen, ridge)
    k, of_all = len(chosen) + 1, error
    least = float(n - k + 2 * k)
    while chosen:
        fewer = [i for i in chosen if i != min(chosen, key=lambda i: abs(sizes[i]))]
        model2, sizes2, error2 = regress(rows, target, fewer, ridge)
        akaike = error2 / of_all * (n - k) + 2 * (len(fewer) + 1)
        if akaike >= least:
            break
        least, chosen, model, sizes = akaike, fewer, model2, sizes2
    return model


def paper_model(rows: list[Numbers], target: Numbers, asked: list[int]) -> Model:
    """Terms go one by one, always the one that costs the least squared error, while the mean
    absolute error times (n + v) / (n - v) falls."""
    n, ridge = len(rows), 1e-12 * len(rows)

    def estimate(model: Model) -> float:
        v = 1 + len(model.coefficients)
        off = [abs(model.predict(row) - y) for row, y in zip(rows, target, strict=True)]
        mean = max(sum(off) / n, 1e-10 * float(np.std(target)))
        return mean * (n + v) / (n - v) if n > v else float("inf")

    chosen = varying(rows, asked)
    model = regress(rows, target, chosen, ridge)[0]
    while chosen:
        tries = [[j for j in chosen if j != i] for i in chosen]
        fewer = min(tries, key=lambda each: regress(rows, target, each, ridge)[2])
        simpler = regress(rows, target, fewer, ridge)[0]
        if estimate(model) < float("inf") and estimate(simpler) >= estimate(model):
            break
        chosen, model = fewer, simpler
    return model
