"""The options of gradient boosting: checked, settled for a table, and in the core's form."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from treewright.boosting import defaults as defaults
from treewright.boosting.defaults import check_auto, is_auto
from treewright.boosting.losses.base import Loss
from treewright.core import BoostGrowth, RoundSample
from treewright.data.fitted_schema import FittedSchema
from treewright.errors import ParameterError, UnsupportedError
from treewright.grow.column_parameters import monotonic_signs
from treewright.grow.options import (
    amount_of,
    check_amount,
    check_features,
    check_per_column,
    n_features_of,
)
from treewright.parameters import (
    check_choice,
    check_count,
    check_flag,
    check_number,
    is_number,
    is_whole,
)

if TYPE_CHECKING:
    from treewright.boosting.problem import BoostingProblem

GROWTHS = ("leaf_wise", "depth_wise")
SAMPLINGS = ("uniform", "goss")
CRITERIA = ("squared_error", "friedman_mse")
LEAVES = ("constant", "linear")
MOST_BINS = 255


@dataclass(frozen=True, kw_only=True)
class BoostingOptions:
    """The options of boosting; the estimators document each of them."""

    n_estimators: Any
    learning_rate: Any
    max_leaf_nodes: Any
    max_depth: Any
    growth: Any
    criterion: Any
    min_samples_split: Any
    min_samples_leaf: Any
    min_weight_fraction_leaf: Any
    min_hessian: Any
    l2_regularization: Any
    min_gain: Any
    min_impurity_decrease: Any
    ccp_alpha: Any
    max_bins: Any
    subsample: Any
    row_sampling: Any
    top_rate: Any
    max_features: Any
    features_per_tree: Any
    nominal_smoothing: Any
    nominal_l2: Any
    max_categories: Any
    min_category_rows: Any
    leaf_model: Any
    linear_l2: Any
    monotonic_cst: Any
    interaction_cst: Any
    n_iter_no_change: Any
    tol: Any
    validation_fraction: Any
    n_threads: int = 1
    seed: int = 0

    def check(self) -> None:
        """Refuse invalid options."""
        if not is_auto(self.n_estimators):
            check_count("n_estimators", self.n_estimators, least=1)
        check_auto("learning_rate", self.learning_rate, low=0.0, open_low=True)
        check_count("max_leaf_nodes", self.max_leaf_nodes, least=2, optional=True)
        if isinstance(self.max_depth, str) and not is_auto(self.max_depth):
            raise ParameterError(
                f"max_depth={self.max_depth!r} must be a whole number, None or 'auto'."
            )
        if not is_auto(self.max_depth):
            check_count("max_depth", self.max_depth, least=1, optional=True)
        check_choice("growth", self.growth, GROWTHS)
        if self.criterion is not None:
            check_choice("criterion", self.criterion, CRITERIA)
        check_amount("min_samples_split", self.min_samples_split, least=2)
        check_amount("min_samples_leaf", self.min_samples_leaf, least=1)
        check_number("min_weight_fraction_leaf", self.min_weight_fraction_leaf, low=0.0, high=0.5)
        for name in ("min_hessian", "l2_regularization"):
            check_auto(name, getattr(self, name), low=0.0)
        for name in ("min_gain", "min_impurity_decrease", "ccp_alpha", "tol"):
            check_number(name, getattr(self, name), low=0.0)
        for name in ("nominal_smoothing", "nominal_l2", "linear_l2"):
            check_number(name, getattr(self, name), low=0.0)
        check_count("max_categories", self.max_categories, least=1)
        check_count("min_category_rows", self.min_category_rows, least=1, optional=True)
        check_count("max_bins", self.max_bins, least=2)
        if self.max_bins > MOST_BINS:
            raise ParameterError(f"max_bins={self.max_bins!r} must be at most {MOST_BINS}.")
        if not is_auto(self.max_features):
            check_features(self.max_features, or_auto=True)
        check_auto("subsample", self.subsample, low=0.0, high=1.0, open_low=True)
        check_number("features_per_tree", self.features_per_tree, low=0.0, high=1.0, open_low=True)
        check_choice("row_sampling", self.row_sampling, SAMPLINGS)
        check_number("top_rate", self.top_rate, low=0.0, high=1.0, open_low=True, open_high=True)
        share = defaults.GOSS_SHARE if is_auto(self.subsample) else self.subsample
        if self.row_sampling == "goss" and self.top_rate + share > 1.0:
            raise UnsupportedError(
                f"row_sampling='goss' keeps top_rate={self.top_rate!r} of the rows and draws"
                f" subsample={share!r} of them from the others: together at most 1.\n"
                "  Hint: top_rate=0.2, subsample=0.1."
            )
        check_choice("leaf_model", self.leaf_model, LEAVES)
        check_count("n_iter_no_change", self.n_iter_no_change, least=1, optional=True)
        check_per_column("monotonic_cst", self.monotonic_cst)

    def check_leaf(self, loss: Loss) -> None:
        """Refuse options that do not go with lines in the leaves."""
        if self.leaf_model != "linear":
            return
        if self.monotonic_cst is not None:
            raise UnsupportedError(
                "leaf_model='linear' cannot be used with monotonic_cst: a line may run against the"
                " constraint.\n  Hint: leaf_model='constant'."
            )
        if not loss.has_curvature:
            raise UnsupportedError(
                f"leaf_model='linear' takes steps of least squares, for which loss={loss.name!r}"
                " has no"
                " curvature.\n  Hint: loss='huber', or leaf_model='constant'."
            )

    def settled(self, problem: BoostingProblem, *, ends_by_itself: bool = False) -> BoostingOptions:
        """Return the options with a number in place of every ``"auto"``.

        Parameters
        ----------
        problem
            The rows, target and loss.
        ends_by_itself
            Whether held-out rows decide when to stop; depth and share of the rows stay open then.
        """
        leaves_open = any(given == "auto" for given in vars(self).values() if type(given) is str)
        if not leaves_open and self.min_category_rows is not None:
            return self
        is_open = ends_by_itself and is_auto(self.n_estimators)
        n_rows, of_classes = problem.n_rows, problem.loss.of_classes
        rules = defaults.given_rounds(self.n_estimators, self.max_depth, of_classes=of_classes)
        own = self if rules is None else self._by(rules)
        share = defaults.row_share(
            self.subsample,
            n_rows=problem.table.n_rows,
            n_rarest=problem.n_rarest,
            has_nominal=any(spec.kind == "nominal" for spec in problem.table.schema.columns),
            is_goss=self.row_sampling == "goss",
        )
        return replace(
            self,
            n_estimators=defaults.n_rounds(self.n_estimators, ends_by_itself=is_open),
            max_depth=None if is_auto(self.max_depth) and not is_open else self.max_depth,
            subsample=share if share < 1.0 or not is_open else self.subsample,
            learning_rate=defaults.learning_rate(
                own.learning_rate, n_rows=n_rows, of_classes=of_classes, ends_by_itself=is_open
            ),
            min_hessian=defaults.min_hessian(
                own.min_hessian, n_rows=n_rows, ends_by_itself=is_open
            ),
            l2_regularization=defaults.l2_regularization(
                own.l2_regularization, ends_by_itself=is_open
            ),
            max_features=defaults.column_share(own.max_features, n_rows),
            min_category_rows=defaults.category_rows(self.min_category_rows, n_rows),
        )

    def _by(self, rules: defaults.GivenRounds) -> BoostingOptions:
        """Return the options with these rules in place of ``"auto"``."""
        names = [each.name for each in fields(rules) if is_auto(getattr(self, each.name))]
        return replace(self, **{name: getattr(rules, name) for name in names})

    def n_features(self, n_columns: int) -> int:
        """Return the number of columns that are drawn for each node."""
        wanted = self.max_features
        if is_number(wanted) and not is_whole(wanted):
            return max(1, round(float(wanted) * n_columns))
        return n_features_of(wanted, n_columns)

    def weight_drawn(self, problem: BoostingProblem) -> float:
        """Return what the rows of a round weigh; GOSS makes up for the rows it leaves out."""
        weight = problem.weight
        whole = float(problem.n_rows) if weight is None else float(weight.sum())
        return whole if self.row_sampling == "goss" else whole * float(self.subsample)

    def core_growth(self, problem: BoostingProblem) -> BoostGrowth:
        """Return the core's options for growing a tree."""
        schema, loss, n_rows = problem.table.schema, problem.loss, problem.n_rows
        weight = self.weight_drawn(problem)
        growth = BoostGrowth()
        growth.max_leaves = 0 if self.max_leaf_nodes is None else min(self.max_leaf_nodes, 2**31)
        growth.max_depth = 0 if self.max_depth is None else min(self.max_depth, 2**31)
        growth.depth_wise = self.growth == "depth_wise"
        # Where hessians are not all 1, the gain is that of the loss to second order, not the
        # decrease of squared error that other programs judge residuals by.
        growth.by_squared_error = self.criterion is not None and not loss.has_constant_hessian
        growth.min_split = _rows(self.min_samples_split, n_rows, least=2)
        growth.min_leaf = _rows(self.min_samples_leaf, n_rows, least=1)
        growth.min_hessian = float(self.min_hessian)
        least_weight = float(self.min_weight_fraction_leaf) * weight
        if problem.weight is None and self.row_sampling != "goss":
            growth.min_leaf = max(growth.min_leaf, math.ceil(least_weight))
        else:
            growth.min_weight = least_weight
        growth.l2 = float(self.l2_regularization)
        # A gain is summed over rows, an impurity is their mean.
        growth.min_gain = max(float(self.min_gain), float(self.min_impurity_decrease) * weight)
        growth.min_gain_per_leaf = float(self.ccp_alpha) * weight
        growth.nominal_smoothing = float(self.nominal_smoothing)
        growth.nominal_l2 = float(self.nominal_l2)
        growth.max_categories = min(int(self.max_categories), 2**31)
        growth.min_category = min(int(self.min_category_rows), 2**31)
        n_columns = len(schema.columns)
        n_drawn = self.n_features(n_columns)
        growth.columns_per_node = n_drawn if n_drawn < n_columns else 0
        signs = monotonic_signs(schema, self.monotonic_cst)
        if signs is not None:
            if loss.n_outputs > 1:
                raise UnsupportedError(
                    "monotonic_cst needs an order of the answers: two classes, or numbers."
                )
            growth.monotonic = signs
        growth.interactions = interaction_sets(schema, self.interaction_cst)
        growth.has_lines = self.leaf_model == "linear"
        growth.line_l2 = float(self.linear_l2)
        return growth

    def core_sample(self, n_columns: int) -> RoundSample:
        """Return the core's options for drawing the rows and columns of a round."""
        sample = RoundSample()
        sample.share = float(self.subsample)
        if self.row_sampling == "goss":
            sample.top_share = float(self.top_rate)
        if self.features_per_tree < 1.0:
            sample.n_columns = max(1, round(self.features_per_tree * n_columns))
        return sample


def _rows(limit: float, n_rows: int, *, least: int) -> int:
    return min(int(amount_of(limit, n_rows, least=least)), 2**31)


def interaction_sets(schema: FittedSchema, given: object) -> list[list[int]]:
    """Return the sets of columns that may be asked on one path; no sets where all may.

    Parameters
    ----------
    schema
        The columns.
    given
        None, ``"pairwise"``, ``"no_interactions"``, or a list of sets of columns, by name or by
        position. Columns in none of them form a set of their own, as in scikit-learn.
    """
    n_columns = len(schema.columns)
    if given is None:
        return []
    if isinstance(given, str):
        check_choice("interaction_cst", given, ("pairwise", "no_interactions"))
        if given == "no_interactions":
            return [[column] for column in range(n_columns)]
        return [[a, b] for b in range(n_columns) for a in range(b)] or [[0]]
    if not isinstance(given, Sequence | set | frozenset):
        raise ParameterError(f"interaction_cst={given!r} must be a list of sets of columns.")
    sets = []
    for one in given:
        if isinstance(one, str) or not isinstance(one, Iterable):
            raise ParameterError(f"interaction_cst holds {one!r}, which is no set of columns.")
        sets.append(sorted({_column(schema, column) for column in one}))
    rest = sorted(set(range(n_columns)) - {column for one in sets for column in one})
    return [*sets, rest] if rest else sets


def _column(schema: FittedSchema, given: object) -> int:
    if isinstance(given, str) and given in schema.names:
        return schema.index(given)
    if is_whole(given) and 0 <= given < len(schema.columns):
        return int(given)
    raise ParameterError(f"interaction_cst names column {given!r}, which the table does not have.")


def stops_early(early_stopping: object, n_iter_no_change: object, *, has_validation: bool) -> bool:
    """Return whether boosting stops before the last round.

    ``"auto"`` stops where something is said about stopping: the number of rounds to wait, which is
    the switch in scikit-learn's class of this name, or rows to judge by.
    """
    if isinstance(early_stopping, str):
        check_choice("early_stopping", early_stopping, ("auto",))
        return n_iter_no_change is not None or has_validation
    check_flag("early_stopping", early_stopping)
    if not early_stopping and n_iter_no_change is not None:
        raise ParameterError(
            f"n_iter_no_change={n_iter_no_change!r} says when to stop, but early_stopping=False"
            " never stops.\n  Hint: leave one of them out."
        )
    return bool(early_stopping)
