"""Which trees are updated node by node, by a positive list; every other is grown anew.

The list asks that the choice in a node depends on the rows of the node alone, and that the bound of
:mod:`treewright.stream.others` holds: the search finds the best question of every column, and
columns are compared by what their questions take away from an impurity whose sums over sets of rows
never exceed that of their union.
"""

from __future__ import annotations

from treewright.data.fitted_schema import ColumnSpec
from treewright.data.read.target import ClassTarget
from treewright.grow.column_parameters import column_costs
from treewright.grow.options import GrowthOptions
from treewright.grow.problem import Problem
from treewright.parameters import is_whole

_FEW_VALUES = 10
"""Up to so many values a column pays nothing for its choices, and the best subset is found for any
number of classes (``split/selection.hpp``)."""


def is_updated_by_node(problem: Problem) -> bool:
    """Return whether the tree of a problem can be updated node by node."""
    options, target, schema = problem.options, problem.target, problem.table.schema
    return (
        isinstance(target, ClassTarget)
        and target.single
        and problem.weights.weight is None
        and problem.cost_factor is None
        and problem.fills is None
        and _searches_all(options)
        and _looks_at_node_alone(options)
        and options.n_features(len(schema.columns)) == len(schema.columns)
        and column_costs(schema, options) is None
        and all(_is_searched_exactly(spec, target, options) for spec in schema.columns)
    )


def _searches_all(options: GrowthOptions) -> bool:
    return (
        options.criterion in ("gini", "entropy")
        and options.impurity is None
        and options.splitter == "best"
        and options.numeric == "threshold"
        and options.nominal in ("subset", "one_vs_rest")
        and options.missing == "learned_side"
        and options.thresholds == "all"
    )


def _looks_at_node_alone(options: GrowthOptions) -> bool:
    """Return whether no limit is a share of all rows, and no cut moves to a value of others."""
    return (
        options.threshold_at != "training"
        and options.max_leaf_nodes is None
        and is_whole(options.min_samples_leaf)
        and is_whole(options.min_samples_split)
        and float(options.min_fraction_leaf) == 0.0
        and float(options.min_impurity_decrease) == 0.0
        and options.max_p_value is None
        and options.monotonic_cst is None
    )


def _is_searched_exactly(spec: ColumnSpec, target: ClassTarget, options: GrowthOptions) -> bool:
    if spec.kind != "nominal" or len(spec.values) <= _FEW_VALUES:
        return True
    if options.guard_many_values:
        return False
    return options.nominal == "one_vs_rest" or len(target.classes[0]) == 2
