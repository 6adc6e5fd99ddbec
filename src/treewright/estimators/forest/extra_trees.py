"""Extremely randomised trees: forests whose cuts are drawn."""

from __future__ import annotations

from typing import Any

from treewright.data.schema import Schema
from treewright.estimators.forest.random_forest import RandomForestClassifier, RandomForestRegressor


class ExtraTreesClassifier(RandomForestClassifier):
    """Extremely randomised trees for classes (Geurts, Ernst and Wehenkel 2006).

    A drop-in replacement for scikit-learn's: change the import. Like a random forest, but for every
    column considered one cut is drawn at random (uniformly between the least and the largest value
    in the node; for a nominal column a subset of values), and the best of these is taken. Every
    tree takes every row unless `bootstrap` or `max_samples` says otherwise.

    Parameters
    ----------
    n_estimators, criterion, max_depth, min_samples_split, min_samples_leaf, \
min_weight_fraction_leaf, max_features, features_per, max_leaf_nodes, min_impurity_decrease, \
ccp_alpha, max_samples, oob_score, stop_when_stable, sampling, vote, nominal, missing, unseen, \
class_weight, cost_matrix, calibrate, monotonic_cst, categorical_features, schema, warm_start, \
random_state, n_jobs, verbose
        As for :class:`RandomForestClassifier`.
    estimator : estimator, optional
        As for :class:`RandomForestClassifier`; must be a :class:`DecisionTreeClassifier`, as the
        classical algorithms search for the best cuts.
    bootstrap : bool
        Whether the rows of a tree are drawn with replacement; not by default.

    Attributes
    ----------
    ensemble_, n_estimators_, estimators_, classes_, n_classes_, n_features_in_, \
feature_names_in_, n_outputs_, feature_importances_
        As for :class:`RandomForestClassifier`; with `oob_score` also the out-of-bag attributes.

    Examples
    --------
    >>> from treewright import ExtraTreesClassifier, load_example
    >>> iris = load_example("iris")
    >>> ExtraTreesClassifier(20).fit(iris.X, iris.y).score(iris.X, iris.y)
    1.0
    """

    _splitter = "random"

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
        bootstrap: bool = False,
        max_samples: Any = None,
        oob_score: Any = False,
        stop_when_stable: Any = None,
        sampling: Any = "all",
        vote: str = "soft",
        nominal: str = "subset",
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
        super().__init__(
            n_estimators,
            criterion=criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            features_per=features_per,
            estimator=estimator,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            ccp_alpha=ccp_alpha,
            bootstrap=bootstrap,
            max_samples=max_samples,
            oob_score=oob_score,
            stop_when_stable=stop_when_stable,
            sampling=sampling,
            vote=vote,
            nominal=nominal,
            missing=missing,
            unseen=unseen,
            class_weight=class_weight,
            cost_matrix=cost_matrix,
            calibrate=calibrate,
            monotonic_cst=monotonic_cst,
            categorical_features=categorical_features,
            schema=schema,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )


class ExtraTreesRegressor(RandomForestRegressor):
    """Extremely randomised trees for regression (Geurts, Ernst and Wehenkel 2006).

    A drop-in replacement for scikit-learn's: change the import. Cuts are drawn as for
    :class:`ExtraTreesClassifier`; the trees' predictions are averaged.

    Parameters
    ----------
    n_estimators, criterion, max_depth, min_samples_split, min_samples_leaf, \
min_weight_fraction_leaf, max_features, features_per, max_leaf_nodes, min_impurity_decrease, \
ccp_alpha, max_samples, oob_score, stop_when_stable, nominal, missing, unseen, monotonic_cst, \
categorical_features, schema, warm_start, random_state, n_jobs, verbose
        As for :class:`RandomForestRegressor`.
    estimator : estimator, optional
        As for :class:`RandomForestRegressor`; must be a :class:`DecisionTreeRegressor`, as the
        classical algorithms search for the best cuts.
    bootstrap : bool
        Whether the rows of a tree are drawn with replacement; not by default.

    Attributes
    ----------
    ensemble_, n_estimators_, estimators_, n_features_in_, feature_names_in_, n_outputs_, \
feature_importances_
        As for :class:`RandomForestRegressor`; with `oob_score` also the out-of-bag attributes.

    Examples
    --------
    >>> from treewright import ExtraTreesRegressor
    >>> X = [[1.0], [2.0], [3.0], [4.0]]
    >>> ExtraTreesRegressor(10).fit(X, [0.0, 0.0, 5.0, 7.0]).predict([[1.0], [4.0]]).tolist()
    [0.0, 7.0]
    """

    _splitter = "random"

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
        bootstrap: bool = False,
        max_samples: Any = None,
        oob_score: Any = False,
        stop_when_stable: Any = None,
        nominal: str = "subset",
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
        super().__init__(
            n_estimators,
            criterion=criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            features_per=features_per,
            estimator=estimator,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            ccp_alpha=ccp_alpha,
            bootstrap=bootstrap,
            max_samples=max_samples,
            oob_score=oob_score,
            stop_when_stable=stop_when_stable,
            nominal=nominal,
            missing=missing,
            unseen=unseen,
            monotonic_cst=monotonic_cst,
            categorical_features=categorical_features,
            schema=schema,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
