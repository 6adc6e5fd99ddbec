"""Learners over several tables: figures are those of cross-validation, tests those of Demsar."""

import os
import signal
import threading
import time
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin

from treewright import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, load_example
from treewright.errors import DataError, ParameterError
from treewright.evaluate import compare_on_tables, cross_validate
from treewright.evaluate.significance import adjusted

IRIS, WINE, LOANS = (load_example(name) for name in ("iris", "wine", "loans"))
LEARNERS = {
    "tree": DecisionTreeClassifier(),
    "c45": C45Classifier(),
    "stump": DecisionTreeClassifier(max_depth=1),
}


def drawn(seed: int, n_rows: int = 90, noise: float = 0.1) -> tuple[Any, Any]:
    """A chequered table that a tree learns and a stump does not."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 2))
    y = ((X[:, 0] > 0.5) != (X[:, 1] > 0.5)) ^ (rng.uniform(size=n_rows) < noise)
    return X, y.astype(int)


class Picky(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learns from tables of two columns alone."""

    def fit(self, X: Any, y: Any) -> "Picky":
        if getattr(X, "shape", (0, 0))[1] != 2:
            raise RuntimeError("two columns, please")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


def test_figures_are_those_of_cross_validation() -> None:
    found = compare_on_tables(LEARNERS, {"a": (IRIS.X, IRIS.y), "b": WINE}, cv=4, random_state=3)
    for table, example in zip(found.tables, (IRIS, WINE), strict=True):
        for name, value in zip(found.names, table.values, strict=True):
            alone = cross_validate(LEARNERS[name], example.X, example.y, cv=4, random_state=3)
            assert value == alone["error"].value
    assert len(found.to_frame()) == 6


def test_tests_are_those_of_scipy_adjusted_by_holm() -> None:
    tables = {str(seed): drawn(seed) for seed in range(9)}
    found = compare_on_tables(LEARNERS, tables, cv=3, reference="stump")
    alone = [
        stats.wilcoxon(found.values[:, i] - found.values[:, 2], zero_method="zsplit").pvalue
        for i in (0, 1)
    ]
    assert list(found.p_values.values()) == pytest.approx(adjusted(alone).tolist())
    assert found.friedman is not None
    theirs = stats.friedmanchisquare(*found.values.T)
    assert found.friedman.chi2.statistic == pytest.approx(theirs.statistic)
    assert found.p_values["tree"] < 0.05
    assert "tree and c45 are better than stump on tables like these." in found.verdict or (
        "tree is better than stump on tables like these." in found.verdict
    )
    assert found.best in ("tree", "c45")


def test_equal_learners_are_not_told_apart() -> None:
    same = {"a": DecisionTreeClassifier(), "b": DecisionTreeClassifier()}
    found = compare_on_tables(same, {str(seed): drawn(seed) for seed in range(7)}, cv=3)
    assert found.p_values == {"b": 1.0}
    assert found.friedman is None
    assert found.verdict == (
        "These 7 tables do not decide between a and b: the difference may be chance."
    )


def test_so_few_tables_cannot_decide_and_it_is_said() -> None:
    tables = {str(seed): drawn(seed, noise=0.0) for seed in range(3)}
    found = compare_on_tables({"tree": LEARNERS["tree"], "stump": LEARNERS["stump"]}, tables, cv=3)
    assert found.least_p == 0.25 == found.p_values["stump"]
    assert found.verdict.endswith(
        "So few tables cannot decide: if one always won, p would be 0.25."
    )


def test_a_table_on_which_a_learner_fails_is_left_out_and_told() -> None:
    learners = {"tree": DecisionTreeClassifier(), "picky": Picky()}
    tables = {"iris": IRIS, "a": drawn(0), "b": drawn(1), "one class": (drawn(2)[0], [0] * 90)}
    found = compare_on_tables(learners, tables, cv=3)
    assert set(found.left_out) == {"iris"}
    assert found.left_out["iris"] == "picky failed: RuntimeError: two columns, please"
    assert [each.name for each in found.ranked] == ["a", "b", "one class"]
    assert "iris is left out of the ranks: picky failed: RuntimeError" in str(found)
    assert found.to_dict()["tables"][0]["left_out"]


def test_a_table_that_cannot_be_divided_is_left_out() -> None:
    tables = {"tiny": (np.zeros((3, 2)), [0, 1, 0]), "a": drawn(0)}
    found = compare_on_tables([DecisionTreeClassifier(), Picky()], tables, cv=5)
    assert "cv=5 folds need at least as many rows" in found.left_out["tiny"]
    assert found.verdict == ("Nothing can be concluded: 1 table has figures of every learner.")
    assert max(map(len, str(found).splitlines())) <= 80
    ET.fromstring(found.draw().svg(theme="light"))


def test_numbers_are_compared_by_their_error() -> None:
    diabetes = load_example("diabetes")
    X = np.random.default_rng(0).normal(size=(60, 2))
    found = compare_on_tables(
        [DecisionTreeRegressor(max_depth=2), 100.0],
        {"diabetes": (diabetes.X, diabetes.y), "line": (X, 100 + X[:, 0])},
        cv=3,
    )
    assert found.metric.name == "rmse"
    assert found.best == "DecisionTreeRegressor"


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_results_do_not_depend_on_the_number_of_jobs(n_jobs: int) -> None:
    tables = [IRIS, WINE]
    alone = compare_on_tables(LEARNERS, tables, cv=3)
    assert str(alone) == str(compare_on_tables(LEARNERS, tables, cv=3, n_jobs=n_jobs))


def test_the_result_is_read_and_drawn() -> None:
    many = {f"a learner with a rather long name, number {i}": Picky() for i in range(7)}
    found = compare_on_tables(many, {str(seed): drawn(seed) for seed in range(3)}, cv=2)
    assert max(map(len, str(found).splitlines())) <= 80
    for width in (368, 760):
        ET.fromstring(found.draw().svg(width=width))
    assert found.to_dict()["verdict"] == found.verdict


@pytest.mark.skipif(os.name == "nt", reason="no signals to a process of one's own on Windows")
def test_ctrl_c_keeps_the_tables_that_are_done() -> None:
    class Sleeper(Picky):
        def fit(self, X: Any, y: Any) -> "Sleeper":
            time.sleep(0.1)
            super().fit(X, y)
            return self

    threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    tables = {str(seed): drawn(seed) for seed in range(20)}
    found = compare_on_tables({"a": Sleeper(), "b": Sleeper()}, tables, cv=2)
    assert found.was_stopped
    assert 1 <= len(found.tables) < 20
    assert f"stopped after {len(found.tables)} of 20 tables" in str(found)


@pytest.mark.parametrize(
    ("learners", "tables", "words"),
    [
        ([DecisionTreeClassifier()], [IRIS, WINE], "needs two learners or more"),
        (LEARNERS, {"iris": IRIS}, "needs two tables or more"),
        (LEARNERS, [IRIS, IRIS], "tables has 'iris' twice"),
        (LEARNERS, {"a": IRIS, "b": 3}, r"tables\['b'\] must be \(X, y\) or an example"),
        (LEARNERS, "iris", "must be a mapping from names"),
    ],
)
def test_what_cannot_be_compared_is_refused(learners: Any, tables: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        compare_on_tables(learners, tables)


def test_an_unknown_reference_or_metric_is_refused() -> None:
    with pytest.raises(ParameterError, match="did you mean 'stump'"):
        compare_on_tables(LEARNERS, [IRIS, WINE], reference="stumps")
    with pytest.raises(ParameterError, match="did you mean 'error'"):
        compare_on_tables(LEARNERS, [IRIS, WINE], metrics="eror")


def test_groups_are_given_by_table_and_kept_together() -> None:
    X, y = drawn(0)
    # Each row three times: a tree that has seen a copy answers it rightly.
    copied = np.repeat(np.arange(90), 3)
    tables = {"copies": (X[copied], y[copied]), "plain": drawn(1), "more": drawn(2)}
    learners = {"tree": DecisionTreeClassifier(), "stump": DecisionTreeClassifier(max_depth=1)}
    by_row = compare_on_tables(learners, tables, cv=3)
    found = compare_on_tables(learners, tables, cv=3, groups={"copies": copied})
    assert found.tables[0].method == "3 folds, stratified, by group"
    assert found.tables[1].method == "3 folds, stratified"
    alone = cross_validate(learners["tree"], *tables["copies"], cv=3, groups=copied)
    assert found.tables[0].values[0] == alone["error"].value > by_row.tables[0].values[0]
    assert found.tables[1].values == by_row.tables[1].values


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"irsi": IRIS.y}, "groups\\['irsi'\\] is of none of the tables.*\n.*\n.*'iris'"),
        (IRIS.y, "must be a mapping from names of tables"),
        ({"iris": IRIS.y[:9]}, "groups has shape \\(9,\\); 150 rows need 150 entries"),
        ({"iris": "species"}, "must have an entry per row"),
    ],
)
def test_groups_of_no_table_or_too_few_are_refused(groups: Any, message: str) -> None:
    with pytest.raises((ParameterError, DataError), match=message):
        compare_on_tables(LEARNERS, [IRIS, WINE], groups=groups)


def test_a_table_of_too_few_groups_is_left_out_and_told() -> None:
    found = compare_on_tables(LEARNERS, [IRIS, WINE], cv=3, groups={"iris": np.arange(150) % 2})
    assert found.left_out == {
        "iris": "DataError: cv=3 folds need at least as many groups; there are 2."
    }
