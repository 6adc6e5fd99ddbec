"""Example tables: those of the lectures, those of scikit-learn, and a realistic synthetic one."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.data.column import Column
from treewright.data.examples.loans import make_loans
from treewright.data.frame import Frame
from treewright.data.labelled_table import LabelledTable, Task
from treewright.data.objects import read_objects
from treewright.errors import ParameterError
from treewright.parameters import nearest_hint
from treewright.text.names import list_names

_FROM_SCIKIT_LEARN: dict[str, tuple[str, Task]] = {
    "breast_cancer": ("Breast cancer, Wisconsin (diagnostic)", "classification"),
    "diabetes": ("Diabetes, progression after one year", "regression"),
    "digits": ("Handwritten digits, 8 x 8 pixels", "classification"),
    "iris": ("Iris flowers", "classification"),
    "wine": ("Wine cultivars", "classification"),
}


def list_examples() -> tuple[str, ...]:
    """Return the names of the tables that :func:`load_example` loads.

    >>> "play_tennis" in list_examples()
    True
    """
    return (*_lectures(), *_FROM_SCIKIT_LEARN, "loans")


def load_example(name: str) -> LabelledTable:
    """Return one of the example tables.

    Parameters
    ----------
    name : str
        One of :func:`list_examples`: a table of the lectures (``"play_tennis"``), one that comes
        with scikit-learn (``"iris"``), or ``"loans"``, 2,000 synthetic loans with every kind of
        column.

    Returns
    -------
    LabelledTable

    Examples
    --------
    >>> example = load_example("play_tennis")
    >>> example.title, example.target, example.y.tolist()[:3]
    ('PlayTennis, 14 days', 'PlayTennis', ['No', 'No', 'Yes'])
    """
    if name in _FROM_SCIKIT_LEARN:
        return _load_from_scikit_learn(name)
    if name == "loans":
        frame, outcome = make_loans()
        return LabelledTable(
            name=name,
            title="Loans and how they ended, 2,000 rows",
            source="treewright.data.examples.loans, a seeded generator",
            task="classification",
            X=frame,
            y=outcome,
            target="outcome",
            classes=("repaid", "late", "default"),
            note="Made up; 'default' is rare, income is hidden more often by the self-employed.",
        )
    if name not in _lectures():
        names = list_examples()
        raise ParameterError(
            f"there is no example called {name!r}.\n"
            f"  Examples: {list_names(names)}{nearest_hint(name, names)}"
        )
    return _load_lecture(name)


@cache
def _lectures() -> dict[str, Any]:
    text = (files("treewright.data.examples") / "lectures.json").read_text(encoding="utf-8")
    tables: dict[str, Any] = json.loads(text)
    return tables


def _load_lecture(name: str) -> LabelledTable:
    table = _lectures()[name]
    target = table["target"]
    columns: dict[str, Column] = {}
    y: Array | None = None
    classes: tuple[object, ...] = ()
    for i, declared in enumerate(table["columns"]):
        values = [row[i] for row in table["rows"]]
        column = _declared_column(values, declared)
        if declared["name"] != target:
            columns[declared["name"]] = column
        elif declared["type"] == "nominal":
            y, classes = column.to_numpy(), column.values
        else:
            y = np.array(values, dtype=np.float64)
    weights = table.get("weights")
    has_task = table["task"] in ("classification", "regression")
    return LabelledTable(
        name=name,
        title=table["title"],
        source=table["source"],
        task=table["task"] if has_task else "none",
        X=Frame(columns),
        y=y,
        target=target,
        classes=classes,
        ids=tuple(table["ids"]),
        weights=None if weights is None else np.array(weights, dtype=np.float64),
        note=table.get("note", ""),
    )


def _declared_column(values: list[Any], declared: dict[str, Any]) -> Column:
    if declared["type"] == "numeric":
        return read_objects(values, declared["name"])
    domain = tuple(declared["values"])
    code_of_value = {value: code for code, value in enumerate(domain)}
    codes = [-1 if value is None else code_of_value[value] for value in values]
    return Column(storage="value", data=np.array(codes, np.int32), values=domain, fixed=True)


def _load_from_scikit_learn(name: str) -> LabelledTable:
    from sklearn import datasets

    title, task = _FROM_SCIKIT_LEARN[name]
    bunch = getattr(datasets, f"load_{name}")()
    y: Array = bunch.target
    classes: tuple[object, ...] = ()
    if task == "classification":
        labels = np.asarray(bunch.target_names)
        if labels.dtype.kind == "U":  # the digits are their own names
            y = labels.astype(object)[y]
        classes = tuple(np.unique(y).tolist())
    columns = {
        str(column): Column(storage="float", data=np.ascontiguousarray(bunch.data[:, i]))
        for i, column in enumerate(bunch.feature_names)
    }
    return LabelledTable(
        name=name,
        title=title,
        source=f"sklearn.datasets.load_{name}",
        task=task,
        X=Frame(columns),
        y=y,
        target="target",
        classes=classes,
    )
