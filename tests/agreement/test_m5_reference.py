"""M5Regressor against Weka's M5P 3.9.7 on the same folds: errors, sizes, and printed models.

``make test-slow`` runs all tables; every comparison is one line of the printed table
(``pytest -s``). What is known of the figures that differ is in docs/decisions/008-m5.md.
"""

import json
import re
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from agreement.shared_tables import (
    DATASETS,
    REFERENCE,
    Labelled,
    entries,
    figures_of,
    folds,
    needs_shared,
    read_labelled,
)
from treewright import M5Regressor, Schema, Tree
from treewright.tree.linear_leaves import IndicatorTerm, LinearModel

pytestmark = needs_shared

FloatArray = npt.NDArray[np.float64]
SMALL = ("servo", "cpu_with_vendor", "auto_mpg", "housing")
LARGE = ("california_housing", "diamonds", "bike_sharing")
OPTIONS: dict[str, dict[str, Any]] = {"M5P": {}, "M5P -R": {"linear": False}}
TABLES = [
    *((name, learner) for name in SMALL for learner in OPTIONS),
    *(pytest.param(name, "M5P", marks=pytest.mark.slow) for name in LARGE),
]


@cache
def labelled(name: str) -> Labelled:
    return read_labelled(entries()[name])


@cache
def schema_of(name: str) -> Schema:
    """The domains that Weka was given: those of the index, ordinal columns as nominal ones.

    The index writes all values as text; a file of nothing but whole numbers is read as such.
    """
    frame = labelled(name).X
    index = json.loads((DATASETS / "index.json").read_text(encoding="utf-8"))["datasets"]
    described = next(each for each in index if each["name"] == name)
    return Schema(
        values={
            column["name"]: (
                list(map(int, column["values"]))
                if np.asarray(frame[column["name"]]).dtype.kind in "iu"
                else column["values"]
            )
            for column in described["column_info"]
            if column["kind"] != "numeric"
        }
    )


def fit(name: str, learner: str, rows: npt.NDArray[np.bool_] | None = None) -> M5Regressor:
    data = labelled(name)
    keep = np.ones(len(data.y), dtype=bool) if rows is None else rows
    model = M5Regressor(schema=schema_of(name), **OPTIONS[learner])
    return model.fit(data.X.rows(keep), data.y[keep])


@pytest.mark.parametrize(("name", "learner"), TABLES)
def test_error_and_number_of_models_are_those_of_m5p(name: str, learner: str) -> None:
    weka = figures_of(name, "weka", learner)
    assert weka is not None
    data, fold = labelled(name), folds(name)
    is_split = fold.max() == 1
    squares, n_models = 0.0, []
    for tested in [1] if is_split else range(10):
        out = fold == tested
        model = fit(name, learner, ~out)
        squares += float(np.sum((model.predict(data.X.rows(out)) - data.y[out]) ** 2))
        n_models.append(model.tree_.n_leaves)
    n_tested = np.count_nonzero(fold == 1) if is_split else len(fold)
    rmse = (squares / n_tested) ** 0.5
    on_all = n_models[0] if is_split else fit(name, learner).tree_.n_leaves
    print(
        f"{name:20} {learner:7} RMSE {rmse:9.6g} Weka {weka['rmse']:9.6g}"
        f" ratio {rmse / weka['rmse']:.6f}   models {on_all} Weka {weka['NumRules']:.0f}"
        f"   mean over folds {np.mean(n_models):.1f} Weka {weka['NumRules_mean_folds']:.1f}"
    )
    assert rmse == pytest.approx(weka["rmse"], rel=0.01)
    assert on_all == weka["NumRules"]


@cache
def printed(name: str, learner: str) -> str:
    models = json.loads((REFERENCE / "models.json").read_text(encoding="utf-8"))
    return str(models[name][learner])


def weka_models(text: str) -> list[dict[Any, float]]:
    """The coefficients of every printed model by column, or column and values; None: constant."""
    models = []
    for section in text.split("LM num:")[1:]:
        model: dict[Any, float] = {}
        for line in section.split("\n\t")[1:]:
            sign, size, _, what = re.match(r"([+-] ?)?([\d.]+)( \* (.+))?", line.strip()).groups()  # type: ignore[union-attr]
            column, _, values = (what or "").partition("=")
            key = None if not what else (column, frozenset(values.split(","))) if values else column
            model[key] = float(size) * (-1 if (sign or "").startswith("-") else 1)
        models.append(model)
    return models


def our_models(tree: Tree) -> list[dict[Any, float]]:
    models = []
    for leaf in tree.reading_order.tolist():
        if not tree.is_leaf(leaf):
            continue
        label = tree.label(leaf)
        model: dict[Any, float] = {None: label.intercept}
        assert isinstance(label, LinearModel)
        for coefficient, term in zip(label.coefficients, label.terms, strict=True):
            key: Any = term.column.name
            if isinstance(term, IndicatorTerm):
                key = (key, frozenset(str(term.column.values[code]) for code in term.codes))
            model[key] = coefficient
        models.append(model)
    return models


@pytest.mark.parametrize("name", ["servo", "cpu_with_vendor", "auto_mpg"])
def test_the_printed_models_are_ours_term_by_term(name: str) -> None:
    ours, wekas = our_models(fit(name, "M5P").tree_), weka_models(printed(name, "M5P"))
    assert len(ours) == len(wekas)
    for mine, theirs in zip(ours, wekas, strict=True):
        assert mine.keys() == theirs.keys()
        assert [mine[key] for key in theirs] == pytest.approx(list(theirs.values()), abs=6e-5)


@pytest.mark.parametrize("name", SMALL)
def test_the_printed_regression_tree_is_ours_leaf_by_leaf(name: str) -> None:
    tree = fit(name, "M5P -R").tree_
    leaves = [node for node in tree.reading_order.tolist() if tree.is_leaf(node)]
    text = printed(name, "M5P -R")
    assert tree.arrays.n_rows[leaves].tolist() == list(
        map(int, re.findall(r"LM\d+ \((\d+)/", text))
    )
    constants = [model[None] for model in weka_models(text)]
    assert tree.arrays.value[leaves, 0].tolist() == pytest.approx(constants, abs=6e-5)
