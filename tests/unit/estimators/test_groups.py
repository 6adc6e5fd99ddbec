"""Rows that belong together: drawn, held out and judged together by every learner."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold

import treewright as tw
from treewright.boosting.choose_rounds import N_FOLDS, folds_of
from treewright.boosting.losses import loss_of_classes, loss_of_values
from treewright.boosting.problem import BoostingProblem, held_out
from treewright.data.read.groups import RowGroups
from treewright.data.read.table import read_table
from treewright.data.read.weights import RowWeights
from treewright.errors import DataError, GroupsWarning, ParameterError, UnsupportedError
from treewright.evaluate import stability
from treewright.measures.error_estimates import wilson_interval
from treewright.prune import CostComplexity, ReducedError, complexity_table

N_PEOPLE, N_VISITS = 200, 10
WHO = np.repeat(np.arange(N_PEOPLE), N_VISITS)


def people(seed: int, n_people: int = N_PEOPLE) -> tuple[Any, Any, Any]:
    """Return visits, who is ill at each, and whose they are: people differ by more than columns."""
    random = np.random.default_rng(seed)
    who = np.repeat(np.arange(n_people), N_VISITS)
    of_person = random.normal(size=(n_people, 6))
    of_visit = random.normal(size=(len(who), 4))
    effect = of_person[:, 0] + 1.2 * random.normal(size=n_people)
    score = effect[who] + 0.8 * of_visit[:, 0] + random.logistic(size=len(who))
    return np.hstack([of_person[who], of_visit]), (score > 0).astype(np.int64), who


X, Y, _ = people(0)
SMALL = slice(0, 300)
WEIGHT = np.random.default_rng(9).integers(0, 3, len(Y)).astype(float)


def same_model(a: Any, b: Any) -> bool:
    answer = "predict_proba" if hasattr(a, "predict_proba") else "predict"
    return bool(np.array_equal(getattr(a, answer)(X), getattr(b, answer)(X)))


LEARNERS = {
    "forest": tw.RandomForestClassifier(8, oob_score=True),
    "forest of values": tw.RandomForestRegressor(8, oob_score=True),
    "weighted forest": tw.RandomForestClassifier(8, class_weight="balanced_subsample"),
    "extra trees": tw.ExtraTreesClassifier(8, bootstrap=True),
    "share of rows": tw.ExtraTreesRegressor(8, max_samples=0.5),
    "bagging": tw.BaggingClassifier(tw.DecisionTreeClassifier(prune="reduced_error"), 5),
    "rounds chosen": tw.GradientBoostingClassifier(learning_rate=0.3),
    "rounds chosen of values": tw.GradientBoostingRegressor(learning_rate=0.3, subsample=0.5),
    "rounds stopped": tw.GradientBoostingClassifier(n_estimators=30, early_stopping=True),
    "hist": tw.HistGradientBoostingRegressor(max_iter=10, early_stopping=True),
    "cost complexity": tw.CARTClassifier(prune=CostComplexity()),
    "reduced error": tw.DecisionTreeRegressor(prune=ReducedError()),
    "adaboost": tw.AdaBoostClassifier(
        tw.DecisionTreeClassifier(prune="reduced_error"), n_estimators=3
    ),
}
DRAWS_NOTHING = {
    "tree": tw.DecisionTreeClassifier(max_depth=3),
    "all rows": tw.ExtraTreesClassifier(3),
    "rounds given": tw.GradientBoostingClassifier(n_estimators=5),
    "c45": tw.C45Classifier(),
}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.filterwarnings("ignore::treewright.errors.GroupsWarning")
@pytest.mark.filterwarnings("ignore::treewright.errors.SmallDataWarning")
def test_groups_of_one_row_each_change_nothing_and_others_do(name: str) -> None:
    learner = LEARNERS[name]
    table, y = X[SMALL], Y[SMALL]

    def fitted(groups: Any) -> Any:
        return learner.__class__(**learner.get_params(deep=False)).fit(table, y, groups=groups)

    plain = fitted(None)
    assert same_model(plain, fitted(np.arange(len(y))))
    assert not same_model(plain, fitted(WHO[SMALL]))


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.filterwarnings("ignore::treewright.errors.SmallDataWarning")
def test_names_of_groups_order_of_rows_and_threads_change_nothing(name: str) -> None:
    learner = LEARNERS[name]
    names = np.array([f"person {(7 * who) % 30}" for who in WHO[SMALL]])
    by_number = learner.fit(X[SMALL], Y[SMALL], groups=WHO[SMALL])
    before = pickle.loads(pickle.dumps(by_number))
    learner.n_jobs = 3
    by_name = learner.fit(X[SMALL], Y[SMALL], groups=names)
    if name in ("cost complexity", "reduced error", "bagging", "adaboost"):
        # A random number of each row, or of each group in the order of labels, decides.
        by_name = learner.fit(X[SMALL], Y[SMALL], groups=WHO[SMALL] * 2)
    learner.n_jobs = None
    assert same_model(before, by_name)


@pytest.mark.parametrize("name", DRAWS_NOTHING)
def test_what_draws_and_holds_out_nothing_is_the_same_with_groups(name: str) -> None:
    learner = DRAWS_NOTHING[name]
    plain = pickle.dumps(learner.fit(X, Y).predict(X))
    assert pickle.dumps(learner.fit(X, Y, groups=WHO).predict(X)) == plain
    with pytest.raises(DataError, match="groups has 3 labels"):
        learner.fit(X, Y, groups=[1, 2, 3])


@pytest.mark.parametrize(
    "forest",
    [
        tw.RandomForestClassifier(12),
        tw.RandomForestClassifier(12, max_samples=0.3),
        tw.ExtraTreesRegressor(12, max_samples=40),
        tw.BaggingClassifier(n_estimators=12, bootstrap=False, max_samples=0.5),
        tw.RandomForestClassifier(12, class_weight={0: 1.0, 1: 3.0}),
    ],
)
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_trees_draw_whole_groups(forest: Any, weight: Any) -> None:
    groups = np.where(WHO < 50, WHO, 50 + WHO % 70)  # of 10 rows or of about 21
    forest.fit(X, Y, sample_weight=weight, groups=groups)
    counted = np.ones(len(Y), bool) if weight is None else weight > 0
    n_groups = len(np.unique(groups[counted]))
    share = getattr(forest, "max_samples", None)
    n_drawn = n_groups if share is None else share if share == 40 else round(share * n_groups)
    for drawn in forest.estimators_samples_:
        copies = np.bincount(drawn, minlength=len(Y))
        assert not copies[~counted].any()
        times = {}
        for group in np.unique(groups[counted]):
            own = copies[(groups == group) & counted]
            assert own.min() == own.max()
            times[group] = int(own[0])
        assert sum(times.values()) == n_drawn


@pytest.mark.parametrize("vote", ["soft", "hard"])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_out_of_bag_is_who_has_no_row_of_the_group_drawn(vote: str, weight: Any) -> None:
    forest = tw.RandomForestClassifier(15, oob_score=True, vote=vote, max_depth=4)
    forest.fit(X, Y, sample_weight=weight, groups=WHO)
    drawn = [np.unique(WHO[rows]) for rows in forest.estimators_samples_]
    sums, n_trees = np.zeros((len(Y), 2)), np.zeros(len(Y))
    for tree, seen in zip(forest.estimators_, drawn, strict=True):
        unseen = np.flatnonzero(~np.isin(WHO, seen))
        said = tree.predict_proba(X[unseen])
        sums[unseen] += np.eye(2)[said.argmax(axis=1)] if vote == "hard" else said
        n_trees[unseen] += 1
    known = n_trees > 0
    found = forest.oob_decision_function_
    assert np.allclose(found[known], sums[known] / n_trees[known, np.newaxis])
    assert np.isnan(found[~known]).all()
    wrong = (sums.argmax(axis=1) != Y)[known]
    own = np.ones(len(Y)) if weight is None else weight
    assert 1 - forest.oob_score_ == pytest.approx(np.average(wrong, weights=own[known]))


def test_forests_of_groups_are_grown_by_the_fast_engine() -> None:
    forest = tw.RandomForestClassifier(3).fit(X, Y, groups=WHO)
    assert forest.ensemble_.engine == tw.RandomForestClassifier(3).fit(X, Y).ensemble_.engine
    assert forest.ensemble_.engine == "best_cuts"


def test_intervals_of_error_count_groups_not_rows() -> None:
    for forest in (tw.RandomForestClassifier(50), tw.RandomForestRegressor(50)):
        told = forest.fit(X, Y, groups=WHO).out_of_bag()
        low, high = told.interval()
        low_of_rows, high_of_rows = replace(told, groups=None).interval()
        assert low < told.error < high
        assert high - low > 1.2 * (high_of_rows - low_of_rows)
    flawless = replace(told, losses=np.zeros(len(Y)), classes=(np.array([0, 1]),))
    _, high = flawless.interval()
    assert high == pytest.approx(wilson_interval(0, N_PEOPLE)[1])  # not of 2,000 rows


def test_a_loaded_forest_needs_its_groups_for_out_of_bag_figures() -> None:
    forest = tw.RandomForestRegressor(10).fit(X, Y, groups=WHO)
    loaded = pickle.loads(pickle.dumps(forest))
    assert loaded.out_of_bag(X, Y, groups=WHO).error == forest.out_of_bag().error
    assert "trees" in str(loaded.summary(X, Y, groups=WHO))
    again = loaded.importances("permutation", X, Y, groups=WHO)
    assert np.array_equal(again.by_tree, forest.importances("permutation").by_tree)
    near = loaded.proximity(X, rows="oob", y=Y, groups=WHO)
    assert near.of(0, 1) == forest.proximity(rows="oob").of(0, 1)
    interval = loaded.predict_interval(X[:5], X_train=X, y_train=Y, groups=WHO)
    assert np.array_equal(interval, forest.predict_interval(X[:5]))
    with pytest.raises(DataError, match="the rows are not those that the forest was grown from"):
        loaded.out_of_bag(X, Y)


def test_calibrated_intervals_leave_out_the_group_of_a_row() -> None:
    random = np.random.default_rng(4)
    of_person = random.normal(size=(N_PEOPLE, 5))
    y = 3.0 * random.normal(size=N_PEOPLE)[WHO] + random.normal(size=len(WHO))
    table = np.hstack([of_person[WHO], random.normal(size=(len(WHO), 2))])
    forest = tw.RandomForestRegressor(100, min_samples_leaf=5).fit(table, y, groups=WHO)
    new = np.random.default_rng(5)
    truth = 3.0 * new.normal(size=2000) + new.normal(size=2000)
    low, high = forest.predict_interval(new.normal(size=(2000, 7)), level=0.8).T
    assert np.mean((low <= truth) & (truth <= high)) == pytest.approx(0.8, abs=0.05)


def boosting_problem(*, of_classes: bool, weight: Any = None) -> BoostingProblem:
    of_values = loss_of_values("squared_error", quantile=None, power=1.5)
    return BoostingProblem(
        table=read_table(X),
        y=Y.astype(np.float64) if of_classes else X[:, 0],
        weights=RowWeights(weight=weight),
        loss=loss_of_classes("log_loss", 2) if of_classes else of_values,
        groups=RowGroups.read(np.where(WHO < 60, WHO % 7, WHO), len(Y)),
    )


@pytest.mark.parametrize("of_classes", [True, False])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_folds_and_held_out_rows_are_whole_groups_of_every_class(
    of_classes: bool, weight: Any
) -> None:
    problem = boosting_problem(of_classes=of_classes, weight=weight)
    assert problem.groups is not None
    counted = np.ones(len(Y), bool) if weight is None else weight > 0
    folds = folds_of(problem)
    assert folds is not None
    assert np.array_equal(folds >= 0, counted)
    for group in np.unique(problem.groups.codes):
        assert len({*folds[(problem.groups.codes == group) & counted].tolist()}) == 1
    share = [np.mean(folds[counted] == fold) for fold in range(N_FOLDS)]
    assert min(share) > 0.16
    assert max(share) < 0.24
    if of_classes:
        ill = [Y[folds == fold].mean() for fold in range(N_FOLDS)]
        assert max(ill) - min(ill) < 0.12
    learn, judge = held_out(problem, 0.2, seed=1, of_classes=of_classes)
    codes = problem.groups.codes
    assert not {*codes[learn[counted[learn]]].tolist()} & {*codes[judge].tolist()}
    assert counted[judge].all()
    n_groups = len(np.unique(codes[counted]))
    assert len(np.unique(codes[judge])) == pytest.approx(0.2 * n_groups, abs=1)
    _, few = held_out(problem, 12, seed=1, of_classes=of_classes)
    assert len(np.unique(codes[few])) == pytest.approx(12, abs=1)


def test_rounds_draw_whole_groups() -> None:
    # A column that only one person's rows have tells whether the round has drawn that person.
    model = tw.GradientBoostingClassifier(n_estimators=6, subsample=0.5, random_state=3)
    model.fit(X, Y, groups=WHO)
    other = tw.GradientBoostingClassifier(n_estimators=6, subsample=0.5, random_state=3)
    other.fit(X, Y)
    assert not same_model(model, other)
    assert np.isfinite(model.oob_scores_).all()
    # Of unseen people the loss falls less than of unseen rows of seen people.
    assert model.oob_improvement_[0] != other.oob_improvement_[0]


@pytest.mark.parametrize("pruner", [CostComplexity(cv=4), ReducedError(fraction=0.3)])
@pytest.mark.parametrize("tree", [tw.DecisionTreeClassifier, tw.DecisionTreeRegressor])
def test_pruning_judges_by_whole_groups(pruner: Any, tree: Any, monkeypatch: Any) -> None:
    grown_on: list[Any] = []
    from treewright.prune import fit as prune_fit

    grow = prune_fit.fit_tree

    def spied(problem: Any, **given: Any) -> Any:
        grown_on.append(np.unique(problem.groups.codes))
        return grow(problem, **given)

    monkeypatch.setattr(prune_fit, "fit_tree", spied)
    tree(prune=pruner).fit(X, Y, groups=WHO)
    parts = grown_on if pruner.name == "reduced_error" else grown_on[1:]
    share = 0.7 if pruner.name == "reduced_error" else 0.75
    for seen in parts:
        assert len(seen) == pytest.approx(share * N_PEOPLE, abs=1)
    if pruner.name == "cost_complexity":
        left_out = [np.setdiff1d(np.arange(N_PEOPLE), seen) for seen in parts]
        assert np.array_equal(np.sort(np.concatenate(left_out)), np.arange(N_PEOPLE))


@pytest.mark.filterwarnings("ignore::treewright.errors.GroupsWarning")
def test_complexity_tables_know_the_groups_of_their_tree() -> None:
    by_row = complexity_table(tw.CARTClassifier(), X, Y)
    by_group = complexity_table(tw.CARTClassifier(), X, Y, groups=WHO)
    assert by_group.cv_error[-1] > by_row.cv_error[-1] + 0.02
    assert by_group.cv_sd[by_group.best] > 1.2 * by_row.cv_sd[by_row.best]
    fitted = complexity_table(tw.CARTClassifier().fit(X, Y, groups=WHO))
    assert np.array_equal(fitted.cv_error, by_group.cv_error)


def test_stability_draws_whole_groups() -> None:
    class Spied(tw.DecisionTreeClassifier):
        drawn: list[Any] = []  # noqa: RUF012 - filled by the test

        def fit(
            self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None
        ) -> Any:
            self.drawn.append(sample_weight)
            return super().fit(X, y, sample_weight, groups=groups)

    stability(Spied(max_depth=2), X, Y, n_bootstraps=4, groups=WHO)
    assert len(Spied.drawn) == 5
    for weight in Spied.drawn[1:]:
        by_person = weight.reshape(N_PEOPLE, N_VISITS)
        assert (by_person == by_person[:, :1]).all()
        assert by_person[:, 0].sum() == N_PEOPLE
    with pytest.raises(DataError, match="belong to one group: every bootstrap"):
        stability(tw.DecisionTreeClassifier(), X, Y, n_bootstraps=2, groups=np.zeros(len(Y)))


@pytest.mark.parametrize(
    ("learner", "groups", "error", "message"),
    [
        (
            tw.RandomForestClassifier(3, sampling="under"),
            WHO,
            UnsupportedError,
            "sampling='under' draws rows of each class, groups= whole groups, which may have rows"
            " of several.\n  Hint: class_weight='balanced_subsample'",
        ),
        (
            tw.RandomForestClassifier(3),
            np.zeros(len(Y)),
            DataError,
            "all rows (of positive weight) belong to one group: every tree would draw all of them.",
        ),
        (
            tw.ExtraTreesClassifier(3, max_samples=201),
            WHO,
            ParameterError,
            "201 groups cannot be drawn without replacement from 200.",
        ),
        (
            tw.GradientBoostingClassifier(),
            WHO % 3,
            DataError,
            "rows belong to 3 groups, but 5 are the least by which cross-validation can choose the"
            " number of rounds.\n  Hint: n_estimators=100",
        ),
        (
            tw.GradientBoostingClassifier(
                n_estimators=5, early_stopping=True, validation_fraction=0.1
            ),
            WHO % 2,
            ParameterError,
            "validation_fraction=0.1 of 2 groups leaves none to learn from, or none to validate",
        ),
        (
            tw.CARTClassifier(prune=CostComplexity()),
            WHO % 4,
            DataError,
            "4 groups (of positive weight) cannot be dealt to cv=10 folds.",
        ),
        (
            tw.DecisionTreeClassifier(prune=ReducedError()),
            WHO * 0,
            DataError,
            "too few groups (n_samples = 1, of positive weight) to keep",
        ),
        (
            tw.AdaBoostClassifier(LogisticRegression()),
            WHO,
            UnsupportedError,
            "AdaBoostClassifier keeps groups together for trees of Treewright, and"
            " LogisticRegression(...) is none.",
        ),
    ],
)
def test_groups_that_cannot_be_kept_together_are_refused(
    learner: Any, groups: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        learner.fit(X, Y, groups=groups)


@pytest.mark.filterwarnings("ignore::treewright.errors.GroupsWarning")
def test_more_trees_draw_as_the_first_did() -> None:
    forest = tw.RandomForestClassifier(3, warm_start=True).fit(X, Y)
    forest.n_estimators = 5
    with pytest.raises(DataError, match="the trees grown so far have drawn rows one by one"):
        forest.fit(X, Y, groups=WHO)
    grouped = tw.RandomForestClassifier(3, warm_start=True).fit(X, Y, groups=WHO)
    grouped.n_estimators = 5
    assert same_model(
        grouped.fit(X, Y, groups=WHO), tw.RandomForestClassifier(5).fit(X, Y, groups=WHO)
    )


def test_groups_of_a_splitter_reach_the_learner_by_metadata_routing() -> None:
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(tw.RandomForestClassifier(5), {"max_depth": [2]}, cv=GroupKFold(2))
        search.fit(X, Y, groups=WHO)
        refused = tw.RandomForestClassifier(5).set_fit_request(groups=False)
        plain = GridSearchCV(refused, {"max_depth": [2]}, cv=GroupKFold(2)).fit(X, Y, groups=WHO)
    by_group = tw.RandomForestClassifier(5, max_depth=2).fit(X, Y, groups=WHO)
    assert same_model(search.best_estimator_, by_group)
    assert same_model(plain.best_estimator_, tw.RandomForestClassifier(5, max_depth=2).fit(X, Y))


@pytest.mark.parametrize(
    ("learner", "figures"),
    [
        (tw.RandomForestClassifier(3, oob_score=True), "Out-of-bag figures hold"),
        (tw.RandomForestRegressor(50, stop_when_stable=0.1), "Out-of-bag figures hold"),
        (tw.GradientBoostingClassifier(learning_rate=0.5), "The number of rounds is chosen"),
        (
            tw.GradientBoostingClassifier(n_estimators=9, early_stopping=True),
            "The number of rounds is chosen",
        ),
        (tw.CARTClassifier(prune="cost_complexity"), "The size of the tree is chosen"),
        (tw.CARTRegressor(prune="reduced_error"), "The size of the tree is chosen"),
    ],
)
@pytest.mark.filterwarnings("ignore::treewright.errors.SmallDataWarning")
def test_figures_of_rows_that_belong_together_are_warned_of_once(
    learner: Any, figures: str
) -> None:
    with pytest.warns(GroupsWarning, match=f"{figures} for such groups") as found:
        learner.fit(X, Y)
    assert len([each for each in found if each.category is GroupsWarning]) == 1
    learner.fit(X, Y, groups=WHO)  # without one


def test_learners_without_such_figures_do_not_warn() -> None:
    tw.RandomForestClassifier(3).fit(X, Y)
    tw.GradientBoostingClassifier(n_estimators=5).fit(X, Y)
    tw.CARTClassifier(prune=CostComplexity(alpha=1.0)).fit(X, Y)


@pytest.mark.filterwarnings("ignore::treewright.errors.GroupsWarning")
def test_figures_by_group_hold_for_new_groups() -> None:
    """Mean over simulations: 2 points at most by group; by row more than 5."""
    apart: dict[str, list[float]] = {}
    for seed in range(4):
        table, y, who = people(seed)
        new, y_new, _ = people(1000 + seed, 1000)
        for kind, groups in (("row", None), ("group", who)):
            forest = tw.RandomForestClassifier(60, oob_score=True).fit(table, y, groups=groups)
            told = 1 - forest.oob_score_
            apart.setdefault(f"forest by {kind}", []).append(
                np.mean(forest.predict(new) != y_new) - told
            )
            by_size = complexity_table(tw.CARTClassifier(), table, y, groups=groups)
            pruned = tw.CARTClassifier(prune=CostComplexity(cv=10)).fit(table, y, groups=groups)
            told = by_size.cv_error[by_size.best] * min(y.mean(), 1 - y.mean())
            apart.setdefault(f"tree by {kind}", []).append(
                np.mean(pruned.predict(new) != y_new) - told
            )
    means = {name: float(np.mean(each)) for name, each in apart.items()}
    assert abs(means["forest by group"]) < 0.02
    assert abs(means["tree by group"]) < 0.02
    assert means["forest by row"] > 0.05
    assert means["tree by row"] > 0.05


@pytest.mark.filterwarnings("ignore::treewright.errors.GroupsWarning")
def test_rounds_chosen_by_group_predict_new_groups_better() -> None:
    table, y, who = people(2)
    new, y_new, _ = people(1002, 1000)
    losses = {}
    for kind, groups in (("row", None), ("group", who)):
        model = tw.GradientBoostingClassifier().fit(table, y, groups=groups)
        shares = model.predict_proba(new)[np.arange(len(y_new)), y_new]
        losses[kind] = float(-np.log(shares).mean())
        told = model.choice_.best.loss
        assert (abs(losses[kind] - told) < 0.03) == (kind == "group")
    assert losses["group"] < losses["row"] - 0.01
