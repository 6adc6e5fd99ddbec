"""A linear model for every node of a grown tree, on the terms of its subtree's questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from treewright.array_types import FloatArray, Int64Array
from treewright.m5.least_squares import (
    Blocks,
    Fit,
    LeastSquares,
    choose_as_weka,
    choose_by_estimate,
)
from treewright.m5.prepare_table import Ranked
from treewright.m5.rows_by_leaf import RowsByLeaf
from treewright.tree.linear_leaves import Term
from treewright.tree.tree import Tree

_MOST_TERMS = 200
"""A model considers at most this many terms: those whose questions gained most in the tree."""
_CELLS_AT_ONCE = 2**22
"""Numbers of one regression that are held in memory at once."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NodeModels:
    """The linear model of every node, and its loss on the node's rows.

    Parameters
    ----------
    rows
        The training rows.
    terms
        All terms that models may have.
    fits
        The model of each node; its terms are positions in `terms`.
    loss
        The sum of the squared (by the paper: absolute) errors of each model on its rows.
    """

    rows: RowsByLeaf
    terms: list[Term]
    fits: list[Fit]
    loss: FloatArray

    @property
    def n_parameters(self) -> FloatArray:
        """Number of parameters of each model, the intercept included."""
        return np.array([1.0 + len(fit.chosen) for fit in self.fits])


def fit_nodes(
    tree: Tree, rows: RowsByLeaf, ranked: Ranked, *, is_weka: bool, is_linear: bool
) -> NodeModels:
    """Return the linear models of all nodes.

    Parameters
    ----------
    tree, rows
        The grown tree, and its training rows.
    ranked
        The ranked table.
    is_weka
        Whether terms are dropped as in the program, not as in the paper.
    is_linear
        Whether there are linear models at all; else every node predicts its mean.
    """
    terms, term_of_node = ranked.terms_of(tree.arrays)
    below = _terms_below(tree, term_of_node, len(terms)) if is_linear else None
    counted = [ranked.counted(term, rows.order) for term in terms] if is_linear else []
    fits, losses = [], np.zeros(tree.n_nodes)
    for node in range(tree.n_nodes):
        own = slice(int(rows.start[node]), int(rows.stop[node]))
        target = rows.target[own]
        weight = None if rows.weight is None else rows.weight[own]
        chosen_from = below(node) if below is not None else None
        if chosen_from is None or not len(chosen_from):
            fit, losses[node] = _constant(target, weight, is_weka=is_weka)
        else:
            blocks = _blocks([counted[i] for i in chosen_from.tolist()], own)
            fit, losses[node] = _linear(
                LeastSquares(blocks, target, weight), float(rows.n_cases[node]), is_weka=is_weka
            )
            losses[node] *= tree.arrays.weight[node]
            fit = replace(fit, chosen=chosen_from[fit.chosen])
        fits.append(fit)
    return NodeModels(rows=rows, terms=terms, fits=fits, loss=losses)


def _constant(target: FloatArray, weight: FloatArray | None, *, is_weka: bool) -> tuple[Fit, float]:
    mean = float(np.average(target, weights=weight))
    if len(target) and target.min() == target.max():
        mean = float(target[0])
    off = (target - mean) ** 2 if is_weka else np.abs(target - mean)
    loss = float(off.sum() if weight is None else off @ weight)
    return Fit.constant(mean), loss


def _linear(squares: LeastSquares, n_cases: float, *, is_weka: bool) -> tuple[Fit, float]:
    """Return the model of a node, with its terms chosen, and its mean loss."""
    if is_weka:
        choice = choose_as_weka(squares, n_cases)
        error = squares.squared_error(choice) * squares.target_sd**2
    else:
        choice = choose_by_estimate(squares, n_cases, squares.absolute_error)
        error = squares.absolute_error(choice) * squares.target_sd
    return squares.fit(choice), error


def _blocks(columns: list[npt.NDArray[np.generic]], rows: slice) -> Blocks:
    """Return a function that iterates over the numbers of some rows, in blocks."""
    n_rows = rows.stop - rows.start
    step = max(_CELLS_AT_ONCE // len(columns), 1)

    def block(start: int, stop: int) -> FloatArray:
        numbers = np.empty((stop - start, len(columns)))
        for i, column in enumerate(columns):
            numbers[:, i] = column[start:stop]
        return numbers

    if n_rows <= step:
        whole = block(rows.start, rows.stop)
        return lambda: iter((whole,))

    def parts() -> Iterator[FloatArray]:
        for start in range(rows.start, rows.stop, step):
            yield block(start, min(start + step, rows.stop))

    return parts


def _terms_below(tree: Tree, term_of_node: Int64Array, n_terms: int) -> Callable[[int], Int64Array]:
    """Return a function that returns the terms of the questions of a node and its subtree."""
    parent, own = tree.arrays.parent.tolist(), term_of_node.tolist()
    asked = [0] * tree.n_nodes  # a bit per term
    for node in tree.bottom_up():
        if own[node] >= 0:
            asked[node] |= 1 << own[node]
        if node:
            asked[parent[node]] |= asked[node]
    asks = term_of_node >= 0
    worth = np.bincount(
        term_of_node[asks],
        weights=(tree.arrays.gain * tree.arrays.weight)[asks],
        minlength=n_terms,
    )
    by_worth = np.argsort(-worth, kind="stable")
    place = np.empty(n_terms, dtype=np.int64)
    place[by_worth] = np.arange(n_terms)
    n_bytes = n_terms // 8 + 1

    def below(node: int) -> Int64Array:
        bits = np.frombuffer(asked[node].to_bytes(n_bytes, "little"), dtype=np.uint8)
        found = np.flatnonzero(np.unpackbits(bits, bitorder="little"))
        if len(found) > _MOST_TERMS:
            found = np.sort(found[np.argsort(place[found])[:_MOST_TERMS]])
        return found

    return below
