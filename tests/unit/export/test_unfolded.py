"""Trees that divide rows, unfolded for targets that cannot: what is written is as large as they."""

import time
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright import export
from treewright.errors import UnsupportedError
from treewright.export.form import graph as kinds
from treewright.export.form.build import form_of
from treewright.export.form.graph import Graph
from treewright.export.form.unfold import unfolded

RANDOM = np.random.default_rng(0)
N_ROWS = 150


def table() -> tuple[dict[str, Any], Any]:
    """Return a number, a text of five values, a day and a flag, some of which are missing."""
    text = RANDOM.choice(list("abcde"), N_ROWS).astype(object)
    x = RANDOM.choice([0.0, 1.0, 2.0, np.inf, -np.inf, 1e300], N_ROWS)
    x[RANDOM.random(N_ROWS) < 0.15] = np.nan
    day = np.datetime64("2020-01-01") + RANDOM.integers(0, 60, N_ROWS).astype("m8[D]")
    day[RANDOM.random(N_ROWS) < 0.1] = np.datetime64("NaT")
    columns = {"z": RANDOM.normal(size=N_ROWS).round(2), "x": x, "text": text, "day": day}
    return columns, RANDOM.normal(size=N_ROWS)


X, Y = table()


def of(*names: str) -> dict[str, Any]:
    return {name: X[name] for name in names}


MODELS: dict[str, Any] = {
    "number_and_text": lambda: tw.DecisionTreeRegressor().fit(of("z", "text"), Y),
    "gaps": lambda: tw.DecisionTreeRegressor(max_depth=5, missing="divide").fit(of("z", "x"), Y),
    "days": lambda: tw.DecisionTreeClassifier(max_depth=4, missing="divide").fit(X, Y > 0),
    "three": lambda: tw.ExtraTreesRegressor(3, random_state=0).fit(of("z", "x", "text"), Y),
    "intervals": lambda: tw.DecisionTreeClassifier(
        numeric="cal5", missing="divide", max_depth=3
    ).fit(X, np.abs(np.nan_to_num(X["z"])) > 0.7),
    "oblique": lambda: tw.ObliqueTreeRegressor(random_state=0, max_depth=4).fit(of("z", "x"), Y),
}


def is_tree(graph: Graph) -> bool:
    """Return whether each node but the roots is the child of one branch of one question."""
    children = [child for node in range(graph.n_nodes) for child in graph.children(node)]
    return sorted([*children, *graph.roots.tolist()]) == list(range(graph.n_nodes))


@pytest.mark.parametrize("name", MODELS)
def test_every_branch_of_a_question_has_a_child_of_its_own(name: str) -> None:
    flat = unfolded(form_of(MODELS[name]()))
    assert flat is not None
    assert is_tree(flat.graph)
    asks = flat.graph.kind != kinds.LEAF
    assert (flat.graph.n_branches[asks] > 1).all()


@pytest.mark.parametrize("target", ["onnx", "sql", "pmml", "treelite"])
@pytest.mark.parametrize("name", ["number_and_text", "three"])
def test_a_small_model_is_written_at_once(target: str, name: str) -> None:
    """Impossible branches led to a child of another, which was written for each: 2^depth nodes."""
    if target in ("onnx", "treelite"):
        pytest.importorskip(target)
    fitted = MODELS[name]()
    begun = time.process_time()
    made = getattr(export, target)(fitted, proof=False)
    assert time.process_time() - begun < 30.0
    assert len(made.data()) < 10_000_000


@pytest.mark.parametrize("target", ["onnx", "sql", "treelite"])
@pytest.mark.parametrize("name", ["gaps", "days", "three", "intervals"])
def test_an_unfolded_model_answers_as_the_model(target: str, name: str) -> None:
    if target in ("onnx", "treelite"):
        pytest.importorskip(target)
    if (target, name) == ("treelite", "days"):
        with pytest.raises(UnsupportedError, match="dates"):
            export.treelite(MODELS[name]())
        return
    proof = getattr(export, target)(MODELS[name](), n_rows=2_000).proof
    if proof.not_run:
        pytest.skip(proof.not_run)
    assert proof.holds, str(proof)


@pytest.mark.parametrize("target", ["onnx", "treelite", "pmml", "sql"])
def test_a_model_that_unfolds_beyond_the_limit_is_refused_before_it_is_written(
    target: str,
) -> None:
    if target in ("onnx", "treelite"):
        pytest.importorskip(target)
    texts = {name: RANDOM.choice(list("abcdef"), 400) for name in "uvwxyz"}
    forest = tw.RandomForestRegressor(3, random_state=0).fit(texts, RANDOM.normal(size=400))
    begun = time.process_time()
    with pytest.raises(UnsupportedError, match="Hint: "):
        getattr(export, target)(forest, proof=False)
    assert time.process_time() - begun < 60.0
