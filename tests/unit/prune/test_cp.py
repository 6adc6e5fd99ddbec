"""rpart's complexity parameter: the penalty of a leaf as a share of the root's risk."""

import numpy as np
import pytest

from treewright import CARTClassifier, CARTRegressor, ID3Classifier, load_example
from treewright.errors import ParameterError, UnsupportedError
from treewright.prune import CostComplexity

IRIS = load_example("iris")
DIABETES = load_example("diabetes")


@pytest.mark.parametrize("cp", [0.0, 0.01, 0.05, 0.5, 0.9])
def test_cp_is_a_share_of_the_roots_risk(cp: float) -> None:
    for model, example in ((CARTClassifier(), IRIS), (CARTRegressor(), DIABETES)):
        whole = model.fit(example.X, example.y).tree_
        risk = float(CostComplexity().path(whole).risks[-1])
        expected = CostComplexity(alpha=cp * risk).prune(whole)
        assert CostComplexity(cp=cp).prune(whole).n_leaves == expected.n_leaves
        told = type(model)(cp=cp).fit(example.X, example.y)
        assert np.array_equal(told.predict(example.X), expected.predict(example.X))


def test_every_split_that_is_left_pays() -> None:
    """Whole branches may be cut; what is left takes away cp of the risk for each leaf it adds."""
    tree = CARTRegressor(cp=0.01).fit(DIABETES.X, DIABETES.y).tree_
    values = np.asarray(DIABETES.y, dtype=float)
    sse = float(((values - values.mean()) ** 2).sum())
    assert tree.n_leaves > 4
    left = float(((values - tree.predict(DIABETES.X)) ** 2).sum())
    assert sse - left >= 0.01 * sse * (tree.n_leaves - 1)


def test_two_penalties_or_two_ways_to_prune_are_refused() -> None:
    with pytest.raises(ParameterError, match="are both the penalty of a leaf"):
        CostComplexity(alpha=0.1, cp=0.1).check()
    with pytest.raises(ParameterError, match="two ways to prune"):
        CARTClassifier(cp=0.1, prune="pessimistic").fit(IRIS.X, IRIS.y)


def test_alphas_of_a_path_are_told_apart() -> None:
    tree = CARTRegressor(min_samples_leaf=1, min_samples_split=2).fit(DIABETES.X, DIABETES.y).tree_
    path = CostComplexity().path(tree)
    shown = [line.split()[0] for line in str(path).split("\n")[1:]]
    assert len(set(shown)) == len(path)


def test_rparts_way_needs_cp_and_binary_splits() -> None:
    with pytest.raises(ParameterError, match="is rpart's way to apply cp"):
        CostComplexity(alpha=0.1, variant="rpart").check()
    tree = ID3Classifier().fit(load_example("play_tennis").X, load_example("play_tennis").y).tree_
    with pytest.raises(UnsupportedError, match="judges binary splits for one target"):
        CostComplexity(cp=0.1, variant="rpart").prune(tree)
