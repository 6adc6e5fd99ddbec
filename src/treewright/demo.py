"""A demonstration of treewright in one minute: ``python -m treewright.demo``.

A table with numbers, categories, an ordinal column, dates and missing values is used as it is. The
result is a tree, the computation behind its root, the effect of pruning, its rules and its figures
on held-out rows.
"""

from __future__ import annotations

import time

import numpy as np

from treewright import (
    C45Classifier,
    CARTClassifier,
    DecisionTreeClassifier,
    ID3Classifier,
    load_example,
)
from treewright.array_types import Array
from treewright.data.frame import Frame
from treewright.estimators.base import TreeClassifier
from treewright.measures import wilson_interval
from treewright.prune import CostComplexity


def _title(text: str) -> None:
    print(f"\n{text}\n{'─' * len(text)}")


def lecture() -> None:
    """Show the textbook example: the 14 days, the table behind the root, the rules."""
    play = load_example("play_tennis")
    tree = ID3Classifier().fit(play.X, play.y).tree_
    _title("PlayTennis, 14 days: ID3")
    print(tree.text())
    _title("Why Outlook comes first")
    print(tree.why(0).text())
    _title("The same tree as a formula")
    print(f"PlayTennis = Yes  if  {tree.dnf('Yes').text()}")


def real_table() -> None:
    """Show a mixed table: the tree, the candidates at its root, rules and figures."""
    loans = load_example("loans")
    y = np.asarray(loans.y)
    shuffled = np.random.default_rng(0).permutation(len(y))
    train, test = np.sort(shuffled[600:]), np.sort(shuffled[:600])
    X_train, X_test = loans.X.rows(train), loans.X.rows(test)
    _title(f"{loans.title}: the table, as it is")
    print(loans.X)

    model = DecisionTreeClassifier(max_leaf_nodes=8, min_samples_leaf=10)
    tree = model.fit(X_train, y[train]).tree_
    _title("A tree of eight leaves, from 1,400 of the rows")
    print(tree.text())
    _title("Why the root asks what it asks")
    print(tree.why(0).text(detail=False))
    _title("Its rules for the rare class")
    for rule in tree.rules().for_label("default"):
        print(rule.text())
    _title("One prediction, explained")
    print(tree.explain(X_test.rows(np.array([1]))))

    _pruning(X_train, y[train], X_test, y[test])

    _title("Accuracy on 600 rows that no tree has seen, with 95 % intervals")
    majority = np.mean(y[test] == "repaid")
    print(f"{'':34}{'leaves':>7}{'training':>10}{'test':>8}   interval")
    print(
        f"{'always the largest class':34}{1:7}{np.mean(y[train] == 'repaid'):10.3f}{majority:8.3f}"
    )
    models: dict[str, TreeClassifier] = {
        "DecisionTreeClassifier, full": DecisionTreeClassifier(),
        "DecisionTreeClassifier, 8 leaves": model,
        "C45Classifier, unpruned": C45Classifier(confidence=None),
        "C45Classifier": C45Classifier(),
        "CARTClassifier, unpruned": CARTClassifier(),
        "CARTClassifier, pruned by 1-SE": CARTClassifier(prune=CostComplexity(rule="1-SE")),
    }
    for name, each in models.items():
        each.fit(X_train, y[train])
        right = int(np.sum(each.predict(X_test) == y[test]))
        low, high = wilson_interval(right, len(test))
        seen = np.mean(each.predict(X_train) == y[train])
        print(
            f"{name:34}{each.get_n_leaves():7}{seen:10.3f}{right / len(test):8.3f}"
            f"   {low:.3f} to {high:.3f}"
        )
    print("A full tree knows its training rows by heart; only the test column is a promise.")


def _pruning(X: Frame, y: Array, X_test: Frame, y_test: Array) -> None:
    """Show a full tree pruned along its cost-complexity path."""
    tree = DecisionTreeClassifier().fit(X, y).tree_
    pruned = CostComplexity(alpha=0.002).prune(tree, test=(X_test, y_test))
    assert pruned.pruning is not None  # it was pruned
    _title("What pruning does: size against error, training rows and rows not seen")
    print(pruned.pruning.curve.text(max_lines=8))
    _title("And what it changed")
    print(tree.diff(pruned, X_test))


def speed() -> None:
    """Show how long an exact, fully grown tree takes."""
    random = np.random.default_rng(0)
    X = random.standard_normal((100_000, 20)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + random.standard_normal(len(X)) > 0).astype(int)
    start = time.perf_counter()
    tree = DecisionTreeClassifier(n_jobs=2).fit(X, y).tree_
    seconds = time.perf_counter() - start
    _title("Speed")
    print(
        f"100,000 rows x 20 columns of decimals, grown exactly to {tree.n_leaves:,} leaves"
        f" in {seconds:.2f} s on two threads."
    )


if __name__ == "__main__":
    lecture()
    real_table()
    speed()
