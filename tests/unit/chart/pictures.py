"""Pictures for tests: usual ones, and those that nobody would draw on purpose."""

from __future__ import annotations

import numpy as np

from treewright.chart import (
    Axis,
    BarRow,
    Chart,
    DotChart,
    DotRow,
    Dots,
    Line,
    Mark,
    MatrixChart,
    Picture,
    RankChart,
    Rule,
    StackedBars,
    Strip,
)
from treewright.chart.effects import (
    Arrow,
    ArrowChart,
    ColumnsChart,
    HeatAxis,
    HeatChart,
    SwarmChart,
    SwarmRow,
)

LONG = "average_monthly_balance_after_tax_and_fees_of_the_last_quarter_in_thousands_2019"
NASTY = "<&\">'\u202e\x00\n\ud800 end"
WORDS = {"title": "What was found", "subtitle": "What is drawn", "caption": "How."}


def curve(n: int = 20, **changes: object) -> Chart:
    """Return a chart of two lines with a band and two marks."""
    x = np.geomspace(1, 200, n) if n else np.empty(0)
    y = 0.12 + 0.03 * np.cos(np.arange(n) / 3)
    marks = [
        Line(x, y, name="cross-validated", note="± 1 SE", low=y - 0.01, high=y + 0.01),
        Line(x, y * np.linspace(1, 0, n), role="training", name="training"),
        Rule(y=0.131, name="lowest + 1 SE"),
    ]
    if n:
        marks += [
            Mark(float(x[n // 2]), float(y[n // 2]), name="chosen: 15 leaves", note="smallest"),
            Mark(float(x[-n // 3]), float(y[-n // 3]), kind="best", name="lowest: 22 leaves"),
        ]
    settings = {
        **WORDS,
        "x": Axis(scale="log", unit=("leaf", "leaves")),
        "y": Axis(form="percent", limits=(0, None)),
        "marks": marks,
        **changes,
    }
    return Chart(**settings)  # type: ignore[arg-type]


def roc(n_classes: int, name: str = "class") -> Chart:
    """Return a square chart with a line per class and a table of areas."""
    t = np.linspace(0, 1, 40)
    lines = [
        Line(
            t,
            t ** (1 / (k + 2)),
            role="class",
            class_index=k,
            name=f"{name} {k}",
            columns=(f"{0.9 - k / 100:.3f}", "0.871 to 0.986"),
        )
        for k in range(n_classes)
    ]
    return Chart(
        **WORDS,
        x=Axis("false positives", form="percent", limits=(0, 1)),
        y=Axis("true positives", form="percent", limits=(0, 1)),
        heads=("area", "95 % interval"),
        square=True,
        marks=[*lines, Line([0, 1], [0, 1], role="reference", name="no skill")],
    )


def calibration() -> Chart:
    """Return dots with intervals and sizes over a histogram."""
    p = np.linspace(0.05, 0.95, 10)
    return Chart(
        **WORDS,
        x=Axis("predicted", form="percent", limits=(0, 1)),
        y=Axis("observed", form="percent", limits=(0, 1)),
        square=True,
        marks=[
            Line([0, 1], [0, 1], role="reference", name="perfect"),
            Dots(p, p**1.2, low=p**1.2 - 0.03, high=p**1.2 + 0.03, sizes=1000 * p, name="observed"),
        ],
        strip=Strip(np.linspace(0, 1, 11), np.arange(10) + 1, name="rows"),
    )


def comparison(n: int = 5, name: str = "learner") -> DotChart:
    """Return dots with folds, intervals and three columns."""
    rows = [
        DotRow(
            f"{name} {i}",
            0.1 + i / 100,
            0.08 + i / 100,
            0.12 + i / 100,
            small=(0.09, 0.1 + i / 90),
            strong=i == 0,
            hollow=i == 3,
            columns=("+1.5 points", "−0.9 to +4.0", "0.084"),
        )
        for i in range(n)
    ]
    return DotChart(
        **WORDS,
        rows=rows,
        heads=("behind the best", "95 % interval", "p (Holm)"),
        x=Axis(form="percent"),
        verdict="One errs least. The others may be as good: ten folds cannot tell.",
        more="31 more, together 0.004",
    )


def confusion(n: int, name: str = "class", scale: float = 1.0) -> MatrixChart:
    """Return a confusion matrix of n classes."""
    counts = scale * (np.arange(n * n).reshape(n, n) % 7 + 50 * np.eye(n))
    return MatrixChart(**WORDS, classes=[f"{name} {i}" for i in range(n)], counts=counts)


def bars(n: int = 4, name: str = "learner") -> StackedBars:
    """Return bars of three parts."""
    rows = [BarRow(f"{name} {i}", (0.05, 0.09 / (i + 1), 0.02)) for i in range(n)]
    return StackedBars(
        **WORDS, parts=("bias", "variance", "noise"), rows=rows, x=Axis(form="percent")
    )


def ranks(n: int = 6, name: str = "learner") -> RankChart:
    """Return a critical-difference diagram."""
    return RankChart(
        **WORDS,
        names=[f"{name} {i}" for i in range(n)],
        ranks=np.linspace(1.3, max(n - 0.4, 1.3), n),
        critical_difference=1.4,
    )


def heat(n: int = 4, m: int = 5, name: str = "income") -> HeatChart:
    """Return cells of two columns."""
    values = np.linspace(0.02, 0.9, n * m).reshape(m, n)
    across, upward = (HeatAxis(name, tuple(f"{100 * i:,}" for i in range(k))) for k in (n, m))
    return HeatChart(**WORDS, x=across, y=upward, values=values, form="percent")


def arrows(n: int = 5, name: str = "column", value: str = "20,600") -> ArrowChart:
    """Return arrows to both sides."""
    adds = [0.9 * (-0.6) ** i for i in range(n)]
    given = [Arrow(f"{name} {i}", value, each) for i, each in enumerate(adds)]
    start = ("all rows on average", -2.58)
    return ArrowChart(**WORDS, start=start, arrows=given, end="row 0", colour="class-1")


def columns(n: int = 12, classes: int = 3, name: str = "class", **changes: object) -> ColumnsChart:
    """Return a histogram of some classes with a cut and rows without a value."""
    counts = np.outer(np.arange(n, 0, -1), np.arange(1, classes + 1)) * 10.0
    settings = {
        **WORDS,
        "name": "amount",
        "classes": tuple(f"{name} {k}" for k in range(classes)),
        "labels": tuple(f"{name} of bin {i}" for i in range(n)),
        "counts": counts,
        "missing": np.arange(classes) * 12.0,
        "edges": np.arange(n + 1) * 100.0,
        "cut": 300.0,
        **changes,
    }
    return ColumnsChart(**settings)  # type: ignore[arg-type]


def swarm(n: int = 6, n_rows: int = 200, name: str = "column") -> SwarmChart:
    """Return lines of dots, one of them of a column without order."""
    t = np.linspace(-1, 1, n_rows)
    rows = [
        SwarmRow(f"{name} {i}", t**3 / (i + 1), np.full(n_rows, np.nan) if i == 2 else (t + 1) / 2)
        for i in range(n)
    ]
    return SwarmChart(**WORDS, rows=rows, more="3 more, together 0.01")


USUAL: dict[str, Picture] = {
    "cells": heat(),
    "arrows": arrows(),
    "swarm": swarm(),
    "columns": columns(),
    "lines of names": columns(edges=None),
    "many small dots": Chart(
        **WORDS, marks=[Dots(np.arange(500.0), np.arange(500.0) % 37, radius=2.0)]
    ),
    "rug": curve(rug=[2, 5, 20, 1000]),
    "curve": curve(),
    "roc": roc(3),
    "calibration": calibration(),
    "comparison": comparison(),
    "confusion": confusion(3),
    "bars": bars(),
    "ranks": ranks(),
}

_X = np.arange(1.0, 6.0)

HOSTILE: dict[str, Picture] = {
    "long words": curve(
        title=LONG * 2,
        subtitle=f"{LONG} {LONG}",
        caption=f"{LONG}, " * 4,
        verdict=f"{LONG} is {LONG}.",
    ),
    "no words": Chart(title="", marks=[Line(_X, _X)]),
    "long names in a curve": Chart(
        **WORDS,
        x=Axis(LONG),
        y=Axis(LONG),
        marks=[
            Line(_X, _X, name=LONG, note=LONG),
            Line(_X, _X + 0.01, role="test", name=LONG),
            Rule(y=3, name=LONG),
            Rule(x=2, name=LONG),
            Mark(3, 3, name=LONG, note=LONG),
            Mark(1, 1, kind="best", name=LONG),
            Mark(5, 5, kind="chance", name=LONG),
        ],
    ),
    "no lines": Chart(**WORDS),
    "no points": curve(0),
    "one point": curve(1),
    "equal values": Chart(
        **WORDS,
        marks=[
            Line(_X, np.full(5, 7.0), name="a"),
            Line(_X, np.full(5, 7.0), role="test", name="b"),
        ],
    ),
    "all zero": Chart(
        **WORDS,
        x=Axis(limits=(0, None)),
        y=Axis(limits=(0, None)),
        marks=[Line(np.zeros(3), np.zeros(3), name="a"), Dots(np.zeros(3), np.zeros(3), name="b")],
    ),
    "no numbers": Chart(
        **WORDS,
        marks=[
            Line(_X, [np.nan, 1, np.inf, 2, -np.inf], name="a"),
            Mark(np.nan, 1, name="b"),
            Rule(y=np.nan, name="c"),
            Dots(_X, np.full(5, np.nan), name="d"),
            Line(_X, _X, low=np.full(5, np.nan), high=_X, name="e"),
        ],
    ),
    "log of nothing": Chart(
        **WORDS,
        x=Axis(scale="log"),
        y=Axis(scale="log", limits=(0, None)),
        marks=[Line([-1, 0, 1, 10], [1, 2, 0, 4], name="a")],
    ),
    "huge": Chart(**WORDS, marks=[Line([0, 1], [-1e300, 1e300], name="a")]),
    "beyond float": Chart(**WORDS, marks=[Line([0, 1], [-1.7e308, 1.7e308], name="a")]),
    "tiny": Chart(**WORDS, marks=[Line([1, 1 + 1e-12], [1e-300, 2e-300], name="a")]),
    "wide log": Chart(**WORDS, x=Axis(scale="log"), marks=[Line([1e-30, 1e30], [0, 1], name="a")]),
    "narrow log": Chart(**WORDS, x=Axis(scale="log"), marks=[Line([11, 12], [0, 1], name="a")]),
    "50 lines": Chart(
        **WORDS,
        marks=[Line(_X, _X * k, role="class", class_index=k, name=f"class {k}") for k in range(50)],
    ),
    "same end": Chart(
        **WORDS, marks=[Line(_X, _X**k, role="other", name=f"line {k}") for k in range(8)]
    ),
    "ice": Chart(
        **WORDS,
        marks=[*(Line(_X, _X + k, role="ice") for k in range(50)), Line(_X, _X + 25, name="mean")],
    ),
    "20 classes": roc(20, "a rather long class name"),
    "roc of long names": roc(3, LONG),
    "roc of nothing": Chart(
        **WORDS, heads=("area",), square=True, marks=[Line([], [], name="a", columns=("0.5",))]
    ),
    "nasty names": Chart(
        **dict.fromkeys(WORDS, NASTY),
        finding=NASTY,
        verdict=NASTY,
        x=Axis(NASTY, unit=(NASTY, NASTY)),
        y=Axis(NASTY),
        marks=[
            Line(_X, _X, name=NASTY, note=NASTY),
            Mark(2, 2, name=NASTY),
            Rule(y=4, name=NASTY),
            Dots(_X, _X[::-1], name=NASTY),
        ],
        strip=Strip([1, 2, 3], [1, np.nan], name=NASTY),
    ),
    "50 rows": comparison(50, LONG),
    "no rows": comparison(0),
    "one row": comparison(1),
    "rows without numbers": DotChart(
        **WORDS,
        heads=("p",),
        stems=True,
        rows=[
            DotRow("", np.nan, np.nan, np.inf, small=(np.nan, 1.0)),
            DotRow(NASTY, 2.0, None, 3.0),
            DotRow("inf", np.inf, columns=(NASTY,)),
        ],
    ),
    "wide columns": DotChart(
        **WORDS, heads=(LONG, LONG), rows=[DotRow(LONG, 1.0, columns=(LONG, LONG))]
    ),
    "equal dots": DotChart(**WORDS, rows=[DotRow(f"a{i}", 0.0) for i in range(3)]),
    "log dots": DotChart(**WORDS, x=Axis(scale="log"), rows=[DotRow("a", 0.0), DotRow("b", 5.0)]),
    "one class": confusion(1),
    "12 classes": confusion(12, LONG, 1234.5),
    "20 classes of long names": confusion(20, LONG),
    "60 classes": confusion(60),
    "millions": confusion(3, NASTY, 1e7),
    "no classes": MatrixChart(**WORDS, classes=[], counts=np.empty((0, 0))),
    "empty classes": MatrixChart(**WORDS, classes=["", "b"], counts=[[0, 0], [np.nan, 0]]),
    "many bars": bars(30, LONG),
    "no bars": bars(0),
    "bars of nothing": StackedBars(
        **WORDS, parts=(LONG, NASTY), rows=[BarRow(NASTY, (0, np.nan)), BarRow("", (0, 0))]
    ),
    "many ranks": ranks(30, LONG),
    "one rank": ranks(1),
    "no ranks": ranks(0),
    "columns of long names": columns(40, 12, LONG),
    "names of long names": columns(40, 12, LONG, edges=None),
    "one column": columns(1, 1, NASTY),
    "columns without classes": ColumnsChart(
        **WORDS,
        name=NASTY,
        labels=("a",),
        counts=[[0.0]],
        edges=[1.0, 2.0],
        cut_text=NASTY,
        cut=1.5,
    ),
    "no names": ColumnsChart(**WORDS, counts=np.empty((0, 1))),
    "many cells": heat(40, 30, LONG),
    "one cell": heat(1, 1),
    "no cells": heat(0, 0),
    "cells of nothing": HeatChart(
        **WORDS, x=HeatAxis(NASTY, ("", LONG)), y=HeatAxis("", (NASTY,)), values=[[np.nan, 1.0]]
    ),
    "arrows of long names": arrows(12, LONG, LONG),
    "no arrows": arrows(0),
    "arrows that add nothing": ArrowChart(
        **WORDS, start=(NASTY, 0.0), arrows=[Arrow(NASTY, NASTY, 0.0)], end="", end_note=NASTY
    ),
    "arrows far to the right": ArrowChart(
        **WORDS, start=("base", 0.0), arrows=[Arrow("a", "1", 5.0)], end=LONG, end_note=LONG
    ),
    "many lines of dots": swarm(20, 50, LONG),
    "no dots": SwarmChart(**WORDS),
    "dots of nothing": SwarmChart(**WORDS, rows=[SwarmRow(NASTY, [np.nan, 0], [0, np.nan])]),
    "one dot": swarm(1, 1, ""),
    "equal ranks": RankChart(
        **WORDS, names=["a", "b", NASTY], ranks=[2, 2, np.nan], critical_difference=99.0
    ),
}
