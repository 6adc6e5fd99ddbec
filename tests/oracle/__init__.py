"""Slow, obvious, pure-Python decision trees: what the fast code is measured against.

No code is shared with ``treewright``, nothing is accumulated or cached, and every split is tried.
"""

from oracle.criteria import CLASS_CRITERIA, VALUE_CRITERIA
from oracle.splits import (
    MISSING_POLICIES,
    Scored,
    best_score,
    best_splits,
    candidate_splits,
    column_values,
    score_of,
    surrogate_agreement,
)
from oracle.table import Split, Table
from oracle.trees import (
    Leaf,
    Node,
    Question,
    depth,
    distribution,
    expected_tests,
    grow_c45,
    grow_id3,
    smallest_margin,
    walk,
)

__all__ = [
    "CLASS_CRITERIA",
    "MISSING_POLICIES",
    "VALUE_CRITERIA",
    "Leaf",
    "Node",
    "Question",
    "Scored",
    "Split",
    "Table",
    "best_score",
    "best_splits",
    "candidate_splits",
    "column_values",
    "depth",
    "distribution",
    "expected_tests",
    "grow_c45",
    "grow_id3",
    "score_of",
    "smallest_margin",
    "surrogate_agreement",
    "walk",
]
