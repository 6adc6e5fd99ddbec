"""Offsets of rows as boosting takes them: what is added to the score of each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.boosting.ensemble import BoostedEnsemble
from treewright.boosting.losses import Loss
from treewright.data.read.offset import read_offset
from treewright.errors import DataError, UnsupportedError


def offsets_of(
    given: Any, n_rows: int, *, n_outputs: int, link: str, shift: int, name: str = "offset"
) -> FloatArray | None:
    """Return the offsets in the units of scores, rows x outputs; None where none are given.

    Parameters
    ----------
    given
        What the user gave.
    n_rows, n_outputs
        Rows of the table, and scores of a row.
    link, shift
        Scores of a target of extreme size are divided by 2 to the power of `shift`, and their
        offsets too where scores are predictions.
    name
        Of the argument, for messages.
    """
    if given is None:
        return None
    offset = read_offset(given, n_rows, n_outputs, name=name)
    return np.ldexp(offset, -shift) if shift and link == "identity" else offset


def training_offsets(
    given: Any, n_rows: int, loss: Loss, *, shift: int, init: Any
) -> FloatArray | None:
    """Return the offsets of the training rows; refuse them beside another model."""
    if given is not None and not (init is None or isinstance(init, str)):
        raise UnsupportedError(
            f"offset cannot be used with init={init!r}, which is fitted to the target without"
            " offsets, so that they would count twice.\n  Hint: init='zero', and offsets to which"
            " the scores of the other model are added."
        )
    return offsets_of(given, n_rows, n_outputs=loss.n_outputs, link=loss.link, shift=shift)


def validation_offsets(
    given: Any, n_rows: int, loss: Loss, *, shift: int, has_offsets: bool
) -> FloatArray | None:
    """Return the offsets of the validation rows, which have them where the training rows do."""
    if has_offsets and given is None:
        raise DataError(
            "the training rows have offsets, and the validation rows none.\n"
            "  Hint: fit(..., offset_val=...); offset_val=0 if they have none."
        )
    if given is not None and not has_offsets:
        raise DataError(
            "offset_val belongs to offset: the training rows have none.\n"
            "  Hint: fit(..., offset=...); offset=0 if they have none."
        )
    return offsets_of(
        given, n_rows, n_outputs=loss.n_outputs, link=loss.link, shift=shift, name="offset_val"
    )


def offsets_to_predict(
    given: Any, n_rows: int, model: BoostedEnsemble, *, owner: str
) -> FloatArray | None:
    """Return the offsets of rows to predict; refuse to forget those of a model that has them."""
    if given is None and model.has_offsets:
        raise DataError(
            f"{owner} was fitted with offsets, and the rows to predict have none.\n"
            "  Hint: predict(X, offset=...); offset=0 predicts without them (for log exposure: for"
            " an exposure of 1)."
        )
    return offsets_of(
        given, n_rows, n_outputs=model.core.n_outputs, link=model.link, shift=model.shift
    )
