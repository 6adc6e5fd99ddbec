"""A model of every kind that can be saved, and what it answers: asked here and in a new process."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from every_estimator import CLASSIFIERS, ESTIMATORS

import treewright as tw
from treewright.data.read.rows import read_rows
from treewright.ensemble.tree_ensemble import TreeEnsemble
from treewright.errors import UnsupportedError

HOSTILE = (
    'it\'s "quoted"',
    "line\nbreak\ttab\0nul",
    "</script><script>alert(1)</script>",
    "*/ -- '; DROP TABLE x; $(reboot)",
    "🌳 größe 木",
    "lone \ud800 surrogate",
    "n" * 10_000,
)


def table(n_rows: int = 120) -> Any:
    """Return a table of numbers, categories, dates and whole numbers, with gaps."""
    generator = np.random.default_rng(3)
    made = pd.DataFrame(
        {
            "size": generator.normal(size=n_rows),
            "colour": generator.choice(["red", "green", "blue", "grey"], n_rows),
            "made": pd.date_range("2020-01-01", periods=n_rows),
            "count": generator.integers(0, 9, n_rows),
        }
    )
    made.loc[::7, "size"] = np.nan
    made.loc[::11, "colour"] = None
    return made


def targets() -> tuple[Any, Any]:
    """Return classes and numbers that can be learned from the table."""
    known = table()
    score = np.nan_to_num(known["size"].to_numpy()) + (known["colour"] == "red").to_numpy()
    numbers = score + np.random.default_rng(4).normal(size=len(score)) / 5
    return np.where(numbers > 0.4, "yes", "no"), numbers


def hostile_table() -> Any:
    """Return a table whose names and values are hostile."""
    generator = np.random.default_rng(5)
    return {
        name: generator.choice([*HOSTILE, "plain"], 60) if place % 2 else generator.normal(size=60)
        for place, name in enumerate(HOSTILE)
    }


def saved_models() -> dict[str, tuple[Any, Any]]:
    """Return models by name, each with a table to ask it about."""
    X, numbers_only = table(), np.random.default_rng(6).normal(size=(120, 3))
    classes, numbers = targets()
    made: dict[str, tuple[Any, Any]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for make in ESTIMATORS:
            y = classes if make in CLASSIFIERS else numbers
            made[f"{make.__name__}, mixed"] = (make().fit(X, y), X)
            made[f"{make.__name__}, numbers"] = (make().fit(numbers_only, y), numbers_only)
        members = [("tree", tw.CARTClassifier()), ("forest", tw.RandomForestClassifier(3))]
        value_members = [("tree", tw.CARTRegressor()), ("m5", tw.M5Regressor())]
        tree = tw.C45Classifier().fit(X, classes).tree_
        boosted = tw.GradientBoostingRegressor(n_estimators=3, leaf_model="linear")
        both = np.column_stack([classes, np.where(numbers > 1, "a", "b")])
        made |= {
            "stack of classes": (tw.StackingClassifier(members).fit(X, classes), X),
            "stack of numbers": (tw.StackingRegressor(value_members).fit(X, numbers), X),
            "vote of classes": (tw.VotingClassifier(members).fit(X, classes), X),
            "vote of numbers": (tw.VotingRegressor(value_members).fit(X, numbers), X),
            "tree features": (tw.TreeFeatures().fit(numbers_only, classes), numbers_only),
            "discretizer": (tw.Discretizer().fit(numbers_only, classes), numbers_only),
            "tree": (tree, X),
            "tree pruned by hand": (tree.prune(tw.prune.ToDepth(depth=1)), X),
            "ensemble": (tw.RandomForestClassifier(3).fit(X, classes).ensemble_, X),
            "packed ensemble": (
                tw.RandomForestRegressor(3).fit(numbers_only, numbers).ensemble_,
                numbers_only,
            ),
            "boosted ensemble": (
                tw.GradientBoostingClassifier(n_estimators=3).fit(X, classes).ensemble_,
                X,
            ),
            "lines in leaves": (boosted.fit(numbers_only, numbers), numbers_only),
            "rule set": (tw.RuleSet.of_tree(tree), X),
            "rules of a tree": (tree.rules(), None),
            "several outputs": (tw.DecisionTreeClassifier().fit(X, both), X),
            "truth values as classes": (
                tw.CARTClassifier(min_samples_split=4).fit(numbers_only, classes == "yes"),
                numbers_only,
            ),
            "derived columns": (
                tw.DecisionTreeClassifier(
                    schema=tw.Schema(ignore=["made"], kinds={"count": "nominal"}).derive(
                        "large = size > 0.5"
                    ),
                    random_state=np.random.RandomState(3),
                ).fit(X, classes),
                X,
            ),
            "not fitted": (tw.RandomForestClassifier(7, max_features="sqrt"), None),
            "compact forest": (
                tw.RandomForestClassifier(3).fit(numbers_only, classes).compact(),
                numbers_only,
            ),
            "hostile names": (
                tw.DecisionTreeClassifier().fit(
                    hostile_table(), np.random.default_rng(7).choice(list(HOSTILE), 60)
                ),
                hostile_table(),
            ),
        }
    return made


def answers(model: Any, X: Any) -> dict[str, Any]:
    """Return all that a model says: of the rows of a table, and of itself."""
    said: dict[str, Any] = {"class": type(model).__name__}
    if hasattr(model, "get_params"):
        said["parameters"] = [
            (name, repr(value.get_state()) if hasattr(value, "get_state") else repr(value))
            for name, value in sorted(model.get_params().items())
        ]
    if X is None:
        return {**said, "text": str(model)}
    if isinstance(model, TreeEnsemble):
        table = read_rows(X, model.schema, unseen=model.unseen)
        return {**said, "answers": plain(model.answers(table)), "first": model[0].text()}
    for name in ("predict", "predict_proba", "transform", "decision_function", "apply"):
        if hasattr(model, name):
            try:
                said[name] = plain(getattr(model, name)(X))
            except UnsupportedError as error:
                said[name] = str(error)
    tree = model if isinstance(model, tw.Tree) else getattr(model, "tree_", None)
    if tree is not None:
        said["text"] = tree.text()
        said["rules"] = str(tree.rules())
        said["whys"] = [why(tree, node) for node in range(min(tree.n_nodes, 5))]
        said["dict"] = repr(tree.to_dict())
    else:
        said["text"] = model.text() if hasattr(model, "text") else repr(model)
    if hasattr(model, "importances") and "Compact" not in said["text"]:
        said["importances"] = told(lambda: str(model.importances()))
    return said


def why(tree: Any, node: int) -> str:
    """Return the table of a node, or what is said where there is none."""
    return told(lambda: tree.why(node, measures="all", top=None).text())


def told(ask: Any) -> str:
    """Return a text, or the error that is raised in its place."""
    try:
        return str(ask())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def plain(answer: Any) -> Any:
    """Return an answer such that equality means equality to the last bit."""
    if isinstance(answer, list):
        return [plain(each) for each in answer]
    if hasattr(answer, "toarray"):
        answer = answer.toarray()
    array = np.asarray(answer)
    if array.dtype == object:
        return repr(array.tolist())
    return str(array.dtype), array.shape, array.tobytes()
