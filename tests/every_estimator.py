"""All estimators that predict, so that a new one is tested wherever all are."""

from functools import partial
from typing import Any

from sklearn.base import ClassifierMixin, RegressorMixin

import treewright
from treewright import Tree

N_TREES = 3
COMBINED = ("StackingClassifier", "StackingRegressor", "VotingClassifier", "VotingRegressor")
"""Made of other learners, whose trees they are no model of; tests/unit/estimators/combine and
scikit-learn's checks are about them."""
_NUMBERS_OF_TREES = ("n_estimators", "max_iter")


def _small(made: Any) -> Any:
    """Return what makes the estimator; of ensembles a small one, for the sake of time."""
    n_trees = next((name for name in _NUMBERS_OF_TREES if name in made().get_params()), None)
    if n_trees is None:
        return made
    small = partial(made, **{n_trees: N_TREES})
    if made.__name__.startswith("Hist"):  # whose leaves need 20 rows, as scikit-learn's do
        small = partial(small, min_samples_leaf=1)
    small.__name__ = made.__name__  # type: ignore[attr-defined]
    return small


_CLASSES = [
    made
    for name in treewright.__all__
    if name not in COMBINED
    and isinstance(made := getattr(treewright, name), type)
    and issubclass(made, ClassifierMixin | RegressorMixin)
]
CLASSIFIERS: list[Any] = [_small(made) for made in _CLASSES if issubclass(made, ClassifierMixin)]
REGRESSORS: list[Any] = [_small(made) for made in _CLASSES if not issubclass(made, ClassifierMixin)]
ESTIMATORS: list[Any] = CLASSIFIERS + REGRESSORS
ENSEMBLES: list[Any] = [made for made in ESTIMATORS if isinstance(made, partial)]
SINGLE_MODELS: list[Any] = [made for made in ESTIMATORS if made not in ENSEMBLES]


def trees_of(model: Any) -> list[Tree]:
    """Return the trees that a model answers by."""
    return [model.tree_] if hasattr(model, "tree_") else list(model.ensemble_)
