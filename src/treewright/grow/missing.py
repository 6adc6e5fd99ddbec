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

from treewright.core import missing_policies


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


def policy_named(name: str) -> MissingPolicy:
    """Return what is known of a policy; the name has been checked."""
    return POLICIES[name]
