"""Models logged to MLflow and loaded again: the ``.tw`` file is stored, nothing is pickled."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw

pandas = pytest.importorskip("pandas", reason="pandas is not installed")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    mlflow = pytest.importorskip("mlflow", minversion="3", reason="mlflow 3 is not installed")
    pytest.importorskip("mlflow.pyfunc", reason="mlflow has no pyfunc here")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

LOADER = "treewright.persist.pyfunc"


@pytest.fixture
def no_pickle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be unpickled: MLflow is told so, and whoever tries it fails."""

    def refused(*arguments: Any, **named: Any) -> Any:
        raise AssertionError("something was unpickled")

    monkeypatch.setenv("MLFLOW_ALLOW_PICKLE_DESERIALIZATION", "false")
    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refused)


def store(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let MLflow keep runs and models in a folder."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (folder / "runs").as_uri())


@pytest.mark.parametrize(
    "learner",
    [
        tw.CARTClassifier(max_depth=4),
        tw.RandomForestClassifier(n_estimators=5, random_state=0),
        tw.GradientBoostingClassifier(n_estimators=5, random_state=0),
    ],
)
def test_a_logged_model_answers_as_the_one_saved(
    learner: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_pickle: None
) -> None:
    loans = tw.load_example("loans")
    model = learner.fit(loans.X, loans.y)
    tw.save(model, tmp_path / "risk.tw", remember={"target": "outcome"})
    store(tmp_path, monkeypatch)
    with mlflow.start_run():
        logged = mlflow.pyfunc.log_model(
            name="risk",
            loader_module=LOADER,
            data_path=str(tmp_path / "risk.tw"),
            pip_requirements=["treewright"],
        )
    again = mlflow.pyfunc.load_model(logged.model_uri)
    rows = loans.X.to_pandas()
    assert isinstance(rows, pandas.DataFrame)
    np.testing.assert_array_equal(again.predict(rows), model.predict(loans.X))
    raw = again.get_raw_model()
    assert type(raw) is type(model)
    np.testing.assert_array_equal(raw.predict_proba(rows), model.predict_proba(loans.X))


def test_the_file_itself_is_stored_and_no_pickle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_pickle: None
) -> None:
    play = tw.load_example("play_tennis")
    tw.save(tw.ID3Classifier().fit(play.X, play.y), tmp_path / "play.tw")
    store(tmp_path, monkeypatch)
    mlflow.pyfunc.save_model(
        tmp_path / "stored",
        loader_module=LOADER,
        data_path=str(tmp_path / "play.tw"),
        pip_requirements=["treewright"],
    )
    files = [each for each in (tmp_path / "stored").rglob("*") if each.is_file()]
    (kept,) = [each for each in files if each.suffix == ".tw"]
    assert kept.read_bytes() == (tmp_path / "play.tw").read_bytes()
    assert not {each.suffix for each in files} & {".pkl", ".pickle", ".joblib"}
    # Pickles of protocol 2 and later begin with this byte, whatever they are called.
    assert not any(each.read_bytes()[:1] == b"\x80" for each in files)
    loaded = mlflow.pyfunc.load_model(str(tmp_path / "stored"))
    assert loaded.predict(play.X.to_pandas()).tolist() == play.y.tolist()


def test_a_damaged_file_is_refused_by_what_loads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_pickle: None
) -> None:
    play = tw.load_example("play_tennis")
    tw.save(tw.ID3Classifier().fit(play.X, play.y), tmp_path / "play.tw")
    store(tmp_path, monkeypatch)
    mlflow.pyfunc.save_model(
        tmp_path / "stored",
        loader_module=LOADER,
        data_path=str(tmp_path / "play.tw"),
        pip_requirements=["treewright"],
    )
    (kept,) = (tmp_path / "stored").rglob("*.tw")
    whole = bytearray(kept.read_bytes())
    whole[-9] ^= 1
    kept.write_bytes(whole)
    with pytest.raises(tw.errors.ModelFormatError, match="damaged"):
        mlflow.pyfunc.load_model(str(tmp_path / "stored"))
