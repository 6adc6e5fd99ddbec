"""Calls that no estimator can answer, and what to write instead.

Unknown parameters, a class in the place of an estimator, and attributes that are not there (yet):
Python's own words name the mistake but not the way out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Self

from treewright.errors import ParameterError, UnknownParameterError
from treewright.parameters import nearest_hint
from treewright.text.names import list_names

_ELSEWHERE = {
    "bagging_fraction": ("subsample", "max_samples"),
    "border_count": ("max_bins",),
    "cat_features": ("categorical_features",),
    "categorical_feature": ("categorical_features",),
    "colsample_bylevel": ("max_features",),
    "colsample_bynode": ("max_features",),
    "colsample_bytree": ("features_per_tree", "max_features"),
    "depth": ("max_depth",),
    "eta": ("learning_rate",),
    "feature_fraction": ("features_per_tree", "max_features"),
    "gamma": ("min_gain", "min_impurity_decrease"),
    "iterations": ("n_estimators", "max_iter"),
    "l2_leaf_reg": ("l2_regularization",),
    "lambda_l2": ("l2_regularization",),
    "loss_function": ("loss", "criterion"),
    "max_bin": ("max_bins",),
    "max_leaves": ("max_leaf_nodes",),
    "min_child_samples": ("min_samples_leaf", "min_cases"),
    "min_child_weight": ("min_hessian", "min_samples_leaf"),
    "min_data_in_leaf": ("min_samples_leaf", "min_cases"),
    "min_split_gain": ("min_gain", "min_impurity_decrease"),
    "mtry": ("max_features",),
    "n_trees": ("n_estimators", "max_iter"),
    "nthread": ("n_jobs",),
    "ntree": ("n_estimators", "max_iter"),
    "num_boost_round": ("n_estimators", "max_iter"),
    "num_leaves": ("max_leaf_nodes",),
    "num_threads": ("n_jobs",),
    "objective": ("loss", "criterion"),
    "reg_lambda": ("l2_regularization",),
    "seed": ("random_state",),
    "thread_count": ("n_jobs",),
    "verbosity": ("verbose",),
}
"""Names in XGBoost, LightGBM, CatBoost and R, and ours for the same, the closest first."""


class RefusesMistakes:
    """Names the way out of calls that cannot be answered; a base of all estimators."""

    _get_param_names: Any

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        if "__init__" in vars(cls):
            cls.__init__ = _knows_parameters(cls.__init__)  # type: ignore[method-assign]
        if "fit" in vars(cls):
            cls.fit = _needs_an_estimator(vars(cls)["fit"])  # type: ignore[attr-defined]

    def set_params(self, **params: Any) -> Self:
        """Set parameters, as scikit-learn does; those of an `estimator` as ``estimator__name``."""
        known = self._get_param_names()
        unknown = [name for name in params if "__" not in name and name not in known]
        try:
            changed: Self = super().set_params(**params)  # type: ignore[misc]
        except ValueError as error:
            if not unknown:
                raise
            raise ParameterError(f"{error}{_way_out(type(self), unknown[0], known)}") from None
        return changed

    def __getattr__(self, name: str) -> Any:
        """Raise an AttributeError that says why the attribute is not there."""
        if hasattr(type(self), name):  # a property raised it, and says why itself
            return object.__getattribute__(self, name)
        own = type(self).__name__
        message = f"{own!r} object has no attribute {name!r}"
        if name.startswith("predict_") and name.endswith("proba"):
            message += ": it predicts numbers, not classes.\n  Hint: predict(X); or a classifier."
        elif name.endswith("_") and not name.startswith("_") and not _is_fitted(self):
            message += f": it is not fitted yet.\n  Hint: {own}(...).fit(X, y)."
        raise AttributeError(message, name=name, obj=self)


def _is_fitted(estimator: object) -> bool:
    return any(name.endswith("_") and not name.startswith("__") for name in vars(estimator))


def _knows_parameters(init: Any) -> Any:
    """Return a constructor that refuses parameters it does not have, with a hint."""

    @wraps(init)
    def __init__(self: Any, *given: Any, **named: Any) -> None:
        try:
            init(self, *given, **named)
        except TypeError as error:
            known = list(inspect.signature(init).parameters)[1:]
            unknown = [name for name in named if name not in known]
            own = type(self).__name__
            if unknown:
                hint = _way_out(type(self), unknown[0], known)
                raise UnknownParameterError(
                    f"{own} has no parameter {unknown[0]!r}.{hint}"
                ) from None
            if given and "positional" in str(error):
                raise UnknownParameterError(
                    f"{error}.\n  Hint: give parameters by name, {own}({known[0]}=...)."
                ) from None
            raise

    return __init__


def _needs_an_estimator(fit: Callable[..., Any]) -> Any:
    """Return a `fit` that refuses to be called on a class."""

    @wraps(fit)
    def checked(*given: Any, **named: Any) -> Any:
        if not given or not isinstance(given[0], RefusesMistakes):
            raise ParameterError(
                "fit was called on the class of an estimator, not on an estimator.\n"
                "  Hint: write brackets after its name, as in DecisionTreeClassifier().fit(X, y)."
            )
        return fit(*given, **named)

    return checked


def _way_out(own: type, name: str, known: list[str]) -> str:
    """Return a hint: our name of the parameter, the nearest one, or the estimators that have it."""
    for ours in _ELSEWHERE.get(name, ()):
        if ours in known:
            return f"\n  Hint: here it is called {ours!r}."
    near = nearest_hint(name, known)
    if near:
        return near
    wanted = (name, *_ELSEWHERE.get(name, ()))
    others = [each for each in _public(RefusesMistakes) if set(wanted) & set(_parameters(each))]
    task = own.__name__[-9:]  # "Regressor", or the end of "Classifier"
    others = [each for each in others if each.__name__.endswith(task)] or others
    if others:
        return f"\n  Hint: {list_names(sorted({each.__name__ for each in others}))} have it."
    return f"\n  Parameters: {list_names(known, most=60)}"


def _public(base: type) -> Iterator[type]:
    each: type
    for each in base.__subclasses__():
        if not each.__name__.startswith("_") and "__init__" in vars(each):
            yield each
        yield from _public(each)


def _parameters(estimator: type) -> list[str]:
    return list(inspect.signature(estimator).parameters)
