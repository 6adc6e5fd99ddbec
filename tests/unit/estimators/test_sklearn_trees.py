"""scikit-learn's own functions take our trees for its own: drawings, texts, partial dependence."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn.tree
from sklearn.base import clone
from sklearn.inspection import partial_dependence
from sklearn.tree import export_graphviz, export_text, plot_tree

import treewright as tw
from treewright.errors import UnsupportedNameError

RNG = np.random.default_rng(3)
X = RNG.normal(size=(300, 3))
VALUE = X[:, 0] + np.abs(X[:, 1])
CLASSES = np.array(["low", "middle", "high"])[np.digitize(VALUE, [0.0, 1.5])]

MODELS = [
    tw.DecisionTreeClassifier(max_depth=3),
    tw.CARTClassifier(),
    tw.C45Classifier(),
    tw.ID3Classifier(max_depth=3),
    tw.DecisionTreeRegressor(max_depth=3),
    tw.CARTRegressor(),
]


def fitted(model):
    is_classifier = type(model).__name__.endswith("Classifier")
    return clone(model).fit(X, CLASSES if is_classifier else VALUE)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_scikit_learn_writes_our_trees(model) -> None:
    tree = fitted(model)
    text = export_text(tree, feature_names=["a", "b", "c"], max_depth=20)
    assert text.count("class:" if hasattr(tree, "classes_") else "value:") == tree.get_n_leaves()
    graph = export_graphviz(tree, node_ids=True, filled=True)
    assert graph.count(" -> ") == tree.tree_.n_nodes - 1
    assert f"node #{tree.tree_.n_nodes - 1}" in graph


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_scikit_learn_draws_our_trees(model) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    tree = fitted(model)
    assert len(plot_tree(tree, filled=True)) >= tree.tree_.n_nodes


def test_text_equals_that_of_scikit_learns_own_tree() -> None:
    single = X.astype(np.float32)
    ours = tw.DecisionTreeClassifier(max_depth=2).fit(single, CLASSES)
    theirs = sklearn.tree.DecisionTreeClassifier(max_depth=2, random_state=0).fit(single, CLASSES)
    assert export_text(ours, show_weights=True) == export_text(theirs, show_weights=True)


def test_trees_of_ensembles_are_written_too() -> None:
    forest = tw.RandomForestRegressor(n_estimators=2, max_depth=2).fit(X, VALUE)
    boosted = tw.GradientBoostingRegressor(n_estimators=2, max_depth=2).fit(X, VALUE)
    assert export_text(forest[0]).count("value:") == forest[0].get_n_leaves()
    assert "value:" in export_text(boosted.estimators_[0, 0])


def test_a_tree_that_cannot_be_written_says_why() -> None:
    play = tw.load_example("play_tennis")
    tree = tw.ID3Classifier().fit(play.X, play.y)
    with pytest.raises(UnsupportedNameError, match="asks for the category of column 'Outlook'"):
        export_text(tree)


def test_trees_of_another_kind_are_not_taken_for_scikit_learns() -> None:
    both = (sklearn.tree.DecisionTreeClassifier, sklearn.tree.DecisionTreeRegressor)
    for model in (tw.M5Regressor(), tw.ObliqueTreeRegressor(), tw.CHAIDClassifier()):
        assert not isinstance(model, both)
    assert not isinstance(tw.RandomForestRegressor(), both)
    assert not isinstance(tw.DecisionTreeClassifier(), sklearn.tree.DecisionTreeRegressor)


FIT = "tree = tw.DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], ['a', 'a', 'b'])"
LOAD = "import pickle; tree = pickle.loads(bytes.fromhex('{}'))"
OURS = "import treewright as tw"
THEIRS = "from sklearn.tree import export_text"


# A process for each order of imports, forked off from one that has imported what is below both
# libraries: most of the time that a new one takes.
FORKED = """
import os, sys, numpy, scipy.sparse, scipy.stats, sklearn.base, sklearn.metrics
early = {"treewright", "sklearn.tree", "sklearn.ensemble"} & set(sys.modules)
assert not early, early
for script in SCRIPTS:
    child = os.fork()
    if child == 0:
        done = 1
        try:
            exec(script, {})
            done = 0
        finally:
            os._exit(done)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, script
"""


def test_trees_are_accepted_whichever_is_imported_first() -> None:
    saved = pickle.dumps(tw.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])).hex()
    orders = [
        (THEIRS, OURS, FIT),
        (OURS, THEIRS, FIT),
        (OURS, FIT, THEIRS),
        (OURS, FIT, "assert not isinstance(tree, str)", THEIRS),
        (OURS, "import sklearn.ensemble", FIT, THEIRS),
        (OURS, FIT, "import copy; tree = copy.deepcopy(tree)", THEIRS),
        (LOAD, THEIRS),
        (THEIRS, LOAD),
        (OURS, "tree = tw.RandomForestClassifier(2).fit([[1.0], [2.0]], [0, 1])[0]", THEIRS),
    ]
    used = "assert 'class:' in export_text(tree)"
    scripts = ["\n".join([*steps, used]).replace("{}", saved) for steps in orders]
    done = subprocess.run(
        [sys.executable, "-c", f"SCRIPTS = {scripts!r}\n{FORKED}"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_fit_does_not_import_scikit_learns_trees() -> None:
    script = f"{OURS}\n{FIT}\nimport sys\nassert 'sklearn.tree' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


# partial_dependence(method="auto") asks what it takes for scikit-learn's regression trees for a
# weighted traversal.


@pytest.mark.parametrize("columns", [[0], [1], [(0, 2)]])
def test_partial_dependence_is_that_of_scikit_learns_tree(columns: list) -> None:
    single = X.astype(np.float32)
    ours = tw.DecisionTreeRegressor(max_depth=3).fit(single, VALUE)
    theirs = sklearn.tree.DecisionTreeRegressor(max_depth=3, random_state=0).fit(single, VALUE)
    got, due = (partial_dependence(each, single, columns)["average"] for each in (ours, theirs))
    np.testing.assert_allclose(got, due, rtol=1e-9)


def test_partial_dependence_equals_brute_force_where_columns_are_independent() -> None:
    # A full grid of values: every column is independent of the others in every node.
    grid = np.array([(a, b, c) for a in range(6) for b in range(6) for c in range(6)], dtype=float)
    y = np.where(grid[:, 0] > 2, grid[:, 1], -grid[:, 1]) + grid[:, 2]
    tree = tw.DecisionTreeRegressor().fit(grid, y)
    for columns in ([0], [1], [(0, 1)]):
        fast = partial_dependence(tree, grid, columns)["average"]
        brute = partial_dependence(tree, grid, columns, method="brute")["average"]
        np.testing.assert_allclose(fast, brute, rtol=1e-9, atol=1e-12)


def test_partial_dependence_of_any_table() -> None:
    names = np.array([(a, b) for a in "pqrst" for b in range(8)], dtype=object)
    table = pd.DataFrame({"name": names[:, 0], "n": names[:, 1].astype(int)})
    table["day"] = pd.Timestamp("2024-01-01")
    y = table["name"].isin(["p", "s"]) * 3.0 + table["n"]
    for model in (tw.DecisionTreeRegressor(), tw.CARTRegressor(min_samples_leaf=1)):
        tree = model.fit(table, y)
        fast, brute = (
            partial_dependence(tree, table, ["name"], categorical_features=["name"], method=method)
            for method in ("auto", "brute")
        )
        np.testing.assert_allclose(fast["average"], brute["average"], rtol=1e-9)
        assert fast["grid_values"][0].tolist() == list("pqrst")


def test_partial_dependence_of_lines_and_of_several_outputs() -> None:
    grid = np.array([(a, b) for a in range(12) for b in range(12)], dtype=float)
    y = np.where(grid[:, 0] > 5, 4 * grid[:, 1], 3 * grid[:, 0])
    lines = tw.DecisionTreeRegressor(max_depth=1, leaf_model="linear").fit(grid, y)
    outputs = tw.DecisionTreeRegressor(max_depth=4).fit(grid, np.column_stack([y, -y]))
    for model, n_outputs in ((lines, 1), (outputs, 2)):
        fast = partial_dependence(model, grid, [1])["average"]
        brute = partial_dependence(model, grid, [1], method="brute")["average"]
        assert fast.shape == (n_outputs, 12)
        np.testing.assert_allclose(fast, brute, rtol=1e-6)
