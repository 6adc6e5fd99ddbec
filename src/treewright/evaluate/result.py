"""What every result of evaluation can do: be printed, drawn, shown in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treewright.chart.picture import Picture
from treewright.data.frame import Frame
from treewright.data.objects import read_objects
from treewright.text.notebook import ShownInNotebooks


class Result(ShownInNotebooks):
    """A result that prints well at 80 columns and draws itself."""

    def text(self) -> str:
        """Return the result as text."""
        raise AssertionError("a result has a text")

    def draw(self) -> Picture:
        """Return the result as a picture: ``draw().svg()``, ``draw().save("result.svg")``."""
        raise AssertionError("a result has a picture")

    def plot(self, ax: Any = None) -> Any:
        """Draw the result with matplotlib, on the axes given or new ones, and return the axes."""
        return self.draw().plot(ax)

    def __str__(self) -> str:
        return self.text()


def frame_of(columns: Mapping[str, Sequence[Any]]) -> Frame:
    """Return a frame of lists of numbers (None is missing) and of texts.

    >>> frame_of({"fold": [0, 1], "error": [0.25, None]})["error"].tolist()
    [0.25, nan]
    """
    return Frame({name: read_objects(list(values), name) for name, values in columns.items()})
