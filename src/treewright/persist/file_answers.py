"""A saved model asked about the rows of a file of any size.

The file is read as the model's own table was (decimal mark, missing marks, dates, and what each
column holds), in chunks of 65,536 rows; its columns pass through as they were written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.data.files.any_file import ReadOptions
from treewright.data.files.chunk import Chunk, kinds_of
from treewright.data.files.open_bytes import FileSource
from treewright.data.files.stream import TableStream, open_table_stream
from treewright.data.files.write_rows import TableFormat, TableWriter, Values, format_of
from treewright.data.fitted_schema import FittedSchema
from treewright.data.frame import Frame
from treewright.data.reading import Reading
from treewright.errors import ColumnMismatchError, DataError, ParameterError, UnsupportedError
from treewright.parameters import nearest_hint
from treewright.persist.description import describe
from treewright.persist.tree_alone import load_answering_tree
from treewright.text.names import list_names


@dataclass(frozen=True, kw_only=True)
class PredictedFile:
    """What was written.

    Attributes
    ----------
    rows : int
        Number of rows.
    unseen : dict
        Column to value to number of rows: categories that the model was not fitted on.
    rows_unseen : dict
        Column to number of rows with such a category.
    """

    rows: int
    unseen: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def rows_unseen(self) -> dict[str, int]:
        """Number of rows with an unseen category, by column."""
        return {name: sum(counts.values()) for name, counts in self.unseen.items()}


def predict_file(
    model: str | os.PathLike[str],
    source: FileSource | Frame,
    out: Any = "-",
    *,
    proba: bool = False,
    only: bool = False,
    keep: Sequence[str] | None = None,
    interval: float | None = None,
    name: str = "prediction",
    format: TableFormat | None = None,
    options: ReadOptions | None = None,
    told: Callable[[int], None] | None = None,
) -> PredictedFile:
    """Write the answers of a saved model for the rows of a file.

    Parameters
    ----------
    model : path
        The model's file.
    source : path, binary file or frame
        The rows: CSV, TSV, JSON lines, Parquet, ARFF; compressed or not; ``"-"`` is standard input.
    out : path or binary file
        Where to, in the format that its suffix says; ``"-"`` is standard output. Without a suffix
        JSON lines stay JSON lines, and all else becomes CSV with the delimiter of the source.
    proba : bool
        Add the probability of every class, ``p_CLASS``.
    only : bool
        Write the answers alone, without the columns of the source.
    keep : list of names, optional
        The columns of the source to write; by default all.
    interval : float, optional
        Add the ends of intervals that hold the truth with this probability (``..._low``,
        ``..._high``), or for classes the set of those that it may be (``..._set``).
    name : str
        Name of the column of answers.
    format : {"csv", "tsv", "jsonl", "parquet"}, optional
        Format to write, where the suffix does not say it.
    options : ReadOptions, optional
        How to read the source, where that is not as the model's table was read.
    told : function, optional
        Called with the number of rows done, now and then.

    Returns
    -------
    PredictedFile

    Examples
    --------
    >>> import io, pathlib, tempfile, treewright as tw
    >>> play = tw.load_example("play_tennis")
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(folder.name) / "play.tw"
    >>> tw.save(tw.ID3Classifier().fit(play.X, play.y), file)
    >>> rows = io.BytesIO(b"Wind,Outlook,Humidity,Temperature\\nStrong,Rain,High,Cool\\n")
    >>> made = io.BytesIO()
    >>> predict_file(file, rows, made, proba=True, keep=["Wind"]).rows
    1
    >>> print(made.getvalue().decode())
    Wind,prediction,p_No,p_Yes
    Strong,No,1.0,0.0
    <BLANKLINE>
    >>> folder.cleanup()
    """
    told_of_model = describe(model)
    # Intervals are the estimator's; of a tree's answers its estimator is not loaded.
    loaded = load_answering_tree(model) if interval is None else None
    if loaded is None:
        from treewright.persist.files import load  # late: a tree needs no other model's classes

        loaded = load(model)
    asker = _Asker(loaded, proba=proba, interval=interval, name=name, kind=told_of_model.kind)
    how = options or ReadOptions()
    reading = told_of_model.remembered.get("reading")
    if isinstance(reading, dict):
        how = how.like(Reading.from_dict(reading))
    with open_table_stream(source, how) as stream:
        kept = _kept(stream, only=only, keep=keep)
        _refuse_clash(kept, asker.names, stream.reading.source)
        with _writer(stream.reading, out, format) as writer:
            for chunk in stream.chunks(asker.kinds(stream.columns)):
                writer.write(chunk, kept, asker.answers(chunk))
                if told is not None:
                    told(writer.n_rows)
    return PredictedFile(rows=writer.n_rows, unseen=asker.unseen)


def _writer(reading: Reading, out: Any, format: TableFormat | None) -> TableWriter:
    """Return what writes the answers: in the format of the name, else in that of the source."""
    name = os.fspath(out) if isinstance(out, str | os.PathLike) else ""
    usual: TableFormat = "jsonl" if reading.format == "json" else "csv"
    chosen = format or format_of(name) or usual
    is_csv = reading.format == "csv" and chosen == "csv"
    delimiter = (reading.delimiter or ",") if is_csv else ","
    decimal = reading.decimal if delimiter != "," else "."
    return TableWriter(out, format=chosen, delimiter=delimiter, decimal=decimal)


def schema_of(model: Any) -> FittedSchema | None:
    """Return the columns that a model was fitted on, with their kinds; None if it has none."""
    for part in (model, *(getattr(model, name, None) for name in ("tree_", "ensemble_", "rules_"))):
        schema = getattr(part, "schema", None)
        if isinstance(schema, FittedSchema):
            return schema
    return None


def input_names(model: Any, schema: FittedSchema | None) -> tuple[str, ...]:
    """Return the names of the columns that a model takes, in the order of its table."""
    named = getattr(model, "feature_names_in_", None)
    if named is not None:
        return tuple(map(str, named))
    return () if schema is None else tuple(schema.input_names or schema.names)


class _Asker:
    """A model that is asked about one chunk after the other."""

    def __init__(
        self, model: Any, *, proba: bool, interval: float | None, name: str, kind: str
    ) -> None:
        self.model, self.interval, self.name = model, interval, name
        self.schema = schema_of(model)
        self.inputs = input_names(model, self.schema)
        classes = getattr(model, "classes_", None)
        if classes is None:
            classes = getattr(model, "classes", None)
        if isinstance(classes, tuple) and len(classes) == 1:  # of a tree: one for each target
            classes = classes[0]
        if isinstance(classes, list) or (classes is not None and np.ndim(classes) != 1):
            raise UnsupportedError("a model of several targets answers in Python only.")
        self.classes = None if classes is None else tuple(np.asarray(classes).tolist())
        if proba and self.classes is None:
            raise UnsupportedError(
                f"{kind} predicts numbers; it has no probabilities of classes.\n"
                "  Hint: an interval says how sure a number is."
            )
        self.proba = proba
        self.unseen: dict[str, dict[str, int]] = {}

    @property
    def names(self) -> list[str]:
        """Names of the columns that are added."""
        added = [self.name]
        if self.proba and self.classes is not None:
            added += [f"p_{each}" for each in self.classes]
        if self.interval is not None:
            ends = ("low", "high") if self.classes is None else ("set",)
            added += [f"{self.name}_{end}" for end in ends]
        return added

    def kinds(self, columns: Sequence[str]) -> dict[str, Any]:
        """Return what the columns hold that the model asks for, as far as they are there."""
        known: dict[str, Any] = {} if self.schema is None else dict(kinds_of(self.schema))
        names = self.inputs or tuple(known) or tuple(columns)
        absent = [name for name in names if name not in columns]
        if absent and self.schema is not None and not self.schema.named:
            raise ColumnMismatchError(
                f"the model was fitted to columns without names: no column {absent[0]!r}.\n"
                f"  Given: {list_names(columns)}\n"
                f"  Hint: name the columns {list_names(names)}, in the order of the fit."
            )
        if absent:
            near = nearest_hint(absent[0], columns)
            more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
            raise ColumnMismatchError(
                f"no column {absent[0]!r}{more}, which the model needs.\n"
                f"  Fitted on: {list_names(names)}\n"
                f"  Given:     {list_names(columns)}"
                + (near or f"\n  Hint: add the column {absent[0]!r}; its values may be missing.")
            )
        return {name: known.get(name, "any") for name in names}

    def answers(self, chunk: Chunk) -> dict[str, Values]:
        """Return the columns to add to a chunk."""
        if chunk.n_rows == 0:
            return {name: [] for name in self.names}
        frame = chunk.frame
        self._count_unseen(frame, chunk)
        X = frame.select([name for name in self.inputs if name in frame.columns] or frame.columns)
        found: dict[str, Values] = {}
        if self.proba and self.classes is not None:
            shares = np.asarray(self.model.predict_proba(X))
            found = {
                f"p_{each}": shares[:, place].tolist() for place, each in enumerate(self.classes)
            }
        answers: dict[str, Values] = {self.name: np.asarray(self.model.predict(X)).tolist()}
        answers |= found
        if self.interval is not None:
            answers |= self._certain(X)
        return answers

    def _certain(self, X: Frame) -> dict[str, Values]:
        if self.classes is None:
            ends = np.asarray(self.model.predict_interval(X, self.interval))
            return {
                f"{self.name}_low": ends[:, 0].tolist(),
                f"{self.name}_high": ends[:, 1].tolist(),
            }
        sets = np.asarray(self.model.predict_set(X, self.interval)).tolist()
        texts = [str(each) for each in self.classes]
        joined = [
            "|".join(text for text, may_be in zip(texts, row, strict=True) if may_be)
            for row in sets
        ]
        return {f"{self.name}_set": joined}

    def _count_unseen(self, frame: Frame, chunk: Chunk) -> None:
        if self.schema is None:
            return
        for spec in self.schema.sources:
            if spec.storage != "value" or spec.name not in frame.columns:
                continue
            column = frame.column(spec.name)
            if column.storage != "value":
                continue
            known = set(spec.values)
            new = [i for i, value in enumerate(column.values) if value not in known]
            if not new:
                continue
            counts = np.bincount(column.data[column.data >= 0], minlength=len(column.values))
            for code in new:
                if counts[code] == 0:
                    continue
                value = str(column.values[code])
                if self._refuses_unseen:
                    line = chunk.lines[int(np.argmax(column.data == code))]
                    raise DataError(
                        f"line {line}: {spec.name} {value!r} was not there at the fit, and the"
                        " model refuses unseen values."
                    )
                of_column = self.unseen.setdefault(spec.name, {})
                of_column[value] = of_column.get(value, 0) + int(counts[code])

    @property
    def _refuses_unseen(self) -> bool:
        return bool(getattr(self.model, "unseen", None) == "error")


def _kept(stream: TableStream, *, only: bool, keep: Sequence[str] | None) -> tuple[str, ...]:
    if only:
        return tuple(keep or ())
    if keep is None:
        return stream.columns
    for each in keep:
        if each not in stream.columns:
            raise ColumnMismatchError(
                f"there is no column {each!r} to keep in {stream.reading.source}.\n"
                f"  Columns: {list_names(stream.columns)}{nearest_hint(each, stream.columns)}"
            )
    return tuple(keep)


def _refuse_clash(kept: Sequence[str], added: Sequence[str], source: str) -> None:
    for each in added:
        if each in kept:
            raise ParameterError(
                f"{source} has a column {each!r} already.\n"
                "  Hint: name= calls the answers otherwise; only=True leaves its columns out."
            )
