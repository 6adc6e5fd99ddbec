"""Explanation of one prediction of an ensemble: what columns add to it, and the trees' votes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.text.names import short_name
from treewright.text.notebook import ShownInNotebooks
from treewright.text.numbers import figures, percent
from treewright.tree.node_text import answer_in_words, label_in_words

if TYPE_CHECKING:
    from treewright.array_types import Array, FloatArray
    from treewright.explain.shap_values import ShapValues

_MOST_WIDE = 80
_MOST_COLUMNS = 5
_MOST_OUTPUTS = 2
_MOST_CLASSES = 4
_MOST_LETTERS = {"column": 22, "value": 14, "one output": 31, "several outputs": 12}
"""Longer texts are cut, and three dots follow: together they fill a line."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EnsembleExplanation(ShownInNotebooks):
    """What an ensemble predicts for one row, and why; ``print`` it.

    Attributes
    ----------
    label
        The predicted class or number; a tuple of them where there are several outputs.
    answer
        Class probabilities (outputs side by side), or the prediction(s).
    classes
        The classes of each output; None for numbers.
    said
        What each tree says, trees x outputs: a class or a number. In boosting, what each tree adds
        to the scores.
    votes
        The same in words.
    shap
        What each column adds, for this row and the predicted classes (in boosting, to the score);
        None where the prediction is no sum over columns.
    no_shap
        Why there are no SHAP values; None where there are.
    way
        How the answer comes about where the trees alone do not tell: ``calibrated``, ``by expected
        cost``.
    is_calibrated
        Whether it is calibrated: trees, and what columns add, tell of the answer before.
    """

    label: Any
    answer: FloatArray
    classes: tuple[Array, ...] | None
    said: Array
    votes: str
    shap: ShapValues | None
    no_shap: str | None = None
    way: str = ""
    is_calibrated: bool = False

    def __str__(self) -> str:
        return self.text()

    def text(self, *, max_columns: int = _MOST_COLUMNS) -> str:
        """Return the prediction, the votes of the trees, and what the columns add to it.

        Parameters
        ----------
        max_columns
            Number of columns shown, those that add or take away most.
        """
        heading = answer_in_words(self.label, self.answer, self.classes, self.way)
        votes = self.votes.split("\n")
        if len(votes) > _MOST_OUTPUTS:
            votes[_MOST_OUTPUTS:] = [f"and {len(votes) - _MOST_OUTPUTS} more outputs"]
        told = [
            line if len(line) <= _MOST_WIDE else f"{line[: _MOST_WIDE - 1]}…"
            for line in (heading, *votes)
        ]
        if self.shap is None:
            return "\n".join([*told, "", f"What columns add is not told: {self.no_shap}"])
        before = ["Before calibration:"] if self.is_calibrated else []
        return "\n".join(
            [*told, "", *before, self._to_print().text(max_columns=max_columns, signed=True)]
        )

    def _to_print(self) -> ShapValues:
        """Return the SHAP values with texts that fit into a line, of the first outputs."""
        shap, most = self.shap, _MOST_LETTERS
        assert shap is not None
        data = shap.data.astype(object)
        for place, value in enumerate(data[0]):
            if isinstance(value, str):
                data[0, place] = short_name(value, most["value"])
        n_letters = most["one output" if len(shap.output_names) == 1 else "several outputs"]
        several = np.ndim(shap.base_values) > 0
        return replace(
            shap,
            values=shap.values[..., :_MOST_OUTPUTS] if several else shap.values,
            base_values=np.atleast_1d(shap.base_values)[:_MOST_OUTPUTS],
            data=data,
            feature_names=tuple(short_name(name, most["column"]) for name in shap.feature_names),
            output_names=tuple(
                short_name(name, n_letters) for name in shap.output_names[:_MOST_OUTPUTS]
            ),
        )


def of_label(shap: ShapValues, chosen: list[int] | None) -> ShapValues:
    """Return the SHAP values of the chosen class of each output; of numbers all.

    Parameters
    ----------
    shap
        The values of one row; of two classes possibly those of the second alone.
    chosen
        Positions of the chosen classes among the outputs; None for numbers.
    """
    names = shap.output_names
    if len(names) == 1:
        told = shap.scale if chosen is None else f"{shap.scale} of {names[0]}"
        return replace(shap, output_names=(told,))
    if chosen is None:
        return shap
    base = np.atleast_1d(shap.base_values)[chosen]
    if len(chosen) > 1:
        return replace(
            shap,
            values=shap.values[..., chosen],
            base_values=base,
            output_names=tuple(names[place] for place in chosen),
        )
    return replace(
        shap,
        values=shap.values[..., chosen[0]],
        base_values=float(base[0]),
        output_names=(f"{shap.scale} of {names[chosen[0]]}",),
    )


def votes_in_words(said: Array, weights: FloatArray | None = None) -> str:
    """Return how many trees say which class, a line per output, the largest group first.

    Parameters
    ----------
    said
        The class that each tree says, trees x outputs.
    weights
        Vote weight of each tree, whose shares are told as well.

    Examples
    --------
    >>> print(votes_in_words(np.array([["no"], ["yes"], ["yes"]], dtype=object)))
    2 of 3 trees say yes, 1 no
    >>> said = np.array([["no"], ["yes"], ["yes"]], dtype=object)
    >>> print(votes_in_words(said, np.array([3.0, 1.0, 1.0])))
    1 of 3 trees says no (60.0 % of the votes), 2 yes (40.0 %)
    """
    lines = []
    for output, column in enumerate(said.T.tolist()):
        counts = Counter(map(label_in_words, column))
        share = dict.fromkeys(counts, 0.0)
        for label, weight in zip(column, _shares(weights, len(column)), strict=True):
            share[label_in_words(label)] += weight
        order = sorted(counts, key=lambda name: -share[name])
        words: list[str] = []
        for name in order[:_MOST_CLASSES]:
            n_trees = counts[name]
            told = "" if weights is None else percent(share[name])
            if not words:
                verb = "tree says" if len(column) == 1 else "trees say"
                verb = "trees says" if n_trees == 1 < len(column) else verb
                words.append(f"{n_trees} of {len(column)} {verb} {name}")
                told = told and f" ({told} of the votes)"
            else:
                words.append(f"{n_trees} {name}")
                told = told and f" ({told})"
            words[-1] += told
        if len(order) > _MOST_CLASSES:
            words.append(f"{sum(counts[name] for name in order[_MOST_CLASSES:])} others")
        start = f"output {output}: " if said.shape[1] > 1 else ""
        lines.append(start + ", ".join(words))
    return "\n".join(lines)


def _shares(weights: FloatArray | None, n_trees: int) -> list[float]:
    given = np.ones(n_trees) if weights is None else weights
    shares: list[float] = (given / given.sum()).tolist()
    return shares


def numbers_in_words(said: FloatArray) -> str:
    """Return where the numbers that trees say lie, a line per output.

    >>> print(numbers_in_words(np.array([[1.0], [2.0], [2.5], [4.0]])))
    half of 4 trees say 1.750 to 2.875, all 1.000 to 4.000
    """
    lines = []
    for output, column in enumerate(np.asarray(said, dtype=np.float64).T):
        low, high = column.min(), column.max()
        first, third = np.percentile(column, [25, 75])
        start = f"output {output}: " if said.shape[1] > 1 else ""
        if low == high:
            all_of = "the one tree says" if len(column) == 1 else f"all {len(column)} trees say"
            lines.append(f"{start}{all_of} {figures([low])[0]}")
            continue
        told = figures([first, third, low, high])
        lines.append(
            f"{start}half of {len(column)} trees say {told[0]} to {told[1]},"
            f" all {told[2]} to {told[3]}"
        )
    return "\n".join(lines)
