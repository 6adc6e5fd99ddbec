"""Answers of ``treewright.evaluate``: intervals and tests of the lectures' figures."""

from collections import Counter
from typing import Any

from scipy.stats import norm

from golden.lectures import Lecture, Query
from treewright import evaluate
from treewright.evaluate import intervals, significance


def auc(data: Lecture | None, query: Query) -> float:
    if data is None:
        scores, labels = query["scores"], query["labels"]
    else:
        scores, labels = data.values(query["score"]), data.y
    return intervals.auc([label == query["positive"] for label in labels], scores).value


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


def resample(data: Lecture | None, query: Query) -> dict[str, int]:
    labels = [label for label, count in query["counts"].items() for _ in range(count)]
    return dict(Counter(labels[row] for row in evaluate.resample(labels, how=query["how"])))


ANSWERS = {
    answer.__name__: answer for answer in (auc, error_interval, paired_t, paired_t_reject, resample)
}
