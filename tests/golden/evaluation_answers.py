"""Answers of ``treewright.evaluate``: intervals and tests of the lectures' figures."""

from collections import Counter
from typing import Any

from scipy.stats import norm

from golden.lectures import Lecture, Query, lecture
from treewright import ID3Classifier, evaluate
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


def metric(data: Lecture | None, query: Query) -> float:
    counts = {cell: query[cell] for cell in ("tp", "fp", "fn", "tn")}
    actual = ["+"] * counts["tp"] + ["-"] * counts["fp"] + ["+"] * counts["fn"]
    said = ["+"] * (counts["tp"] + counts["fp"]) + ["-"] * counts["fn"]
    actual, said = actual + ["-"] * counts["tn"], said + ["-"] * counts["tn"]
    name = f"f{query['beta']:g}" if query["metric"] == "f_beta" else query["metric"]
    return evaluate.scores(actual, said, positive="+", metrics=name)[name].value


def confusion(data: Lecture | None, query: Query) -> list[list[int]]:
    if data is None:
        found = evaluate.confusion(query["actual"], query["predicted"], classes=query["classes"])
    else:
        learned = lecture(query["tree"]["dataset"])
        model = ID3Classifier().fit(learned.records(learned.attributes), learned.y)
        found = evaluate.confusion(
            data.y, model.predict(data.records(data.attributes)), classes=query["classes"]
        )
    return found.counts.astype(int).tolist()


def kfold_sizes(data: Lecture | None, query: Query) -> list[int]:
    y = [i + 0.5 for i in range(query["m"])]
    found = evaluate.cross_validate(0.5, [[each] for each in y], y, cv=query["k"])
    return [len(split.test) for split in found.folds.splits]


def mean_sd(data: Lecture | None, query: Query) -> dict[str, float]:
    values = query["values"]
    sd = intervals.fold_error(values) * len(values) ** 0.5  # the error is that of their mean
    return {"mean": intervals.fold_mean(values).value, "sd": sd}


def resample(data: Lecture | None, query: Query) -> dict[str, int]:
    labels = [label for label, count in query["counts"].items() for _ in range(count)]
    return dict(Counter(labels[row] for row in evaluate.resample(labels, how=query["how"])))


_ALL = (
    auc,
    bias_variance,
    confusion,
    error_interval,
    kfold_sizes,
    mean_sd,
    metric,
    paired_t,
    paired_t_reject,
    precision_recall,
    resample,
    roc,
)
ANSWERS = {answer.__name__: answer for answer in _ALL}
