"""How the rows of each tree are drawn, and forests grown tree by tree."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.data.read.target import read_classes, read_values
from treewright.data.read.weights import MOST_DRAWS
from treewright.errors import ParameterError
from treewright.forest.sampling import Draws, draws_of, n_drawn, share_drawn

Y = ["a"] * 6 + ["b"] * 3 + ["c"]
CLASSES = read_classes(Y, owner="Forest")


def draws(**changes: Any) -> Draws:
    given: dict[str, Any] = {
        "n_rows": 10,
        "max_samples": None,
        "sampling": "all",
        "with_replacement": True,
        "factor": None,
        "balances": False,
    }
    weight, target = changes.pop("weight", None), changes.pop("target", CLASSES)
    return draws_of(target, weight, **given | changes)


@pytest.mark.parametrize(
    ("sampling", "n_draws"),
    [
        ("all", (10,)),
        ("under", (1, 1, 1)),
        ("over", (6, 6, 6)),
        ({"a": 4}, (4, 3, 1)),
        ({"a": 0, "c": 9}, (0, 3, 9)),
    ],
)
def test_rows_drawn_by_class(sampling: Any, n_draws: tuple[int, ...]) -> None:
    assert draws(sampling=sampling).n_draws == n_draws


@pytest.mark.parametrize("with_replacement", [True, False])
@pytest.mark.parametrize("scale", [0.25, 1.0, 2.0, float(MOST_DRAWS)])
def test_as_many_rows_are_drawn_as_have_a_weight_whatever_it_is(
    scale: float, with_replacement: bool
) -> None:
    weight = scale * np.array([3.0, *[1.0] * 8, 0.0])
    drawn = draws(weight=weight, with_replacement=with_replacement)
    assert (drawn.n_draws, drawn.total) == ((9,), 9)
    assert drawn.weight is not None
    assert drawn.weight.tolist() == weight.tolist()
    by_class = draws(weight=weight, sampling="under", with_replacement=with_replacement)
    assert by_class.n_draws == (3, 3, 0)
    assert draws(weight=weight, sampling="over").n_draws == (6, 6, 0)


def test_rows_of_a_class_without_weight_are_not_drawn() -> None:
    drawn = draws(factor=np.array([2.0] * 6 + [0.5] * 3 + [0.0]))
    assert drawn.n_draws == (9,)
    assert drawn.weight is not None
    assert drawn.weight.tolist() == [1.0] * 9 + [0.0]


@pytest.mark.parametrize(
    ("max_samples", "n_rows"),
    [(None, 10), (0.25, 2), (0.01, 1), (1.0, 10), (7, 7), (25, 25), (1.5, 15), (11, 11)],
)
def test_max_samples(max_samples: Any, n_rows: int) -> None:
    assert n_drawn(max_samples, 10) == n_rows


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_samples": 0}, "max_samples=0 must be at least 1."),
        (
            {"max_samples": 11, "with_replacement": False},
            "11 rows cannot be drawn without replacement from 10.\n"
            "  Hint: bootstrap=True draws with replacement; or a smaller max_samples.",
        ),
        (
            {"max_samples": -0.5},
            "max_samples=-0.5 must be a number of rows, a share of them above 0, or None.",
        ),
        (
            {"max_samples": float("inf")},
            "max_samples=inf must be a number of rows, a share of them above 0, or None.",
        ),
        (
            {"sampling": "smote"},
            "sampling='smote' must be one of 'all', 'under', 'over', or a dict of class to number"
            " of rows.",
        ),
        ({"sampling": {"d": 1}}, "sampling names class 'd', which is not in y."),
        ({"sampling": {"a": -1}}, "sampling['a']=-1 must be at least 0."),
        ({"sampling": {"a": 0, "b": 0, "c": 0}}, "sampling draws no row of any class."),
        (
            {"sampling": {"c": 2}, "weight": np.array([1.0] * 9 + [0.0])},
            "sampling['c']=2: the class has no row of positive weight.",
        ),
        (
            {"sampling": "under", "max_samples": 3},
            "max_samples=3 and sampling='under' both say how many rows a tree sees.\n"
            "  Hint: sampling={class: rows, ...} gives numbers by class.",
        ),
        (
            {"sampling": "over", "target": read_values([1.0] * 10, owner="Forest")},
            "sampling='over' draws by class: it needs one target of classes.",
        ),
        (
            {"sampling": "over", "with_replacement": False},
            "6 rows cannot be drawn without replacement from 6.\n"
            "  Hint: bootstrap=True draws with replacement; or a smaller max_samples.",
        ),
        (
            {
                "weight": np.array([0.5] * 5 + [0.0] * 5),
                "max_samples": 6,
                "with_replacement": False,
            },
            "6 rows cannot be drawn without replacement from 5.",
        ),
        (
            {"sampling": {"a": 10 * MOST_DRAWS, "b": 0, "c": 0}},
            f"each tree would draw {10 * MOST_DRAWS:,} rows; at most {MOST_DRAWS:,} can be drawn.\n"
            "  Hint: max_samples=... says how many.",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        draws(**changes)


def test_factors_of_one_are_none() -> None:
    assert draws(factor=np.ones(10)).factor is None
    assert draws(factor=np.array([1.0] * 9 + [0.0])).factor is None  # that row is not drawn
    assert draws(factor=np.array([1.0] * 9 + [0.5])).factor is not None


def test_share_of_distinct_rows_is_what_sampling_draws() -> None:
    x = np.arange(300.0)[:, np.newaxis]
    forest = tw.RandomForestRegressor(200, max_depth=1).fit(x, x[:, 0])
    sampling = forest._training.sampling
    shares = [np.count_nonzero(sampling.draw(tree)) / 300 for tree in range(200)]
    assert np.mean(shares) == pytest.approx(share_drawn(300, 300), abs=0.005)


TABLE = {
    "number": np.round(np.random.default_rng(0).normal(size=150), 1),
    "whole": np.arange(150) % 11,
    "letter": np.array(list("pqrst"))[np.arange(150) % 5],
    "gaps": np.where(np.arange(150) % 7 == 0, np.nan, np.arange(150) % 13.0),
}
KIND = np.where((TABLE["number"] > 0) ^ (TABLE["letter"] == "p"), "yes", "no")
AMOUNT = TABLE["number"] * 2 + (TABLE["letter"] == "q") + TABLE["whole"] / 5
WEIGHT = np.random.default_rng(1).choice([0.0, 0.3, 1.0, 2.0], 150)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["alike", "weighted"])
@pytest.mark.parametrize(
    ("base", "options"),
    [
        (tw.DecisionTreeClassifier(max_depth=4), {}),
        (tw.DecisionTreeClassifier(leaf="laplace"), {"class_weight": "balanced_subsample"}),
        (tw.DecisionTreeClassifier(min_fraction_leaf=0.1), {"class_weight": {"yes": 4.0}}),
        (tw.C45Classifier(confidence=None, collapse=False), {"max_features": 2}),
        (tw.CARTClassifier(priors=[0.3, 0.7]), {}),
        (tw.ID3Classifier(), {"sampling": "under"}),
        (tw.CHAIDClassifier(min_samples_leaf=3), {"class_weight": {"yes": 3.0}}),
        (tw.ObliqueTreeClassifier(max_depth=3), {"features_per": "tree", "max_features": 3}),
        (tw.DecisionTreeClassifier(cost_matrix={"no": {"yes": 4.0}}), {"bootstrap": False}),
        (tw.DecisionTreeClassifier(cost_matrix={"no": {"yes": 4.0}}, max_p_value=0.2), {}),
        (tw.CARTRegressor(), {"max_samples": 0.5}),
        (tw.CHAIDRegressor(), {}),
        (tw.ObliqueTreeRegressor(max_depth=3), {"features_per": "tree", "max_features": 3}),
    ],
)
def test_a_tree_grown_alone_is_the_one_grown_with_the_others(
    base: Any, options: Any, weight: Any
) -> None:
    is_classifier = base._is_classifier()
    made = tw.RandomForestClassifier if is_classifier else tw.RandomForestRegressor
    forest = made(4, estimator=base, **options)
    forest.fit(TABLE, KIND if is_classifier else AMOUNT, weight)
    assert forest._training.grower is None
    for number, tree in enumerate(forest.ensemble_):
        alone = base._grow(forest._training.tree_problem(number), None)
        assert alone.arrays.equals(tree.arrays)
        assert alone.predict(TABLE).tolist() == tree.predict(TABLE).tolist()
