"""Models at the edges: one class, many classes, deep trees, infinities, extreme targets."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright import export
from treewright.errors import ParameterError, UnsupportedError

RANDOM = np.random.default_rng(1)
X = RANDOM.normal(size=(200, 3))
X[::7, 1] = np.nan
CLASSES = RANDOM.integers(0, 40, 200)
DAYS = np.datetime64("1500-01-01") + RANDOM.integers(0, 400_000, 200).astype("m8[D]")
MAKERS: dict[str, Callable[[], Any]] = {
    "whole_classes": lambda: tw.DecisionTreeClassifier(max_depth=3).fit(X, 10 * (CLASSES % 3)),
    "one_class": lambda: tw.DecisionTreeClassifier().fit(X, np.zeros(200, dtype=int)),
    "one_boosted_class": lambda: tw.GradientBoostingClassifier(n_estimators=3).fit(X, ["a"] * 200),
    "many_classes": lambda: tw.RandomForestClassifier(n_estimators=3, random_state=0).fit(
        X, CLASSES
    ),
    "deep": lambda: tw.DecisionTreeClassifier(criterion="entropy").fit(
        np.arange(60.0)[:, np.newaxis], np.arange(60) % 2
    ),
    "single_precision": lambda: tw.RandomForestClassifier(n_estimators=3, random_state=0).fit(
        X.astype(np.float32), CLASSES % 2
    ),
    "infinities": lambda: tw.DecisionTreeRegressor(max_depth=4).fit(
        np.where(X > 1.5, np.inf, X), X[:, 0]
    ),
    "old_dates": lambda: tw.DecisionTreeClassifier(max_depth=3, missing="divide").fit(
        {"day": DAYS, "x": X[:, 0]}, np.datetime64("1900-01-01") < DAYS
    ),
    "huge_target": lambda: tw.GradientBoostingRegressor(n_estimators=4).fit(X, 1e300 * X[:, 0]),
    "tiny_target": lambda: tw.GradientBoostingRegressor(n_estimators=4).fit(X, 1e-300 * X[:, 0]),
}


REFUSED = {
    ("onnx", "one_class"),
    ("onnx", "one_boosted_class"),
    ("treelite", "one_boosted_class"),
    ("treelite", "old_dates"),
    ("treelite", "huge_target"),
    ("treelite", "tiny_target"),
}


@cache
def model(name: str) -> Any:
    return MAKERS[name]()


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("target", ["python", "c", "javascript", "sql", "onnx", "treelite"])
def test_a_strange_model_is_answered_for_or_refused(target: str, name: str) -> None:
    options = {"proba": True} if target == "sql" else {}
    if target in ("onnx", "treelite"):
        pytest.importorskip(target)
    if (target, name) in REFUSED:
        with pytest.raises(UnsupportedError, match="Hint: "):
            getattr(export, target)(model(name))
        return
    made = getattr(export, target)(model(name), n_rows=300, **options)
    if made.proof.not_run:
        pytest.skip(made.proof.not_run)
    assert made.proof.holds, str(made.proof)


@pytest.mark.parametrize("target", ["python", "sql", "onnx", "treelite"])
def test_a_stump_votes_for_the_class_of_its_root_where_both_branches_are_followed(
    target: str,
) -> None:
    """Each round of SAMME leaves all classes equally heavy: rounding must not choose among them."""
    if target in ("onnx", "treelite"):
        pytest.importorskip(target)
    letters, random = np.array(list("uvwxyz")), np.random.default_rng(24)  # a seed with such a tie
    y = random.integers(0, 6, 300)
    table = {
        name: np.where(random.random(300) < 0.8, letters[y], letters[random.integers(0, 6, 300)])
        for name in "abcd"
    }
    fitted = tw.AdaBoostClassifier(n_estimators=12, random_state=0).fit(table, y)
    options = {"proba": True} if target == "sql" else {}
    made = getattr(export, target)(fitted, n_rows=400, **options)
    assert made.proof.not_run or made.proof.holds, str(made.proof)


@pytest.mark.parametrize("n_classes", [3, 7])
def test_treelite_has_a_softmax_of_single_precision_and_says_so(n_classes: int) -> None:
    pytest.importorskip("treelite")
    boosted = tw.GradientBoostingClassifier(n_estimators=5, max_depth=3)
    made = export.treelite(boosted.fit(X[:, [0, 2]], CLASSES % n_classes), n_rows=500)
    assert "softmax in float32" in str(made)
    assert made.proof.holds, str(made.proof)
    assert made.proof.allowed == "to 1 unit in the last place of float32"
    assert made.proof.largest_difference > 1e-12


def test_onnxruntime_keeps_the_tolerance_of_equal_costs() -> None:
    """It left out a product with 1 + 1e-12, and rounding then chose among equal costs."""
    pytest.importorskip("onnx")
    x = np.array([0.0] * 10 + [1.0, 1.0])[:, np.newaxis]
    for n_first in range(1, 10):
        y = ["a"] * n_first + ["b"] * (10 - n_first) + ["a", "b"]
        costs = [[0.0, 10.0 - n_first], [float(n_first), 0.0]]
        tree = tw.DecisionTreeClassifier(max_depth=1, cost_matrix=costs).fit(x, y)
        if tree.tree_.n_leaves == 1:
            continue
        proof = export.onnx(tree).proof
        if proof is not None and proof.not_run:
            pytest.skip(proof.not_run)
        assert proof is not None
        assert proof.holds, str(proof)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="cannot be written: No such file or directory"):
        export.python(model("one_class"), tmp_path / "no" / "x.py", proof=False)


def test_a_file_that_does_not_say_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("nothing")
    with pytest.raises(tw.errors.FileFormatError, match="does not say what it was exported to"):
        export.verify(model("one_class"), tmp_path / "x.txt")
    assert not export.is_exported(tmp_path / "x.txt")


def test_a_calibrated_model_is_refused() -> None:
    forest = tw.RandomForestClassifier(n_estimators=5, random_state=0, calibrate="temperature")
    with pytest.raises(UnsupportedError, match="are calibrated"):
        export.c(forest.fit(X, CLASSES % 2))


def test_a_derived_column_is_refused() -> None:
    schema = tw.Schema(derived=["sum = a + b"])
    table = {"a": X[:, 0], "b": X[:, 2]}
    tree = tw.DecisionTreeRegressor(schema=schema, max_depth=2).fit(table, X[:, 0] + X[:, 2])
    with pytest.raises(UnsupportedError, match="derived from others"):
        export.python(tree)
