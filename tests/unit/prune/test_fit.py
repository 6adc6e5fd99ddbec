"""``prune=`` in estimators: names and objects, rows kept back, folds, and scikit-learn's alpha."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from treewright import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    Tree,
    load_example,
)
from treewright.errors import DataError, ParameterError, UnsupportedError
from treewright.grow.fit import fit_tree
from treewright.grow.problem import Problem
from treewright.prune import (
    PRUNERS,
    CostComplexity,
    ErrorBased,
    Pessimistic,
    ReducedError,
    cost_complexity_path,
)
from treewright.prune import fit as learn_pruning
from treewright.prune.record import Pruning

IRIS = load_example("iris")


def record_of(model: Any) -> Pruning:
    record: Pruning | None = model.tree_.pruning
    assert record is not None
    return record


def noisy(n_rows: int = 300, seed: int = 0) -> tuple[Any, Any]:
    """Three classes that depend on the first column, and much noise."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_rows, 5))
    X[:, 4] = np.arange(n_rows)  # tells a row
    y = np.digitize(X[:, 0] + generator.normal(size=n_rows), [-0.8, 0.8])
    return X, np.array(["low", "middle", "high"])[y]


@pytest.mark.parametrize("name", [made.name for made in PRUNERS])
def test_a_name_prunes_with_the_usual_settings(name: str) -> None:
    model = DecisionTreeClassifier(prune=name).fit(IRIS.X, IRIS.y)
    assert record_of(model).method == name
    assert record_of(model).tree.n_leaves >= model.get_n_leaves()


def test_a_pruner_prunes_as_on_the_grown_tree() -> None:
    grown = DecisionTreeClassifier().fit(IRIS.X, IRIS.y).tree_
    for pruner in (CostComplexity(alpha=0.01), Pessimistic(), ErrorBased(confidence=0.1)):
        model = DecisionTreeClassifier(prune=pruner).fit(IRIS.X, IRIS.y)
        assert model.tree_.arrays.equals(pruner.prune(grown).arrays)


@pytest.mark.parametrize(
    "estimator",
    [ID3Classifier, CARTClassifier, DecisionTreeClassifier],
    ids=lambda made: made.__name__,
)
def test_every_classifier_with_the_parameter_prunes(estimator: Any) -> None:
    X, y = noisy()
    pruned = estimator(prune="pessimistic").fit(X, y)
    assert pruned.get_n_leaves() < estimator().fit(X, y).get_n_leaves()


@pytest.mark.parametrize("estimator", [CARTRegressor, DecisionTreeRegressor])
def test_regressors_prune(estimator: Any) -> None:
    X, _ = noisy()
    y = X[:, 0] + np.random.default_rng(1).normal(size=len(X))
    grown = estimator().fit(X, y).get_n_leaves()
    for prune in ("cost_complexity", "reduced_error", CostComplexity(rule="1-SE")):
        assert estimator(prune=prune).fit(X, y).get_n_leaves() < grown
    with pytest.raises(UnsupportedError, match="Pessimistic judges classes"):
        estimator(prune="pessimistic").fit(X, y)


@pytest.mark.parametrize("bad", ["pessimist", 3, True, ReducedError, [Pessimistic()]])
def test_what_is_no_pruner_is_refused(bad: Any) -> None:
    with pytest.raises(ParameterError, match=r"must be a pruner of treewright\.prune or one of"):
        DecisionTreeClassifier(prune=bad).fit(IRIS.X, IRIS.y)


def test_the_parameters_of_a_pruner_are_checked_before_growing() -> None:
    with pytest.raises(ParameterError, match=r"fraction=2 must be above 0 and below 1\."):
        DecisionTreeClassifier(prune=ReducedError(fraction=2)).fit(None, None)


def test_two_ways_to_prune_are_one_too_many() -> None:
    model = DecisionTreeClassifier(prune="pessimistic", ccp_alpha=0.1)
    with pytest.raises(ParameterError) as caught:
        model.fit(IRIS.X, IRIS.y)
    assert str(caught.value) == (
        "prune='pessimistic' and ccp_alpha=0.1 are two ways to prune.\n"
        "  Hint: prune=CostComplexity(alpha=..., on='impurity') is what ccp_alpha does."
    )


@pytest.mark.parametrize("bad", [-0.1, "0.1", None, float("inf"), True])
def test_a_penalty_is_a_number(bad: Any) -> None:
    with pytest.raises(
        ParameterError, match=r"ccp_alpha=.* must be (a number|(a finite number )?at least 0)\."
    ):
        DecisionTreeClassifier(ccp_alpha=bad).fit(IRIS.X, IRIS.y)


def test_no_penalty_leaves_the_tree_as_it_was_grown() -> None:
    assert DecisionTreeClassifier(ccp_alpha=0.0).fit(IRIS.X, IRIS.y).tree_.pruning is None
    assert DecisionTreeClassifier(ccp_alpha=0.05).fit(IRIS.X, IRIS.y).get_n_leaves() < 9


def test_pruners_are_parameters_like_any_other() -> None:
    model = DecisionTreeClassifier(prune=ReducedError(fraction=0.2))
    assert clone(model).prune == ReducedError(fraction=0.2)
    assert "ReducedError" in repr(model)
    choices = {"prune": [None, "pessimistic", CostComplexity(alpha=0.01)]}
    search = GridSearchCV(DecisionTreeClassifier(), choices, cv=3).fit(IRIS.X, IRIS.y)
    assert search.best_score_ > 0.9


# Rows kept back


@pytest.fixture
def grown(monkeypatch: pytest.MonkeyPatch) -> list[Problem]:
    """The problems that trees are grown from, in turn."""
    seen: list[Problem] = []

    def watched(problem: Problem, **options: Any) -> Tree:
        seen.append(problem)
        return fit_tree(problem, **options)

    monkeypatch.setattr(learn_pruning, "fit_tree", watched)
    return seen


def rows_of(problem: Problem) -> list[int]:
    rows: list[int] = np.asarray(problem.table.columns[4]).astype(int).tolist()
    return rows


@pytest.mark.parametrize("fraction", [0.1, 1 / 3, 0.5])
def test_every_class_gives_its_share_of_validation_rows(
    fraction: float, grown: list[Problem]
) -> None:
    X, y = noisy()
    DecisionTreeClassifier(prune=ReducedError(fraction=fraction)).fit(X, y)
    held = np.setdiff1d(np.arange(300), rows_of(grown[0]))
    assert len(grown) == 1
    assert len(held) == int(300 * fraction)
    for label in np.unique(y):
        n_rows = int((y == label).sum())
        assert abs((y[held] == label).sum() - n_rows * fraction) <= 1


def test_the_seed_chooses_the_rows(grown: list[Problem]) -> None:
    X, y = noisy()
    for seed in (0, 0, 1):
        DecisionTreeClassifier(prune=ReducedError(random_state=seed)).fit(X, y)
    first, again, other = map(rows_of, grown)
    assert first == again != other


def test_the_tree_is_pruned_by_the_rows_kept_back(grown: list[Problem]) -> None:
    X, y = noisy()
    model = DecisionTreeClassifier(prune=ReducedError()).fit(X, y)
    kept = np.array(rows_of(grown[0]))
    held = np.setdiff1d(np.arange(300), kept)
    whole = DecisionTreeClassifier().fit(X[kept], y[kept]).tree_
    assert model.tree_.arrays.equals(ReducedError().prune(whole, X[held], y[held]).arrays)
    curve = record_of(model).curve
    assert curve.errors["validation"][-1] == pytest.approx(
        (model.predict(X[held]) != y[held]).mean()
    )
    assert curve.errors["validation"][-1] <= curve.errors["validation"][0]


def test_rows_of_numbers_are_spread_over_their_range(grown: list[Problem]) -> None:
    X, _ = noisy()
    y = X[:, 0] ** 3
    DecisionTreeRegressor(prune=ReducedError(fraction=0.25)).fit(X, y)
    held = np.setdiff1d(np.arange(300), rows_of(grown[0]))
    rank = np.sort(np.argsort(np.argsort(y))[held])
    assert len(held) == 75
    assert np.all(np.diff(rank) <= 8)


def test_rows_without_weight_are_not_kept_back(grown: list[Problem]) -> None:
    X, y = noisy(60)
    weight = np.zeros(60)
    weight[:12] = 1.0
    DecisionTreeClassifier(prune=ReducedError()).fit(X, y, weight)
    held = np.setdiff1d(np.arange(60), rows_of(grown[0]))
    assert len(held) == 4
    assert held.max() < 12


def test_too_few_rows_to_keep_any_back() -> None:
    model = DecisionTreeClassifier(prune=ReducedError(fraction=0.1))
    with pytest.raises(DataError) as caught:
        model.fit([[1.0], [2.0], [3.0]], ["a", "b", "a"])
    assert str(caught.value) == (
        "too few rows (n_samples = 3, of positive weight) to keep 10% of them back for pruning.\n"
        "  Hint: another fraction, or a pruner that needs no validation rows."
    )
    assert not hasattr(model, "tree_")


# Folds


def test_folds_have_every_class_and_every_row_once(grown: list[Problem]) -> None:
    X, y = noisy()
    DecisionTreeClassifier(prune=CostComplexity(cv=7)).fit(X, y)
    assert len(grown) == 1 + 7
    held = [np.setdiff1d(np.arange(300), rows_of(problem)) for problem in grown[1:]]
    assert sorted(np.concatenate(held).tolist()) == list(range(300))
    for label in np.unique(y):
        counts = [int((y[rows] == label).sum()) for rows in held]
        assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("on", ["errors", "impurity"])
@pytest.mark.parametrize("rule", ["min", "1-SE"])
@pytest.mark.parametrize("seed", [0, 1])
def test_folds_choose_the_penalty(rule: str, on: str, seed: int, grown: list[Problem]) -> None:
    X, y = noisy(200, seed)
    model = DecisionTreeClassifier(prune=CostComplexity(rule=rule, on=on, cv=5)).fit(X, y)
    folds = grown[1:]
    whole = DecisionTreeClassifier().fit(X, y).tree_
    path = cost_complexity_path(whole, on=on)
    wrong = np.zeros((len(path), len(y)))
    for problem in folds:
        inside = np.array(rows_of(problem))
        outside = np.setdiff1d(np.arange(len(y)), inside)
        part = cost_complexity_path(DecisionTreeClassifier().fit(X[inside], y[inside]).tree_, on=on)
        for place, alpha in enumerate(path.typical_alphas.tolist()):
            wrong[place, outside] = part.at(alpha).predict(X[outside]) != y[outside]
    rates = wrong.mean(axis=1)
    best = max(np.flatnonzero(rates == rates.min()))
    bound = rates[best]
    if rule == "1-SE":
        bound += np.sqrt(rates[best] * (1 - rates[best]) / len(y))
    chosen = max(np.flatnonzero(rates <= bound))
    assert model.get_n_leaves() == path.n_leaves[chosen]
    assert 1 <= model.get_n_leaves() < whole.n_leaves


def test_one_standard_error_gives_no_larger_tree() -> None:
    X, y = noisy()
    least = CARTClassifier(prune=CostComplexity()).fit(X, y).get_n_leaves()
    assert CARTClassifier(prune=CostComplexity(rule="1-SE")).fit(X, y).get_n_leaves() <= least


def test_of_pure_noise_a_root_is_left() -> None:
    generator = np.random.default_rng(5)
    X = generator.normal(size=(200, 4))
    y = np.repeat(["a", "b"], [120, 80])
    model = DecisionTreeClassifier(prune=CostComplexity(rule="1-SE")).fit(X, y)
    assert model.get_n_leaves() == 1


def test_too_few_rows_for_the_folds() -> None:
    with pytest.raises(DataError) as caught:
        DecisionTreeClassifier(prune="cost_complexity").fit([[1.0], [2.0], [3.0]], ["a", "b", "a"])
    assert str(caught.value) == (
        "3 rows (of positive weight) cannot be dealt to cv=10 folds.\n"
        "  Hint: fewer folds, or CostComplexity(alpha=...)."
    )


def test_a_tree_of_one_leaf_needs_no_folds() -> None:
    model = DecisionTreeClassifier(prune="cost_complexity").fit([[1.0], [2.0]], ["a", "a"])
    assert model.get_n_leaves() == 1


def test_weights_count_in_folds() -> None:
    X, y = noisy(150)
    y = np.where(y == "low", "low", "other")
    weight = np.where(y == "low", 1e-9, 1.0)
    model = DecisionTreeClassifier(prune="cost_complexity").fit(X, y, weight)
    assert model.tree_.predict(X).tolist() == ["other"] * 150


# C4.5


def test_c45_prunes_by_its_estimated_errors() -> None:
    X, y = noisy()
    grown = C45Classifier(confidence=None, collapse=False).fit(X, y).tree_
    assert grown.pruning is None
    for confidence in (0.1, 0.25):
        model = C45Classifier(confidence=confidence).fit(X, y)
        assert model.tree_.arrays.equals(ErrorBased(confidence=confidence).prune(grown).arrays)


def test_c45_collapses_whether_it_prunes_or_not() -> None:
    X, y = noisy()
    collapsed = C45Classifier(confidence=None).fit(X, y)
    assert record_of(collapsed).method == "error_based"
    assert (
        collapsed.get_n_leaves()
        <= C45Classifier(confidence=None, collapse=False).fit(X, y).get_n_leaves()
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"confidence": 0}, "confidence=0 must be above 0 and below 1, or None."),
        ({"confidence": "quarter"}, "confidence='quarter' must be a number or None."),
        ({"confidence": 1.5}, "confidence=1.5 must be above 0 and below 1, or None."),
        ({"raising": None}, "raising=None must be True or False."),
        ({"collapse": "no"}, "collapse='no' must be True or False."),
        ({"single_precision": 1}, "single_precision=1 must be True or False."),
        ({"variant": "c50"}, "variant='c50' must be one of 'release8', 'j48', 'c5'.\n"),
    ],
    ids=str,
)
def test_parameters_of_c45_are_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        C45Classifier(**parameters).fit(IRIS.X, IRIS.y)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("parameters", [{"raising": 1, "confidence": None, "collapse": False}])
def test_parameters_that_have_no_effect_are_checked_too(parameters: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="raising=1 must be True or False"):
        C45Classifier(**parameters).fit(IRIS.X, IRIS.y)
