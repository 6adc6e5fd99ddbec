"""A learner that tunes itself when it is fitted, so that tuning can be judged like any learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from treewright.errors import ParameterError
from treewright.evaluate.metrics import metrics_of
from treewright.evaluate.trial.answers import as_target
from treewright.evaluate.trial.learners import learners_of, task_of
from treewright.evaluate.trial.splits import make_folds
from treewright.evaluate.trial.task_data import read_task_data
from treewright.evaluate.trial.wrapped import Wrapped
from treewright.evaluate.tuning.candidates import Space, draw_candidates
from treewright.evaluate.tuning.search import search
from treewright.evaluate.tuning.spaces import space_of
from treewright.parameters import check_count


class Tuned(Wrapped):
    """A learner that chooses its parameters by cross-validation of the rows it is fitted to.

    In :func:`cross_validate` and :func:`compare` every fold has a search of its own, on its rows to
    learn from alone: the figures are those of the whole procedure, and honest.

    Parameters
    ----------
    estimator
        The learner; it stays as it is.
    space
        Of each parameter what to try: a list of values, a :class:`Range`, or a distribution of
        scipy's kind. None: what is known to pay for our estimators.
    fixed
        Names of parameters that stay as the estimator has them.
    n_candidates
        Settings that are tried, the learner as it is given among them.
    cv
        Number of folds that choose.
    metric
        What is best; by default the error, or the root mean square error.
    positive, cost_matrix, classes
        As for :func:`cross_validate`; all classes, where some fold may lack one.
    n_jobs
        Fits side by side; the choice does not depend on it.
    is_quiet
        Whether no progress is shown.
    random_state
        Seed of draws and folds.

    Attributes
    ----------
    estimator_
        The learner with the chosen parameters, fitted to all rows.
    search_
        What was tried.
    best_parameters_
        The chosen parameters; empty where nothing was better than the learner as given.

    Examples
    --------
    >>> from treewright import C45Classifier, load_example
    >>> iris = load_example("iris")
    >>> model = Tuned(C45Classifier(), space={"min_cases": [2, 5, 40]}).fit(iris.X, iris.y)
    >>> model.best_parameters_, len(model.search_.tried)
    ({'min_cases': 5}, 3)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        space: Space | None = None,
        fixed: Sequence[str] = (),
        n_candidates: int = 32,
        cv: Any = 5,
        metric: Any = None,
        positive: Any = None,
        cost_matrix: Any = None,
        classes: Any = None,
        n_jobs: int | None = None,
        is_quiet: bool = True,
        random_state: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.space = space
        self.fixed = fixed
        self.n_candidates = n_candidates
        self.cv = cv
        self.metric = metric
        self.positive = positive
        self.cost_matrix = cost_matrix
        self.classes = classes
        self.n_jobs = n_jobs
        self.is_quiet = is_quiet
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Tuned:
        """Search on folds of these rows, and fit the learner with what was chosen to all of them.

        Groups are never on both sides of a fold. After Ctrl-C `search_` has what was tried.
        """
        check_count("n_candidates", self.n_candidates, least=2)
        (learner,) = learners_of([self.estimator])
        if learner.is_fitted:
            raise ParameterError(f"{learner.name} has no parameters to tune.")
        space = space_of(self.estimator, self.space, self.fixed)
        task = task_of([learner], as_target(y))
        data = read_task_data(
            X,
            y,
            task=task,
            owner="Tuned",
            classes=self.classes if task == "classes" else None,
            sample_weight=sample_weight,
            groups=groups,
            positive=self.positive,
            cost_matrix=self.cost_matrix,
        )
        seed = 0 if self.random_state is None else self.random_state
        metric = metrics_of(self.metric, task, with_costs=self.cost_matrix is not None)[0]
        found = search(
            learner,
            data,
            draw_candidates(self.estimator, space, self.n_candidates, random_state=seed),
            make_folds(data, self.cv, seed=seed),
            metric,
            n_jobs=self.n_jobs,
            seed=seed,
            is_quiet=self.is_quiet,
        )
        self.search_ = found
        if found.was_stopped:  # told by search_; a long fit is not begun after Ctrl-C
            raise KeyboardInterrupt
        settings = found.best.parameters
        chosen = replace(learner, model=clone(self.estimator).set_params(**settings))
        self.estimator_ = chosen.fit(data, data.all_rows, seed=seed, n_threads=None)
        self.best_parameters_ = dict(settings)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of the chosen learner: accuracy, or R2."""
        check_is_fitted(self, "estimator_")
        passed = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.estimator_.score(X, y, **passed))
