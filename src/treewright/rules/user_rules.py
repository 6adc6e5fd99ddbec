"""Rules built by users: refused where they cannot predict, else completed."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.array_types import Array
from treewright.errors import ParameterError
from treewright.parameters import is_number
from treewright.rules.extract import check_label
from treewright.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treewright.array_types import FloatArray


def check_classes(classes: Any) -> None:
    """Refuse an argument that is not a tuple of the classes of each output."""
    is_tuple = isinstance(classes, tuple) and len(classes) > 0
    if not is_tuple or not all(isinstance(names, np.ndarray) for names in classes):
        raise ParameterError(
            f"classes={classes!r} must be a tuple of arrays, one for each output, or None.\n"
            "  Hint: tree.classes, or (np.array(['no', 'yes']),)."
        )


def complete(rules: Iterable[Any], classes: tuple[Array, ...] | None) -> tuple[Rule, ...]:
    """Return rules that all have a prediction; refuse what is no rule, or an unknown class.

    A rule that has only a label, as :meth:`Rule.of` makes it, gives it the probability 1.
    """
    names = None if classes is None or len(classes) > 1 else set(classes[0].tolist())
    checked = []
    for rule in rules:
        if not isinstance(rule, Rule):
            raise ParameterError(
                f"{rule!r} is no Rule.\n  Hint: Rule.of(schema, conditions, label) makes one."
            )
        if names is not None and not (isinstance(rule.label, Hashable) and rule.label in names):
            check_label(rule.label, classes, subject="These rules predict")
        is_told = rule.distribution.size > 0
        checked.append(rule if is_told else replace(rule, distribution=_sure(rule.label, classes)))
    return tuple(checked)


def _sure(label: Any, classes: tuple[Array, ...] | None) -> FloatArray:
    """Return the prediction of a rule that has only a label."""
    if classes is None:
        if not is_number(label):
            raise ParameterError(f"label={label!r} must be a number, where there are no classes.")
        return np.array([float(label)])
    labels = (label,) if len(classes) == 1 else label
    if not isinstance(labels, tuple) or len(labels) != len(classes):
        raise ParameterError(
            f"label={label!r} must be a tuple of {len(classes)} classes, one for each output."
        )
    shares = [names == each for names, each in zip(classes, labels, strict=True)]
    return np.concatenate(shares).astype(np.float64)
