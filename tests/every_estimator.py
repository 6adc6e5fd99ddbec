"""All estimators that predict, so that a new one is tested wherever all are."""

from typing import Any

from sklearn.base import ClassifierMixin, RegressorMixin

import treewright

ESTIMATORS: list[Any] = [
    made
    for name in treewright.__all__
    if isinstance(made := getattr(treewright, name), type)
    and issubclass(made, ClassifierMixin | RegressorMixin)
]
CLASSIFIERS: list[Any] = [made for made in ESTIMATORS if issubclass(made, ClassifierMixin)]
REGRESSORS: list[Any] = [made for made in ESTIMATORS if made not in CLASSIFIERS]
