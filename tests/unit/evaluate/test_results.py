"""Cross-validation, holdout and comparison: figures that hold, told so that they can be read."""

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier as TheirTree

from treewright import (
    C45RulesClassifier,
    CARTClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    ID3Classifier,
    M5Regressor,
    load_example,
)
from treewright.errors import DataError, ParameterError, TestReuseWarning, UnsupportedError
from treewright.evaluate import compare, confusion, cross_validate, holdout, judge, scores

IRIS, LOANS, DIABETES = (load_example(name) for name in ("iris", "loans", "diabetes"))


@pytest.fixture(scope="module")
def results() -> list[Any]:
    few = LOANS.X.rows(np.arange(300)), LOANS.y[:300]
    learners = {"tree": DecisionTreeClassifier(), "cart": CARTClassifier(), "x": "repaid"}
    parts = holdout(*few, validation=0.2)
    return [
        cross_validate(CARTClassifier(), *few, cv=3),
        cross_validate(M5Regressor(), DIABETES.X, DIABETES.y, cv=3),
        compare(learners, *few, cv=3),
        compare([DecisionTreeRegressor(), 100.0], DIABETES.X, DIABETES.y, cv=3),
        parts.validate(CARTClassifier()),
        judge(CARTClassifier().fit(*few), LOANS.X, LOANS.y),
        confusion(np.arange(40) % 20, np.arange(40) // 2),
        scores([1.5, 2.5], [1.0, 3.0]),
    ]


@pytest.mark.parametrize("number", range(8))
def test_a_result_fits_into_80_columns_and_draws_itself(results: list[Any], number: int) -> None:
    result = results[number]
    assert max(map(len, str(result).splitlines())) <= 80
    ET.fromstring(result.draw().svg(theme="light"))
    ET.fromstring(result.draw().svg(width=368))
    assert "<svg" in result._repr_html_()
    assert len(result.to_frame()) > 0
    assert result.to_dict()


def test_the_figures_of_a_metric_have_the_same_decimals(results: list[Any]) -> None:
    lines = str(results[1]).splitlines()
    (line,) = (each.split() for each in lines if each.startswith("RMSE  "))
    numbers = [text for text in line if text not in ("RMSE", "to")]
    assert len({len(text.partition(".")[2]) for text in numbers}) == 1


def test_folds_are_those_of_scikit_learn() -> None:
    found = cross_validate(TheirTree(random_state=0), IRIS.X.to_pandas(), IRIS.y, cv=5)
    theirs = cross_val_score(
        TheirTree(random_state=0),
        IRIS.X.to_pandas(),
        IRIS.y,
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
    )
    np.testing.assert_allclose(found.values["error"], 1 - theirs)
    assert found.mean() == pytest.approx(1 - theirs.mean())
    assert found.sd() == pytest.approx(theirs.std(ddof=1))


def test_the_last_fit_is_to_all_rows() -> None:
    tennis = load_example("play_tennis")
    found = cross_validate(ID3Classifier(), tennis.X, tennis.y, cv="leave_one_out")
    assert found.model.tree_.n_leaves == 5
    assert found["error"].value == pytest.approx(3 / 14)
    assert "always 'Yes'" in str(found)
    assert found.training is not None
    assert found.training.is_right.all()
    assert cross_validate(ID3Classifier(), tennis.X, tennis.y, cv=2, refit=False).model is None


def test_repeats_do_not_narrow_the_interval() -> None:
    once = cross_validate(CARTClassifier(), LOANS.X, LOANS.y, cv=5, metrics="error")
    often = cross_validate(CARTClassifier(), LOANS.X, LOANS.y, cv=5, repeats=4, metrics="error")
    widths = [each["error"].high - each["error"].low for each in (once, often)]
    assert widths[1] > 0.8 * widths[0]
    assert len(often.scores.answers) == 4 * len(once.scores.answers)


def test_groups_widen_the_interval_and_are_never_divided() -> None:
    people = np.repeat(np.arange(200), 10)
    rng = np.random.default_rng(0)
    X = rng.normal(scale=0.1, size=(2000, 3)) + rng.normal(size=(200, 3))[people]
    y = rng.integers(0, 2, 200)[people]
    known = cross_validate(DecisionTreeClassifier(), X, y, cv=5, metrics="error")
    new = cross_validate(DecisionTreeClassifier(), X, y, cv=5, metrics="error", groups=people)
    assert known["error"].value < 0.4 < new["error"].value
    assert new["error"].high - new["error"].low > 1.5 * (known["error"].high - known["error"].low)


def test_labels_without_meaning_score_as_a_constant_does() -> None:
    rng = np.random.default_rng(1)
    y = rng.permutation(LOANS.y)
    found = cross_validate(GradientBoostingClassifier(), LOANS.X, y, cv=5)
    baseline = found.metric.value(found.scores.baseline)
    assert found["error"].value >= baseline - 0.005
    assert 0.45 < found["auc"].value < 0.55


def test_a_comparison_is_paired_and_its_intervals_agree_with_its_p_values() -> None:
    learners = {
        "tree": DecisionTreeClassifier(min_samples_leaf=5),
        "boosting": GradientBoostingClassifier(n_estimators=50),
        "deep": DecisionTreeClassifier(),
        "constant": "repaid",
    }
    found = compare(learners, LOANS.X, LOANS.y)
    for name, each in zip(found.names, found.differences, strict=True):
        if each is None:
            assert name == "tree"
            continue
        values = np.array(found[name].values["error"]) - found["tree"].values["error"]
        np.testing.assert_allclose(each.values, values)
        assert (each.p_value <= 0.05) == (0 not in each.interval)
        assert each.p_value >= each.test.p_value - 0.01
    assert found.best == "boosting"
    assert "boosting is better than tree" in found.verdict
    against = compare(learners, LOANS.X, LOANS.y, reference="constant")
    assert against.differences[3] is None
    assert "better than constant" in against.verdict


@pytest.mark.parametrize("test", ["corrected_t", "paired_t", "5x2cv", "mcnemar"])
def test_every_test_gives_a_verdict(test: Any) -> None:
    learners = {"tree": CARTClassifier(), "constant": "setosa"}
    found = compare(learners, IRIS.X, IRIS.y, test=test)
    assert found.p_values["constant"] < 0.05
    assert found.verdict == "constant is worse than tree on data like these."
    assert len(found.folds) == 10


def test_equal_learners_differ_by_nothing() -> None:
    found = compare([CARTClassifier(), CARTClassifier()], IRIS.X, IRIS.y)
    assert found.p_values == {"CARTClassifier 2": 1.0}
    assert "do not decide" in found.verdict


def test_the_same_difference_on_every_part_decides_nothing() -> None:
    X, y = np.array([[0.0], [1.0]] * 10), np.array(["a", "b"] * 10)
    found = compare([DecisionTreeClassifier(), "a"], X, y, cv=5, metrics="accuracy")
    assert set(found.differences[1].values) == {-0.5}  # type: ignore[union-attr]
    assert found.p_values == {"always 'a'": 1.0}
    assert "no spread" in str(found)
    assert "do not decide" in found.verdict


def test_a_class_that_no_row_has_is_a_failure_of_the_learner_that_answers_it() -> None:
    found = compare([CARTClassifier(), "rose"], IRIS.X, IRIS.y, cv=3)
    assert "'rose' is none of the classes" in found.failures["always 'rose'"]
    assert "Nothing can be concluded" in found.verdict


def test_a_fitted_model_answers_as_it_is_and_that_is_said() -> None:
    tree = CARTClassifier().fit(IRIS.X, IRIS.y).tree_
    rules = C45RulesClassifier().fit(IRIS.X, IRIS.y).ruleset_
    found = compare({"cart": CARTClassifier(), "tree": tree, "rules": rules}, IRIS.X, IRIS.y)
    assert found["tree"]["error"].value == np.mean(tree.predict(IRIS.X) != IRIS.y)
    assert found["rules"]["error"].value == np.mean(rules.predict(IRIS.X) != IRIS.y)
    assert "tree was given as it is: it may have seen these rows" in str(found)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"reference": "tre"}, ParameterError, "did you mean 'tree'"),
        ({"test": "t"}, ParameterError, "test='t' must be one of"),
        ({"test": "5x2cv", "cv": 3}, UnsupportedError, "divides rows itself"),
        ({"test": "mcnemar", "metrics": "auc"}, UnsupportedError, "right and wrong answers"),
    ],
)
def test_a_comparison_that_makes_no_sense_is_refused(
    given: dict[str, Any], error: type, words: str
) -> None:
    learners = {"tree": CARTClassifier(), "constant": "setosa"}
    with pytest.raises(error, match=words):
        compare(learners, IRIS.X, IRIS.y, **given)


def test_one_learner_is_no_comparison() -> None:
    with pytest.raises(ParameterError, match="cross_validate is for one"):
        compare([CARTClassifier()], IRIS.X, IRIS.y)


def test_long_names_still_fit() -> None:
    names = {"a pipeline with a very long name " * 3 + str(i): CARTClassifier() for i in range(3)}
    text = str(compare(names, IRIS.X, IRIS.y, cv=3))
    table = text.split("\n\n")[1].splitlines()[:4]
    assert max(map(len, table)) <= 80
    assert len({line.split("  ")[0] for line in table}) == 4


def test_the_parts_of_a_holdout_are_disjoint_and_stratified() -> None:
    parts = holdout(LOANS.X, LOANS.y, validation=0.15, test=0.25)
    sizes = [len(each) for each in (parts.train, parts.validation, parts.test)]
    assert sizes == [1200, 300, 500]
    every = np.concatenate([parts.train, parts.validation, parts.test])
    assert sorted(every.tolist()) == list(range(2000))
    for rows in (parts.train, parts.validation, parts.test):
        assert (LOANS.y[rows] == "repaid").mean() == pytest.approx(0.84, abs=0.005)
    X, y = parts.part("validation")
    assert len(X) == len(y) == 300


def test_a_holdout_keeps_groups_together_and_time_in_order() -> None:
    people = np.repeat(np.arange(100), 20)
    parts = holdout(LOANS.X, LOANS.y, validation=0.2, groups=people)
    sides = [set(people[each]) for each in (parts.train, parts.validation, parts.test)]
    assert sum(map(len, sides)) == len(set.union(*sides)) == 100
    when = np.arange(2000)[::-1]
    parts = holdout(LOANS.X, LOANS.y, validation=0.2, time=when)
    assert when[parts.train].max() < when[parts.validation].min()
    assert when[parts.validation].max() < when[parts.test].min()


def test_a_test_part_that_is_asked_twice_says_so() -> None:
    parts = holdout(IRIS.X, IRIS.y, validation=0.2)
    for _ in range(3):
        assert parts.validate(CARTClassifier()).notes == ()
    assert parts.judge(CARTClassifier()).notes == ()
    assert "asked once" in str(parts)
    with pytest.warns(TestReuseWarning, match="asked 2 times"):
        again = parts.judge(DecisionTreeClassifier())
    assert "the test part was asked 2 times" in str(again)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"test": 0.6, "validation": 0.4}, ParameterError, "leave no rows to learn from"),
        ({"test": 0.0}, ParameterError, "test=0.0 must be"),
        ({"groups": [1] * 150}, DataError, "one group"),
        ({"time": [1, 2]}, DataError, "time has 2 entries"),
        ({"task": "both"}, ParameterError, "task='both'"),
    ],
)
def test_parts_that_cannot_be_are_refused(given: dict[str, Any], error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        holdout(IRIS.X, IRIS.y, **given)
    with pytest.raises(ParameterError, match="no validation part"):
        holdout(IRIS.X, IRIS.y).validate(CARTClassifier())


def test_a_class_with_one_row_can_be_held_out() -> None:
    y = np.array(["a"] * 9 + ["b"])
    parts = holdout(np.zeros((10, 1)), y)
    assert len(parts.test) == 2
    found = cross_validate(CARTClassifier(), np.arange(10.0).reshape(-1, 1), y, cv=3)
    assert "class 'b' has 1 rows, fewer than 3 folds" in str(found)


def test_with_costs_the_best_constant_is_the_class_that_costs_least() -> None:
    costs = {"late": {"repaid": 9}, "default": {"late": 0, "repaid": 9}}
    learner = CARTClassifier(max_depth=2)
    parts = holdout(LOANS.X, LOANS.y, cost_matrix=costs).judge(learner)
    folds = cross_validate(learner, LOANS.X, LOANS.y, cv=3, cost_matrix=costs, refit=False).scores
    for found in (parts, folds):
        assert found.baseline_text == "always 'late'"
        least = min(
            scores(found.answers.actual, [each] * len(found.answers), cost_matrix=costs)[
                "mean_cost"
            ].value
            for each in ("default", "late", "repaid")
        )
        assert found.metric.value(found.baseline) == pytest.approx(least)
