"""Every worked number of the lectures, with the tables as they are printed.

Each ``op`` has one answer, through the public API (never through the oracle), or scikit-learn's
where a linear learner is asked. The slides' bare arithmetic (``NO_FEATURE``) is no
feature of a decision-tree system and is left out altogether.
"""

import json
from typing import Any

import pytest

from golden import (
    adaboost_answers,
    boosting_answers,
    evaluation_answers,
    forest_answers,
    linear_answers,
    measure_answers,
    pruning_answers,
    rule_answers,
    tree_answers,
)
from golden.lectures import SHARED, STORED, examples, lecture

TOLERANCE = 1e-9  # default_tolerance of examples.json, whose numbers have twelve decimals

ANSWERS: dict[str, Any] = {
    **measure_answers.ANSWERS,
    **rule_answers.ANSWERS,
    **tree_answers.ANSWERS,
    **pruning_answers.ANSWERS,
    **forest_answers.ANSWERS,
    **adaboost_answers.ANSWERS,
    **boosting_answers.ANSWERS,
    **evaluation_answers.ANSWERS,
    **linear_answers.ANSWERS,
}

NO_FEATURE = {
    "boolean_functions",
    "combinations",
    "hypothesis_space",
    "instance_space",
    "polyfit",
    "polynomial_at",
    "polynomial_values",
}
UNORDERED = {"disagreements", "rules"}

EXAMPLES = examples()


def agrees(found: Any, expected: Any) -> bool:
    """Equal in structure, and in every number within the tolerance."""
    if isinstance(expected, bool) or isinstance(found, bool):
        return found is expected
    if isinstance(expected, int | float):
        return isinstance(found, int | float) and abs(found - expected) <= TOLERANCE
    if isinstance(expected, dict):
        return (
            isinstance(found, dict)
            and found.keys() == expected.keys()
            and all(agrees(found[key], expected[key]) for key in expected)
        )
    if isinstance(expected, list):
        return (
            isinstance(found, list)
            and len(found) == len(expected)
            and all(agrees(a, b) for a, b in zip(found, expected, strict=True))
        )
    return bool(found == expected)


def in_order(items: list[Any]) -> list[Any]:
    return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))


@pytest.mark.filterwarnings("ignore::treewright.errors.SmallDataWarning")
@pytest.mark.filterwarnings("ignore::treewright.errors.IdentifierWarning")  # a lesson about Day
@pytest.mark.parametrize(
    "example",
    [
        pytest.param(example, id=example["id"])
        for example in EXAMPLES
        if example["query"]["op"] not in NO_FEATURE
    ],
)
def test_the_lectures_number_comes_out(example: dict[str, Any]) -> None:
    query = example["query"]
    op = query["op"]
    data = lecture(example["dataset"]) if example["dataset"] else None
    found = ANSWERS[op](data, query)
    accepted = [example["exact"], *example.get("also_accept", [])]
    if op in UNORDERED:
        found, accepted = in_order(found), [in_order(each) for each in accepted]
    assert any(agrees(found, each) for each in accepted), (
        f"{example['what']}\n found    {found}\n expected {example['exact']}"
    )


def test_every_op_is_answered_or_named_as_left_out() -> None:
    asked = {example["query"]["op"] for example in EXAMPLES}
    assert not asked - ANSWERS.keys() - NO_FEATURE
    assert not ANSWERS.keys() - asked, "answers that nothing asks for"


def test_no_op_is_both_answered_and_left_out() -> None:
    assert not ANSWERS.keys() & NO_FEATURE


@pytest.mark.skipif(not SHARED.exists(), reason="shared/golden is not beside this checkout")
@pytest.mark.parametrize(
    ("file", "key"), [("datasets.json", "datasets"), ("examples.json", "examples")]
)
def test_what_is_stored_is_what_is_shared(file: str, key: str) -> None:
    shared = json.loads((SHARED / file).read_text(encoding="utf-8"))[key]
    stored = json.loads(STORED.read_text(encoding="utf-8"))[key]
    if key == "examples":
        shared, stored = ({each["id"]: each for each in them} for them in (shared, stored))
    assert shared.keys() == stored.keys()
    for name, kept in stored.items():
        assert {field: shared[name][field] for field in kept} == kept


@pytest.mark.parametrize(
    ("found", "expected", "answer"),
    [
        (1.0, 1, True),
        (1.0 + 1e-8, 1, False),
        (1, True, False),
        ([1, 2], [1], False),
        ({"a": [0.5]}, {"a": [0.5 + 1e-12]}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ("Yes", "No", False),
        (None, 0, False),
    ],
)
def test_comparison_is_strict_where_it_should_be(found: Any, expected: Any, answer: bool) -> None:
    assert agrees(found, expected) is answer
