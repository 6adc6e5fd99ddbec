"""A notebook that shows every kind of result, executed: no warning, no error, HTML for each."""

from __future__ import annotations

from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")

pytestmark = pytest.mark.slow

START = """
import warnings; warnings.simplefilter("error")
import treewright as tw
loans, diabetes = tw.load_example("loans"), tw.load_example("diabetes")
model = tw.DecisionTreeClassifier(max_leaf_nodes=20).fit(loans.X, loans.y)
forest = tw.RandomForestClassifier(n_estimators=500, random_state=0).fit(loans.X, loans.y)
boosted = tw.GradientBoostingClassifier(n_estimators=20).fit(loans.X, loans.y)
tree = model.tree_
"""

CELLS = (
    "tw.DecisionTreeClassifier()",
    "model",
    "tree",
    "tree.draw(row=72)",
    "tree.draw(interactive=True)",
    "tree.rules()",
    "tree.why()",
    "tree.prune('error_based').pruning",
    "tree.diff(tree.prune('error_based'), loans.X)",
    "tree.importances()",
    "tree.draw_regions('amount', 'income', at={c: None for c in tree.schema.names})",
    "forest",
    "forest.ensemble_",
    "forest.draw()",
    "forest.out_of_bag()",
    "boosted",
    "boosted.rounds_",
    "tw.RuleSet.of_tree(tree)",
    "tw.evaluate.compare({'tree': model, 'boosted': boosted}, loans.X, loans.y, cv=3)",
)


def test_every_result_is_shown() -> None:
    notebook: Any = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(source) for source in (START, *CELLS)]
    nbclient.NotebookClient(notebook, timeout=300).execute()
    assert notebook.cells[0].outputs == []
    for cell in notebook.cells[1:]:
        kinds = [output.output_type for output in cell.outputs]
        assert kinds == ["execute_result"], (cell.source, cell.outputs)
        html = cell.outputs[0].data.get("text/html", "")
        assert html, cell.source
        assert len(html) < 600_000, cell.source
