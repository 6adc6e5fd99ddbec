"""Everything a tree is grown from, converted to the core's form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.array_types import FloatArray, Int64Array
from treewright.core import GrowOptions, Target, content_hashes
from treewright.core import Merging as CoreMerging
from treewright.data.core_columns import lend
from treewright.data.read.target import ClassTarget
from treewright.errors import UnsupportedError
from treewright.grow.chaid import TESTED, Merging
from treewright.grow.column_parameters import column_costs, monotonic_signs
from treewright.grow.given_impurity import GivenImpurity
from treewright.grow.missing import IN_TRAINING, core_policy, filled, values_to_fill
from treewright.grow.options import GrowthOptions
from treewright.grow.recipes import ROUNDED_AS_RPART, SINGLE_PRECISION
from treewright.grow.target_scaling import in_units_of_shift
from treewright.grow.training_data import TrainingData
from treewright.tree.leaf import BY_MAJORITY, LeafRule
from treewright.tree.question import Stored

_AS_THEY_ARE = (
    "empty_branches",
    "strict_gain",
    "idle_values",
    "mdl_penalty",
    "c45_sides",
    "two_branches_suffice",
    "min_branch_share",
    "min_gap",
    "penalty_by_interval",
    "min_information",
    "as_rpart",
    "single_precision",
    "n_threads",
    "fuse",
)
"""Options that are passed to the core unchanged."""


@dataclass(frozen=True, kw_only=True)
class Problem(TrainingData):
    """Everything a tree is grown from; kept to explain or regrow its nodes.

    A tree of a forest has its number in ``tree``, and the columns drawn for it in ``columns``.
    ``fills`` has what missing values were filled with before growing, where they were.
    """

    options: GrowthOptions
    seed: int
    class_weight: object = None
    priors: object = None
    leaf: LeafRule = BY_MAJORITY
    cost_factor: FloatArray | None = None
    tree: int = 0
    columns: tuple[int, ...] | None = None
    fills: tuple[Stored, ...] | None = None

    def __post_init__(self) -> None:
        # Once, on the whole table: the parts of it that are taken later have the same fills.
        if self.options.missing == IN_TRAINING.name and self.fills is None:
            fills = values_to_fill(self.table, self.weights.weight)
            object.__setattr__(self, "fills", fills)
            object.__setattr__(self, "table", filled(self.table, fills))

    @property
    def counted_weight(self) -> FloatArray | None:
        """Weight of each row without the factors of a cost matrix, which apply to growing only."""
        weight = self.weights.weight
        if self.cost_factor is None or weight is None:
            return weight
        assert isinstance(self.target, ClassTarget)
        counted: FloatArray = weight / self.cost_factor[self.target.codes]
        return counted

    @property
    def evidence(self) -> float:
        """Rows per unit of weight: significance tests must not depend on the unit of weights."""
        return self.n_copies / self.total_weight

    def core_target(self) -> Target:
        """Return the target and weights in the core's form."""
        if isinstance(self.target, ClassTarget):
            n_classes = [len(names) for names in self.target.classes]
            target = Target.classes(np.ascontiguousarray(self.target.codes), n_classes)
        else:
            values = np.ascontiguousarray(self.learned_values())
            target = Target.values(values, self.n_outputs)
        self.weights.lend(target)
        given = self.given_impurity
        if given is not None:
            target.set_impurity(given)
        return target

    @property
    def given_impurity(self) -> GivenImpurity | None:
        """The impurity that the user gave as a function, if so."""
        function = self.options.impurity
        if function is None:
            return None
        shift = 0 if self.is_classification else self.shift
        return GivenImpurity(function, of_numbers=not self.is_classification, shift=shift)

    def canonical_order(self) -> Int64Array:
        """Return the rows ordered by their content and weight, however the table is ordered.

        Sums of floats that are taken in this order have the same last bit for any order of rows.
        """
        hashes = content_hashes(lend(self.table), self.core_target())
        weight = self.weights.weight
        keys = [hashes] if weight is None else [weight, hashes]
        return np.lexsort(keys)

    def core_options(self) -> GrowOptions:
        """Return the options in the core's form: rows instead of shares, columns by number."""
        core = GrowOptions()
        for name in _AS_THEY_ARE:
            setattr(core, name, getattr(self.options, name))
        core.seed = self.seed
        if self.options.impurity is not None:
            core.n_threads = 1  # Python runs one thread at a time
        core.tree = self.tree
        self._set_search(core)
        self._set_limits(core)
        self._set_columns(core)
        return core

    def _set_search(self, core: GrowOptions) -> None:
        """Set the kinds of splits searched, and the criterion."""
        options = self.options
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
        core.set_missing(core_policy(options.missing))
        core.set_threshold_at(options.threshold_at)
        by_impurity = options.criterion_traits.gains_impurity and self._selection() == "gain"
        # A cut that is drawn has not been chosen among many.
        is_chosen = options.splitter == "best" and by_impurity
        core.guard_many_values = options.guard_many_values and is_chosen
        core.class_boundaries = options.thresholds == "class_boundaries"
        core.max_surrogates = min(int(options.max_surrogates), 2**31 - 1)
        if isinstance(self.target, ClassTarget):
            core.declared_classes = self.target.n_declared
        if options.oblique is not None:
            core.set_oblique(*options.oblique.for_core(self.table.schema))

    def _set_limits(self, core: GrowOptions) -> None:
        """Set the limits below which a node is not split."""
        options = self.options
        depth = options.depth(len(self.table.schema.columns))
        core.max_depth = -1 if depth is None else min(depth, 2**62)
        core.pure_share = float(options.max_class_share)
        core.max_leaf_nodes = (
            -1 if options.max_leaf_nodes is None else min(int(options.max_leaf_nodes), 2**62)
        )
        core.min_leaf, core.min_split = self.limits(self.n_copies)
        # A share of weights that do not add exactly must not fail by a rounding error.
        core.min_leaf_weight = (1 - 1e-9) * float(options.min_fraction_leaf) * self.total_weight
        core.min_impurity = self._in_units(options.min_impurity)
        core.min_gain = self._in_units(options.min_impurity_decrease)
        core.max_p_value = 1.0 if options.max_p_value is None else float(options.max_p_value)

    def _set_columns(self, core: GrowOptions) -> None:
        """Set the columns drawn, their costs, monotonic constraints and tallies."""
        options, schema, target = self.options, self.table.schema, self.target
        n_columns = len(schema.columns)
        core.columns = self.drawn_columns
        per_node = options.features_per == "node"
        n_drawn = options.n_features(len(core.columns)) if per_node else len(core.columns)
        core.max_columns = n_drawn if per_node else 0
        core.random_ties = self.columns is not None  # as in all trees of a forest
        core.set_tally(self._tally(n_columns, n_drawn), options.code_width, options.wide)
        costs = column_costs(schema, options)
        if costs is not None:
            if options.cost_rule == "nunez" and not options.criterion_traits.is_bounded:
                raise UnsupportedError(
                    "cost_rule='nunez' raises 2 to the gain, and the gain of criterion"
                    f" {options.criterion!r} is not in bits.\n"
                    "  Hint: cost_rule='tan_schlimmer' or 'rpart'."
                )
            core.costs = costs
            core.cost_exponent = float(options.cost_exponent)
            core.set_cost_rule(options.cost_rule)
        signs = monotonic_signs(schema, options.monotonic_cst)
        if isinstance(target, ClassTarget) and len(target.classes[0]) < 2:
            signs = None  # one class: a constraint has no effect
        if signs is not None:
            core.monotonic = signs

    def limits(self, n_rows: float) -> tuple[float, float]:
        """Return the least rows of a branch, and of a node to be split, in a table of `n_rows`."""
        options = self.options
        min_leaf = options.amount("min_samples_leaf", n_rows)
        min_split = options.amount("min_samples_split", n_rows)
        if options.min_cases is not None:  # C4.5 counts divided cases: may be a decimal
            min_leaf, min_split = options.min_cases, 2 * options.min_cases
        if options.missing_policy.divides:
            counts_parts = options.min_cases is not None
            return _divided_limits(min_leaf, min_split, counts_parts=counts_parts)
        return min_leaf, min_split

    def _in_units(self, limit: float) -> float:
        return in_units_of_shift(float(limit), self.options.criterion, self.shift)

    def _core_criterion(self) -> str:
        """Return the name of the core's criterion; two algorithms have a variant of their own."""
        criterion = self.options.criterion_traits.core
        if self.options.as_rpart:
            return ROUNDED_AS_RPART.get(criterion, criterion)
        if self.options.single_precision and not self.options.c5_selection:
            return SINGLE_PRECISION.get(criterion, criterion)
        return criterion if self.options.merging is None else TESTED.get(criterion, criterion)

    def _selection(self) -> str:
        if self.options.criterion_traits.selection != "gain_ratio":
            return "gain"
        ratio = "c5_gain_ratio" if self.options.c5_selection else "gain_ratio"
        return f"guarded_{ratio}" if self.options.gain_guard else ratio

    @property
    def drawn_columns(self) -> list[int]:
        """Numbers of the columns that the tree may ask about."""
        n_columns = len(self.table.schema.columns)
        if self.columns is not None:
            return list(self.columns)
        n_drawn = self.options.n_features(n_columns)
        if self.options.features_per == "node" or n_drawn == n_columns:
            return list(range(n_columns))
        drawn = np.random.default_rng(self.seed).choice(n_columns, n_drawn, replace=False)
        return sorted(drawn.tolist())

    def _tally(self, n_columns: int, n_drawn: int) -> str:
        """Return how the core holds columns: sorted lists, unless few are searched per node.

        Keeping a list sorted costs about a tenth of tallying codes for a node (tree-clf-100k, all
        20 columns: 0.24 s against 2.3 s), so lists pay down to a sixteenth of the columns.
        """
        if self.options.tally != "automatic":
            return self.options.tally
        few = self.options.features_per == "node" and n_drawn * 16 < n_columns
        return "codes" if few and not self.options.missing_policy.uses_surrogates else "lists"


def _core_merging(merging: Merging) -> CoreMerging:
    core = CoreMerging()
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
    """Return the limits for nodes that hold parts of rows.

    Three thirds may sum to less than one, so limits are a little lower; and the limits that
    mean "none" (a row in every branch, two to be split) let parts pass, down to a thousandth of a
    row: without a bound, a row with many missing values would be divided again and again. C4.5's
    own limit (`counts_parts`) is applied exactly.
    """
    if not counts_parts and min_leaf <= 1:
        min_leaf, min_split = 1e-3, 2e-3 if min_split <= 2 else min_split
    return min_leaf * (1 - 1e-9), min_split * (1 - 1e-9)
