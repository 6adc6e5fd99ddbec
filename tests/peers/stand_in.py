"""Load test modules of scikit-learn with our classes in the place of theirs; no test is edited.

A test module gets builtins of its own, in which ``import`` hands out modules of scikit-learn that
answer with our class where one of the same name exists. This holds for imports in functions and for
``tree.DecisionTreeClassifier`` too, and what the module builds at import time (lists of classes,
parameters of tests) is built from ours. scikit-learn itself imports as ever and keeps its classes.
"""

from __future__ import annotations

import builtins
import importlib.abc
import importlib.machinery
import inspect
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import sklearn
import sklearn.ensemble
import sklearn.tree
from sklearn.base import BaseEstimator

import treewright

PEER = Path(sklearn.__file__).parent
"""The folder of scikit-learn; tests are named relative to it."""

_PUBLIC = {
    name: vars(part)[name] for part in (sklearn.tree, sklearn.ensemble) for name in part.__all__
}

OURS: dict[type, type] = {
    theirs: getattr(treewright, name)
    for name, theirs in _PUBLIC.items()
    if name in treewright.__all__
}
"""Each class of scikit-learn that we have a class of the same name for, and that class."""

_OUR_CLASSES = frozenset(OURS.values())
_NAMES = frozenset(ours.__name__ for ours in _OUR_CLASSES)


def peer_files() -> list[Path]:
    """Return the test files of scikit-learn that name one of the classes."""
    found = sorted(PEER.rglob("tests/test_*.py"))
    return [path for path in found if any(name in path.read_text("utf-8") for name in _NAMES)]


class _Facade(ModuleType):
    """A module of scikit-learn as the tests see it."""

    def __init__(self, real: ModuleType) -> None:
        super().__init__(real.__name__)
        super().__setattr__("_real", real)

    def __getattribute__(self, name: str) -> Any:
        value = getattr(_real(self), name)  # `__dict__` included: what is patched is the module
        if isinstance(value, ModuleType):
            return _seen(value)
        return OURS.get(value, value) if isinstance(value, type) else value

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_real(self), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_real(self), name)


def _real(facade: _Facade) -> ModuleType:
    real: ModuleType = ModuleType.__getattribute__(facade, "_real")
    return real


def _seen(module: Any) -> Any:
    is_theirs = module.__name__.partition(".")[0] == "sklearn"
    return _Facade(module) if is_theirs and type(module) is not _Facade else module


def _import(name: str, *args: Any, **kwargs: Any) -> Any:
    return _seen(builtins.__import__(name, *args, **kwargs))


class _Loader(importlib.abc.Loader):
    """Runs a module as its own loader does, with builtins whose import is ours."""

    def __init__(self, theirs: Any) -> None:
        self._theirs = theirs

    def create_module(self, spec: Any) -> Any:
        return self._theirs.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = vars(builtins) | {"__import__": _import}
        self._theirs.exec_module(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._theirs, name)


class PeerFinder(importlib.abc.MetaPathFinder):
    """Finds the test modules of scikit-learn; stands before all other finders."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return where a test module is, with the loader that puts our classes in."""
        folder, _, name = fullname.rpartition(".")
        is_test = folder.endswith(".tests") and name.startswith("test_")
        if not (is_test and folder.startswith("sklearn.")):
            return None
        for finder in sys.meta_path:
            found = None if finder is self else finder.find_spec(fullname, path, target)
            if found is not None:
                found.loader = _Loader(found.loader)
                return found
        return None


def uses_ours(function: Any, parameters: Sequence[Any]) -> bool:
    """Return whether a test names one of our classes, in a function or list too, or is given one.

    A test that is given the name of a class is about that class, whatever else it names.
    """
    if any(map(_holds_ours, parameters)):
        return True
    named = {text for text in parameters if isinstance(text, str) and text in _PUBLIC}
    if named:
        return bool(named & _NAMES)
    plain = inspect.unwrap(function)
    return isinstance(plain, FunctionType) and _mentions_ours(plain, set())


def _mentions_ours(function: FunctionType, known: set[FunctionType]) -> bool:
    known.add(function)
    for name in _names(function.__code__):
        value = function.__globals__.get(name)
        if name in _NAMES or _holds_ours(value):
            return True
        is_near = isinstance(value, FunctionType) and value.__globals__ is function.__globals__
        if is_near and value not in known and _mentions_ours(value, known):
            return True
    return False


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _holds_ours(value: Any) -> bool:
    if isinstance(value, type):
        return bool(_OUR_CLASSES & set(value.__mro__))
    if isinstance(value, BaseEstimator):
        inside = value.get_params(deep=False).values() if hasattr(value, "get_params") else ()
        return _holds_ours(type(value)) or any(map(_holds_ours, inside))
    if isinstance(value, dict):
        return any(map(_holds_ours, value.values()))
    return isinstance(value, list | tuple | set) and any(map(_holds_ours, value))
