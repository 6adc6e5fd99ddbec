"""Members of a stack or a vote: checked, fitted and asked alike, of whatever library."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import _check_method_params

from treewright.array_types import Array, Int64Array
from treewright.data.read.table import read_frame
from treewright.errors import (
    DataError,
    MemberError,
    ParameterError,
    UnknownParameterError,
)
from treewright.estimators.combine.rows import Rows, is_ours, learns_names, table_for
from treewright.evaluate.trial.learners import fit_parameter, open_parameters
from treewright.text.names import list_names

DROP = "drop"


@dataclass(frozen=True, kw_only=True, eq=False)
class Member:
    """A learner under its name, and the method by which it is asked out of fold."""

    name: str
    estimator: Any
    method: str = "predict"

    @property
    def shown(self) -> str:
        """The member as messages call it."""
        return f"member {self.name!r} ({type(self.estimator).__name__})"

    def fit(
        self,
        rows: Rows,
        part: Int64Array | None,
        passed: Mapping[str, Any],
        *,
        where: str = "",
        seed: int | None = None,
        n_threads: int | None = None,
    ) -> Any:
        """Return a clone fitted to some rows (None: all)."""
        model = clone(self.estimator)
        if seed is not None or n_threads is not None:
            open_parameters(model).settle(model, seed=seed, n_threads=n_threads)
        X, y = rows.part(self.estimator, part)
        beside = _check_method_params(rows.target, params=dict(passed), indices=part)
        with tells_member(self, f"could not be fitted{where}", X):
            model.fit(X, y, **beside)
        return model

    def answers(self, model: Any, X: Any, classes: Array | None) -> Array:
        """Return what a fitted clone answers by the member's method, about a table it can read."""
        with tells_member(self, "could not answer", X):
            found = getattr(model, self.method)(X)
        if classes is None or is_regressor(self.estimator):
            return np.asarray(found)
        if self.method == "predict":
            return codes_of(found, classes) if learns_names(self.estimator) else np.asarray(found)
        return self._in_order(np.asarray(found), model, classes)

    def _in_order(self, found: Array, model: Any, classes: Array) -> Array:
        """Return columns in the order of all classes; a model may not know some."""
        known = getattr(model, "classes_", None)
        if known is None:
            return found
        places = class_places(known, classes, by_name=learns_names(self.estimator))
        if len(places) == len(classes) and (places == np.arange(len(places))).all():
            return found
        if self.method == "decision_function" and (found.ndim == 1 or len(classes) == 2):
            raise DataError(
                f"{self.shown} learned {len(places)} of {len(classes)} classes from the other"
                " folds, and its decision function then has other columns.\n"
                "  Hint: fewer folds, cv=2; or leave out classes of so few rows."
            )
        # As scikit-learn: a class that the model has not seen is as unlikely as can be.
        least = 0.0 if self.method == "predict_proba" else np.finfo(found.dtype).min
        full = np.full((len(found), len(classes)), least, dtype=found.dtype)
        full[:, places] = found
        return full


def class_places(known: Array, classes: Array, *, by_name: bool) -> Int64Array:
    """Return the position of each class that a model knows, by name or code, among all."""
    if not by_name:
        return np.asarray(known).astype(np.int64)
    position = {label: i for i, label in enumerate(classes.tolist())}
    return np.array([position[label] for label in np.asarray(known).tolist()], dtype=np.int64)


def codes_of(labels: Any, classes: Array) -> Int64Array:
    """Return the code of each label."""
    position = {label: i for i, label in enumerate(classes.tolist())}
    return np.array([position[label] for label in np.asarray(labels).tolist()], dtype=np.int64)


def members_of(owner: Any) -> list[Member]:
    """Return the members that an ensemble is made of; refuse what cannot be one.

    Dropped ones are left out.
    """
    given, own = owner.estimators, type(owner).__name__
    if isinstance(given, Mapping):
        given = list(given.items())
    pairs = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else []
    if not pairs or not all(_is_pair(each) for each in pairs):
        raise ParameterError(
            f"Invalid 'estimators' attribute, 'estimators' should be a non-empty list of (string,"
            f" estimator) tuples; {own} got {_shown(owner.estimators)}.\n"
            f"  Hint: {own}([('forest', RandomForest...()), ('linear', ...)])."
        )
    names = [name for name, _ in pairs]
    _check_names(names, owner)
    kept = [Member(name=name, estimator=each) for name, each in pairs if not is_dropped(each)]
    if not kept:
        raise ParameterError(
            "All estimators are dropped. At least one is required to be an estimator.\n"
            f"  Hint: set_params({names[0]}=...) gives one back."
        )
    for member in kept:
        if isinstance(member.estimator, type) or not hasattr(member.estimator, "fit"):
            called = getattr(member.estimator, "__name__", "")
            hint = f"{called}(), with brackets." if called else "an estimator, or 'drop'."
            raise ParameterError(
                f"member {member.name!r} is {_shown(member.estimator)}, no estimator.\n"
                f"  Hint: {hint}"
            )
    return kept


def check_task(members: Sequence[Member], *, of_classes: bool, owner: str) -> None:
    """Refuse members for the other task."""
    fits = is_classifier if of_classes else is_regressor
    task, other = ("classifier", "numbers") if of_classes else ("regressor", "classes")
    for member in members:
        if not fits(member.estimator):
            made = type(member.estimator).__name__
            raise ParameterError(
                f"The estimator {made} should be a {task}: member {member.name!r} of {owner}"
                f" predicts {other}.\n  Hint: {_namesake(made, task)}."
            )


def is_dropped(given: Any) -> bool:
    """Return whether a member is left out."""
    return isinstance(given, str) and given == DROP


def passed_to(
    members: Sequence[Member], rows: Rows, routed: Mapping[str, Mapping[str, Any]] | None
) -> dict[str, dict[str, Any]]:
    """Return what else the ``fit`` of each member is given: weights and groups, or what is routed.

    Parameters
    ----------
    routed
        By scikit-learn's metadata routing; None where it is not enabled.
    """
    if routed is not None:
        return {member.name: dict(routed[member.name]) for member in members}
    passed: dict[str, dict[str, Any]] = {}
    for member in members:
        passed[member.name] = own = {}
        if rows.sample_weight is not None:
            own[_weights_name(member)] = rows.sample_weight
        if rows.groups is not None and (name := fit_parameter(member.estimator, "groups")):
            own[name] = rows.groups
    return passed


def consumes(owner: Any, name: str) -> bool:
    """Return whether a member has asked for metadata, with scikit-learn's metadata routing."""
    found = get_routing_for_object(owner)
    members = [route.router for _, route in found]
    return any(name in member.consumes("fit", [name]) for member in members)


def _weights_name(member: Member) -> str:
    name = fit_parameter(member.estimator, "sample_weight")
    if name is None:
        taken = inspect.signature(member.estimator.fit).parameters.values()
        if any(each.kind is each.VAR_KEYWORD for each in taken):
            return "sample_weight"  # scikit-learn's own stacks and votes pass it on
        raise UnknownParameterError(
            f"Underlying estimator {type(member.estimator).__name__} does not support sample"
            f" weights. The fit of {member.shown} has no sample_weight.\n"
            f"  Hint: leave sample_weight out, or set_params({member.name}='drop')."
        )
    return name


@contextmanager
def tells_member(member: Member, what: str, X: Any) -> Iterator[None]:
    """Say of an exception which member raised it, and of a table it cannot take which column."""
    try:
        yield
    except (MemberError, MemoryError, Warning):
        raise
    except Exception as problem:
        text = str(problem).strip()
        column = None if is_ours(member.estimator) else _hard_column(X, text)
        if column is not None:
            raise MemberError(
                f"{member.shown} cannot take {column}\n  It said: {text}"
            ) from problem
        raise MemberError(f"{member.shown} {what}: {type(problem).__name__}: {text}") from problem


def _hard_column(X: Any, text: str) -> str | None:
    """Return which column another library could not take, by what it said; None if none of them."""
    words = text.lower()
    of_text = any(each in words for each in ("convert", "string", "str", "object", "text"))
    of_gaps = any(each in words for each in ("nan", "missing", "none"))
    if not (of_text or of_gaps):
        return None
    try:
        frame = read_frame(X)
    except DataError:
        return None
    for name in frame.columns:
        column = frame.column(name)
        if of_text and column.storage == "value":
            return (
                f"column {name!r}, which holds text.\n  Hint: encode it before,"
                " make_pipeline(make_column_transformer((OneHotEncoder(), [...]),"
                " remainder='passthrough'), ...); learners of Treewright take it as it is."
            )
        if of_gaps and column.missing.any():
            return (
                f"column {name!r}, which has gaps.\n  Hint: make_pipeline(SimpleImputer(), ...);"
                " learners of Treewright take them as they are."
            )
    return None


def asked(members: Sequence[Member], models: Sequence[Any], X: Any, classes: Any) -> list[Array]:
    """Return what fitted members answer about a table of any kind."""
    known: dict[bool, Any] = {}
    answers = []
    for member, model in zip(members, models, strict=True):
        ours = is_ours(member.estimator)
        if ours not in known:
            known[ours] = table_for(member.estimator, X)
        answers.append(member.answers(model, known[ours], classes))
    return answers


def _check_names(names: list[str], owner: Any) -> None:
    own = type(owner).__name__
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise ParameterError(
            f"Names provided are not unique: {own} has {names.count(twice[0])} members called"
            f" {twice[0]!r}.\n  Hint: every member has a name of its own."
        )
    parameters = owner.get_params(deep=False)
    wrong = [name for name in names if name in parameters]
    if wrong:
        raise ParameterError(
            f"Estimator names conflict with constructor arguments: {wrong!r}.\n"
            f"  Hint: call the member otherwise; {wrong[0]!r} is a parameter of {own}."
        )
    wrong = [name for name in names if "__" in name]
    if wrong:
        raise ParameterError(
            f"Estimator names must not contain __: got {wrong!r}.\n"
            "  Hint: two underscores stand before a parameter of a member."
        )


def _is_pair(each: Any) -> bool:
    return isinstance(each, tuple | list) and len(each) == 2 and isinstance(each[0], str)


def _namesake(name: str, task: str) -> str:
    other = "Regressor" if task == "classifier" else "Classifier"
    wanted = task.capitalize()
    return f"{name.removesuffix(other)}{wanted}()" if name.endswith(other) else f"a {task}"


def _shown(given: Any) -> str:
    if isinstance(given, type):
        return f"the class {given.__name__}"
    if isinstance(given, list | tuple):
        return f"[{list_names(map(repr, given), most=2)}]"
    return repr(given)
