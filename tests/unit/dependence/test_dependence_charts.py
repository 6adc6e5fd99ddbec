"""What partial dependence says: titles with their conditions, texts, frames, charts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright import DecisionTreeRegressor, RandomForestClassifier, load_example
from treewright.chart import Chart, DotChart, Line, Rule
from treewright.chart.effects import HeatChart
from treewright.dependence.dependence import PairDependence, PartialDependence, PartialDependences

X = np.linspace(0, 10, 60)


def of_numbers(means: Any, at: Any = None, **changes: Any) -> PartialDependence:
    """Return a result with these means at these values."""
    means = np.asarray(means, dtype=float)
    at = np.arange(len(means), dtype=float) if at is None else np.asarray(at, dtype=float)
    given: dict[str, Any] = {
        "column": "age",
        "kind": "numeric",
        "values": tuple(at.tolist()),
        "at": at,
        "mean": means[:, np.newaxis],
        "rows": np.empty((0, len(means), 1)),
        "row_numbers": np.empty(0, dtype=np.int64),
        "share": np.full(len(means), np.nan),
        "deciles": np.linspace(at.min(), at.max(), 11)[1:-1],
        "output_names": ("prediction",),
        "scale": "prediction",
        "n_rows": 100,
        "method": "by one walk of the trees",
    }
    return PartialDependence(**(given | changes))


@pytest.mark.parametrize(
    ("means", "title"),
    [
        ([1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10], "prediction rises with age"),
        ([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1], "prediction falls with age"),
        ([9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "prediction rises with age from 1 to 9"),
        ([1, 2, 3, 4, 3, 4, 5, 6, 7, 8, 9], "Partial dependence of prediction on age"),
        ([2.5] * 11, "prediction does not depend on age"),
        ([0.0] * 11, "prediction does not depend on age"),
    ],
)
def test_the_title_says_no_more_than_the_means(means: list[float], title: str) -> None:
    assert of_numbers(means).draw().title == title


def test_a_single_value_is_no_finding() -> None:
    assert of_numbers([1.0]).draw().title == "Partial dependence of prediction on age"


def test_the_missing_value_is_a_line_of_its_own_and_no_part_of_the_trend() -> None:
    found = of_numbers(
        [1.0, 2.0, 3.0, 0.5],
        [1, 2, 3, np.nan],
        values=(1.0, 2.0, 3.0, None),
        deciles=np.linspace(1, 3, 9),
    )
    chart = found.draw()
    assert isinstance(chart, Chart)
    assert chart.title == "prediction rises with age"
    (rule,) = [mark for mark in chart.marks if isinstance(mark, Rule)]
    assert (rule.y, rule.name) == (0.5, "missing: 0.5")
    (line,) = chart.lines
    assert line.x.tolist() == [1, 2, 3]


def test_at_most_fifty_rows_are_drawn_under_the_mean() -> None:
    model = DecisionTreeRegressor().fit({"x": X, "y": X**2}, X * 3)
    chart = model.partial_dependence({"x": X, "y": X**2}, "x", rows=None).draw()
    assert isinstance(chart, Chart)
    roles = [line.role for line in chart.lines]
    assert roles == ["ice"] * 50 + ["validated"]
    assert [mark.name for mark in chart.marks if isinstance(mark, Line) and mark.name] == [
        "mean of all rows"
    ]
    assert len(model.partial_dependence({"x": X, "y": X**2}, "x").draw(rows=False).lines) == 1  # type: ignore[call-arg]


def test_a_long_tail_gets_a_logarithmic_axis() -> None:
    long = of_numbers(np.arange(11), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 500], deciles=np.arange(2, 11))
    assert long.draw().x.scale == "log"  # type: ignore[attr-defined]
    assert of_numbers(np.arange(11)).draw().x.scale == "linear"  # type: ignore[attr-defined]


def test_categories_are_dots_sorted_by_their_mean_with_shares() -> None:
    loans = load_example("loans")
    model = RandomForestClassifier(n_estimators=10, random_state=0).fit(loans.X, loans.y)
    found = model.partial_dependence(loans.X, "purpose")
    assert isinstance(found, PartialDependence)
    chart = found.draw("late")
    assert isinstance(chart, DotChart)
    values = [row.value for row in chart.rows]
    assert values == sorted(values, reverse=True)
    assert found.share.sum() == pytest.approx(1.0)
    assert {row.name for row in chart.rows} == set(found.values)
    assert all(len(row.small) == 50 for row in chart.rows)


def test_dates_stand_on_their_axis() -> None:
    loans = load_example("loans")
    model = RandomForestClassifier(n_estimators=10, random_state=0).fit(loans.X, loans.y)
    found = model.partial_dependence(loans.X, "applied")
    assert isinstance(found, PartialDependence)
    chart = found.draw("late")
    assert isinstance(chart, Chart)
    assert (chart.x.label, chart.x.form) == ("applied", "date")
    days = [np.datetime64(str(found.values[i])).astype("M8[D]").astype(int) for i in (0, -1)]
    assert chart.lines[-1].x[[0, -1]].tolist() == days
    assert ">2021<" in chart.svg()


def test_texts_fit_into_eighty_columns_and_name_what_is_left_out() -> None:
    names = tuple(f"class number {i}" for i in range(9))
    means = np.tile(np.linspace(0, 1, 30)[:, np.newaxis], (1, 9))
    found = of_numbers(np.zeros(30), mean=means, output_names=names, scale="probability")
    text = str(found)
    assert max(map(len, text.split("\n"))) <= 80
    assert "12 of 30 values." in text
    assert "5 more outputs are not shown." in text
    assert len(found.text(max_values=None).split("\n")) == 33
    frame = found.to_frame()
    assert frame.columns == ("age", *names)
    assert len(frame) == 30


def test_a_pair_prints_draws_and_gives_a_frame() -> None:
    rows = {"x": X, "colour": ["red", "blue", None] * 20}
    model = DecisionTreeRegressor().fit(rows, X * 3)
    found = model.partial_dependence(rows, ("x", "colour"))
    assert isinstance(found, PairDependence)
    text = str(found)
    assert max(map(len, text.split("\n"))) <= 80
    assert "down x, across colour" in text
    chart = found.draw()
    assert isinstance(chart, HeatChart)
    assert chart.values.shape == (3, 12)
    assert chart.y.values == ("blue", "red", "missing")
    assert np.array_equal(chart.values, found.mean[:, :, 0].T)
    assert len(found.to_frame()) == 36
    assert repr(found) == "PairDependence(('x', 'colour'), 12 x 3 values, prediction)"


def test_several_columns_are_told_by_how_far_they_move_the_mean() -> None:
    still = of_numbers([1.0, 1.0])
    moving = of_numbers([1.0, 4.0], column="income")
    found = PartialDependences(found=(still, moving))
    assert found.draw().title == "income moves the mean prediction most"
    assert [row.name for row in found.draw().rows] == ["income", "age"]
    assert "income       1        4         3" in str(found)
    assert PartialDependences(found=(still,)).draw().title == "No column moves the mean answer"


def test_notebooks_show_picture_and_text() -> None:
    html = of_numbers([1.0, 2.0])._repr_html_()
    assert html.startswith("<svg")
    assert "<pre>" in html
