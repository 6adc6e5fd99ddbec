"""What each pruner says about a parameter, a tree or rows it cannot take, word for word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from unit.tree.hand_trees import build, cut, leaf, mean_leaf, numeric, schema_of

from treewright import DecisionTreeClassifier, Tree
from treewright.errors import (
    DataError,
    ParameterError,
    TargetError,
    TreewrightError,
    UnknownParameterError,
    UnsupportedError,
)
from treewright.prune import (
    MDL,
    PRUNERS,
    ChiSquare,
    CostComplexity,
    CriticalValue,
    ErrorBased,
    MinimumError,
    MinimumFraction,
    OneStandardError,
    Pessimistic,
    Pruner,
    ReducedError,
    ToDepth,
)

X = np.array([[0.0], [1.0], [2.0], [3.0]])
Y = ["a", "a", "b", "a"]


def stump() -> Tree:
    return build(schema_of(numeric("x")), cut("x", 1.0, leaf(3, 1), leaf(1, 4)), ["a", "b"])


def of_numbers() -> Tree:
    return build(schema_of(numeric("x")), cut("x", 1.0, mean_leaf(3, 1.0), mean_leaf(5, 2.0)))


def of_two_outputs() -> Tree:
    y = np.array([["a", "u"], ["b", "u"], ["a", "v"], ["b", "v"]])
    return DecisionTreeClassifier().fit(X, y).tree_


def said(
    error: type[TreewrightError], pruner: Pruner, *rows: Any, tree: Tree | None = None, **given: Any
) -> str:
    with pytest.raises(error) as caught:
        pruner.prune(stump() if tree is None else tree, *rows, **given)
    assert type(caught.value) is error
    return str(caught.value)


@pytest.mark.parametrize(
    ("pruner", "message"),
    [
        (ReducedError(candidates="all"), "candidates='all' must be one of 'any', 'bottom_up', 'le"),
        (ReducedError(accept="nearly"), "accept='nearly' must be one of 'not_worse', 'better'."),
        (ReducedError(fraction=0.0), "fraction=0.0 must be above 0 and below 1."),
        (ReducedError(fraction=1), "fraction=1 must be above 0 and below 1."),
        (ReducedError(fraction=-0.5), "fraction=-0.5 must be above 0 and below 1."),
        (ReducedError(fraction="third"), "fraction='third' must be a number."),  # type: ignore[arg-type]
        (ReducedError(random_state=None), "random_state=None must be a whole number."),  # type: ignore[arg-type]
        (ReducedError(random_state=-1), "random_state=-1 must be at least 0."),
        (CostComplexity(alpha=-1.0), "alpha=-1.0 must be at least 0, or None."),
        (CostComplexity(alpha="0.1"), "alpha='0.1' must be a number or None."),  # type: ignore[arg-type]
        (CostComplexity(alpha=float("nan")), "alpha=nan must be at least 0, or None."),
        (CostComplexity(alpha=0.1, on="cost"), "on='cost' must be one of 'errors', 'impurity'."),
        (CostComplexity(rule="2-SE"), "rule='2-SE' must be one of 'min', '1-SE'.\n  Hint: did you"),
        (CostComplexity(cv=1), "cv=1 must be at least 2."),
        (CostComplexity(cv=2.5), "cv=2.5 must be a whole number."),  # type: ignore[arg-type]
        (CostComplexity(random_state=0.5), "random_state=0.5 must be a whole number."),  # type: ignore[arg-type]
        (ErrorBased(confidence=0.0), "confidence=0.0 must be above 0 and below 1, or None."),
        (ErrorBased(confidence=1), "confidence=1 must be above 0 and below 1, or None."),
        (ErrorBased(confidence=25), "confidence=25 must be above 0 and below 1, or None."),
        (ErrorBased(confidence=True), "confidence=True must be a number or None."),
        (ErrorBased(raising="yes"), "raising='yes' must be True or False."),  # type: ignore[arg-type]
        (ErrorBased(collapse=0), "collapse=0 must be True or False."),  # type: ignore[arg-type]
        (
            ErrorBased(variant="release_8"),  # type: ignore[arg-type]
            "variant='release_8' must be one of 'release8', 'j48', 'c5'.\n"
            "  Hint: did you mean 'release8'?",
        ),
        (OneStandardError(n_standard_errors=-1), "n_standard_errors=-1 must be at least 0."),
        (Pessimistic(n_standard_errors="1"), "n_standard_errors='1' must be a number."),  # type: ignore[arg-type]
        (ChiSquare(alpha=1.5), "alpha=1.5 must be between 0 and 1."),
        (ChiSquare(yates=1), "yates=1 must be True or False."),  # type: ignore[arg-type]
        (MinimumFraction(fraction=3), "fraction=3 must be between 0 and 1."),
        (CriticalValue(value=-0.1), "value=-0.1 must be at least 0."),
        (CriticalValue(of="ratio"), "of='ratio' must be one of 'gain', 'score'."),
        (MinimumError(m=-2), "m=-2 must be at least 0, or None."),
        (MDL(question_weight=None), "question_weight=None must be a number."),  # type: ignore[arg-type]
        (ToDepth(depth=-1), "depth=-1 must be at least 0."),
        (ToDepth(depth=True), "depth=True must be a whole number."),
        (ToDepth(depth=2.0), "depth=2.0 must be a whole number."),  # type: ignore[arg-type]
    ],
    ids=repr,
)
def test_a_parameter_out_of_range_is_named(pruner: Pruner, message: str) -> None:
    assert said(ParameterError, pruner, X, Y).startswith(message)


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    assert ToDepth(depth=np.int64(0)).prune(stump()).n_nodes == 1  # type: ignore[arg-type]


def test_reduced_error_needs_rows() -> None:
    assert said(ParameterError, ReducedError()) == (
        "ReducedError judges by rows that did not take part in growing.\n"
        "  Hint: ReducedError().prune(tree, X_valid, y_valid), or prune='reduced_error' in an"
        " estimator, which keeps some rows back."
    )


def test_cost_complexity_needs_a_penalty_or_rows() -> None:
    assert said(ParameterError, CostComplexity()) == (
        "CostComplexity has no alpha and no rows to choose it by.\n"
        "  Hint: CostComplexity(alpha=0.01), .prune(tree, X_valid, y_valid), or"
        " prune=CostComplexity() in an estimator, which cross-validates."
    )


@pytest.mark.parametrize("pruner", [ReducedError(), Pessimistic(), ErrorBased()])
@pytest.mark.parametrize("rows", [{"X": X}, {"y": Y}, {"sample_weight": [1.0] * 4}])
def test_half_a_sample_is_refused(pruner: Pruner, rows: dict[str, Any]) -> None:
    assert said(ParameterError, pruner, **rows) == (
        f"{type(pruner).__name__}: X, y and sample_weight belong to one table.\n"
        "  Hint: give X and y, with sample_weight if the rows have any, or none of them."
    )


@pytest.mark.parametrize("test", [X, (X,), "rows", (X, Y, Y)])
def test_rows_for_the_curve_come_as_a_pair(test: Any) -> None:
    assert said(ParameterError, Pessimistic(), test=test) == (
        "Pessimistic: test must be a pair, a table and its answers: (X, y)."
    )


def test_a_class_the_tree_does_not_know_is_named() -> None:
    assert said(TargetError, ReducedError(), X, ["a", "b", "c", "a"]) == (
        "ReducedError: row 2 has class 'c', which the tree does not know.\n  Classes: a, b"
    )


def test_a_category_the_tree_refuses_is_refused() -> None:
    x = {"colour": ["r", "g", "r", "g"]}
    tree = DecisionTreeClassifier(unseen="error").fit(x, Y).tree_
    new = {"colour": ["r", "blue"]}
    assert said(DataError, ReducedError(), new, ["a", "b"], tree=tree).startswith(
        "column 'colour', row 1 holds 'blue', which was not there at fit."
    )
    tree = DecisionTreeClassifier().fit(x, Y).tree_
    assert ReducedError().prune(tree, new, ["a", "b"]).n_leaves <= tree.n_leaves


def test_answers_of_too_many_outputs_are_refused() -> None:
    two = np.column_stack([Y, Y])
    assert said(TargetError, ReducedError(), X, two) == (
        "ReducedError: y has 2 columns, the tree predicts 1."
    )
    numbers = np.ones((4, 2))
    assert said(TargetError, ReducedError(), X, numbers, tree=of_numbers()) == (
        "ReducedError: y has 2 columns, the tree predicts 1."
    )


@pytest.mark.parametrize(
    "pruner",
    [Pessimistic(), ChiSquare(), MinimumError(), MDL(), ErrorBased(), OneStandardError()],
    ids=lambda pruner: pruner.name,
)
def test_what_counts_errors_refuses_trees_of_numbers(pruner: Pruner) -> None:
    assert said(UnsupportedError, pruner, tree=of_numbers()) == (
        f"{type(pruner).__name__} judges classes; this tree predicts numbers.\n"
        "  Hint: CostComplexity(on='impurity') and ReducedError prune such trees."
    )


@pytest.mark.parametrize(
    "pruner",
    [Pessimistic(), ChiSquare(), MinimumError(), MDL(), ErrorBased(), OneStandardError()],
    ids=lambda pruner: pruner.name,
)
def test_what_judges_one_target_refuses_several(pruner: Pruner) -> None:
    assert said(UnsupportedError, pruner, tree=of_two_outputs()) == (
        f"{type(pruner).__name__} judges one target; this tree predicts 2.\n"
        "  Hint: CostComplexity and ReducedError prune such trees."
    )


def test_a_name_that_is_none_is_refused_with_the_nearest() -> None:
    with pytest.raises(ParameterError) as caught:
        stump().prune("reduced_eror")
    listed = ", ".join(repr(each.name) for each in PRUNERS)
    assert str(caught.value) == (
        "prune='reduced_eror' must be a pruner of treewright.prune or one of"
        f" {listed}.\n  Hint: did you mean 'reduced_error'?"
    )
    with pytest.raises(ParameterError, match=r"prune=3 must be a pruner of treewright\.prune"):
        stump().prune(3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"Hint: ToDepth\(\) is one, its class is not\."):
        stump().prune(ToDepth)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"Hint: did you mean 'mdl'\?"):
        stump().prune("MDL")


def test_an_estimator_in_place_of_its_tree_is_told_so() -> None:
    model = DecisionTreeClassifier().fit(X, Y)
    with pytest.raises(ParameterError) as caught:
        MDL().prune(model)
    assert str(caught.value) == (
        "tree=DecisionTreeClassifier() is no Tree.\n  Hint: pass its tree_."
    )
    with pytest.raises(ParameterError, match=r"tree=None is no Tree\.$"):
        MDL().prune(None)  # type: ignore[arg-type]


def test_a_target_of_the_other_kind_names_no_other_estimator() -> None:
    assert said(TargetError, ReducedError(), X, [0.1, 0.2, 0.3, 0.4]) == (
        "Unknown label type: continuous. ReducedError needs classes, but the target has 4 distinct"
        " decimal numbers.\n  Hint: bin the target first."
    )
    assert said(TargetError, ReducedError(), X, Y, tree=of_numbers()) == (
        "ReducedError needs numbers, but the target holds text: row 0 is 'a'.\n"
        "  Hint: convert the target to numbers."
    )


def test_settings_go_with_a_name() -> None:
    assert stump().prune("to_depth", depth=0).n_leaves == 1
    assert stump().prune("to_depth").n_leaves == 2
    with pytest.raises(UnknownParameterError) as told:
        stump().prune("to_depth", dept=0)
    assert str(told.value) == (
        "'to_depth' has no setting 'dept'.\n  Settings: depth.\n  Hint: did you mean 'depth'?"
    )
    with pytest.raises(ParameterError) as told:
        stump().prune(ToDepth(), depth=0)
    assert str(told.value) == (
        "depth=0 beside a pruner: settings go with a name.\n  Hint: prune('to_depth', depth=0)."
    )
    with pytest.raises(ParameterError, match="depth=-1 must be at least 0"):
        stump().prune("to_depth", depth=-1)
