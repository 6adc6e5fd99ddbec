"""Bias and variance of any answers: as the papers' formulas say, and adding up to the error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import decomposition as oracle

from treewright.evaluate import SquaredParts, ZeroOneParts, decompose

LABELS = st.sampled_from(["a", "b", "c", "d"])


@st.composite
def answers(draw: st.DrawFn) -> tuple[list[list[str]], list[str], list[str]]:
    n_rows, n_samples = draw(st.integers(1, 6)), draw(st.integers(1, 7))
    rows = st.lists(LABELS, min_size=n_rows, max_size=n_rows)
    return [draw(rows) for _ in range(n_samples)], draw(rows), draw(rows)


@given(answers())
def test_domingos_parts_are_the_papers_and_add_up(
    drawn: tuple[list[list[str]], list[str], list[str]],
) -> None:
    predictions, target, optimal = drawn
    found = decompose(predictions, target, loss="zero_one", optimal=optimal)
    assert isinstance(found, ZeroOneParts)
    expected = oracle.domingos(predictions, target, optimal)
    assert found.error == pytest.approx(float(expected.error), abs=1e-12)
    assert found.noise == pytest.approx(float(expected.noise), abs=1e-12)
    assert found.bias == pytest.approx(float(expected.bias), abs=1e-12)
    assert found.unbiased_variance == pytest.approx(float(expected.unbiased_variance), abs=1e-12)
    assert found.biased_variance == pytest.approx(float(expected.biased_variance), abs=1e-12)
    total = found.noise + found.bias + found.unbiased_variance - found.biased_variance
    assert total == pytest.approx(found.error, abs=1e-12)
    assert found.net_variance == pytest.approx(found.unbiased_variance - found.biased_variance)


@given(answers())
def test_kohavi_and_wolpert_s_parts_are_the_papers_and_add_up(
    drawn: tuple[list[list[str]], list[str], list[str]],
) -> None:
    predictions, target, _ = drawn
    found = decompose(predictions, target, loss="zero_one")
    assert isinstance(found, ZeroOneParts)
    bias, variance = oracle.kohavi_wolpert(predictions, target)
    assert found.squared_bias == pytest.approx(float(bias), abs=1e-12)
    assert found.total_variance == pytest.approx(float(variance), abs=1e-12)
    assert found.squared_bias + found.total_variance == pytest.approx(found.error, abs=1e-12)
    assert found.noise == pytest.approx(0.0, abs=1e-12)


@given(
    st.integers(1, 5).flatmap(
        lambda n: st.tuples(
            st.lists(
                st.lists(st.floats(-100, 100), min_size=n, max_size=n), min_size=1, max_size=6
            ),
            st.lists(st.floats(-100, 100), min_size=n, max_size=n),
        )
    )
)
def test_squared_loss_is_squared_bias_and_variance(
    drawn: tuple[list[list[float]], list[float]],
) -> None:
    predictions, target = drawn
    found = decompose(predictions, target)
    assert isinstance(found, SquaredParts)
    error, bias, variance = oracle.squared(predictions, target)
    assert found.error == pytest.approx(error, rel=1e-9, abs=1e-7)
    assert found.squared_bias == pytest.approx(bias, rel=1e-9, abs=1e-7)
    assert found.total_variance == pytest.approx(variance, rel=1e-9, abs=1e-7)
    assert found.squared_bias + found.total_variance == pytest.approx(
        found.error, rel=1e-9, abs=1e-7
    )
