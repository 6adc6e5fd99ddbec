"""Single trees whose cuts are drawn, under scikit-learn's names and with its defaults."""

from __future__ import annotations

from typing import Any

from treewright.data.schema import Schema
from treewright.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor


class ExtraTreeClassifier(DecisionTreeClassifier):
    """An extremely randomised tree for classes (Geurts, Ernst and Wehenkel 2006).

    A drop-in replacement for scikit-learn's: change the import. In every node some columns are
    drawn, for each of them one cut, and the best of these is taken. Alone it predicts worse than
    :class:`DecisionTreeClassifier`; :class:`ExtraTreesClassifier` is a forest of such trees.

    Parameters
    ----------
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, \
max_leaf_nodes, min_impurity_decrease, class_weight, cost_matrix, calibrate, ccp_alpha, \
monotonic_cst, nominal, missing, unseen, categorical_features, schema, random_state, n_jobs, verbose
        As for :class:`DecisionTreeClassifier`.
    splitter : {"random", "best"}
        Whether cuts are drawn or searched for.
    max_features : int, float, "sqrt", "log2", optional
        Columns drawn for every node.

    Attributes
    ----------
    tree_, classes_, n_classes_, n_features_in_, feature_names_in_, feature_importances_
        As for :class:`DecisionTreeClassifier`.

    Examples
    --------
    >>> from treewright import ExtraTreeClassifier, load_example
    >>> iris = load_example("iris")
    >>> ExtraTreeClassifier(random_state=0).fit(iris.X, iris.y).score(iris.X, iris.y)
    1.0
    """

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        cost_matrix: Any = None,
        calibrate: str | None = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        nominal: str = "subset",
        missing: str = "learned_side",
        unseen: str = "missing",
        categorical_features: Any = None,
        schema: Schema | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            criterion=criterion,
            splitter=splitter,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            random_state=random_state,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            class_weight=class_weight,
            cost_matrix=cost_matrix,
            calibrate=calibrate,
            ccp_alpha=ccp_alpha,
            monotonic_cst=monotonic_cst,
            nominal=nominal,
            missing=missing,
            unseen=unseen,
            categorical_features=categorical_features,
            schema=schema,
            n_jobs=n_jobs,
            verbose=verbose,
        )


class ExtraTreeRegressor(DecisionTreeRegressor):
    """An extremely randomised tree for regression (Geurts, Ernst and Wehenkel 2006).

    A drop-in replacement for scikit-learn's: change the import. Cuts are drawn as for
    :class:`ExtraTreeClassifier`; :class:`ExtraTreesRegressor` is a forest of such trees.

    Parameters
    ----------
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, \
max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst, nominal, missing, unseen, \
categorical_features, schema, random_state, n_jobs, verbose
        As for :class:`DecisionTreeRegressor`.
    splitter : {"random", "best"}
        Whether cuts are drawn or searched for.
    max_features : int, float, "sqrt", "log2", optional
        Columns drawn for every node.

    Attributes
    ----------
    tree_, n_features_in_, feature_names_in_, feature_importances_
        As for :class:`DecisionTreeRegressor`.

    Examples
    --------
    >>> from treewright import ExtraTreeRegressor
    >>> X = [[1.0], [2.0], [3.0], [4.0]]
    >>> ExtraTreeRegressor(random_state=0).fit(X, [0.0, 0.0, 5.0, 7.0]).predict(X).tolist()
    [0.0, 0.0, 5.0, 7.0]
    """

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        random_state: Any = None,
        min_impurity_decrease: float = 0.0,
        max_leaf_nodes: int | None = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        nominal: str = "subset",
        missing: str = "learned_side",
        unseen: str = "missing",
        categorical_features: Any = None,
        schema: Schema | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            criterion=criterion,
            splitter=splitter,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            random_state=random_state,
            min_impurity_decrease=min_impurity_decrease,
            max_leaf_nodes=max_leaf_nodes,
            ccp_alpha=ccp_alpha,
            monotonic_cst=monotonic_cst,
            nominal=nominal,
            missing=missing,
            unseen=unseen,
            categorical_features=categorical_features,
            schema=schema,
            n_jobs=n_jobs,
            verbose=verbose,
        )
