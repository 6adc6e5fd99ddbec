"""Answers of ``treewright.evaluate``: intervals and tests of the lectures' figures."""

from typing import Any

from scipy.stats import norm

from golden.lectures import Lecture, Query
from treewright import evaluate
from treewright.evaluate import intervals, significance


def _scored(data: Lecture | None, query: Query) -> tuple[list[Any], list[float]]:
    """Labels and scores, of a table or of the query itself."""
    if data is None:
        return query["labels"], query["scores"]
    return data.y, data.values(query["score"])


def auc(data: Lecture | None, query: Query) -> float:
    positive = query["positive"]
    found = evaluate.roc_curve(*_scored(data, query), positive=positive)[positive]
    is_positive = [label == positive for label in _scored(data, query)[0]]
    assert intervals.auc(is_positive, _scored(data, query)[1]).value == found.area.value
    return found.area.value


def roc(data: Lecture | None, query: Query) -> list[list[float]]:
    positive = query["positive"]
    found = evaluate.roc_curve(*_scored(data, query), positive=positive)[positive]
    points: list[list[float]] = found.points.tolist()
    return points


def precision_recall(data: Lecture | None, query: Query) -> list[list[float]]:
    positive = query["positive"]
    found = evaluate.precision_recall_curve(*_scored(data, query), positive=positive)[positive]
    points: list[list[float]] = found.points.tolist()
    return points


def bias_variance(data: Lecture | None, query: Query) -> dict[str, float]:
    """Of one row that several models answer."""
    found = evaluate.decompose([[each] for each in query["predictions"]], [query["target"]])
    assert isinstance(found, evaluate.SquaredParts)
    return {
        "mean": float(found.mean[0]),
        "bias": float(found.bias[0]),
        "variance": float(found.variance[0]),
        "mse": found.error,
    }


def error_interval(data: Lecture | None, query: Query) -> dict[str, float]:
    level = float(2 * norm.cdf(query["z"]) - 1)  # the slide gives the deviate, not the level
    interval = intervals.normal(query["errors"], query["n"], level=level)
    return {"low": interval.low, "high": interval.high}


def paired_t(data: Lecture | None, query: Query) -> dict[str, Any]:
    test = significance.paired_t(query["a"], query["b"])
    assert test.difference is not None
    assert test.effect_size is not None  # Cohen's d: the difference in standard deviations
    return {
        "mean": test.difference,
        "variance": (test.difference / test.effect_size) ** 2,
        "t": test.statistic,
        "df": test.df,
        "p": test.p_value,
    }


def paired_t_reject(data: Lecture | None, query: Query) -> bool:
    return significance.paired_t(query["a"], query["b"]).rejects(query["alpha"])


ANSWERS = {
    answer.__name__: answer
    for answer in (
        auc,
        bias_variance,
        error_interval,
        paired_t,
        paired_t_reject,
        precision_recall,
        roc,
    )
}
