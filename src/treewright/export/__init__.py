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

from treewright.export.code.texts import read_head
from treewright.export.exported import Exported
from treewright.export.make import Target, make, proven, read_artefact
from treewright.export.proof.engines.base import Engine
from treewright.export.proof.engines.c import CEngine
from treewright.export.proof.engines.databases import DuckDBEngine, PostgreSQLEngine
from treewright.export.proof.engines.javascript import JavaScriptEngine
from treewright.export.proof.engines.onnx import OnnxEngine
from treewright.export.proof.engines.pmml import PmmlEngine
from treewright.export.proof.engines.python import PythonEngine
from treewright.export.proof.engines.rust import RustEngine
from treewright.export.proof.engines.sql import SqlEngine
from treewright.export.proof.engines.treelite import TreeliteEngine
from treewright.export.proof.proof import Proof
from treewright.export.targets.c import c_source
from treewright.export.targets.dot import dot_source
from treewright.export.targets.javascript import javascript_source
from treewright.export.targets.onnx import onnx_source
from treewright.export.targets.pmml import pmml_source
from treewright.export.targets.python import python_source
from treewright.export.targets.rust import rust_source
from treewright.export.targets.sql import sql_source
from treewright.export.targets.treelite import treelite_source
from treewright.parameters import check_count

__all__ = [
    "TARGETS",
    "Exported",
    "Proof",
    "c",
    "dot",
    "is_exported",
    "javascript",
    "onnx",
    "pmml",
    "python",
    "rust",
    "sql",
    "treelite",
    "verify",
]

_N_ROWS = 20_000
_Path = str | os.PathLike[str] | None


def _database(dialect: str | None) -> Engine:
    if dialect == "duckdb":
        return DuckDBEngine()
    return PostgreSQLEngine() if dialect == "postgresql" else SqlEngine()


TARGETS: dict[str, Target] = {
    each.name: each
    for each in (
        Target("python", (".py",), python_source, lambda _: PythonEngine()),
        Target("c", (".c",), c_source, lambda _: CEngine()),
        Target("javascript", (".js",), javascript_source, lambda _: JavaScriptEngine()),
        Target("rust", (".rs",), rust_source, lambda _: RustEngine()),
        Target("sql", (".sql",), sql_source, _database),
        Target("dot", (".dot", ".gv"), dot_source, None),
        Target("pmml", (".pmml",), pmml_source, lambda _: PmmlEngine()),
        Target("onnx", (".onnx",), onnx_source, lambda _: OnnxEngine(), is_binary=True),
        Target("treelite", (".tl",), treelite_source, lambda _: TreeliteEngine(), is_binary=True),
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


def javascript(
    model: object,
    path: _Path = None,
    *,
    name: str | None = None,
    proof: bool = True,
    n_rows: int = _N_ROWS,
    X: Any = None,
) -> Exported:
    """Return a model as JavaScript for browsers and Node.

    ``predict(row)`` takes an object whose keys are the names of columns, and returns the class or
    the number; ``predictProba(row)`` the probabilities in the order of ``CLASSES``. In Node they
    are exports, in a page properties of an object called `name`.

    Parameters
    ----------
    model, path, name, proof, n_rows, X
        As for :func:`python`.

    Examples
    --------
    >>> from treewright import ID3Classifier, export, load_example
    >>> play = load_example("play_tennis")
    >>> made = export.javascript(ID3Classifier().fit(play.X, play.y), proof=False)
    >>> made.entry
    'predict(row)'
    """
    return make(TARGETS["javascript"], model, path, name=name, proof=proof, n_rows=n_rows, X=X)


def rust(
    model: object,
    path: _Path = None,
    *,
    name: str | None = None,
    proof: bool = True,
    n_rows: int = _N_ROWS,
    X: Any = None,
) -> Exported:
    """Return a model as Rust without crates.

    A row is a struct; ``predict`` returns the place of the class in ``CLASSES``, or the number;
    ``predict_proba`` the probabilities. Large models are bytes, which compile at once.

    Parameters
    ----------
    model, path, name, proof, n_rows, X
        As for :func:`python`.

    Examples
    --------
    >>> from treewright import ID3Classifier, export, load_example
    >>> play = load_example("play_tennis")
    >>> made = export.rust(ID3Classifier().fit(play.X, play.y), proof=False)
    >>> made.entry
    'pub fn predict(row: &Row) -> usize'
    """
    return make(TARGETS["rust"], model, path, name=name, proof=proof, n_rows=n_rows, X=X)


def dot(model: object, path: _Path = None, *, name: str | None = None) -> Exported:
    """Return a tree, or the trees of an ensemble, as a graph for Graphviz.

    Parameters
    ----------
    model, path, name
        As for :func:`python`. It is a picture, so there is nothing to prove.

    Examples
    --------
    >>> from treewright import ID3Classifier, export, load_example
    >>> play = load_example("play_tennis")
    >>> print(export.dot(ID3Classifier(max_depth=1).fit(play.X, play.y)).text.splitlines()[4])
        t0_0 [label="Yes\\n14 rows"];
    """
    return make(TARGETS["dot"], model, path, name=name, proof=False, n_rows=1, X=None)


def pmml(
    model: object,
    path: _Path = None,
    *,
    name: str | None = None,
    proof: bool = True,
    n_rows: int = _N_ROWS,
    X: Any = None,
) -> Exported:
    """Return a model as PMML 4.4.

    A single tree is a TreeModel, an ensemble a MiningModel. Where missing and unseen values go is
    written out, so that no reader has to guess. The proof is by JPMML-Evaluator, where the package
    jpmml_evaluator and Java are installed.

    Parameters
    ----------
    model, path, name, proof, n_rows, X
        As for :func:`python`.

    Examples
    --------
    >>> from treewright import ID3Classifier, export, load_example
    >>> play = load_example("play_tennis")
    >>> print(export.pmml(ID3Classifier().fit(play.X, play.y), proof=False))
    pmml: PMML 4.4, 5 leaves, depth 2
    """
    return make(TARGETS["pmml"], model, path, name=name, proof=proof, n_rows=n_rows, X=X)


def onnx(
    model: object,
    path: _Path = None,
    *,
    name: str | None = None,
    proof: bool = True,
    n_rows: int = _N_ROWS,
    X: Any = None,
) -> Exported:
    """Return a model as ONNX, with the TreeEnsemble of ai.onnx.ml 5 in float64.

    Every column is an input of its own, of texts, float64 or int64; outputs are ``label`` and
    ``probabilities``, or ``prediction``. Needs the package onnx; the proof needs onnxruntime.
    Leaves are found exactly; what many trees say is added in the order that the runtime likes.

    Parameters
    ----------
    model, path, name, proof, n_rows, X
        As for :func:`python`.
    """
    return make(TARGETS["onnx"], model, path, name=name, proof=proof, n_rows=n_rows, X=X)


def treelite(
    model: object,
    path: _Path = None,
    *,
    name: str | None = None,
    proof: bool = True,
    n_rows: int = _N_ROWS,
    X: Any = None,
) -> Exported:
    """Return a model as Treelite, in float64; needs the package treelite.

    The matrix has the columns that the model asks about, in their order (``entry`` of the result);
    categories are codes. Its base score is added last.

    Parameters
    ----------
    model, path, name, proof, n_rows, X
        As for :func:`python`.
    """
    return make(TARGETS["treelite"], model, path, name=name, proof=proof, n_rows=n_rows, X=X)


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


def is_exported(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is an export of treewright, by its head.

    Parameters
    ----------
    path
        The file.
    """
    with open(path, "rb") as file:
        start = file.read(8192)
    return read_head(start.decode("utf-8", "replace")) is not None
