"""The choice among the rules of a class: every subset, hill climbing, annealing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import rule_learning as oracle
from scipy.sparse import csr_array

from treewright.rules.learn.select import Candidates, choose_subset, exception_bits


def drawn(seed: int, n_rules: int, *, whole: bool = True, n_rows: int = 60) -> Candidates:
    random = np.random.default_rng(seed)
    is_target = random.random(n_rows) < 0.4
    reach = np.where(is_target, 0.35, 0.1)
    matches = random.random((n_rules, n_rows)) < reach * random.random((n_rules, 1)) * 2
    weight = random.integers(1, 4, n_rows) if whole else random.random(n_rows)
    return Candidates(
        matches=csr_array(matches.astype(float)),
        bits=random.uniform(1, 12, n_rules),
        weight=weight.astype(float),
        is_target=is_target,
    )


def as_oracle(candidates: Candidates) -> tuple[list[oracle.Learned], tuple[Any, ...]]:
    """The same in the oracle's words: rules test the number of a row."""
    matches = candidates.matches.toarray() > 0
    rules = [
        oracle.Learned(
            tests=(oracle.Test(str(i), 0, lambda row, line=line: bool(line[row])),),
            label="yes",
            error=0.1,
        )
        for i, line in enumerate(matches)
    ]
    y = ["yes" if each else "no" for each in candidates.is_target]
    return rules, ("yes", range(matches.shape[1]), y, candidates.weight.tolist())


def bits_of(candidates: Candidates, chosen: Any) -> float:
    rules, data = as_oracle(candidates)
    numbers = np.flatnonzero(chosen).tolist()
    bits = candidates.bits[numbers].tolist()
    return oracle.subset_bits([rules[i] for i in numbers], bits, *data)


def choose(candidates: Candidates, search: Any = "greedy") -> Any:
    return choose_subset(candidates, search=search, random=np.random.default_rng(0))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("whole", [True, False])
def test_of_few_rules_the_best_subset_is_found(seed: int, whole: bool) -> None:
    candidates = drawn(seed, 1 + seed % 7, whole=whole, n_rows=30)
    rules, data = as_oracle(candidates)
    best = oracle.best_subset(rules, candidates.bits.tolist(), *data)
    assert [rules[i] for i in np.flatnonzero(choose(candidates))] == best


@pytest.mark.parametrize("search", ["greedy", "annealing"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("whole", [True, False])
def test_of_many_rules_no_single_change_is_better(search: str, seed: int, whole: bool) -> None:
    candidates = drawn(seed, 14, whole=whole)
    chosen = choose(candidates, search)
    found = bits_of(candidates, chosen)
    for rule in range(14):
        changed = chosen.copy()
        changed[rule] = not changed[rule]
        assert bits_of(candidates, changed) >= found - 1e-4
    nothing = np.zeros(14, dtype=bool)
    assert found <= bits_of(candidates, nothing) + 1e-4


def test_the_same_seed_gives_the_same_subset() -> None:
    candidates = drawn(1, 40)
    for search in ("greedy", "annealing"):
        assert np.array_equal(choose(candidates, search), choose(candidates, search))


def test_no_rule_at_all() -> None:
    assert choose(drawn(0, 0)).tolist() == []


def test_bits_of_exceptions_are_those_of_the_oracle() -> None:
    for fires in (0.0, 3.0, 10.0, 16.0, 20.0):
        for false_positives in (0.0, 1.0, 3.0):
            for false_negatives in (0.0, 2.0, 4.0):
                if false_positives > fires or false_negatives > 20 - fires:
                    continue
                found = exception_bits(
                    np.float64(fires),
                    np.float64(false_positives),
                    np.float64(false_negatives),
                    20.0,
                )
                expected = oracle.exception_bits(20.0, fires, false_positives, false_negatives)
                assert float(found) == pytest.approx(expected)
