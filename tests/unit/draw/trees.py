"""Trees for tests of pictures: usual ones, and those that nobody would draw on purpose."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from treewright import DecisionTreeClassifier, DecisionTreeRegressor, load_example
from treewright.tree.tree import Tree

LONG = "average_monthly_balance_after_tax_and_fees_of_the_last_quarter_in_thousands_2019"
NASTY = "</title><script>alert('x')</script><&\">\u202e\x00\n end"
NAMES = (
    LONG,
    f"{LONG[:-1]}8",
    NASTY,
    "",
    "a",
    "\u05d0\u05d1\u05d2 right to left",
    "\u4e2d\u6587\u540d\u79f0\u5f88\u957f\u5f88\u957f\u5f88\u957f\u5f88\u957f\u5f88\u957f",
    "x" * 80,
)


def loans_tree(n_leaves: int) -> Tree:
    """Return a tree of the loans: three classes, gaps, dates, names."""
    loans = load_example("loans")
    return DecisionTreeClassifier(max_leaf_nodes=n_leaves).fit(loans.X, loans.y).tree_


def number_tree(n_leaves: int) -> Tree:
    """Return a tree that predicts numbers."""
    diabetes = load_example("diabetes")
    return DecisionTreeRegressor(max_leaf_nodes=n_leaves).fit(diabetes.X, diabetes.y).tree_


@st.composite
def grown_trees(draw: st.DrawFn) -> Tree:
    """Return a tree of a random table with any names."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    n_rows = draw(st.sampled_from([2, 30, 300]))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True))
    table: dict[str, object] = {}
    for name in names:
        kind = draw(st.sampled_from(["number", "small", "large", "names", "whole"]))
        n_values = draw(st.sampled_from([2, 3, 12, 50]))
        table[name] = {
            "number": rng.normal(size=n_rows),
            "small": rng.normal(size=n_rows) * 1e-9,
            "large": rng.normal(size=n_rows) * 1e12,
            "whole": rng.integers(0, 9, n_rows),
            "names": rng.choice([f"{NAMES[i % 8]} {i}" for i in range(n_values)], n_rows),
        }[kind]
    if draw(st.booleans()):
        gaps = np.asarray(table[names[0]], dtype=object)
        gaps[rng.random(n_rows) < 0.2] = None
        table[names[0]] = gaps
    n_leaves = draw(st.sampled_from([2, 5, 14, 40]))
    weight = rng.random(n_rows) + 0.1 if draw(st.booleans()) else None
    n_classes = draw(st.sampled_from([0, 1, 2, 4, 20]))
    nominal = draw(st.sampled_from(["multiway", "one_vs_rest"]))
    if n_classes == 0:
        target = rng.normal(size=n_rows) * draw(st.sampled_from([1e-3, 1.0, 1e6]))
        learner = DecisionTreeRegressor(max_leaf_nodes=n_leaves, nominal=nominal)
        return learner.fit(table, target, sample_weight=weight).tree_
    labels = [f"{NAMES[k % 8]} {k}" for k in range(n_classes)]
    target = np.array(labels, dtype=object)[rng.integers(0, n_classes, n_rows)]
    classifier = DecisionTreeClassifier(max_leaf_nodes=n_leaves, nominal=nominal)
    return classifier.fit(table, target, sample_weight=weight).tree_
