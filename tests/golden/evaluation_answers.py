"""Answers of ``treewright.evaluate``: intervals and tests of the lectures' figures."""

from typing import Any

from scipy.stats import norm

from golden.lectures import Lecture, Query, lecture
from treewright import ID3Classifier, evaluate
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


_ALL = (
    auc,
    confusion,
    error_interval,
    kfold_sizes,
    mean_sd,
    metric,
    paired_t,
    paired_t_reject,
)
ANSWERS = {answer.__name__: answer for answer in _ALL}
