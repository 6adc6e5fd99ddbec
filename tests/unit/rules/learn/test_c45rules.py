"""The steps of C4.5rules that small tables seldom exercise; the whole is a property test."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from treewright import C45RulesClassifier, load_example
from treewright.data.read.table import read_table
from treewright.rules.counting import LabelledRows
from treewright.rules.learn.c45rules import (
    C45RulesOptions,
    _default_code,
    _fisher,
    _Judge,
    _order,
    _without_harm,
)

LEFT = np.array([0, 1])


def judge(**options: Any) -> _Judge:
    return _Judge(options=C45RulesOptions(**options), guess=0.3)


def rows(codes: str, weight: list[float] | None = None) -> LabelledRows:
    return LabelledRows(
        table=read_table({"x": np.arange(len(codes), dtype=float)}),
        codes=np.array(["abc".index(code) for code in codes]),
        weight=np.array(weight or [1.0] * len(codes)),
        classes=np.array(list("abc"), dtype=object),
    )


def matches(*lines: str) -> csr_array:
    return csr_array(np.array([[cell == "1" for cell in line] for line in lines], dtype=float))


def test_the_condition_that_leaves_the_lowest_error_goes() -> None:
    covered, wrong = np.array([10.0, 12.0, 20.0]), np.array([1.0, 1.0, 9.0])
    assert judge().choose(LEFT, covered, wrong) == 0


def test_of_equals_the_last_goes() -> None:
    covered, wrong = np.array([10.0, 12.0, 12.0]), np.array([1.0, 1.0, 1.0])
    assert judge().choose(LEFT, covered, wrong) == 1


def test_nothing_goes_that_raises_the_error() -> None:
    covered, wrong = np.array([10.0, 12.0, 20.0]), np.array([0.0, 2.0, 9.0])
    assert judge().choose(LEFT, covered, wrong) is None


def test_a_rule_that_no_row_meets_counts_as_a_guess_but_is_not_wrong() -> None:
    # The estimate of three rows, 0.37, is worse than the guess, 0.3; the plain error is equal.
    covered, wrong = np.array([0.0, 3.0, 5.0]), np.array([0.0, 0.0, 3.0])
    assert judge().rates(covered, wrong)[:2] == pytest.approx([0.3, 0.37], abs=1e-3)
    assert judge().choose(LEFT, covered, wrong) == 0


def test_a_condition_that_chance_explains_goes_too() -> None:
    covered, wrong = np.array([10.0, 12.0, 40.0]), np.array([0.0, 1.0, 15.0])
    assert judge().choose(LEFT, covered, wrong) is None
    assert judge(significance=0.05).choose(LEFT, covered, wrong) == 0
    # 10 of 12 rows kept, the one wrong row not among them: 2 of 12.
    assert _fisher(covered, wrong)[0] == pytest.approx(2 / 12)
    # All 25 right rows of 40 against 10 right rows kept and none wrong.
    from math import comb

    assert _fisher(covered, wrong)[1] == pytest.approx(comb(25, 10) / comb(40, 10))


def test_classes_with_fewer_false_positives_come_first() -> None:
    data = rows("aabbc")
    chosen = [np.array([0]), np.array([1, 2])]
    found = _order(
        chosen,
        matches("11100", "00110", "00011"),
        np.array([0, 1, 1]),
        np.array([0.1, 0.4, 0.2]),
        data,
    )
    # Rule 0 is wrong about one row, rules 1 and 2 about one; of equals the first class. Once
    # its rows are taken, rule 2 is more accurate than rule 1.
    assert found.tolist() == [0, 2, 1]
    light = _order(
        chosen,
        matches("11100", "00110", "00011"),
        np.array([0, 1, 1]),
        np.array([0.1, 0.4, 0.2]),
        rows("aabbc", [1, 1, 1, 1, 0.5]),
    )
    assert light.tolist() == [2, 1, 0]


def test_the_default_is_the_most_frequent_class_of_the_rows_left_over() -> None:
    data = rows("aaabbc")
    assert _default_code(np.array([0]), matches("111000"), data) == 1
    assert _default_code(np.array([0]), matches("111110"), data) == 2
    assert _default_code(np.array([0]), matches("110101"), data) == 0  # one of a, one of b: a
    assert _default_code(np.array([0]), matches("111111"), data) == 0
    assert _default_code(np.array([], dtype=np.int64), matches("111000"), data) == 0


def test_rules_that_turn_more_rows_wrong_than_right_are_dropped() -> None:
    data = rows("abbb")
    order = np.array([0, 1])
    codes = np.array([0, 1])
    # Rule 0 takes three rows of b from rule 1, and is right about one.
    harmful = matches("1111", "0111")
    assert _without_harm(order, harmful, codes, 1, data).tolist() == [1]
    helpful = matches("1100", "0111")
    assert _without_harm(order, helpful, codes, 1, data).tolist() == [0, 1]
    weighty = rows("abbb", [1, 3, 1, 1])
    assert _without_harm(order, helpful, codes, 1, weighty).tolist() == [1]


def test_two_rules_that_say_the_same_of_a_row_back_each_other() -> None:
    data = rows("abbaa")
    # Without rule 0, rule 1 is as wrong: neither harms. Rule 2 is wrong where the default is right.
    found = _without_harm(
        np.array([0, 1, 2]),
        matches("01100", "01100", "01111"),
        np.array([0, 0, 1]),
        0,
        data,
    )
    assert found.tolist() == [0, 1]


def test_release_8_on_the_days_of_golf() -> None:
    """Quinlan's program finds rules without a training error (shared/reference, golf)."""
    weather = load_example("play_tennis")
    model = C45RulesClassifier().fit(weather.X, weather.y)
    assert model.score(weather.X, weather.y) == 1.0


def test_confidence_and_redundancy_have_the_say_they_should() -> None:
    cancer = load_example("breast_cancer")
    sizes = [
        C45RulesClassifier(redundancy=redundancy).fit(cancer.X, cancer.y).ruleset_.n_conditions
        for redundancy in (0.2, 1.0, 50.0)
    ]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
