"""Answers that ``treewright.measures`` gives on counts and tables; no tree is grown here."""

from typing import Any

from golden.lectures import Lecture, Query, class_table, passing, value_parts
from treewright import measures

NUMBER_MEASURES = {"variance": measures.variance, "sse": measures.sse}
CRITERION = {"gain": "entropy", "gini": "gini", "weighted_gini": "gini",
             "misclassification": "misclassification", "gain_ratio": "gain_ratio",
             "weighted_sse": "weighted_squared_error", "total_sse": "squared_error"}  # fmt: skip
MISSING = {"most_common_same_class": "most_likely_in_class", "fill": "fill",
           "fractional": "fractional", "own_value": "own_branch",
           "known_fraction": "divide"}  # fmt: skip
COST_RULE = {"gain2_over_cost": "tan_schlimmer", "exp_gain": "nunez"}
TIE = 1e-9


def _impurity(counts: list[float], query: Query) -> float:
    (result,) = measures.impurities(
        [counts], measure=query["measure"], base=query.get("base", 2)
    ).tolist()
    return float(result)


def impurity(data: Lecture | None, query: Query) -> float:
    given = query.get("counts") or query.get("probabilities")
    if given is not None:
        return _impurity(given, query)
    assert data is not None
    part = data.subset(query)
    if query["measure"] in NUMBER_MEASURES:
        return NUMBER_MEASURES[query["measure"]](part.y, weights=part.weights)
    counts = measures.contingency(
        ["all"] * len(part.y), part.y, classes=part.classes, weights=part.weights
    )
    return _impurity(counts.table[0].tolist(), query)


def impurity_difference(data: Lecture | None, query: Query) -> float:
    return _impurity(query["first"], query) - _impurity(query["second"], query)


def weighted_impurity(data: Lecture, query: Query) -> float:
    part = data.subset(query)
    if query["measure"] in NUMBER_MEASURES:
        return measures.weighted_error(value_parts(part, query), measure=query["measure"])
    return measures.weighted_impurity(
        class_table(part, query), measure=query["measure"], base=query.get("base", 2)
    )


def gain(data: Lecture, query: Query) -> float:
    return measures.gain(class_table(data.subset(query), query), base=query["base"])


def split_information(data: Lecture, query: Query) -> float:
    return measures.split_information(class_table(data.subset(query), query), base=query["base"])


def gain_ratio(data: Lecture, query: Query) -> float:
    return measures.gain_ratio(class_table(data.subset(query), query))


def gain_over_weighted_impurity(data: Lecture, query: Query) -> float:
    return measures.impurity_ratio(class_table(data.subset(query), query))


def chi_square(data: Lecture, query: Query) -> dict[str, float]:
    test = measures.chi2(class_table(data.subset(query), query))
    answer = {"chi2": test.statistic, "df": test.df}
    return {**answer, "p": test.p_value} if query["with_p"] else answer


def contingency(data: Lecture, query: Query) -> dict[str, list[float]]:
    domain = data.domain(query["attribute"])
    return dict(zip(domain, class_table(data, query), strict=True))


def split_counts(data: Lecture, query: Query) -> dict[str, list[float]]:
    return dict(zip(("true", "false"), class_table(data, query), strict=True))


def partition(data: Lecture, query: Query) -> dict[str, list[Any]]:
    passed = passing(data, query)
    rest = [not each for each in passed]
    return {"true": list(data.kept(passed).ids), "false": list(data.kept(rest).ids)}


def same_partition(data: Lecture, query: Query) -> bool:
    tests = [query[key] for key in ("first", "second")]
    triples = [(each["attribute"], each["test"], each["value"]) for each in tests]
    table = {name: data.values(name) for name, _, _ in triples}
    return len(measures.equivalent_tests(table, triples)) == 1


def route(data: Lecture, query: Query) -> list[list[str]]:
    by_test = [passing(data, test) for test in query["tests"]]
    return [["L" if passed else "R" for passed in row] for row in zip(*by_test, strict=True)]


def _score(data: Lecture, query: Query, **split: Any) -> float:
    table = class_table(data, {**query, **split})
    return measures.split_score(table, criterion=CRITERION[query["criterion"]])  # type: ignore[arg-type]


def _best(scores: dict[Any, float]) -> list[Any]:
    return [key for key, score in scores.items() if score >= max(scores.values()) - TIE]


def attribute_scores(data: Lecture, query: Query) -> dict[str, float]:
    part = data.subset(query)
    attributes = query.get("attributes", data.attributes)
    return {name: _score(part, query, attribute=name) for name in attributes}


def best_attribute(data: Lecture, query: Query) -> list[str]:
    return _best(attribute_scores(data, query))


def best_boolean_test(data: Lecture, query: Query) -> list[dict[str, Any]]:
    scores = {
        (name, value): _score(data, {"criterion": "gain"}, attribute=name, test="=", value=value)
        for name in query["attributes"]
        for value in data.domain(name)
    }
    return [{"attribute": name, "value": value} for name, value in _best(scores)]


def best_split(data: Lecture, query: Query) -> list[dict[str, Any]]:
    part = data.subset(query)
    scores: dict[tuple[str, float | None], float] = {}
    for name in data.attributes:
        if data.is_numeric(name):
            cuts = _cuts(part, {**query, "attribute": name})
            for threshold, score in zip(cuts.thresholds.tolist(), cuts.scores, strict=True):
                scores[name, threshold] = float(score)
        else:
            scores[name, None] = _score(part, query, attribute=name)
    return [
        {"attribute": name} if threshold is None else {"attribute": name, "threshold": threshold}
        for name, threshold in _best(scores)
    ]


def _cuts(data: Lecture, query: Query) -> measures.ThresholdScores:
    return measures.threshold_scores(
        data.values(query["attribute"]),
        data.y,
        criterion=CRITERION[query["criterion"]],  # type: ignore[arg-type]
        rule=query.get("rule"),
        weights=data.weights,
    )


def candidate_thresholds(data: Lecture, query: Query) -> list[float]:
    return list(
        measures.candidate_thresholds(
            data.values(query["attribute"]), data.y, rule=query.get("rule", "class_boundaries")
        ).tolist()
    )


def threshold_scores(data: Lecture, query: Query) -> list[list[float]]:
    cuts = _cuts(data, query)
    figures = {
        "gain": cuts.scores,
        "weighted_gini": cuts.impurities,
        "weighted_sse": cuts.impurities,
        # The mean squared error of the two sides, times the rows.
        "total_sse": cuts.impurities * len(data.y),
    }[query["criterion"]]
    return [list(pair) for pair in zip(cuts.thresholds.tolist(), figures.tolist(), strict=True)]


def best_threshold(data: Lecture, query: Query) -> list[float]:
    return list(_cuts(data, query).best.tolist())


def rank_thresholds(data: Lecture, query: Query) -> dict[str, list[Any]]:
    """From the smallest error up; cuts that tie stand in a list of their own."""
    ranks = {}
    for criterion in query["criteria"]:
        asked = {**query, "criterion": criterion, "rule": "all"}
        groups: list[list[float]] = []
        last = float("-inf")
        for threshold, error in sorted(threshold_scores(data, asked), key=lambda pair: pair[1]):
            if error > last + TIE:
                groups.append([])
            groups[-1].append(threshold)
            last = error
        ranks[criterion] = [group[0] if len(group) == 1 else sorted(group) for group in groups]
    return ranks


def missing_gain(data: Lecture, query: Query) -> float:
    return measures.gain_with_missing(
        data.values(query["attribute"]),
        data.y,
        strategy=MISSING[query["strategy"]],  # type: ignore[arg-type]
        fill=query.get("value"),
        base=query["base"],
        values=data.domain(query["attribute"]),
    )


def most_common_value(data: Lecture, query: Query) -> list[object]:
    name = query["attribute"]
    return list(measures.most_common(data.values(name), values=data.domain(name)))


def cost_scores(data: Lecture, query: Query) -> dict[str, float]:
    return {
        name: measures.cost_score(
            _score(data, {"criterion": "gain"}, attribute=name),
            cost,
            rule=COST_RULE[query["formula"]],  # type: ignore[arg-type]
            w=query.get("w", 1),
        )
        for name, cost in query["costs"].items()
    }


def cost_best(data: Lecture, query: Query) -> list[str]:
    return _best(cost_scores(data, query))


def min_cost_class(data: Lecture | None, query: Query) -> dict[str, Any]:
    classes = list(query["counts"])
    matrix = [[query["costs"][actual].get(said, 0) for said in classes] for actual in classes]
    costs = measures.expected_costs(list(query["counts"].values()), matrix)
    return {
        "class": classes[int(costs.argmin())],
        "costs": dict(zip(classes, costs.tolist(), strict=True)),
    }


def cost_error(data: Lecture | None, query: Query) -> float:
    return measures.mean_cost(
        [[query["tp"], query["fn"]], [query["fp"], query["tn"]]],
        [[0, query["cost_fn"]], [query["cost_fp"], 0]],
    )


def leaf_errors(data: Lecture | None, query: Query) -> float:
    counts = list(query["counts"].values())
    return measures.misclassification(counts) * float(sum(counts))


def depth_rule(data: Lecture | None, query: Query) -> float:
    return measures.suggested_depth(query["features"], base=query["base"])


ANSWERS = {
    answer.__name__: answer
    for answer in (
        attribute_scores,
        best_attribute,
        best_boolean_test,
        best_split,
        best_threshold,
        candidate_thresholds,
        chi_square,
        contingency,
        cost_best,
        cost_error,
        cost_scores,
        depth_rule,
        gain,
        gain_over_weighted_impurity,
        gain_ratio,
        impurity,
        impurity_difference,
        leaf_errors,
        min_cost_class,
        missing_gain,
        most_common_value,
        partition,
        rank_thresholds,
        route,
        same_partition,
        split_counts,
        split_information,
        threshold_scores,
        weighted_impurity,
    )
}
