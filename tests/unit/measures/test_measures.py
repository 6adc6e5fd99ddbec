"""treewright.measures: hand-worked numbers, agreement with the oracle, and every error's words.

The lectures' own numbers are in tests/golden; here are the corners they do not reach.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import CLASS_CRITERIA, Table, candidate_splits, criteria, score_of
from scipy.stats import chi2_contingency

from treewright import measures
from treewright.errors import DataError, ParameterError, TargetError

counts_of_class = st.integers(min_value=0, max_value=20)
small_tables = st.integers(min_value=1, max_value=4).flatmap(
    lambda n_classes: st.lists(
        st.lists(counts_of_class, min_size=n_classes, max_size=n_classes), min_size=2, max_size=4
    )
)


def parts_of(table: list[list[int]]) -> list[list[tuple[int, float]]]:
    parts = [[(label, float(n)) for label, n in enumerate(row) if n > 0] for row in table]
    return [part for part in parts if part]


class TestImpurity:
    @pytest.mark.parametrize("counts", [[7, 0], [0, 0, 3], [5]])
    def test_a_pure_set_is_exactly_zero(self, counts: list[int]) -> None:
        for measure in (measures.entropy, measures.gini, measures.misclassification):
            assert math.copysign(1.0, measure(counts)) == 1.0
            assert measure(counts) == 0.0

    def test_a_set_without_rows_is_pure(self) -> None:
        for measure in (measures.entropy, measures.gini, measures.misclassification):
            assert measure([0, 0]) == 0.0

    def test_base_of_the_logarithm(self) -> None:
        assert measures.entropy([1, 1, 1], base=3) == pytest.approx(1.0)
        assert measures.entropy([1, 1], base=math.e) == pytest.approx(math.log(2))

    @given(st.lists(counts_of_class, min_size=1, max_size=5), st.floats(1e-6, 1e6))
    def test_only_proportions_matter(self, counts: list[int], factor: float) -> None:
        for measure in (measures.entropy, measures.gini, measures.misclassification):
            scaled = measure([factor * count for count in counts])
            assert scaled == pytest.approx(measure(counts), abs=1e-12)

    def test_impurity_of_each_branch(self) -> None:
        found = measures.impurities([[1, 1], [3, 0], [0, 0]], measure="misclassification")
        assert found.tolist() == [0.5, 0.0, 0.0]


class TestSplits:
    @pytest.mark.parametrize("criterion", CLASS_CRITERIA)
    @given(table=small_tables)
    def test_scores_agree_with_the_oracle(self, criterion: str, table: list[list[int]]) -> None:
        parts = parts_of(table)
        if len(parts) < 2 or (criterion == "twoing" and len(parts) > 2):
            return
        found = measures.split_score(table, criterion=criterion)  # type: ignore[arg-type]
        expected = criteria.raw_score(parts, criterion, range(len(table[0])))
        if criterion == "gain_ratio":
            expected /= criteria.split_information([criteria.weight(part) for part in parts])
        elif criterion == "impurity_ratio":
            after = measures.weighted_impurity(table)
            if after == 0.0:
                assert found == (math.inf if expected > 0.0 else 0.0)
                return
            expected /= after
        assert found == pytest.approx(expected, abs=1e-9)

    @given(table=small_tables)
    def test_chi_square_agrees_with_scipy(self, table: list[list[int]]) -> None:
        counts = np.array(table)
        counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
        if min(counts.shape) < 2:
            assert measures.chi2(table) == measures.ChiSquare(statistic=0.0, df=0, p_value=1.0)
            return
        for correction in (False, True):
            expected = chi2_contingency(counts, correction=correction)
            found = measures.chi2(table, correction=correction)
            assert found.df == expected.dof
            # scipy moves a cell by at most its distance, we at most to nothing: the same.
            assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
            assert found.p_value == pytest.approx(expected.pvalue, abs=1e-9)

    @given(table=small_tables)
    def test_an_empty_branch_changes_nothing(self, table: list[list[int]]) -> None:
        longer = [*table, [0] * len(table[0])]
        for measure in (measures.gain, measures.gain_ratio, measures.hellinger):
            assert measure(longer) == measure(table)
        assert measures.chi2(longer) == measures.chi2(table)

    def test_no_gain_is_not_below_zero(self) -> None:
        assert measures.gain([[1, 2], [10, 20], [7, 14]]) >= 0.0

    def test_one_branch_with_rows_has_no_ratio(self) -> None:
        assert measures.gain_ratio([[3, 4], [0, 0]]) == 0.0
        assert measures.impurity_ratio([[3, 0], [0, 0]]) == 0.0
        assert measures.twoing([[3, 4], [0, 0]]) == 0.0
        assert measures.twoing([[3, 4]]) == 0.0

    def test_pure_branches_have_an_infinite_impurity_ratio(self) -> None:
        assert measures.impurity_ratio([[3, 0], [0, 1]]) == math.inf

    def test_missing_rows_are_one_more_branch_of_split_information(self) -> None:
        assert measures.split_information([[2, 0], [0, 2]], missing=4) == pytest.approx(1.5)

    def test_twoing_finds_its_two_branches_anywhere(self) -> None:
        expected = measures.twoing([[3, 1], [0, 4]])
        assert expected == pytest.approx(0.25 / 4 * 1.5**2)
        assert measures.twoing([[3, 1], [0, 0], [0, 4]]) == expected

    def test_twoing_refuses_three_branches(self) -> None:
        with pytest.raises(DataError, match=r"splits in two, but the table has 3 branches"):
            measures.twoing([[1, 0], [0, 1], [1, 1]])

    def test_hellinger_ignores_how_frequent_the_classes_are(self) -> None:
        rare = measures.hellinger([[3, 100], [1, 900]])
        assert rare == pytest.approx(measures.hellinger([[3, 1], [1, 9]]))


class TestValues:
    def test_weight_is_as_good_as_repeated_values(self) -> None:
        for measure in (
            measures.variance,
            measures.sse,
            measures.absolute_deviation,
            measures.poisson_deviance,
        ):
            assert measure([1, 4, 6], weights=[2, 0, 3]) == pytest.approx(measure([1, 1, 6, 6, 6]))

    def test_nothing_has_no_spread(self) -> None:
        for measure in (
            measures.variance,
            measures.sse,
            measures.absolute_deviation,
            measures.poisson_deviance,
        ):
            assert measure([]) == 0.0

    def test_no_count_at_all_has_no_deviance(self) -> None:
        assert measures.poisson_deviance([0, 0]) == 0.0

    def test_parts_with_weights(self) -> None:
        parts, weights = [[8, 10], [12, 12, 14]], [[1, 3], [2, 1, 1]]
        repeated = [[8, 10, 10, 10], [12, 12, 12, 14]]
        assert measures.weighted_error(parts, measure="sse", weights=weights) == pytest.approx(
            measures.weighted_error(repeated, measure="sse")
        )
        assert measures.error_reduction(parts, weights=weights) == pytest.approx(
            measures.error_reduction(repeated)
        )

    def test_an_empty_part_changes_nothing(self) -> None:
        assert measures.error_reduction([[1, 2], [5], []]) == pytest.approx(
            measures.error_reduction([[1, 2], [5]])
        )


class TestThresholds:
    def test_a_boundary_needs_two_classes_not_two_sets_of_classes(self) -> None:
        # Both values hold both classes, in other proportions: the cut between them may be best.
        x, y = [1, 1, 1, 2, 2, 2], ["a", "a", "b", "a", "b", "b"]
        assert measures.candidate_thresholds(x, y).tolist() == [1.5]

    def test_missing_rows_are_left_out(self) -> None:
        x = [1.0, np.nan, 3.0]
        assert measures.candidate_thresholds(x, ["a", "c", "b"]).tolist() == [2.0]
        found = measures.threshold_scores(x, ["a", "c", "b"])
        assert found.scores.tolist() == [1.0]

    def test_midpoints_stay_below_the_upper_value(self) -> None:
        above = np.nextafter(1.0, 2.0)
        assert measures.candidate_thresholds([1.0, above], rule="all").tolist() == [1.0]
        extremes = measures.candidate_thresholds([-np.inf, 0.0, np.inf], rule="all")
        assert extremes.tolist() == [-np.inf, 0.0]
        huge = measures.candidate_thresholds([1e308, 1.5e308], rule="all")
        assert huge.tolist() == [1.25e308]

    def test_a_constant_column_has_no_cut(self) -> None:
        found = measures.threshold_scores([2, 2], ["a", "b"], rule="all")
        assert found.thresholds.size == found.scores.size == found.best.size == 0

    def test_rows_of_no_weight_are_absent(self) -> None:
        found = measures.threshold_scores([1, 2, 3], ["a", "b", "b"], weights=[1, 0, 1])
        assert found.thresholds.tolist() == [2.0]

    @pytest.mark.parametrize(
        "criterion",
        [
            *CLASS_CRITERIA,
            "squared_error",
            "absolute_error",
            "poisson",
            "weighted_squared_error",
            "standard_deviation",
            "fifth_root",
        ],
    )
    @given(
        rows=st.lists(
            st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 3)),
            min_size=2,
            max_size=10,
        )
    )
    def test_scores_agree_with_the_oracle(
        self, criterion: str, rows: list[tuple[int, int, int]]
    ) -> None:
        x, y, weights = (list(column) for column in zip(*rows, strict=True))
        found = measures.threshold_scores(
            x,
            y,
            criterion=criterion,  # type: ignore[arg-type]
            rule="all",
            weights=weights,
        )
        table = Table(
            rows=[(value,) for value in x],
            target=y,
            kinds=["numeric"],
            weights=weights,
            classes=sorted({label for label, weight in zip(y, weights, strict=True) if weight}),
        )
        splits = list(candidate_splits(table, 0))
        assert found.thresholds.tolist() == [split.threshold for split in splits]
        if criterion == "impurity_ratio":
            return  # the oracle ranks by the gain; TestSplits compares the ratio itself
        expected = []
        for split in splits:
            try:
                expected.append(score_of(table, split, criterion=criterion))
            except ValueError:  # by "poisson" a tree refuses a side of zeros
                expected.append(-math.inf)
        assert found.scores.tolist() == pytest.approx(expected, abs=1e-9)

    def test_a_cut_that_no_tree_makes_is_never_the_best(self) -> None:
        found = measures.threshold_scores([1, 2, 3], [0, 0, 5], criterion="poisson")
        assert found.best.tolist() == []
        found = measures.threshold_scores([1, 2, 3], [0, 2, 5], criterion="poisson")
        assert found.best.tolist() == [2.5]

    def test_what_judges_both_sides_together_has_no_impurity(self) -> None:
        found = measures.threshold_scores([1, 2], ["a", "b"], criterion="twoing")
        assert np.isnan(found.impurities).all()

    def test_all_tied_thresholds_are_best(self) -> None:
        found = measures.threshold_scores([1, 2, 3, 4], ["a", "b", "b", "a"])
        assert found.best.tolist() == [1.5, 3.5]


class TestMissing:
    def test_without_missing_values_all_strategies_are_the_gain(self) -> None:
        x, y = ["p", "p", "q"], ["a", "b", "b"]
        expected = measures.gain(measures.contingency(x, y).table)
        for strategy in ("divide", "fractional", "most_likely", "own_branch"):
            found = measures.gain_with_missing(x, y, strategy=strategy)
            assert found == pytest.approx(expected)

    def test_a_class_without_known_values_is_filled_from_all_rows(self) -> None:
        x, y = ["p", "p", "q", None], ["a", "a", "b", "c"]
        found = measures.gain_with_missing(x, y, strategy="most_likely_in_class")
        assert found == pytest.approx(measures.gain([[2, 0, 1], [0, 1, 0]]))

    def test_nothing_known_gains_nothing(self) -> None:
        assert measures.gain_with_missing([None, None], ["a", "b"]) == 0.0
        assert measures.most_common([None, np.nan]) == ()

    def test_weights_decide_the_most_common_value(self) -> None:
        assert measures.most_common(["p", "p", "q"], weights=[1, 1, 3]) == ("q",)

    def test_fill_must_be_a_value_of_the_column(self) -> None:
        with pytest.raises(ParameterError, match=r"^fill='r' must be a value of the column"):
            measures.gain_with_missing(["p", "q"], ["a", "b"], strategy="fill", fill="r")


class TestTables:
    def test_declared_values_and_classes_keep_their_order(self) -> None:
        found = measures.contingency(
            ["low"], ["yes"], values=["high", "low"], classes=["yes", "no"], weights=[2.5]
        )
        assert found.table.tolist() == [[0.0, 0.0], [2.5, 0.0]]

    def test_values_of_several_types_keep_the_order_of_appearance(self) -> None:
        assert measures.contingency(["b", 1], ["x", "x"]).values == ("b", 1)

    def test_true_and_false_pass_every_comparison(self) -> None:
        x = [1, 2, None]
        expected = {"=": 1, "!=": 1, "<": 1, "<=": 2, ">": 0, ">=": 1}
        for test, n_passing in expected.items():
            assert measures.passes(x, test, 2).sum() == n_passing  # type: ignore[arg-type]


class TestCosts:
    def test_rules(self) -> None:
        assert measures.cost_score(0.5, 2.0, rule="rpart") == 0.25
        assert measures.cost_score(1.0, 0.0, rule="nunez") == 1.0

    @pytest.mark.parametrize("rule", ["tan_schlimmer", "rpart"])
    def test_a_free_column_has_no_quotient(self, rule: str) -> None:
        with pytest.raises(ParameterError, match=r"cost=0 must be above 0.*\n.*rule='nunez'"):
            measures.cost_score(0.5, 0, rule=rule)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: measures.entropy([]), DataError, "counts must be a list with one number per"),
        (lambda: measures.entropy([[1, 2]]), DataError, r"its shape is \(1, 2\)"),
        (lambda: measures.gini([1, -2]), DataError, r"counts\[1\] is -2.0, but must be at least 0"),
        (lambda: measures.gini([np.nan]), DataError, r"counts\[0\] is nan, but must be finite"),
        (lambda: measures.gini(["a", None]), DataError, r"labels\[1\] is None, but every row"),
        (lambda: measures.gini(labels=[]), DataError, "labels is empty"),
        (lambda: measures.gini(), ParameterError, "give counts or labels, and not both"),
        (lambda: measures.gain(["a", None], [0, 1]), DataError, r"1 rows .*\n  Hint: gain_with_mi"),
        (lambda: measures.gini([1e308, 1e308]), DataError, "more than a float can hold"),
        (lambda: measures.gain([1, 2]), DataError, "one row per branch and one column per class"),
        (lambda: measures.gain([[1], [2, 3]]), DataError, "table must be numbers, all rows of one"),
        (lambda: measures.gain([[1, -1]]), DataError, r"table\[0, 1\] is -1.0"),
        (lambda: measures.entropy([1], base=1), ParameterError, "base=1 must be above 1"),
        (
            lambda: measures.gain([[1]], measure="entropie"),  # type: ignore[arg-type]
            ParameterError,
            r"measure='entropie' must be one of 'entropy', .*\n  Hint: did you mean 'entropy'\?",
        ),
        (
            lambda: measures.split_score([[1]], criterion="x2"),  # type: ignore[arg-type]
            ParameterError,
            "criterion='x2' must be one of 'gini',",
        ),
        (
            lambda: measures.split_information([[1]], missing=-1),
            ParameterError,
            "missing=-1 must be a weight of at least 0",
        ),
        (lambda: measures.variance([[1]]), DataError, "values must be one list of numbers"),
        (lambda: measures.variance([1, np.inf]), DataError, r"values\[1\] is inf"),
        (lambda: measures.sse([1, 2], weights=[1]), DataError, "one number for each of the 2 rows"),
        (lambda: measures.poisson_deviance([1, -1]), DataError, r"values\[1\] is -1.0, but a Poi"),
        (lambda: measures.weighted_error([]), DataError, "at least one branch"),
        (
            lambda: measures.weighted_error([[1], [2]], weights=[[1]]),
            DataError,
            "one list for each of the 2 parts, but has 1",
        ),
        (lambda: measures.candidate_thresholds([1, 2]), DataError, "y is needed to find the class"),
        (lambda: measures.candidate_thresholds([[1]], [1]), DataError, "x must be one column"),
        (
            lambda: measures.candidate_thresholds([1, 2], ["a"]),
            DataError,
            "x has 2 rows and y has 1; they must be as many",
        ),
        (lambda: measures.contingency(["a"], []), DataError, "x has 1 rows and y has 0"),
        (lambda: measures.contingency(["a"], [None]), TargetError, r"y\[0\] is None, but every"),
        (
            lambda: measures.contingency(["a", "c"], [0, 0], values=["a", "b"]),
            DataError,
            r"x\[1\] is 'c', which is not among values: 'a', 'b'\.",
        ),
        (lambda: measures.contingency([["a"]], [0]), DataError, r"Row 0 holds \['a'\]"),
        (lambda: measures.passes(["a"], "<", 1), DataError, r"x\[0\] is 'a', which cannot be comp"),
        (lambda: measures.expected_costs([1, 1], [[0, 1]]), DataError, "must have 2 rows"),
        (lambda: measures.expected_costs([0], [[0]]), DataError, "counts are all 0"),
        (lambda: measures.mean_cost([[1, 2]], [[0]]), DataError, "confusion must be square"),
        (lambda: measures.mean_cost([[0]], [[0]]), DataError, "confusion is all 0"),
        (lambda: measures.cost_score(0.5, 1, w=-1), ParameterError, "w=-1 must be at least 0"),
        (lambda: measures.cost_score(math.nan, 1), ParameterError, "gain=nan must be a number"),
        (lambda: measures.suggested_depth(0), ParameterError, "n_columns=0 must be at least 1"),
    ],
)
def test_errors_say_what_and_where(
    call: Callable[[], object], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        call()
