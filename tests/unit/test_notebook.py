"""Every result in an executed notebook: HTML for each, no warning, no browser that freezes."""

from __future__ import annotations

import time

import numpy as np
import pytest

from treewright import (
    AdaBoostClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
)

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(2000, 8))
CLASSES = np.where(X[:, 0] * X[:, 1] + X[:, 2] > 0.2, "yes", "no")

CELLS = """
import warnings; warnings.simplefilter("error")
import treewright as tw
from treewright import evaluate, measures
loans = tw.load_example("loans"); X, y = loans.X, loans.y
tree = tw.DecisionTreeClassifier(max_leaf_nodes=12).fit(X, y)
tree
---
tree.tree_
---
tree.why()
---
tree.rules()
---
tree.explain(X.to_pandas().iloc[0])
---
tree.summary()
---
tree.tree_.prune("error_based").pruning
---
tree.tree_.diff(tw.DecisionTreeClassifier(max_leaf_nodes=5).fit(X, y).tree_)
---
tree.tree_.counterfactual(X.to_pandas().iloc[0], to="late")
---
forest = tw.RandomForestClassifier(n_estimators=30, random_state=0, oob_score=True).fit(X, y)
forest
---
forest.importances()
---
boosted = tw.GradientBoostingClassifier(n_estimators=20).fit(X, y)
boosted
---
boosted.rounds_
---
tw.AdaBoostClassifier(n_estimators=20).fit(X, y)
---
boosted.shap_values(X)
---
boosted.shap_values(X)[0]
---
boosted.partial_dependence(X, "amount")
---
boosted.partial_dependence(X, ("amount", "purpose"))
---
boosted.partial_dependence(X)
---
boosted.explain(X.to_pandas().iloc[0])
---
measures.histogram(X["amount"].tolist(), y, cut=17250)
---
judged = evaluate.cross_validate(tw.DecisionTreeClassifier(max_leaf_nodes=12), X, y, cv=3)
judged
---
judged.roc()
---
judged.calibration()
---
learners = {n: tw.DecisionTreeClassifier(max_leaf_nodes=n) for n in (2, 12)}
evaluate.compare({f"{n} leaves": each for n, each in learners.items()}, X, y, cv=3)
---
ill = tw.load_example("diabetes")
numbers = tw.DecisionTreeRegressor(max_leaf_nodes=8).fit(ill.X, ill.y)
evaluate.residuals(ill.y, numbers.predict(ill.X))
---
tree.draw()
---
rules = tw.C45RulesClassifier().fit(X, y)
warnings.resetwarnings()  # the kernel warns of itself when it is closed
rules
"""


@pytest.mark.slow
def test_every_result_shows_itself_without_a_warning() -> None:
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    import nbformat

    cells = [nbformat.v4.new_code_cell(cell.strip()) for cell in CELLS.split("---\n")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    for cell in notebook.cells:
        kinds = [output.output_type for output in cell.outputs]
        assert kinds == ["execute_result"], (cell.source, cell.outputs)
        data = cell.outputs[0].data
        assert "text/html" in data or "image/svg+xml" in data, cell.source
        shown = "".join(data.get(kind, "") for kind in ("text/html", "image/svg+xml"))
        assert "<svg" in shown or "<pre>" in shown, cell.source
        assert len(shown) < 400_000, (cell.source, len(shown))


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(n_estimators=500, random_state=0),
        ExtraTreesRegressor(n_estimators=500, random_state=0),
        GradientBoostingClassifier(n_estimators=500),
        AdaBoostClassifier(n_estimators=500),
    ],
    ids=lambda model: type(model).__name__,
)
def test_five_hundred_trees_show_a_page_of_figures_at_once(model: object) -> None:
    target = X[:, 0] if "Regressor" in type(model).__name__ else CLASSES
    model.fit(X, target)  # type: ignore[attr-defined]
    start = time.process_time()
    shown = model._repr_html_() + model.ensemble_._repr_html_()  # type: ignore[attr-defined]
    assert time.process_time() - start < 5.0
    assert len(shown) < 300_000
