"""The criteria of the core with their traits: what a split is judged by, and all that follows.

The table is read from the core, where every criterion states its traits beside its formula
(``criteria/traits.hpp``); there is no second list. Two of the criteria that users may ask for are
entropy with another way to select among columns.

Examples
--------
>>> criterion_named("gain_ratio").core, criterion_named("gain_ratio").selection
('entropy', 'gain_ratio')
>>> CLASS_CRITERIA[:3]
('gini', 'entropy', 'gain_ratio')
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from treewright.core import criteria


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """What is known of a criterion.

    Parameters
    ----------
    name
        As users write it.
    core
        The core's criterion behind it.
    selection
        How columns are compared: by ``"gain"``, or ``"gain_ratio"`` or ``"impurity_ratio"``.
    task
        Whether targets are classes or numbers.
    impurity
        What is printed beside nodes.
    score
        What candidates are compared by, as people read it.
    power_of_unit, power_of_variance
        How impurity grows with the unit of the target, and which power of the variance it is.
    is_bounded
        Whether gains are bits or shares, so that 2 can be raised to them.
    is_in_bits
        Whether gains can be weighed against the bits of a description.
    sums_over_rows
        Whether impurities are sums over rows, not per unit of weight.
    is_binary
        Whether two branches are judged together.
    is_additive
        Whether sums of branches add; if not, values are sorted and medians taken.
    is_deviance
        Whether targets are counts that may not be negative.
    is_fused
        Whether it has loops of its own that need no tally of class counts.
    judges_stumps
        Whether AdaBoost's stumps can be found by it.
    is_offered
        Whether users may ask for it by name.
    """

    name: str
    core: str
    selection: str = "gain"
    task: Literal["classes", "numbers"]
    impurity: str
    score: str
    power_of_unit: float
    power_of_variance: float
    is_bounded: bool
    is_in_bits: bool
    sums_over_rows: bool
    is_binary: bool
    is_additive: bool
    is_deviance: bool
    is_fused: bool
    judges_stumps: bool
    is_offered: bool


def _read_table() -> dict[str, Criterion]:
    table: dict[str, Criterion] = {}
    for traits in criteria():
        table[traits["name"]] = made = Criterion(core=traits["name"], **traits)
        if made.name == "entropy":
            table["gain_ratio"] = replace(
                made,
                name="gain_ratio",
                selection="gain_ratio",
                score="gain ratio",
                judges_stumps=False,
            )
    table["impurity_ratio"] = replace(
        table["entropy"],
        name="impurity_ratio",
        selection="impurity_ratio",
        is_in_bits=False,
        judges_stumps=False,
    )
    return table


CRITERIA = _read_table()
"""Every criterion by its name, those that are not offered too."""

CLASS_CRITERIA = tuple(
    each.name for each in CRITERIA.values() if each.is_offered and each.task == "classes"
)
VALUE_CRITERIA = tuple(
    each.name for each in CRITERIA.values() if each.is_offered and each.task == "numbers"
)


def criterion_named(name: str) -> Criterion:
    """Return what is known of a criterion; the name has been checked."""
    return CRITERIA[name]
