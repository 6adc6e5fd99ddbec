"""What the model itself answers about rows: the other side of a proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.data.read.rows import read_rows
from treewright.export.form.build import fitted_model
from treewright.rules.ruleset import RuleSet
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int64Array
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
    """Return the answers that ``predict`` and ``predict_proba`` of a model are made of."""
    fitted = fitted_model(model)
    table = read_rows(cases.frame(fitted.schema), fitted.schema, unseen="missing")
    numbers = fitted.plan.answers(table) if isinstance(fitted, Tree) else fitted.answers(table)
    if fitted.classes is None:
        return Answers(numbers=numbers)
    if isinstance(fitted, RuleSet):
        code_of = {label: code for code, label in enumerate(fitted.classes[0].tolist())}
        said = [code_of[label] for label in fitted.decide(table).tolist()]
        return Answers(classes=np.array(said, dtype=np.int64), numbers=numbers)
    return Answers(classes=fitted.leaf.choose(numbers), numbers=numbers)
