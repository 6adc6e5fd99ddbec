"""``treewright.report``: what may be given, what is judged, and what comes back."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from unit.reporting.tables import loans_report, numbers_report

import treewright as tw
from treewright.errors import (
    ColumnMismatchError,
    DataError,
    ParameterError,
    UnsupportedError,
)
from treewright.reporting.find import folds_of
from treewright.reporting.given import read_given

N = 60
X = {"x": np.arange(N) % 7 * 1.0, "c": np.array(["u", "v", "w"])[np.arange(N) % 3]}
Y = np.where(np.arange(N) % 7 > 3, "yes", "no")


def quick(*given: Any, **options: Any) -> Any:
    return tw.report(*given, rivals=[], **options)


def test_table_and_target_may_be_given_in_four_ways(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({**X, "answer": Y})
    path = tmp_path / "small.csv"
    frame.to_csv(path, index=False)
    apart = quick(frame.drop(columns="answer"), frame["answer"])
    together = quick(frame, target="answer")
    read = quick(tw.read(path, target="answer"))
    file = quick(path, target="answer")
    for found in (apart, together, read, file):
        assert found.findings.given.target == "answer"
        assert found.findings.value == apart.findings.value
        assert found.sections[1].finding == apart.sections[1].finding
    assert file.findings.given.name == "small.csv"
    assert str(file.findings.data_hash).startswith("sha256:")
    assert file.findings.data_hash != apart.findings.data_hash  # of the file, of the values
    assert together.findings.data_hash == apart.findings.data_hash


def test_of_a_file_columns_that_name_rows_are_left_out_and_told(tmp_path: Path) -> None:
    lines = ["customer,x,answer", *(f"C{i},{i % 7},{Y[i]}" for i in range(N))]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    found = quick(path, target="answer")
    assert found.findings.given.X.columns == ("x",)
    assert "is left out: all its values differ" in found.html()


@pytest.mark.parametrize(
    ("values", "task", "expected"),
    [
        ([0, 1] * 30, None, "classes"),
        (list(range(20)) * 3, None, "numbers"),
        ([0.5, 1.5] * 30, None, "numbers"),
        ([True, False] * 30, None, "classes"),
        (list(range(20)) * 3, "classes", "classes"),
    ],
)
def test_what_the_target_is(values: list[Any], task: Any, expected: str) -> None:
    assert read_given(X, values, task=task).task == expected


@pytest.mark.parametrize(
    ("given", "options", "error", "told"),
    [
        ((X,), {}, ParameterError, "what to predict"),
        ((X,), {"target": "nothing"}, ColumnMismatchError, "target='nothing' is no column"),
        (("gone.csv", Y), {}, ParameterError, "y is for tables"),
        ((X, ["a"] * N), {}, DataError, "has one class in all 60 rows: 'a'"),
        ((X, Y), {"task": "numbers"}, DataError, "has texts"),
        ((X, Y), {"model": tw.M5Regressor()}, UnsupportedError, "M5Regressor predicts numbers"),
        ((X, Y), {"model": tw.C45Classifier}, ParameterError, "is a class"),
        ((X, Y), {"model": "yes"}, UnsupportedError, "estimator of treewright, not str"),
        ((X, Y), {"folds": 1}, ParameterError, "folds"),
        ((X, np.zeros((N, 2))), {}, DataError, "2 columns; a report is about one target"),
        ((X, Y), {"groups": "g"}, ColumnMismatchError, "groups='g' is no column"),
        (({"x": Y}, None), {"target": "x"}, DataError, "no column to learn"),
    ],
)
def test_what_cannot_be_reported_on_is_refused(
    given: tuple[Any, ...], options: dict[str, Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=re.escape(told)):
        quick(*given, **options)


def test_a_file_without_a_target_is_refused_with_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n", encoding="utf-8")
    with pytest.raises(ParameterError, match="Columns: 'a', 'b'"):
        quick(path)


def test_the_figures_are_those_of_cross_validation_in_which_each_fold_chooses_anew() -> None:
    found = loans_report().findings
    loans = tw.load_example("loans")
    tree = tw.DecisionTreeClassifier(min_samples_leaf=5, prune=tw.prune.CostComplexity(rule="1-SE"))
    own = tw.evaluate.cross_validate(tree, loans.X, loans.y, cv=10, refit=False)
    assert found.value == own["error"].value
    assert found.tree is not None
    assert found.tree.text() == tree.fit(loans.X, loans.y).tree_.text()
    # The folds that chose the size are not those that judge.
    assert found.size is not None
    assert found.size.chosen is not None
    assert found.size.validated[found.size.chosen] != found.value


def test_folds_by_the_number_of_cells() -> None:
    assert folds_of(49, 3, None) == "leave_one_out"
    assert folds_of(50, 5_000, None) == 10
    assert folds_of(50, 5_001, None) == 5
    assert folds_of(10, 1, 3) == 3


def test_of_a_large_table_rows_are_drawn_to_judge_and_the_report_says_so() -> None:
    loans = tw.load_example("loans")
    found = quick(loans, max_cells=14 * 400, folds=3)
    assert found.findings.n_judged_rows == 400
    assert found.findings.data.n_rows == 2000
    assert len(found.findings.judged.scores.answers) == 400
    assert found.findings.tree.arrays.n_rows[0] == 2000
    assert "judged and compared on 400 rows drawn from it" in found.html()
    assert "400 rows of 2,000, drawn by seed 0" in found.html()
    again = quick(loans, max_cells=14 * 400, folds=3)
    assert again.findings.value == found.findings.value


def test_groups_are_never_divided() -> None:
    label = np.repeat(np.arange(15), 4)
    found = quick({**X, "g": label}, Y, groups="g", folds=5)
    assert "g" not in found.findings.given.X.columns
    for fold in found.findings.judged.folds.splits:
        assert not set(label[fold.train]) & set(label[fold.test])
    assert "15 groups, which are never divided" in found.html()


def test_few_groups_are_dealt_to_fewer_folds() -> None:
    few = quick(X, Y, groups=np.repeat(np.arange(8), [7, 7, 7, 7, 8, 8, 8, 8]))
    assert len(few.findings.judged.folds) == 8
    assert any("chosen by 2 folds, not 10: there are 8 groups" in n for n in few.findings.not_done)
    very_few = quick(X, Y, groups=np.repeat(np.arange(4), 15))
    assert any("4 groups are too few" in each for each in very_few.findings.not_done)


def test_weights_count_as_copies() -> None:
    weight = np.ones(N)
    weight[:10] = 3.0
    found = quick(X, Y, sample_weight=weight)
    assert found.findings.tree.arrays.weight[0] == N + 20
    assert "The rows have weights." in found.html()


def test_rivals_stand_on_the_same_folds_with_the_verdict() -> None:
    found = tw.report(X, Y, rivals={"always": "no", "c45": tw.C45Classifier()})
    comparison = found.findings.comparison
    assert comparison is not None
    assert comparison.names == ("tree", "always", "c45")
    assert comparison.verdict in found.html()
    assert quick(X, Y).findings.comparison is None
    failing = tw.report(X, Y, rivals={"m5": tw.M5Regressor()}, folds=3)
    assert "failed" in failing.html()


def test_single_answers_are_those_of_the_model_and_what_would_change_them() -> None:
    found = loans_report().findings
    loans = tw.load_example("loans")
    predicted = found.model.predict(loans.X)
    assert len(found.examples) == 6
    assert {(each.actual, each.is_right) for each in found.examples} == {
        (label, right) for label in loans.classes for right in (True, False)
    }
    for each in found.examples:
        assert predicted[each.row] == each.predicted
        assert loans.y[each.row] == each.actual
        assert each.path is not None
        assert each.path.label == each.predicted
        assert each.nearest is not None
        assert each.nearest.to != each.predicted
        assert found.model.predict([dict(each.nearest.row)])[0] == each.nearest.to
        if not each.is_right:
            assert each.nearest.to == each.actual


def test_the_path_to_a_calibrated_answer_ends_in_it() -> None:
    x, noise = np.random.default_rng(0).normal(size=(2, 300)).round(1)
    model = tw.DecisionTreeClassifier(calibrate="isotonic")
    found = quick({"x": x}, np.where(x + noise > 0, "yes", "no"), model=model).findings
    told = found.model.explain(found.given.X.rows([0]))
    assert "calibrated" in str(told)
    assert found.examples
    for each in found.examples:
        assert each.path is not None
        assert each.path.label == each.predicted
        assert "calibrated" in str(each.path)


def test_numbers_have_a_row_of_median_error_and_the_worst_two() -> None:
    found = numbers_report().findings
    misses = found.model.predict(found.given.X) - found.data.y
    rows = [each.row for each in found.examples]
    assert rows[1:] == [int(np.argmax(misses)), int(np.argmin(misses))]
    assert np.sum(np.abs(misses) < abs(misses[rows[0]])) <= len(misses) // 2


def test_importances_come_from_rows_held_out() -> None:
    random = np.random.default_rng(0)
    noise = {f"noise {i}": random.normal(size=300) for i in range(5)}
    x = random.normal(size=300)
    y = np.where(x + 0.3 * random.normal(size=300) > 0, "a", "b")
    found = quick({"x": x, **noise}, y, model=tw.DecisionTreeClassifier(random_state=0))
    importances = found.findings.importances
    assert importances is not None
    assert importances.measured_on == "fold"
    assert next(iter(importances)).name == "x"
    for each in importances:
        if each.name != "x":  # the tree asks about noise, which helps on no row held out
            assert each.mean < 0.1 * importances["x"].mean


def test_learners_of_many_trees_and_of_rules() -> None:
    iris = tw.load_example("iris")
    forest = quick(iris, model=tw.RandomForestClassifier(n_estimators=5, random_state=0), folds=3)
    names = [each.anchor for each in forest.sections]
    assert "tree" not in names
    assert "trees" in names
    assert forest.head.finding.startswith("The forest gets ")
    rules = quick(iris, model=tw.C45RulesClassifier(), folds=3)
    assert "rules" in [each.anchor for each in rules.sections]
    assert rules.head.finding.startswith("The rule set gets ")


def test_what_comes_back(tmp_path: Path) -> None:
    made = loans_report()
    path = tmp_path / "report.html"
    made.save(path)
    assert path.read_text(encoding="utf-8") == made.html()
    with pytest.raises(UnsupportedError, match=r"report\.html"):
        made.save(tmp_path / "report.pdf")
    assert repr(made) == "Report('loans', target='outcome')"
    assert max(map(len, str(made).splitlines())) <= 80
    assert str(made).count("\n") > 8
    told = json.loads(json.dumps(made.to_dict()))
    assert told["judged"]["metrics"]["error"]["value"] == made.findings.value
    assert list(told["findings"]) == [each.anchor for each in made.sections]
    shown = made._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert 'sandbox=""' in shown


def test_out_writes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    found = quick(X, Y, out=path)
    assert path.read_text(encoding="utf-8") == found.html()


def test_the_same_seed_gives_the_same_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    pages = [re.sub(r", in \d+ seconds?", "", quick(X, Y).html()) for _ in range(2)]
    assert pages[0] == pages[1]
    assert "2023-11-14 22:13 UTC" in pages[0]


def test_warnings_are_told_in_the_report_and_not_beside_it() -> None:
    table = {**X, "when": np.array([f"2024-01-{i % 28 + 1:02}" for i in range(N)])}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = quick(table, Y)
    assert any("holds dates as text" in words for _, words in found.findings.warnings)
    assert "holds dates as text" in found.html()
