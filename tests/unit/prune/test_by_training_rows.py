"""Pruners that look at the class counts in the nodes alone, on figures worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from unit.tree.hand_trees import build, categories, cut, leaf, nominal, numeric, schema_of

from treewright import DecisionTreeClassifier, Tree, load_example
from treewright.prune import (
    MDL,
    ChiSquare,
    CriticalValue,
    MinimumError,
    MinimumFraction,
    OneStandardError,
    Pessimistic,
    Pruner,
    ToDepth,
)
from treewright.prune.methods.chi_square import split_p_values
from treewright.tree.leaf import LeafRule

X = schema_of(numeric("x"))


def stump(left: tuple[float, ...], right: tuple[float, ...], **options: object) -> Tree:
    classes = "abc"[: len(left)]
    return build(X, cut("x", 0.0, leaf(*left), leaf(*right)), classes, **options)


def figures_of(pruner: Pruner, tree: Tree) -> tuple[float, float]:
    record = pruner.prune(tree).pruning
    assert record is not None
    assert record.node.tolist() == [0]
    return float(record.before[0]), float(record.after[0])


def test_pessimistic_adds_half_an_error_for_each_leaf() -> None:
    # Subtree: 6 errors + 2/2 = 7, and a standard error of sqrt(7 x 13 / 20); leaf: 6 + 1/2.
    before, after = figures_of(Pessimistic(), stump((10, 2), (4, 4)))
    assert before == pytest.approx(7 + math.sqrt(7 * 13 / 20))
    assert after == 6.5


def test_pessimistic_keeps_what_is_a_standard_error_better() -> None:
    tree = stump((30, 0), (0, 30))
    assert Pessimistic().prune(tree).n_nodes == 3
    assert Pessimistic(n_standard_errors=0).prune(stump((10, 2), (3, 4))).n_nodes == 3
    assert Pessimistic(n_standard_errors=9).prune(stump((10, 2), (3, 4))).n_nodes == 1


def test_pessimistic_judges_from_the_top_what_grew_below() -> None:
    weak = cut("x", -1.0, leaf(5, 1), leaf(4, 1))
    tree = build(X, cut("x", 0.0, weak, leaf(0, 40)), ["a", "b"])
    record = Pessimistic().prune(tree).pruning
    assert record is not None
    assert record.node.tolist() == [1]


def test_chi_square_is_scipys() -> None:
    tree = stump((10, 5, 1), (3, 6, 9))
    expected = stats.chi2_contingency([[10, 5, 1], [3, 6, 9]], correction=False).pvalue
    assert split_p_values(tree)[0] == pytest.approx(expected)
    assert ChiSquare(alpha=expected * 1.001).prune(tree).n_nodes == 3
    assert ChiSquare(alpha=expected * 0.999).prune(tree).n_nodes == 1


def test_yates_corrects_tables_of_two_by_two_only() -> None:
    tree = stump((10, 5), (3, 9))
    expected = stats.chi2_contingency([[10, 5], [3, 9]], correction=True).pvalue
    assert split_p_values(tree, yates=True)[0] == pytest.approx(expected)
    wide = stump((10, 5, 1), (3, 6, 9))
    assert np.array_equal(split_p_values(wide, yates=True), split_p_values(wide))


def test_branches_and_classes_without_rows_are_not_counted() -> None:
    root = categories(
        "colour", (["r"], leaf(8, 2, 0)), (["g"], leaf(3, 9, 0)), (["b"], leaf(0, 0, 0))
    )
    tree = build(schema_of(nominal("colour", "r", "g", "b")), root, ["a", "b", "c"])
    expected = stats.chi2_contingency([[8, 2], [3, 9]], correction=False).pvalue
    assert split_p_values(tree)[0] == pytest.approx(expected)


def test_a_split_of_one_class_is_due_to_chance() -> None:
    assert split_p_values(stump((5, 0), (3, 0)))[0] == 1.0
    assert ChiSquare(alpha=0.99).prune(stump((5, 0), (3, 0))).n_nodes == 1


def test_a_weak_split_above_a_strong_one_stays() -> None:
    strong = cut("x", -1.0, leaf(20, 0), leaf(0, 20))
    tree = build(X, cut("x", 0.0, strong, leaf(2, 2)), ["a", "b"])
    assert split_p_values(tree)[0] > 0.05
    assert ChiSquare().prune(tree).n_leaves == 3


def test_minimum_fraction_is_repeated_from_the_bottom() -> None:
    # 2 of 100 rows are less than 3 %; then 2 + 0.5: the new leaf is too small itself.
    small = cut("x", -2.0, leaf(1, 0), leaf(0, 1))
    tree = build(X, cut("x", 0.0, cut("x", -1.0, small, leaf(3, 0)), leaf(45, 50)), ["a", "b"])
    assert MinimumFraction().prune(tree).n_leaves == 2
    assert MinimumFraction(fraction=0.02).prune(tree).n_leaves == 3
    assert MinimumFraction(fraction=0.0).prune(tree).n_leaves == 4


def test_a_leaf_of_just_the_fraction_stays() -> None:
    tree = stump((3, 0), (0, 97))
    assert MinimumFraction(fraction=0.03).prune(tree).n_leaves == 2


def test_critical_value_looks_at_the_strongest_split_below() -> None:
    iris = load_example("iris")
    tree = DecisionTreeClassifier().fit(iris.X, iris.y).tree_
    gain = tree.arrays.gain
    for value in (0.05, 0.2, 0.4):
        pruned = CriticalValue(value=value).prune(tree)
        record = pruned.pruning
        assert record is not None
        for node, before in zip(record.node.tolist(), record.before.tolist(), strict=True):
            below = [n for n in range(tree.n_nodes) if node in (n, *tree.ancestors(n))]
            assert before == max(gain[n] for n in below) < value
    assert CriticalValue(value=0.4).prune(tree).n_leaves < tree.n_leaves


def test_critical_value_of_the_score() -> None:
    play = load_example("play_tennis")
    tree = (
        DecisionTreeClassifier(criterion="gain_ratio", nominal="multiway").fit(play.X, play.y).tree_
    )
    best = float(tree.arrays.score.max())
    assert best > float(tree.arrays.gain.max())
    assert CriticalValue(value=best * 0.999, of="score").prune(tree).n_leaves > 1
    assert CriticalValue(value=best * 0.999, of="gain").prune(tree).n_leaves == 1


def test_minimum_error_by_laplaces_estimate() -> None:
    # 5 a and 1 b: (1 + 1) / (6 + 2); the children (0 + 1) / (3 + 2) and (1 + 1) / (3 + 2).
    before, after = figures_of(MinimumError(m=None), stump((3, 0), (2, 1)))
    assert after / 6 == pytest.approx(2 / 8)
    assert before / 6 == pytest.approx((1 / 5 + 2 / 5) / 2)
    assert MinimumError(m=None).prune(stump((3, 0), (1, 2))).n_nodes == 3  # 3/8 against 3/10


def test_minimum_error_by_the_m_estimate() -> None:
    # The prior of b is 4/14: m = 2 adds 4/7 of an error to each.
    before, after = figures_of(MinimumError(m=2.0), stump((2, 0), (8, 4)))
    assert after == pytest.approx(14 * (4 + 4 / 7) / 16)
    assert before == pytest.approx(2 * (0 + 4 / 7) / 4 + 12 * (4 + 4 / 7) / 14)
    assert MinimumError(m=2.0).prune(stump((3, 0), (0, 2))).n_nodes == 3


def test_minimum_error_weighs_costs() -> None:
    plain = stump((6, 1), (6, 2))
    assert MinimumError(m=0).prune(plain).n_nodes == 1
    costs = LeafRule(cost_matrix=np.array([[0.0, 1.0], [5.0, 0.0]]))
    kept = MinimumError(m=0).prune(stump((6, 1), (6, 2), leaf=costs))
    assert kept.n_nodes == 3  # 7 a's and 1 b are called a, 6 a's and 2 b's are called b


def test_mdl_counts_bits() -> None:
    tree = stump((6, 0), (3, 3))
    bits = MDL(question_weight=2.0)
    before, after = figures_of(bits, tree)
    constant = math.log2(math.pi)  # pi^(2/2) / Gamma(2/2)
    entropy = -(9 * math.log2(9 / 12) + 3 * math.log2(3 / 12))
    assert after == pytest.approx(1 + entropy + 0.5 * math.log2(6) + constant)
    leaves = (1 + 0.5 * math.log2(3) + constant) + (1 + 6 + 0.5 * math.log2(3) + constant)
    assert before == pytest.approx(leaves + 2 * (1 + 0 + math.log2(11)))


def test_mdl_names_one_value_among_all_of_its_column() -> None:
    x = {"colour": list("rgbyrgby") * 4, "size": [0.0] * 32}
    y = [colour == "r" for colour in x["colour"]]
    tree = DecisionTreeClassifier(nominal="one_vs_rest").fit(x, y).tree_
    assert tree.n_leaves == 2
    record = MDL(question_weight=50.0).prune(tree).pruning
    assert record is not None
    constant = math.log2(math.pi)
    leaves = (1 + 0.5 * math.log2(4) + constant) + (1 + 0.5 * math.log2(12) + constant)
    assert record.before[0] == pytest.approx(leaves + 50 * (1 + math.log2(2) + math.log2(4)))


def test_a_question_that_counts_for_more_prunes_more() -> None:
    cancer = load_example("breast_cancer")
    tree = DecisionTreeClassifier().fit(cancer.X, cancer.y).tree_
    sizes = [MDL(question_weight=w).prune(tree).n_leaves for w in (0.0, 0.3, 1.0, 10.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 2


def test_one_standard_error_allows_training_errors_to_rise() -> None:
    # 4 errors in 100: up to 4 + sqrt(4 x 0.96) = 5.96 are allowed.
    weak = cut("x", -1.0, leaf(40, 2), leaf(2, 3))  # saves 1 error
    tree = build(X, cut("x", 0.0, weak, leaf(0, 53)), ["a", "b"])
    assert OneStandardError().prune(tree).n_leaves == 2
    assert OneStandardError(n_standard_errors=0.5).prune(tree).n_leaves == 3
    perfect = stump((5, 0), (0, 5))
    assert OneStandardError().prune(perfect).n_leaves == 2


@pytest.mark.parametrize("depth", range(7))
def test_to_depth_leaves_paths_of_this_length(depth: int) -> None:
    iris = load_example("iris")
    tree = DecisionTreeClassifier().fit(iris.X, iris.y).tree_
    pruned = ToDepth(depth=depth).prune(tree)
    assert pruned.depth == min(depth, tree.depth)
    shallow = DecisionTreeClassifier(max_depth=depth).fit(iris.X, iris.y) if depth else None
    if shallow is not None:
        assert (pruned.predict(iris.X) == shallow.predict(iris.X)).all()
