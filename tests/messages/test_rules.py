"""What C45RulesClassifier says of parameters that it cannot use, word for word."""

from __future__ import annotations

from typing import Any

import pytest

from treewright import C45RulesClassifier, load_example
from treewright.errors import ParameterError, UnsupportedError

PLAY = load_example("play_tennis")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"variant": "c4.5"},
            "variant='c4.5' must be one of 'release8', 'j48', 'c5'.\n  Hint: did you mean 'c5'?",
        ),
        ({"confidence": 0}, "confidence=0 must be above 0 and at most 1."),
        ({"confidence": None}, "confidence=None must be a number."),
        ({"redundancy": 0.0}, "redundancy=0.0 must be above 0."),
        ({"redundancy": "1"}, "redundancy='1' must be a number."),
        ({"significance": 2}, "significance=2 must be between 0 and 1, or None."),
        (
            {"search": "anneal"},
            "search='anneal' must be one of 'greedy', 'annealing'.\n"
            "  Hint: did you mean 'annealing'?",
        ),
        ({"min_cases": 0}, "min_cases=0 must be at least 1."),
    ],
)
def test_parameters_out_of_range(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        C45RulesClassifier(**parameters).fit(PLAY.X, PLAY.y)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "value"), [("redundancy", 2.0), ("significance", 0.05), ("search", "annealing")]
)
def test_parameters_of_c45rules_alone(name: str, value: Any) -> None:
    with pytest.raises(UnsupportedError) as caught:
        C45RulesClassifier(variant="c5", **{name: value}).fit(PLAY.X, PLAY.y)
    assert str(caught.value) == (
        f"{name}={value!r} is C4.5rules' own; variant='c5' makes its rules without.\n"
        "  Hint: variant='release8'."
    )
