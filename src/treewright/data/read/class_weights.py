"""Factors by which classes are weighted: ``class_weight`` and ``priors``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.array_types import Array, FloatArray
from treewright.data.read.target import ClassTarget
from treewright.errors import ParameterError
from treewright.parameters import check_number
from treewright.text.names import list_names


def class_factors(
    target: ClassTarget,
    sample_weight: FloatArray | None,
    *,
    class_weight: object = None,
    priors: object = None,
) -> FloatArray | None:
    """Return the factor of each row's weight that is due to its class.

    ``"balanced"`` makes all classes weigh the same, ``priors`` makes them weigh as given (altered
    priors, Breiman et al. 1984, section 4.4); both count rows by their sample weight, so that a row
    of weight k is the row written k times here too.
    """
    if class_weight is None and priors is None:
        return None
    if class_weight is not None and priors is not None:
        raise ParameterError(
            "class_weight and priors both set how much the classes matter.\n  Hint: give one."
        )
    codes = target.codes if target.codes.ndim == 2 else target.codes[:, np.newaxis]
    n_rows, n_outputs = codes.shape
    factors = np.ones(n_rows)
    per_output = class_weight if isinstance(class_weight, list | tuple) else None
    if per_output is not None and len(per_output) != n_outputs:
        raise ParameterError(
            f"class_weight has length {len(per_output)}, but y has {n_outputs} columns.\n"
            "  Hint: give one entry for each column of y, or one for all."
        )
    for output, names in enumerate(target.classes):
        counted = np.bincount(codes[:, output], weights=sample_weight, minlength=len(names))
        totals = counted.astype(np.float64)
        rule = class_weight if per_output is None else per_output[output]
        if priors is not None:
            factor = _prior_factor(priors, names, totals)
        elif isinstance(rule, str) and rule == "balanced":
            present = totals > 0
            share = len(names) * np.where(present, totals, 1.0)
            factor = np.where(present, totals.sum() / share, 0.0)
        elif isinstance(rule, Mapping):
            factor = _given_factor(rule, names)
        else:
            raise ParameterError(
                f"class_weight={rule!r} must be 'balanced', a dict of class to weight, or None."
            )
        factors *= factor[codes[:, output]]
    return factors


def _given_factor(rule: Mapping[Any, Any], names: Array) -> FloatArray:
    known = {_plain(name): i for i, name in enumerate(names)}
    factor = np.ones(len(names))
    # y may be part of the rows, and lack a class; a class without a weight hints at a wrong name.
    names_all = known.keys() <= {_plain(label) for label in rule}
    for label, value in rule.items():
        check_number(f"class_weight[{label!r}]", value, low=0.0)
        if _plain(label) in known:
            factor[known[_plain(label)]] = float(value)
        elif not names_all:
            raise ParameterError(
                f"class_weight names class {label!r}, which is not in y.\n"
                f"  Classes: {list_names(map(str, names))}"
            )
    return factor


def _prior_factor(priors: Any, names: Array, totals: FloatArray) -> FloatArray:
    if isinstance(priors, Mapping):
        known = {_plain(name) for name in names}
        given = [priors.get(_plain(name), np.nan) for name in names]
        given += [np.nan for label in priors if _plain(label) not in known]
    else:
        given = priors
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        values = np.full(len(names), np.nan)
    if values.shape != (len(names),) or not np.all(np.isfinite(values)) or np.any(values < 0):
        raise ParameterError(
            f"priors={priors!r} must give one number, 0 or more, for each of the"
            f" {len(names)} classes {list_names(map(str, names))}."
        )
    if values.sum() <= 0:
        raise ParameterError("priors add up to 0; at least one class must be possible.")
    values = values / values.sum()
    present = totals > 0
    return np.where(present, values * totals.sum() / np.where(present, totals, 1.0), 0.0)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
