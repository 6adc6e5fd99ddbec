"""Breiman's random forests."""

from __future__ import annotations

from typing import Any

from treewright.array_types import FloatArray
from treewright.data.schema import Schema
from treewright.estimators.forest.base import ForestClassifier, ForestRegressor


class RandomForestClassifier(ForestClassifier):
    """A random forest for classes (Breiman 2001), grown exactly from any table.

    A drop-in replacement for scikit-learn's: change the import; its parameters have their names and
    defaults here. Text, categories and missing values are taken as they are. Each tree is grown on
    rows drawn with replacement and asks, at every node, the best of a few columns drawn there; the
    trees' class probabilities are averaged.

    The bootstrap is drawn by the content of rows, not by their position: the order of the table
    changes nothing, and a row of weight k equals the row written k times. A tree depends on the
    seed and on its number, not on the number of threads or of trees.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    criterion : {"gini", "entropy", "gain_ratio", "misclassification", "chi2", "twoing", \
"hellinger", "ordinal_gini", "impurity_ratio"}
        How a split is judged, as for :class:`DecisionTreeClassifier`.
    max_depth, max_leaf_nodes : int, optional
        Limits on each tree; with ``max_leaf_nodes`` the node of largest gain is split first.
    min_samples_split, min_samples_leaf : int or float
        Rows that a node needs to be split, and that every branch needs; decimals are shares of the
        rows that a tree draws. A row drawn twice counts as two.
    min_weight_fraction_leaf : float
        Share of a tree's weight that every branch needs.
    max_features : int, float, "sqrt", "log2", optional
        Columns considered: a number, or a share of all; None is all.
    features_per : {"node", "tree"}
        ``"node"`` draws the columns anew for each node, until as many that vary in the node have
        been considered and one offers a cut (Breiman). ``"tree"`` draws them once for each tree,
        which then uses no others (the random subspaces of Ho 1998, and of textbooks).
    estimator : estimator, optional
        A single tree that every tree of the forest is like, such as ``C45Classifier()``: it decides
        criterion, limits, missing values, pruning and leaves, and the forest's own parameters
        about trees are left at their defaults. The forest decides the draws of rows and columns
        (``max_features``, ``features_per``), ``vote``, ``random_state``, ``n_jobs`` and
        ``verbose``; ``class_weight``, ``schema`` and ``categorical_features`` may be set in either.
    min_impurity_decrease : float
        Gain a split needs, times the node's share of the tree's weight.
    ccp_alpha : float
        Cost-complexity pruning of each tree: the penalty per leaf, on impurity.
    bootstrap : bool
        Whether the rows of a tree are drawn with replacement. Without, a tree takes every row, or
        as many different ones as `max_samples` says.
    max_samples : int, float, optional
        Rows drawn for a tree: a number, or a share of all; None draws as many as there are, and
        with replacement there may be more.
    oob_score : bool or callable
        Whether to estimate the accuracy out of bag; a function of the true and the predicted
        classes replaces accuracy.
    stop_when_stable : float or (float, int), optional
        Stop early: grow no more trees once the out-of-bag error has changed by no more than this
        during the last 20 trees (or as many as given); `n_estimators` is then an upper limit.
    sampling : {"all", "under", "over"} or dict
        ``"all"`` draws from all rows. ``"under"`` draws from each class as many rows as the
        rarest has (balanced random forest, Chen, Liaw and Breiman 2004), ``"over"`` as many as the
        commonest has; a dict gives the number by class, where classes not named keep theirs.
    vote : {"soft", "hard"}
        ``"soft"`` averages the class probabilities of the trees; ``"hard"`` counts their votes, and
        ``predict_proba`` returns shares of votes.
    nominal, guard_many_values, missing, unseen
        As for :class:`DecisionTreeClassifier`.
    class_weight : dict, "balanced", "balanced_subsample", optional
        Factor of the weight of each class's rows, once they are drawn; ``"balanced"`` gives all
        classes of the table equal weight, ``"balanced_subsample"`` those of each tree's rows.
    cost_matrix : array or dict of dicts, optional
        Cost of each decision, as for :class:`DecisionTreeClassifier`. It decides only: the class of
        least expected cost is predicted, and the trees and their probabilities are as without.
    calibrate : {"temperature", "isotonic", "shares"}, optional
        Make probabilities true of new rows, by what trees tell of the rows they have not drawn;
        `predict` then decides by them. ``"temperature"`` makes them less (or more) extreme,
        ``"isotonic"`` takes any increasing function, ``"shares"`` only puts back the shares of the
        classes that `class_weight` has changed, which the others do as well. ``calibration_`` tells
        what was done.
    monotonic_cst : dict or list, optional
        Per column 1 (probability of the second class may not fall), -1 or 0; two classes only.
    categorical_features : list, optional
        Numeric columns that are codes of categories.
    schema : Schema, optional
        Declarations about the columns.
    warm_start : bool
        Whether `fit` keeps the existing trees and adds to them up to `n_estimators`.
    random_state : int, optional
        Seed; None means 0, so that the same call gives the same forest.
    n_jobs : int, optional
        Threads; the forest is the same for any number. None is as many as pay: one for small
        work or in a worker of another pool, else all processors that this process may use, as -1.
    verbose : int
        Show progress on standard error.

    Attributes
    ----------
    ensemble_ : Ensemble
        The trees: ``len``, indexing and iteration give each of them as a :class:`Tree`.
    n_estimators_ : int
        Number of trees grown.
    estimators_ : list
        The trees as fitted :class:`DecisionTreeClassifier` (or as `estimator`).
    classes_ : array or list of arrays
    n_classes_ : int or list of int
    n_features_in_ : int
    feature_names_in_ : array
    n_outputs_ : int
    feature_importances_ : array
        Share of the impurity decrease that each column brings, averaged over the trees.
    oob_score_, oob_decision_function_, oob_curve_, oob_errors_, oob_interval_
        With `oob_score`: accuracy, class probabilities, error by number of trees, error of
        each tree, and confidence interval of the error, all out of bag.

    Examples
    --------
    >>> from treewright import C45Classifier, RandomForestClassifier, load_example
    >>> iris = load_example("iris")
    >>> forest = RandomForestClassifier(oob_score=True, random_state=0).fit(iris.X, iris.y)
    >>> len(forest), forest.oob_score_ > 0.9
    (100, True)

    A forest of C4.5 trees, each divided, pruned and raised as C4.5 does:

    >>> play = load_example("play_tennis")
    >>> forest = RandomForestClassifier(25, estimator=C45Classifier()).fit(play.X, play.y)
    >>> forest.predict(play.X)[:3].tolist()
    ['No', 'No', 'Yes']
    >>> forest.ensemble_[0].criterion
    'gain_ratio'
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        features_per: str = "node",
        estimator: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        bootstrap: bool = True,
        max_samples: Any = None,
        oob_score: Any = False,
        stop_when_stable: Any = None,
        sampling: Any = "all",
        vote: str = "soft",
        nominal: str = "subset",
        guard_many_values: bool = True,
        missing: str = "learned_side",
        unseen: str = "missing",
        class_weight: Any = None,
        cost_matrix: Any = None,
        calibrate: str | None = None,
        monotonic_cst: Any = None,
        categorical_features: Any = None,
        schema: Schema | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.features_per = features_per
        self.estimator = estimator
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.stop_when_stable = stop_when_stable
        self.sampling = sampling
        self.vote = vote
        self.nominal = nominal
        self.guard_many_values = guard_many_values
        self.missing = missing
        self.unseen = unseen
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.calibrate = calibrate
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.schema = schema
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class RandomForestRegressor(ForestRegressor):
    """A random forest for regression (Breiman 2001), grown exactly from any table.

    A drop-in replacement for scikit-learn's: change the import; rows are drawn as for
    :class:`RandomForestClassifier`, and the trees' predictions are averaged.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    criterion : {"squared_error", "absolute_error", "poisson", "weighted_squared_error", \
"standard_deviation", "fifth_root"}
        How a split is judged, as for :class:`DecisionTreeRegressor`.
    max_features : int, float, "sqrt", "log2", optional
        Columns considered at every node or in every tree, as `features_per` says; all by default.
    estimator : estimator, optional
        A single tree that every tree of the forest is like, such as ``M5Regressor()``; see
        :class:`RandomForestClassifier`.
    oob_score : bool or callable
        Whether to estimate the coefficient of determination out of bag; a function of the true and
        the predicted numbers replaces it.
    max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, \
features_per, min_impurity_decrease, ccp_alpha, bootstrap, max_samples, stop_when_stable, \
warm_start, random_state, n_jobs, verbose
        As for :class:`RandomForestClassifier`.
    nominal, guard_many_values, missing, unseen, monotonic_cst, categorical_features, schema
        As for :class:`DecisionTreeRegressor`.

    Attributes
    ----------
    ensemble_ : Ensemble
        The trees: ``len``, indexing and iteration give each of them as a :class:`Tree`.
    n_estimators_ : int
        Number of trees grown.
    estimators_ : list
        The trees as fitted :class:`DecisionTreeRegressor` (or as `estimator`).
    n_features_in_ : int
    feature_names_in_ : array
    n_outputs_ : int
    feature_importances_ : array
        Share of the impurity decrease that each column brings, averaged over the trees.
    oob_score_, oob_prediction_, oob_curve_, oob_errors_, oob_interval_
        With `oob_score`: R², predictions, error by number of trees, error of each tree,
        and confidence interval of the error, all out of bag.

    Examples
    --------
    >>> from treewright import RandomForestRegressor, load_example
    >>> diabetes = load_example("diabetes")
    >>> forest = RandomForestRegressor(50, max_features=1 / 3, random_state=0)
    >>> forest.fit(diabetes.X, diabetes.y).score(diabetes.X, diabetes.y) > 0.8
    True
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        features_per: str = "node",
        estimator: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        bootstrap: bool = True,
        max_samples: Any = None,
        oob_score: Any = False,
        stop_when_stable: Any = None,
        nominal: str = "subset",
        guard_many_values: bool = True,
        missing: str = "learned_side",
        unseen: str = "missing",
        monotonic_cst: Any = None,
        categorical_features: Any = None,
        schema: Schema | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.features_per = features_per
        self.estimator = estimator
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.stop_when_stable = stop_when_stable
        self.nominal = nominal
        self.guard_many_values = guard_many_values
        self.missing = missing
        self.unseen = unseen
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.schema = schema
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def predict(self, X: Any, *, quantiles: Any = None) -> FloatArray:
        """Return the number predicted for each row, or quantiles of the target.

        Parameters
        ----------
        X : table
            The rows.
        quantiles : float or sequence of floats, optional
            Shares from 0 to 1: what `predict_quantiles` returns is returned instead of the mean.
        """
        if quantiles is not None:
            return self.predict_quantiles(X, quantiles)
        return super().predict(X)
