"""What is tried for each of our estimators can be fitted, to any table, and differs."""

import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import is_regressor

import treewright
from treewright.evaluate.tuning.candidates import Range, draw_candidates
from treewright.evaluate.tuning.spaces import SPACES, space_of

RNG = np.random.default_rng(0)
N = 90
MIXED: dict[str, Any] = {
    "number": RNG.normal(size=N),
    "gaps": np.where(RNG.uniform(size=N) < 0.2, np.nan, RNG.normal(size=N)),
    "name": RNG.choice(["a", "b", "c"], size=N),
}
NUMBERS = MIXED["number"] + (MIXED["name"] == "a")
CLASSES = np.where(NUMBERS > 0.5, "high", np.where(NUMBERS > -0.5, "middle", "low"))


@pytest.mark.filterwarnings("ignore::treewright.errors.NoSplitWarning")  # 90 rows are few
@pytest.mark.parametrize("name", SPACES)
def test_every_setting_of_a_space_can_be_fitted(name: str) -> None:
    learner = getattr(treewright, name)()
    space = space_of(learner, None)
    assert len(space) > 1
    target = NUMBERS if is_regressor(learner) else CLASSES
    candidates = draw_candidates(learner, space, 13, random_state=1)
    assert len(candidates) == 13 or name == "ID3Classifier"
    assert {parameter for each in candidates for parameter in each} == set(space)
    for parameters in candidates:
        model = getattr(treewright, name)(**parameters)
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        assert len(model.fit(MIXED, target).predict(MIXED)) == N


def test_every_estimator_that_grows_has_a_space() -> None:
    public = {name: getattr(treewright, name) for name in treewright.__all__}
    ours = {
        name
        for name, each in public.items()
        if inspect.isclass(each) and hasattr(each, "fit") and hasattr(each, "predict")
    }
    of_members = {name for name in ours if name.startswith(("Stacking", "Voting"))}
    assert set(SPACES) == ours - of_members  # what these have to tune is their members'


def test_a_part_that_is_there_is_tuned_too() -> None:
    boost = treewright.AdaBoostClassifier(treewright.DecisionTreeClassifier(max_depth=1))
    assert "estimator__max_depth" in space_of(boost, None)
    assert "estimator__max_depth" not in space_of(treewright.AdaBoostClassifier(), None)


@given(st.integers(0, 10_000), st.booleans(), st.integers(1, 5), st.integers(6, 80))
def test_ranges_hold_what_is_drawn(seed: int, log: bool, low: int, high: int) -> None:
    random = np.random.default_rng(seed)
    whole = Range(low=low, high=high, log=log).draw(random)
    assert isinstance(whole, int)
    assert low <= whole <= high
    real = Range(low=low / 10, high=high / 10, log=log).draw(random)
    assert low / 10 <= real <= high / 10


def test_both_ends_of_a_whole_range_are_drawn() -> None:
    for log in (False, True):
        random = np.random.default_rng(0)
        drawn = {Range(low=1, high=4, log=log).draw(random) for _ in range(200)}
        assert drawn == {1, 2, 3, 4}


def test_draws_repeat_and_never_name_what_the_learner_has_already() -> None:
    tree = treewright.DecisionTreeClassifier(criterion="entropy", min_samples_leaf=3)
    space = space_of(tree, None)
    first, second = (draw_candidates(tree, space, 40, random_state=7) for _ in "ab")
    assert first == second
    assert len({repr(each) for each in first}) == 40
    assert first[0] == {}
    assert all(each.get("criterion") != "entropy" for each in first)
