"""All estimators of the package, so that a new one is tested wherever all are."""

from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin

import treewright

ESTIMATORS: list[Any] = [
    made
    for name in treewright.__all__
    if isinstance(made := getattr(treewright, name), type) and issubclass(made, BaseEstimator)
]
CLASSIFIERS: list[Any] = [made for made in ESTIMATORS if issubclass(made, ClassifierMixin)]
REGRESSORS: list[Any] = [made for made in ESTIMATORS if made not in CLASSIFIERS]
