"""Error against the penalty per leaf, as rpart's cptable."""

import pickle

import numpy as np
import pytest

import treewright as tw
from treewright import load_example
from treewright.errors import ParameterError, TreewrightError, UnsupportedError
from treewright.prune import CostComplexity, complexity_table

IRIS = load_example("iris")
DIABETES = load_example("diabetes")


def test_the_table_of_iris_is_rparts() -> None:
    # rpart(Species ~ ., iris)$cptable: CP 0.50, 0.44, (0.01); nsplit 0, 1, 2; rel error 1, .5, .06
    table = complexity_table(tw.CARTClassifier(), IRIS.X, IRIS.y)
    np.testing.assert_allclose(table.cp, [0.5, 0.44, 0.0], atol=1e-12)
    assert table.n_splits.tolist() == [0, 1, 2]
    np.testing.assert_allclose(table.error, [1.0, 0.5, 0.06], atol=1e-12)
    wrong = table.cv_error * 2 / 3  # of three equal classes, the root misses two thirds
    np.testing.assert_allclose(table.cv_sd * 2 / 3, np.sqrt(wrong * (1 - wrong) / 150))


@pytest.mark.parametrize("rule", ["min", "1-SE"])
def test_the_marked_trees_are_those_that_pruning_chooses(rule: str) -> None:
    estimator = tw.CARTRegressor()
    table = complexity_table(estimator, DIABETES.X, DIABETES.y, cv=5, random_state=3)
    pruner = CostComplexity(rule=rule, cv=5, random_state=3)
    chosen = tw.CARTRegressor(prune=pruner).fit(DIABETES.X, DIABETES.y).tree_
    found = table.tree(table.best if rule == "min" else table.one_se)
    assert found.arrays.equals(chosen.arrays)
    assert not hasattr(estimator, "tree_")


def test_a_grown_tree_is_enough() -> None:
    tree = tw.CARTClassifier().fit(IRIS.X, IRIS.y).tree_
    expected = str(complexity_table(tw.CARTClassifier(), IRIS.X, IRIS.y))
    assert str(complexity_table(tree)) == expected
    assert str(complexity_table(tw.CARTClassifier().fit(IRIS.X, IRIS.y))) == expected
    loaded = pickle.loads(pickle.dumps(tree))
    assert str(complexity_table(loaded, IRIS.X, IRIS.y)) == expected
    with pytest.raises(TreewrightError, match=r"Hint: pass them, complexity_table\(tree, X, y\)"):
        complexity_table(loaded)


def test_the_table_becomes_a_frame_with_rparts_names() -> None:
    frame = complexity_table(tw.CARTClassifier(), IRIS.X, IRIS.y).to_frame()
    assert frame.columns == ("CP", "nsplit", "rel error", "xerror", "xstd")
    assert frame.to_pandas()["nsplit"].tolist() == [0, 1, 2]


def test_a_tree_of_one_leaf_has_one_line() -> None:
    table = complexity_table(tw.CARTClassifier(), IRIS.X, ["a"] * 150)
    assert (len(table), table.best, table.one_se) == (1, 0, 0)
    assert table.error.tolist() == [0.0]


def test_what_cannot_be_tabled_is_refused() -> None:
    with pytest.raises(ParameterError, match="pruned by cost_complexity; the table needs it whole"):
        complexity_table(tw.CARTClassifier(cp=0.01), IRIS.X, IRIS.y)
    with pytest.raises(UnsupportedError, match="grown by 'absolute_error'"):
        complexity_table(
            tw.DecisionTreeRegressor(criterion="absolute_error", max_depth=2),
            DIABETES.X,
            DIABETES.y,
        )
    with pytest.raises(ParameterError, match="no estimator of a single tree"):
        complexity_table(tw.RandomForestClassifier(n_estimators=2), IRIS.X, IRIS.y)
    with pytest.raises(ParameterError, match="needs the training rows"):
        complexity_table(tw.CARTClassifier())
    with pytest.raises(ParameterError, match="cv=1 must be at least 2"):
        complexity_table(tw.CARTClassifier(), IRIS.X, IRIS.y, cv=1)
