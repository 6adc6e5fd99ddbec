"""Model files of each release, kept for ever: later ones must load them and answer as they did.

    PYTHONPATH=tests python -m golden.model_files 0.1      writes those of a release, once

A file is never written anew. When the format changes, a folder for that release is added.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from model_mutations import models, tables

import treewright as tw

FOLDER = Path(__file__).parent / "models"
AS_TEXT = ("tree", "packed forest", "boosting")
"""Models that are kept as .json, too."""


def table_for(model: Any) -> Any:
    """Return rows to ask a model about."""
    table = tables()[0]
    schema = getattr(model, "schema", None)
    names = getattr(model, "feature_names_in_", getattr(schema, "input_names", None))
    if names is not None and set(names) <= set(table):
        return table[list(names)]
    return np.linspace(-2, 2, 40).reshape(20, 2)[:, : model.n_features_in_]


def answers(model: Any) -> dict[str, Any]:
    """Return what a model says, exactly: numbers as their hexadecimal texts."""
    X = table_for(model)
    said: dict[str, Any] = {"kind": type(model).__name__}
    for name in ("predict", "predict_proba", "transform"):
        if hasattr(model, name):
            array = np.asarray(getattr(model, name)(X))
            said[name] = [
                each.hex() if isinstance(each, float) else str(each)
                for each in array.reshape(-1).tolist()
            ]
    tree = getattr(model, "tree_", None)
    if tree is not None:
        said["text"] = tree.text()
        said["why"] = None if tree.kept_whys is None else tree.why(0).text()
    return said


def main() -> None:
    """Write the files of a release."""
    folder = FOLDER / sys.argv[1]
    folder.mkdir(parents=True)
    said = {}
    for name, model in models().items():
        suffixes = ("tw", "json") if name in AS_TEXT else ("tw",)
        for suffix in suffixes:
            path = folder / f"{name.replace(' ', '_')}.{suffix}"
            tw.save(model, path, why=name == "tree")
            said[path.name] = answers(tw.load(path))
    (folder / "answers.json").write_text(json.dumps(said, indent=1) + "\n")


if __name__ == "__main__":
    main()
