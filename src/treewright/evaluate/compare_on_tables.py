"""Compare learners over several tables: who is better in general, and could it be chance.

Every learner is cross-validated on every table, on the same folds. A table is one observation:
learners are ranked on each (Friedman's test in Iman and Davenport's form, then Nemenyi's for every
two) and compared with a reference by Wilcoxon's signed ranks, adjusted by Holm (Demsar 2006,
*Statistical comparisons of classifiers over multiple data sets*, JMLR 7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.errors import ParameterError
from treewright.evaluate.compare import position_of
from treewright.evaluate.cross_validate import CrossValidation, constants_of, summarised
from treewright.evaluate.metrics import Metric, Task, metrics_of
from treewright.evaluate.tables_comparison import TableFigures, TablesComparison
from treewright.evaluate.trial.answers import as_target
from treewright.evaluate.trial.learners import Learner, learners_of, task_of
from treewright.evaluate.trial.run import Run, run_all
from treewright.evaluate.trial.splits import make_folds
from treewright.evaluate.trial.task_data import read_groups, read_task_data
from treewright.parameters import check_share, nearest_hint


def compare_on_tables(
    learners: Any,
    tables: Any,
    *,
    reference: str | None = None,
    cv: int = 10,
    repeats: int = 1,
    stratify: bool = True,
    groups: Mapping[str, Any] | None = None,
    metrics: Any = None,
    level: float = 0.95,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> TablesComparison:
    """Return which learners are better than a reference over tables, and how sure that is.

    Parameters
    ----------
    learners
        A list, or a mapping from names, as for :func:`compare`.
    tables
        A mapping from names to ``(X, y)`` or to examples of :func:`treewright.load_example`, or a
        list of such examples. Where a learner fails, or a table cannot be divided into folds, the
        table takes no part in the tests, and the result says so.
    reference
        Name of the learner that the others are compared with; by default the first.
    cv, repeats, stratify
        How the rows of each table are divided, as for :func:`cross_validate`.
    groups
        What belongs together, by the names of the tables that have groups, an entry per row: no
        group is on both sides, and learners that hold out rows are told.
    metrics
        The metric that is compared; by default the error, or the root mean square error.
    level
        Confidence level; the verdict rejects at one less it.
    n_jobs
        Fits side by side; results do not depend on it.
    random_state
        Seed of the division, and of learners that draw without a seed of their own.

    Returns
    -------
    TablesComparison
        Figures, ranks, tests and a verdict; ``print`` it.

    Examples
    --------
    >>> from treewright import C45Classifier, DecisionTreeClassifier, load_example
    >>> learners = {
    ...     "tree": DecisionTreeClassifier(),
    ...     "c45": C45Classifier(),
    ...     "stump": DecisionTreeClassifier(max_depth=1),
    ... }
    >>> tables = [load_example(name) for name in ("iris", "wine", "breast_cancer", "loans")]
    >>> print(compare_on_tables(learners, tables, cv=3))
    3 learners on 4 tables; 3 folds, stratified; seed 0
    <BLANKLINE>
    error           rows    tree     c45   stump
    iris             150   5.3 %   7.3 %  34.0 %
    wine             178   8.4 %   9.0 %  39.3 %
    breast_cancer    569   7.9 %   5.8 %  11.2 %
    loans          2,000  17.3 %  14.1 %  16.5 %
    <BLANKLINE>
    learner  mean rank  won, tied, lost  against tree      p
    c45           1.50          2  0  2          -0.7  0.625
    tree          1.75
    stump         2.75          1  0  3         +15.5  0.500
    differences from tree in points: median, Wilcoxon's test, adjusted by Holm
    Iman-Davenport test: F = 2.333, 2 and 6 df, p = 0.178
    Nemenyi test: critical difference 1.657 (5 %); not told apart: c45, tree and
    stump
    These 4 tables do not decide between tree and c45 and stump: the differences may
    be chance. So few tables cannot decide: if one always won, p would be 0.25.
    """
    check_share("level", level)
    entrants = learners_of(learners)
    if len(entrants) < 2:
        raise ParameterError(
            "compare_on_tables needs two learners or more.\n  Hint: cross_validate is for one."
        )
    given = _with_groups(_tables(tables), groups)
    position = position_of(reference, entrants)
    task = task_of(entrants, as_target(given[0].y))
    metric = metrics_of(metrics, task)[0]
    found: list[TableFigures] = []
    was_stopped = False
    for table in given:
        try:
            figures, was_stopped = _judged(
                entrants, table, task, metric, cv, repeats, stratify, level, n_jobs, random_state
            )
        except KeyboardInterrupt:
            if not found:
                raise
            was_stopped = True
        if was_stopped:  # a table that is not done is no observation
            break
        found.append(figures)
    return TablesComparison(
        names=tuple(each.name for each in entrants),
        tables=tuple(found),
        n_tables=len(given),
        reference=position,
        metric=metric,
        level=level,
        seed=random_state,
        was_stopped=was_stopped,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Table:
    """A table that learners are compared on."""

    name: str
    X: Any
    y: Any
    weights: Any = None
    groups: Any = None


def _with_groups(tables: list[_Table], groups: Mapping[str, Any] | None) -> list[_Table]:
    if groups is None:
        return tables
    if not isinstance(groups, Mapping):
        raise ParameterError(
            "groups of compare_on_tables must be a mapping from names of tables to entries per row,"
            f" not {type(groups).__name__}."
        )
    names = [each.name for each in tables]
    for name in groups:
        if name not in names:
            raise ParameterError(
                f"groups[{name!r}] is of none of the tables.\n  Tables: {', '.join(names)}."
                f"{nearest_hint(name, names)}"
            )
    return [
        replace(each, groups=read_groups(groups.get(each.name), len(as_target(each.y))))
        for each in tables
    ]


def _tables(given: Any) -> list[_Table]:
    if isinstance(given, Mapping):
        pairs = [(str(name), each) for name, each in given.items()]
    elif isinstance(given, Sequence) and not isinstance(given, str | bytes):
        pairs = [
            (str(getattr(each, "name", f"table {i + 1}")), each) for i, each in enumerate(given)
        ]
    else:
        raise ParameterError(
            f"tables={given!r} must be a mapping from names to (X, y), or a list of examples."
        )
    if len(pairs) < 2:
        raise ParameterError(
            "compare_on_tables needs two tables or more.\n  Hint: compare is for one."
        )
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ParameterError(f"tables has {twice!r} twice.\n  Hint: a mapping gives own names.")
    return [_table(name, each) for name, each in pairs]


def _table(name: str, each: Any) -> _Table:
    if isinstance(each, tuple) and len(each) == 2:
        return _Table(name=name, X=each[0], y=each[1])
    if hasattr(each, "X") and getattr(each, "y", None) is not None:
        return _Table(name=name, X=each.X, y=each.y, weights=getattr(each, "weights", None))
    raise ParameterError(f"tables[{name!r}] must be (X, y) or an example with a target.")


def _judged(
    learners: Sequence[Learner],
    table: _Table,
    task: Task,
    metric: Metric,
    cv: Any,
    repeats: int,
    stratify: bool,
    level: float,
    n_jobs: int | None,
    seed: int,
) -> tuple[TableFigures, bool]:
    """Return the figures of every learner on one table, and whether Ctrl-C ended the run early."""
    nothing = (float("nan"),) * len(learners)
    try:
        data = read_task_data(
            table.X,
            table.y,
            task=task,
            owner="compare_on_tables",
            sample_weight=table.weights,
            groups=table.groups,
        )
        folds = make_folds(data, cv, repeats=repeats, stratify=stratify, seed=seed)
        runs, was_stopped = run_all(learners, data, folds, n_jobs=n_jobs, seed=seed)
    except ParameterError:
        raise
    except Exception as problem:  # the table cannot be used, or every learner fails on it
        why = Run(failure=problem).failure_text
        return TableFigures(name=table.name, values=nothing, why_left_out=why), False
    failed = {learners[run.learner].name: run.failure_text for run in runs if run.failure}
    results: list[CrossValidation | None] = []
    constants = constants_of(data, folds)
    for i, learner in enumerate(learners):
        own = [run for run in runs if run.learner == i]
        is_whole = learner.name not in failed and len(own) == len(folds)
        results.append(
            summarised(learner, data, folds, own, (metric,), level=level, constants=constants)
            if is_whole
            else None
        )
    values = tuple(np.nan if each is None else each[metric.name].value for each in results)
    why = "; ".join(f"{who} failed: {words}" for who, words in failed.items())
    if not why and np.isnan(values).any():
        why = f"{metric.title} has no value there"
    figures = TableFigures(
        name=table.name,
        values=values,
        n_rows=data.n_rows,
        method=folds.method,
        results=tuple(results),
        why_left_out=why,
    )
    return figures, was_stopped
