"""verify: an artefact and its model asked about the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.export.form.build import form_of
from treewright.export.proof.engines.base import Engine, EngineError
from treewright.export.proof.model_answers import Answers, answers_of_model
from treewright.export.proof.proof import Proof
from treewright.export.proof.rows import Cases, boundary_cases

if TYPE_CHECKING:
    from treewright.array_types import BoolArray, FloatArray
    from treewright.export.exported import Exported
    from treewright.export.form.form import Form

_LAST_PLACES = 8
"""Units in the last place of a float64 that two libraries' exponentials may differ by."""


def prove(
    model: object, exported: Exported, engine: Engine, *, cases: Cases | None = None
) -> Proof:
    """Return the comparison of an artefact with its model, run by an engine.

    Parameters
    ----------
    model
        The model that was exported.
    exported
        The artefact.
    engine
        What runs it.
    cases
        The rows; None takes boundary rows.
    """
    version = engine.version()
    if version is None:
        return Proof(target=exported.target, not_run=engine.absent())
    form = form_of(model)
    if cases is None:
        cases = boundary_cases(form)
    cases = engine.reach(form, cases)
    right = answers_of_model(model, cases)
    values = tuple(
        (each.name, len(own)) for each, own in zip(cases.inputs, cases.values, strict=True)
    )
    try:
        found = engine.run(form, exported, cases)
    except EngineError as error:
        return Proof(
            target=exported.target,
            rows=len(cases),
            engine=version,
            differing=len(cases),
            largest_difference=float("nan"),
            first_difference=str(error),
            values=values,
            drawn=cases.drawn,
            table_rows=cases.n_table,
        )
    differs, largest = _compared(form, exported, right, found)
    first = None
    if differs.any():
        row = int(np.argmax(differs))
        both = f"{_said(form, found, row)}, the model {_said(form, right, row)}"
        first = f"{cases.row_in_words(row)}: {both}"
    return Proof(
        target=exported.target,
        rows=len(cases),
        engine=version,
        differing=int(np.count_nonzero(differs)),
        largest_difference=largest,
        first_difference=first,
        allowed=_allowed_in_words(form, exported),
        values=values,
        drawn=cases.drawn,
        table_rows=cases.n_table,
    )


def _compared(
    form: Form, exported: Exported, right: Answers, found: Answers
) -> tuple[BoolArray, float]:
    """Return which rows differ, and the largest difference of a number."""
    assert right.numbers is not None
    differs = np.zeros(len(right.numbers), dtype=bool)
    if right.classes is not None and found.classes is not None:
        differs |= right.classes != found.classes
    largest = 0.0
    if found.numbers is not None:
        with np.errstate(invalid="ignore", over="ignore"):
            apart = np.abs(found.numbers - right.numbers)
        same = (found.numbers == right.numbers) | (
            np.isnan(found.numbers) & np.isnan(right.numbers)
        )
        apart = np.where(same, 0.0, apart)
        allowed = _allowed(form, exported, right.numbers)
        differs |= ~(apart <= allowed).all(axis=1)
        largest = float(np.nanmax(apart, initial=0.0))
    return differs, largest


def _allowed(form: Form, exported: Exported, right: FloatArray) -> FloatArray:
    """Return the difference that is allowed: none, unless exponentials or float32 are needed."""
    if exported.precision == "float32":
        near = np.maximum(np.abs(right), np.finfo(np.float32).tiny).astype(np.float32)
        spacing: FloatArray = np.spacing(near).astype(np.float64)
        return spacing if form.is_exact else 2.0 * np.maximum(spacing, 2.0**-24)
    if form.is_exact and not _adds_up_otherwise(form, exported):
        return np.zeros_like(right)
    # A probability is 1 - another one, so that its error is one of numbers near 1.
    size = np.maximum(np.abs(right), 1.0) if form.classes is not None else np.abs(right)
    places = _LAST_PLACES
    if exported.any_order:  # a sum of n numbers: an error of each addition
        places += form.n_trees
        size = np.maximum(size, _largest_sum(form))
    allowed: FloatArray = places * np.finfo(np.float64).eps * size
    return allowed


def _adds_up_otherwise(form: Form, exported: Exported) -> bool:
    return exported.scales or (exported.any_order and form.n_trees > 1)


def _largest_sum(form: Form) -> float:
    """Return a bound of the sums that lead to an answer, relative to what they are divided by."""
    return float(np.abs(form.graph.lines).max(initial=0.0)) * form.n_trees / form.divisor


def _allowed_in_words(form: Form, exported: Exported) -> str | None:
    if exported.precision == "float32":
        return "to 1 unit in the last place of float32"
    if exported.any_order and form.n_trees > 1:
        return "to the rounding of a sum of float64, as it is added in another order"
    if exported.scales:
        return "to the rounding of the sum of shares, by which its readers divide them"
    if form.is_exact:
        return None
    return f"to {_LAST_PLACES} units in the last place of float64, as exponentials differ"


def _said(form: Form, answers: Answers, row: int) -> str:
    words = []
    if answers.classes is not None and form.classes is not None:
        words.append(repr(form.classes[int(answers.classes[row])]))
    if answers.numbers is not None:
        words.append(", ".join(map(repr, answers.numbers[row].tolist())))
    return " ".join(words)
