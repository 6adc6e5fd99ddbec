"""Text printed beside a node: its rows, their weight, its classes or its mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treewright.criteria import CRITERIA, GRADIENTS
from treewright.text.names import on_one_line
from treewright.text.numbers import figure, figures, percent
from treewright.text.table import TextColumn

if TYPE_CHECKING:
    from treewright.array_types import Array, FloatArray, Int64Array
    from treewright.tree.leaf import LeafRule
    from treewright.tree.tree import Tree

_MAX_CLASS_COLUMNS = 6
_MAX_CLASS_WIDTH = 48
_MAX_CLASSES_NAMED = 3


def node_columns(tree: Tree, nodes: Sequence[int], *, ascii: bool = False) -> list[TextColumn]:
    """Return the printed columns that describe these nodes; an arrow marks the leaves."""
    arrays = tree.arrays
    chosen = np.asarray(nodes, dtype=np.int64)
    n_rows, weight = arrays.n_rows[chosen], arrays.weight[chosen]
    leaf = (arrays.n_branches[chosen] == 0).tolist()
    arrow = "->" if ascii else "→"
    if not tree.has_rows:  # written by hand
        return [TextColumn("", _answers(tree, nodes, leaf, arrow))]
    columns = [TextColumn("rows", [str(count) for count in n_rows.tolist()], right=True)]
    if not np.array_equal(n_rows, weight):
        header = "hessian" if tree.criterion == GRADIENTS else "weight"
        columns.append(TextColumn(header, figures(weight.tolist()), right=True))
    if tree.classes is None and tree.n_outputs == 1:
        marks = [arrow if ends else "" for ends in leaf]
        return [*columns, *_regression_columns(tree, chosen, marks)]
    if tree.classes is not None and tree.n_outputs == 1:
        names = list(map(str, tree.classes[0].tolist()))
        # A leaf without rows may have the class of its parent as its value: nobody is counted.
        counts = np.where(weight[:, np.newaxis] > 0, arrays.value[chosen], 0.0)
        columns += class_columns(names, counts.tolist(), ascii=ascii)
    return [*columns, TextColumn("", _answers(tree, nodes, leaf, arrow))]


def _answers(tree: Tree, nodes: Sequence[int], leaf: Sequence[bool], arrow: str) -> list[str]:
    """Return the predictions of the leaves among some nodes."""
    return [
        f"{arrow} {label_in_words(tree.label(node))}" if ends else ""
        for node, ends in zip(nodes, leaf, strict=True)
    ]


def label_in_words(label: object) -> str:
    """Return the text of a label on one line, several outputs side by side."""
    if isinstance(label, tuple):
        return ", ".join(map(label_in_words, label))
    return figure(label) if isinstance(label, float) else on_one_line(str(label))


def answer_in_words(
    label: object, answer: FloatArray, classes: tuple[Array, ...] | None, way: str = ""
) -> str:
    """Return the text of one prediction: its label and, for one class, the probabilities.

    `way` says how they come about, where trees alone do not tell (:func:`way_in_words`).
    """
    told = label_in_words(label)
    if classes is None or len(classes) > 1:
        return f"{told}  ({way})" if way else told
    names = list(map(str, classes[0].tolist()))
    colon = ":" if any(map(_is_like_number, names)) else ""
    shares = sorted(zip(-answer, names, strict=True), key=lambda pair: pair[0])
    shown = [f"{name}{colon} {percent(-share)}" for share, name in shares if share < 0]
    said = ", ".join(shown[:5]) + (", …" if len(shown) > 5 else "")
    return f"{told}  ({said}; {way})" if way else f"{told}  ({said})"


def way_in_words(
    answer: FloatArray,
    classes: tuple[Array, ...] | None,
    rule: LeafRule,
    *,
    calibrated: bool = False,
) -> str:
    """Return what makes an answer other than trees alone tell: calibration, costs; or nothing."""
    ways = ["calibrated"] if calibrated else []
    if classes is not None and rule.cost_matrix is not None:
        chosen = rule.choose(answer[np.newaxis])
        ways += ["by expected cost"] * int(chosen[0] != answer.argmax())
    return ", ".join(ways)


def _is_like_number(name: str) -> bool:
    """Return whether a class beside its count would look like another number."""
    return name[-1:].isdigit()


def class_columns(
    classes: Sequence[str], lines: Sequence[Sequence[float] | None], *, ascii: bool = False
) -> list[TextColumn]:
    """Return printed columns of class weights; where there are many classes, of the heaviest.

    Parameters
    ----------
    classes
        Their names.
    lines
        The weights in each printed line; None leaves it empty.
    ascii
        Add only ASCII characters.
    """
    names = list(map(on_one_line, classes))
    width = sum(len(name) + 2 for name in names)
    if len(names) > _MAX_CLASS_COLUMNS or width > _MAX_CLASS_WIDTH:
        told = [classes_in_words(names, line, ascii=ascii) if line else "" for line in lines]
        return [TextColumn("classes", told)]
    nothing = [None] * len(names)
    # One number of decimals for all classes.
    cells = figures(weight for line in lines for weight in (line or nothing))
    return [TextColumn(name, cells[k :: len(names)], right=True) for k, name in enumerate(names)]


def classes_in_words(names: Sequence[str], weights: Sequence[float], *, ascii: bool = False) -> str:
    """Return the text of the heaviest classes with their weights.

    Examples
    --------
    >>> classes_in_words(["No", "Yes"], [2.0, 3.0])
    'Yes 3, No 2'
    >>> classes_in_words(list("abcde"), [5, 4, 3, 2, 1])
    'a 5, b 4, c 3, … 2 more'
    >>> classes_in_words(["1", "3"], [182, 183])
    '3: 183, 1: 182'
    """
    present = sorted((-weight, k) for k, weight in enumerate(weights) if weight > 0)
    n_named = _MAX_CLASSES_NAMED if len(present) > _MAX_CLASSES_NAMED + 1 else len(present)
    colon = ":" if any(_is_like_number(name) for name in names) else ""
    words = [f"{names[k]}{colon} {figure(-negative)}" for negative, k in present[:n_named]]
    if n_named < len(present):
        words.append(f"{'...' if ascii else '…'} {len(present) - n_named} more")
    return ", ".join(words)


def _regression_columns(tree: Tree, chosen: Int64Array, marks: list[str]) -> list[TextColumn]:
    if tree.criterion == GRADIENTS:  # impurities of gradients are not kept
        scores = figures(tree.arrays.value[chosen, 0].tolist())
        return [TextColumn("", marks), TextColumn("score", scores, right=True)]
    header, spread = "impurity", tree.arrays.impurity[chosen]
    power = power_of_sd(tree.criterion)
    if power is not None:
        header = "sd"
        spread = np.maximum(spread, 0.0) ** (1 / power)
    predicted = "mean" if _adds_up(tree.criterion) else "median"
    values = figures(tree.arrays.value[chosen, 0].tolist())
    if tree.linear is not None:
        predicted = "answer"
        number_of_leaf = model_numbers(tree)
        for line, node in enumerate(chosen.tolist()):
            values[line] = f"LM{number_of_leaf[node]}" if node in number_of_leaf else values[line]
    return [
        TextColumn(header, figures(spread.tolist()), right=True),
        TextColumn("", marks),
        TextColumn(predicted, values, right=True),
    ]


def model_numbers(tree: Tree) -> dict[int, int]:
    """Return the number of each leaf's linear model, from 1 in reading order."""
    if tree.linear is None:
        return {}
    order = tree.reading_order
    leaves = order[np.diff(tree.linear.start)[order] > 0]
    return {leaf: number for number, leaf in enumerate(leaves.tolist(), start=1)}


def _adds_up(criterion: str) -> bool:
    known = CRITERIA.get(criterion)  # trees made by hand may have a name of their own
    return known is None or known.is_additive


def power_of_sd(criterion: str) -> float | None:
    """Return the power of the standard deviation that impurities are; None where they are none."""
    known = CRITERIA.get(criterion)
    if known is None or known.task == "classes" or known.is_deviance or not known.is_additive:
        return None
    return None if known.sums_over_rows else known.power_of_unit or None
