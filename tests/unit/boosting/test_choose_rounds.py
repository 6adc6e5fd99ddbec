"""Rounds and depths that cross-validation chooses."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import treewright as tw
from treewright.boosting import choose_rounds as chosen_rounds
from treewright.boosting.choose_rounds import N_FOLDS, choose_rounds, folds_of
from treewright.boosting.defaults import final_rate, n_folds_judged
from treewright.boosting.losses import loss_of_classes, loss_of_values
from treewright.boosting.problem import BoostingProblem
from treewright.boosting.rounds import RoundsChoice
from treewright.data.read.table import read_table
from treewright.data.read.weights import RowWeights
from treewright.errors import ParameterError

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(240, 3))
VALUES = X[:, 0] * X[:, 1] + 0.5 * RANDOM.normal(size=240)
CLASSES = np.digitize(VALUES, [-0.4, 0.6])
WHOLE = RANDOM.integers(0, 3, (400, 5))
SURE = WHOLE[:, 0] == WHOLE[:, 1]


def problem(
    X: Any, y: Any, weight: Any = None, *, of_classes: bool = True, n_classes: int = 3
) -> BoostingProblem:
    loss = loss_of_values("squared_error", quantile=None, power=1.5)
    if of_classes:
        loss = loss_of_classes("log_loss", n_classes)
    return BoostingProblem(
        table=read_table(X),
        y=np.asarray(y, dtype=np.float64),
        weights=RowWeights.read(weight, len(y)).relative(),
        loss=loss,
    )


def test_folds_follow_from_the_content_of_rows() -> None:
    folds = folds_of(problem(X, CLASSES))
    assert folds is not None
    order = RANDOM.permutation(len(X))
    assert np.array_equal(folds_of(problem(X[order], CLASSES[order])), folds[order])
    weight = RANDOM.uniform(0.5, 2.0, len(X))
    assert np.array_equal(folds_of(problem(X, CLASSES, weight)), folds)


def test_rows_of_weight_zero_are_in_no_fold_and_change_none() -> None:
    weight = RANDOM.integers(0, 4, len(X))
    folds = folds_of(problem(X, CLASSES, weight))
    assert folds is not None
    some = weight > 0
    assert np.array_equal(folds < 0, ~some)
    assert np.array_equal(folds_of(problem(X[some], CLASSES[some], weight[some])), folds[some])


def test_copies_of_a_row_are_dealt_out_like_any_rows() -> None:
    order = RANDOM.permutation(np.repeat(np.arange(48), N_FOLDS))
    folds = folds_of(problem(X[order], CLASSES[order]))
    assert folds is not None
    for row in range(48):
        assert sorted(folds[order == row]) == list(range(N_FOLDS))


def test_the_order_of_copies_of_other_weights_does_not_matter() -> None:
    rows = np.repeat(np.arange(48), N_FOLDS)
    weight = RANDOM.permutation(np.resize([0.5, 1.0, 2.0], len(rows)))
    folds = folds_of(problem(X[rows], CLASSES[rows], weight))
    assert folds is not None
    order = RANDOM.permutation(len(rows))
    moved = folds_of(problem(X[rows[order]], CLASSES[rows[order]], weight[order]))
    assert moved is not None
    # Which of two copies of equal weight is in a fold makes no difference to it.
    dealt = sorted(zip(rows, weight, folds, strict=True))
    assert sorted(zip(rows[order], weight[order], moved, strict=True)) == dealt


def test_every_fold_has_its_share_of_every_class() -> None:
    folds = folds_of(problem(X, CLASSES))
    assert folds is not None
    for of_class in range(3):
        counts = np.bincount(folds[of_class == CLASSES], minlength=N_FOLDS)
        assert counts.max() - counts.min() <= 1
    by_number = folds_of(problem(X, VALUES, of_classes=False))
    assert by_number is not None
    assert np.bincount(by_number).tolist() == [48] * N_FOLDS


def test_few_rows_are_not_dealt_out() -> None:
    assert folds_of(problem(X[:29], CLASSES[:29])) is None
    assert folds_of(problem(X[:29], CLASSES[:29], np.full(29, 2.0))) is None
    assert folds_of(problem(X[:30], CLASSES[:30])) is not None
    assert folds_of(problem(X[:30], CLASSES[:30], [0.0] + [2.0] * 29)) is None
    copies = np.repeat(X[:3], 10, axis=0), np.repeat(CLASSES[:3], 10)
    assert folds_of(problem(*copies)) is not None


N_JUDGED = 5  # of 1,000 rows at most


def looked_at(most: int) -> Iterator[int]:
    """The numbers of rounds after which the loss is looked at: ever more rarely."""
    number = 0
    while number < most:
        number = min(number + max(1, number // 16), most)
        yield number


@pytest.mark.parametrize("weighs", [False, True])
def test_the_choice_is_the_least_loss_of_rows_left_out(weighs: bool) -> None:
    """Against folds that are boosted one by one, each with a model of its own."""
    folds = folds_of(problem(X, VALUES, of_classes=False))
    weight, rate = None, 0.3
    if weighs:
        # Of mean 1 in every fold, so that they are the same weights in the models of their own.
        weight = np.empty(len(X))
        for fold in range(N_FOLDS):
            weight[folds == fold] = np.resize([0.5, 1.5], np.sum(folds == fold))
    model = tw.GradientBoostingRegressor(learning_rate=rate, random_state=5).fit(X, VALUES, weight)
    least = {}
    for (depth, share), tried in zip(((None, 1.0), (3, 0.7)), model.choice_.tried, strict=True):
        curve = np.zeros(150)
        for fold in range(N_JUDGED):
            learn, judge = folds != fold, folds == fold
            own = tw.GradientBoostingRegressor(
                n_estimators=150,
                max_depth=depth,
                subsample=share,
                learning_rate=rate,
                min_hessian=0.001,
                l2_regularization=3.0,
                max_features=0.5,
                random_state=5,
            ).fit(X[learn], VALUES[learn], None if weight is None else weight[learn])
            shares = np.ones(judge.sum()) if weight is None else weight[judge]
            for number, told in enumerate(own.staged_predict(X[judge])):
                curve[number] += shares @ (told - VALUES[judge]) ** 2 / 2
        is_judged = folds < N_JUDGED
        curve /= is_judged.sum() if weight is None else weight[is_judged].sum()
        assert (tried.max_depth, tried.subsample) == (depth, share)
        assert tried.learning_rate == rate
        looks = list(looked_at(150))
        told = [curve[number - 1] for number in looks]
        assert tried.n_rounds == looks[int(np.argmin(told))]
        assert tried.loss == pytest.approx(min(told), rel=1e-9)
        least[depth] = min(told)
    assert model.choice_.best.max_depth == min(least, key=least.__getitem__)
    assert model.n_iter_ == model.choice_.best.n_rounds
    assert str(model.choice_).count("chosen") == 1


def test_the_model_is_the_one_of_the_rounds_and_depth_chosen() -> None:
    model = tw.GradientBoostingClassifier(random_state=2).fit(X, CLASSES)
    best = model.choice_.best
    told = tw.GradientBoostingClassifier(
        n_estimators=best.n_rounds,
        max_depth=best.max_depth,
        subsample=best.subsample,
        learning_rate=best.learning_rate,
        min_hessian=0.001,
        l2_regularization=3.0,
        random_state=2,
    ).fit(X, CLASSES)
    assert model.learning_rate_ == best.learning_rate
    assert told.choice_ is None
    assert np.array_equal(model.predict_proba(X), told.predict_proba(X))


def test_threads_and_the_order_of_rows_change_nothing() -> None:
    order = RANDOM.permutation(len(X))
    first = tw.GradientBoostingClassifier(n_jobs=1).fit(X, CLASSES)
    for n_jobs, rows in ((2, np.arange(len(X))), (7, order)):
        other = tw.GradientBoostingClassifier(n_jobs=n_jobs).fit(X[rows], CLASSES[rows])
        for own, its in zip(other.choice_.tried, first.choice_.tried, strict=True):
            assert (own.max_depth, own.n_rounds) == (its.max_depth, its.n_rounds)
            assert own.loss == pytest.approx(its.loss, rel=1e-12)
        assert np.array_equal(other.predict_proba(X), first.predict_proba(X))


def test_noise_is_left_early_and_what_is_sure_is_learned_to_the_end() -> None:
    noise = tw.GradientBoostingClassifier().fit(X, RANDOM.permutation(CLASSES))
    assert noise.n_iter_ < 40
    assert tw.GradientBoostingClassifier().fit(WHOLE, SURE).n_iter_ >= 500


Told = dict[int | None, list[tuple[int, float]]]


def chosen_and_told(X: Any, y: Any, **of_problem: Any) -> tuple[RoundsChoice, Told]:
    """Choose as an estimator does, and keep what every shape was seen to lose."""
    own = problem(X, y, **of_problem)
    folds = folds_of(own)
    assert folds is not None
    options = tw.GradientBoostingRegressor()._boosting_options()
    options = options.settled(own, ends_by_itself=True)
    told: Told = {}

    def watch(depth: int | None, n_made: int, loss: float) -> None:
        told.setdefault(depth, []).append((n_made, loss))

    return choose_rounds(own, options, folds, choosing_rate=0.2, watch=watch), told


def test_rounds_are_chosen_by_a_large_rate_and_made_by_a_small_one() -> None:
    model = tw.GradientBoostingRegressor().fit(X, VALUES)
    choice, told = chosen_and_told(X, VALUES, of_classes=False)
    for own, its in zip(model.choice_.tried, choice.tried, strict=True):
        assert own == its
        n_best, loss = min(told[own.max_depth], key=lambda pair: pair[1])
        assert own.learning_rate == min(max(n_best * 0.2 / 500, 0.025), 0.1)
        assert own.n_rounds == round(n_best * 0.2 / own.learning_rate)
        assert own.loss == pytest.approx(loss, rel=1e-6)


def test_the_rate_of_numbers_is_as_small_as_five_hundred_rounds_allow() -> None:
    """No number of chosen rounds is one from which the rate, or the number made, leaps."""

    def made(usual: float, n_chosen: int) -> tuple[float, float]:
        rate = final_rate(usual, n_chosen, chosen_by=0.2, of_classes=False)
        return rate, n_chosen * 0.2 / rate

    assert [made(0.05, n)[0] for n in (1, 62, 125, 250, 400)] == [0.025, 0.025, 0.05, 0.1, 0.1]
    assert [made(0.1, n)[0] for n in (1, 125, 250, 500)] == [0.05, 0.05, 0.1, 0.1]
    for usual in (0.05, 0.07, 0.1):
        told = [made(usual, n) for n in range(1, 501)]
        for (rate, n_made), (next_rate, next_made) in pairwise(told):
            assert rate <= next_rate <= rate + 0.2 / 500 + 1e-12
            assert n_made - 1e-9 <= next_made <= n_made + 0.2 / (usual / 2) + 1e-9
        assert all(n_made <= 500 + 1e-9 for rate, n_made in told if rate < 0.1)
        assert told[-1] == (0.1, 1_000)
    model = tw.GradientBoostingRegressor().fit(X, VALUES)
    assert (model.n_iter_, model.learning_rate_) == (500, model.choice_.best.learning_rate)
    assert 0.025 < model.learning_rate_ < 0.1


def test_classes_have_the_usual_rate_or_a_larger_one_where_many_rounds_are_best() -> None:
    known = ((0.05, 100, 0.05), (0.05, 101, 0.1), (0.1, 1, 0.1), (0.1, 500, 0.1))
    for usual, n_chosen, rate in known:
        assert final_rate(usual, n_chosen, chosen_by=0.2, of_classes=True) == rate
    assert tw.GradientBoostingClassifier().fit(X, CLASSES).learning_rate_ == 0.05


def test_a_loss_that_still_falls_after_half_of_the_rounds_has_all_of_them() -> None:
    choice, told = chosen_and_told(WHOLE, SURE, n_classes=2)
    falling = [n for n, _ in told[None]]
    assert falling[-1] == 125  # 500 rounds by 0.05
    assert told[None][-1] == min(told[None], key=lambda pair: pair[1])
    assert (choice.best.max_depth, choice.best.learning_rate) == (None, 0.1)
    assert choice.best.n_rounds == 500  # as 1,000 by 0.05


def test_a_loss_that_rose_at_half_of_the_rounds_is_followed_on() -> None:
    """One that seems to rise by chance, just then, would have half of the rounds it needs."""
    seen = []
    for seed in range(12):
        rows = np.random.default_rng(seed).normal(size=(100, 3))
        y = rows[:, 0] * rows[:, 1] + rows[:, 2] + 0.1 * np.sin(40.0 * rows[:, 0])
        choice, told = chosen_and_told(rows, y, of_classes=False)
        for tried in choice.tried:
            numbers = [n for n, _ in told[tried.max_depth]]
            if numbers[-1] < 125:
                continue
            assert 125 in numbers  # looked at, wherever looks would fall
            n_best = min(told[tried.max_depth], key=lambda pair: pair[1])[0]
            is_last = n_best == numbers[-1]
            n_rounds = tried.n_rounds * tried.learning_rate / 0.2
            assert n_rounds == pytest.approx(250 if is_last else n_best)
            assert is_last or numbers[-1] >= min(n_best + n_best // 3, 250)
            seen.append(is_last)
    assert set(seen) == {True, False}


def test_a_shape_ends_once_its_loss_cannot_come_down_to_the_other() -> None:
    y = (WHOLE.sum(axis=1) + WHOLE[:, 0] * WHOLE[:, 1]) % 2  # parity: depth 3 cannot tell it
    choice, told = chosen_and_told(WHOLE, y, n_classes=2)
    assert choice.best.max_depth is None
    deep, shallow = told[None], told[3]
    n_made = shallow[-1][0]
    assert 30 <= n_made < deep[-1][0]
    least = min(loss for _, loss in shallow)
    at_half = next(loss for n, loss in reversed(shallow) if n <= n_made // 2)
    doublings = math.log2(125 / n_made)
    hope = least - max(at_half - least, 0.0) / 3 * doublings
    made_then = [loss for n, loss in deep if n <= n_made]
    assert hope > min(made_then)


def test_one_fold_judges_a_large_table() -> None:
    sizes = (30, 1_000, 1_001, 10_000, 10_001, 10**7)
    assert [n_folds_judged(n) for n in sizes] == [5, 5, 3, 3, 1, 1]


def test_a_depth_that_is_given_is_the_only_one_tried() -> None:
    model = tw.GradientBoostingClassifier(max_depth=2).fit(X, CLASSES)
    assert [(tried.max_depth, tried.subsample) for tried in model.choice_.tried] == [(2, 1.0)]
    model = tw.GradientBoostingClassifier(subsample=0.5).fit(X, CLASSES)
    assert [tried.subsample for tried in model.choice_.tried] == [0.5, 0.5]


def test_where_nothing_is_chosen_rounds_are_fixed() -> None:
    def squared(y: Any, scores: Any) -> tuple[Any, Any]:
        return scores - y, np.ones_like(y)

    for options in ({"loss": squared}, {"init": LinearRegression()}):
        model = tw.GradientBoostingRegressor(max_leaf_nodes=2, **options).fit(X, VALUES)
        assert (model.n_iter_, model.choice_) == (250, None)
    few = tw.GradientBoostingRegressor(max_leaf_nodes=2).fit(X[:20], VALUES[:20])
    assert (few.n_iter_, few.choice_) == (250, None)


def test_early_stopping_has_a_thousand_rounds() -> None:
    model = tw.GradientBoostingClassifier(early_stopping=True, n_iter_no_change=1_000)
    model.fit(WHOLE, SURE)
    assert model.choice_ is None
    assert 250 < model.n_iter_ <= 1_000


def test_a_warm_start_goes_on_from_chosen_rounds() -> None:
    model = tw.GradientBoostingClassifier(warm_start=True).fit(X, CLASSES)
    n_chosen, answers = model.n_iter_, model.predict_proba(X)
    cold = tw.GradientBoostingClassifier().fit(X, CLASSES)
    assert np.array_equal(answers, cold.predict_proba(X))
    model.fit(X, CLASSES)  # chosen again: the same number, so that nothing is to be done
    assert np.array_equal(model.predict_proba(X), answers)
    model.set_params(n_estimators=n_chosen + 10).fit(X, CLASSES)
    assert model.n_iter_ == len(model.train_score_) == n_chosen + 10
    best = cold.choice_.best
    at_once = tw.GradientBoostingClassifier(
        n_estimators=n_chosen + 10,
        learning_rate=best.learning_rate,
        max_depth=best.max_depth,
        subsample=best.subsample,
        min_hessian=0.001,
        l2_regularization=3.0,
    ).fit(X, CLASSES)
    assert np.array_equal(model.predict_proba(X), at_once.predict_proba(X))
    model.set_params(n_estimators="auto").fit(X, CLASSES)  # no round is taken back
    assert model.n_iter_ == n_chosen + 10


def test_errors_name_what_can_be_meant() -> None:
    with pytest.raises(ParameterError, match="max_iter='many' must be a number or 'auto'"):
        tw.GradientBoostingClassifier(max_iter="many").fit(X, CLASSES)
    for name in ("max_depth", "min_hessian", "l2_regularization", "subsample"):
        with pytest.raises(ParameterError, match=f"{name}='much'"):
            tw.GradientBoostingClassifier(**{name: "much"}).fit(X, CLASSES)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_ctrl_c_while_choosing_leaves_the_estimator_as_it_was(
    n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tw.GradientBoostingClassifier(n_jobs=n_jobs).fit(X, CLASSES)
    before = model.predict_proba(X)
    make, calls = chosen_rounds.make_side_by_side, []

    def interrupted(boosters: Any, ahead: Any, most_score: float, n_threads: int) -> None:
        calls.append(len(boosters))
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        make(boosters, ahead, most_score, n_threads)

    monkeypatch.setattr(chosen_rounds, "make_side_by_side", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, VALUES > 0)
    assert calls == [10, 10]  # five folds of two shapes
    assert np.array_equal(model.predict_proba(X), before)


@pytest.mark.alone
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_inside_a_call_that_boosts_the_folds_is_obeyed_at_once(n_jobs: int) -> None:
    rows = RANDOM.normal(size=(9_000, 60))
    y = rows[:, 0] * rows[:, 1] + rows[:, 2]
    model = tw.GradientBoostingRegressor(n_jobs=n_jobs)
    began = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(rows, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, handler)
    assert time.perf_counter() - began < 3.0
    assert not hasattr(model, "ensemble_")


def test_how_many_looks_one_call_takes_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    together = tw.GradientBoostingClassifier(loss="ordinal").fit(X, CLASSES)
    seen: list[int] = []
    make = chosen_rounds.make_side_by_side

    def counted(boosters: Any, *others: Any) -> None:
        seen.append(len(boosters))
        make(boosters, *others)

    monkeypatch.setattr(chosen_rounds, "make_side_by_side", counted)
    again = tw.GradientBoostingClassifier(loss="ordinal").fit(X, CLASSES)
    n_calls = len(seen)
    monkeypatch.setattr(chosen_rounds, "_SCORES_AT_A_TIME", 1)
    one_by_one = tw.GradientBoostingClassifier(loss="ordinal").fit(X, CLASSES)
    assert n_calls < (len(seen) - n_calls) / 3
    for model in (again, one_by_one):
        assert str(model.choice_) == str(together.choice_)
        assert np.array_equal(model.predict_proba(X), together.predict_proba(X))


def test_shapes_end_each_by_its_own_patience() -> None:
    noise = np.random.default_rng(1).permutation(VALUES)
    choice, told = chosen_and_told(X, noise, of_classes=False)
    for tried in choice.tried:
        made = told[tried.max_depth]
        numbers = [n for n, _ in made]
        assert numbers == sorted(set(numbers))
        n_best, loss = min(made, key=lambda pair: pair[1])
        assert loss == pytest.approx(tried.loss, rel=1e-6)
        assert numbers[-1] - n_best >= max(10, n_best // 3) > numbers[-2] - n_best
