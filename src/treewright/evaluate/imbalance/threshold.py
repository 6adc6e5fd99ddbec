"""The threshold of the positive class: from which probability on a row is called positive.

With costs of 0 for right answers, calling a row positive costs less from the probability
c_fp / (c_fp + c_fn) on (Elkan 2001, *The foundations of cost-sensitive learning*, IJCAI), if the
probabilities are true. Whether they are is asked of the rows: every threshold is tried on answers
about rows that the model has not seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.data.read.target import read_classes
from treewright.errors import DataError, ParameterError, UnsupportedError
from treewright.evaluate.cross_validate import CrossValidation, cross_validate
from treewright.evaluate.imbalance.threshold_choice import (
    FoldAnswers,
    ThresholdChoice,
    best_threshold,
    goal_of,
)
from treewright.evaluate.scores import Scores
from treewright.evaluate.trial.answers import Answers, find_positive
from treewright.grow.costs import read_costs
from treewright.parameters import check_share


def threshold(
    judged: Any,
    X: Any = None,
    y: Any = None,
    *,
    by: str = "cost",
    cost_matrix: Any = None,
    positive: Any = None,
    cv: Any = 10,
    groups: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> ThresholdChoice:
    """Return the threshold of the positive class that is best on rows not seen.

    Parameters
    ----------
    judged
        A learner, with `X` and `y`: it is cross-validated. Or, without them, a result of
        :func:`cross_validate`, or of :func:`scores` with probabilities.
    X, y
        Table and target of a learner.
    by
        What is best: "cost" (least mean cost), "youden" (recall and specificity together; Youden
        1950), or "f1", "f2", "f0.5" and so on (van Rijsbergen 1979).
    cost_matrix
        Cost of each answer, actual classes x predicted ones; by default those of `judged`, or 1
        for every error.
    positive
        The positive class; by default that of `judged`, or the second of two.
    cv, groups, sample_weight, n_jobs, random_state
        As for :func:`cross_validate`, for a learner.
    level
        Confidence level.

    Returns
    -------
    ThresholdChoice
        The threshold, what it gains over 0.5 and over the threshold of theory, and the whole curve;
        ``print`` it. The figure of the chosen threshold is honest: on each fold it is the figure of
        the threshold that the other folds choose.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import RandomForestClassifier, load_example
    >>> loans = load_example("loans")
    >>> risk = np.where(loans.y == "repaid", "good", "bad")
    >>> forest = RandomForestClassifier(n_estimators=30, random_state=0)
    >>> costs = {"bad": {"good": 5}, "good": {"bad": 1}}
    >>> print(threshold(forest, loans.X, risk, positive="bad", cost_matrix=costs, cv=5))
    RandomForestClassifier: 5 folds, stratified; 2,000 rows, 16.0 % positive
    <BLANKLINE>
    threshold         mean cost  recall  false alarms
    chosen     0.239      0.217  86.6 %        11.1 %  honest; folds: 0.24 to 0.29
    half       0.500      0.364  56.6 %         2.0 %  the usual one
    theory     0.167      0.242  91.3 %        20.5 %  if p were true
    The chosen threshold gives mean cost 0.217, one half 0.364.
    """
    check_share("level", level)
    found = judged
    if isinstance(found, CrossValidation | Scores):
        if X is not None or y is not None:
            raise ParameterError("X and y are for a learner; a result has its rows already.")
    elif X is None or y is None:
        raise ParameterError(
            "a learner needs X and y to be judged on.\n  Hint: threshold(learner, X, y)."
        )
    else:
        found = cross_validate(
            judged,
            X,
            y,
            cv=cv,
            groups=groups,
            sample_weight=sample_weight,
            positive=positive,
            cost_matrix=cost_matrix,
            metrics="error",
            level=level,
            n_jobs=n_jobs,
            random_state=random_state,
        )
    scores = found.scores if isinstance(found, CrossValidation) else found
    answers = scores.answers
    positive = find_positive(answers.positive if positive is None else positive, answers.classes)
    goal = goal_of(by, _costs(answers, cost_matrix), answers.classes, positive)
    whole = FoldAnswers.of(_checked(answers, scores.name), goal)
    parts = []
    if isinstance(found, CrossValidation):
        parts = [FoldAnswers.of(run.answers, goal) for run in found.done if run.answers is not None]
    return ThresholdChoice(
        name=scores.name,
        threshold=best_threshold(whole, goal),
        goal=goal,
        answers=whole,
        folds=tuple(parts) if len(parts) > 1 else (),
        method=found.folds.method if isinstance(found, CrossValidation) else "answers as given",
        level=level,
        model=found.model if isinstance(found, CrossValidation) else None,
    )


def _checked(answers: Answers, name: str) -> Answers:
    if len(answers.classes) != 2:
        raise UnsupportedError(
            f"a threshold is for two classes, and there are {len(answers.classes)}.\n"
            "  Hint: LeastCost decides among several; or make y one class against the rest."
        )
    if answers.probabilities is None:
        raise UnsupportedError(f"{name} gives no probabilities to put a threshold on.")
    there = np.bincount(answers.actual_codes, answers.weights, 2)
    if there.min() == 0:
        only = answers.classes[int(there.argmax())]
        raise DataError(f"every row is {only!r}: no threshold is better than another.")
    return answers


def _costs(answers: Answers, cost_matrix: Any) -> FloatArray:
    if cost_matrix is not None:
        listed = np.empty(len(answers.classes), dtype=object)
        listed[:] = answers.classes
        found = read_costs(cost_matrix, read_classes(listed, owner="threshold"))
        assert found is not None
        return found
    if answers.cost_matrix is not None:
        return answers.cost_matrix
    return 1.0 - np.eye(len(answers.classes))
