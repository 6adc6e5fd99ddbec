"""Gradient boosting under the names and defaults of scikit-learn's HistGradientBoosting.

Pipelines and libraries look for these names. The engine is the one of
:class:`~treewright.GradientBoostingClassifier`, which has more parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.array_types import BoolArray, FloatArray
from treewright.boosting.fit import Boosting
from treewright.boosting.rounds import GradientRound
from treewright.estimators.boosting.base import BoostingEstimator
from treewright.estimators.boosting.tasks import BoostingClassifier, BoostingRegressor
from treewright.grow.training_data import Reading
from treewright.parameters import check_choice, check_count, check_flag

_ROWS_TO_STOP_EARLY = 10_000
"""Above so many rows ``early_stopping="auto"`` stops early, as in scikit-learn."""


_FIXED: Mapping[str, Any] = {
    "growth": "leaf_wise",
    "criterion": None,
    "min_samples_split": 2,
    "min_weight_fraction_leaf": 0.0,
    "min_hessian": 1e-3,
    "min_gain": 0.0,
    "min_impurity_decrease": 0.0,
    "ccp_alpha": 0.0,
    "subsample": 1.0,
    "row_sampling": "uniform",
    "top_rate": 0.2,
    "features_per_tree": 1.0,
    "nominal_smoothing": 10.0,
    "nominal_l2": 0.0,
    "max_categories": 64,
    "min_category_rows": 10,
    "leaf_model": "constant",
    "linear_l2": 0.0,
}
"""Options that scikit-learn's class has no parameters for, as its program has them."""


class HistEstimator(BoostingEstimator):
    """What scikit-learn's HistGradientBoosting has no parameters for, and what it tells."""

    init = None
    schema = None
    n_jobs = None
    _start_figures: GradientRound | None

    @property
    def _name_of_rounds(self) -> str:
        return "max_iter"

    def _settled_for_parts(self) -> dict[str, Any]:
        settled = super()._settled_for_parts()
        return settled | {"n_iter_no_change": self.n_iter_no_change}

    def _given(self, name: str) -> Any:
        return _FIXED[name] if name in _FIXED else getattr(self, name)

    def _reading(self) -> Reading:
        reading = super()._reading()
        given = reading.categorical_features
        if isinstance(given, str):
            check_choice("categorical_features", given, ("from_dtype",))
            return replace(reading, categorical_features=None)
        return reading

    def _stops_early(self, *, has_validation: bool, n_rows: int) -> bool:
        check_count("n_iter_no_change", self.n_iter_no_change, least=1)
        if isinstance(self.early_stopping, str):
            check_choice("early_stopping", self.early_stopping, ("auto",))
            return has_validation or n_rows > _ROWS_TO_STOP_EARLY
        check_flag("early_stopping", self.early_stopping)
        return bool(self.early_stopping)

    def _figures_at_start(self, rounds: Boosting, *, stops: bool) -> GradientRound | None:
        if not stops:
            return None
        if rounds.n_before and getattr(self, "_start_figures", None) is not None:
            return self._start_figures
        return rounds.figures_at_start()

    @property
    def is_categorical_(self) -> BoolArray | None:
        """Whether each column is split by sets of categories; None if no column is."""
        kinds = [spec.kind == "nominal" for spec in self._model().schema.columns]
        return np.array(kinds) if any(kinds) else None

    @property
    def train_score_(self) -> FloatArray:
        """Minus the loss of training rows before the first round and after each.

        Empty without early stopping. Of 10,000 rows where there are more, computed when it is first
        asked for, from rows that are not saved with the model. Where `scoring` judges the training
        rows themselves, it is that score.
        """
        self._model()
        if not self.do_early_stopping_:
            return np.empty(0)
        if not self._by_loss and self.validation_score_.size == 0:
            return self._told("train_score")
        figures = self._training_figures()
        return -np.concatenate([[figures.start], figures.train_loss])

    @property
    def validation_score_(self) -> FloatArray:
        """Score of validation rows before the first round and after each; more is better.

        Minus the loss, or what `scoring` says. Empty without early stopping on held-out rows.
        """
        self._model()
        if not self.do_early_stopping_:
            return np.empty(0)
        told = self._told("validation_loss" if self._by_loss else "validation_score")
        if np.isnan(told).any():
            return np.empty(0)
        return -told if self._by_loss else told

    @property
    def _by_loss(self) -> bool:
        return isinstance(self.scoring, str) and self.scoring == "loss"

    def _told(self, name: str) -> FloatArray:
        return np.array([getattr(each, name) for each in (self._start_figures, *self._all_rounds)])


class HistGradientBoostingClassifier(HistEstimator, BoostingClassifier):
    """Gradient boosting for classes with scikit-learn's HistGradientBoosting parameters.

    A drop-in replacement for scikit-learn's: change the import. Text, categories and missing values
    are taken as they are. :class:`GradientBoostingClassifier` has the same engine, more parameters,
    and chooses the number of rounds by itself.

    Parameters
    ----------
    loss : {"log_loss", "exponential", "ordinal"} or function
        The logistic loss of two classes, or the multinomial of several; AdaBoost's of two; one of
        ordered classes (see :class:`GradientBoostingClassifier`). A function is given the class
        indices and the scores and returns gradients and hessians.
    learning_rate : float
        Factor of the contribution of each tree.
    max_iter : int
        Number of rounds; each grows one tree, or one per class where there are three or more.
    max_leaf_nodes : int, optional
        Leaves of a tree; None is no limit.
    max_depth : int, optional
        Questions on a path; None is no limit.
    min_samples_leaf : int or float
        Rows that each leaf needs; a decimal is a share of all rows.
    l2_regularization : float
        Added to the sum of hessians of every leaf, which makes predictions smaller.
    max_features : float, int, "sqrt", "log2" or None
        Share or number of the columns that are drawn for each node.
    max_bins : int
        Bins that a numeric column is divided into, 255 at most; missing values have their own.
    categorical_features : "from_dtype", list or None
        Numeric columns that are codes of categories, by name, position or a boolean for each.
        Columns of text and of categories are categorical whatever is listed.
    monotonic_cst : dict or list, optional
        Per column 1 (the score of the second class may not fall), -1 or 0.
    interaction_cst : {"pairwise", "no_interactions"} or list of sets, optional
        Columns that may be asked on one path, by name or position; those not named form a set.
    warm_start : bool
        Whether `fit` continues from the existing rounds, up to `max_iter`.
    early_stopping : bool or "auto"
        Whether to stop once `scoring` has not improved by more than `tol` for `n_iter_no_change`
        rounds; the rounds up to the best are kept. ``"auto"`` does for more than 10,000 rows, and
        where validation rows are given.
    scoring : "loss", str, function or None
        What rounds are judged by: the loss, one of scikit-learn's scorers, a function of estimator,
        X and y, or None for the estimator's own `score`.
    validation_fraction : float, int or None
        Share or number of the rows held out for early stopping, unless validation rows are given
        to `fit`; None judges by the training rows.
    n_iter_no_change : int
        Rounds without improvement after which boosting stops.
    tol : float
        Improvement of the loss or score that counts.
    verbose : int
        Show rounds and losses on standard error.
    random_state : int, optional
        Seed of the draws; None means 0.
    class_weight : dict or "balanced", optional
        Factor of the weight of each class's rows.
    cost_matrix : array or dict of dicts, optional
        Cost of each decision, as for :class:`DecisionTreeClassifier`. It decides only: the class of
        least expected cost is predicted, and scores and probabilities are as without.
    calibrate : {"temperature", "isotonic", "shares"}, optional
        Make probabilities true of new rows, as for :class:`DecisionTreeClassifier`.

    Attributes
    ----------
    ensemble_ : BoostedEnsemble
        The trees of all rounds.
    n_iter_ : int
        Number of rounds kept.
    n_trees_per_iteration_ : int
        Trees of a round.
    do_early_stopping_ : bool
    train_score_, validation_score_ : array
        Scores before the first round and after each; empty without early stopping.
    is_categorical_ : array of bool or None
        Which columns are split by sets of categories.
    classes_ : array
    n_classes_ : int
    n_features_in_ : int
    feature_names_in_ : array
    feature_importances_ : array
        Share of each column in the gain of all splits.

    Examples
    --------
    >>> from treewright import HistGradientBoostingClassifier, load_example
    >>> iris = load_example("iris")
    >>> model = HistGradientBoostingClassifier(max_iter=20).fit(iris.X, iris.y)
    >>> model.n_iter_, model.predict(iris.X[:1]).tolist()
    (20, ['setosa'])
    """

    def __init__(
        self,
        loss: Any = "log_loss",
        *,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: float = 20,
        l2_regularization: float = 0.0,
        max_features: Any = 1.0,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        warm_start: bool = False,
        early_stopping: bool | str = "auto",
        scoring: Any = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: int = 0,
        random_state: Any = None,
        class_weight: Any = None,
        cost_matrix: Any = None,
        calibrate: str | None = None,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.calibrate = calibrate


class HistGradientBoostingRegressor(HistEstimator, BoostingRegressor):
    """Gradient boosting for regression with scikit-learn's HistGradientBoosting parameters.

    A drop-in replacement for scikit-learn's: change the import. Text, categories and missing values
    are taken as they are. :class:`GradientBoostingRegressor` has the same engine, more parameters,
    and chooses the number of rounds by itself.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "gamma", "poisson", "quantile", "huber"} or function
        A function is given the target and the scores and returns gradients and hessians.
    quantile : float, optional
        For ``"quantile"`` the quantile that is predicted (0.5).
    learning_rate : float
        Factor of the contribution of each tree.
    max_iter : int
        Number of rounds; each grows a tree.
    max_leaf_nodes : int, optional
        Leaves of a tree; None is no limit.
    max_depth : int, optional
        Questions on a path; None is no limit.
    min_samples_leaf : int or float
        Rows that each leaf needs; a decimal is a share of all rows.
    l2_regularization : float
        Added to the sum of hessians of every leaf, which makes predictions smaller.
    max_features : float, int, "sqrt", "log2" or None
        Share or number of the columns that are drawn for each node.
    max_bins : int
        Bins that a numeric column is divided into, 255 at most; missing values have their own.
    categorical_features : "from_dtype", list or None
        Numeric columns that are codes of categories, by name, position or a boolean for each.
        Columns of text and of categories are categorical whatever is listed.
    monotonic_cst : dict or list, optional
        Per column 1 (predictions may not fall), -1 or 0.
    interaction_cst : {"pairwise", "no_interactions"} or list of sets, optional
        Columns that may be asked on one path, by name or position; those not named form a set.
    warm_start : bool
        Whether `fit` continues from the existing rounds, up to `max_iter`.
    early_stopping : bool or "auto"
        Whether to stop once `scoring` has not improved by more than `tol` for `n_iter_no_change`
        rounds; the rounds up to the best are kept. ``"auto"`` does for more than 10,000 rows, and
        where validation rows are given.
    scoring : "loss", str, function or None
        What rounds are judged by: the loss, one of scikit-learn's scorers, a function of estimator,
        X and y, or None for the estimator's own `score`.
    validation_fraction : float, int or None
        Share or number of the rows held out for early stopping, unless validation rows are given
        to `fit`; None judges by the training rows.
    n_iter_no_change : int
        Rounds without improvement after which boosting stops.
    tol : float
        Improvement of the loss or score that counts.
    verbose : int
        Show rounds and losses on standard error.
    random_state : int, optional
        Seed of the draws; None means 0.

    Attributes
    ----------
    ensemble_ : BoostedEnsemble
        The trees of all rounds.
    n_iter_ : int
        Number of rounds kept.
    n_trees_per_iteration_ : int
        Trees of a round.
    do_early_stopping_ : bool
    train_score_, validation_score_ : array
        Scores before the first round and after each; empty without early stopping.
    is_categorical_ : array of bool or None
        Which columns are split by sets of categories.
    n_features_in_ : int
    feature_names_in_ : array
    feature_importances_ : array
        Share of each column in the gain of all splits.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import HistGradientBoostingRegressor
    >>> x = np.linspace(0, 6, 200)[:, np.newaxis]
    >>> model = HistGradientBoostingRegressor().fit(x, np.sin(x[:, 0]))
    >>> bool(model.score(x, np.sin(x[:, 0])) > 0.98)
    True
    """

    alpha = None
    tweedie_power = 1.5

    def __init__(
        self,
        loss: Any = "squared_error",
        *,
        quantile: float | None = None,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: float = 20,
        l2_regularization: float = 0.0,
        max_features: Any = 1.0,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        warm_start: bool = False,
        early_stopping: bool | str = "auto",
        scoring: Any = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
