"""Whether a model was grown from these very rows: a figure on them is no figure of new rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data.fingerprint import fingerprint_of
from treewright.data.frame import Frame
from treewright.data.read.table import match_table
from treewright.errors import DataError
from treewright.persist.description import Description
from treewright.persist.file_answers import schema_of


def grew(described: Description, model: Any, X: Frame, y: Any) -> bool:
    """Return whether the rows are those that a model's file says it was fitted on.

    Parameters
    ----------
    described
        What :func:`~treewright.persist.describe` says of the model's file.
    model
        The model.
    X, y
        The rows; columns that the model does not know are passed over.

    Examples
    --------
    >>> import pathlib, tempfile, treewright as tw
    >>> play = tw.load_example("play_tennis")
    >>> model = tw.ID3Classifier().fit(play.X, play.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tw.save(model, pathlib.Path(folder) / "play.tw")
    ...     described = tw.persist.describe(pathlib.Path(folder) / "play.tw")
    >>> grew(described, model, play.X, play.y), grew(described, model, play.X, play.y[::-1])
    (True, False)
    """
    schema = schema_of(model)
    if described.fingerprint is None or schema is None or described.rows != len(y):
        return False
    try:
        table = match_table(X, schema, owner=described.kind, by_name=True)
    except DataError:
        return False
    classes = getattr(model, "classes_", None)
    known = np.asarray(y)
    if classes is not None:
        place = {each: code for code, each in enumerate(np.asarray(classes).tolist())}
        if any(each not in place for each in known.tolist()):
            return False
        known = np.array([place[each] for each in known.tolist()], dtype=np.int32)
    return fingerprint_of(table, known) == described.fingerprint
