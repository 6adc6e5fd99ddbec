"""A state in which one number was altered is refused or answers; it neither hangs nor crashes.

Models are pickled with one entry of one of their arrays changed, and loaded in a process of their
own, which is stopped after some seconds.
"""

import io
import os
import pickle
import signal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from treewright import (
    AdaBoostClassifier,
    CARTClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    M5Regressor,
    ObliqueTreeClassifier,
    RandomForestClassifier,
)
from treewright.errors import ModelFormatError

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes to be forked")
N_STATES = 40
SECONDS = 10
GENERATOR = np.random.default_rng(0)
NUMBERS = GENERATOR.normal(size=(60, 2))
MIXED = pd.DataFrame({"a": NUMBERS[:, 0], "c": GENERATOR.choice(list("uvwx"), 60)})
MIXED.loc[::7, "a"] = np.nan
CLASSES = (NUMBERS[:, 0] > 0).astype(int)


def is_altered(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "iufb" and value.size > 0


def altered(array: Any, generator: np.random.Generator) -> Any:
    changed = array.copy()
    flat = changed.reshape(-1)
    place = int(generator.integers(len(flat)))
    if changed.dtype.kind == "f":
        flat[place] = generator.choice([np.nan, np.inf, -1.0, 1e300, 0.0])
    elif changed.dtype.kind == "b":
        flat[place] = not flat[place]
    else:
        limits = np.iinfo(changed.dtype)
        near = np.clip(int(flat[place]) + int(generator.integers(-3, 4)), limits.min, limits.max)
        flat[place] = [0, 1, limits.max, limits.min, near][int(generator.integers(5))]
    return changed


def damaged(model: Any, generator: np.random.Generator) -> bytes:
    """Pickle a model with one entry of one array altered."""
    n_arrays = 0

    class Counter(pickle.Pickler):
        def reducer_override(self, value: Any) -> Any:
            nonlocal n_arrays
            n_arrays += is_altered(value)
            return NotImplemented

    Counter(io.BytesIO(), 4).dump(model)
    chosen, seen, written = int(generator.integers(n_arrays)), -1, io.BytesIO()

    class Damager(pickle.Pickler):
        def reducer_override(self, value: Any) -> Any:
            nonlocal seen
            if is_altered(value):
                seen += 1
                if seen == chosen:
                    return altered(value, generator).__reduce__()
            return NotImplemented

    Damager(written, 4).dump(model)
    return written.getvalue()


def use(state: bytes, X: Any) -> None:
    model = pickle.loads(state)
    for name in ("predict", "predict_proba", "apply", "decision_path"):
        if hasattr(model, name):
            getattr(model, name)(X)
    for name in ("text", "rules", "importances"):
        if hasattr(model, name):
            getattr(model, name)()


MODELS = [
    (DecisionTreeClassifier(), MIXED),
    (CARTClassifier(min_samples_split=4, min_samples_leaf=2), MIXED),
    (DecisionTreeRegressor(leaf_model="linear", max_depth=2), NUMBERS),
    (M5Regressor(), NUMBERS),
    (ObliqueTreeClassifier(), NUMBERS),
    (RandomForestClassifier(n_estimators=2), NUMBERS),
    (RandomForestClassifier(n_estimators=2), MIXED),
    (GradientBoostingClassifier(n_estimators=3), MIXED),
    (AdaBoostClassifier(n_estimators=3), MIXED),
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forking beside threads
@pytest.mark.parametrize(("model", "X"), MODELS)
def test_damaged_states_neither_hang_nor_crash(model: Any, X: Any) -> None:
    generator = np.random.default_rng(5)
    model.fit(X, CLASSES)
    for _ in range(N_STATES):
        state = damaged(model, generator)
        child = os.fork()
        if child == 0:
            signal.alarm(SECONDS)
            try:
                use(state, X)
            except Exception:
                pass
            finally:
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0


def test_a_circle_of_nodes_is_refused_by_name() -> None:
    tree = DecisionTreeClassifier().fit(NUMBERS, CLASSES).tree_
    arrays = tree.arrays.to_dict()
    parent = arrays["parent"].copy()
    parent[1] = 2
    state = tree.__getstate__()
    state["arrays"] = type(tree.arrays)(**{**arrays, "parent": parent})
    with pytest.raises(ModelFormatError, match="parent"):
        tree.__class__.__new__(tree.__class__).__setstate__(state)
    with pytest.raises(ModelFormatError, match="combine is 'nonsense', which is unknown"):
        tree.__class__.__new__(tree.__class__).__setstate__(
            {**tree.__getstate__(), "combine": "nonsense"}
        )
