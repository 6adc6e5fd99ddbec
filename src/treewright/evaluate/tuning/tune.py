"""Tune a learner, and say what it gained on rows that chose nothing.

The best of many figures is too good: it was chosen for being high on these rows (Cawley and Talbot
2010, *On over-fitting in model selection*, JMLR 11). So the whole search is repeated on each of
some outer folds, and judged on the rows that it has not seen, beside the learner as it was given.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from treewright.evaluate.compare import compare
from treewright.evaluate.comparison import Comparison
from treewright.evaluate.metrics import metrics_of
from treewright.evaluate.trial.answers import as_target
from treewright.evaluate.trial.learners import learners_of, task_of
from treewright.evaluate.trial.splits import make_folds
from treewright.evaluate.trial.task_data import read_task_data
from treewright.evaluate.tuning.candidates import Space
from treewright.evaluate.tuning.search import settings_may_be_poor
from treewright.evaluate.tuning.tuned import Tuned
from treewright.evaluate.tuning.tuning import AS_GIVEN, TUNED, Tuning
from treewright.parameters import check_share


def tune(
    learner: Any,
    X: Any,
    y: Any,
    *,
    space: Space | None = None,
    fixed: Sequence[str] = (),
    n_candidates: int = 32,
    cv: Any = 5,
    outer: Any = 5,
    metrics: Any = None,
    positive: Any = None,
    cost_matrix: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> Tuning:
    """Return a learner with better parameters, and how much better they honestly are.

    Settings are drawn and the better third goes on to more rows and folds; the learner as it is
    given stays to the end. Then the search is repeated within each outer fold: with `outer=5` the
    work is that of six searches.

    Parameters
    ----------
    learner
        An estimator of ours, or with `space` any of scikit-learn's kind; it stays as it is.
    X, y
        Table and target.
    space
        Of each parameter what to try: a list of values, a :class:`Range`, or a distribution of
        scipy's kind. None: what is known to pay for our estimators. Lists with fewer combinations
        than `n_candidates` are tried all.
    fixed
        Names of parameters that stay as the learner has them, of the space given or known.
    n_candidates
        Settings that are tried, the learner as it is given among them.
    cv
        Folds that choose, as for :func:`cross_validate`.
    outer
        Folds that judge, as for :func:`cross_validate`; None: no honest figure, and a sixth of the
        work.
    metrics
        Names of metrics, the first of which chooses and judges; by default the error, or the root
        mean square error.
    positive, cost_matrix, groups, sample_weight
        As for :func:`cross_validate`: groups are never divided, neither by the folds that choose
        nor by those that judge.
    level
        Confidence level.
    n_jobs
        Fits side by side; None and 1: one after the other. The result does not depend on it.
    random_state
        Seed of draws and folds.

    Returns
    -------
    Tuning
        What was tried, the parameters chosen and what they gain; ``print`` it. ``result.model`` is
        the tuned learner fitted to all rows. Ctrl-C keeps what was tried.

    Examples
    --------
    >>> from treewright import C45Classifier, load_example
    >>> loans = load_example("loans")
    >>> found = tune(C45Classifier(), loans.X, loans.y, n_candidates=9, cv=3, outer=3)
    >>> sorted(found.best_parameters)
    ['confidence', 'mdl_penalty']
    >>> print(found.verdict)
    Tuning gained 0.6 points on the outer folds; it may be chance (p = 0.633).
    """
    check_share("level", level)
    (entrant,) = learners_of([learner])
    task = task_of([entrant], as_target(y))
    asked = metrics_of(metrics, task, with_costs=cost_matrix is not None)
    data = read_task_data(
        X,
        y,
        task=task,
        owner="tune",
        sample_weight=sample_weight,
        groups=groups,
        positive=positive,
        cost_matrix=cost_matrix,
    )
    if outer is not None:  # refused before the work and not after it
        outer_folds = make_folds(data, outer, seed=random_state)
        outer = [(split.train, split.test) for split in outer_folds.splits]
    procedure = Tuned(
        learner,
        space=space,
        fixed=fixed,
        n_candidates=n_candidates,
        cv=cv,
        metric=asked[0],
        positive=data.positive,
        cost_matrix=data.cost_matrix,
        classes=data.classes or None,
        random_state=random_state,
    )
    begin = time.monotonic()
    whole = Tuned(**{**procedure.get_params(deep=False), "n_jobs": n_jobs, "is_quiet": False})
    try:
        whole.fit(X, y, sample_weight=sample_weight, groups=groups)
    except KeyboardInterrupt:
        if not hasattr(whole, "search_"):
            raise
    comparison: Comparison | None = None
    if outer is not None and hasattr(whole, "estimator_"):
        try:
            with settings_may_be_poor():
                comparison = compare(
                    {AS_GIVEN: learner, TUNED: procedure},
                    X,
                    y,
                    cv=outer,
                    metrics=list(asked),
                    positive=positive,
                    cost_matrix=cost_matrix,
                    groups=groups,
                    sample_weight=sample_weight,
                    level=level,
                    n_jobs=n_jobs,
                    random_state=random_state,
                )
        except KeyboardInterrupt:  # before a single outer fit was done: the search is kept
            comparison = None
    return Tuning(
        name=entrant.name,
        search=whole.search_,
        model=getattr(whole, "estimator_", None),
        comparison=comparison,
        n_outer=0 if outer is None else len(outer),
        level=level,
        seconds=time.monotonic() - begin,
        seed=random_state,
    )
