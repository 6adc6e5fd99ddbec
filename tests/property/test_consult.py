"""A consultation ends where prediction ends, whatever is asked, answered or unknown."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from property.grow.test_invariance import assume_fit, draw_tree_options
from property.growing import examples, grow
from property.tables import Sample
from property.test_predictions import answers_of, tables_alike
from treewright.consult.consultation import Consultation
from treewright.tree.tree import Tree

TASKS = [("classes", "gini"), ("classes", "gain_ratio"), ("numbers", "squared_error")]


def draw_tree(data: st.DataObject, target: Any, criterion: str) -> tuple[Tree, Sample]:
    sample, other = data.draw(tables_alike(target=target, max_rows=9))
    assume_fit(sample, criterion)
    combine = data.draw(st.sampled_from(["branch_fractions", "leaf_counts"]))
    return grow(sample, combine=combine, **draw_tree_options(data, criterion)), other


def cell(frame: dict[str, Any], name: str, row: int) -> Any:
    value = frame[name][row]
    return None if value is None or value != value else value


def row_with(frame: dict[str, Any], row: int, names: Any) -> dict[str, Any]:
    """One row in which only some columns are known."""
    return {name: [cell(frame, name, row) if name in names else None] for name in frame}


def talk_through(
    consultation: Consultation, frame: dict[str, Any], row: int, unknown: set[str]
) -> None:
    for _ in range(len(frame) + 1):
        question = consultation.question
        if question is None:
            return
        name = question.column
        assert name not in [reply.column for reply in consultation.asked], "asked twice"
        assert 0 < question.share <= 1 + 1e-12
        consultation.answer(None if name in unknown else cell(frame, name, row))
    raise AssertionError("more questions than columns")


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(1))
def test_it_ends_where_prediction_ends(target: Any, criterion: str, data: st.DataObject) -> None:
    tree, other = draw_tree(data, target, criterion)
    names = list(other.frame)
    costs = {name: data.draw(st.sampled_from([0, 1, 2.5])) for name in names}
    for row in range(other.n_rows):
        unknown = {name for name in names if data.draw(st.booleans())}
        known = {name for name in names if data.draw(st.integers(0, 3)) == 0}
        consultation = tree.consult(
            costs=costs, known={name: cell(other.frame, name, row) for name in known}
        )
        talk_through(consultation, other.frame, row, unknown)
        assert consultation.is_settled
        told = row_with(other.frame, row, set(names) - (unknown - known))
        label = tree.predict(told)[0]
        if tree.classes is None:
            assert consultation.label == pytest.approx(label, rel=1e-12)
        else:
            assert consultation.label == label
        # What was not asked is missing: exactly the answer of such a row.
        asked = {reply.column for reply in consultation.asked} | known
        heard = row_with(other.frame, row, asked - (unknown - known))
        found = [consultation.label] if tree.classes is None else consultation.probabilities
        assert np.array_equal(found, answers_of(tree, heard)[0])
        paid = [costs[r.column] for r in consultation.asked if r.value is not None]
        assert consultation.cost_so_far == pytest.approx(sum(paid))


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(1))
def test_nothing_left_out_could_change_a_settled_answer(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    tree, other = draw_tree(data, target, criterion)
    tolerance = 0.0 if target == "classes" else data.draw(st.sampled_from([0.0, 1.0, 5.0]))
    consultation = tree.consult(tolerance=tolerance)
    row = data.draw(st.integers(0, other.n_rows - 1))
    unknown = {name for name in other.frame if data.draw(st.booleans())}
    talk_through(consultation, other.frame, row, unknown)
    given_values = {reply.column: [reply.value] for reply in consultation.asked}
    pools = [
        given_values.get(f"c{i}", [*dict.fromkeys([*column.given(), None])])
        for i, column in enumerate(other.columns)
    ]
    rows = list(product(*pools))
    table = {name: [each[i] for each in rows] for i, name in enumerate(other.frame)}
    answers = tree.predict(table)
    if target == "classes":
        assert set(answers.tolist()) == {consultation.label}
    else:
        slack = 1e-9 * max(1.0, float(np.abs(answers).max()))
        assert np.ptp(answers) <= tolerance + slack


@given(data=st.data())
@settings(examples(1))
def test_an_answer_taken_back_was_never_given(data: st.DataObject) -> None:
    tree, other = draw_tree(data, "classes", "gini")
    consultation = tree.consult()
    states = []
    while (question := consultation.question) is not None:
        states.append((question, consultation.cost_so_far, list(consultation.probabilities)))
        row = data.draw(st.integers(0, other.n_rows - 1))
        consultation.answer(cell(other.frame, question.column, row))
    for question, cost, probabilities in reversed(states):
        consultation.undo()
        assert consultation.question == question
        assert consultation.cost_so_far == cost
        assert list(consultation.probabilities) == probabilities
    assert consultation.asked == ()
