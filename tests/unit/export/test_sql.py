"""Queries of every kind of model answer as the model does, or are refused with a reason."""

import contextlib
from typing import Any

import numpy as np
import pytest
from exportable_models import MAKERS, model

import treewright as tw
from treewright import export
from treewright.errors import ParameterError, UnsupportedError
from treewright.export.query.dialects import DIALECTS

REFUSED = {
    "types": "beyond 2.63",
    "types_divided": "beyond 2.63",
    "types_boosted": "beyond 2.63",
    "types_m5": "multiplies the dates",
    "bagging": "trees that divide rows",
    "adaboost_numbers": "weighted median",
    "boosted_lines": "lines",
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("proba", [False, True])
def test_every_kind_of_model_as_a_query_of_sqlite(name: str, proba: bool) -> None:
    if name in REFUSED:
        with pytest.raises(UnsupportedError, match=REFUSED[name]) as error:
            export.sql(model(name), proba=proba)
        assert "Hint: " in str(error.value)
        return
    made = export.sql(model(name), proba=proba, n_rows=1_500)
    assert made.proof is not None
    assert made.proof.holds, str(made.proof)


@pytest.mark.parametrize(
    "value",
    [0.1, 2.45, 1e22, 1e300, 5e-324, -0.30000000000000004, 123456789.12345679, 2.0**-1000, 1e16],
)
def test_a_number_of_sqlite_reads_back_exactly(value: float) -> None:
    import sqlite3

    text = DIALECTS["sqlite"].number(value)
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        (found,) = connection.execute(f"SELECT {text}").fetchone()
    assert found == value


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(ParameterError, match="did you mean 'postgresql'"):
        export.sql(model("cuts"), dialect="postgres")


def test_a_single_tree_is_one_case_expression() -> None:
    made: Any = export.sql(model("bare_tree"), proof=False)
    assert made.said.startswith("one CASE expression for SQLite, 4 questions about 2 columns")


@pytest.mark.parametrize("n_classes", [30, 130])
def test_many_boosted_classes_are_no_deeper_than_the_parser_takes(n_classes: int) -> None:
    y = np.arange(4 * n_classes) % n_classes
    X = np.column_stack([y + 0.25, -y])
    boosted = tw.GradientBoostingClassifier(n_estimators=2, max_leaf_nodes=3, random_state=0)
    made = export.sql(boosted.fit(X, y), proba=True, n_rows=200)
    assert made.proof is not None
    assert made.proof.holds, str(made.proof)


def oblique() -> Any:
    """A tree whose missing values unfold into a query of 0.7 MB."""
    random = np.random.default_rng(3)
    X = random.normal(size=(150, 3)).round(2)
    X[random.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X @ np.array([2.0, 1.0, 0.5])) + random.normal(size=150)
    return tw.ObliqueTreeRegressor(random_state=0).fit(X, y)


def test_a_large_query_says_what_postgresql_needs() -> None:
    told = "-- SET jit = off; first"
    large = export.sql(oblique(), dialect="postgresql", proof=False).text
    assert len(large) > 500_000
    assert large.splitlines()[5].startswith(told)
    assert told not in export.sql(oblique(), proof=False).text
    assert told not in export.sql(model("cuts"), dialect="postgresql", proof=False).text


@pytest.mark.slow
def test_postgresql_does_not_compile_a_large_query() -> None:
    """20,000 rows took minutes and more than a gigabyte."""
    proof = export.sql(oblique(), dialect="postgresql", n_rows=20_000).proof
    assert proof is not None
    if proof.not_run is not None:
        pytest.skip(proof.not_run)
    assert proof.holds, str(proof)


def test_it_is_said_where_postgresql_stops_with_an_error() -> None:
    x = np.arange(40.0)
    lines = tw.M5Regressor().fit(x[:, np.newaxis], np.where(x < 20, x, 60.0 - 2.0 * x))
    made = export.sql(lines, dialect="postgresql", proof=False)
    assert "below 1e-308" in " ".join(made.left_out)
    assert not export.sql(lines, proof=False).left_out
