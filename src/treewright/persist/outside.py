"""Objects of other libraries that a model file may hold: generators, splitters, a few containers.

Each is kept as plain values and made again by a constructor that is written here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

_BIT_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
_SPLITTERS = (
    "GroupKFold",
    "GroupShuffleSplit",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "LeavePGroupsOut",
    "LeavePOut",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "ShuffleSplit",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TimeSeriesSplit",
)


@dataclass(frozen=True, kw_only=True)
class Outside:
    """How objects of one class are kept.

    Parameters
    ----------
    keep
        Returns the plain values of an object.
    make
        Returns the object again; any error means that the values are damaged.
    """

    keep: Callable[[Any], Any]
    make: Callable[[Any], Any]


def _random_state(kept: Any) -> np.random.RandomState:
    made = np.random.RandomState()
    made.set_state(kept)
    return made


def _generator_state(generator: np.random.Generator) -> dict[str, Any]:
    state: dict[str, Any] = dict(generator.bit_generator.state)
    if state["bit_generator"] not in _BIT_GENERATORS:
        raise TypeError(f"a generator of kind {state['bit_generator']!r}")
    return state


def _generator(kept: Any) -> np.random.Generator:
    if kept["bit_generator"] not in _BIT_GENERATORS:
        raise ValueError("its generator is unknown")
    bits = getattr(np.random, kept["bit_generator"])()
    bits.state = kept
    return np.random.Generator(bits)


def _bunch(kept: Any) -> Any:
    from sklearn.utils import Bunch

    return Bunch(**kept)


def _label_encoder(kept: Any) -> Any:
    from sklearn.preprocessing import LabelEncoder

    made = LabelEncoder()
    made.classes_ = kept
    return made


def _splitter(name: str) -> Outside:
    def make(kept: Any) -> Any:
        from sklearn import model_selection

        kind = getattr(model_selection, name)
        made = kind.__new__(kind)
        if not isinstance(kept, dict) or not all(isinstance(key, str) for key in kept):
            raise ValueError("its splitter is damaged")
        allowed = vars(kind(2)) if name.startswith("LeaveP") else vars(kind())
        if set(kept) != set(allowed):
            raise ValueError("its splitter is damaged")
        made.__dict__.update(kept)
        return made

    return Outside(keep=lambda each: dict(vars(each)), make=make)


_OUTSIDE: dict[tuple[str, str], tuple[str, Outside]] = {
    ("numpy.random", "RandomState"): (
        "RandomState",
        Outside(keep=lambda each: each.get_state(legacy=False), make=_random_state),
    ),
    ("numpy.random", "Generator"): (
        "Generator",
        Outside(keep=_generator_state, make=_generator),
    ),
    ("sklearn.utils", "Bunch"): ("Bunch", Outside(keep=dict, make=_bunch)),
    ("sklearn.preprocessing", "LabelEncoder"): (
        "LabelEncoder",
        Outside(keep=lambda each: each.classes_, make=_label_encoder),
    ),
    **{("sklearn.model_selection", name): (name, _splitter(name)) for name in _SPLITTERS},
}
_BY_NAME = dict(_OUTSIDE.values())


def outside_of(value: object) -> tuple[str, Any] | None:
    """Return the name and the plain values of an object of another library; None if unknown."""
    kind = type(value)
    for (package, name), (known_as, how) in _OUTSIDE.items():
        if kind.__name__ == name and kind.__module__.startswith(package):
            return known_as, how.keep(value)
    return None


def make_outside(name: str, kept: Any) -> Any:
    """Return an object of another library from its plain values; KeyError if it is unknown."""
    return _BY_NAME[name].make(kept)
