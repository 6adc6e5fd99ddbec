"""Arrays pickled in pieces come back whole."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from unit.tree.hand_trees import play_tennis

from treewright import array_pieces
from treewright.array_pieces import ArrayInPieces, as_whole, in_pieces
from treewright.errors import ModelFormatError

MATRIX = np.arange(60.0).reshape(20, 3)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_pieces, "_PIECE_BYTES", 64)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("array", [MATRIX, MATRIX[:, 0], np.arange(100, dtype=np.int8)])
def test_an_array_in_pieces_is_loaded_as_the_array(array: Any, protocol: int) -> None:
    kept = in_pieces(array)
    assert isinstance(kept, ArrayInPieces)
    loaded = pickle.loads(pickle.dumps(kept, protocol))
    assert loaded.dtype == array.dtype
    assert np.array_equal(loaded, array)
    assert as_whole(kept) is array


def test_a_small_array_is_pickled_as_it_is() -> None:
    small = np.arange(3.0)
    assert in_pieces(small) is small
    assert as_whole(small) is small


@pytest.mark.parametrize(
    ("shape", "pieces"),
    [((3,), [np.zeros(2)]), ((1,), [np.zeros(2)]), ((2,), []), ((2,), ["ab"]), (("x",), [MATRIX])],
)
def test_pieces_that_do_not_fit_are_refused(shape: Any, pieces: Any) -> None:
    with pytest.raises(ModelFormatError, match="the pieces of an array are damaged"):
        array_pieces._joined(shape, pieces)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))]
)
def test_the_arrays_of_a_tree_survive(copied: Any) -> None:
    arrays = play_tennis().arrays
    twin = copied(replace(arrays))
    assert twin.equals(arrays)
    assert not twin.first_child.flags.writeable
