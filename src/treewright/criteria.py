"""The criteria of the core with their traits: by what a split is judged, and what follows.

The table is read from the core, where every criterion states its traits beside its formula
(``criteria/traits.hpp``); there is no second list. Two of the criteria that users may choose are
entropy with another selection among columns.

Examples
--------
>>> criterion_named("gain_ratio").core, criterion_named("gain_ratio").selection
('entropy', 'gain_ratio')
>>> CLASS_CRITERIA[:3]
('gini', 'entropy', 'gain_ratio')
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from treewright.core import criteria


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """A criterion with its traits.

    Parameters
    ----------
    name
        Name that users write.
    core
        Name of the core's criterion.
    selection
        How columns are compared: by ``"gain"``, or ``"gain_ratio"`` or ``"impurity_ratio"``.
    task
        The task: targets are classes or numbers.
    impurity
        Name of the impurity printed beside nodes.
    score
        Name of the score by which candidates are compared.
    power_of_unit, power_of_variance
        Power of the unit of the target by which impurity grows, and the power of the variance it
        is.
    is_bounded
        Whether gains are bits or shares, so that 2**gain is finite.
    is_in_bits
        Whether gains are bits, comparable with a description length.
    sums_over_rows
        Whether impurities are sums over rows, not per unit of weight.
    is_binary
        Whether two branches are judged together.
    is_additive
        Whether the sums of branches add up; if not, values are sorted and medians taken.
    is_deviance
        Whether targets are counts that may not be negative.
    needs_order
        Whether it judges classes by their order, which must be known.
    is_fused
        Whether it has fused loops that need no tally of class counts.
    grows_on_rows
        Whether the fast grower of forests on rows knows it beside the fused ones.
    judges_stumps
        Whether AdaBoost can search stumps by it.
    compares_last_bits
        Whether splits are compared to the last bit, because a program's own rounding is wanted.
    is_offered
        Whether users may choose it by name.
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
    needs_order: bool
    is_fused: bool
    grows_on_rows: bool
    judges_stumps: bool
    compares_last_bits: bool
    is_offered: bool

    @property
    def gains_impurity(self) -> bool:
        """Whether gains are decreases of `impurity`; if not, they are what `score` says."""
        return CRITERIA[self.core].score == "gain"


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
        score="impurity ratio",
        is_in_bits=False,
        judges_stumps=False,
    )
    return table


CRITERIA = _read_table()
"""Every criterion by its name, including those that are not offered."""

GRADIENTS = "gradients"
"""What trees of gradient boosting have in place of a criterion; weights of nodes are hessians."""

CLASS_CRITERIA = tuple(
    each.name for each in CRITERIA.values() if each.is_offered and each.task == "classes"
)
VALUE_CRITERIA = tuple(
    each.name for each in CRITERIA.values() if each.is_offered and each.task == "numbers"
)
CRITERIA_OF = {"a classifier": CLASS_CRITERIA, "a regressor": VALUE_CRITERIA}
"""Who offers which criteria."""


ALIASES = {
    # Both are the mean of -log2 of the share of a row's own class.
    "log_loss": "entropy",
    "information_gain": "entropy",
    # Friedman (2001, eq. 35) judges two branches by w_l w_r / (w_l + w_r) (m_l - m_r)^2, with
    # weights w and means m. The decrease of the sum of squares about the means is
    #     w_l m_l^2 + w_r m_r^2 - (w_l + w_r) m^2,   where (w_l + w_r) m = w_l m_l + w_r m_r,
    # and putting in m gives the same number: the same questions are chosen, node by node. (scikit-
    # learn has withdrawn the name for that reason.)
    "friedman_mse": "squared_error",
}
"""Other names of criteria; trees have the name on the right."""


def resolve_name(given: Any) -> Any:
    """Return the name of a criterion by any of its names; what is no name is returned as it is.

    >>> resolve_name("log_loss"), resolve_name("gini"), resolve_name(3)
    ('entropy', 'gini', 3)
    """
    return ALIASES.get(given, given) if isinstance(given, str) else given


def criterion_named(name: str) -> Criterion:
    """Return a criterion by its name, which has been checked."""
    return CRITERIA[name]
