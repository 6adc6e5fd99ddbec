"""Out-of-bag estimates and the summary of a forest, with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.data.read.target import ClassTarget
from treewright.ensemble.ensemble import Ensemble
from treewright.errors import ParameterError, SmallDataWarning, warn
from treewright.forest.early_stopping import StopRule
from treewright.forest.out_of_bag import OutOfBag, OutOfBagTally
from treewright.forest.out_of_bag import out_of_bag as told_by
from treewright.forest.problem import ForestProblem
from treewright.forest.summary import ForestSummary, summarise
from treewright.tree.leaf import by_output, labels_of

_LEARNED = (
    "oob_score_",
    "oob_decision_function_",
    "oob_prediction_",
    "oob_curve_",
    "oob_errors_",
    "oob_interval_",
)


class EstimatesOutOfBag:
    """A forest that estimates its error on out-of-bag rows.

    With ``oob_score`` these are learned by ``fit``:

    - ``oob_score_``: accuracy or R², or the value of a metric given as ``oob_score``, on the rows
      that are out of bag for at least one tree.
    - ``oob_decision_function_`` (of classifiers) and ``oob_prediction_`` (of regressors): the
      predictions by the trees for which a row is out of bag; NaN where there are none.
    - ``oob_curve_``: the error of the first tree, the first two, and so on: the share of rows
      misclassified (in any output), or the mean squared error.
    - ``oob_errors_``: the error of each tree alone.
    - ``oob_interval_``: the 95 % confidence interval of the error of the forest.
    """

    ensemble_: Ensemble
    _training: ForestProblem | None
    _model: Any
    _training_data: Any

    def out_of_bag(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, groups: Any = None
    ) -> OutOfBag:
        """Return the out-of-bag predictions of the training rows, and their error.

        Parameters
        ----------
        X, y, sample_weight, groups
            The training data as they were given to ``fit``; only needed where the forest no longer
            has them, as after loading it.

        Returns
        -------
        OutOfBag
            Predictions, errors of the trees, the error by number of trees, its confidence interval.

        Examples
        --------
        >>> import treewright as tw
        >>> from sklearn.datasets import load_iris
        >>> forest = tw.RandomForestClassifier(random_state=0).fit(*load_iris(return_X_y=True))
        >>> told = forest.out_of_bag()
        >>> told.answers.shape, len(told.curve)
        ((150, 3), 100)
        >>> bool(told.curve[0] > told.error)
        True
        """
        forest = self._training_data(X, y, sample_weight, groups)
        return told_by(forest, self._model())

    def summary(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, groups: Any = None
    ) -> ForestSummary:
        """Return a summary of the forest: sizes, columns asked, error, strength and correlation.

        Out-of-bag figures are left out where every tree takes every row, and for a loaded forest
        unless its training data are given.

        Parameters
        ----------
        X, y, sample_weight, groups
            As for :meth:`out_of_bag`.

        Returns
        -------
        ForestSummary
            The figures; ``print`` them.

        Examples
        --------
        >>> import treewright as tw
        >>> from sklearn.datasets import load_iris
        >>> forest = tw.RandomForestClassifier(random_state=0).fit(*load_iris(return_X_y=True))
        >>> summary = forest.summary()
        >>> summary.n_trees, 0.5 < summary.strength.strength < 1
        (100, True)
        """
        ensemble = self._model()
        has_data = X is not None or self._training is not None
        forest = self._training_data(X, y, sample_weight, groups) if has_data else None
        return summarise(type(self).__name__, ensemble, forest)

    def _shown_html(self) -> str:
        # Without the out-of-bag figures, which take their time for a large forest.
        found = summarise(type(self).__name__, self._model())
        return replace(found, why_untold="summary() tells")._repr_html_()

    def _check_out_of_bag(self, forest: ForestProblem) -> StopRule | None:
        """Refuse out-of-bag options that cannot be met; return the rule of early stopping."""
        asked = getattr(self, "oob_score", False)
        if not isinstance(asked, bool | np.bool_) and not callable(asked):
            raise ParameterError(
                f"oob_score={asked!r} must be True, False, or a function of the true and the"
                " predicted target.\n  Hint: oob_score=sklearn.metrics.balanced_accuracy_score."
            )
        rule = StopRule.of(getattr(self, "stop_when_stable", None))
        if asked or rule is not None:
            OutOfBagTally.check(forest, "oob_score" if asked else "stop_when_stable")
        return rule

    def _told_out_of_bag(self, forest: ForestProblem, ensemble: Ensemble) -> dict[str, Any]:
        """Return the attributes that ``oob_score`` asks for, by name; none if it is False."""
        asked = getattr(self, "oob_score", False)
        if not asked:
            return {}
        told = told_by(forest, ensemble)
        n_unknown = int((~told.known).sum())
        if n_unknown:
            warn(
                f"Some inputs do not have OOB scores: {n_unknown} of {len(told.n_trees)} rows were"
                " seen by every tree. This probably means too few trees were used to compute any"
                " reliable OOB estimates.",
                SmallDataWarning,
            )
        learned = {
            "oob_score_": _scored(asked, forest, told) if callable(asked) else told.score,
            "oob_curve_": told.curve,
            "oob_errors_": told.tree_errors,
            "oob_interval_": told.interval(),
        }
        if told.classes is None:
            single = told.answers.shape[1] == 1
            learned["oob_prediction_"] = told.answers[:, 0] if single else told.answers
        else:
            learned["oob_decision_function_"] = _by_class(told)
        return learned

    def _learn_out_of_bag(self, learned: dict[str, Any]) -> None:
        """Set the out-of-bag attributes; those of an earlier fit are removed."""
        for name in _LEARNED:
            if name in learned:
                setattr(self, name, learned[name])
            elif hasattr(self, name):
                delattr(self, name)


def _by_class(told: OutOfBag) -> FloatArray | list[FloatArray]:
    """Return rows x classes; rows x classes x outputs for outputs of equally many classes."""
    assert told.classes is not None
    parts = by_output(told.answers, told.classes)
    if len(parts) == 1:
        return parts[0]
    if len({part.shape[1] for part in parts}) > 1:
        return parts
    return np.stack(parts, axis=2)


def _scored(metric: Callable[..., Any], forest: ForestProblem, told: OutOfBag) -> float:
    """Return the value of a metric on the rows that are out of bag for at least one tree."""
    rows = np.flatnonzero(told.known)
    if not len(rows):
        return float("nan")
    target = forest.problem.target
    if isinstance(target, ClassTarget):
        codes = target.codes[rows].reshape(len(rows), -1).astype(np.int64)
        truth = labels_of(list(codes.T), target.classes)
    else:
        truth = target.values[rows]
    try:
        return float(metric(truth, told.predictions))
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"oob_score={metric!r} gives no number for true and predicted targets: {error}.\n"
            "  Hint: a function such as sklearn.metrics.balanced_accuracy_score."
        ) from error
