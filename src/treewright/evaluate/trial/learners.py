"""Learners: anything that can be judged, made to answer alike.

An estimator of ours or of scikit-learn's kind (a pipeline, another library's) is cloned and fitted
for every fold; a fitted model without a ``fit`` (a tree, a rule set) and a constant answer as they
are.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.pipeline import Pipeline

from treewright.array_types import Array, FloatArray
from treewright.errors import DataError, ParameterError
from treewright.evaluate.metrics import Task
from treewright.evaluate.trial.answers import (
    Answers,
    as_target,
    check_probabilities,
)
from treewright.evaluate.trial.task_data import TaskData
from treewright.parameters import is_number

_PARAMETERS_IN_A_NAME = 3
_KNOW_THEIR_PLACE = ("sklearn", "treewright")
"""Libraries whose ``n_jobs=None`` is one thread inside a worker; others take all processors."""
_UNCHANGING = (type(None), bool, int, float, str)
_BARE = (["base"], ["utils"])  # what estimators of all libraries derive from


@dataclass(frozen=True, kw_only=True, eq=False)
class Learner:
    """A learner with the name that results call it by.

    Parameters
    ----------
    name
        Unique among the learners of one result.
    model
        An estimator, a fitted model, or a constant answer.
    is_fitted
        Whether it answers without being fitted.
    """

    name: str
    model: Any
    is_fitted: bool = False

    def fit(self, data: TaskData, rows: Array, *, seed: int, n_threads: int | None) -> Any:
        """Return a model fitted to some rows; the learner itself stays as it is.

        Where the learner draws without a seed of its own it gets one, so that results repeat;
        where the number of its threads is open, it gets its share of them.
        """
        if self.is_fitted:
            return self.model
        model = self._copy()
        self._open.settle(model, seed=seed, n_threads=n_threads)
        passed = {
            name: values[rows]
            for values, wanted in ((data.weights, "sample_weight"), (data.groups, "groups"))
            if values is not None and (name := fit_parameter(model, wanted)) is not None
        }
        X = data.table_of(rows, may_share=self._leaves_tables_alone)
        y = data.target_of(rows, may_share=self._leaves_tables_alone)
        return model.fit(X, y, **passed)

    def _copy(self) -> Any:
        """Return an unfitted estimator with the same parameters."""
        if self._plain_parameters is None:
            return clone(self.model, safe=hasattr(self.model, "get_params"))
        return type(self.model)(**self._plain_parameters)

    @cached_property
    def _plain_parameters(self) -> dict[str, Any] | None:
        """Parameters of a learner of ours that has nothing else, none of which can change; or None.

        Asking for them, and copying them one by one, for every fit took as long as a small
        prediction.
        """
        if not type(self.model).__module__.startswith("treewright."):
            return None
        parameters: dict[str, Any] = self.model.get_params(deep=False)
        is_plain = all(type(each) in _UNCHANGING for each in parameters.values())
        return parameters if is_plain and vars(self.model).keys() == parameters.keys() else None

    @cached_property
    def _open(self) -> Open:
        return open_parameters(self.model)

    @cached_property
    def _leaves_tables_alone(self) -> bool:
        """Whether others may be given the same table; of ours, without foreign parts, it is so."""
        parts = self.model.get_params(deep=True) if hasattr(self.model, "get_params") else {}
        has_parts = any(hasattr(value, "fit") for value in parts.values())
        return type(self.model).__module__.startswith("treewright.") and not has_parts

    def check(self, data: TaskData) -> None:
        """Refuse weights for a learner that takes none."""
        if data.weights is None or self.is_fitted:
            return
        if fit_parameter(self.model, "sample_weight") is None:
            raise ParameterError(
                f"{self.name} takes no weights: its fit has no sample_weight.\n"
                "  Hint: judge it without sample_weight, or leave it out."
            )

    def answer(self, model: Any, data: TaskData, rows: Array) -> Answers:
        """Return what a fitted model answers about some rows."""
        X = data.table_of(rows, may_share=self._leaves_tables_alone)
        if isinstance(model, Constant):
            predicted: Array = np.full(len(rows), model.answer, dtype=data.y.dtype)
        else:
            predicted = as_target(model.predict(X), name=f"the answer of {self.name}")
        if len(predicted) != len(rows):
            raise ValueError(f"{self.name} answers {len(predicted)} of {len(rows)} rows.")
        probabilities = None
        if data.task == "classes":
            probabilities = self._probabilities(model, X, data.classes, len(rows))
        else:
            predicted = data.as_answers(predicted)
            wrong = np.flatnonzero(~np.isfinite(predicted))
            if len(wrong):
                raise ValueError(
                    f"{self.name} answers {predicted[wrong[0]]} in row {rows[wrong[0]]}"
                    f" ({len(wrong)} of {len(rows)} rows)."
                )
        return data.judged(rows, predicted, probabilities)

    def _probabilities(
        self, model: Any, X: Any, classes: Sequence[Any], n_rows: int
    ) -> FloatArray | None:
        """Return the probability of each class, or None where the model gives none.

        Columns are those of the model's classes; if it does not tell them, all classes in order.
        """
        if isinstance(model, Constant):
            return np.tile([float(each == model.answer) for each in classes], (n_rows, 1))
        try:
            given = np.asarray(model.predict_proba(X), dtype=np.float64)
        except AttributeError:
            return None
        known = getattr(model, "classes_", None)
        if known is None:
            known = getattr(model, "classes", (None,))[0]
        labels = list(classes) if known is None else np.asarray(known).tolist()
        if given.shape != (n_rows, len(labels)):
            raise DataError(
                f"the probabilities of {self.name} have shape {given.shape}; {n_rows} rows and"
                f" {len(labels)} classes need {(n_rows, len(labels))}."
            )
        check_probabilities(given, f"the probabilities of {self.name}")
        if labels == list(classes):
            return given.copy()  # it may be the model's own
        position = {each: i for i, each in enumerate(classes)}
        found = np.zeros((n_rows, len(classes)))
        for column, label in enumerate(labels):
            if label in position:
                found[:, position[label]] = given[:, column]
        return found


@dataclass(frozen=True)
class Constant:
    """A model that answers the same for every row."""

    answer: Any


def learners_of(given: Any) -> tuple[Learner, ...]:
    """Return the learners of a list or a mapping from names, each under a name of its own.

    Examples
    --------
    >>> from treewright import CARTClassifier
    >>> [each.name for each in learners_of([CARTClassifier(), CARTClassifier(cp=0.1), "yes"])]
    ['CARTClassifier', 'CARTClassifier(cp=0.1)', "always 'yes'"]
    """
    if isinstance(given, Mapping):
        pairs = [(str(name), learner) for name, learner in given.items()]
    elif isinstance(given, Sequence) and not isinstance(given, str | bytes | BaseEstimator):
        pairs = [
            (each[0], each[1]) if _is_pair(each) else ("", each)  # a name and a learner
            for each in given
        ]
    else:
        pairs = [("", given)]
    if not pairs:
        raise ParameterError("learners=[] has none to judge.")
    made = [_learner(name, learner) for name, learner in pairs]
    names = _distinct([each.name for each in made], [each.model for each in made])
    return tuple(
        Learner(name=name, model=each.model, is_fitted=each.is_fitted)
        for name, each in zip(names, made, strict=True)
    )


def task_of(learners: Iterable[Learner], y: Array) -> Task:
    """Return what is predicted: as the learners say, else as the target looks."""
    for each in learners:
        if not each.is_fitted:
            if not hasattr(each.model, "__sklearn_tags__"):  # it does not say what it is for
                continue
            if is_classifier(each.model):
                return "classes"
            if is_regressor(each.model):
                return "numbers"
        elif getattr(each.model, "classes", None) is not None:
            return "classes"
    return "numbers" if y.dtype.kind == "f" else "classes"


def _is_pair(each: Any) -> bool:
    return isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str)


def _learner(name: str, model: Any) -> Learner:
    if isinstance(model, type):
        raise ParameterError(
            f"{model.__name__} is a class; a learner is an instance.\n  Hint: {model.__name__}()."
        )
    if isinstance(model, str | bool | np.generic) or is_number(model):
        answer = model.item() if isinstance(model, np.generic) else model
        return Learner(name=name or f"always {answer!r}", model=Constant(answer), is_fitted=True)
    if hasattr(model, "fit") and hasattr(model, "predict"):
        return Learner(name=name or _name_of(model), model=model)
    if hasattr(model, "predict"):
        return Learner(name=name or type(model).__name__, model=model, is_fitted=True)
    if hasattr(model, "shape"):
        raise ParameterError(
            f"{type(model).__name__} is a table, not a learner.\n"
            "  Hint: the learner comes first, then the table and the target: (model, X, y)."
        )
    raise ParameterError(
        f"{model!r} cannot be judged: a learner has fit and predict, a fitted model has predict,"
        " and a constant answer is a text or a number."
    )


def _name_of(model: Any) -> str:
    if isinstance(model, Pipeline):
        return " > ".join(type(step).__name__ for _, step in model.steps)
    return type(model).__name__


def _distinct(names: list[str], models: list[Any]) -> list[str]:
    """Return names of which no two are equal: with parameters, or else numbers, where they are."""
    shown = list(names)
    for i, name in enumerate(names):
        if names.count(name) > 1 and hasattr(models[i], "get_params"):
            changed = _changed_parameters(models[i])
            told = ", ".join(f"{key}={value!r}" for key, value in changed[:_PARAMETERS_IN_A_NAME])
            shown[i] = f"{name}({told})" if told else name
    seen: dict[str, int] = {}
    for i, name in enumerate(shown):
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            shown[i] = f"{name} {seen[name]}"
    return shown


def _changed_parameters(model: Any) -> list[tuple[str, Any]]:
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(type(model)).parameters.items()
    }
    given = model.get_params(deep=False)
    return [
        (name, value) for name, value in given.items() if repr(value) != repr(defaults.get(name))
    ]


@dataclass(frozen=True, kw_only=True)
class Open:
    """Names of the parameters, of a learner and its parts, that await a seed, or threads."""

    seeds: tuple[str, ...]
    threads: tuple[str, ...]

    def settle(self, model: Any, *, seed: int | None, n_threads: int | None) -> None:
        """Give them a value that makes results repeat; without one they stay open."""
        settled = {} if seed is None else dict.fromkeys(self.seeds, seed)
        if n_threads is not None:
            settled |= dict.fromkeys(self.threads, n_threads)
        if all(name in vars(model) for name in settled):  # its own: set without looking them up
            vars(model).update(settled)
        else:
            model.set_params(**settled)


def open_parameters(model: Any) -> Open:
    """Return what an estimator and its parts leave open; once it is given, results repeat.

    >>> from treewright import RandomForestClassifier
    >>> open_parameters(RandomForestClassifier()).seeds
    ('random_state',)
    """
    parameters = model.get_params(deep=True) if hasattr(model, "get_params") else {}
    without = [name for name in sorted(parameters) if parameters[name] is None]
    owners = {name: parameters.get(name.rpartition("__")[0], model) for name in without}
    return Open(
        seeds=tuple(name for name in without if name.rsplit("__", 1)[-1] == "random_state"),
        threads=tuple(
            name
            for name in without
            if name.rsplit("__", 1)[-1] == "n_jobs" and not _knows_its_place(owners[name])
        ),
    )


def _knows_its_place(estimator: Any) -> bool:
    """Return whether an estimator, or a class that it derives from, is of a library that does."""
    modules = [each.__module__.split(".") for each in type(estimator).__mro__]
    return any(each[0] in _KNOW_THEIR_PLACE and each[1:2] not in _BARE for each in modules)


def fit_parameter(model: Any, name: str) -> str | None:
    """Return how a parameter of ``fit`` is passed to a model or the last step of a pipeline."""
    prefix = ""
    while isinstance(model, Pipeline):
        prefix += f"{model.steps[-1][0]}__"
        model = model.steps[-1][1]
    parameters = inspect.signature(model.fit).parameters
    if name in parameters:
        return prefix + name
    inner = getattr(model, "estimator", None)  # a search passes on what its estimator takes
    takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    if takes_any and inner is not None and hasattr(inner, "fit"):
        return fit_parameter(inner, name)
    return None
