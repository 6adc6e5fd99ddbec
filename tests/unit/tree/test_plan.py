from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from unit.tree.hand_trees import play_tennis

from treewright.errors import ModelFormatError
from treewright.tree.leaf import by_output, decide
from treewright.tree.plan import compile_plan

ANSWERS = np.array([[0.2, 0.8, 0.5, 0.5, 0.0], [0.5, 0.5, 0.0, 0.1, 0.9]])
CLASSES = (np.array(["no", "yes"]), np.array(["a", "b", "c"]))


def test_answers_are_cut_by_output() -> None:
    first, second = by_output(ANSWERS, CLASSES)
    assert first.tolist() == [[0.2, 0.8], [0.5, 0.5]]
    assert second.tolist() == [[0.5, 0.5, 0.0], [0.0, 0.1, 0.9]]


def test_the_first_of_equally_likely_classes_is_predicted() -> None:
    assert decide(ANSWERS[:, :2], CLASSES[:1]).tolist() == ["yes", "no"]
    assert decide(ANSWERS, CLASSES).tolist() == [["yes", "a"], ["no", "c"]]


def test_outputs_of_different_types_keep_them() -> None:
    classes = (CLASSES[0], np.array([1, 2, 3]))
    assert decide(ANSWERS, classes).tolist() == [["yes", 1], ["no", 3]]


def test_one_number_per_row_has_one_dimension() -> None:
    assert decide(ANSWERS[:, :1], None).tolist() == [0.2, 0.5]
    assert decide(ANSWERS, None).shape == (2, 5)


def test_a_broken_tree_never_reaches_compiled_code() -> None:
    tree = play_tennis()
    broken = replace(tree.arrays, parent=np.zeros(8, dtype=np.int32))
    with pytest.raises(ModelFormatError, match="at the root"):
        compile_plan(broken, tree.schema, n_classes=(2,), combine="branch_fractions")
