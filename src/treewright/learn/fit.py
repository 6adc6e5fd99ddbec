"""Table, target and options in, tree out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.data.encoding import lend
from treewright.data.schema import FittedSchema, list_names
from treewright.data.sparse import available_memory
from treewright.data.table import Table
from treewright.data.target import ClassTarget, ValueTarget, of_ordinary_size
from treewright.errors import (
    ColumnMismatchError,
    MemoryLimitError,
    ParameterError,
    TargetError,
    UnsupportedError,
)
from treewright.learn.extremes import in_units_of_shift, restore, shift_of
from treewright.learn.options import (
    VALUE_CRITERIA,
    GrowthOptions,
    Merging,
    check_combination,
)
from treewright.model.arrays import TreeArrays
from treewright.model.leaf import BY_MAJORITY, LeafRule
from treewright.model.tree import Tree
from treewright.parameters import check_number, nearest_hint

FloatArray = npt.NDArray[np.float64]
Report = Callable[[int], None]
_MOST_ROWS = 2**30


@dataclass(frozen=True, kw_only=True)
class RowWeights:
    """What each row weighs, and how many rows it stands for in limits on rows.

    Whole-number sample weights are copies: weight k is the row written k times, limits included.
    Other weights say how much a row matters, and limits count rows. None means all 1.
    """

    weight: FloatArray | None = None
    copies: FloatArray | None = None

    @classmethod
    def of(
        cls, sample_weight: FloatArray | None, class_factor: FloatArray | None = None
    ) -> RowWeights:
        """Combine the user's weights with factors for the rows' classes."""
        weight, copies = sample_weight, None
        if sample_weight is not None:
            if np.all(sample_weight == 1.0):
                weight = None
            elif np.all(sample_weight == np.floor(sample_weight)):
                copies = sample_weight
        if class_factor is not None and not np.all(class_factor == 1.0):
            factor = of_ordinary_size(class_factor)
            weight = of_ordinary_size(factor if weight is None else weight * factor)
            if not weight.any():
                raise ParameterError(
                    "class_weight or priors leave every row without weight; there is nothing to"
                    " learn from."
                )
        return cls(weight=weight, copies=copies)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Everything a tree is grown from; kept so that its nodes can be looked at again."""

    table: Table
    target: ClassTarget | ValueTarget
    weights: RowWeights
    options: GrowthOptions
    seed: int
    class_weight: object = None
    priors: object = None
    leaf: LeafRule = BY_MAJORITY
    cost_factor: FloatArray | None = None

    def take(self, rows: npt.NDArray[np.int64]) -> Problem:
        """Give the same problem with some of the rows."""
        weights = RowWeights(
            weight=None if self.weights.weight is None else self.weights.weight[rows],
            copies=None if self.weights.copies is None else self.weights.copies[rows],
        )
        target: ClassTarget | ValueTarget
        if isinstance(self.target, ClassTarget):
            target = replace(self.target, codes=self.target.codes[rows])
        else:
            target = ValueTarget(values=self.target.values[rows])
        return replace(self, table=self.table.take(rows), target=target, weights=weights)

    @property
    def is_classification(self) -> bool:
        """Whether the target is classes."""
        return isinstance(self.target, ClassTarget)

    @property
    def n_outputs(self) -> int:
        """Number of targets learned together."""
        if isinstance(self.target, ClassTarget):
            return len(self.target.classes)
        return 1 if self.target.values.ndim == 1 else self.target.values.shape[1]

    @cached_property
    def shift(self) -> int:
        """Power of two by which the target is divided to be learned; not 0 only for extremes."""
        if isinstance(self.target, ClassTarget):
            return 0
        values = self.target.values
        if self.weights.weight is not None:  # a row that does not count has no say
            values = values[self.weights.weight > 0]
        return shift_of(values, self.total_weight)

    @property
    def n_copies(self) -> float:
        """Rows that count, each as often as its copies say."""
        if self.weights.copies is not None:
            return float(self.weights.copies.sum())
        weight = self.weights.weight
        return float(self.table.n_rows if weight is None else np.count_nonzero(weight))

    @property
    def total_weight(self) -> float:
        """Weight of all rows."""
        weight = self.weights.weight
        return self.n_copies if weight is None else float(weight.sum())

    def learned_values(self) -> FloatArray:
        """Give a target of numbers as it is learned: divided by the power of two of `shift`."""
        assert isinstance(self.target, ValueTarget)
        values: FloatArray = np.ldexp(self.target.values, -self.shift)
        return values

    @property
    def evidence(self) -> float:
        """Rows that a unit of weight stands for: tests must not depend on the unit of weights."""
        return self.n_copies / self.total_weight

    def core_target(self) -> _core.Target:
        """Give the target and weights as the core takes them."""
        if isinstance(self.target, ClassTarget):
            n_classes = [len(names) for names in self.target.classes]
            target = _core.Target.classes(np.ascontiguousarray(self.target.codes), n_classes)
        else:
            values = np.ascontiguousarray(self.learned_values())
            target = _core.Target.values(values, self.n_outputs)
        if self.weights.weight is not None:
            target.set_weight(np.ascontiguousarray(self.weights.weight))
        if self.weights.copies is not None:
            target.set_copies(np.ascontiguousarray(self.weights.copies))
        return target

    def core_options(self) -> _core.GrowOptions:
        """Give the options as the core takes them: rows instead of shares, columns by number."""
        options, schema = self.options, self.table.schema
        n_columns = len(schema.columns)
        n_rows = self.n_copies
        core = _core.GrowOptions()
        core.criterion = self._core_criterion()
        core.set_selection(self._selection())
        core.set_splitter(options.splitter)
        core.set_nominal(options.nominal)
        core.set_numeric(options.numeric)
        core.cal5_threshold = float(options.cal5_threshold)
        core.cal5_alpha = float(options.cal5_alpha)
        core.evidence = self.evidence
        if options.merging is not None:
            core.merging = _core_merging(options.merging)
            core.n_bins = int(options.merging.n_bins)
        core.set_missing(options.missing)
        core.set_threshold_at(options.threshold_at)
        core.class_boundaries = options.thresholds == "class_boundaries"
        flags = ("empty_branches", "strict_gain", "idle_values", "mdl_penalty", "c45_sides")
        for flag in flags:
            setattr(core, flag, getattr(options, flag))
        core.two_branches_suffice = options.two_branches_suffice
        core.min_branch_share = options.min_branch_share
        core.min_gap = options.min_gap
        core.penalty_by_interval = options.penalty_by_interval
        core.min_information = options.min_information
        core.single_precision = options.single_precision
        if options.single_precision:
            core.criterion = "single_entropy"
        if isinstance(self.target, ClassTarget):
            core.declared_classes = self.target.n_declared
        core.max_depth = -1 if options.max_depth is None else min(int(options.max_depth), 2**62)
        core.max_leaf_nodes = (
            -1 if options.max_leaf_nodes is None else min(int(options.max_leaf_nodes), 2**62)
        )
        core.min_split = options.amount("min_samples_split", n_rows)
        core.min_leaf = options.amount("min_samples_leaf", n_rows)
        if options.min_cases is not None:  # C4.5 counts divided cases: may be a decimal
            core.min_leaf, core.min_split = options.min_cases, 2 * options.min_cases
        if options.missing == "divide":
            counts_parts = options.min_cases is not None
            core.min_leaf, core.min_split = _divided_limits(
                core.min_leaf, core.min_split, counts_parts=counts_parts
            )
        # A share of weights that do not add exactly must not fail by a rounding error.
        core.min_leaf_weight = (1 - 1e-9) * float(options.min_fraction_leaf) * self.total_weight
        core.min_impurity = self._in_units(options.min_impurity)
        core.min_gain = self._in_units(options.min_impurity_decrease)
        core.max_p_value = 1.0 if options.max_p_value is None else float(options.max_p_value)
        core.max_surrogates = min(int(options.max_surrogates), 2**31 - 1)
        core.seed = self.seed
        core.n_threads = options.n_threads
        core.fuse = options.fuse
        n_drawn = options.n_features(n_columns)
        core.columns = self._columns(n_columns, n_drawn)
        core.max_columns = 0 if options.features_per == "tree" else n_drawn
        costs = column_costs(schema, options)
        if costs is not None:
            if options.cost_rule == "nunez" and options.criterion in _UNBOUNDED:
                raise UnsupportedError(
                    "cost_rule='nunez' raises 2 to the gain, and the gain of criterion"
                    f" {options.criterion!r} is not in bits.\n"
                    "  Hint: cost_rule='tan_schlimmer' or 'rpart'."
                )
            core.costs = costs
            core.cost_exponent = float(options.cost_exponent)
            core.set_cost_rule(options.cost_rule)
        signs = monotonic_signs(schema, options)
        target = self.target
        if isinstance(target, ClassTarget) and len(target.classes[0]) < 2:
            signs = None  # one class: nothing rises or falls
        if signs is not None:
            core.monotonic = signs
        if options.oblique is not None:
            core.set_oblique(*options.oblique.for_core(schema))
        core.set_tally(self._tally(n_columns, n_drawn), options.code_width, options.wide)
        return core

    def _in_units(self, limit: float) -> float:
        return in_units_of_shift(float(limit), self.options.criterion, self.shift)

    def _core_criterion(self) -> str:
        name = self.options.criterion
        if self.options.merging is not None and name == "squared_error":
            return "anova"  # squared error with the sums that F-tests need
        return _CORE_CRITERION.get(name, name)

    def _selection(self) -> str:
        if self.options.criterion != "gain_ratio":
            return "gain"
        return "guarded_gain_ratio" if self.options.gain_guard else "gain_ratio"

    def _columns(self, n_columns: int, n_drawn: int) -> list[int]:
        if self.options.features_per == "node" or n_drawn == n_columns:
            return list(range(n_columns))
        drawn = np.random.default_rng(self.seed).choice(n_columns, n_drawn, replace=False)
        return sorted(drawn.tolist())

    def _tally(self, n_columns: int, n_drawn: int) -> str:
        """Choose how the core holds columns: sorted lists, unless few are looked at per node.

        Keeping a list sorted costs about a tenth of tallying codes for a node (tree-clf-100k, all
        20 columns: 0.24 s against 2.3 s), so lists pay down to a sixteenth of the columns.
        """
        if self.options.tally != "automatic":
            return self.options.tally
        few = self.options.features_per == "node" and n_drawn * 16 < n_columns
        return "codes" if few and self.options.missing != "surrogates" else "lists"


_UNBOUNDED = ("chi2", *VALUE_CRITERIA)
"""Criteria whose gains are not in bits or shares."""
_CORE_CRITERION = {"gain_ratio": "entropy", "impurity_ratio": "entropy"}


def _core_merging(merging: Merging) -> _core.Merging:
    core = _core.Merging()
    core.is_on = True
    core.alpha_merge = float(merging.alpha_merge)
    core.alpha_split = float(merging.alpha_split)
    if merging.alpha_split_merge is not None:
        core.alpha_resplit = float(merging.alpha_split_merge)
    core.exhaustive = bool(merging.exhaustive)
    core.floats_last = merging.missing == "last"
    core.adjusts = bool(merging.bonferroni)
    return core


def _divided_limits(
    min_leaf: float, min_split: float, *, counts_parts: bool
) -> tuple[float, float]:
    """Give the limits for nodes that hold parts of rows.

    Three thirds may add up to less than one, so limits are a little lower; and the limits that
    mean "none" (a row in every branch, two to be split) let parts pass, down to a thousandth of a
    row: without an end, a row with many gaps would be divided again and again. C4.5's own limit
    (`counts_parts`) means what it says.
    """
    if not counts_parts and min_leaf <= 1:
        min_leaf, min_split = 1e-3, 2e-3 if min_split <= 2 else min_split
    return min_leaf * (1 - 1e-9), min_split * (1 - 1e-9)


def column_costs(schema: FittedSchema, options: GrowthOptions) -> list[float] | None:
    """Give the price of every column, or None if all cost 1."""
    costs = [spec.cost for spec in schema.columns]
    given = options.column_costs
    if given is not None:
        costs = _by_column("column_costs", given, schema, costs)
        if schema.derived:
            costs = _prices_with_derived(schema, given)
    if all(cost == 1.0 for cost in costs):
        return None
    for spec, cost in zip(schema.columns, costs, strict=True):
        check_number(f"column_costs[{spec.name!r}]", cost, low=0.0)
        if cost == 0.0 and options.cost_rule != "nunez":
            raise ParameterError(
                f"column {spec.name!r} costs 0, by which cost_rule={options.cost_rule!r} divides.\n"
                "  Hint: a small cost such as 1e-6, or cost_rule='nunez'."
            )
    return [float(cost) for cost in costs]


def _prices_with_derived(
    schema: FittedSchema, given: Mapping[str, float] | Sequence[float]
) -> list[float]:
    if not isinstance(given, Mapping):
        given = dict(zip(schema.input_names, given, strict=True))
    for name, cost in given.items():  # before they are added
        check_number(f"column_costs[{name!r}]", cost, low=0.0)
    return schema.prices(given)


def monotonic_signs(schema: FittedSchema, options: GrowthOptions) -> list[int] | None:
    """Give the direction every column is held to (-1, 0, 1), or None if there is none."""
    if options.monotonic_cst is None:
        return None
    signs = _by_column("monotonic_cst", options.monotonic_cst, schema, [0] * len(schema.columns))
    for spec, sign in zip(schema.columns, signs, strict=True):
        if sign not in (-1, 0, 1):
            raise ParameterError(
                f"monotonic_cst of column {spec.name!r} is {sign!r}; it must be -1, 0 or 1."
            )
        if sign != 0 and spec.kind == "nominal":
            raise ParameterError(
                f"monotonic_cst of column {spec.name!r} is {sign!r}, but a nominal column has no"
                " order.\n  Hint: declare it ordinal, Schema(order={...})."
            )
    return [int(sign) for sign in signs] if any(signs) else None


def _by_column(
    name: str, given: Mapping[str, Any] | Sequence[Any], schema: FittedSchema, default: list[Any]
) -> list[Any]:
    """Bring a parameter given by name or by position into the order of the columns."""
    if isinstance(given, Mapping):
        values = list(default)
        for key, value in given.items():
            if key not in schema.names:
                raise ColumnMismatchError(
                    f"{name} names column {key!r}, which the table does not have.\n"
                    f"  Columns: {list_names(schema.names)}{nearest_hint(key, schema.names)}"
                )
            values[schema.index(key)] = value
        return values
    values = list(given)
    if len(values) != len(schema.input_names):
        raise ParameterError(
            f"{name} has length {len(values)}, but the table has {len(schema.input_names)} columns."
        )
    # A list is about the columns of the table; those derived from them keep the default.
    own = [values[position] for position in schema.positions]
    return own + default[len(own) :]


def fit_tree(problem: Problem, *, report: Report | None = None) -> Tree:
    """Grow the tree of a problem whose options have been checked."""
    options, table = problem.options, problem.table
    check_combination(
        options,
        table.schema,
        is_classification=problem.is_classification,
        n_outputs=problem.n_outputs,
    )
    _check_target(problem)
    _check_memory(problem)
    core_options = problem.core_options()
    try:
        arrays = _core.grow(lend(table), problem.core_target(), core_options, report)
        return tree_of(problem, arrays)
    except MemoryError as error:
        raise MemoryLimitError(
            f"growing a tree on {table.n_rows:,} rows and {len(table.schema):,} columns ran out of"
            " memory.\n  Hint: max_depth, max_leaf_nodes or min_samples_leaf bounds the tree."
        ) from error


def tree_of(problem: Problem, arrays: Mapping[str, Any]) -> Tree:
    """Wrap what the core has grown."""
    from treewright.learn.why import TrainingRecord, recall_of

    options, target = problem.options, problem.target
    filled = dict(arrays)
    if problem.shift:
        # The score of merged values is a p-value, whatever the unit of the target.
        scaled = ("impurity", "gain") if options.merging else ("impurity", "gain", "score")
        restore(filled, options.criterion, problem.shift, scaled)
    filled["unseen_branch"] = filled["missing_branch"]
    if options.missing == "learned_side":
        # A side was learned for missing values, nothing for values the node has not seen: they
        # follow all branches (tree-cat-200k: accuracy 0.637, by the learned side 0.631).
        filled["unseen_branch"] = np.where(filled["kind"] == 2, -1, filled["missing_branch"])
    if options.unseen == "majority":
        filled["unseen_branch"] = _heaviest_branch(filled)
    if options.criterion == "impurity_ratio":
        gain, impurity = filled["gain"], filled["impurity"]
        left_over = impurity - gain
        with np.errstate(divide="ignore", invalid="ignore"):
            filled["score"] = np.where(left_over > 1e-15, gain / left_over, np.inf) * (gain > 0)
            filled["score"] = np.nan_to_num(filled["score"], nan=0.0, posinf=np.inf)
    filled["surrogate_reversed"] = filled["surrogate_reversed"].view(np.bool_)
    if problem.cost_factor is not None:  # costs altered the weights for growing only
        filled["value"] = filled["value"] / problem.cost_factor
        filled["weight"] = filled["value"].sum(axis=1)
    return Tree(
        arrays=TreeArrays(**filled),
        schema=problem.table.schema,
        classes=target.classes if isinstance(target, ClassTarget) else None,
        criterion=options.criterion,
        combine=options.combine,
        unseen=options.unseen,
        leaf=problem.leaf,
        record=TrainingRecord.keep(problem),
        recall=recall_of(problem),
    )


def _heaviest_branch(arrays: Mapping[str, Any]) -> npt.NDArray[np.int32]:
    """Give each node's branch of most weight, the first of equals; -1 at leaves."""
    parent, weight, first = arrays["parent"], arrays["weight"], arrays["first_child"]
    heaviest = np.full(len(parent), -1, dtype=np.int32)
    if len(parent) == 1:
        return heaviest
    children = np.arange(1, len(parent))
    owners = parent[1:]
    order = np.lexsort((children, -weight[1:], owners))
    firsts = np.unique(owners[order], return_index=True)
    heaviest[firsts[0]] = (children[order][firsts[1]] - first[firsts[0]]).astype(np.int32)
    return heaviest


def _check_target(problem: Problem) -> None:
    if problem.options.criterion == "poisson" and isinstance(problem.target, ValueTarget):
        values = problem.target.values
        below = np.any(np.atleast_2d(values.T).T < 0, axis=1)
        if problem.weights.weight is not None:
            below &= problem.weights.weight > 0
        if np.any(below):
            row = int(np.argmax(below))
            raise TargetError(
                f"criterion 'poisson' needs targets of 0 or more, but row {row} has"
                f" {np.min(values[row]):g}.\n  Hint: criterion='squared_error' takes any number."
            )
        if not np.all(np.any(values > 0, axis=0)):
            raise TargetError("criterion 'poisson' needs a target above 0 in at least one row.")
    if problem.options.monotonic_cst is not None:
        target = problem.target
        has_classes = isinstance(target, ClassTarget) and len(target.classes[0]) > 2
        if problem.n_outputs > 1 or has_classes:
            raise ParameterError("monotonic_cst needs one target of numbers or of two classes.")


def _check_memory(problem: Problem) -> None:
    """Refuse what cannot fit before anything is allocated: class counts of every node."""
    if problem.table.n_rows >= _MOST_ROWS:
        raise MemoryLimitError(
            f"the table has {problem.table.n_rows:,} rows; a tree takes at most {_MOST_ROWS - 1:,}."
            "\n  Hint: fit on a sample of the rows."
        )
    if not isinstance(problem.target, ClassTarget):
        return
    n_classes = sum(len(names) for names in problem.target.classes)
    options = problem.options
    n_nodes = 2 * problem.table.n_rows
    if options.max_leaf_nodes is not None:
        n_nodes = min(n_nodes, 2 * int(options.max_leaf_nodes))
    if options.max_depth is not None:
        n_nodes = min(n_nodes, 2 ** min(int(options.max_depth) + 1, 62))
    needed = 2 * 8 * n_nodes * n_classes
    if options.criterion != "gini":  # class counts of every value of a column, in each thread
        needed += 8 * problem.table.n_rows * n_classes * options.n_threads
    available = available_memory()
    if available is not None and needed > available:
        raise MemoryLimitError(
            f"a tree of up to {n_nodes:,} nodes with the weights of {n_classes:,} classes each"
            f" could need {needed / 1e9:.1f} GB, and {available / 1e9:.1f} GB are available.\n"
            "  Hint: max_leaf_nodes or max_depth bounds the tree; or group rare classes."
        )
