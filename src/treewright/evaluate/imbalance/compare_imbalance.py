"""Ways to treat rare classes and unequal costs, compared on the same folds."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone, is_regressor

from treewright.errors import UnsupportedError
from treewright.evaluate.compare import compare
from treewright.evaluate.comparison import Comparison
from treewright.evaluate.imbalance.decide import ChosenThreshold, LeastCost
from treewright.evaluate.imbalance.resample import Resampled
from treewright.evaluate.trial.answers import as_target
from treewright.evaluate.trial.learners import learners_of

AS_IT_IS = "as it is"


def compare_imbalance(
    learner: Any,
    X: Any,
    y: Any,
    *,
    cost_matrix: Any = None,
    positive: Any = None,
    metrics: Any = None,
    cv: Any = 10,
    repeats: int = 1,
    groups: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> Comparison:
    """Return what over- and undersampling, weights and decisions by cost do for a learner.

    Each way is followed on the rows to learn from alone; the rows that judge stay as they come.

    - "as it is";
    - "oversampled", "undersampled": :class:`Resampled`;
    - "class weights": ``class_weight="balanced"``, where the learner has it;
    - "grown by costs": ``cost_matrix=``, where the learner has it and costs are given;
    - "least cost": probabilities as they are, and the answer of the least expected cost
      (:class:`LeastCost`);
    - "chosen threshold": of two classes, the threshold that folds of the rows to learn from choose
      (:class:`ChosenThreshold`).

    Parameters
    ----------
    learner
        A classifier.
    X, y
        Table and target.
    cost_matrix
        Cost of each answer, actual classes x predicted ones: the mean cost judges. Without it all
        classes count alike, and the balanced accuracy judges.
    positive
        The class that the threshold, precision and recall are about; by default the second of two.
    metrics
        Names of metrics, the first of which is compared.
    cv, repeats, groups, sample_weight, level, n_jobs, random_state
        As for :func:`compare`.

    Returns
    -------
    Comparison
        With "as it is" as the reference; ``print`` it.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import DecisionTreeClassifier, load_example
    >>> loans = load_example("loans")
    >>> risk = np.where(loans.y == "repaid", "good", "bad")
    >>> tree = DecisionTreeClassifier(min_samples_leaf=20)
    >>> costs = {"bad": {"good": 5}, "good": {"bad": 1}}
    >>> print(compare_imbalance(tree, loans.X, risk, cost_matrix=costs, positive="bad", cv=5))
    5 folds, stratified, the same for every learner; 2,000 rows; seed 0
    <BLANKLINE>
    learner           mean cost   95 % interval  difference    95 % for all 6      p
    chosen threshold      0.290  0.250 to 0.330      -0.047  -0.156 to +0.062  0.358
    least cost            0.294  0.254 to 0.334      -0.043  -0.147 to +0.061  0.380
    oversampled           0.298  0.257 to 0.340      -0.039  -0.172 to +0.095  0.589
    undersampled          0.302  0.265 to 0.339      -0.035  -0.191 to +0.121  0.718
    grown by costs        0.303  0.263 to 0.343      -0.034  -0.208 to +0.140  0.777
    class weights         0.310  0.270 to 0.351      -0.027  -0.211 to +0.158  0.881
    as it is              0.337  0.286 to 0.388
    differences from as it is: corrected resampled t-test, max-t for all 6
    These folds do not decide between as it is and chosen threshold, least cost,
    oversampled, undersampled, grown by costs and class weights: the differences may
    be chance.
    """
    (entrant,) = learners_of([learner])
    if entrant.is_fitted or is_regressor(entrant.model):
        raise UnsupportedError(
            f"{entrant.name} is no classifier that can be fitted: nothing can be balanced."
        )
    if metrics is None and cost_matrix is None:
        metrics = ["balanced_accuracy", "error", "precision", "recall", "auc"]
    n_classes = len(set(as_target(y).tolist()))
    return compare(
        _ways(learner, cost_matrix, positive, n_classes),
        X,
        y,
        reference=AS_IT_IS,
        cv=cv,
        repeats=repeats,
        groups=groups,
        sample_weight=sample_weight,
        metrics=metrics,
        positive=positive,
        cost_matrix=cost_matrix,
        level=level,
        n_jobs=n_jobs,
        random_state=random_state,
    )


def _ways(learner: Any, cost_matrix: Any, positive: Any, n_classes: int) -> dict[str, Any]:
    parameters = learner.get_params(deep=False)
    ways: dict[str, Any] = {
        AS_IT_IS: learner,
        "oversampled": Resampled(learner, how="over"),
        "undersampled": Resampled(learner, how="under"),
    }
    if "class_weight" in parameters:
        ways["class weights"] = clone(learner).set_params(class_weight="balanced")
    if "cost_matrix" in parameters and cost_matrix is not None:
        ways["grown by costs"] = clone(learner).set_params(cost_matrix=cost_matrix)
    if hasattr(learner, "predict_proba"):
        costs = "balanced" if cost_matrix is None else cost_matrix
        ways["least cost"] = LeastCost(learner, cost_matrix=costs)
        if n_classes == 2:
            by = "youden" if cost_matrix is None else "cost"
            ways["chosen threshold"] = ChosenThreshold(
                learner, by=by, cost_matrix=cost_matrix, positive=positive
            )
    return ways
