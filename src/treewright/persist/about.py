"""What a model file tells of its model at a glance: plain JSON values, read without building it."""

from __future__ import annotations

import math
import platform
import re
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from treewright.boosting.ensemble import BoostedEnsemble
from treewright.data.fingerprint import fingerprint_of
from treewright.data.read.target import ClassTarget
from treewright.errors import ParameterError
from treewright.persist.registry import name_of
from treewright.rules.extract import RuleSequence
from treewright.state.json_text import json_bytes, parsed_json
from treewright.text.names import short_name

_MOST_TEXT = 200
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


def about(model: Any, *, remember: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what is told of a model."""
    inner = inner_model(model)
    classes = getattr(inner, "classes", None)
    schema = getattr(inner, "schema", None)
    told = {
        "kind": name_of(type(model)),
        "task": _task(model, inner),
        "classes": None if classes is None else [[str(v) for v in each] for each in classes],
        "columns": _columns(model, schema),
        "size": _size(inner),
        "rows": _n_rows(inner),
        "criterion": getattr(inner, "criterion", None),
        "parameters": _parameters(model),
        "fingerprint": _fingerprint(model),
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scikit-learn": version("scikit-learn"),
        },
    }
    return {**told, "remembered": plain_values(remember)}


def inner_model(model: Any) -> Any:
    """Return the tree, ensemble or rule set that an estimator answers by; itself where it is one.

    An estimator that is not fitted, or answers by members, has none.
    """
    for name in ("rules_", "ruleset_", "tree_", "ensemble_"):
        found = vars(model).get(name) if hasattr(model, "get_params") else None
        if found is not None and hasattr(found, "schema"):
            return found
    return None if hasattr(model, "get_params") else model


def plain_values(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return values to be remembered, as JSON gives them back; refuse others."""
    if given is None:
        return {}
    try:
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            raise TypeError("not a mapping of names to values")
        plain: dict[str, Any] = parsed_json(json_bytes(_finite(dict(given))))
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"remember must map names to texts, numbers, lists and mappings: {error}."
        ) from error
    return plain


def _finite(value: Any) -> Any:
    """Return values with None for numbers that JSON has not: NaN and infinities."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


def _task(model: Any, inner: Any) -> str:
    if hasattr(inner, "classes"):
        return "regression" if inner.classes is None else "classification"
    kind = getattr(model, "_estimator_type", None)
    if kind in ("classifier", "regressor"):
        return "classification" if kind == "classifier" else "regression"
    name = type(model).__name__
    if name.endswith("Classifier"):
        return "classification"
    return "regression" if name.endswith("Regressor") else "transformation"


def _columns(model: Any, schema: Any) -> list[dict[str, Any]]:
    if schema is not None:
        return [{"name": spec.name, "kind": spec.kind} for spec in schema.columns]
    names = getattr(model, "feature_names_in_", ())
    return [{"name": str(name), "kind": None} for name in names]


def _size(inner: Any) -> dict[str, int]:
    if inner is None:
        return {}
    if isinstance(inner, RuleSequence):
        return {"rules": len(inner)}
    if isinstance(inner, BoostedEnsemble):
        core: Any = inner.core
        n_nodes = sum(len(core.tree(index)["value"]) for index in range(len(inner)))
        return {"trees": len(inner), "nodes": n_nodes, "leaves": (n_nodes + len(inner)) // 2}
    if hasattr(inner, "n_conditions"):
        return {"rules": len(inner), "conditions": int(inner.n_conditions)}
    if hasattr(inner, "n_nodes"):
        return {
            "trees": 1,
            "nodes": int(inner.n_nodes),
            "leaves": int(inner.n_leaves),
            "depth": int(inner.depth),
        }
    trees = inner.trees
    return {
        "trees": len(inner),
        "nodes": int(trees.n_nodes().sum()),
        "leaves": int(trees.n_leaves().sum()),
        "depth": int(trees.depths().max(initial=0)),
    }


def _n_rows(inner: Any) -> int | None:
    arrays = getattr(inner, "arrays", None)
    return None if arrays is None else int(arrays.n_rows[0])


def _parameters(model: Any) -> dict[str, str]:
    """Return the parameters of an estimator as texts; those of members are not listed."""
    if not hasattr(model, "get_params"):
        return {}
    parameters = model.get_params(deep=False)
    # Where an object stood in memory says nothing, and two files would not be alike.
    texts = {name: _ADDRESS.sub("", repr(value)) for name, value in parameters.items()}
    return {name: short_name(text, _MOST_TEXT) for name, text in texts.items()}


def _fingerprint(model: Any) -> str | None:
    """Return a hash of the training table and target, if the model still has them."""
    record = getattr(getattr(model, "tree_", model), "_record", None)
    training = getattr(record, "problem", None) or getattr(model, "_training", None)
    problem = getattr(training, "problem", training)
    table, target = getattr(problem, "table", None), getattr(problem, "target", None)
    if table is None or target is None:
        return None
    known = target.codes if isinstance(target, ClassTarget) else target.values
    return fingerprint_of(table, known)
