"""Programs of every kind of model answer as the model does, to the last bit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exportable_models import MAKERS, iris, loans, model

from treewright import DecisionTreeClassifier, RandomForestRegressor, export
from treewright.errors import ParameterError, UnsupportedError

N_ROWS = 1_500


def prove(target: str, name: str, **options: Any) -> export.Exported:
    made: export.Exported = getattr(export, target)(model(name), n_rows=N_ROWS, **options)
    assert made.proof is not None
    if made.proof.not_run is not None:
        pytest.skip(made.proof.not_run)
    assert made.proof.holds, str(made.proof)
    assert made.proof.rows >= 1
    return made


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("target", ["python", "c"])
def test_every_kind_of_model_as_a_program(target: str, name: str) -> None:
    prove(target, name)


@pytest.mark.parametrize("name", ["cuts", "c45", "forest", "boosted_two"])
@pytest.mark.parametrize("target", ["python", "c"])
def test_the_rows_of_a_table_are_part_of_the_proof(target: str, name: str) -> None:
    table = (loans() if name == "c45" else iris()).X
    made = prove(target, name, X=table)
    assert made.proof is not None
    assert made.proof.table_rows == len(table)


def test_small_trees_are_nested_ifs_and_large_ones_tables() -> None:
    small = export.c(model("cuts"), proof=False).text
    assert "if (petal_length_cm <= 2.45)" in small
    assert "static const signed char kind[]" not in small
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 2))
    large = DecisionTreeClassifier().fit(X, random.integers(0, 2, 3000))
    made = export.c(large, n_rows=500)
    assert "leaf_of_row" not in made.text
    assert made.proof is not None
    assert made.proof.not_run or made.proof.holds


def test_a_model_of_many_nodes_is_bytes_in_c() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(4000, 3)), random.normal(size=4000)
    forest = RandomForestRegressor(n_estimators=8, random_state=0).fit(X, y)
    made = export.c(forest, n_rows=500)
    assert "step_bytes" in made.text
    assert made.proof is not None
    assert made.proof.not_run or made.proof.holds, str(made.proof)


def test_an_unfitted_or_foreign_model_is_refused() -> None:
    with pytest.raises(ParameterError, match="is not fitted"):
        export.python(DecisionTreeClassifier())
    with pytest.raises(ParameterError, match="no model of treewright"):
        export.python(3)


def test_several_outputs_are_refused() -> None:
    X, y = [[1.0], [2.0], [3.0]], [[0, 1], [1, 0], [1, 1]]
    tree = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(UnsupportedError, match="2 targets at once"):
        export.c(tree)


def test_an_export_is_written_and_verified_from_its_file(tmp_path: Path) -> None:
    made = export.c(model("cuts"), tmp_path / "risk.c", n_rows=300)
    assert made.name == "risk"
    assert str(made).startswith("risk.c: C99 without libraries: int risk_predict(const risk_row")
    again = export.verify(model("cuts"), tmp_path / "risk.c", n_rows=300)
    assert again.not_run or again.holds
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("target", ["python", "c", "sql"])
def test_a_wrong_cut_is_found(tmp_path: Path, target: str) -> None:
    path = tmp_path / f"model{export.TARGETS[target].suffixes[0]}"
    getattr(export, target)(model("cuts"), path, proof=False)
    path.write_text(path.read_text().replace("1.75", "1.7500000000000002"))
    proof = export.verify(model("cuts"), path, n_rows=3000)
    if proof.not_run:
        pytest.skip(proof.not_run)
    assert proof.differing > 0
    assert not proof.holds
    assert proof.first_difference is not None
    assert "petal width (cm)=1.7500000000000002" in proof.first_difference
    assert "answers differ" in str(proof)


def test_a_program_that_does_not_compile_is_told(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    export.python(model("cuts"), path, proof=False)
    path.write_text(path.read_text().replace("def predict(", "def predict("[:-1] + " nonsense("))
    proof = export.verify(model("cuts"), path, n_rows=50)
    assert not proof.holds
    assert "SyntaxError" in str(proof.first_difference)
