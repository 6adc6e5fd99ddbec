"""No split beats the one the engine finds: every criterion x search x missing policy x thresholds.

Several splits may tie, so what a split achieves is compared, not where it is.
"""

from dataclasses import dataclass
from typing import Any, Literal

import oracle
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from oracle.splits import MISSING_POLICIES, Missing, Nominal, Thresholds, column_values
from property.growing import examples, grow, scale_of_score, split_of
from property.tables import STORAGES, Column, Sample, Storage, Weighting, small_tables

from treewright.errors import UnsupportedError

NOMINALS: tuple[Nominal, ...] = ("multiway", "subset", "one_vs_rest")
THRESHOLDS: tuple[Thresholds, ...] = ("all", "class_boundaries")
TOLERANCE = 1e-12


@dataclass(frozen=True, kw_only=True)
class Combination:
    criterion: str
    nominal: Nominal
    missing: Missing
    thresholds: Thresholds

    def __str__(self) -> str:
        return f"{self.criterion}-{self.nominal}-{self.missing}-{self.thresholds}"

    @property
    def is_classification(self) -> bool:
        return self.criterion in oracle.CLASS_CRITERIA

    @property
    def storages(self) -> tuple[Storage, ...]:
        """The columns it can be used with; none if it is refused whatever the table."""
        numeric = tuple(storage for storage in STORAGES if storage != "nominal")
        if not self.is_classification and (
            self.missing == "most_likely_in_class" or self.thresholds == "class_boundaries"
        ):
            return ()
        takes_numeric = takes_nominal = True
        if self.criterion == "twoing":  # judges two branches
            takes_nominal = self.nominal != "multiway"
            takes_numeric = self.missing != "own_branch"
        if self.criterion == "absolute_error" and self.nominal == "subset":
            takes_nominal = False
        if self.missing == "surrogates" and self.nominal == "multiway":
            takes_nominal = False
        return (numeric if takes_numeric else ()) + (("nominal",) if takes_nominal else ())

    @property
    def is_exact_under_limits(self) -> bool:
        """One ordering of the values holds the best subset, but not the best of enough rows."""
        enumerates = ("weighted_squared_error", "standard_deviation", "fifth_root")
        return self.nominal != "subset" or self.criterion in enumerates

    def knobs(self) -> dict[str, Any]:
        return {
            "criterion": self.criterion,
            "nominal": self.nominal,
            "missing": self.missing,
            "thresholds": self.thresholds,
        }

    def tables(self) -> st.SearchStrategy[Sample]:
        target: Literal["classes", "numbers", "counts"] = "classes"
        if not self.is_classification:
            target = "counts" if self.criterion == "poisson" else "numbers"
        weightings: list[Weighting] = ["none", "whole", "dyadic"]
        if not self.missing.startswith("most_likely"):  # rounding would decide what is most likely
            weightings.append("awkward")
        return small_tables(target=target, storages=self.storages, weightings=weightings)


COMBINATIONS = [
    Combination(criterion=criterion, nominal=nominal, missing=missing, thresholds=thresholds)
    for criterion in (*oracle.CLASS_CRITERIA, *oracle.VALUE_CRITERIA)
    for nominal in NOMINALS
    for missing in MISSING_POLICIES
    for thresholds in THRESHOLDS
]
SUPPORTED = [each for each in COMBINATIONS if each.storages]
REFUSED = [each for each in COMBINATIONS if len(each.storages) < len(STORAGES)]


@pytest.mark.parametrize("combination", SUPPORTED, ids=str)
@given(data=st.data())
@settings(examples(0.2))
def test_no_split_beats_the_one_found(combination: Combination, data: st.DataObject) -> None:
    sample = data.draw(combination.tables())
    min_samples_leaf = 1
    if combination.is_exact_under_limits:
        min_samples_leaf = data.draw(st.integers(1, 3))
    check_root(sample, combination, min_samples_leaf)


@given(data=st.data())
@settings(examples(5))
def test_no_split_beats_the_one_found_whatever_the_options(data: st.DataObject) -> None:
    combination = data.draw(st.sampled_from(SUPPORTED))
    check_root(data.draw(combination.tables()), combination, 1)


def one_nominal_column(values: str, target: Any) -> Sample:
    column = Column(storage="nominal", values=tuple(None if v == "-" else v for v in values))
    classes = tuple(sorted(set(target))) if isinstance(target, str) else ()
    return Sample(columns=(column,), target=tuple(target), classes=classes)


# Where the rows without a value differ most from the others, the best subset is no cut of the order
# of the values by their share or mean.
@given(
    sample=st.one_of(
        small_tables(storages=["nominal"], max_columns=1, fixed_classes=2, min_rows=5),
        small_tables(storages=["nominal"], max_columns=1, target="numbers", min_rows=5),
    )
)
@example(one_nominal_column("r-sssqq", [1.0, 8.0, 1.0, 2.0, 0.0, 1.0, 0.0]))
@example(one_nominal_column("pr---q-prr", "bbaabbbbbb"))
@settings(examples(5))
def test_no_subset_beats_the_one_found_with_missing_rows_on_either_side(sample: Sample) -> None:
    criterion = "gini" if sample.is_classification else "squared_error"
    combination = Combination(
        criterion=criterion, nominal="subset", missing="learned_side", thresholds="all"
    )
    check_root(sample, combination, 1)


@given(data=st.data())
@settings(examples(5))
def test_ties_go_to_the_lower_column_then_the_lower_cut_or_code(data: st.DataObject) -> None:
    criterion = data.draw(
        st.sampled_from(["gini", "entropy", "misclassification", "chi2", "hellinger"])
    )
    nominal = data.draw(st.sampled_from(NOMINALS))
    sample = data.draw(small_tables(missing=False, weightings=["none", "whole"]))
    tree = grow(sample, criterion=criterion, nominal=nominal, max_depth=1)
    split = split_of(tree)
    if split is None:
        return
    first = oracle.best_splits(sample.for_oracle(), criterion=criterion, nominal=nominal)[0].split
    assert split.column == first.column
    if split.kind == "cut":
        assert split.threshold is not None
        assert first.threshold is not None
        values = {value for value in sample.columns[split.column].values if value is not None}
        below = {value for value in values if value <= split.threshold}
        assert below == {value for value in values if value <= first.threshold}
    elif nominal == "one_vs_rest":
        expected = first.branch_of_value
        assert {value: split.branch_of(value) for value in expected} == expected


@pytest.mark.parametrize("counts", [(7, 2, 4, 9), (7, 1, 8, 8), (3, 2, 1, 5), (1, 6, 3, 7)])
@pytest.mark.parametrize("unit", [0.125, 1.0, 3.0])
def test_ties_that_rounding_would_break_go_to_the_lower_cut(
    counts: tuple[int, int, int, int], unit: float
) -> None:
    # Four values, each of one class. Cut after the second or the third, the sides change sizes:
    # a + b | c + d and a + b + c | d gain the same where a + b = d.
    values = [value for value, count in enumerate(counts) for _ in range(count)]
    sample = Sample(
        columns=(Column(storage="int", values=tuple(values)),),
        target=tuple("abcd"[value] for value in values),
        weights=(unit,) * len(values),
    )
    for criterion in ("entropy", "gain_ratio"):
        split = split_of(grow(sample, criterion=criterion, max_depth=1))
        assert split is not None
        assert split.threshold == 1.5


def check_root(sample: Sample, combination: Combination, min_samples_leaf: int) -> None:
    if combination.criterion == "poisson":
        assume(any(y > 0 for y in sample.weighed_target))
    table = sample.for_oracle()
    tree = grow(sample, max_depth=1, min_samples_leaf=min_samples_leaf, **combination.knobs())
    best = oracle.best_score(table, min_samples_leaf=min_samples_leaf, **combination.knobs())
    tolerance = TOLERANCE * scale_of_score(sample, combination.criterion)
    split = split_of(tree)
    if len(sample.weighed_target) == 1:
        assert split is None
        return
    if split is None:
        assert best is None or best <= tolerance
        return
    assert best is not None
    reached = oracle.score_of(
        table,
        split,
        criterion=combination.criterion,
        missing=combination.missing,
        min_samples_leaf=min_samples_leaf,
    )
    assert reached >= best - tolerance
    is_ratio = combination.criterion == "impurity_ratio"  # the oracle ranks it by its gain
    told = tree.arrays.gain[0] if is_ratio else tree.arrays.score[0]
    assert told == pytest.approx(reached, rel=1e-9, abs=tolerance)
    if sample.is_classification and combination.missing not in ("divide", "surrogates"):
        check_children(tree.arrays.value, split, table, combination.missing)


def check_children(value: Any, split: oracle.Split, table: oracle.Table, missing: Missing) -> None:
    """The rows really went where the split says, those without a value too."""
    values = column_values(table, split.column, missing=missing)
    for position, label in enumerate(table.class_order()):
        expected: dict[int, float] = {}
        unknown = 0.0
        for row, known in values.items():
            if table.target[row] != label:
                continue
            if known is None and split.missing_branch is None:
                unknown += table.weight_of(row)
                continue
            branch = split.missing_branch if known is None else split.branch_of(known)
            assert branch is not None
            expected[branch] = expected.get(branch, 0.0) + table.weight_of(row)
        assert unknown == 0.0  # every policy but divide settles where missing rows go
        for branch in range(len(value) - 1):
            assert value[1 + branch, position] == pytest.approx(expected.get(branch, 0.0))


@pytest.mark.parametrize("combination", REFUSED, ids=str)
def test_what_makes_no_sense_is_refused(combination: Combination) -> None:
    sample = Sample(
        columns=(
            Column(storage="nominal", values=("p", "q", None, "r")),
            Column(storage="float", values=(1.0, 2.0, None, 4.0)),
        ),
        target=("a", "b", "a", "b") if combination.is_classification else (1.0, 2.0, 3.0, 5.0),
    )
    with pytest.raises(UnsupportedError, match="Hint"):
        grow(sample, **combination.knobs())
