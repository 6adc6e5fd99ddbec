"""Type checkers accept what users write."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import treewright

SCRIPT = """
import numpy as np
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline

import treewright as tw

X = np.random.default_rng(0).normal(size=(100, 3))
y = (X[:, 0] > 0).astype(int)


def of_classes() -> float:
    tree = tw.DecisionTreeClassifier(max_depth=3).fit(X, y)
    likely = tree.predict_proba(X)[:, 1] > 0.5
    print(tree.predict_log_proba(X)[:, 0], tree.tree_.predict_proba(X)[:, 1][likely])
    print(tree.tree_.text(), tree.classes_, tree.feature_importances_.argsort()[::-1])
    for model in (tw.C45Classifier(), tw.AdaBoostClassifier(), tw.BaggingClassifier()):
        print(model.fit(X, y).score(X, y), model.predict_proba(X)[:, 1], model.predict(X).sum())
    boosted = tw.GradientBoostingClassifier(n_estimators=5).fit(X, y)
    forest = tw.RandomForestClassifier(oob_score=True, random_state=0).fit(X, y)
    print(boosted.predict_proba(X)[:, 1], forest.oob_score_, forest.estimators_[0])
    accuracy: float = tree.score(X, y)
    return accuracy


def of_numbers() -> float:
    tree = tw.DecisionTreeRegressor().fit(X, X[:, 0])
    ends = tw.RandomForestRegressor().fit(X, X[:, 0]).predict_interval(X)
    return float((X[:, 0] - tree.predict(X)).sum() + (ends[:, 1] - ends[:, 0]).mean())


def with_scikit_learn() -> None:
    steps = Pipeline([("tree", tw.DecisionTreeClassifier())]).fit(X, y)
    tuned = GridSearchCV(make_pipeline(tw.RandomForestRegressor()), {}).fit(X, y)
    print(steps.predict(X), tuned.best_score_, cross_val_score(tw.CARTClassifier(), X, y).mean())


print(of_classes() + of_numbers())
with_scikit_learn()
"""


@pytest.mark.slow
def test_a_script_of_a_user_passes_mypy_strict_and_runs(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    source = Path(treewright.__file__).parents[1]
    # mypy finds what is installed by itself, and refuses to be told of it.
    found = {} if source.name == "site-packages" else {"MYPYPATH": str(source)}
    mypy = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "script.py"]
    for command in (mypy, [sys.executable, "-W", "error", "script.py"]):
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=os.environ | found,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(treewright.__file__).parent / "py.typed").exists()
