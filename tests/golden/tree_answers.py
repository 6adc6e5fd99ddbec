"""Answers that need a grown tree, asked of the estimators and of ``Tree``."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import treewright as tw
from golden.lectures import Lecture, Query, lecture

CRITERION = {"gain": "entropy", "gini": "gini"}
NOMINAL = {"binary": "one_vs_rest", "multiway": "multiway"}
COMBINE = {"branch_fraction": "branch_fractions", "leaf_counts": "leaf_counts"}


@dataclass(frozen=True, kw_only=True)
class Grown:
    estimator: Any
    attributes: list[str]
    data: Lecture  # the training rows

    @property
    def tree(self) -> tw.Tree:
        tree: tw.Tree = self.estimator.tree_
        return tree

    def row(self, instance: dict[str, Any]) -> list[dict[str, Any]]:
        """One row of a query as a table, without the columns the tree was not grown on."""
        return [
            {
                name: float(instance[name])
                if self.data.is_numeric(name) and instance[name] is not None
                else instance[name]
                for name in self.attributes
            }
        ]


def grow(data: Lecture, query: Query, *, attributes: list[str] | None = None) -> Grown:
    """Grow the tree that a query describes, on its own data set where it names one."""
    source = lecture(query["dataset"]) if "dataset" in query else data
    columns = attributes or query.get("attributes", source.attributes)
    estimator = _estimator(source, query, columns)
    estimator.fit(source.records(columns), source.y, sample_weight=list(source.weights))
    return Grown(estimator=estimator, attributes=columns, data=source)


def _estimator(data: Lecture, query: Query, columns: list[str]) -> Any:
    domains = {name: data.domain(name) for name in columns if not data.is_numeric(name)}
    schema = tw.Schema(values=domains)
    match query["algorithm"]:
        case "id3" if "min_gain" in query:  # ID3 proper splits whatever the gain
            return tw.DecisionTreeClassifier(
                criterion="entropy",
                nominal="multiway",
                min_impurity_decrease=query["min_gain"],
                schema=schema,
            )
        case "id3":
            return tw.ID3Classifier(schema=schema)
        case "tdidt":
            return tw.DecisionTreeClassifier(
                criterion=CRITERION[query["criterion"]],
                nominal=NOMINAL[query.get("nominal", "multiway")],
                thresholds="class_boundaries",
                schema=schema,
            )
        case "regression":
            limits: dict[str, float] = {}
            if "max_levels" in query:  # which count the root as level 1
                limits["max_depth"] = query["max_levels"] - 1
            if "stop_sse" in query:  # the impurity of this criterion is a sum of squares
                limits["min_impurity"] = query["stop_sse"]
            return tw.DecisionTreeRegressor(criterion="weighted_squared_error", **limits)
    raise AssertionError(f"unknown algorithm {query['algorithm']!r}")


def tree(data: Lecture, query: Query) -> dict[str, Any]:
    """The tree in the form of the golden set: nested, with the rows of its leaves."""
    grown = grow(data, query)
    return nested(grown, grown.tree, is_binary=query.get("nominal") == "binary")


def nested(grown: Grown, tree: tw.Tree, *, is_binary: bool = False) -> dict[str, Any]:
    """A tree with the rows of its leaves: the one that was grown, or what is left of it."""
    leaf_of_row = tree.apply(grown.data.records(grown.attributes)).tolist()
    return _nested(tree.to_dict(), 0, grown.data, leaf_of_row, is_binary=is_binary)


def _nested(
    plain: dict[str, Any], number: int, data: Lecture, leaf_of_row: list[int], *, is_binary: bool
) -> dict[str, Any]:
    node = plain["nodes"][number]
    if not node["children"]:
        rows = [row for row, leaf in zip(data.ids, leaf_of_row, strict=True) if leaf == number]
        if plain["classes"] is None:
            return {"leaf": node["label"], "n": node["rows"], "rows": rows}
        counts = zip(plain["classes"][0], node["value"], strict=True)
        filled = {label: count for label, count in counts if node["weight"] > 0 and count > 0}
        return {"leaf": node["label"], "counts": filled, "rows": rows}
    below = [
        _nested(plain, child, data, leaf_of_row, is_binary=is_binary) for child in node["children"]
    ]
    question = node["question"]
    column = plain["columns"][question["column"]]
    asked = {"attribute": column["name"]}
    if question["kind"] == "cut":
        return {
            **asked,
            "kind": "threshold",
            "threshold": question["threshold"],
            "below": below[0],
            "at_or_above": below[1],
        }
    values = [column["values"][code] for code in question["codes"]]
    branch_of_value = dict(zip(values, question["branch_of_code"], strict=True))
    if is_binary:
        (value,) = [value for value, branch in branch_of_value.items() if branch == 0]
        return {**asked, "kind": "equals", "value": value, "true": below[0], "false": below[1]}
    branches = {value: below[branch] for value, branch in branch_of_value.items()}
    return {**asked, "kind": "multiway", "branches": branches}


def tree_size(data: Lecture, query: Query) -> dict[str, int]:
    grown = grow(data, query["tree"]).tree
    return {"depth": grown.depth, "leaves": grown.n_leaves, "tests": grown.n_tests}


def leaf_levels(data: Lecture, query: Query) -> dict[str, int]:
    counts = grow(data, query["tree"]).tree.leaf_levels().tolist()
    return {str(level): count for level, count in enumerate(counts) if count > 0}


def unused_attributes(data: Lecture, query: Query) -> list[str]:
    return list(grow(data, query["tree"]).tree.unused_columns)


def expected_tests(data: Lecture, query: Query) -> float:
    """Mean number of tests; ``root`` names the column to ask first.

    ID3 has no option that forces a root, and needs none here: on a table of that one column it asks
    it, and the rows of each branch are a table of their own, without the column (as ID3 does).
    """
    root = query["tree"].get("root")
    if root is None:
        return grow(data, query["tree"]).tree.expected_tests()
    first = grow(data, query["tree"], attributes=[root])
    leaf_of_row = first.estimator.apply(data.records([root])).tolist()
    rest = [name for name in data.attributes if name != root]
    total = first.tree.expected_tests()
    for leaf in sorted(set(leaf_of_row)):
        part = data.kept([each == leaf for each in leaf_of_row])
        share = sum(part.weights) / sum(data.weights)
        total += share * grow(part, query["tree"], attributes=rest).tree.expected_tests()
    return total


def predict(data: Lecture, query: Query) -> Any:
    grown = grow(data, query["tree"])
    return grown.estimator.predict(grown.row(query["instance"])).tolist()[0]


def squared_error(data: Lecture, query: Query) -> float:
    return float((predict(data, query) - query["target"]) ** 2)


def accuracy(data: Lecture, query: Query) -> float:
    grown = grow(data, query["tree"])
    return float(grown.estimator.score(data.records(grown.attributes), data.y))


def predict_distribution(data: Lecture, query: Query) -> dict[str, float]:
    grown = grow(data, query["tree"])
    fitted = grown.tree
    assert fitted.classes is not None
    asked = tw.Tree(
        arrays=fitted.arrays,
        schema=fitted.schema,
        classes=fitted.classes,
        criterion=fitted.criterion,
        combine=COMBINE[query["weighting"]],
    )
    shares = asked.predict_proba(grown.row(query["instance"]))
    assert not isinstance(shares, list)
    return dict(zip(fitted.classes[0].tolist(), shares[0].tolist(), strict=True))


def disagreements(data: Lecture, query: Query) -> list[list[Any]]:
    """Every possible row on which two trees answer differently."""
    names = data.attributes
    cells = [list(cell) for cell in product(*(data.domain(name) for name in names))]
    rows = [dict(zip(names, cell, strict=True)) for cell in cells]
    first, second = (grow(data, query[key]).estimator.predict(rows) for key in ("first", "second"))
    return [cell for cell, a, b in zip(cells, first, second, strict=True) if a != b]


def rules(data: Lecture, query: Query) -> list[dict[str, Any]]:
    """Rules for one class, read from their words: each condition here is ``column = value``."""
    found = []
    for rule in grow(data, query["tree"]).tree.rules().for_label(query["class"]):
        conditions = dict(condition.text().split(" = ") for condition in rule.conditions)
        found.append({"if": conditions, "then": rule.label, "covers": rule.covers})
    return found


def stop(data: Lecture | None, query: Query) -> bool:
    """Does a node with these counts stay a leaf, though a column would separate its classes?"""
    assert query["rule"] == "misclassification_below"
    labels = [label for label, count in enumerate(query["counts"]) for _ in range(count)]
    estimator = tw.DecisionTreeClassifier(
        criterion="misclassification", min_impurity=query["limit"]
    )
    estimator.fit([[float(row)] for row in range(len(labels))], labels)
    return bool(estimator.tree_.n_leaves == 1)


def mean(data: Lecture, query: Query) -> float:
    """What a leaf that holds these rows predicts."""
    part = data.subset(query)
    estimator = tw.DecisionTreeRegressor(min_samples_split=len(part.ids) + 1)
    rows = part.records(part.attributes)
    return float(estimator.fit(rows, part.y).predict(rows[:1])[0])


def linear_fit(data: Lecture, query: Query) -> dict[str, Any]:
    """The line in a leaf that holds these rows; six of them alone would not pay for a line."""
    part = data.subset(query)
    copies = [100.0] * len(part.ids)
    estimator = tw.DecisionTreeRegressor(
        leaf_model="linear", min_samples_split=int(sum(copies)) + 1
    )
    leaf = estimator.fit(part.records(query["features"]), part.y, copies).tree_.label(0)
    return {"intercept": leaf.intercept, "coefficients": list(leaf.coefficients)}


ANSWERS = {
    answer.__name__: answer
    for answer in (
        accuracy,
        disagreements,
        expected_tests,
        leaf_levels,
        linear_fit,
        mean,
        predict,
        predict_distribution,
        rules,
        squared_error,
        stop,
        tree,
        tree_size,
        unused_attributes,
    )
}
