"""Predictions of boosted trees: scores, stages, leaves, SHAP values and importances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import Array, FloatArray, Int64Array
from treewright.boosting.added_up import added_up
from treewright.boosting.ensemble import IMPORTANCES, BoostedEnsemble
from treewright.boosting.rounds import GradientRounds, RoundsChoice
from treewright.boosting.scores_by_round import scores_by_round
from treewright.boosting.summary import BoostingSummary, summarise
from treewright.data.table import Table
from treewright.dependence.additive import Additive
from treewright.ensemble.explanation import EnsembleExplanation
from treewright.errors import ParameterError, UnsupportedError
from treewright.estimators.base import TreeEstimator
from treewright.estimators.boosting.offsets import offsets_to_predict
from treewright.estimators.boosting.scoring import Held
from treewright.estimators.boosting.to_sklearn import boosting_to_sklearn
from treewright.estimators.decision_tree import DecisionTreeRegressor
from treewright.estimators.members import FittedTrees, HasMembers
from treewright.explain.importances import Importances, one_line
from treewright.explain.shap_values import ShapValues
from treewright.interrupts import converted
from treewright.parameters import check_choice, check_flag
from treewright.threads import n_threads


class PredictsBoosted(HasMembers):
    """Predictions by the boosted trees of ``ensemble_``."""

    ensemble_: BoostedEnsemble
    rounds_: GradientRounds
    choice_: RoundsChoice | None
    learning_rate_: float
    _init: Any = None  # None, "zero" or the fitted estimator
    _held: Held | None = None  # set on copies that a scorer judges during boosting

    def _model(self) -> BoostedEnsemble:
        if self._held is not None:
            return self._held.model()
        try:
            return self.ensemble_
        except AttributeError:
            check_is_fitted(self)
            raise

    def _member(self) -> TreeEstimator:
        return DecisionTreeRegressor()

    def _members(self) -> Sequence[Any]:
        """Return the trees of each round, one per output; their predictions add to the scores."""
        model = self._model()
        n_outputs = model.core.n_outputs
        trees = np.empty((model.n_rounds, n_outputs), dtype=object)
        fitted = FittedTrees(self, model)
        for number in range(len(fitted)):
            trees[divmod(number, n_outputs)] = fitted[number]
        return trees  # type: ignore[return-value]

    @property
    def estimators_(self) -> Array:
        """The trees as fitted regressors, rounds x outputs, made anew each time."""
        return np.asarray(self._members())

    def _scores_of_init(self, init: Any, X: Any, link: str, shift: int) -> FloatArray:
        raise AssertionError("a boosting estimator has a task")

    @property
    def _starts_from_init(self) -> bool:
        """Whether scores start from those of another estimator."""
        return not (self._init is None or isinstance(self._init, str))

    def _begin(self, X: Any, n_rows: int, offset: Any) -> FloatArray | None:
        """Return the scores that rows start from where they differ; None where they start alike.

        They differ where `init` is an estimator, and where rows have offsets.
        """
        model = self._model()
        added = offsets_to_predict(offset, n_rows, model, owner=type(self).__name__)
        if self._starts_from_init:
            begin = self._scores_of_init(self._init, X, model.link, model.shift)
            return begin if added is None else begin + added
        return None if added is None else model.base + added

    def _scores(self, X: Any, offset: Any = None) -> FloatArray:
        if self._held is not None and X is self._held.X:
            return self._held.scores
        table = self._table(X)
        threads = self._threads_for(table)
        begin = self._begin(X, table.n_rows, offset)
        return self._model().scores(table, n_threads=threads, start=begin)

    def _threads_for(self, table: Table) -> int:
        return n_threads(self.n_jobs, table.n_rows * self._model().n_rounds)

    def _answers(self, X: Any, offset: Any = None) -> FloatArray:
        scores = self._scores(X, offset)
        return self._model().apply_link(scores)

    def _staged(self, X: Any, offset: Any = None) -> Iterator[FloatArray]:
        """Yield the scores after each round."""
        table, model = self._table(X), self._model()
        begin = self._begin(X, table.n_rows, offset)
        if begin is None:
            begin = np.tile(model.base, (table.n_rows, 1))
        threads = n_threads(self.n_jobs, table.n_rows)
        yield from scores_by_round(model, table, begin, n_threads=threads)

    def _leaves(self, X: Any) -> Int64Array:
        """Return the leaf of each row in each tree: rows x rounds x outputs."""
        table, model = self._table(X), self._model()
        leaves = converted(model.apply(table, n_threads=self._threads_for(table)), np.int64)
        return leaves.reshape(table.n_rows, model.n_rounds, model.core.n_outputs)

    def shap_values(
        self,
        X: Any,
        *,
        interactions: bool = False,
        background: Any = None,
        output: str = "score",
        by_hessian: bool = False,
    ) -> ShapValues:
        """Return the SHAP values of each row: what each column adds to its score.

        Where a column is not known, a row follows both branches in proportion to the training rows
        (path-dependent TreeSHAP, Lundberg et al. 2020) or the branch of a background row. The
        values are exact; values and base value add up to the score (``decision_function``, or the
        prediction before the link) without its offset, which is no column and the same whatever
        is known. See :meth:`Tree.shap_values` for linear models in leaves and derived columns.

        Parameters
        ----------
        X : table
            The rows.
        interactions : bool
            Return the values of pairs of columns: symmetric, and each line sums to the value of its
            column.
        background : table, optional
            Rows that stand for what is not known (interventional SHAP); the values are the means
            over them. None takes the shares of the training rows.
        output : {"score", "probability"}
            What is explained. ``"probability"`` is that of the second of two classes, and needs a
            background: beside each background row the values of the score are multiplied by the
            difference of the probabilities over that of the scores (as the package shap does), so
            that they add up. They are not Shapley values of the probability itself.
        by_hessian : bool
            Whether training rows are weighted by their hessians (as in XGBoost) instead of counted
            (as in LightGBM); without a background.

        Returns
        -------
        ShapValues
            Rows x columns (x classes where there are three or more), with names; print it for a
            table.
        """
        check_flag("interactions", interactions)
        check_flag("by_hessian", by_hessian)
        check_choice("output", output, ("score", "probability"))
        if by_hessian and background is not None:
            raise UnsupportedError(
                "shap_values: by_hessian=True weights training rows, and background= replaces them."
                "\n  Hint: leave one of them out."
            )
        table, model = self._table(X), self._model()
        beside = None if background is None else self._table(background)
        self._refuse_init("shap_values")
        if output == "probability" and model.has_offsets:
            raise UnsupportedError(
                "shap_values: output='probability' depends on the offset of a row, which values of"
                " the columns do not.\n  Hint: output='score'."
            )
        return model.explained(
            table,
            background=beside,
            interactions=bool(interactions),
            of_probability=output == "probability",
            n_threads=self._threads_for(table),
            by_hessian=bool(by_hessian),
        )

    def _refuse_init(self, method: str) -> None:
        if self._init is not None and not isinstance(self._init, str):
            raise UnsupportedError(
                f"{method} explains the trees, and init adds scores of another model.\n"
                "  Hint: init=None."
            )

    def _added_up(self, output: str) -> Additive | str:
        return added_up(self._model(), of_scores=output == "score")

    def _answering(self, output: str) -> tuple[Callable[[Table], FloatArray], str]:
        self._refuse_init("partial_dependence")
        model = self._model()
        if output == "score":
            return model.scores, model.score_scale()
        if getattr(self, "_calibration", None) is not None:
            return super()._answering(output)
        return model.answers, "prediction" if model.classes is None else "probability"

    def _output_names(self, output: str) -> tuple[str, ...]:
        return self._model().score_names() if output == "score" else super()._output_names(output)

    def explain(self, row: object) -> EnsembleExplanation:
        """Return why one row is predicted as it is: see :meth:`RandomForestClassifier.explain`.

        What columns add is added to the score, which the link turns into the probability (or the
        prediction).

        Examples
        --------
        >>> from treewright import GradientBoostingClassifier, load_example
        >>> iris = load_example("iris")
        >>> model = GradientBoostingClassifier(n_estimators=50).fit(iris.X, iris.y)
        >>> print(model.explain(iris.X.to_pandas().iloc[70]))
        virginica  (virginica 64.0 %, versicolor 32.6 %, setosa 3.4 %)
        33 of 50 rounds raise the score of virginica, 17 lower it
        <BLANKLINE>
        column             value  score of virginica
        petal width (cm)     1.8              +1.525
        sepal width (cm)     3.2              -0.136
        petal length (cm)    4.8              -0.118
        sepal length (cm)    5.9              -0.021
        base                                  -1.547
        answer                                -0.296
        """
        model = self._model()
        self._refuse_init("explain")
        return self._explanation(model, model.row(row))

    def _model_asked(self) -> BoostedEnsemble:
        self._refuse_init("counterfactual")
        return self._model()

    def _predict_read(self) -> Callable[[Table], Array]:
        # An offset is no column: where rows had some, the row is asked about without, as explained.
        predict: Callable[..., Array] = self.predict
        return partial(predict, offset=0) if self._model().has_offsets else predict

    def _shown_html(self) -> str:
        has_loss = any(each.train_loss == each.train_loss for each in self.rounds_) or any(
            each.validation_loss == each.validation_loss for each in self.rounds_
        )
        rounds = self.rounds_.draw()._repr_html_() if has_loss else ""
        return f"{rounds}{self.summary()._repr_html_()}"

    def summary(self) -> BoostingSummary:
        """Return the size of the model, how its rounds were chosen, and the columns it asks.

        Examples
        --------
        >>> from treewright import GradientBoostingClassifier, load_example
        >>> iris = load_example("iris")
        >>> model = GradientBoostingClassifier(n_estimators=20, learning_rate=0.1, max_depth=2)
        >>> print(model.fit(iris.X, iris.y).summary())
        GradientBoostingClassifier: 4 of 4 columns asked, by log_loss
        rounds             20 of learning rate 0.1
        trees              60
        leaves of a round  8 to 11, median 10
        <BLANKLINE>
        column             share of gain
        petal length (cm)          0.493
        petal width (cm)           0.408
        sepal length (cm)          0.083
        sepal width (cm)           0.016
        """
        model = self._model()
        return summarise(
            model,
            name=type(self).__name__,
            loss=str(getattr(self, "loss", "")),
            learning_rate=self.learning_rate_,
            rounds=self.rounds_,
            choice=self.choice_,
            importances=self.importances("gain"),
        )

    def to_sklearn(self) -> Any:
        """Return the model as fitted ``HistGradientBoosting-`` of scikit-learn, which others know.

        For programs that read scikit-learn's models: shap, treelite and others. Its scores are
        ours, bit for bit, missing values and up to 255 categories a column included (with the
        exponential loss twice ours, with the same probabilities). Its parameters, but for `loss`
        and `max_iter`, are scikit-learn's defaults.

        Raises
        ------
        UnsupportedError
            With calibrated probabilities, lines in the leaves, offsets, an `init` of another model,
            or a question about a date, a derived column or one of more than 255 categories.

        Examples
        --------
        >>> from treewright import GradientBoostingRegressor
        >>> X, y = [[float(i)] for i in range(40)], [0.0] * 20 + [1.0] * 20
        >>> boosted = GradientBoostingRegressor(n_estimators=5).fit(X, y)
        >>> bool((boosted.to_sklearn().predict(X) == boosted.predict(X)).all())
        True
        """
        return boosting_to_sklearn(self._model(), init=self._init, owner=self)

    def importances(
        self,
        kind: str = "gain",
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        offset: Any = None,
        n_repeats: int = 5,
    ) -> Importances:
        """Return the importances of the columns.

        Parameters
        ----------
        kind : {"gain", "split", "permutation"}
            Share of the gain of all splits, or of their number; or how much the score of the given
            rows falls when the column is permuted.
        X, y, sample_weight, offset, n_repeats
            Rows for ``"permutation"``, and how often each column is permuted.
        """
        check_choice("kind", kind, (*IMPORTANCES, "permutation"))
        model = self._model()
        names = tuple(model.schema.input_names)
        if kind != "permutation":
            shares = model.schema.by_input(model.column_shares(kind))
            return one_line(kind, IMPORTANCES[kind], names, shares)  # type: ignore[arg-type]
        if X is None or y is None:
            raise ParameterError("kind='permutation' needs rows: give X and y.")
        from sklearn.inspection import permutation_importance  # late: loads pandas and more

        measured = permutation_importance(
            self,
            X,
            y,
            scoring=None if offset is None else partial(_score_with, offset),
            sample_weight=sample_weight,
            n_repeats=n_repeats,
            random_state=0,
        )
        return Importances(
            kind="permutation",
            measure="fall of the score when a column is shuffled",
            names=names,
            by_tree=np.ascontiguousarray(measured.importances.T),
            measured_on="shuffle",
        )


def _score_with(offset: Any, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    return float(estimator.score(X, y, sample_weight, offset=offset))
