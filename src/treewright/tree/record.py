"""Training data that a tree may keep; :mod:`treewright.grow.training_record` makes the record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from treewright.array_types import Array

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.data.table import Table
    from treewright.tree.tree import Tree


class Growth(NamedTuple):
    """How a tree was grown, for branches that are regrown."""

    options: Any
    """Options in the core's form."""
    copies: FloatArray | None
    """Number of copies that each row counts as (None: 1)."""
    class_factor: FloatArray | None
    """Weight factor of each class due to the cost matrix (None: 1)."""
    fills: tuple[Any, ...] | None = None
    """What missing values were filled with before growing (None: they were not)."""


class Record(Protocol):
    """Training data kept by a fit, so that a tree can explain its splits or be pruned."""

    @property
    def problem(self) -> Any:
        """The problem that the tree was grown from."""

    def rows(self) -> tuple[Table, Array, FloatArray | None]:
        """Return the training rows: table, class codes (or numbers) and weights (None: all 1)."""

    def growth(self) -> Growth:
        """Return how the tree was grown."""

    def part_of(self, path: Any) -> tuple[Any, list[int]]:
        """Return the part that the node of a path was grown in, and the path from its root."""


class Recall(Protocol):
    """A function that makes the record again from the training data."""

    def __call__(
        self, tree: Tree, X: object, y: object, sample_weight: object, *, owner: str
    ) -> Record:
        """Return the record of the fit that grew this tree from these data; errors name `owner`."""

    def reason_for_one_leaf(self, tree: Tree) -> str | None:
        """Return why a tree that asks nothing has not been split; None where it is plain to see."""
