"""Made tables of the shapes that people have, seeded, for `shapes.py`: of any share of full size.

A shape is a function of a generator of random numbers and a scale, 1 for the full size. Tables
with names are dicts of columns, for scikit-learn and its like as codes. Real tables come along.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tables import Table, words


@dataclass(frozen=True)
class Shape:
    """A made table: rows as treewright and as its peers read them, and what `fit` takes beside."""

    X: Any
    codes: np.ndarray  # for peers
    y: np.ndarray
    weight: np.ndarray | None = None
    is_numbers: bool = False
    options: dict[str, Any] = field(default_factory=dict)  # of trees and forests, in all libraries


def of_real(table: Table) -> Shape:
    """Return a shared table; for peers words as their codes in order, gaps as NaN."""
    codes = table.X.astype(dict.fromkeys(words(table.X), "category"))
    for name in words(table.X):
        coded = codes[name].cat.codes.to_numpy(dtype=np.float64)
        codes[name] = np.where(coded < 0, np.nan, coded)
    y = table.y if not table.is_classification else np.unique(table.y, return_inverse=True)[1]
    return Shape(
        table.X, codes.to_numpy(dtype=np.float64), y, is_numbers=not table.is_classification
    )


Maker = Callable[[np.random.Generator, float], Shape]
SHAPES: dict[str, Maker] = {}


def shape(maker: Maker) -> Maker:
    SHAPES[maker.__name__] = maker
    return maker


def decimals(random: np.random.Generator, n_rows: float, n_columns: float) -> np.ndarray:
    return random.standard_normal((max(int(n_rows), 500), max(int(n_columns), 4)))


def classes_of(X: np.ndarray, random: np.random.Generator, n_classes: int = 2) -> np.ndarray:
    """Return classes that depend on some columns, with noise; missing values count as 0."""
    score = values_of(X, random)
    edges = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return np.searchsorted(edges, score)


def values_of(X: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return numbers that depend on some columns, with noise; missing values count as 0."""
    known = np.nan_to_num(X[:, :4].astype(np.float64))
    score = 1.2 * known[:, 0] * known[:, 1] + np.sin(2 * known[:, 2]) + np.abs(known[:, 3])
    return np.asarray(score + random.standard_normal(len(X)))


def with_gaps(X: np.ndarray, random: np.random.Generator, share: float) -> np.ndarray:
    made = X.copy()
    made[random.random(X.shape) < share] = np.nan
    return made


def standardised(X: np.ndarray) -> np.ndarray:
    return np.asarray((X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9))


def of_classes(X: np.ndarray, random: np.random.Generator, n_classes: int = 2) -> Shape:
    return Shape(X, X, classes_of(standardised(X), random, n_classes))


def named(random: np.random.Generator, n_rows: float, levels: list[int], n_decimals: int) -> Shape:
    """Return decimals beside columns of text of so many values; two classes."""
    numeric = decimals(random, n_rows, max(n_decimals, 4))[:, :n_decimals]
    n = len(numeric)
    codes = np.column_stack([random.integers(0, k, n) for k in levels])
    effect = random.standard_normal(max(levels))
    score = effect[codes[:, :2]].sum(axis=1) + random.standard_normal(n)
    if n_decimals:
        score += numeric[:, 0]
    words = np.array([f"value {i}" for i in range(max(levels))])
    table = {f"x{i}": numeric[:, i] for i in range(n_decimals)}
    table.update({f"t{i}": words[codes[:, i]] for i in range(len(levels))})
    y = (score > np.median(score)).astype(np.int64)
    return Shape(table, np.column_stack([numeric, codes]), y)


# ------------------------------------------------------------------ dense decimals


@shape
def plain(random: np.random.Generator, scale: float) -> Shape:
    return of_classes(decimals(random, 500_000 * scale, 20), random)


@shape
def numbers(random: np.random.Generator, scale: float) -> Shape:
    X = decimals(random, 500_000 * scale, 20)
    return Shape(X, X, values_of(X, random), is_numbers=True)


@shape
def small(random: np.random.Generator, scale: float) -> Shape:
    return of_classes(decimals(random, 10_000 * scale, 12), random)


@shape
def tall(random: np.random.Generator, scale: float) -> Shape:
    return of_classes(decimals(random, 5_000_000 * scale, 5), random)


@shape
def wide(random: np.random.Generator, scale: float) -> Shape:
    return of_classes(decimals(random, 20_000 * scale, 2_000), random)


@shape
def many_classes(random: np.random.Generator, scale: float) -> Shape:
    return of_classes(decimals(random, 300_000 * scale, 20), random, 30)


@shape
def rare_class(random: np.random.Generator, scale: float) -> Shape:
    X = decimals(random, 500_000 * scale, 74)
    likely = X[:, 0] + X[:, 1] + 0.5 * random.standard_normal(len(X))
    return Shape(X, X, (likely > np.quantile(likely, 0.99)).astype(np.int64))


@shape
def constant_columns(random: np.random.Generator, scale: float) -> Shape:
    X = decimals(random, 300_000 * scale, 30)
    X[:, 4:20] = 1.0
    return of_classes(X, random)


@shape
def skewed_target(random: np.random.Generator, scale: float) -> Shape:
    X = decimals(random, 300_000 * scale, 15)
    return Shape(X, X, np.exp(2.0 * values_of(X, random)), is_numbers=True)


@shape
def discrete_target(random: np.random.Generator, scale: float) -> Shape:
    X = decimals(random, 300_000 * scale, 15)
    y = random.poisson(np.exp(0.4 * values_of(X, random))).astype(np.float64)
    return Shape(X, X, y, is_numbers=True)


# ------------------------------------------------------------------ gaps


@shape
def gap(random: np.random.Generator, scale: float) -> Shape:
    X = decimals(random, 500_000 * scale, 20)
    y = classes_of(X, random)
    X[17, 3] = np.nan
    return Shape(X, X, y)


@shape
def gaps(random: np.random.Generator, scale: float) -> Shape:
    X = decimals(random, 500_000 * scale, 20)
    y = classes_of(X, random)
    X = with_gaps(X, random, 0.1)
    return Shape(X, X, y)


@shape
def gaps_numbers(random: np.random.Generator, scale: float) -> Shape:
    X = decimals(random, 300_000 * scale, 25)
    y = values_of(X, random)
    X = with_gaps(X, random, 0.25)
    return Shape(X, X, y, is_numbers=True)


# ------------------------------------------------------------------ few values


@shape
def binary(random: np.random.Generator, scale: float) -> Shape:
    n = max(int(500_000 * scale), 500)
    X = (random.random((n, 100)) < random.uniform(0.05, 0.6, 100)).astype(np.float64)
    return of_classes(np.column_stack([X @ random.standard_normal((100, 4)) > 0, X]) * 1.0, random)


@shape
def sparse(random: np.random.Generator, scale: float) -> Shape:
    """Most cells are 0, the others decimals."""
    X = decimals(random, 300_000 * scale, 60)
    X[random.random(X.shape) < 0.95] = 0.0
    return of_classes(X, random)


@shape
def counts(random: np.random.Generator, scale: float) -> Shape:
    n = max(int(500_000 * scale), 500)
    X = random.poisson(random.uniform(0.5, 30.0, 29), (n, 29)).astype(np.float64)
    return of_classes(X, random, 8)


@shape
def ordinal(random: np.random.Generator, scale: float) -> Shape:
    n = max(int(500_000 * scale), 500)
    return of_classes(random.integers(1, 6, (n, 20)).astype(np.float64), random)


@shape
def ties(random: np.random.Generator, scale: float) -> Shape:
    """Decimals of one digit: some sixty values a column."""
    return of_classes(np.round(decimals(random, 500_000 * scale, 16), 1), random)


# ------------------------------------------------------------------ names


@shape
def text(random: np.random.Generator, scale: float) -> Shape:
    """Half of the columns are text of 20 values."""
    return named(random, 500_000 * scale, [20] * 10, 10)


@shape
def names(random: np.random.Generator, scale: float) -> Shape:
    """Three quarters of the columns are text of 10 to 50 values."""
    return named(random, 500_000 * scale, random.integers(10, 51, 30).tolist(), 11)


@shape
def short_names(random: np.random.Generator, scale: float) -> Shape:
    """All columns are text of three values."""
    return named(random, 300_000 * scale, [3] * 20, 0)


@shape
def long_names(random: np.random.Generator, scale: float) -> Shape:
    """One column of text has very many values."""
    return named(random, 500_000 * scale, [max(int(50_000 * scale), 1_000), 30], 8)


# ------------------------------------------------------------------ weights and criteria


@shape
def weights(random: np.random.Generator, scale: float) -> Shape:
    X = decimals(random, 500_000 * scale, 20)
    return Shape(X, X, classes_of(X, random), weight=random.uniform(0.5, 2.0, len(X)))


@shape
def weights_numbers(random: np.random.Generator, scale: float) -> Shape:
    X = decimals(random, 300_000 * scale, 20)
    weight = random.uniform(0.5, 2.0, len(X))
    return Shape(X, X, values_of(X, random), weight=weight, is_numbers=True)


@shape
def balanced(random: np.random.Generator, scale: float) -> Shape:
    X = decimals(random, 500_000 * scale, 20)
    likely = values_of(X, random)
    y = (likely > np.quantile(likely, 0.9)).astype(np.int64)
    return Shape(X, X, y, options={"class_weight": "balanced"})


@shape
def entropy(random: np.random.Generator, scale: float) -> Shape:
    X = decimals(random, 500_000 * scale, 20)
    return Shape(X, X, classes_of(X, random), options={"criterion": "entropy"})
