"""Rows held back: some to learn from, some to choose by, and some to judge once.

Whatever is chosen by looking at rows fits those rows; an honest figure comes from rows that chose
nothing. So the test part counts how often it was asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.array_types import Array, Int64Array
from treewright.data.read.take_rows import take_rows
from treewright.errors import DataError, ParameterError, TestReuseWarning, warn
from treewright.evaluate.cross_validate import constant_answers
from treewright.evaluate.metrics import Task, metrics_of
from treewright.evaluate.scores import Scores, scored
from treewright.evaluate.trial.answers import as_target
from treewright.evaluate.trial.learners import learners_of
from treewright.evaluate.trial.splits import Folds, Split, hold_out
from treewright.evaluate.trial.task_data import TaskData, read_task_data
from treewright.parameters import check_choice, check_number, check_share
from treewright.text.numbers import percent
from treewright.text.table import TextColumn, lay_out

_PARTS = ("train", "validation", "test")


@dataclass(kw_only=True, eq=False)
class Holdout:
    """A table in parts to learn from, to choose by, and to judge once.

    Parameters
    ----------
    train, validation, test
        Positions of the rows; validation may have none.
    data
        The table.
    method
        How the rows were divided.
    level
        Confidence level of the figures.
    n_tests
        How often the test part was asked.
    """

    train: Int64Array
    validation: Int64Array
    test: Int64Array
    data: TaskData
    method: str
    metrics: Any = None
    level: float = 0.95
    random_state: int = 0
    n_tests: int = 0

    def part(self, name: str) -> tuple[Any, Array]:
        """Return table and target of a part: "train", "validation" or "test"."""
        check_choice("name", name, _PARTS)
        rows = getattr(self, name)
        return take_rows(self.data.X, rows), self.data.y_as_given[rows]

    def validate(self, learner: Any) -> Scores:
        """Return how good a learner, fitted to the training part, is on the validation part.

        As often as one likes: this is what choices are made by.
        """
        if not len(self.validation):
            raise ParameterError("there is no validation part.\n  Hint: validation=0.2.")
        return self._judged(learner, self.train, self.validation, ())

    def judge(self, learner: Any) -> Scores:
        """Return how good the learner that was chosen is on the test part.

        It is fitted to all rows but those of the test part. Asked a second time, the figure says
        so: the better of two, chosen by the test part, looks better than it is.
        """
        self.n_tests += 1
        notes: tuple[str, ...] = ()
        if self.n_tests > 1:
            said = f"the test part was asked {self.n_tests} times"
            notes = (f"{said}: if the figures led to a choice, they are too good",)
            warn(
                f"{said}; a choice made by it makes its figures too good.\n"
                "  Hint: choose by validate(), then judge once.",
                TestReuseWarning,
            )
        return self._judged(learner, np.sort([*self.train, *self.validation]), self.test, notes)

    def _judged(
        self, learner: Any, train: Int64Array, test: Int64Array, notes: tuple[str, ...]
    ) -> Scores:
        (entrant,) = learners_of([learner])
        entrant.check(self.data)
        model = entrant.fit(self.data, train, seed=self.random_state, n_threads=None)
        answers = entrant.answer(model, self.data, test)
        one = Folds(splits=(Split(train=train, test=test),), method=self.method)
        with_costs = self.data.cost_matrix is not None
        return scored(
            entrant.name,
            answers,
            metrics_of(self.metrics, self.data.task, with_costs=with_costs),
            self.level,
            baseline=constant_answers(self.data, one, 0),
            notes=notes,
        )

    def __str__(self) -> str:
        sizes = [len(getattr(self, name)) for name in _PARTS]
        used = {"train": "to learn from", "validation": "to choose by", "test": "to judge once"}
        shown = [i for i in range(3) if sizes[i]]
        table = lay_out(
            [
                TextColumn("part", [_PARTS[i] for i in shown]),
                TextColumn("rows", [f"{sizes[i]:,}" for i in shown], right=True),
                TextColumn("", [percent(sizes[i] / sum(sizes)) for i in shown], right=True),
                TextColumn("", [used[_PARTS[i]] for i in shown]),
            ]
        )
        asked = {0: "not asked yet", 1: "asked once"}.get(
            self.n_tests, f"asked {self.n_tests} times"
        )
        return f"{self.method}\n\n{table}\ntest part: {asked}"

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(str(self))}</pre>"


def holdout(
    X: Any,
    y: Any,
    *,
    test: float = 0.2,
    validation: float = 0.0,
    task: Task | None = None,
    stratify: bool = True,
    groups: Any = None,
    time: Any = None,
    sample_weight: Any = None,
    metrics: Any = None,
    positive: Any = None,
    cost_matrix: Any = None,
    level: float = 0.95,
    random_state: int = 0,
) -> Holdout:
    """Return a table divided into parts to learn from, to choose by, and to judge once.

    Parameters
    ----------
    X, y
        Table and target.
    test, validation
        Shares of the rows.
    task
        "classes" or "numbers"; by default as `y` looks.
    stratify
        Whether the parts have the classes in the proportions of the table.
    groups
        What belongs together, an entry per row: no group is in two parts.
    time
        When each row was made: the latest rows judge, those before them choose.
    sample_weight, metrics, positive, cost_matrix, level
        As for :func:`scores`.
    random_state
        Seed of the division.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, load_example
    >>> loans = load_example("loans")
    >>> parts = holdout(loans.X, loans.y, validation=0.2, test=0.2)
    >>> print(parts)
    held out, stratified; 2,000 rows; seed 0
    <BLANKLINE>
    part         rows
    train       1,200  60.0 %  to learn from
    validation    400  20.0 %  to choose by
    test          400  20.0 %  to judge once
    test part: not asked yet
    >>> depths = {depth: DecisionTreeClassifier(max_depth=depth) for depth in (2, 4, 8)}
    >>> error = {depth: parts.validate(tree)["error"].value for depth, tree in depths.items()}
    >>> chosen = min(error, key=error.get)
    >>> print(chosen, parts.judge(depths[chosen])["error"])
    4 15.3 %, 12.1 to 19.1 % (95 %)
    """
    check_share("test", test)
    check_number("validation", validation, low=0.0, high=1.0, open_high=True)
    check_share("level", level)
    if test + validation >= 1:
        raise ParameterError(
            f"test={test!r} and validation={validation!r} leave no rows to learn from."
        )
    if task is None:
        task = "numbers" if as_target(y).dtype.kind == "f" else "classes"
    check_choice("task", task, ("classes", "numbers"))
    data = read_task_data(
        X,
        y,
        task=task,
        owner="holdout",
        sample_weight=sample_weight,
        groups=groups,
        positive=positive,
        cost_matrix=cost_matrix,
    )
    if time is not None:
        if groups is not None:
            raise ParameterError("groups and time are two ways to divide rows.\n  Hint: give one.")
        parts = _by_time(as_target(time, name="time"), data, validation, test)
        method = f"held out, the latest rows; {data.n_rows:,} rows"
    else:
        by_class = stratify and task == "classes"
        rest, judged = hold_out(data, data.all_rows, test, by_class, random_state)
        chosen = np.empty(0, dtype=np.int64)
        if validation:
            share = validation / (1 - test)
            rest, chosen = hold_out(data, rest, share, by_class, random_state)
        parts = (rest, chosen, judged)
        kind = (", stratified" if by_class else "") + (", by group" if groups is not None else "")
        method = f"held out{kind}; {data.n_rows:,} rows; seed {random_state}"
    for name, rows in zip(_PARTS, parts, strict=True):
        if not len(rows) and (name != "validation" or validation):
            raise DataError(f"{data.n_rows} rows are too few: the {name} part has none.")
    return Holdout(
        train=parts[0],
        validation=parts[1],
        test=parts[2],
        data=data,
        method=method,
        metrics=metrics,
        level=level,
        random_state=random_state,
    )


def _by_time(
    time: Array, data: TaskData, validation: float, test: float
) -> tuple[Int64Array, Int64Array, Int64Array]:
    if len(time) != data.n_rows:
        raise DataError(f"time has {len(time)} entries; {data.n_rows} rows need as many.")
    order = np.argsort(time, kind="stable")
    n_test, n_validation = (round(share * data.n_rows) for share in (test, validation))
    first = data.n_rows - n_test - n_validation
    return order[:first], order[first : first + n_validation], order[first + n_validation :]
