"""Exports with proof: models as programs, queries and files of other systems.

Each function takes a fitted estimator (or its ``tree_``, ``ensemble_``, ``ruleset_``), and returns
an :class:`Exported`: the text or bytes, how it is called, what was left out, and the proof, a
comparison with the model on rows at every boundary. :func:`verify` repeats the proof for a file.

Examples
--------
>>> from treewright import DecisionTreeClassifier, export, load_example
>>> iris = load_example("iris")
>>> tree = DecisionTreeClassifier(max_depth=2).fit(iris.X, iris.y)
>>> print(export.sql(tree, proof=False))
sql: one CASE expression for SQLite, 2 questions about 2 columns
"""

from __future__ import annotations

import os
from typing import Any

from treewright.export.exported import Exported
from treewright.export.make import Target, make, proven, read_artefact
from treewright.export.proof.engines.c import CEngine
from treewright.export.proof.engines.python import PythonEngine
from treewright.export.proof.engines.sql import SqlEngine
from treewright.export.proof.proof import Proof
from treewright.export.targets.c import c_source
from treewright.export.targets.python import python_source
from treewright.export.targets.sql import sql_source
from treewright.parameters import check_count

__all__ = ["TARGETS", "Exported", "Proof", "c", "python", "sql", "verify"]

_N_ROWS = 20_000
_Path = str | os.PathLike[str] | None

TARGETS: dict[str, Target] = {
    each.name: each
    for each in (
        Target(
            name="python",
            suffixes=(".py",),
            source=python_source,
            engine=lambda dialect: PythonEngine(),
        ),
        Target(name="c", suffixes=(".c",), source=c_source, engine=lambda dialect: CEngine()),
        Target(
            name="sql", suffixes=(".sql",), source=sql_source, engine=lambda dialect: SqlEngine()
        ),
    )
}
"""Every target by its name."""


def python(
    model: object,
    path: _Path = None,
    *,
    name: str | None = None,
    proof: bool = True,
    n_rows: int = _N_ROWS,
    X: Any = None,
) -> Exported:
    """Return a model as a Python module that imports nothing.

    Its ``predict(row)`` takes a dict from names of columns to values, and ``predict_proba(row)``
    returns the probabilities in the order of ``CLASSES``. A value that is None, NaN or absent is
    missing; a date is a whole number of nanoseconds (or what its comment says) since 1970.

    Parameters
    ----------
    model
        A fitted estimator, tree, ensemble or rule set.
    path
        A file to write.
    name
        What identifiers start with; by default the stem of `path`.
    proof
        Whether to run the artefact against the model.
    n_rows
        Boundary rows of the proof, where there are more combinations.
    X : table, optional
        Rows that the proof is to include.

    Returns
    -------
    Exported

    Raises
    ------
    UnsupportedError
        Where the target cannot express the model; the message says why, and which one can.

    Examples
    --------
    >>> from treewright import ID3Classifier, export, load_example
    >>> play = load_example("play_tennis")
    >>> made = export.python(ID3Classifier().fit(play.X, play.y))
    >>> module = {}
    >>> exec(made.text, module)
    >>> module["predict"]({"Outlook": "Overcast"})
    'Yes'
    >>> made.proof.holds
    True
    """
    return make(TARGETS["python"], model, path, name=name, proof=proof, n_rows=n_rows, X=X)


def c(
    model: object,
    path: _Path = None,
    *,
    name: str | None = None,
    proof: bool = True,
    n_rows: int = _N_ROWS,
    X: Any = None,
) -> Exported:
    """Return a model as C99 without libraries (boosted probabilities need ``exp``).

    A row is a struct; ``NAME_predict`` returns the place of the class in ``NAME_classes``, or the
    number; ``NAME_predict_proba`` writes probabilities. Small trees are nested ifs, large models
    tables that compile at once.

    Parameters
    ----------
    model, path, name, proof, n_rows, X
        As for :func:`python`.

    Examples
    --------
    >>> from treewright import ID3Classifier, export, load_example
    >>> play = load_example("play_tennis")
    >>> made = export.c(ID3Classifier().fit(play.X, play.y), name="tennis", proof=False)
    >>> made.entry
    'int tennis_predict(const tennis_row *row)'
    """
    return make(TARGETS["c"], model, path, name=name, proof=proof, n_rows=n_rows, X=X)


def sql(
    model: object,
    path: _Path = None,
    *,
    dialect: str = "sqlite",
    table: str = "data",
    proba: bool = False,
    name: str | None = None,
    proof: bool = True,
    n_rows: int = _N_ROWS,
    X: Any = None,
) -> Exported:
    """Return a model as a query that adds the column ``prediction`` to the rows of a table.

    Parameters
    ----------
    model, path, name, proof, n_rows, X
        As for :func:`python`.
    dialect : {"sqlite", "duckdb", "postgresql"}
        The database.
    table
        The table that is asked; its columns are named as those of the model.
    proba
        Whether probabilities are columns, too: ``p_`` and the name of the class.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, export, load_example
    >>> iris = load_example("iris")
    >>> tree = DecisionTreeClassifier(max_depth=1).fit(iris.X, iris.y)
    >>> print(export.sql(tree, table="flowers", proof=False).text, end="")
    -- DecisionTreeClassifier (2 leaves, depth 1), exported by treewright (sql sqlite, model)
    -- NULL is missing. Columns:
    --   petal length (cm): REAL
    SELECT *,
      CASE
      WHEN "petal length (cm)" <= 2.45 THEN
        'setosa'
      ELSE
        'versicolor'
      END AS "prediction"
    FROM "flowers";
    """
    return make(
        TARGETS["sql"],
        model,
        path,
        name=name,
        proof=proof,
        n_rows=n_rows,
        X=X,
        dialect=dialect,
        table=table,
        proba=proba,
    )


def verify(
    model: object,
    artefact: object,
    *,
    target: str | None = None,
    dialect: str | None = None,
    n_rows: int = _N_ROWS,
    X: Any = None,
    seed: int = 0,
) -> Proof:
    """Return the comparison of an exported artefact with its model.

    Both answer rows at every boundary of the model: each cut and its two neighbours in floating
    point, each category, an unseen one, missing values, infinities and extremes. Up to `n_rows` all
    combinations are tried; of more, as many are drawn.

    Parameters
    ----------
    model
        The model that was exported.
    artefact
        What an export returned, or the path of its file.
    target, dialect
        What the file is, where it does not say so itself.
    n_rows, X
        As for :func:`python`.
    seed
        Of the rows that are drawn.

    Returns
    -------
    Proof
        ``print`` it; ``holds`` says whether it ran and every answer is the model's.

    Examples
    --------
    >>> from treewright import ID3Classifier, export, load_example
    >>> play = load_example("play_tennis")
    >>> tree = ID3Classifier().fit(play.X, play.y)
    >>> proof = export.verify(tree, export.sql(tree, proof=False))
    >>> proof.rows, proof.differing
    (252, 0)
    """
    check_count("n_rows", n_rows, least=1)
    made = read_artefact(artefact, TARGETS, target=target, dialect=dialect)
    kind = TARGETS[made.target]
    if kind.engine is None:
        return Proof(target=made.target, not_run=f"{made.target} answers nothing")
    return proven(kind, model, made, n_rows=n_rows, X=X, seed=seed)
