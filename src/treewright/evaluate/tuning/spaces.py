"""What is worth trying for each of our estimators, so that nobody must write a grid.

Ranges follow what tuning was found to pay for: the size of leaves and pruning of single trees
(Mantovani et al. 2018, *An empirical study on hyperparameter tuning of decision trees*), columns
per question, rows per tree and size of leaves of forests (Probst, Wright and Boulesteix 2019,
*Hyperparameters and tuning strategies for random forest*), learning rate, leaves and
regularisation of boosting (Probst, Boulesteix and Bischl 2019, *Tunability*, JMLR 20).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treewright.errors import ParameterError
from treewright.evaluate.tuning.candidates import Range, Space, check_space
from treewright.parameters import nearest_hint
from treewright.text.names import list_names

_LEAF = Range(low=1, high=50, log=True)
_SMALL_LEAF = Range(low=1, high=20, log=True)
_SHARE_OF_COLUMNS = ["sqrt", "log2", 0.2, 0.35, 0.5, 0.75, 1.0]

_TREE: Space = {
    "min_samples_leaf": _LEAF,
    "max_depth": [3, 4, 5, 6, 8, 10, 14],
    "ccp_alpha": Range(low=1e-4, high=3e-2, log=True),
}
_CART: Space = {
    "min_samples_leaf": _LEAF,
    "min_samples_split": Range(low=2, high=60, log=True),
    "max_depth": [3, 4, 5, 6, 8, 12],
    "cp": Range(low=1e-4, high=0.1, log=True),
}
_CHAID: Space = {
    "alpha_merge": Range(low=0.005, high=0.3, log=True),
    "alpha_split": Range(low=0.001, high=0.3, log=True),
    "min_samples_leaf": _LEAF,
    "min_samples_split": Range(low=4, high=80, log=True),
    "n_bins": [5, 10, 20, 40],
    "exhaustive": [True, False],
}
_C45: Space = {
    "confidence": Range(low=0.01, high=0.5, log=True),
    "min_cases": Range(low=1, high=30, log=True),
}
_OBLIQUE: Space = {
    "min_samples_leaf": _LEAF,
    "max_depth": [3, 4, 5, 6, 8, 12],
    "min_impurity_decrease": Range(low=1e-5, high=1e-2, log=True),
}
_FOREST: Space = {
    "max_features": _SHARE_OF_COLUMNS,
    "min_samples_leaf": _SMALL_LEAF,
    "max_samples": Range(low=0.4, high=1.0),
}
_EXTRA: Space = {
    "max_features": _SHARE_OF_COLUMNS,
    "min_samples_leaf": _SMALL_LEAF,
    "min_samples_split": Range(low=2, high=20, log=True),
    "bootstrap": [True, False],
}
_BAGGING: Space = {
    "n_estimators": [10, 30, 100],
    "max_samples": Range(low=0.3, high=1.0),
    "max_features": Range(low=0.3, high=1.0),
}
_ADABOOST: Space = {
    "n_estimators": Range(low=20, high=400, log=True),
    "learning_rate": Range(low=0.05, high=2.0, log=True),
    "estimator__max_depth": [1, 2, 3, 4, 6],
    "estimator__min_samples_leaf": _SMALL_LEAF,
}
_BOOSTING: Space = {
    "learning_rate": Range(low=0.02, high=0.3, log=True),
    "max_leaf_nodes": Range(low=4, high=63, log=True),
    "min_samples_leaf": _LEAF,
    "l2_regularization": Range(low=0.01, high=30.0, log=True),
    "max_features": Range(low=0.3, high=1.0),
    "subsample": Range(low=0.5, high=1.0),
}
_HIST_BOOSTING: Space = {
    "learning_rate": Range(low=0.02, high=0.3, log=True),
    "max_iter": Range(low=50, high=500, log=True),
    "max_leaf_nodes": Range(low=4, high=63, log=True),
    "min_samples_leaf": Range(low=2, high=60, log=True),
    "l2_regularization": Range(low=0.01, high=30.0, log=True),
    "max_features": Range(low=0.3, high=1.0),
}

SPACES: dict[str, Space] = {
    "DecisionTreeClassifier": {"criterion": ["gini", "entropy"], **_TREE},
    "DecisionTreeRegressor": {
        "min_samples_leaf": _LEAF,
        "max_depth": [3, 4, 5, 6, 8, 10, 14],
        "min_samples_split": Range(low=2, high=60, log=True),
    },
    "ExtraTreeClassifier": {"criterion": ["gini", "entropy"], **_TREE},
    "ExtraTreeRegressor": {"min_samples_leaf": _LEAF, "max_depth": [3, 4, 6, 8, 12]},
    "IncrementalTreeClassifier": {"criterion": ["gini", "entropy"], **_TREE},
    "ID3Classifier": {"criterion": ["gain", "gain_ratio"], "max_depth": [2, 3, 4, 5, 6, 8]},
    "C45Classifier": {**_C45, "raising": [True, False], "mdl_penalty": [True, False]},
    "C45RulesClassifier": _C45,
    "CARTClassifier": {"criterion": ["gini", "entropy"], **_CART},
    "CARTRegressor": _CART,
    "CHAIDClassifier": _CHAID,
    "CHAIDRegressor": _CHAID,
    "M5Regressor": {
        "min_cases": Range(low=2, high=40, log=True),
        "min_deviation": Range(low=0.01, high=0.2, log=True),
        "smoothing": [0.0, 5.0, 15.0, 40.0],
        "prune": [True, False],
    },
    "ObliqueTreeClassifier": _OBLIQUE,
    "ObliqueTreeRegressor": _OBLIQUE,
    "RandomForestClassifier": {"criterion": ["gini", "entropy"], **_FOREST},
    "RandomForestRegressor": _FOREST,
    "ExtraTreesClassifier": {"criterion": ["gini", "entropy"], **_EXTRA},
    "ExtraTreesRegressor": _EXTRA,
    "BaggingClassifier": _BAGGING,
    "BaggingRegressor": _BAGGING,
    "AdaBoostClassifier": _ADABOOST,
    "AdaBoostRegressor": {**_ADABOOST, "loss": ["linear", "square", "exponential"]},
    "GradientBoostingClassifier": _BOOSTING,
    "GradientBoostingRegressor": _BOOSTING,
    "HistGradientBoostingClassifier": _HIST_BOOSTING,
    "HistGradientBoostingRegressor": _HIST_BOOSTING,
}
"""By the name of the class. A parameter of a part that a learner does not have is left out."""


def space_of(learner: Any, space: Space | None, fixed: Sequence[str] = ()) -> Space:
    """Return what is tried for a learner: the space given, or the one that is known for its class.

    Parameters
    ----------
    learner, space
        As for :func:`tune`.
    fixed
        Parameters that stay as the learner has them.

    Examples
    --------
    >>> from treewright import C45Classifier
    >>> list(space_of(C45Classifier(), None))
    ['confidence', 'min_cases', 'raising', 'mdl_penalty']
    """
    name = type(learner).__name__
    has = learner.get_params(deep=True)
    for parameter in fixed:
        if parameter not in has:
            raise ParameterError(
                f"fixed has {parameter!r}, which is no parameter of {name}."
                f"{nearest_hint(parameter, has)}"
            )
    if space is None:
        space = _known_space(learner, name)
    tried = {
        parameter: values
        for parameter, values in check_space(space, learner, name=name).items()
        if parameter not in fixed
    }
    if not tried:
        raise ParameterError(
            f"fixed leaves nothing to try for {name}: its space has {list_names([*space])}.\n"
            "  Hint: fix fewer parameters, or space= with others."
        )
    return tried


def _known_space(learner: Any, name: str) -> Space:
    """Return what is known to pay for a learner of ours."""
    is_ours = type(learner).__module__.partition(".")[0] == "treewright"
    if not is_ours or name not in SPACES:
        raise ParameterError(
            f"space is not known for {name}: say what to try.\n"
            f"  Known: {list_names(SPACES)}.\n  Hint: space={{'parameter': [1, 2, 3]}}."
        )
    has = learner.get_params(deep=True)
    return {parameter: values for parameter, values in SPACES[name].items() if parameter in has}
