"""What MLflow loads a model file with: the ``loader_module`` of its generic Python models.

MLflow stores the ``.tw`` file itself, so nothing is pickled, and loading runs no code of the file::

    tw.save(model, "risk.tw")
    mlflow.pyfunc.log_model(
        name="risk", loader_module="treewright.persist.pyfunc", data_path="risk.tw"
    )

Importing this needs no MLflow.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from treewright.persist.files import load


@dataclass(frozen=True)
class LoadedModel:
    """A model as MLflow asks it: ``predict`` of a table, and the model itself.

    Parameters
    ----------
    model
        What the file holds: an estimator, a tree, an ensemble or a rule set.
    """

    model: Any

    def predict(self, table: Any) -> Any:
        """Return the answers about the rows of a table, by the names of its columns."""
        return self.model.predict(table)

    def get_raw_model(self) -> Any:
        """Return the model itself, for probabilities, intervals and reasons."""
        return self.model


def _load_pyfunc(data_path: str | os.PathLike[str]) -> LoadedModel:
    """Return the model of the file that was logged; MLflow asks for a function of this name.

    >>> import tempfile, pathlib, treewright as tw
    >>> play = tw.load_example("play_tennis")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tw.save(tw.ID3Classifier().fit(play.X, play.y), pathlib.Path(folder) / "play.tw")
    ...     loaded = _load_pyfunc(pathlib.Path(folder) / "play.tw")
    >>> loaded.predict(play.X)[:3].tolist()
    ['No', 'No', 'Yes']
    """
    return LoadedModel(load(data_path))
