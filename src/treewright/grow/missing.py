"""The policies for missing values with their traits, as the core states them.

Every policy says beside its code what becomes of rows without a value (``missing/traits.hpp``); the
names that users may choose from, and what goes together with what, follow from that.

Examples
--------
>>> policy_named("divide").divides
True
>>> [policy.name for policy in POLICIES.values() if policy.fills]
['most_likely', 'most_likely_in_class']
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.array_types import Array, FloatArray, Int32Array
from treewright.core import missing_policies
from treewright.data.fitted_schema import FittedSchema
from treewright.data.table import MISSING, Table
from treewright.tree.arrays import CUT, LEAF, TreeArrays
from treewright.tree.question import Stored, question_at


@dataclass(frozen=True, kw_only=True)
class MissingPolicy:
    """What becomes of rows without a value.

    Parameters
    ----------
    name
        As users write it.
    divides
        Whether they follow all branches, in proportion to the branches' weights.
    is_judged
        Whether the search itself says where they go, so that they count in the gain.
    tries_sides
        Whether each side of a question is tried for them.
    has_own_branch
        Whether they are a value, or a branch, of their own.
    fills, fills_by_class
        Whether they are given a value of the column, and whether it depends on their class.
    uses_surrogates
        Whether similar questions stand in.
    """

    name: str
    divides: bool
    is_judged: bool
    tries_sides: bool
    has_own_branch: bool
    fills: bool
    fills_by_class: bool
    uses_surrogates: bool


POLICIES = {traits["name"]: MissingPolicy(**traits) for traits in missing_policies()}
"""Every policy by its name, in the order of the core's list."""


IN_TRAINING = MissingPolicy(
    name="most_likely_in_training",
    divides=False,
    is_judged=False,
    tries_sides=False,
    has_own_branch=False,
    fills=True,
    fills_by_class=False,
    uses_surrogates=False,
)
"""Missing values are filled once, before growing, so that the core meets none; a tree sends them
where the value goes that they were filled with."""

NAMES = (*POLICIES, IN_TRAINING.name)
"""The names that users may choose from."""


def policy_named(name: str) -> MissingPolicy:
    """Return what is known of a policy; the name has been checked."""
    return IN_TRAINING if name == IN_TRAINING.name else POLICIES[name]


def core_policy(name: str) -> str:
    """Return the policy of the core; after filling, only columns without any value are missing."""
    return "majority" if name == IN_TRAINING.name else name


def values_to_fill(table: Table, weight: FloatArray | None) -> tuple[Stored, ...]:
    """Return what fills each column: its most frequent value, the first of equals, or its mean.

    In stored form; None where a column has no (finite) value.
    """
    found: list[Stored] = []
    for index, spec in enumerate(table.schema.columns):
        known = ~table.is_missing(index)
        values = table.columns[index]
        if spec.storage == "float":
            known &= np.isfinite(values)
        if weight is not None:
            known &= weight > 0
        counted = np.ones(int(known.sum())) if weight is None else weight[known]
        if not len(counted):
            found.append(None)
        elif spec.storage == "value":
            found.append(int(np.bincount(values[known], counted).argmax()))
        elif spec.storage == "float":
            found.append(float(np.average(values[known].astype(np.float64), weights=counted)))
        else:  # a mean of distances: instants in nanoseconds exceed what a float holds
            least = int(values[known].min())
            found.append(least + round(float(np.average(values[known] - least, weights=counted))))
    return tuple(found)


def filled(table: Table, fills: tuple[Stored, ...]) -> Table:
    """Return the table with its missing values filled."""
    columns: list[Array] = []
    masks = []
    for index, fill in enumerate(fills):
        values, mask = table.columns[index], table.masks[index]
        missing = table.is_missing(index)
        if fill is not None and missing.any():
            is_code = table.schema.columns[index].storage == "value"
            gap = values == MISSING if is_code else missing
            values, mask = np.where(gap, np.asarray(fill, dtype=values.dtype), values), None
        columns.append(values)
        masks.append(mask)
    return Table(schema=table.schema, n_rows=table.n_rows, columns=columns, masks=masks)


def branches_of_fills(
    arrays: TreeArrays, schema: FittedSchema, fills: tuple[Stored, ...]
) -> Int32Array:
    """Return the branch of missing values of each node: that of the value they are filled with."""
    branch = arrays.missing_branch.copy()
    for index, fill in enumerate(fills):
        asks = (arrays.column == index) & (arrays.kind != LEAF)
        if fill is None or not asks.any():
            continue
        cuts = np.flatnonzero(asks & (arrays.kind == CUT))
        is_float = schema.columns[index].storage == "float"
        thresholds = (arrays.threshold if is_float else arrays.threshold_int)[cuts]
        branch[cuts] = np.where(fill <= thresholds, 0, 1)
        for node in np.flatnonzero(asks & (arrays.kind != CUT)).tolist():
            question = question_at(arrays, schema, node)
            assert question is not None
            branch[node] = question.branch_of(fill)
    return branch
