"""Tests of differences between learners: on folds, on rows, over tables, and several at once."""

from treewright.evaluate.significance.folds import five_by_two_f, five_by_two_t, paired_t
from treewright.evaluate.significance.hypothesis_test import HypothesisTest
from treewright.evaluate.significance.ranks import (
    Friedman,
    Nemenyi,
    RankPair,
    average_ranks,
    friedman,
    nemenyi,
)
from treewright.evaluate.significance.rows import auc_difference, paired_rows
from treewright.evaluate.significance.several import Simultaneous, adjusted, bonferroni, max_t
from treewright.evaluate.significance.tables import wilcoxon
from treewright.evaluate.significance.wins import mcnemar, sign_test

__all__ = [
    "Friedman",
    "HypothesisTest",
    "Nemenyi",
    "RankPair",
    "Simultaneous",
    "adjusted",
    "auc_difference",
    "average_ranks",
    "bonferroni",
    "five_by_two_f",
    "five_by_two_t",
    "friedman",
    "max_t",
    "mcnemar",
    "nemenyi",
    "paired_rows",
    "paired_t",
    "sign_test",
    "wilcoxon",
]
