"""The comparisons that the lectures ask for, on three tables, one call for each.

    python examples/lecture_comparison.py

A single tree, one of limited depth and a pruned one; trees that are bagged, a forest, boosted
stumps and a stack; a linear model learned by stochastic gradient descent (SGD) from the columns
alone, and over a hundred small trees, each on a random half of the columns. The tables: cell nuclei
(numbers, two classes), handwritten digits (64 columns, ten classes) and loans (numbers, categories,
dates and gaps, three classes). Takes less than a minute.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import StackingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import treewright as tw
from treewright import evaluate

TABLES = ("breast_cancer", "digits", "loans")


def sgd_alone() -> Any:
    """Return a linear model of the columns: numbers scaled, each category a column."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    names = OneHotEncoder(handle_unknown="ignore")
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (names, make_column_selector(dtype_include=["object", "category", "bool"])),
    )
    return make_pipeline(columns, SGDClassifier(average=True, random_state=0))


def sgd_over_trees(max_depth: int, n_trees: int) -> Any:
    """Return the recipe: small trees on random halves of the columns, SGD on what they say."""
    trees = tw.TreeFeatures(n_trees, max_depth=max_depth, random_state=0)
    return make_pipeline(trees, SGDClassifier(average=True, random_state=0))


def learners(n_trees: int) -> dict[str, Any]:
    """Return all that are compared, by name."""
    tree, forest = tw.DecisionTreeClassifier(), tw.RandomForestClassifier(n_trees)
    return {
        "SGD alone": sgd_alone(),
        "tree": tree,
        "tree of depth 4": tw.DecisionTreeClassifier(max_depth=4),
        "pruned tree": tw.C45Classifier(),
        "bagged trees": tw.BaggingClassifier(n_estimators=n_trees),
        "forest": forest,
        "boosted stumps": tw.AdaBoostClassifier(n_estimators=n_trees),
        "stack": StackingClassifier(
            [("tree", tw.C45Classifier()), ("forest", forest), ("SGD", sgd_alone())],
            final_estimator=LogisticRegression(),
            cv=3,
        ),
        "SGD over stumps": sgd_over_trees(1, n_trees),
        "SGD over depth 4": sgd_over_trees(4, n_trees),
    }


def compare(table: str, *, n_trees: int = 100, n_folds: int = 5) -> evaluate.Comparison:
    """Return the comparison on one of our tables."""
    given = tw.load_example(table)
    X = given.X.to_pandas()
    return evaluate.compare(learners(n_trees), X, given.y, reference="SGD alone", cv=n_folds)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare on each table, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--folds", type=int, default=5)
    given = parser.parse_args(arguments)
    for table in given.tables:
        print(f"== {tw.load_example(table).title}\n")
        print(compare(table, n_trees=given.trees, n_folds=given.folds), end="\n\n")


if __name__ == "__main__":
    main()
