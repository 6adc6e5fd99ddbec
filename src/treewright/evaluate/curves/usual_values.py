"""Values of a parameter that a curve of complexity tries by itself, the simplest model first."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from treewright.array_types import FloatArray
from treewright.data.read.take_rows import take_rows
from treewright.errors import ParameterError
from treewright.evaluate.trial.learners import Learner
from treewright.evaluate.trial.run import leaves_of
from treewright.evaluate.trial.task_data import TaskData

_MOST = 16
_MOST_OF_PATH = 24
_USUAL_DEPTH, _USUAL_LEAVES = 16, 256
"""Where the model is no single tree, whose own size would say."""

_ROWS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500)
_LADDERS: dict[str, tuple[float, ...]] = {
    "n_estimators": (1, 2, 5, 10, 20, 50, 100, 200),
    "max_iter": (1, 2, 5, 10, 20, 50, 100, 200),
    "learning_rate": (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0),
    "confidence": (0.001, 0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5),
    "cp": (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0),
    "min_impurity_decrease": (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0),
}
_WITHOUT_LIMIT = {"max_leaf_nodes": None, "max_depth": None, "ccp_alpha": 0.0}
_OF_ROWS = ("min_samples_leaf", "min_samples_split", "min_cases")


def usual_values(learner: Learner, parameter: str, data: TaskData, *, seed: int) -> list[Any]:
    """Return values of a parameter, the simplest model first.

    For leaves, depth and cost-complexity the learner is fitted once without that limit: they go as
    far as its tree does, and the alphas are those of its pruning path, each the geometric mean of
    two that follow each other (Breiman et al. 1984, section 3.4.2).
    """
    if parameter in _LADDERS:
        return list(_LADDERS[parameter])
    if parameter in _OF_ROWS:
        least = 2 if parameter == "min_samples_split" else 1
        return [n for n in _ROWS if least <= n <= max(least, data.n_rows // 4)][::-1]
    if parameter not in _WITHOUT_LIMIT:
        known = ", ".join(sorted([*_LADDERS, *_OF_ROWS, *_WITHOUT_LIMIT]))
        raise ParameterError(
            f"parameter={parameter!r} has no usual values; these have: {known}.\n"
            "  Hint: values=[...], the simplest model first."
        )
    whole = clone(learner.model).set_params(**{parameter: _WITHOUT_LIMIT[parameter]})
    if parameter == "ccp_alpha" and hasattr(whole, "cost_complexity_pruning_path"):
        weights = {} if data.weights is None else {"sample_weight": data.weights}
        X = take_rows(data.X, data.all_rows)
        path = whole.cost_complexity_pruning_path(X, data.y_as_given, **weights)
        return _between(np.asarray(path.ccp_alphas, dtype=np.float64))
    if parameter == "ccp_alpha":
        raise ParameterError(
            f"{learner.name} has no pruning path to take values of ccp_alpha from.\n"
            "  Hint: values=[...], the largest first."
        )
    fitted = Learner(name=learner.name, model=whole).fit(
        data, data.all_rows, seed=seed, n_threads=None
    )
    if parameter == "max_leaf_nodes":
        return _whole_steps(2, max(2, leaves_of(fitted) or _USUAL_LEAVES))
    return _whole_steps(1, max(1, _depth_of(fitted) or _USUAL_DEPTH))


def _between(alphas: FloatArray) -> list[float]:
    """Return an alpha within each step of a path, the largest first; of long paths some."""
    steps = np.unique(alphas[np.isfinite(alphas) & (alphas >= 0)])
    if len(steps) == 0:
        return [0.0]
    # Beyond the last step is the root alone; before the second the whole tree.
    inner = np.sqrt(steps[:-1] * steps[1:])
    found = np.unique(np.concatenate([inner, steps[-1:] * (1 + 1e-9)]))
    if len(found) > _MOST_OF_PATH:
        found = found[np.linspace(0, len(found) - 1, _MOST_OF_PATH).round().astype(int)]
    values: list[float] = found[::-1].tolist()
    return values


def _whole_steps(least: int, most: int) -> list[int]:
    """Return whole numbers: all of them if few, else each by the same factor larger."""
    if most - least < _MOST:
        return list(range(least, most + 1))
    return sorted({round(each) for each in np.geomspace(least, most, _MOST).tolist()})


def _depth_of(model: Any) -> int | None:
    tree = getattr(model, "tree_", model)
    found = getattr(tree, "depth", getattr(tree, "max_depth", None))
    return int(found) if isinstance(found, int | np.integer) else None
