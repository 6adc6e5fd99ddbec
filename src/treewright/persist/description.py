"""A model file described from its header alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treewright.errors import ModelFormatError
from treewright.state.files import damaged, read_model
from treewright.state.model_state import ModelState
from treewright.text.names import list_names, on_one_line, short_name
from treewright.text.table import TextColumn, lay_out


@dataclass(frozen=True, kw_only=True)
class Description:
    """What a model file tells of its model.

    Parameters
    ----------
    kind
        Name of the model's class.
    task
        ``"classification"``, ``"regression"`` or ``"transformation"``.
    classes
        The classes of each output as texts; None where numbers are predicted.
    columns
        Names and kinds of the columns; the kind is None where it is not known.
    size
        Numbers of trees, nodes, leaves or rules, and depth, as far as they are known.
    rows
        Number of training rows; None where the model does not know.
    criterion
        What its questions were chosen by.
    parameters
        The parameters of an estimator, as texts.
    fingerprint
        Hash of the training table and target; None where the model no longer had them.
    versions
        The treewright that wrote the file, and what it ran on.
    format
        Number of the file's format.
    n_bytes
        Size of the file.
    remembered
        What ``save(..., remember=...)`` was given.
    """

    kind: str
    task: str
    classes: tuple[tuple[str, ...], ...] | None
    columns: tuple[tuple[str, str | None], ...]
    size: Mapping[str, int]
    rows: int | None
    criterion: str | None
    parameters: Mapping[str, str]
    fingerprint: str | None
    versions: Mapping[str, str]
    format: int
    n_bytes: int
    remembered: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """Return all that is known, a line for each fact."""
        facts = {
            "kind": self.kind,
            "task": self.task,
            "classes": "" if self.classes is None else " | ".join(map(list_names, self.classes)),
            "columns": list_names(name for name, _ in self.columns),
            "size": ", ".join(f"{name} {number:,}" for name, number in self.size.items()),
            "training rows": "" if self.rows is None else f"{self.rows:,}",
            "criterion": self.criterion or "",
            "parameters": ", ".join(f"{name}={text}" for name, text in self.parameters.items()),
            "fingerprint": self.fingerprint or "",
            "versions": ", ".join(f"{name} {text}" for name, text in self.versions.items()),
            "file": f"format {self.format}, {self.n_bytes:,} bytes",
        }
        known = {name: on_one_line(fact) for name, fact in facts.items() if fact}
        whole = lay_out([TextColumn("", list(known)), TextColumn("", list(known.values()))])
        return whole.lstrip("\n")


def describe(path: str | os.PathLike[str]) -> Description:
    """Return what a model file tells of its model, without building the model.

    Parameters
    ----------
    path
        A file that :func:`treewright.save` has written.

    Raises
    ------
    ModelFileError
        If the file cannot be read.
    ModelFormatError
        If it is no model file, is damaged, or is of a newer treewright.

    Examples
    --------
    >>> import tempfile, pathlib, treewright as tw
    >>> play = tw.load_example("play_tennis")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "play.tw"
    ...     tw.save(tw.ID3Classifier().fit(play.X, play.y), path)
    ...     found = tw.persist.describe(path)
    >>> found.kind, found.task, found.classes, found.size["leaves"]
    ('ID3Classifier', 'classification', (('No', 'Yes'),), 5)
    """
    state = read_model(path, only_about=True)
    try:
        return _description(state, os.stat(path).st_size)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise damaged(path, f"what it tells of the model makes no sense ({error})") from error


def _description(state: ModelState, n_bytes: int) -> Description:
    told = state.about
    classes = told["classes"]
    found = Description(
        kind=state.kind,
        task=str(told["task"]),
        classes=None if classes is None else tuple(tuple(map(str, each)) for each in classes),
        columns=tuple((str(each["name"]), each["kind"]) for each in told["columns"]),
        size={str(name): int(number) for name, number in told["size"].items()},
        rows=None if told["rows"] is None else int(told["rows"]),
        criterion=None if told["criterion"] is None else str(told["criterion"]),
        parameters={str(name): str(text) for name, text in told["parameters"].items()},
        fingerprint=None if told["fingerprint"] is None else str(told["fingerprint"]),
        versions={
            "treewright": state.version,
            **{str(name): str(text) for name, text in told["versions"].items()},
        },
        format=state.format,
        n_bytes=n_bytes,
        remembered=dict(told["remembered"]),
    )
    if told["kind"] != state.kind:
        raise ModelFormatError(f"it is of {short_name(state.kind)} and of another class")
    return found
