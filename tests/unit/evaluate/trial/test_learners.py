"""Anything can be judged, under a name of its own, with what it takes and no more."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from sklearn import config_context
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from treewright import CARTClassifier, DecisionTreeClassifier, RandomForestClassifier, load_example
from treewright.errors import DataError, ParameterError
from treewright.evaluate import CrossValidation, compare, cross_validate
from treewright.evaluate.trial import learners, task_data
from treewright.evaluate.trial.answers import code_classes
from treewright.evaluate.trial.learners import learners_of, task_of
from treewright.evaluate.trial.task_data import read_task_data, take_rows


def test_equal_names_are_told_apart_by_parameters_then_by_numbers() -> None:
    given = [CARTClassifier(), CARTClassifier(max_depth=2), CARTClassifier()]
    names = [each.name for each in learners_of(given)]
    assert names == ["CARTClassifier", "CARTClassifier(max_depth=2)", "CARTClassifier 2"]


def test_names_are_given_by_a_mapping_or_by_pairs() -> None:
    assert [each.name for each in learners_of({"a": CARTClassifier()})] == ["a"]
    assert [each.name for each in learners_of([("a", CARTClassifier()), "yes"])] == [
        "a",
        "always 'yes'",
    ]


def test_a_class_instead_of_an_instance_is_answered_with_the_call() -> None:
    with pytest.raises(ParameterError, match=r"Hint: CARTClassifier\(\)"):
        learners_of([CARTClassifier])


@pytest.mark.parametrize("given", [[], [None], [object()]])
def test_what_cannot_be_judged_is_refused(given: object) -> None:
    with pytest.raises(ParameterError):
        learners_of(given)


def test_the_learners_say_what_is_predicted() -> None:
    y = np.array([0.0, 1.0, 1.0])
    assert task_of(learners_of([CARTClassifier()]), y) == "classes"
    assert task_of(learners_of([1.0]), y) == "numbers"
    assert task_of(learners_of(["a"]), np.array(["a", "b"])) == "classes"


def test_weights_reach_a_learner_and_the_last_step_of_a_pipeline() -> None:
    X = np.arange(40.0).reshape(-1, 1) % 7
    y = np.array([0, 1] * 20)
    weight = np.where(y == 1, 100.0, 1.0)
    for learner in (SGDClassifier(), make_pipeline(StandardScaler(), LogisticRegression())):
        found = cross_validate(learner, X, y, sample_weight=weight, metrics="recall", cv=4)
        assert found["recall"].value == 1.0, learner


def test_a_learner_that_takes_no_weights_is_refused_by_name() -> None:
    X, y = np.arange(20.0).reshape(-1, 1), np.array([0, 1] * 10)
    with pytest.raises(ParameterError, match="KNeighborsClassifier takes no weights"):
        cross_validate(KNeighborsClassifier(), X, y, sample_weight=np.ones(20), cv=2)


def test_a_learner_without_probabilities_has_the_metrics_that_need_none() -> None:
    iris = load_example("iris")
    found = cross_validate(LinearSVC(), iris.X.to_pandas(), iris.y, cv=3)
    assert [each.name for each in found.scores.metrics] == ["error", "balanced_accuracy"]
    assert "gives no probabilities: without AUC, log loss, Brier score" in str(found)


def test_a_learner_that_draws_without_a_seed_repeats() -> None:
    iris = load_example("iris")
    learner = DecisionTreeClassifier(splitter="random")
    one, two = (cross_validate(learner, iris.X, iris.y, cv=5) for _ in range(2))
    assert one.values == two.values
    assert learner.random_state is None
    other = cross_validate(learner, iris.X, iris.y, cv=5, random_state=7)
    assert one.values != other.values


def test_probabilities_of_a_class_that_a_fold_lacks_are_zero() -> None:
    X = np.arange(12.0).reshape(-1, 1)
    y = np.array(["a"] * 6 + ["b"] * 5 + ["c"])
    found = cross_validate(DummyClassifier(strategy="prior"), X, y, cv=2)
    answers = found.scores.answers
    assert answers.probabilities is not None
    assert answers.probabilities.shape == (12, 3)
    np.testing.assert_allclose(answers.probabilities.sum(axis=1), 1.0)
    assert "class 'c' has 1 rows, fewer than 2 folds" in str(found)


def test_rows_are_taken_from_tables_of_every_kind() -> None:
    columns = {"a": [1, 2, 3, 4], "b": ["x", "y", "x", "y"]}
    rows = np.array([3, 0])
    assert take_rows(pd.DataFrame(columns), rows)["a"].tolist() == [4, 1]
    assert take_rows(pl.DataFrame(columns), rows)["a"].to_list() == [4, 1]
    assert take_rows(pa.table(columns), rows)["a"].to_pylist() == [4, 1]
    assert take_rows(columns, rows)["a"].tolist() == [4, 1]
    assert take_rows([[1], [2], [3], [4]], rows) == [[4], [1]]
    assert take_rows([{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}], rows) == [{"a": 4}, {"a": 1}]
    assert take_rows(csr_matrix(np.eye(4)), rows).toarray().argmax(axis=1).tolist() == [3, 0]
    assert take_rows(load_example("play_tennis").X, rows)["Outlook"].tolist() == ["Rain", "Sunny"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sample_weight": [1.0]}, r"sample_weight has shape \(1,\); 3 rows need 3"),
        ({"sample_weight": [1.0, -1.0, 1.0]}, "sample_weight is -1.0 in row 1"),
        ({"sample_weight": [0.0, 0.0, 0.0]}, "sample_weight is zero in every row"),
        ({"groups": "patient"}, r"Hint: groups=X\['patient'\]"),
        ({"groups": [1, 2]}, "3 rows need 3 entries"),
        ({"positive": "maybe"}, "positive='maybe' is none of the classes"),
        ({"cost_matrix": [[0, 1]]}, "cost_matrix must have 2 rows"),
    ],
)
def test_what_belongs_to_the_rows_is_checked(given: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_task_data(  # type: ignore[arg-type]
            [[1], [2], [3]], ["no", "yes", "no"], task="classes", owner="compare", **given
        )


def test_rows_and_targets_must_be_equally_many() -> None:
    with pytest.raises(ValueError, match="X has 3 rows and y has 2"):
        read_task_data([[1], [2], [3]], ["no", "yes"], task="classes", owner="compare")


def test_the_rows_of_a_fold_are_taken_once_for_all_learners_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    iris = load_example("iris")
    taken: list[int] = []
    real = take_rows

    def counted(X: object, rows: np.ndarray) -> object:
        taken.append(len(rows))
        return real(X, rows)

    monkeypatch.setattr(task_data, "take_rows", counted)
    given = [CARTClassifier(), CARTClassifier(max_depth=1), DecisionTreeClassifier(), "setosa"]
    compare(given, iris.X, iris.y, cv=5)
    assert taken == [120, 30] * 5


def test_the_constant_beside_a_comparison_is_found_once_for_a_fold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    iris = load_example("iris")
    module = sys.modules[CrossValidation.__module__]
    parts: list[int] = []
    real = module.constant_answers

    def counted(data: object, folds: object, part: int) -> object:
        parts.append(part)
        return real(data, folds, part)

    monkeypatch.setattr(module, "constant_answers", counted)
    found = compare([CARTClassifier(), "setosa"], iris.X, iris.y, cv=5)
    assert parts == [0, 1, 2, 3, 4]
    baselines = [each.scores.baseline for each in found.results if each is not None]
    assert all(each is not None and set(each.predicted) == {"setosa"} for each in baselines)


def test_a_learner_is_copied_without_looking_at_it_where_its_parameters_cannot_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cloned: list[str] = []
    real = learners.clone

    def counted(model: object, **options: bool) -> object:
        cloned.append(type(model).__name__)
        return real(model, **options)

    monkeypatch.setattr(learners, "clone", counted)
    X, y = np.arange(40.0).reshape(-1, 1), np.array(["a", "b"]).repeat(20)
    plain, changing = DecisionTreeClassifier(max_depth=2), RandomForestClassifier(3)
    changing.set_params(class_weight={"a": 2.0})
    fitted = CARTClassifier().fit(X, y)
    with config_context(enable_metadata_routing=True):
        routed = CARTClassifier().set_fit_request(sample_weight=True)
    cross_validate(plain, X, y, cv=2, refit=False)
    assert cloned == []
    for learner in (changing, fitted, routed, LogisticRegression(C=0.1, max_iter=1000)):
        cloned.clear()
        cross_validate(learner, X, y, cv=2, refit=False)
        assert cloned == [type(learner).__name__] * 2
    (kept,) = learners_of([plain])
    assert kept._copy().get_params() == plain.get_params()
    assert vars(plain).keys() == plain.get_params().keys()  # it was not fitted itself


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        (np.array(["b", "a", "b"]), ("a", "b")),
        (np.array(["b", "a", "b"], dtype=object), ("a", "b")),
        (np.array([2, 1, 2]), (1, 2)),
        (np.array([2.0, 1.0, 2.0]), (1, 2)),
        (np.array([True, False, True]), (False, True)),
        (np.array([1, 0, 1]), (False, True)),
        (np.array([2, 1, 2]), (1.0, 2.0)),
        (np.array([f"c{i}" for i in (1, 0, 1)]), tuple(f"c{i}" for i in range(40))),
    ],
)
def test_classes_are_coded_as_equal_values_are(values: np.ndarray, classes: tuple) -> None:
    assert code_classes(values, classes).tolist() == [1, 0, 1]


@pytest.mark.parametrize("values", [np.array([2, 7]), np.array([2.0, 7.0])])
def test_a_number_that_is_none_of_the_classes_is_told(values: np.ndarray) -> None:
    with pytest.raises(DataError, match=r"^7(\.0)? is none of the classes 1, 2"):
        code_classes(values, (1, 2))


def test_a_class_that_is_none_is_told_by_name_among_texts() -> None:
    with pytest.raises(DataError, match=r"'c' is none of the classes 'a', 'b'"):
        code_classes(np.array(["a", "c", "b"]), ("a", "b"))
