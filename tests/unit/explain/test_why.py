"""Every column of a why-table is what its heading says, for every criterion."""

from typing import Any

import numpy as np
import pytest

from treewright import (
    C45Classifier,
    CARTClassifier,
    CHAIDClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    Schema,
    load_example,
    measures,
)
from treewright.criteria import CLASS_CRITERIA, VALUE_CRITERIA, criterion_named
from treewright.errors import ParameterError

GENERATOR = np.random.default_rng(4)
N_ROWS = 60
X = {
    "kind": GENERATOR.choice(list("uvw"), N_ROWS).tolist(),
    "size": GENERATOR.normal(size=N_ROWS).round(1).tolist(),
}
CLASSES = np.where(np.array(X["size"]) + GENERATOR.normal(size=N_ROWS) > 0, "yes", "no")
VALUES = np.abs(np.array(X["size"]) + GENERATOR.normal(size=N_ROWS))


OTHER_MEASURES = {
    "deviance": measures.poisson_deviance,
    "absolute deviation": measures.absolute_deviation,
}


def shown(model: Any) -> list[Any]:
    return [each for each in model.tree_.why(0).candidates if each.branches]


def check_class_columns(row: Any, impurity: str) -> None:
    counts = np.array([branch.counts for branch in row.branches])
    assert row.gain == pytest.approx(measures.gain(counts, measure=impurity), abs=1e-12)
    assert row.weighted_impurity == pytest.approx(
        measures.weighted_impurity(counts, measure=impurity), abs=1e-12
    )
    assert row.chi2 == pytest.approx(measures.chi2(counts).statistic)
    if impurity == "entropy":
        assert row.split_information == pytest.approx(measures.split_information(counts))
        assert row.gain_ratio == pytest.approx(measures.gain_ratio(counts))
    else:
        assert row.split_information is None
        assert row.gain_ratio is None


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
def test_columns_of_classes(criterion: str) -> None:
    schema = Schema(class_order=["no", "yes"])
    model = DecisionTreeClassifier(criterion=criterion, max_depth=1, schema=schema).fit(X, CLASSES)
    traits = criterion_named(criterion)
    for row in shown(model):
        check_class_columns(row, traits.impurity)
        counts = np.array([branch.counts for branch in row.branches])
        scores = {
            "gain": lambda table: measures.gain(table, measure=traits.impurity),
            "gain ratio": measures.gain_ratio,
            "impurity ratio": measures.impurity_ratio,
            "chi2": lambda table: measures.chi2(table).statistic,
            "twoing": measures.twoing,
            "hellinger": measures.hellinger,
        }
        assert row.score == pytest.approx(scores[traits.score](counts), abs=1e-12)
    heading = str(model.tree_.why(0)).split("\n")[2]
    assert traits.score in heading


@pytest.mark.parametrize("criterion", VALUE_CRITERIA)
def test_columns_of_values(criterion: str) -> None:
    model = DecisionTreeRegressor(criterion=criterion, nominal="one_vs_rest", max_depth=1)
    model.fit(X, VALUES)
    traits = criterion_named(criterion)
    power = traits.power_of_variance
    for row in shown(model):
        weights = np.array([branch.weight for branch in row.branches])
        assert row.gain == pytest.approx(row.score)
        assert row.gain_ratio is None
        if traits.impurity in OTHER_MEASURES:
            before = OTHER_MEASURES[traits.impurity](VALUES)
        else:
            squares = np.array([branch.sse for branch in row.branches])
            each = squares if traits.sums_over_rows else squares / weights
            left = float((weights * each**power).sum() / weights.sum())
            assert row.weighted_impurity == pytest.approx(left)
            whole = ((VALUES - VALUES.mean()) ** 2).sum()
            before = (whole if traits.sums_over_rows else whole / N_ROWS) ** power
        assert model.tree_.why(0).impurity == pytest.approx(before)
        assert row.gain == pytest.approx(before - row.weighted_impurity)
    if traits.score != "gain":
        assert traits.score in str(model.tree_.why(0))


def test_c45s_penalty_is_in_a_column_of_its_own() -> None:
    model = C45Classifier().fit(X, CLASSES)
    rows = {row.column: row for row in shown(model)}
    for row in rows.values():
        check_class_columns(row, "entropy")
    size = rows["size"]
    penalty = np.log2(size.n_cuts) / N_ROWS
    assert size.score == pytest.approx((size.gain - penalty) / size.split_information, abs=1e-6)
    assert "penalised gain ratio" in str(model.tree_.why(0))


def test_chaid_shows_the_gain_of_the_impurity_it_names() -> None:
    model = CHAIDClassifier(alpha_split=1.0).fit(X, CLASSES)
    for row in shown(model):
        counts = np.array([branch.counts for branch in row.branches])
        assert row.gain == pytest.approx(measures.gain(counts, measure="gini"))
        assert row.chi2 == pytest.approx(measures.chi2(counts).statistic)


def test_a_guarded_column_is_compared_by_what_is_left_of_its_gain() -> None:
    names = [f"n{i}" for i in GENERATOR.permutation(N_ROWS) % 50]
    model = DecisionTreeClassifier(max_depth=1).fit({**X, "name": names}, CLASSES)
    rows = {row.column: row for row in shown(model)}
    assert rows["name"].gain > rows["size"].gain
    assert rows["name"].score < rows["size"].score == pytest.approx(rows["size"].gain)
    assert rows["size"].chosen
    assert "guarded gain" in str(model.tree_.why(0))
    free = DecisionTreeClassifier(max_depth=1, guard_many_values=False)
    assert free.fit({**X, "name": names}, CLASSES).tree_.why(0).chosen.column == "name"


def test_the_best_comes_first_and_the_rest_is_counted() -> None:
    table = load_example("breast_cancer")
    tree = DecisionTreeClassifier(max_depth=1).fit(table.X, table.y).tree_
    shown = tree.why(0, top=2)
    lines = shown.text(detail=False).splitlines()
    assert lines[3].startswith("→  worst radius")
    gains = [float(line.split()[-1]) for line in lines[3:5]]
    assert gains == sorted(gains, reverse=True)
    assert lines[5] == "28 more columns: top=None shows all."
    in_order = tree.why(0, top=None, sort="column").text(detail=False).splitlines()
    assert len(in_order) == 33
    assert in_order[3].split()[:2] == ["mean", "radius"]
    assert len(shown.candidates) == 30  # printed or not


@pytest.mark.parametrize("made", [DecisionTreeClassifier, C45Classifier, CHAIDClassifier])
def test_it_fits_eighty_columns(made: Any) -> None:
    for name in ("breast_cancer", "play_tennis", "iris"):
        table = load_example(name)
        shown = str(made().fit(table.X, table.y).why(0))
        assert max(map(len, shown.splitlines())) <= 80, shown


def test_measures_are_those_compared_or_those_asked_for() -> None:
    play = load_example("play_tennis")
    tree = C45Classifier().fit(play.X, play.y).tree_
    assert "split info  gain ratio" in tree.why(0).text()
    assert "chi2" not in tree.why(0).text()
    assert "chi2  df      p" in tree.why(0, measures="all").text()
    assert tree.why(0, measures=["p_value"]).text().splitlines()[2].split()[-2:] == ["p", "score"]
    gini = DecisionTreeClassifier().fit(play.X, play.y).tree_
    assert gini.why(0).text().splitlines()[2].split()[-2:] == ["gini", "gain"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"top": 0}, "top=0 must be at least 1"),
        ({"sort": "gain"}, "sort='gain' must be one of 'score', 'column'"),
        ({"measures": "gian"}, "measures='gian' must be one of 'all', 'gain'"),
    ],
)
def test_what_is_asked_is_checked(asked: dict[str, Any], message: str) -> None:
    play = load_example("play_tennis")
    with pytest.raises(ParameterError, match=message):
        DecisionTreeClassifier().fit(play.X, play.y).why(0, **asked)


def test_a_column_that_is_used_up_was_asked_above() -> None:
    play = load_example("play_tennis")
    tree = ID3Classifier().fit(play.X, play.y).tree_
    assert "  Outlook  asked above" in tree.why(1).text().splitlines()


@pytest.mark.parametrize(
    ("model", "node", "reason"),
    [
        (DecisionTreeClassifier(), 2, "pure"),
        (DecisionTreeClassifier(max_depth=1), 1, "max_depth=1 is reached"),
        (CARTClassifier(), 0, "14 rows, and a question needs min_samples_split=20"),
        (
            DecisionTreeClassifier(min_samples_leaf=8),
            0,
            "14 rows, and each of two branches needs min_samples_leaf=8",
        ),
        (C45Classifier(min_cases=8), 0, "14 rows, and two branches need min_cases=8 each"),
        (DecisionTreeClassifier(max_leaf_nodes=2), 1, "max_leaf_nodes=2 is reached"),
        (DecisionTreeClassifier(min_impurity=0.5), 0, "its impurity is at most min_impurity=0.5"),
        (DecisionTreeClassifier(min_impurity_decrease=0.2), 0, "no question gains enough"),
        (DecisionTreeClassifier(ccp_alpha=0.5), 0, "what was below it has been pruned"),
    ],
)
def test_a_leaf_says_why_it_is_one(model: Any, node: int, reason: str) -> None:
    play = load_example("play_tennis")
    shown = model.fit(play.X, play.y).why(node)
    assert shown.leaf == reason
    assert shown.text().splitlines()[1] == f"This is a leaf: {reason}."


def test_rows_that_no_column_parts() -> None:
    model = DecisionTreeClassifier().fit({"x": [1, 1, 1]}, ["a", "b", "a"])
    assert model.why(0).leaf == "no column has a question that parts its rows"
    numbers = DecisionTreeRegressor().fit({"x": [1, 2, 3]}, [5.0, 5.0, 5.0])
    assert numbers.why(0).leaf == "pure, all targets are equal"
