"""What a tree may hold of its training; :mod:`treewright.grow.training_record` makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from treewright.array_types import Array

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.data.table import Table
    from treewright.tree.tree import Tree


class Growth(NamedTuple):
    """How a tree was grown, for branches that are grown again."""

    options: Any
    """As the core takes them."""
    copies: FloatArray | None
    """How many rows each row stands for (None: 1)."""
    class_factor: FloatArray | None
    """How often the rows of each class counted, because of what errors cost (None: once)."""


class Record(Protocol):
    """What a fit remembers of its data, so that a tree can show its working or be pruned."""

    @property
    def problem(self) -> Any:
        """What the tree was grown from."""

    def rows(self) -> tuple[Table, Array, FloatArray | None]:
        """Return the training rows: table, class codes (or numbers) and weights (None: all 1)."""

    def growth(self) -> Growth:
        """Return how the tree was grown."""


class Recall(Protocol):
    """Makes the record again from the training data."""

    def __call__(
        self, tree: Tree, X: object, y: object, sample_weight: object, *, owner: str
    ) -> Record:
        """Return the record of the fit that grew this tree from these data; errors name `owner`."""
