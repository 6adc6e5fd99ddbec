"""Compare learners on one table: which is better, by how much, and could it be chance.

Every learner is fitted to the same parts, so that differences are paired. Training parts share
rows, which makes differences look steadier than they are: the corrected resampled t-test allows for
it (Nadeau and Bengio 2003, Mach. Learn. 52).

Figures and differences are both of all rows together, as :func:`cross_validate` has them; how
much a difference varies, which decides whether it may be chance, is seen from part to part. A
printed difference is that of the two printed figures.

Examples
--------
>>> from treewright import C45Classifier, DecisionTreeClassifier, load_example
>>> loans = load_example("loans")
>>> learners = {"tree": DecisionTreeClassifier(), "c45": C45Classifier(), "always": "repaid"}
>>> print(compare(learners, loans.X, loans.y))
10 folds, stratified, the same for every learner; 2,000 rows; seed 0
<BLANKLINE>
learner   error   95 % interval  against tree  95 % for all 2      p  leaves
c45      12.3 %  10.9 to 13.8 %          -3.7    -7.2 to -0.2  0.038      55
tree     16.0 %  14.5 to 17.7 %                                          161
always   16.0 %  14.5 to 17.7 %           0.0    -3.2 to +3.2  1.000
differences from tree in points: corrected resampled t-test, max-t for all 2
c45 is better than tree on data like these. For always these folds do not decide
it: the difference may be chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from treewright.array_types import FloatArray
from treewright.errors import ParameterError, UnsupportedError
from treewright.evaluate.comparison import Comparison, Difference
from treewright.evaluate.cross_validate import CrossValidation, constants_of, summarised
from treewright.evaluate.intervals import Interval
from treewright.evaluate.metrics import Metric, metrics_of
from treewright.evaluate.significance import (
    HypothesisTest,
    Simultaneous,
    bonferroni,
    five_by_two_f,
    max_t,
    mcnemar,
    paired_t,
)
from treewright.evaluate.significance.pairs import paired
from treewright.evaluate.trial.answers import as_target, joined
from treewright.evaluate.trial.learners import Learner, learners_of, task_of
from treewright.evaluate.trial.run import run_all
from treewright.evaluate.trial.splits import make_folds
from treewright.evaluate.trial.task_data import read_task_data
from treewright.parameters import check_choice, check_share, nearest_hint

Test: TypeAlias = Literal["corrected_t", "paired_t", "5x2cv", "mcnemar"]


def compare(
    learners: Any,
    X: Any,
    y: Any,
    *,
    reference: str | None = None,
    test: Test = "corrected_t",
    cv: Any = None,
    repeats: int | None = None,
    stratify: bool = True,
    groups: Any = None,
    sample_weight: Any = None,
    metrics: Any = None,
    positive: Any = None,
    cost_matrix: Any = None,
    level: float = 0.95,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> Comparison:
    """Return which learners are better than a reference, by how much, and how sure that is.

    Parameters
    ----------
    learners
        A list, or a mapping from names. Anything that can be judged: estimators of ours or of
        scikit-learn's kind, pipelines, fitted models and rule sets (which answer as they are), a
        constant answer. One that fails on a part is reported with what it raised.
    X, y
        Table and target.
    reference
        Name of the learner that the others are compared with; by default the first.
    test
        "corrected_t" allows for the rows that training parts share; "paired_t" does not and finds
        differences too often (it is the lectures', for comparison); "5x2cv" divides the rows five
        times in two (Alpaydin's F; Dietterich 1998); "mcnemar" counts the rows that one answers
        rightly and the other wrongly (for the error, with one answer per row).
    cv, repeats, stratify, groups, sample_weight, metrics, positive, cost_matrix
        As for :func:`cross_validate`: ten folds by default. The first metric is compared.
    level
        Confidence of the intervals; the verdict rejects at one less it.
    n_jobs
        Fits side by side; None and 1: one after the other, with all threads each. Results do not
        depend on it.
    random_state
        Seed of the division, and of learners that draw without a seed of their own.

    Returns
    -------
    Comparison
        Figures, differences and a verdict; ``print`` it. Intervals of the differences hold for all
        of them together, so that they never contradict the verdict.

    Examples
    --------
    >>> from treewright import CARTClassifier, load_example
    >>> iris = load_example("iris")
    >>> found = compare([CARTClassifier(), "setosa"], iris.X, iris.y)
    >>> print(found.verdict)
    always 'setosa' is worse than CARTClassifier on data like these.
    """
    check_share("level", level)
    check_choice("test", test, get_args(Test))
    entrants = learners_of(learners)
    if len(entrants) < 2:
        raise ParameterError(
            "compare needs two learners or more.\n  Hint: cross_validate is for one."
        )
    data = read_task_data(
        X,
        y,
        task=task_of(entrants, as_target(y)),
        owner="compare",
        sample_weight=sample_weight,
        groups=groups,
        positive=positive,
        cost_matrix=cost_matrix,
    )
    asked = metrics_of(metrics, data.task, with_costs=cost_matrix is not None)
    position = position_of(reference, entrants)
    if test == "5x2cv":
        if cv is not None or repeats is not None:
            raise UnsupportedError("test='5x2cv' divides rows itself: leave out cv and repeats.")
        cv, repeats = 2, 5
    if test == "mcnemar" and (asked[0].name not in ("error", "accuracy") or (repeats or 1) > 1):
        raise UnsupportedError(
            "test='mcnemar' compares right and wrong answers, one per row.\n"
            "  Hint: metrics='error' and repeats=1; test='corrected_t' compares any metric."
        )
    folds = make_folds(
        data,
        10 if cv is None else cv,
        repeats=1 if repeats is None else repeats,
        stratify=stratify,
        seed=random_state,
    )
    if test == "mcnemar" and folds.judges_again:
        raise UnsupportedError(
            "test='mcnemar' needs one answer per row, and cv judges rows in several parts.\n"
            "  Hint: test='corrected_t'."
        )
    runs, was_stopped = run_all(entrants, data, folds, n_jobs=n_jobs, seed=random_state)
    results: list[CrossValidation | None] = []
    constants = constants_of(data, folds)
    for i, learner in enumerate(entrants):
        own = [run for run in runs if run.learner == i]
        if all(run.answers is None for run in own):
            results.append(None)
            continue
        found = summarised(
            learner,
            data,
            folds,
            own,
            asked,
            level=level,
            constants=constants,
            was_stopped=was_stopped,
        )
        results.append(found)
    failures = {
        entrants[run.learner].name: run.failure_text for run in runs if run.failure is not None
    }
    return Comparison(
        names=tuple(each.name for each in entrants),
        results=tuple(results),
        reference=position,
        differences=_differences(results, position, asked[0], test, level),
        metric=asked[0],
        test=test,
        level=level,
        folds=folds,
        n_rows=data.n_rows,
        failures=failures,
        was_stopped=was_stopped,
    )


def position_of(reference: str | None, learners: Sequence[Learner]) -> int:
    """Return which learner the others are compared with: the one named, or the first."""
    names = [each.name for each in learners]
    if reference is None:
        return 0
    if reference not in names:
        raise ParameterError(
            f"reference={reference!r} is none of the learners.\n  Learners: {', '.join(names)}."
            f"{nearest_hint(reference, names)}"
        )
    return names.index(reference)


def _differences(
    results: Sequence[CrossValidation | None],
    reference: int,
    metric: Metric,
    test: Test,
    level: float,
) -> tuple[Difference | None, ...]:
    """Return how each learner differs from the reference; None of itself and of a failed one."""
    beside = results[reference]
    found: list[Difference | None] = [None] * len(results)
    if beside is None:
        return tuple(found)
    rivals = [i for i, each in enumerate(results) if each is not None and i != reference]
    tests: dict[int, HypothesisTest] = {}
    values: dict[int, FloatArray] = {}
    moved: dict[int, Pairs] = {}
    for i in rivals:
        one = results[i]
        assert one is not None
        pairs = _paired_values(one, beside, metric)
        if pairs is not None:
            values[i] = pairs[0] - pairs[1]
            moved[i] = _moved(pairs, _difference_of_all_rows(one, beside, metric))
            tests[i] = _OF_TEST[test](one, beside, moved[i])
    table = {i: paired(*pairs, name=test, pairs="folds") for i, pairs in moved.items()}
    together = _together(tests, table, test, beside.test_to_train, level)
    for place, i in enumerate(tests):
        found[i] = Difference(
            test=tests[i],
            p_value=together.p_values[place],
            interval=_bounded(together.intervals[place], metric),
            method=together.method,
            values=tuple(values[i].tolist()),
        )
    return tuple(found)


def _bounded(interval: Interval, metric: Metric) -> Interval:
    """Return an interval that ends where no difference of two shares can be."""
    if not metric.is_share or math.isinf(interval.low):
        return interval
    return replace(interval, low=max(interval.low, -1.0), high=min(interval.high, 1.0))


def _paired_values(
    one: CrossValidation, two: CrossValidation, metric: Metric
) -> tuple[FloatArray, FloatArray] | None:
    """Return the values on the parts that both have answered, or None where there are too few."""
    both = sorted({run.part for run in one.done} & {run.part for run in two.done})
    found = [np.array([each.by_fold(metric)[part] for part in both]) for each in (one, two)]
    are_known = np.isfinite(found[0]) & np.isfinite(found[1])
    if are_known.sum() < 2:
        return None
    return found[0][are_known], found[1][are_known]


def _difference_of_all_rows(one: CrossValidation, two: CrossValidation, metric: Metric) -> float:
    """Return the difference of the figures of all rows that both have answered."""
    both = {run.part for run in one.done} & {run.part for run in two.done}
    found = []
    for each in (one, two):
        if len(both) == len(each.done):
            found.append(each[metric.name].value)
        else:
            answers = [run.answers for run in each.done if run.part in both and run.answers]
            found.append(metric.value(joined(answers)))
    return found[0] - found[1]


def _moved(pairs: Pairs, difference: float) -> Pairs:
    """Return the values on the parts, the first moved until their mean difference is the one given.

    The figure of all rows is not the mean of the parts' where parts are unequal, or where it is no
    mean over rows (RMSE, AUC, F). The spread from part to part stays as it is.
    """
    step = difference - float(np.mean(pairs[0] - pairs[1]))
    largest = max(float(np.abs(each).max()) for each in pairs)
    if not math.isfinite(step) or abs(step) <= 1e-12 * largest:
        return pairs
    return pairs[0] + step, pairs[1]


def _together(
    tests: dict[int, HypothesisTest],
    values: dict[int, FloatArray],
    test: Test,
    test_to_train: float,
    level: float,
) -> Simultaneous:
    n_values = {len(each) for each in values.values()}
    if test in ("corrected_t", "paired_t") and len(tests) > 1 and len(n_values) == 1:
        table = np.column_stack(list(values.values()))
        return max_t(
            table, test_to_train=test_to_train if test == "corrected_t" else None, level=level
        )
    return bonferroni(list(tests.values()), level=level)


Pairs = tuple[FloatArray, FloatArray]


def _corrected(one: CrossValidation, two: CrossValidation, pairs: Pairs) -> HypothesisTest:
    return paired_t(*pairs, test_to_train=two.test_to_train)


def _plain(one: CrossValidation, two: CrossValidation, pairs: Pairs) -> HypothesisTest:
    return paired_t(*pairs)


def _five_by_two(one: CrossValidation, two: CrossValidation, pairs: Pairs) -> HypothesisTest:
    if len(pairs[0]) != 10:
        raise UnsupportedError(
            "test='5x2cv' needs every learner on every part; one failed.\n"
            "  Hint: leave it out, or test='corrected_t'."
        )
    return five_by_two_f(pairs[0].reshape(5, 2), pairs[1].reshape(5, 2))


def _mcnemar(one: CrossValidation, two: CrossValidation, pairs: Pairs) -> HypothesisTest:
    both = sorted({run.part for run in one.done} & {run.part for run in two.done})
    right = [
        np.concatenate(
            [run.answers.is_right for run in each.done if run.part in both and run.answers]
        )
        for each in (one, two)
    ]
    if one.metric.name == "error":
        right = [~each for each in right]
    return mcnemar(right[0], right[1])


_OF_TEST: dict[Test, Callable[[CrossValidation, CrossValidation, Pairs], HypothesisTest]] = {
    "corrected_t": _corrected,
    "paired_t": _plain,
    "5x2cv": _five_by_two,
    "mcnemar": _mcnemar,
}
