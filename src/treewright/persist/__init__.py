"""Model files: a model saved, loaded and described; docs/model-files.md has the format.

A ``.tw`` file holds arrays behind a header of JSON, a ``.json`` file the same as readable text.
Neither holds code: a file from a stranger can be wrong, but it cannot do anything.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treewright.persist.description import Description, describe
    from treewright.persist.file_answers import PredictedFile, predict_file
    from treewright.persist.files import convert, load, save

__all__ = [
    "Description",
    "PredictedFile",
    "convert",
    "describe",
    "load",
    "predict_file",
    "save",
]

_HOMES = {
    "Description": "description",
    "PredictedFile": "file_answers",
    "convert": "files",
    "describe": "description",
    "load": "files",
    "predict_file": "file_answers",
    "save": "files",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: to describe a file needs no model's class."""
    if name not in _HOMES:
        raise AttributeError(f"module 'treewright.persist' has no attribute {name!r}")
    found = getattr(importlib.import_module(f"treewright.persist.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
