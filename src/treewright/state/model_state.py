"""The state of a model: plain JSON values and named arrays, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treewright.array_types import Array

FORMAT = "treewright model"
"""What the JSON twin calls itself."""


@dataclass(frozen=True, kw_only=True)
class ModelState:
    """What a model file holds.

    Parameters
    ----------
    kind
        Name of the model's class.
    version
        The treewright that wrote it.
    about
        What can be told of the model without building it: JSON values.
    model
        The model: JSON values, which refer to the arrays by name.
    arrays
        Arrays of numbers and truth values by name.
    format
        Number of the format.
    """

    kind: str
    version: str
    about: Any
    model: Any
    arrays: Mapping[str, Array] = field(default_factory=dict)
    format: int = 1
