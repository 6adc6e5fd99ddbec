"""SHAP values of trees and of sums of trees; the core has the method (``tree/shap.hpp``).

Nodes are prepared here: what each leaf adds to the answer, and the linear models of leaves. Rows
are explained in the core.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.core import ShapTrees
from treewright.data.core_columns import lend
from treewright.errors import DataError, UnsupportedError
from treewright.explain.shap_values import ShapValues, credited
from treewright.tree.linear_leaves import NumberTerm

if TYPE_CHECKING:
    from treewright.array_types import Array, FloatArray
    from treewright.data.table import Table
    from treewright.tree.linear_leaves import LinearLeaves, Term
    from treewright.tree.tree import Tree

MOST_TOGETHER = 14
"""Most columns that questions about several may ask: every set of them is tried in the core."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Share:
    """A tree of a sum: what its nodes add, nodes x answers, and the factor of its linear models."""

    tree: Tree
    answers: FloatArray
    factor: float = 1.0


def check_background(background: Table | None) -> None:
    """Refuse a background without rows."""
    if background is not None and background.n_rows == 0:
        raise DataError(
            "background has no rows.\n  Hint: give some typical rows, or None for the shares of the"
            " training rows."
        )


def explain_trees(
    shares: Iterable[Share],
    table: Table,
    *,
    classes: tuple[Array, ...] | None,
    base: FloatArray | None,
    background: Table | None = None,
    interactions: bool = False,
    n_threads: int = 1,
    scale: str,
    when_divided: str | None = None,
) -> ShapValues:
    """Return the SHAP values of a sum of trees.

    Parameters
    ----------
    shares
        The trees with what their leaves add to the answer.
    table
        The rows.
    classes
        The classes of each output, whose answers sum to 1; None for numbers.
    base
        The mean answer of the background; None without one.
    background
        Rows that stand for what is not known; None takes the shares of the training rows.
    interactions
        Whether pairs of columns are explained.
    n_threads
        Threads to use; the values are the same for any number.
    scale
        The unit of the values.
    when_divided
        Why values would not add up for a row that is divided at a missing value; None where they
        do.
    """
    shares = list(shares)
    width = shares[0].answers.shape[1]
    kept = _computed(width, classes)
    if len(kept):
        values, expected = _explain(
            shares, kept, table, background, interactions, n_threads, when_divided
        )
    else:  # one class: always 1
        shape = (table.n_rows, 0, *([len(table.schema)] * (2 if interactions else 1)))
        values, expected = np.zeros(shape), np.zeros(0)
    if classes is not None:
        values, expected = _with_last_class(values, expected, classes)
    return credited(
        table,
        values=values,
        base=expected if base is None else base,
        output_names=output_names(classes, width),
        scale=scale,
        interactions=interactions,
    )


def _explain(
    shares: list[Share],
    kept: Array,
    table: Table,
    background: Table | None,
    interactions: bool,
    n_threads: int,
    when_divided: str | None,
) -> tuple[FloatArray, FloatArray]:
    numbers = _Numbers()
    prepared = [(share, _linear(share, numbers)) for share in shares]
    core = ShapTrees(len(table.schema), len(kept), len(numbers.terms))
    for share, linear in prepared:
        plan = share.tree.plan.core
        if linear is None:
            core.add(plan, np.ascontiguousarray(share.answers[:, kept]))
        else:
            core.add_linear(plan, **linear)
    values, expected, divided_row, n_together = core.shap(
        lend(table),
        numbers.of(table),
        n_threads,
        interactions,
        None if background is None else lend(background),
        None if background is None else numbers.of(background),
    )
    refuse_too_many_together(n_together)
    if when_divided is not None and divided_row >= 0:
        raise UnsupportedError(
            f"shap_values: row {divided_row} has a missing value and is divided among branches, and"
            f" {when_divided}.\n  Hint: leave such rows out, or fit with another missing=."
        )
    return values, expected


def refuse_too_many_together(n_together: int) -> None:
    """Refuse rows of which too many columns are asked together."""
    if n_together:
        raise UnsupportedError(
            f"shap_values: {n_together} columns are asked together, by linear combinations or"
            f" surrogates, and exact values try every set of up to {MOST_TOGETHER}.\n"
            "  Hint: a tree with fewer columns in its combinations, or importances('permutation')."
        )


def explain_tree(
    tree: Tree,
    table: Table,
    *,
    background: Table | None = None,
    interactions: bool = False,
    n_threads: int = 1,
) -> ShapValues:
    """Return the SHAP values of a single tree: of class probabilities, or of the number."""
    check_background(background)
    base = None
    if background is not None:
        base = tree.plan.answers(background, n_threads=n_threads).mean(axis=0)
    counts = "combine='leaf_counts' divides by the weight of the leaves reached: no sum of columns"
    return explain_trees(
        [Share(tree=tree, answers=tree.answers)],
        table,
        classes=tree.classes,
        base=base,
        background=background,
        interactions=interactions,
        n_threads=n_threads,
        scale="prediction" if tree.classes is None else "probability",
        when_divided=counts if tree.combine == "leaf_counts" else None,
    )


def output_names(classes: tuple[Array, ...] | None, width: int) -> tuple[str, ...]:
    """Return the names of what a model answers.

    >>> output_names((np.array(["a", "b"]),), 2)
    ('a', 'b')
    """
    if classes is None:
        return ("prediction",) if width == 1 else tuple(f"output {i}" for i in range(width))
    if len(classes) == 1:
        return tuple(map(str, classes[0]))
    return tuple(f"output {i}: {each}" for i, names in enumerate(classes) for each in names)


def _computed(width: int, classes: tuple[Array, ...] | None) -> Array:
    """Return which answers are computed: the last class of an output is what the others leave."""
    if classes is None:
        return np.arange(width)
    ends = np.cumsum([len(names) for names in classes])
    return np.setdiff1d(np.arange(width), ends - 1)


def _with_last_class(
    values: FloatArray, expected: FloatArray, classes: tuple[Array, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return values and expected probabilities with those of the last class of each output."""
    parts: list[FloatArray] = []
    bases: list[FloatArray] = []
    start = 0
    for names in classes:
        own = slice(start, start + len(names) - 1)
        parts += [values[:, own], 0.0 - values[:, own].sum(axis=1, keepdims=True)]
        bases += [expected[own], 1.0 - expected[own].sum(keepdims=True)]
        start = own.stop
    return np.concatenate(parts, axis=1), np.concatenate(bases)


class _Numbers:
    """The numbers that linear models multiply, each once for all trees."""

    def __init__(self) -> None:
        self.terms: list[Term] = []
        self._position: dict[Any, int] = {}

    def position(self, term: Term) -> int:
        is_number = isinstance(term, NumberTerm)
        key = (term.index, (term.low, term.high) if is_number else term.codes)  # type: ignore[union-attr]
        if key not in self._position:
            self._position[key] = len(self.terms)
            self.terms.append(term)
        return self._position[key]

    def of(self, table: Table) -> FloatArray:
        """Return the number of every term (columns) in every row; NaN where it is missing."""
        numbers = np.empty((table.n_rows, len(self.terms)))
        for position, term in enumerate(self.terms):
            numbers[:, position] = term.values(table)
        return numbers


def _linear(share: Share, numbers: _Numbers) -> dict[str, Array] | None:
    """Return the linear models of a tree's leaves as the core takes them; None without any."""
    linear: LinearLeaves | None = share.tree.linear
    if linear is None or not len(linear.term):
        return None
    count = np.diff(linear.start)
    terms = [linear.terms[i] for i in linear.term.tolist()]
    node = np.repeat(np.arange(len(count)), count)
    filled = np.bincount(node, weights=linear.coefficient * linear.fill, minlength=len(count))
    constant = share.factor * (linear.intercept + filled)
    if linear.limits is None:
        limits = np.tile([-np.inf, np.inf], (len(count), 1))
    else:
        limits = share.factor * linear.limits
    value = np.where(count > 0, constant, share.answers[:, 0])
    return {
        "value": np.ascontiguousarray(value[:, np.newaxis]),
        "start": np.ascontiguousarray(linear.start, dtype=np.int64),
        "column": np.array([term.index for term in terms], dtype=np.int32),
        "number": np.array([numbers.position(term) for term in terms], dtype=np.int32),
        "coefficient": share.factor * linear.coefficient,
        "fill": np.ascontiguousarray(linear.fill),
        "limits": np.ascontiguousarray(limits),
    }
