"""What the model itself answers about rows: the other side of a proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.read.rows import read_rows
from treewright.export.form.build import fitted_model
from treewright.rules.ruleset import RuleSet
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.array_types import Array, FloatArray, Int64Array
    from treewright.data.table import Table
    from treewright.export.proof.rows import Cases


@dataclass(frozen=True, kw_only=True, eq=False)
class Answers:
    """Answers about rows.

    Parameters
    ----------
    classes
        The position of the predicted class of each row; None for numbers, or where not told.
    numbers
        Class probabilities, rows x classes, or the predicted numbers, rows x 1; None where the
        artefact tells none.
    """

    classes: Int64Array | None = None
    numbers: FloatArray | None = None


def answers_of_model(model: object, cases: Cases) -> Answers:
    """Return what a model answers: an estimator by its own ``predict`` and ``predict_proba``.

    An estimator may do more than the model that it fitted, and that is what its users compare with.
    """
    fitted = fitted_model(model)
    table = read_rows(cases.frame(fitted.schema), fitted.schema, unseen="missing")
    if fitted is not model:
        return _answers_of_estimator(model, table, fitted.classes)
    numbers = fitted.plan.answers(table) if isinstance(fitted, Tree) else fitted.answers(table)
    if fitted.classes is None:
        return Answers(numbers=numbers)
    if isinstance(fitted, RuleSet):
        return Answers(classes=_codes(fitted.decide(table), fitted.classes), numbers=numbers)
    return Answers(classes=fitted.leaf.choose(numbers), numbers=numbers)


def _answers_of_estimator(
    estimator: Any, table: Table, classes: tuple[Array, ...] | None
) -> Answers:
    said = np.asarray(estimator.predict(table))
    if classes is None:
        return Answers(numbers=said.astype(np.float64).reshape(-1, 1))
    return Answers(classes=_codes(said, classes), numbers=estimator.predict_proba(table))


def _codes(labels: Array, classes: tuple[Array, ...]) -> Int64Array:
    """Return the positions of labels among the classes of one output."""
    code_of = {label: code for code, label in enumerate(classes[0].tolist())}
    return np.array([code_of[label] for label in labels.tolist()], dtype=np.int64)
