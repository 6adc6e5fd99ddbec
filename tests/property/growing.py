"""From a sample to the engine's tree, and from the tree to the oracle's words."""

from typing import Any

import numpy as np
import oracle
from hypothesis import settings

from property.tables import Sample
from treewright.data.read.table import read_table, typed_by_weight
from treewright.data.read.target import ClassTarget, ValueTarget, read_classes, read_values
from treewright.data.read.weights import RowWeights, read_weights
from treewright.grow.fit import fit_tree
from treewright.grow.options import GrowthOptions
from treewright.grow.problem import Problem
from treewright.tree.question import Categories, Question
from treewright.tree.tree import Tree


def examples(share: float) -> settings:
    """The loaded profile, with its number of examples times a share: what an example costs."""
    default = settings()
    return settings(default, max_examples=max(3, round(default.max_examples * share)))


def problem_of(sample: Sample, options: GrowthOptions, *, seed: int = 0) -> Problem:
    table = read_table(sample.frame, schema=sample.schema)
    weights = None if sample.weights is None else np.array(sample.weights)
    y, owner = list(sample.target), "the test"
    target: ClassTarget | ValueTarget = (
        read_classes(y, owner=owner, class_order=sample.classes)
        if sample.is_classification
        else read_values(y, owner=owner)
    )
    read = RowWeights.of(read_weights(weights, sample.n_rows))
    return Problem(
        table=typed_by_weight(table, read.weight),  # as fit does
        target=target,
        weights=read,
        options=options,
        seed=seed,
    )


def grow(sample: Sample, *, seed: int = 0, **options: Any) -> Tree:
    options.setdefault("criterion", "gini" if sample.is_classification else "squared_error")
    return fit_tree(problem_of(sample, GrowthOptions(**options), seed=seed))


def split_of(tree: Tree, node: int = 0) -> oracle.Split | None:
    """The question of a node as the oracle puts it; None at a leaf."""
    question = tree.question(node)
    return None if question is None else as_oracle_split(question)


def as_oracle_split(question: Question) -> oracle.Split:
    missing_branch = None if question.missing_branch < 0 else question.missing_branch
    if isinstance(question, Categories):
        return oracle.Split(
            column=question.index,
            kind="categories",
            branch_of_value={
                value: question.branch_of(code)
                for code, value in enumerate(question.column.values)
                if question.knows(code)
            },
            missing_branch=missing_branch,
        )
    return oracle.Split(
        column=question.index,
        kind="cut",
        threshold=question.threshold,
        missing_branch=missing_branch,
    )


def scale_of_score(sample: Sample, criterion: str) -> float:
    """What 1 is to a score: the size below which a difference of 1e-12 means nothing."""
    if sample.is_classification:
        return sample.total_weight if criterion == "chi2" else 1.0
    goals: set[float] = sample.weighed_target
    spread = max(goals) - min(goals)
    return {
        "squared_error": spread**2,
        "absolute_error": spread,
        "poisson": 1.0 + max(goals),
        "weighted_squared_error": spread**2 * max(1.0, sample.total_weight),
        "standard_deviation": spread,
        "fifth_root": spread**0.4,
    }[criterion]
