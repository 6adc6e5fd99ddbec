"""Trees that are made when one of them is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


class WaitingTrees(Sequence["Tree"]):
    """A sequence of trees that are made, all at once, when one of them is first asked for.

    Parameters
    ----------
    n_trees
        How many.
    make
        Makes them. It is called once and then dropped, with all that it holds; unless it raises.
    """

    def __init__(self, n_trees: int, make: Callable[[], Sequence[Tree]]) -> None:
        self._n_trees = n_trees
        self._make: Callable[[], Sequence[Tree]] | None = make
        self._made: tuple[Tree, ...] = ()
        self._lock = Lock()

    def __len__(self) -> int:
        return self._n_trees

    @property
    def are_made(self) -> bool:
        """Whether one was asked for."""
        return self._make is None

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Tree, ...]: ...
    def __getitem__(self, index: Any) -> Any:
        if self._make is not None:
            with self._lock:
                if self._make is not None:  # no other thread was first
                    self._made = tuple(self._make())
                    self._make = None
        return self._made[index]
