"""Calls that no estimator can answer, and what to write instead.

Unknown parameters, a class in the place of an estimator, and attributes that are not there (yet):
Python's own words name the mistake but not the way out.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, Self

from treewright.errors import ParameterError, UnknownParameterError
from treewright.other_names import GONE, PARAMETERS, TABLE_AND_TARGET, WORDS_OF_FIT
from treewright.parameters import nearest_hint
from treewright.state.pickled_whole import PickledWhole
from treewright.text.names import list_names

_OF_A_TREE = ("dnf", "draw_regions", "get_depth", "get_n_leaves", "rules", "text", "tree_", "why")

_WAYS = {
    "coef_": "feature_importances_, or importances()",
    "export": "treewright.export.python(model), treewright.export.sql(model) and others",
    "fit_transform": "predict(X); TreeFeatures makes columns of trees",
    "oob_decision_function_": "{own}(oob_score=True).fit(X, y)",
    "oob_prediction_": "{own}(oob_score=True).fit(X, y)",
    "oob_score_": "{own}(oob_score=True).fit(X, y)",
    "decision_function": "predict_proba(X)",
    "partial_fit": "treewright.IncrementalTreeClassifier learns classes from rows as they come",
    "plot": "draw()",
    "predict_interval": "predict_set(X)",
    "predict_set": "predict_interval(X)",
    "print": "text()",
    "save": "treewright.save(model, 'model.tw')",
    "transform": "predict(X); TreeFeatures makes columns of trees",
}
"""Attributes that are looked for in vain, and what there is instead."""


class RefusesMistakes(PickledWhole):
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
        for name in params:
            outer, is_inner, _ = name.partition("__")
            if is_inner and outer in known and params.get(outer, getattr(self, outer)) is None:
                raise ParameterError(
                    f"{outer} is None, and has no parameters for {name} to be set.\n"
                    f"  Hint: {type(self).__name__}({outer}=...), as DecisionTreeClassifier()."
                )
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
        raise _NoAttributeError(self, name)


_OF_OTHER_KINDS = {
    "fit_predict",
    "fit_transform",
    "inverse_transform",
    "score_samples",
    "transform",
}
"""Methods of scikit-learn's other kinds of estimators: spelt right, so that none is meant near."""


class _NoAttributeError(AttributeError):
    """Says what to use in place of an attribute, when it is asked to: `hasattr` never asks."""

    __module__, __qualname__ = "builtins", "AttributeError"  # what a traceback calls it

    def __init__(self, owner: object, name: str) -> None:
        super().__init__(name=name)  # without obj: Python would add a second hint
        self._owner = owner

    def __str__(self) -> str:
        own, name = type(self._owner).__name__, str(self.name)
        return f"{own!r} object has no attribute {name!r}{_instead_of(self._owner, name)}"

    def __reduce__(self) -> Any:
        return AttributeError, (str(self),)


def _instead_of(owner: object, name: str) -> str:
    """Return why an attribute is not there, and a hint at what is."""
    own = type(owner).__name__
    if name.startswith("_"):
        return ""
    if name.startswith("predict_") and name.endswith("proba"):
        return ": it predicts numbers, not classes.\n  Hint: predict(X); or a classifier."
    if not _is_fitted(owner) and name.endswith("_"):
        return f": it is not fitted yet.\n  Hint: {own}(...).fit(X, y)."
    names = {each for kind in type(owner).__mro__ for each in vars(kind)} | set(vars(owner))
    if name in _OF_A_TREE and "ensemble_" in names:
        return ": it has many trees.\n  Hint: model.ensemble_[0] is the first of them."
    if name == "estimators_" and "tree_" in names:
        return ": it is a single tree.\n  Hint: tree_."
    if name.startswith("staged_"):
        return ": it does not learn in stages, as AdaBoost and boosting do."
    way = _WAYS.get(name, "").format(own=own)
    if way and (way.startswith((own, "treewright")) or re.split(r"\W", way)[0] in names):
        return f".\n  Hint: {way}."
    if name in _OF_OTHER_KINDS:
        return ""
    near = nearest_hint(name, [each for each in names if not each.startswith("_")])
    return f".{near}" if near else ""


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
        if not is_open:
            refuse_words_of_fit(given[0], [name for name in named if name not in known])
        return fit(*given, **named)

    known = inspect.signature(fit).parameters
    is_open = any(each.kind is each.VAR_KEYWORD for each in known.values())
    return checked


def refuse_words_of_fit(estimator: object, unknown: Iterable[str]) -> None:
    """Refuse keywords that `fit` has not; for those of other libraries say what is written here."""
    own = type(estimator).__name__
    for name in unknown:
        if name in WORDS_OF_FIT:
            where = _said_here(type(estimator), WORDS_OF_FIT[name])
            raise ParameterError(f"{own}.fit has no {name}=.\n  Hint: {where}.")
        message = f"{own}.fit() got an unexpected keyword argument {name!r}"
        if name in TABLE_AND_TARGET:
            message += ".\n  Hint: fit(X, y), the columns and the target apart."
        parameters = _parameters(type(estimator))
        for ours in (name, *PARAMETERS.get(name, ())):
            if ours in parameters:
                message += f".\n  Hint: it is a parameter of the estimator, {own}({ours}=...)."
                break
        raise TypeError(message)


def _said_here(own: Any, where: str) -> str:
    """Return where the same is said: by another estimator, if this one has not what it takes."""
    has = {*_parameters(own), *inspect.signature(own.fit).parameters}
    if has.issuperset(re.findall(r"(\w+)=", where)):
        return where.format(owner=own.__name__)
    task = "Regressor" if own.__name__.endswith("Regressor") else "Classifier"
    other = f"GradientBoosting{task}"
    return f"{other} has it: {where.format(owner=other)}"


def _way_out(own: type, name: str, known: list[str]) -> str:
    """Return a hint: our name of the parameter, the nearest one, or the estimators that have it."""
    if name in GONE:
        return f"\n  Hint: {GONE[name]}."
    for ours in PARAMETERS.get(name, ()):
        if ours in known:
            return f"\n  Hint: here it is called {ours!r}."
    near = nearest_hint(name, known)
    if near:
        return near
    wanted = (name, *PARAMETERS.get(name, ()))
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
