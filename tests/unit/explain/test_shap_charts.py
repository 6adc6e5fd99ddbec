"""SHAP values drawn: arrows that add up, titles with their conditions, dots by column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright import GradientBoostingClassifier, GradientBoostingRegressor, load_example
from treewright.chart.effects import ArrowChart, SwarmChart
from treewright.errors import ParameterError, UnsupportedError
from treewright.explain.shap_values import ShapValues


def values_of(values: Any, **changes: Any) -> ShapValues:
    """Return values of one output."""
    values = np.asarray(values, dtype=float)
    n = values.shape[1]
    given: dict[str, Any] = {
        "values": values,
        "base_values": 10.0,
        "data": np.arange(values.size, dtype=float).reshape(values.shape),
        "feature_names": tuple(f"c{i}" for i in range(n)),
        "output_names": ("prediction",),
        "scale": "prediction",
    }
    return ShapValues(**(given | changes))


@pytest.mark.parametrize(
    ("values", "title"),
    [
        ([1.0, -2.0, 0.5], "c0 raises the prediction most, c1 lowers it most"),
        ([1.0, 0.0, 0.5], "c0 raises the prediction most; no column lowers it"),
        ([-1.0, 0.0, -3.0], "c2 lowers the prediction most; no column raises it"),
        ([0.0, 0.0, 0.0], "No column changes the prediction"),
        ([1.0, -1e-15, 0.0], "c0 raises the prediction most; no column lowers it"),
    ],
)
def test_the_title_of_a_row_says_what_its_values_do(values: list[float], title: str) -> None:
    assert values_of([values]).draw().title == title


def test_arrows_lead_from_the_base_to_the_answer() -> None:
    loans = load_example("loans")
    model = GradientBoostingClassifier(n_estimators=20).fit(loans.X, loans.y)
    found = model.shap_values(loans.X.rows(range(40)))
    for row in (0, 17, -1):
        for output, name in enumerate(found.output_names):
            chart = found[row].draw(name)
            assert isinstance(chart, ArrowChart)
            assert chart.start[1] == pytest.approx(found.base_values[output])  # type: ignore[index]
            assert chart.stops[-1] == pytest.approx(found.answers[row, output], abs=1e-12)
            sizes = [abs(arrow.adds) for arrow in chart.arrows[:7]]
            assert sizes == sorted(sizes, reverse=True)
            assert len(chart.arrows) <= 8
            assert chart.colour == f"class-{output}"


def test_rows_keep_their_names_when_they_are_picked() -> None:
    found = values_of(np.eye(5))
    assert found[3].draw().end == "row 3"  # type: ignore[union-attr]
    assert found[2:][1].draw().end == "row 3"  # type: ignore[union-attr]
    assert found[np.array([False, True, False, True, False])][1].draw().end == "row 3"  # type: ignore[union-attr]
    assert values_of([[1.0]]).draw().end == "this row"  # type: ignore[union-attr]


def test_nine_columns_are_seven_and_the_rest() -> None:
    nine = values_of([np.arange(9.0, 0.0, -1.0)]).draw()
    assert isinstance(nine, ArrowChart)
    assert [arrow.name for arrow in nine.arrows] == [
        *(f"c{i}" for i in range(7)),
        "2 other columns",
    ]
    assert nine.arrows[-1].adds == 3.0
    eight = values_of([np.arange(8.0, 0.0, -1.0)]).draw()
    assert isinstance(eight, ArrowChart)
    assert [arrow.name for arrow in eight.arrows] == [f"c{i}" for i in range(8)]
    some = values_of([[1.0, 0.0, 2.0]]).draw()
    assert len(some.arrows) == 2  # type: ignore[union-attr]
    assert "1 column adds nothing" in some.caption


def test_the_class_that_is_drawn_can_be_chosen() -> None:
    iris = load_example("iris")
    model = GradientBoostingClassifier(n_estimators=10).fit(iris.X, iris.y)
    found = model.shap_values(iris.X)
    assert "virginica" in found[120].draw().subtitle
    assert "setosa" in found[120].draw("setosa").subtitle
    with pytest.raises(ParameterError, match="label='rose' is not among"):
        found.draw("rose")
    with pytest.raises(UnsupportedError, match="there are no rows"):
        found[:0].draw()


def test_columns_are_sorted_by_the_mean_size_of_their_values() -> None:
    chart = values_of([[0.1, 3.0, 0.0], [-0.3, -1.0, 0.0]]).draw()
    assert isinstance(chart, SwarmChart)
    assert [row.name for row in chart.rows] == ["c1", "c0"]
    assert chart.title == "c1 matters most"
    assert "1 column adds nothing" in chart.caption
    assert values_of(np.zeros((3, 2))).draw().title == "No column matters"
    many = values_of(np.random.default_rng(0).normal(size=(5, 24))).draw()
    assert len(many.rows) == 20  # type: ignore[union-attr]
    assert many.more.startswith("4 more, together ")  # type: ignore[union-attr]


def test_shades_follow_numbers_ordinal_values_and_dates_but_not_names() -> None:
    loans = load_example("loans")
    model = GradientBoostingClassifier(n_estimators=20).fit(loans.X, loans.y)
    found = model.shap_values(loans.X)
    chart = found.draw("late")
    assert isinstance(chart, SwarmChart)
    has_order = {row.name: bool(np.isfinite(row.levels).any()) for row in chart.rows}
    assert has_order["amount"]
    assert has_order["education"]
    assert has_order["applied"]
    assert not has_order["purpose"]
    amounts = next(row for row in chart.rows if row.name == "amount").levels
    assert np.argmax(amounts) == np.argmax(found.data[:, 7])
    assert (np.nanmin(amounts), np.nanmax(amounts)) == (0.0, 1.0)


def test_at_most_three_hundred_rows_are_drawn() -> None:
    chart = values_of(np.random.default_rng(0).normal(size=(5000, 2))).draw()
    assert isinstance(chart, SwarmChart)
    assert all(len(row.shown[0]) == 300 for row in chart.rows)
    assert chart.caption.startswith("5,000 rows, at most 300 drawn")
    assert len(chart.svg()) < 25_000


def test_pairs_of_columns_are_drawn_by_column() -> None:
    X = np.random.default_rng(0).normal(size=(30, 3))
    model = GradientBoostingRegressor(n_estimators=5).fit(X, X[:, 0] * X[:, 1])
    pairs, single = model.shap_values(X, interactions=True), model.shap_values(X)
    drawn, expected = pairs[0].draw(), single[0].draw()
    assert [arrow.adds for arrow in drawn.arrows] == pytest.approx(  # type: ignore[union-attr]
        [arrow.adds for arrow in expected.arrows]  # type: ignore[union-attr]
    )
    assert "<svg" in single._repr_html_()
