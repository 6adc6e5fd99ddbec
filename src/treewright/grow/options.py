"""GrowthOptions: every option of one tree, validated once.

A classical algorithm is a setting of these options (:mod:`treewright.grow.recipes`). Values are
checked one by one here; what makes no sense together for a given table is refused by
:func:`check_combination`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treewright.criteria import CRITERIA_OF, Criterion, criterion_named, resolve_name
from treewright.data.fitted_schema import FittedSchema
from treewright.errors import ParameterError
from treewright.grow.chaid import Merging
from treewright.grow.given_impurity import ImpurityFunction
from treewright.grow.missing import NAMES, MissingPolicy, policy_named
from treewright.measures.sizes import suggested_depth
from treewright.other_names import value_hint
from treewright.parameters import (
    check_choice,
    check_count,
    check_flag,
    check_number,
    check_share,
    is_list,
    is_number,
    is_whole,
    refuse,
)
from treewright.tree.plan import COMBINE, UNSEEN_CATEGORIES

if TYPE_CHECKING:
    from treewright.grow.oblique import ObliqueOptions

CHOICES: Mapping[str, tuple[str, ...]] = {
    "splitter": ("best", "random"),
    "nominal": ("multiway", "subset", "one_vs_rest", "groups"),
    "numeric": ("threshold", "mdlp", "cal5"),
    "missing": NAMES,
    "unseen": UNSEEN_CATEGORIES,
    "combine": COMBINE,
    "thresholds": ("all", "class_boundaries"),
    "threshold_at": ("midpoint", "observed", "training"),
    "features_per": ("node", "tree"),
    "cost_rule": ("tan_schlimmer", "nunez", "rpart"),
}


SUGGESTED = "suggested"
"""The `max_depth` that follows from the number of columns."""

MOST_GROUPED = 500
"""Most categories of a column where they are grouped."""


@dataclass(frozen=True, kw_only=True)
class GrowthOptions:
    """Every option of one tree; the estimators document them.

    The options below ``max_surrogates`` have no parameter of their own: they distinguish the
    classical algorithms.
    """

    criterion: str
    splitter: str = "best"
    nominal: str = "subset"
    numeric: str = "threshold"
    cal5_threshold: float = 0.8
    cal5_alpha: float = 0.3
    missing: str = "learned_side"
    unseen: str = "missing"
    combine: str = "branch_fractions"
    thresholds: str = "all"
    threshold_at: str = "midpoint"
    max_depth: int | str | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_fraction_leaf: float = 0.0
    min_impurity: float = 0.0
    max_class_share: float = 1.0
    min_impurity_decrease: float = 0.0
    max_p_value: float | None = None
    max_features: int | float | str | None = None
    features_per: str = "node"
    column_costs: Mapping[str, float] | Sequence[float] | None = None
    cost_rule: str = "tan_schlimmer"
    cost_exponent: float = 1.0
    monotonic_cst: Mapping[str, int] | Sequence[int] | None = None
    max_surrogates: int = 5
    impurity: ImpurityFunction | None = None
    oblique: ObliqueOptions | None = None
    merging: Merging | None = None
    empty_branches: bool = False
    strict_gain: bool = False
    guard_many_values: bool = False
    idle_values: bool = False
    gain_guard: bool = False
    c5_selection: bool = False
    mdl_penalty: bool = False
    c45_sides: bool = False
    min_gap: float = 0.0
    penalty_by_interval: bool = False
    min_information: float = 0.0
    as_rpart: bool = False
    single_precision: bool = False
    min_cases: float | None = None
    two_branches_suffice: bool = False
    min_branch_share: float = 0.0
    n_threads: int = 1
    tally: str = "automatic"
    fuse: bool = True
    code_width: int = 1
    wide: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "criterion", resolve_name(self.criterion))

    @property
    def criterion_traits(self) -> Criterion:
        """The criterion with its traits."""
        return criterion_named(self.criterion)

    @property
    def missing_policy(self) -> MissingPolicy:
        """What is known of the policy for missing values."""
        return policy_named(self.missing)

    def replace(self, **changes: Any) -> GrowthOptions:
        """Return the options with some changed."""
        # As a copy: dataclasses.replace asks for all fifty fields by name, which took as long as
        # to grow a tiny tree.
        own = self.__dict__
        changed = {name: value for name, value in changes.items() if not _is_same(own[name], value)}
        if not changed:
            return self
        made = object.__new__(type(self))
        made.__dict__.update(own, **changed)
        made.__post_init__()
        return made

    def check(self, criteria: Sequence[str]) -> None:
        """Refuse values outside their range; `criteria` are those of the task."""
        if self.impurity is None:
            check_choice("criterion", self.criterion, criteria, owners=CRITERIA_OF)
        for name, choices in CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        check_flag("guard_many_values", self.guard_many_values)
        if not (isinstance(self.max_depth, str) and self.max_depth == SUGGESTED):
            check_count("max_depth", self.max_depth, least=1, optional=True)
        check_number("max_class_share", self.max_class_share, low=0.0, high=1.0, open_low=True)
        check_count("max_leaf_nodes", self.max_leaf_nodes, least=2, optional=True)
        check_count("max_surrogates", self.max_surrogates, least=0)
        check_amount("min_samples_split", self.min_samples_split, least=2)
        check_amount("min_samples_leaf", self.min_samples_leaf, least=1)
        check_number("min_fraction_leaf", self.min_fraction_leaf, low=0.0, high=0.5)
        check_number("min_impurity", self.min_impurity, low=0.0)
        check_number("min_impurity_decrease", self.min_impurity_decrease, low=0.0)
        check_number("cost_exponent", self.cost_exponent, low=0.0)
        check_share("cal5_threshold", self.cal5_threshold)
        check_share("cal5_alpha", self.cal5_alpha)
        if self.merging is not None:
            self.merging.check()
        check_number("max_p_value", self.max_p_value, low=0.0, high=1.0, optional=True)
        check_features(self.max_features)
        check_per_column("column_costs", self.column_costs)
        check_per_column("monotonic_cst", self.monotonic_cst)
        if self.oblique is not None:
            self.oblique.check()

    def amount(self, name: str, n_rows: float) -> float:
        """Return a limit as a number of rows; a decimal is a share of all rows."""
        return amount_of(getattr(self, name), n_rows, least=2 if name == "min_samples_split" else 1)

    def depth(self, n_columns: int) -> int | None:
        """Return the limit of depth for a table of so many columns; None where there is none.

        The rule of thumb is log2(columns), rounded, and at least 1 (textbook section 3.4).
        """
        if self.max_depth is None:
            return None
        if isinstance(self.max_depth, str):
            return max(1, round(suggested_depth(n_columns)))
        return int(self.max_depth)

    def n_features(self, n_columns: int) -> int:
        """Return the number of columns that are drawn."""
        return n_features_of(self.max_features, n_columns)


def _is_same(own: object, value: object) -> bool:
    return own is value or (type(own) is type(value) is float and own == value)


def amount_of(value: float, n_rows: float, *, least: int) -> float:
    """Return a limit on rows as their number; a decimal is a share of all rows.

    >>> amount_of(5, 100, least=1), amount_of(0.051, 100, least=1), amount_of(0.001, 100, least=2)
    (5.0, 6.0, 2.0)
    """
    if is_whole(value):
        return float(min(value, 2**62))  # more than any table has, and still a float
    return max(float(least), float(math.ceil(float(value) * n_rows)))


def n_features_of(max_features: float | str | None, n_columns: int) -> int:
    """Return the number of columns that are drawn.

    >>> [n_features_of(wanted, 10) for wanted in (None, 4, 0.55, "sqrt", "log2")]
    [10, 4, 5, 3, 3]
    """
    if max_features is None:
        return n_columns
    if max_features == "sqrt":
        return max(1, int(math.sqrt(n_columns)))
    if max_features == "log2":
        return max(1, int(math.log2(n_columns)))
    if is_whole(max_features):
        return min(int(max_features), n_columns)
    return max(1, int(float(max_features) * n_columns))


def check_amount(name: str, value: object, *, least: int) -> None:
    """Refuse anything but a whole number of rows, `least` or more, or a share of them."""
    if is_whole(value):
        check_count(name, value, least=least)
        return
    if not is_number(value):
        raise ParameterError(
            f"{name}={value!r} must be a whole number of rows or a decimal share of them."
        )
    if not 0.0 < value <= 1.0:
        raise ParameterError(
            f"{name}={value!r}: a share of the rows must be above 0 and at most 1."
        )


def check_per_column(name: str, value: object) -> None:
    """Refuse anything but one entry per column, by name or in order."""
    if value is not None and not isinstance(value, Mapping) and not is_list(value):
        raise ParameterError(
            f"{name}={value!r} must be a dict of column to number, a list with one number for each"
            " column, or None."
        )


def check_features(value: object, *, or_auto: bool = False) -> None:
    """Refuse anything but a number or a share of the columns, or how to compute it."""
    if value is None or (isinstance(value, str) and value in ("sqrt", "log2")):
        return
    if is_whole(value):
        check_count("max_features", value, least=1)
        return
    if not is_number(value):
        also = "'auto', " if or_auto else ""
        raise ParameterError(
            f"max_features={value!r} must be {also}'sqrt', 'log2', None, a whole number of columns"
            f" or a decimal share of them.{value_hint(value, ('sqrt',))}"
        )
    if not 0.0 < value <= 1.0:
        raise ParameterError(
            f"max_features={value!r}: a share of the columns must be above 0 and at most 1."
        )


def check_combination(
    options: GrowthOptions, schema: FittedSchema, *, is_classification: bool, n_outputs: int
) -> None:
    """Refuse options that are valid alone but cannot be combined for this table."""
    if options.oblique is not None:
        options.oblique.check_combination(options, n_outputs=n_outputs)
    nominal = next((spec.name for spec in schema.columns if spec.kind == "nominal"), None)
    numeric = next((spec.name for spec in schema.columns if spec.kind != "nominal"), None)
    if options.criterion_traits.is_binary:
        if nominal is not None and options.nominal == "multiway":
            refuse(
                f"criterion {options.criterion!r} judges two branches and cannot be used with"
                f" nominal='multiway' (column {nominal!r}).",
                "nominal='subset' and nominal='one_vs_rest' have two branches.",
            )
        if numeric is not None and options.missing_policy.has_own_branch:
            refuse(
                f"criterion {options.criterion!r} judges two branches and cannot be used with"
                f" missing='own_branch' (column {numeric!r} would get three).",
                "missing='learned_side' has two branches.",
            )
    if not options.criterion_traits.is_additive:
        if nominal is not None and options.nominal == "subset":
            refuse(
                f"criterion {options.criterion!r} cannot be used with nominal='subset'"
                f" (column {nominal!r}).",
                "nominal='one_vs_rest' works with every criterion.",
            )
        if options.max_p_value is not None:
            refuse(
                f"criterion {options.criterion!r} has no significance test for max_p_value.",
                "criterion='squared_error' is tested by F.",
            )
    if options.nominal == "groups":
        _check_groups(options, schema, is_single=is_classification and n_outputs == 1)
    if options.merging is not None:
        _check_merging(schema)
    if options.numeric != "threshold":
        _check_intervals(options, numeric, is_single=is_classification and n_outputs == 1)
    if (
        options.missing_policy.uses_surrogates
        and nominal is not None
        and options.nominal == "multiway"
    ):
        refuse(
            f"missing='surrogates' imitates binary splits and cannot be used with"
            f" nominal='multiway' (column {nominal!r}).",
            "nominal='subset' or missing='divide'.",
        )
    if options.missing_policy.fills_by_class and (not is_classification or n_outputs > 1):
        refuse(
            "missing='most_likely_in_class' needs one target of classes.",
            "missing='most_likely' works with every target.",
        )
    if options.thresholds == "class_boundaries" and (not is_classification or n_outputs > 1):
        refuse("thresholds='class_boundaries' needs one target of classes.", "thresholds='all'.")
    if options.thresholds == "class_boundaries" and options.splitter == "random":
        refuse(
            "thresholds='class_boundaries' cannot be used with splitter='random', which draws"
            " its thresholds.",
            "splitter='best'.",
        )


def _check_groups(options: GrowthOptions, schema: FittedSchema, *, is_single: bool) -> None:
    """Refuse options that cannot be combined with groups of categories."""
    way = "nominal='groups'"
    if not is_single:
        refuse(f"{way} needs one target of classes.", "nominal='subset'.")
    if not options.criterion_traits.is_in_bits:
        refuse(
            f"{way} weighs a gain against bits and cannot be used with criterion"
            f" {options.criterion!r}.",
            "criterion='gain_ratio' or 'entropy'.",
        )
    if options.splitter == "random" or not options.missing_policy.divides:
        refuse(f"{way} needs splitter='best' and missing='divide'.", "nominal='subset'.")
    for spec in schema.columns:
        if spec.kind == "nominal" and len(spec.values) > MOST_GROUPED:
            refuse(
                f"{way} compares all pairs of values, and column {spec.name!r} has"
                f" {len(spec.values):,}; it takes up to {MOST_GROUPED}.",
                "nominal='multiway', or leave the column out: Schema(ignore=[...]).",
            )


def _check_merging(schema: FittedSchema) -> None:
    """Refuse costs of columns, which cannot be weighed against p-values."""
    for spec in schema.columns:
        if spec.cost != 1.0:
            refuse(
                f"CHAID chooses columns by p-values alone, but the schema says that column"
                f" {spec.name!r} costs {spec.cost:g}.",
                "leave costs out of the schema, or use C45Classifier or CARTClassifier.",
            )


def _check_intervals(options: GrowthOptions, column: str | None, *, is_single: bool) -> None:
    """Refuse options that cannot be combined with several cuts at once."""
    search = f"numeric={options.numeric!r}"
    if not is_single:
        refuse(f"{search} needs one target of classes.", "numeric='threshold'.")
    if options.splitter == "random":
        refuse(
            f"{search} cannot be used with splitter='random', which draws its thresholds.",
            "splitter='best'.",
        )
    if options.thresholds != "all":
        refuse(
            f"{search} finds its cuts by itself and cannot be used with"
            f" thresholds={options.thresholds!r}.",
            "thresholds='all'.",
        )
    if options.monotonic_cst is not None:
        refuse(
            f"{search} cannot be used with monotonic_cst, which compares two branches.",
            "numeric='threshold'.",
        )
    if column is None:
        return
    if options.criterion_traits.is_binary:
        refuse(
            f"criterion {options.criterion!r} judges two branches and cannot be used with {search}"
            f" (column {column!r}).",
            "every other criterion can.",
        )
    if options.missing_policy.uses_surrogates:
        refuse(
            f"missing='surrogates' imitates binary splits and cannot be used with {search}"
            f" (column {column!r}).",
            "missing='learned_side' or missing='divide'.",
        )
