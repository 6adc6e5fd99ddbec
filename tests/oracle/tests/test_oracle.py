"""The oracle against numbers worked by hand, on the lectures' own tables.

It is the judge of the engine, so it is checked against print: the golden set's README lists the
documents (000-004) and the corrected misprints.
"""

import math
from dataclasses import replace

import pytest
from oracle import (
    CLASS_CRITERIA,
    MISSING_POLICIES,
    VALUE_CRITERIA,
    Leaf,
    Question,
    Split,
    Table,
    best_score,
    best_splits,
    candidate_splits,
    column_values,
    depth,
    distribution,
    expected_tests,
    grow_c45,
    grow_id3,
    score_of,
    smallest_margin,
    surrogate_agreement,
    walk,
)
from oracle.criteria import (
    absolute_deviation,
    chi2,
    entropy,
    gini,
    hellinger,
    misclassification,
    poisson_deviance,
    sse,
    twoing,
    variance,
)
from oracle.splits import Missing, Nominal

DAYS = [
    ("Sunny", "Hot", "High", "Weak", "No"),
    ("Sunny", "Hot", "High", "Strong", "No"),
    ("Overcast", "Hot", "High", "Weak", "Yes"),
    ("Rain", "Mild", "High", "Weak", "Yes"),
    ("Rain", "Cool", "Normal", "Weak", "Yes"),
    ("Rain", "Cool", "Normal", "Strong", "No"),
    ("Overcast", "Cool", "Normal", "Strong", "Yes"),
    ("Sunny", "Mild", "High", "Weak", "No"),
    ("Sunny", "Cool", "Normal", "Weak", "Yes"),
    ("Rain", "Mild", "Normal", "Weak", "Yes"),
    ("Sunny", "Mild", "Normal", "Strong", "Yes"),
    ("Overcast", "Mild", "High", "Strong", "Yes"),
    ("Overcast", "Hot", "Normal", "Weak", "Yes"),
    ("Rain", "Mild", "High", "Strong", "No"),
]
TENNIS = Table(
    rows=[day[:4] for day in DAYS],
    target=[day[4] for day in DAYS],
    kinds=["nominal"] * 4,
    domains={
        0: ["Sunny", "Overcast", "Rain"],
        1: ["Hot", "Mild", "Cool"],
        2: ["High", "Normal"],
        3: ["Weak", "Strong"],
    },
)
# Textbook (002), tables 3.3 and 3.5.
WEATHER = Table(
    rows=[
        ("Sunny", 65, 91),
        ("Sunny", 78, 70),
        ("Overcast", 85, 82),
        ("Overcast", 62, 71),
        ("Rainy", 70, 65),
        ("Rainy", 79, 62),
    ],
    target=["NP", "P", "P", "P", "NP", "P"],
    kinds=["nominal", "numeric", "numeric"],
)
REGRESSION = Table(
    rows=[
        (0.2, 0.4),
        (0.4, 0.2),
        (0.6, 0.4),
        (0.8, 0.6),
        (1.0, 0.7),
        (0.8, 0.4),
        (0.6, 0.2),
        (0.5, 0.5),
        (0.2, 0.6),
    ],
    target=[8, 8, 12, 16, 19, 14, 10, 12, 10],
    kinds=["numeric", "numeric"],
)
# Penn (004), "Missing values": the sunny days with one humidity lost.
SUNNY_HUMIDITY = Table(
    rows=[("High",), ("High",), (None,), ("Normal",), ("Normal",)],
    target=["No", "No", "No", "Yes", "Yes"],
    kinds=["nominal"],
)
NUMERIC_WITH_A_GAP = Table(
    rows=[(1,), (2,), (3,), (4,), (None,)], target=["a", "a", "b", "b", "b"], kinds=["numeric"]
)


def part(**counts: float) -> list[tuple[str, float]]:
    return list(counts.items())


def column_of(table: Table, column: int) -> Table:
    return replace(
        table,
        rows=[(row[column],) for row in table.rows],
        kinds=[table.kinds[column]],
        domains={0: table.domains[column]} if column in table.domains else {},
    )


@pytest.mark.parametrize(
    ("measure", "expected"),
    [(entropy, 0.940285958671), (gini, 90 / 196), (misclassification, 5 / 14)],
)
def test_impurity_of_the_fourteen_days(measure: object, expected: float) -> None:
    assert measure(part(No=5, Yes=9)) == pytest.approx(expected)  # type: ignore[operator]


def test_spread_of_numbers() -> None:
    values = [(8, 1.0), (8, 1.0), (10, 2.0)]
    assert sse(values) == pytest.approx(4.0)
    assert variance(values) == pytest.approx(1.0)
    assert absolute_deviation([(1, 1.0), (2, 1.0), (9, 1.0)]) == pytest.approx(8 / 3)
    assert poisson_deviance([(0, 1.0), (4, 1.0)]) == pytest.approx(2 * math.log(2))
    assert poisson_deviance([(0, 1.0), (0, 1.0)]) == 0.0


def test_measures_of_both_sides_together() -> None:
    left, right = part(a=3, b=1), part(a=0, b=4)
    # Chi-square by the 2 x 2 shortcut: N (ad - bc)^2 / (products of the margins).
    assert chi2([left, [("b", 4)]]) == pytest.approx(8 * (3 * 4) ** 2 / (4 * 4 * 3 * 5))
    assert twoing([left, right]) == pytest.approx(0.5 * 0.5 / 4 * (0.75 + 0.75) ** 2)
    expected = (1 - math.sqrt(1 / 5)) ** 2 + (0 - math.sqrt(4 / 5)) ** 2
    assert hellinger([left, [("b", 4)]]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("column", "gain", "ratio"),
    [
        (0, 0.246749819774, 0.156427562421),
        (1, 0.029222565659, 0.018772646222),
        (2, 0.151835501362, 0.151835501362),
        (3, 0.048127030408, 0.048848615512),
    ],
)
def test_gain_and_ratio_of_the_fourteen_days(column: int, gain: float, ratio: float) -> None:
    table = column_of(TENNIS, column)
    assert best_score(table, criterion="entropy") == pytest.approx(gain)
    assert best_score(table, criterion="impurity_ratio") == pytest.approx(gain)
    assert best_score(table, criterion="gain_ratio") == pytest.approx(ratio)


def test_best_column_of_the_fourteen_days_is_outlook() -> None:
    for criterion in ("entropy", "gini", "gain_ratio"):
        assert [s.split.column for s in best_splits(TENNIS, criterion=criterion)] == [0]
    tied = best_splits(TENNIS, criterion="misclassification")
    assert [s.split.column for s in tied] == [0, 2]


def test_chi_square_of_outlook() -> None:
    table = column_of(TENNIS, 0)
    assert best_score(table, criterion="chi2") == pytest.approx(3.546666666667)


def test_one_value_against_the_rest() -> None:
    found = best_splits(TENNIS, criterion="entropy", nominal="one_vs_rest")
    assert found[0].split.branch_of_value == {"Sunny": 1, "Overcast": 0, "Rain": 1}
    assert found[0].score == pytest.approx(0.226000244385)


def test_subsets_of_k_values_are_two_to_the_k_minus_one_less_one() -> None:
    table = Table(rows=[(value,) for value in "abcde"], target=list("xyxyx"), kinds=["nominal"])
    splits = list(candidate_splits(table, 0, nominal="subset"))
    assert len(splits) == 2**4 - 1
    assert len({tuple(split.branch_of_value.items()) for split in splits}) == 15
    assert len(list(candidate_splits(table, 0, nominal="one_vs_rest"))) == 5
    assert best_score(table, criterion="gini", nominal="subset") == pytest.approx(12 / 25)


def test_textbook_gini_cuts() -> None:
    found = best_splits(WEATHER, criterion="gini")
    assert [(s.split.column, s.split.threshold) for s in found] == [(1, 74.0)]
    assert found[0].score == pytest.approx(4 / 9 - 2 / 9)
    below_91 = Split(column=2, kind="cut", threshold=86.5)
    assert score_of(WEATHER, below_91, criterion="gini") == pytest.approx(4 / 9 - 4 / 15)
    assert score_of(WEATHER, below_91, criterion="gain_ratio") == pytest.approx(0.487197176233)


def test_class_boundaries_are_the_cuts_between_classes() -> None:
    def cuts(column: int) -> list[float | None]:
        splits = candidate_splits(WEATHER, column, thresholds="class_boundaries")
        return [split.threshold for split in splits]

    assert cuts(1) == [63.5, 74.0]
    assert cuts(2) == [63.5, 67.5, 86.5]


def test_textbook_squared_errors() -> None:
    def error_after(threshold: float, criterion: str, before: float) -> float:
        split = Split(column=0, kind="cut", threshold=threshold)
        return before - score_of(REGRESSION, split, criterion=criterion)

    total = sse([(y, 1.0) for y in REGRESSION.target])
    assert error_after(0.3, "weighted_squared_error", total) == pytest.approx(578 / 9)
    assert 9 * error_after(0.3, "squared_error", total / 9) == pytest.approx(84)
    assert 9 * error_after(0.7, "squared_error", total / 9) == pytest.approx(28 + 2 / 3)
    best = best_splits(REGRESSION, criterion="weighted_squared_error")
    assert [s.split.column for s in best] == [0]
    assert best[0].split.threshold == pytest.approx(0.7)


def test_absolute_error_of_a_cut() -> None:
    table = Table(rows=[(1,), (2,), (3,), (4,)], target=[0, 1, 10, 13], kinds=["numeric"])
    # Medians 1 (of all, the lower), 0 | 10: (1 + 0 + 9 + 12) / 4 - (1 + 3) / 4.
    assert best_score(table, criterion="absolute_error") == pytest.approx(22 / 4 - 4 / 4)


def test_poisson_of_a_cut() -> None:
    table = Table(rows=[(1,), (2,)], target=[1, 3], kinds=["numeric"])
    assert best_score(table, criterion="poisson") == pytest.approx(
        math.log(1 / 2) / 2 + 3 * math.log(3 / 2) / 2
    )


def test_poisson_has_no_branch_of_zeros() -> None:
    table = Table(rows=[(1,), (2,)], target=[0, 4], kinds=["numeric"])
    assert best_score(table, criterion="poisson") is None


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("divide", 0.8),
        ("surrogates", 0.8),
        ("majority", 0.8),
        ("own_branch", 0.970950594455),
        ("most_likely_in_class", 0.970950594455),
        ("most_likely", 0.970950594455),  # High and Normal tie; High comes first
        ("learned_side", 0.970950594455),
    ],
)
def test_missing_humidity(policy: Missing, expected: float) -> None:
    score = best_score(SUNNY_HUMIDITY, criterion="entropy", missing=policy)
    assert score == pytest.approx(expected)


def test_missing_is_one_more_subset_of_split_information_when_divided() -> None:
    information = -2 * 0.4 * math.log2(0.4) - 0.2 * math.log2(0.2)
    divided = best_score(SUNNY_HUMIDITY, criterion="gain_ratio", missing="divide")
    assert divided == pytest.approx(0.8 / information)
    judged_alone = best_score(SUNNY_HUMIDITY, criterion="gain_ratio", missing="majority")
    assert judged_alone == pytest.approx(0.8 / 1.0)


def test_learned_side_of_a_cut() -> None:
    splits = best_splits(NUMERIC_WITH_A_GAP, criterion="gini", missing="learned_side")
    assert [(s.split.threshold, s.split.missing_branch) for s in splits] == [(2.5, 1)]
    assert splits[0].score == pytest.approx(12 / 25)


def test_own_branch_is_a_third_branch_of_a_cut() -> None:
    splits = best_splits(NUMERIC_WITH_A_GAP, criterion="gini", missing="own_branch")
    assert [(s.split.threshold, s.split.missing_branch) for s in splits] == [(2.5, 2)]


def test_own_branch_is_one_more_category_of_subsets() -> None:
    searches: tuple[Nominal, ...] = ("subset", "one_vs_rest")
    for nominal in searches:
        splits = candidate_splits(
            SUNNY_HUMIDITY,
            0,
            nominal=nominal,
            missing="own_branch",
        )
        assert len(list(splits)) == 3


def test_numeric_gaps_are_filled_with_the_lower_weighted_median() -> None:
    table = replace(NUMERIC_WITH_A_GAP, weights=[1, 1, 1, 1, 1])
    assert column_values(table, 0, missing="most_likely")[4] == 2
    assert column_values(table, 0, missing="most_likely_in_class")[4] == 3
    heavier = replace(table, weights=[1, 1, 1, 4, 1])
    assert column_values(heavier, 0, missing="most_likely")[4] == 4


@pytest.mark.parametrize(
    ("criterion", "policy"),
    [
        (criterion, policy)
        for criterion in CLASS_CRITERIA + VALUE_CRITERIA
        for policy in MISSING_POLICIES
        # Numbers have no classes to fill within; twoing judges two branches, not three.
        if (criterion not in VALUE_CRITERIA or policy != "most_likely_in_class")
        and (criterion, policy) != ("twoing", "own_branch")
    ],
)
def test_a_weight_is_as_good_as_repeated_rows(criterion: str, policy: Missing) -> None:
    rows = [(1, "x"), (2, "y"), (None, "x"), (3, None), (2, "x")]
    target = [0, 1, 1, 2, 0]
    weighted = Table(
        rows=rows, target=target, kinds=["numeric", "nominal"], weights=[1, 2, 3, 1, 0]
    )
    repeats = [0, 1, 1, 2, 2, 2, 3]
    repeated = Table(
        rows=[rows[i] for i in repeats], target=[target[i] for i in repeats], kinds=weighted.kinds
    )
    scores = [
        best_score(table, criterion=criterion, nominal="subset", missing=policy)
        for table in (weighted, repeated)
    ]
    assert scores[0] is not None
    assert scores[0] == pytest.approx(scores[1], abs=1e-12)


def test_min_samples_leaf_forbids_small_branches() -> None:
    assert best_score(WEATHER, criterion="gini", min_samples_leaf=4) is None
    too_small = Split(column=1, kind="cut", threshold=63.5)
    with pytest.raises(ValueError, match="too few rows"):
        score_of(WEATHER, too_small, criterion="gini", min_samples_leaf=2)


def test_a_constant_column_cannot_be_split() -> None:
    table = Table(rows=[(1, "a"), (1, "a")], target=[0, 1], kinds=["numeric", "nominal"])
    assert best_score(table, criterion="gini") is None
    assert best_splits(table, criterion="gini") == []


def test_surrogate_agreement() -> None:
    table = Table(
        rows=[(1, 5, "a"), (2, 4, "a"), (3, 1, "b"), (4, 2, "a"), (5, None, "b")],
        target=[0, 0, 1, 1, 1],
        kinds=["numeric", "numeric", "nominal"],
    )
    primary = Split(column=0, kind="cut", threshold=2.5)
    assert surrogate_agreement(table, primary, 1) == 4.0  # reversed: > 2 goes left
    assert surrogate_agreement(table, primary, 2) == 4.0


def test_id3_tree_of_the_fourteen_days() -> None:
    tree = grow_id3(TENNIS)
    assert isinstance(tree, Question)
    sunny, overcast, rain = tree.children
    assert isinstance(sunny, Question)
    assert isinstance(rain, Question)
    assert (tree.split.column, sunny.split.column, rain.split.column) == (0, 2, 3)
    assert overcast == Leaf(label="Yes", counts={"No": 0, "Yes": 4}, weight=4, rows=(2, 6, 11, 12))
    assert depth(tree) == 2
    assert sum(isinstance(node, Leaf) for node in walk(tree)) == 5
    assert tree.gain == pytest.approx(0.246749819774)
    assert smallest_margin(tree) == pytest.approx(0.246749819774 - 0.151835501362)


def test_id3_gives_an_empty_branch_the_majority_of_its_parent() -> None:
    table = replace(TENNIS, domains={**TENNIS.domains, 2: ["High", "Normal", "Low"]})
    tree = grow_id3(table)
    assert isinstance(tree, Question)
    sunny = tree.children[0]
    assert isinstance(sunny, Question)
    assert sunny.children[2] == Leaf(label="No", counts={"No": 3, "Yes": 2}, weight=0, rows=())
    assert distribution(tree, ("Sunny", "Hot", "Low", "Weak")) == {"No": 0.6, "Yes": 0.4}


def test_id3_grows_xor_although_no_column_gains() -> None:
    xor = Table(
        rows=[("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")],
        target=["0", "1", "1", "0"],
        kinds=["nominal", "nominal"],
    )
    assert depth(grow_id3(xor)) == 2
    assert depth(grow_id3(xor, min_gain=1e-9)) == 0


def test_id3_stops_on_contradictory_rows() -> None:
    table = Table(rows=[("a",), ("a",)], target=[0, 1], kinds=["nominal"])
    assert grow_id3(table) == Leaf(label=0, counts={0: 1, 1: 1}, weight=2, rows=(0, 1))


def test_expected_tests_of_the_penn_example() -> None:
    table = Table(
        rows=[("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")],
        target=["-", "-", "-", "+"],
        kinds=["nominal", "nominal"],
        weights=[50, 50, 3, 100],
    )
    assert expected_tests(grow_id3(table)) == pytest.approx(306 / 203)
    assert expected_tests(grow_id3(replace(table, weights=[50, 50, 0, 100]))) == 1.0


def test_missing_values_follow_every_branch() -> None:
    tree = grow_id3(TENNIS)
    no_outlook = (None, "Hot", "Normal", "Strong")
    by_branch = distribution(tree, no_outlook)
    assert by_branch == pytest.approx({"No": 5 / 14, "Yes": 9 / 14})
    by_leaf = distribution(tree, no_outlook, combine="leaf_counts")
    assert by_leaf == pytest.approx({"No": 1 / 4, "Yes": 3 / 4})
    unseen = distribution(tree, ("Foggy", "Hot", "Normal", "Strong"))
    assert unseen == by_branch
    nothing_known = distribution(tree, (None,) * 4)
    assert nothing_known == pytest.approx({"No": 5 / 14, "Yes": 9 / 14})


# Quinlan 1993, chapter 2: temperature and humidity are numbers; the tree is the book's.
GOLF = Table(
    rows=[
        ("sunny", 75, 70, "true"),
        ("sunny", 80, 90, "true"),
        ("sunny", 85, 85, "false"),
        ("sunny", 72, 95, "false"),
        ("sunny", 69, 70, "false"),
        ("overcast", 72, 90, "true"),
        ("overcast", 83, 78, "false"),
        ("overcast", 64, 65, "true"),
        ("overcast", 81, 75, "false"),
        ("rain", 71, 80, "true"),
        ("rain", 65, 70, "true"),
        ("rain", 75, 80, "false"),
        ("rain", 68, 80, "false"),
        ("rain", 70, 96, "false"),
    ],
    target=[
        *("Play", "Don't", "Don't", "Don't", "Play", "Play", "Play", "Play", "Play"),
        *("Don't", "Don't", "Play", "Play", "Play"),
    ],
    kinds=["nominal", "numeric", "numeric", "nominal"],
)


def test_c45_tree_of_the_golf_table() -> None:
    tree = grow_c45(GOLF)
    assert isinstance(tree, Question)
    assert tree.split.column == 0
    of_value = dict(zip(GOLF.domain(0), tree.children, strict=True))
    sunny, rain = of_value["sunny"], of_value["rain"]
    assert isinstance(of_value["overcast"], Leaf)
    assert isinstance(sunny, Question)
    assert isinstance(rain, Question)
    # The book prints humidity <= 75: the largest training value not above the midpoint 77.5.
    assert (sunny.split.column, sunny.split.threshold) == (2, 75)
    assert rain.split.column == 3
    between = grow_c45(GOLF, threshold_at="midpoint")
    assert isinstance(between, Question)
    asked = {node.split.threshold for node in walk(between) if isinstance(node, Question)}
    assert asked == {None, 77.5}


def test_c45_divides_the_case_whose_outlook_is_unknown() -> None:
    # Quinlan 1993, section 3.2: case 6 (overcast, 72, 90, windy, Play) loses its outlook.
    rows = [*GOLF.rows]
    rows[5] = (None, 72, 90, "true")
    tree = grow_c45(replace(GOLF, rows=rows))
    assert isinstance(tree, Question)
    assert tree.gain == pytest.approx(13 / 14 * (0.961237 - 0.747), abs=1e-3)  # printed: 0.199
    assert tree.score == pytest.approx(0.199 / 1.809, abs=1e-3)  # printed: 0.110
    of_value = dict(zip(GOLF.domain(0), tree.children, strict=True))
    weights = {value: child.weight for value, child in of_value.items()}
    assert weights == pytest.approx(
        {"overcast": 3 + 3 / 13, "rain": 5 + 5 / 13, "sunny": 5 + 5 / 13}
    )
    sunny = of_value["sunny"]
    assert isinstance(sunny, Question)
    # Printed: humidity <= 75 Play (2.0), > 75 Don't Play (3.4/0.4).
    assert [child.weight for child in sunny.children] == pytest.approx([2.0, 3 + 5 / 13])
    # Printed in the book for sunny, 70, humidity unknown, false: Play 44 %, Don't Play 56 %.
    shares = distribution(tree, ("sunny", 70, None, "false"))
    assert shares == pytest.approx({"Play": 0.44, "Don't": 0.56}, abs=5e-3)


def test_c45_needs_two_branches_of_enough_weight() -> None:
    table = Table(rows=[(1,), (2,), (3,)], target=["a", "a", "b"], kinds=["numeric"])
    assert isinstance(grow_c45(table), Leaf)
    assert isinstance(grow_c45(table, min_branch_weight=1.0), Question)


def test_c45_charges_a_numeric_column_for_its_cuts() -> None:
    table = Table(
        rows=[(i,) for i in range(8)], target=["a", "b", "a", "b", "b", "a", "b", "b"],
        kinds=["numeric"],
    )  # fmt: skip
    free = grow_c45(table, mdl=False)
    assert isinstance(free, Question)
    # Cuts leave at least two cases on each side: five are tried, and log2(5) / 8 is too much.
    assert free.gain < math.log2(5) / 8
    assert isinstance(grow_c45(table), Leaf)


def test_c45_guard_passes_over_columns_below_average_gain() -> None:
    # Column 0 isolates two of the ten rows: little gain, but the best ratio of all.
    rows = [("p", "u"), ("p", "u")] + [("q", "u")] * 3 + [("q", "v")] * 5
    target = ["a", "a", "a", "a", "b", "b", "b", "b", "b", "a"]
    table = Table(rows=rows, target=target, kinds=["nominal", "nominal"])
    gains = [best_score(column_of(table, column), criterion="entropy") for column in (0, 1)]
    assert gains == pytest.approx([0.2364527976, 0.2780719051])
    ratios = [best_score(column_of(table, column), criterion="gain_ratio") for column in (0, 1)]
    assert ratios == pytest.approx([0.2364527976 / 0.7219280949, 0.2780719051])
    guarded, plain = grow_c45(table), grow_c45(table, guard=False)
    assert isinstance(guarded, Question)
    assert isinstance(plain, Question)
    assert (guarded.split.column, plain.split.column) == (1, 0)
