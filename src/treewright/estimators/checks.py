"""Checks of parameters that all estimators have."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import sklearn

from treewright.data.schema import Schema
from treewright.errors import ParameterError
from treewright.parameters import check_count, is_whole


def takes_any_table(tags: Any) -> None:
    """Tell scikit-learn that any table is taken: text, categories, missing values, sparse."""
    tags.input_tags.allow_nan = True
    tags.input_tags.string = True
    tags.input_tags.categorical = True
    tags.input_tags.sparse = True


def output_container(transformer: Any) -> str:
    """Return what ``set_output``, or scikit-learn's configuration, asks a transformer for."""
    chosen = getattr(transformer, "_sklearn_output_config", {}).get("transform")
    return str(chosen or sklearn.get_config()["transform_output"])


def check_schema(schema: object) -> None:
    """Refuse anything but a schema."""
    if schema is not None and not isinstance(schema, Schema):
        raise ParameterError(
            f"schema={schema!r} must be a treewright.Schema or None.\n"
            "  Hint: Schema(kinds={'zip': 'nominal'}, ignore=['id'])."
        )


def check_verbose(verbose: Any) -> None:
    """Refuse anything but True, False or a whole number."""
    if not isinstance(verbose, bool):
        check_count("verbose", verbose, least=0)


def check_random_state(random_state: Any) -> None:
    """Refuse what is no seed, without drawing one."""
    seed_of(copy.copy(random_state))


def seed_of(random_state: Any) -> int:
    """Return a seed from scikit-learn's ``random_state``; None is 0, so that fits repeat."""
    if random_state is None:
        return 0
    if is_whole(random_state):
        check_count("random_state", random_state, least=0)
        return int(random_state) % 2**63
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**62))
    raise ParameterError(
        f"random_state={random_state!r} must be a whole number, a NumPy generator or None."
    )


MOST_TREES = 1_000_000


def check_n_estimators(value: Any, *, name: str = "n_estimators") -> None:
    """Refuse anything but a valid number of trees."""
    check_count(name, value, least=1)
    if value > MOST_TREES:
        raise ParameterError(f"{name}={value!r} must be at most {MOST_TREES:,}.")
