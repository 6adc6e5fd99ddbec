"""The ``estimator=`` of a forest: any single tree, whose kind and parameters all its trees have.

The forest decides which rows and columns each tree draws. Everything else is decided by the tree,
so that no parameter is given in two places.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, NoReturn

from sklearn.base import ClassifierMixin

from treewright.errors import ParameterError, UnsupportedError
from treewright.estimators.base import TreeEstimator
from treewright.estimators.rules import C45RulesClassifier

_DRAWS = {"max_features": None, "features_per": "node"}
"""Parameters of the forest about columns, and the defaults that the tree must leave them at."""


def is_tree(estimator: object) -> bool:
    """Return whether an estimator is a single tree that grows and predicts as ours do.

    Rules are none, nor is a subclass with methods of its own, which the trees of an ensemble lack.
    """
    is_ours = isinstance(estimator, TreeEstimator) and not _changed_methods(estimator)
    return is_ours and not isinstance(estimator, C45RulesClassifier)


def _changed_methods(tree: TreeEstimator) -> list[str]:
    """Return the methods that a class of the user's has made anew."""
    names = [name for name in ("fit", "predict", "predict_proba") if hasattr(tree, name)]
    package = __name__.partition(".")[0] + "."
    return [name for name in names if not getattr(type(tree), name).__module__.startswith(package)]


def check_tree(given: object, *, owner: object, others: bool = False) -> TreeEstimator:
    """Refuse anything but a single tree for the task; `others` says that any estimator would do."""
    if not is_tree(given):
        also = ""
        if isinstance(given, C45RulesClassifier):
            also = " C45RulesClassifier answers by rules."
        elif isinstance(given, TreeEstimator):
            changed = " and ".join(_changed_methods(given))
            also = f" {type(given).__name__} has methods of its own: {changed}."
        elif isinstance(given, type):
            also = f" Give an estimator, {given.__name__}(...), not its class."
        other = ", or an estimator of scikit-learn" if others else ""
        _refuse(
            f"estimator={_shown(given)} must be a single tree of Treewright{other}.{also}",
            "estimator=C45Classifier(), CARTRegressor(), M5Regressor(), ...",
        )
    assert isinstance(given, TreeEstimator)
    wants_classes = isinstance(owner, ClassifierMixin)
    if given._is_classifier() != wants_classes:
        kind, other = ("classes", "numbers") if wants_classes else ("numbers", "classes")
        _refuse(
            f"estimator={_shown(given)} predicts {other}, but {type(owner).__name__} predicts"
            f" {kind}.",
            f"estimator={'CARTClassifier' if wants_classes else 'CARTRegressor'}(), or another tree"
            f" for {kind}.",
        )
    return given


def refuse_declarations(owner: Any) -> None:
    """Refuse declarations of columns where the given estimator is not a tree that can use them."""
    for name in ("schema", "categorical_features"):
        if getattr(owner, name) is not None:
            _refuse(
                f"{name} is for trees of Treewright, and {_shown(owner.estimator)} is none.",
                f"{name}=None; the table goes to the estimator as it is.",
            )


def refuse_groups(owner: Any, groups: object) -> None:
    """Refuse groups of rows where the given estimator is not a tree that is drawn rows for."""
    if groups is not None:
        raise UnsupportedError(
            f"{type(owner).__name__} keeps groups together for trees of Treewright, and"
            f" {_shown(owner.estimator)} is none.\n"
            "  Hint: leave groups out; its rows are drawn one by one."
        )


def refuse_twice(forest: Any, base: TreeEstimator, knobs: Sequence[str]) -> None:
    """Refuse parameters of a forest that its `estimator` decides, and the other way round."""
    usual = inspect.signature(type(forest).__init__).parameters
    made = type(base).__name__
    has = base.get_params(deep=False)
    for name in knobs:
        value = getattr(forest, name)
        if name not in _DRAWS and not _same(value, usual[name].default):
            can = f"estimator={made}({name}={value!r})" if name in has else "leave it out"
            _refuse(
                f"{name}={value!r} is not used beside estimator, whose trees it is about.",
                f"{can}.",
            )
    for name, default in _DRAWS.items():
        if name in has and not _same(has[name], default):
            _refuse(
                f"{name}={has[name]!r} of estimator={made}(...) is not used: the forest draws"
                " columns.",
                f"{type(forest).__name__}(estimator=..., {name}={has[name]!r}).",
            )


def given_once(name: str, forest: Any, base: TreeEstimator) -> Any:
    """Return a parameter that may be set in the forest or in its `estimator`, but not in both."""
    mine, theirs = getattr(forest, name, None), getattr(base, name, None)
    if mine is not None and theirs is not None:
        _refuse(
            f"{name} is given both to {type(forest).__name__} and to its estimator.",
            "give it once.",
        )
    return theirs if mine is None else mine


def _same(value: object, default: object) -> bool:
    """Return whether a parameter has its default; arrays and the like never have."""
    simple = str | int | float | bool | None
    return value is default or (
        isinstance(value, simple) and isinstance(default, simple) and value == default
    )


def _shown(given: object) -> str:
    if isinstance(given, type):
        return given.__name__
    return f"{type(given).__name__}(...)" if hasattr(given, "fit") else repr(given)


def _refuse(problem: str, hint: str) -> NoReturn:
    raise ParameterError(f"{problem}\n  Hint: {hint}")
