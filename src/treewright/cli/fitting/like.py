"""``--like``: what a saved model says about growing another one.

Algorithm and parameters, target, columns, and the way its table was read. What is typed beside it
goes first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treewright.cli.data_files import RawTable, Task
from treewright.cli.failure import Failure, usage
from treewright.cli.model_files import Remembered, load_model, remembered_of
from treewright.cli.names import ALGORITHMS
from treewright.data.column_roles import task_of
from treewright.text.names import list_names

if TYPE_CHECKING:
    from treewright.cli.fitting.costs import Costs
    from treewright.data.column import Column


@dataclass(frozen=True, kw_only=True, eq=False)
class Like:
    """A saved model that another is to be grown like.

    Parameters
    ----------
    path, model
        The file and its model.
    remembered
        What the file keeps beside it: target and way of reading.
    columns
        Names of the columns that it learned from.
    kinds
        What these columns hold.
    """

    path: str
    model: Any
    remembered: Remembered
    columns: tuple[str, ...]
    kinds: Mapping[str, Any] = field(default_factory=dict)

    @property
    def class_name(self) -> str:
        """Name of its class."""
        return type(self.model).__name__

    @property
    def algorithm(self) -> str:
        """What ``--algorithm`` calls it; the name of its class where that has no other."""
        for name, each in ALGORITHMS.items():
            if self.class_name in (each.classes, each.numbers):
                return name
        return self.class_name

    @property
    def task(self) -> Task:
        """What it predicts."""
        return "numbers" if getattr(self.model, "classes_", None) is None else "classes"

    @property
    def costs(self) -> Costs | None:
        """What its answers cost, by the names of the classes."""
        given = self.model.get_params(deep=False).get("cost_matrix")
        if given is None or isinstance(given, Mapping):
            return given
        classes = self.model.classes_.tolist()
        return {
            actual: dict(zip(classes, map(float, row), strict=True))
            for actual, row in zip(classes, given, strict=True)
        }

    def is_taken(self, algorithm: str | None) -> bool:
        """Whether parameters are its own, or those of another algorithm that was typed."""
        return algorithm in (None, self.algorithm)

    def unfitted(self) -> Any:
        """Return an estimator with its parameters that was not fitted."""
        return type(self.model)(**self.model.get_params(deep=False))

    def refuse(self, task: Task) -> None:
        """Refuse a target of classes where the model predicts numbers, and the other way round."""
        if task == self.task:
            return
        raise Failure(
            code="wrong-task",
            message=f"{self.path} predicts {self.task}; the target has {task}",
            hint=f"--target with a column of {self.task}, or --algorithm NAME",
            file=self.path,
            parameter="like",
        )

    def read_as(self, raw: RawTable, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return target, task and columns of a table, where nothing else was typed."""
        target, task = options["target"], options["task"]
        known = self.remembered.target
        if target is None and known is not None:
            if known not in raw.frame.columns:
                raise Failure(
                    code="column-not-found",
                    message=f"no column {known!r} in {raw.source}: it is the target of {self.path}",
                    found=f"{len(raw.frame.columns)} columns: {list_names(raw.frame.columns)}",
                    hint="--target NAME",
                    file=raw.source,
                    column=known,
                )
            target = known
        if task is None and target is not None and target == known:
            task = self._task_of(raw.frame.column(target))
        left = {*options["ignore"], target, options["weight"], options["groups"]}
        wanted = [name for name in self.columns if name not in left]
        self._check_columns(raw, wanted)
        return {"target": target, "task": task, "columns": wanted}

    def _task_of(self, column: Column) -> Task:
        """Return what the model's target is here: what it was there, unless it cannot be."""
        if self.task == "numbers":
            return "classes" if column.storage == "value" else "numbers"
        classes = self.model.classes_
        texts = not isinstance(classes, list) and classes.dtype.kind in "OU"
        return task_of(column) if texts and column.storage != "value" else "classes"

    def _check_columns(self, raw: RawTable, wanted: list[str]) -> None:
        absent = [name for name in wanted if name not in raw.frame.columns]
        if not absent:
            return
        what = f"column {absent[0]!r}" if len(absent) == 1 else f"{len(absent)} columns"
        named = "" if len(absent) == 1 else f": {list_names(map(repr, absent))}"
        raise Failure(
            code="column-not-found",
            message=f"{raw.source} lacks {what} of {self.path}{named}",
            found=f"{len(raw.frame.columns)} columns: {list_names(raw.frame.columns)}",
            hint="--ignore NAMES learns without them",
            file=raw.source,
            column=absent[0],
        )


def like_of(path: str | None) -> Like | None:
    """Return the model of ``--like``; refuse one that nothing can be grown like."""
    if path is None:
        return None
    from treewright.data.files.chunk import kinds_of
    from treewright.persist.file_answers import input_names, schema_of

    model = load_model(path)
    if not hasattr(model, "get_params"):
        raise usage(
            f"{path} is a {type(model).__name__}; --like needs a model that was fitted, with its"
            " parameters",
            code="not-an-estimator",
            hint="--algorithm NAME; treewright help algorithms lists them",
            parameter="like",
            file=path,
        )
    schema = schema_of(model)
    kinds = {} if schema is None else kinds_of(schema)
    return Like(
        path=path,
        model=model,
        remembered=remembered_of(path),
        columns=input_names(model, schema),
        kinds={name: kind for name, kind in kinds.items() if kind != "any"},
    )
