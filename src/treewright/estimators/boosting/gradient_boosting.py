"""Gradient boosting (Friedman 2001) of trees on binned columns."""

# Long because two classes document every parameter of boosting.

from __future__ import annotations

from typing import Any

from treewright.data.schema import Schema
from treewright.estimators.boosting.tasks import BoostingClassifier, BoostingRegressor


class GradientBoostingClassifier(BoostingClassifier):
    """Gradient boosting for classes, from any table.

    Every round grows a tree on the gradients of the loss at the scores so far. Numeric columns are
    divided into at most 255 bins; gradients are summed as whole numbers, so that the model does
    not depend on the number of threads. Text, categories and missing values are taken as they are:
    a split sends sets of categories, and missing values, to the side where the loss falls most.

    Parameters
    ----------
    loss : {"log_loss", "exponential", "ordinal"} or function
        ``"log_loss"`` is the logistic loss of two classes, or the multinomial of several;
        ``"exponential"`` is AdaBoost's, for two. ``"ordinal"`` is for classes in an order: numbers,
        an ordered categorical, or ``Schema(class_order=...)``. It has one score, and thresholds
        between the classes that are learned with the trees (proportional odds, McCullagh 1980):
        one tree a round whatever the number of classes. A function is given the class indices and
        the scores (rows, or rows x classes) and returns their gradients and hessians.
    learning_rate : float or "auto"
        Factor of the contribution of each tree. ``"auto"`` is 0.05 up to 10,000 rows, and grows as
        the square root of their number up to 0.1 (from 40,000 rows); it is 0.1 where very many
        rounds are chosen, and where rounds and depth are given.
    n_estimators : int or "auto"
        Number of rounds; each grows one tree, or one per class where there are three or more.
        ``"auto"`` chooses up to 1,000, on tables of 30 rows or more, by held-out rows: five
        folds (given by the content of rows), of which three judge beyond 1,000 rows and one beyond
        10,000. They are chosen by rounds of rate 0.2 (where `learning_rate` is ``"auto"``) and made
        by the smaller one. On smaller tables, with a loss of your own, or with another estimator as
        `init`, it is 250; with early stopping on held-out rows at most 1,000.
    max_iter : int, optional
        scikit-learn's name for `n_estimators`; if given, it is used instead.
    max_leaf_nodes : int, optional
        Leaves of a tree; None is no limit.
    max_depth : int, None or "auto"
        Questions on a path; None is no limit, and so is ``"auto"`` unless rounds are chosen: then
        no limit and 3 (with 0.7 of the rows, see `subsample`) are tried.
    growth : {"leaf_wise", "depth_wise"}
        Whether the leaf of largest gain is split next, or the first leaf of the highest level.
    criterion : {"squared_error", "friedman_mse"}, optional
        How a split is judged. None is the decrease of the loss to second order, by gradients and
        hessians. The two names are scikit-learn's and mean the same, the decrease of the squared
        error of the gradients (Friedman 2001, eq. 35); it differs for losses whose hessians differ.
    min_samples_split : int or float
        Rows that a node needs to be split; a decimal is a share of all rows.
    min_samples_leaf : int or float
        Rows that each leaf needs; a decimal is a share of all rows.
    min_weight_fraction_leaf : float
        Share of the weight of a round's rows that each leaf needs.
    min_hessian : float or "auto"
        Sum of hessians that each leaf needs. ``"auto"`` is 1 (a 32nd of the rows if that is less),
        and 0.001 where held-out rows choose the rounds, or rounds and depth are given.
    l2_regularization : float or "auto"
        Added to the sum of hessians of every leaf, which makes predictions smaller. ``"auto"`` is
        1.5, 3 where held-out rows choose the rounds, and 0.3 where rounds and depth are given.
    min_gain : float
        Gain that a split needs.
    min_impurity_decrease : float
        The same per unit of weight of a round's rows, as in scikit-learn: with squared error, by
        how much a split has to lower the mean squared error. The larger of the two applies.
    ccp_alpha : float
        Cost-complexity pruning of each tree: a branch goes unless it brings more than this gain
        per leaf (and unit of weight, as `min_impurity_decrease`).
    max_bins : int
        Bins that a numeric column is divided into, 255 at most; missing values have their own.
        Where there are more than 200,000 rows, bins are computed from 200,000 of them. Numbers are
        taken as float64: whole numbers and times beyond 2**53 may share a bin.
    subsample : float or "auto"
        Share of the rows that each round draws, without replacement; with ``"goss"`` the share
        drawn from the rows of small gradients. ``"auto"`` is 1, and 0.1 with ``"goss"``; where all
        columns are numeric and there are more than 100,000 rows (of the table, not weighted), it
        draws 100,000 of them (a fifth at least, and 10,000 of the rarest class, or all). The draw
        depends on the content of rows: equal rows are drawn together, and where none would be
        drawn, the rows of one content are.
    row_sampling : {"uniform", "goss"}
        ``"goss"`` keeps the `top_rate` rows of largest gradients and draws from the others, whose
        weight is raised to make up for it (gradient-based one-side sampling, Ke et al. 2017).
    top_rate : float
        Share of the rows that ``"goss"`` keeps, of the table's rows: one of weight 2 is one row.
    max_features : int, float, "sqrt", "log2", None or "auto"
        Columns that are drawn for each node: their number, their share, the square root or the
        binary logarithm of their number, or all (None). ``"auto"`` is half of them up to 10,000
        rows, and rises to all of them at 100,000.
    features_per_tree : float
        Share of the columns that are drawn for each tree.
    nominal_smoothing, nominal_l2 : float
        Categories are ordered by gradient / (hessian + `nominal_smoothing`); for splits by sets of
        categories, `nominal_l2` is added to `l2_regularization`.
    max_categories : int
        Categories on the smaller side of a split.
    min_category_rows : int, optional
        Rows of a node that a category needs to be ordered; others stay on the larger side.
        None is one in 500 rows of the table, from 5 to 50.
    categorical_features : list, optional
        Numeric columns that are codes of categories. In a column of more than 65,534 categories
        those beyond, in the order of their values, count as missing, with a warning.
    leaf_model : {"constant", "linear"}
        ``"linear"`` fits every leaf, once its tree is grown, a line in the numeric columns asked
        on its path (Shi et al. 2019). A missing or infinite number adds nothing to it, and it
        never adds more than it did for a training row.
    linear_l2 : float
        Penalty on the slopes of these lines, in units of the columns' standard deviations.
    monotonic_cst : dict or list, optional
        Per column 1 (the score of the second class may not fall), -1 or 0.
    interaction_cst : {"pairwise", "no_interactions"} or list of sets, optional
        Columns that may be asked on one path, by name or position; those not named form a set.
    early_stopping : bool or "auto"
        Whether to stop once the loss of the validation rows has not fallen by more than `tol` for
        `n_iter_no_change` rounds; the rounds up to the least loss are kept. Without validation
        rows (``validation_fraction=None``) the training loss is used. ``"auto"`` stops where
        `n_iter_no_change` or validation rows are given; with False the losses of such rows are
        recorded in ``rounds_`` only.
    scoring : "loss", str, function or None
        What rounds are judged by, instead of the loss: the name of one of scikit-learn's scorers,
        a function of estimator, X and y, or None for the estimator's own `score`. More is better.
    validation_fraction : float or int, optional
        Share or number of the rows held out for early stopping, unless validation rows are given to
        `fit`.
    n_iter_no_change : int, optional
        Rounds without improvement after which boosting stops; None is 10 where it stops early.
    tol : float
        Improvement of the loss or score that counts, see `early_stopping`.
    init : None, "zero" or estimator
        Where scores start: at the best constant, at 0, or at the predictions of an estimator, which
        is fitted first.
    warm_start : bool
        Whether `fit` continues from the existing rounds, up to `n_estimators`. With ``"auto"`` the
        number is chosen again, and more are made if it has grown; a number makes more rounds of
        the kind that was chosen.
    class_weight : dict or "balanced", optional
        Factor of the weight of each class's rows.
    cost_matrix : array or dict of dicts, optional
        Cost of each decision, as for :class:`DecisionTreeClassifier`. It decides only: the class of
        least expected cost is predicted, and scores and probabilities are as without.
    calibrate : {"temperature", "isotonic", "shares"}, optional
        Make probabilities true of new rows, by what models of halves tell of the other half;
        `predict` then decides by them. ``"temperature"`` makes them less (or more) extreme,
        ``"isotonic"`` takes any increasing function, ``"shares"`` only puts back the shares of the
        classes that `class_weight` has changed, which the others do as well. ``calibration_`` tells
        what was done.
    schema : Schema, optional
        Declarations about the columns.
    random_state : int, optional
        Seed of the draws; None means 0.
    n_jobs : int, optional
        Threads; the model is the same, bit for bit, for any number. None is as many as
        pay: one for small work or in a worker of another pool, else all processors that this
        process may use, as -1.
    verbose : int
        Show rounds and losses on standard error. With 0 they are shown at a terminal only, once a
        fit has taken two seconds.

    Attributes
    ----------
    ensemble_ : BoostedEnsemble
        The trees of all rounds.
    n_iter_, n_estimators_ : int
        Number of rounds kept.
    n_trees_per_iteration_ : int
        Trees of a round.
    estimators_ : array of DecisionTreeRegressor, rounds x trees of a round
    init_ : estimator or "zero"
        Where scores start.
    do_early_stopping_ : bool
    max_features_ : int
        Columns drawn for each node.
    train_score_, validation_score_ : array
        Loss of training and validation rows after each round, in scikit-learn's units.
    oob_improvement_, oob_scores_, oob_score_ : array, array, float
        With `subsample` below 1: by how much each round lowered the loss of the rows that it had
        not drawn, their loss after each round, and after the last.
    choice_ : RoundsChoice or None
        The depths tried where rounds were chosen, with the rounds and loss of each.
    rounds_ : GradientRounds
        Leaves, losses, scores and seconds of each round of the last `fit`; a table when printed.
        Losses and scores are computed only with `early_stopping` or validation rows.
    thresholds_ : array
        With ``loss="ordinal"``, where the score passes from each class to the next.
    classes_ : array
    n_classes_ : int
    n_features_in_ : int
    feature_names_in_ : array
    feature_importances_ : array
        Share of each column in the gain of all splits.

    Examples
    --------
    >>> from treewright import GradientBoostingClassifier, load_example
    >>> iris = load_example("iris")
    >>> model = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(iris.X, iris.y)
    >>> model.n_iter_, len(model.ensemble_)
    (20, 60)
    >>> model.predict(iris.X[:2]).tolist()
    ['setosa', 'setosa']
    """

    def __init__(
        self,
        *,
        loss: Any = "log_loss",
        learning_rate: Any = "auto",
        n_estimators: Any = "auto",
        max_iter: int | None = None,
        max_leaf_nodes: int | None = 31,
        max_depth: Any = "auto",
        growth: str = "leaf_wise",
        criterion: str | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_hessian: Any = "auto",
        l2_regularization: Any = "auto",
        min_gain: float = 0.0,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        max_bins: int = 255,
        subsample: Any = "auto",
        row_sampling: str = "uniform",
        top_rate: float = 0.2,
        max_features: Any = "auto",
        features_per_tree: float = 1.0,
        nominal_smoothing: float = 10.0,
        nominal_l2: float = 1.0,
        max_categories: int = 64,
        min_category_rows: int | None = None,
        categorical_features: Any = None,
        leaf_model: str = "constant",
        linear_l2: float = 10.0,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        early_stopping: bool | str = "auto",
        scoring: Any = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-7,
        init: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
        cost_matrix: Any = None,
        calibrate: str | None = None,
        schema: Schema | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.growth = growth
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_hessian = min_hessian
        self.l2_regularization = l2_regularization
        self.min_gain = min_gain
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.max_bins = max_bins
        self.subsample = subsample
        self.row_sampling = row_sampling
        self.top_rate = top_rate
        self.max_features = max_features
        self.features_per_tree = features_per_tree
        self.nominal_smoothing = nominal_smoothing
        self.nominal_l2 = nominal_l2
        self.max_categories = max_categories
        self.min_category_rows = min_category_rows
        self.categorical_features = categorical_features
        self.leaf_model = leaf_model
        self.linear_l2 = linear_l2
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.init = init
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.calibrate = calibrate
        self.schema = schema
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class GradientBoostingRegressor(BoostingRegressor):
    """Gradient boosting for regression, from any table.

    Like :class:`GradientBoostingClassifier`, with losses for numbers.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"} \
or function
        ``"poisson"``, ``"gamma"`` and ``"tweedie"`` are deviances of the exponential of the score.
        A function is given the target and the scores and returns their gradients and hessians.
    quantile : float, optional
        For ``"quantile"`` the quantile that is predicted (0.5), for ``"huber"`` the quantile of the
        absolute residuals beyond which the loss is linear (0.9).
    alpha : float, optional
        scikit-learn's name for `quantile`; give one of them. As there, it may be given with other
        losses, which have no use for it.
    tweedie_power : float
        Power of the variance, between 1 and 2.
    learning_rate : float or "auto"
        Factor of the contribution of each tree. ``"auto"`` is 0.1; with early stopping on held-out
        rows it is 0.05 up to 10,000 rows, and grows as the square root of their number up to 0.1.
        Where held-out rows choose the rounds it is the rate that makes them 500, but half of that
        at least and 0.1 at most.
    n_estimators : int or "auto"
        Number of rounds; each grows a tree.
        ``"auto"`` chooses up to 1,000, on tables of 30 rows or more, by held-out rows: five
        folds (given by the content of rows), of which three judge beyond 1,000 rows and one beyond
        10,000. They are chosen by rounds of rate 0.2 (where `learning_rate` is ``"auto"``) and made
        by the smaller one. On smaller tables, with a loss of your own, or with another estimator as
        `init`, it is 250; with early stopping on held-out rows at most 1,000.
    max_iter : int, optional
        scikit-learn's name for `n_estimators`; if given, it is used instead.
    max_leaf_nodes : int, optional
        Leaves of a tree; None is no limit.
    max_depth : int, None or "auto"
        Questions on a path; None is no limit, and so is ``"auto"`` unless rounds are chosen: then
        no limit and 3 (with 0.7 of the rows, see `subsample`) are tried.
    growth : {"leaf_wise", "depth_wise"}
        Whether the leaf of largest gain is split next, or the first leaf of the highest level.
    criterion : {"squared_error", "friedman_mse"}, optional
        How a split is judged. None is the decrease of the loss to second order, by gradients and
        hessians. The two names are scikit-learn's and mean the same, the decrease of the squared
        error of the gradients (Friedman 2001, eq. 35); it differs for losses whose hessians differ.
    min_samples_split : int or float
        Rows that a node needs to be split; a decimal is a share of all rows.
    min_samples_leaf : int or float
        Rows that each leaf needs; a decimal is a share of all rows.
    min_weight_fraction_leaf : float
        Share of the weight of a round's rows that each leaf needs.
    min_hessian : float or "auto"
        Sum of hessians that each leaf needs. ``"auto"`` is 1 (a 32nd of the rows if that is less),
        and 0.001 where held-out rows choose the rounds, or rounds and depth are given.
    l2_regularization : float or "auto"
        Added to the sum of hessians of every leaf, which makes predictions smaller. ``"auto"`` is
        1.5, 3 where held-out rows choose the rounds, and 1 where rounds and depth are given.
    min_gain : float
        Gain that a split needs.
    min_impurity_decrease : float
        The same per unit of weight of a round's rows, as in scikit-learn: with squared error, by
        how much a split has to lower the mean squared error. The larger of the two applies.
    ccp_alpha : float
        Cost-complexity pruning of each tree: a branch goes unless it brings more than this gain
        per leaf (and unit of weight, as `min_impurity_decrease`).
    max_bins : int
        Bins that a numeric column is divided into, 255 at most; missing values have their own.
        Where there are more than 200,000 rows, bins are computed from 200,000 of them. Numbers are
        taken as float64: whole numbers and times beyond 2**53 may share a bin.
    subsample : float or "auto"
        Share of the rows that each round draws, without replacement; with ``"goss"`` the share
        drawn from the rows of small gradients. ``"auto"`` is 1, and 0.1 with ``"goss"``; where all
        columns are numeric and there are more than 100,000 rows (of the table, not weighted), it
        draws 100,000 of them (a fifth at least, and 10,000 of the rarest class, or all). The draw
        depends on the content of rows: equal rows are drawn together, and where none would be
        drawn, the rows of one content are.
    row_sampling : {"uniform", "goss"}
        ``"goss"`` keeps the `top_rate` rows of largest gradients and draws from the others, whose
        weight is raised to make up for it (gradient-based one-side sampling, Ke et al. 2017).
    top_rate : float
        Share of the rows that ``"goss"`` keeps, of the table's rows: one of weight 2 is one row.
    max_features : int, float, "sqrt", "log2", None or "auto"
        Columns that are drawn for each node: their number, their share, the square root or the
        binary logarithm of their number, or all (None). ``"auto"`` is half of them up to 10,000
        rows, and rises to all of them at 100,000; it is all where rounds and depth are given.
    features_per_tree : float
        Share of the columns that are drawn for each tree.
    nominal_smoothing, nominal_l2 : float
        Categories are ordered by gradient / (hessian + `nominal_smoothing`); for splits by sets of
        categories, `nominal_l2` is added to `l2_regularization`.
    max_categories : int
        Categories on the smaller side of a split.
    min_category_rows : int, optional
        Rows of a node that a category needs to be ordered; others stay on the larger side.
        None is one in 500 rows of the table, from 5 to 50.
    categorical_features : list, optional
        Numeric columns that are codes of categories. In a column of more than 65,534 categories
        those beyond, in the order of their values, count as missing, with a warning.
    leaf_model : {"constant", "linear"}
        ``"linear"`` fits every leaf, once its tree is grown, a line in the numeric columns asked
        on its path (Shi et al. 2019). A missing or infinite number adds nothing to it, and it
        never adds more than it did for a training row. Losses without a hessian
        (``"absolute_error"``, ``"quantile"``) have constants only.
    linear_l2 : float
        Penalty on the slopes of these lines, in units of the columns' standard deviations.
    monotonic_cst : dict or list, optional
        Per column 1 (predictions may not fall), -1 or 0.
    interaction_cst : {"pairwise", "no_interactions"} or list of sets, optional
        Columns that may be asked on one path, by name or position; those not named form a set.
    early_stopping : bool or "auto"
        Whether to stop once the loss of the validation rows has not fallen by more than `tol` for
        `n_iter_no_change` rounds; the rounds up to the least loss are kept. Without validation
        rows (``validation_fraction=None``) the training loss is used. ``"auto"`` stops where
        `n_iter_no_change` or validation rows are given; with False the losses of such rows are
        recorded in ``rounds_`` only.
    scoring : "loss", str, function or None
        What rounds are judged by, instead of the loss: the name of one of scikit-learn's scorers,
        a function of estimator, X and y, or None for the estimator's own `score`. More is better.
    validation_fraction : float or int, optional
        Share or number of the rows held out for early stopping, unless validation rows are given to
        `fit`.
    n_iter_no_change : int, optional
        Rounds without improvement after which boosting stops; None is 10 where it stops early.
    tol : float
        Improvement of the loss or score that counts, see `early_stopping`.
    init : None, "zero" or estimator
        Where scores start: at the best constant, at 0, or at the predictions of an estimator, which
        is fitted first.
    warm_start : bool
        Whether `fit` continues from the existing rounds, up to `n_estimators`. With ``"auto"`` the
        number is chosen again, and more are made if it has grown; a number makes more rounds of
        the kind that was chosen.
    schema : Schema, optional
        Declarations about the columns.
    random_state : int, optional
        Seed of the draws; None means 0.
    n_jobs : int, optional
        Threads; the model is the same, bit for bit, for any number. None is as many as
        pay: one for small work or in a worker of another pool, else all processors that this
        process may use, as -1.
    verbose : int
        Show rounds and losses on standard error. With 0 they are shown at a terminal only, once a
        fit has taken two seconds.

    Attributes
    ----------
    ensemble_ : BoostedEnsemble
        The trees of all rounds.
    n_iter_, n_estimators_ : int
        Number of rounds kept.
    n_trees_per_iteration_ : int
        Trees of a round.
    estimators_ : array of DecisionTreeRegressor, rounds x trees of a round
    init_ : estimator or "zero"
        Where scores start.
    do_early_stopping_ : bool
    max_features_ : int
        Columns drawn for each node.
    train_score_, validation_score_ : array
        Loss of training and validation rows after each round, in scikit-learn's units.
    oob_improvement_, oob_scores_, oob_score_ : array, array, float
        With `subsample` below 1: by how much each round lowered the loss of the rows that it had
        not drawn, their loss after each round, and after the last.
    choice_ : RoundsChoice or None
        The depths tried where rounds were chosen, with the rounds and loss of each.
    rounds_ : GradientRounds
        Leaves, losses, scores and seconds of each round of the last `fit`; a table when printed.
        Losses and scores are computed only with `early_stopping` or validation rows.
    n_features_in_ : int
    feature_names_in_ : array
    feature_importances_ : array
        Share of each column in the gain of all splits.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import GradientBoostingRegressor
    >>> x = np.linspace(0, 6, 200)[:, np.newaxis]
    >>> model = GradientBoostingRegressor().fit(x, np.sin(x[:, 0]))
    >>> bool(model.score(x, np.sin(x[:, 0])) > 0.98)
    True
    >>> y = np.where(x[:, 0] < 3, 2 * x[:, 0], 30 - 2 * x[:, 0])  # two lines
    >>> lines = GradientBoostingRegressor(n_estimators=1, learning_rate=1.0, max_leaf_nodes=2,
    ...                                   l2_regularization=0.0, leaf_model="linear",
    ...                                   linear_l2=0.0).fit(x, y)
    >>> bool(np.abs(lines.predict(x) - y).max() < 1e-6)
    True
    """

    def __init__(
        self,
        *,
        loss: Any = "squared_error",
        quantile: float | None = None,
        alpha: float | None = None,
        tweedie_power: float = 1.5,
        learning_rate: Any = "auto",
        n_estimators: Any = "auto",
        max_iter: int | None = None,
        max_leaf_nodes: int | None = 31,
        max_depth: Any = "auto",
        growth: str = "leaf_wise",
        criterion: str | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_hessian: Any = "auto",
        l2_regularization: Any = "auto",
        min_gain: float = 0.0,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        max_bins: int = 255,
        subsample: Any = "auto",
        row_sampling: str = "uniform",
        top_rate: float = 0.2,
        max_features: Any = "auto",
        features_per_tree: float = 1.0,
        nominal_smoothing: float = 10.0,
        nominal_l2: float = 1.0,
        max_categories: int = 64,
        min_category_rows: int | None = None,
        categorical_features: Any = None,
        leaf_model: str = "constant",
        linear_l2: float = 10.0,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        early_stopping: bool | str = "auto",
        scoring: Any = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-7,
        init: Any = None,
        warm_start: bool = False,
        schema: Schema | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.alpha = alpha
        self.tweedie_power = tweedie_power
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.growth = growth
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_hessian = min_hessian
        self.l2_regularization = l2_regularization
        self.min_gain = min_gain
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.max_bins = max_bins
        self.subsample = subsample
        self.row_sampling = row_sampling
        self.top_rate = top_rate
        self.max_features = max_features
        self.features_per_tree = features_per_tree
        self.nominal_smoothing = nominal_smoothing
        self.nominal_l2 = nominal_l2
        self.max_categories = max_categories
        self.min_category_rows = min_category_rows
        self.categorical_features = categorical_features
        self.leaf_model = leaf_model
        self.linear_l2 = linear_l2
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.init = init
        self.warm_start = warm_start
        self.schema = schema
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
