"""The comparisons that the lectures ask for, on three tables, one call for each.

    python examples/lecture_comparison.py

A single tree, one of limited depth and a pruned one; trees that are bagged, a forest, boosted
stumps and a stack; a linear model learned by stochastic gradient descent (SGD) from the columns
alone, and over many small trees, each on a random half of the columns. The tables: cell nuclei
(numbers, two classes, nearly told by a weighted sum), handwritten digits (64 pixels, ten classes)
and loans (numbers, categories, dates and gaps, three classes).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import treewright as tw
from treewright import evaluate

TABLES = ("breast_cancer", "digits", "loans")


def sgd_alone(loss: str = "hinge") -> Any:
    """Return a linear model of the columns: numbers scaled, each category a column."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    names = OneHotEncoder(handle_unknown="ignore")
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (names, make_column_selector(dtype_include=["object", "category", "bool"])),
    )
    return make_pipeline(columns, SGDClassifier(loss=loss, average=True, tol=0.01, random_state=0))


def sgd_over_trees(max_depth: int, n_trees: int) -> Any:
    """Return the recipe: small trees on random halves of the columns, SGD on what they say."""
    trees = tw.TreeFeatures(n_trees, max_depth=max_depth, random_state=0)
    return make_pipeline(trees, SGDClassifier(average=True, tol=0.01, random_state=0))


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
        "stack": tw.StackingClassifier(
            [("tree", tw.C45Classifier()), ("forest", forest), ("SGD", sgd_alone("log_loss"))],
            cv=3,
        ),
        "SGD over stumps": sgd_over_trees(1, n_trees),
        "SGD over depth 4": sgd_over_trees(4, n_trees),
    }


def read(table: str) -> tuple[str, Any, Any]:
    """Return title, columns and target of one of our examples."""
    given = tw.load_example(table)
    return given.title, given.X.to_pandas(), given.y


def compare(X: Any, y: Any, *, n_trees: int, n_folds: int) -> evaluate.Comparison:
    """Return the comparison on one table."""
    return evaluate.compare(
        learners(n_trees), X, y, reference="SGD alone", cv=n_folds, metrics="error", n_jobs=-1
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare on each table, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--folds", type=int, default=5)
    given = parser.parse_args(arguments)
    for table in given.tables:
        title, X, y = read(table)
        print(f"== {title}\n")
        print(compare(X, y, n_trees=given.trees, n_folds=given.folds), end="\n\n")


if __name__ == "__main__":
    main()
