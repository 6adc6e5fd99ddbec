"""A tree after any sequence of updates is the tree of all rows at once, to the last bit."""

from itertools import pairwise
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.criteria import entropy, gini

from treewright import DecisionTreeClassifier, IncrementalTreeClassifier
from treewright.prune import CostComplexity, ErrorBased
from treewright.stream import update
from treewright.stream.others import most_lost_by_row

pytestmark = pytest.mark.filterwarnings("ignore::treewright.errors.TreewrightWarning")

VALUES: dict[str, Any] = {
    "whole": st.integers(-3, 6),
    "decimal": st.sampled_from([-2.5, -1.0, 0.25, 0.5, 1.0, 1e300]),
    "text": st.sampled_from(["red", "green", "blue", "grey"]),
    "first whole, then decimal": st.sampled_from([1, 2, 3, 4]),
    "few, then many": st.sampled_from(["a", "b"]),
}
LATER: dict[str, Any] = {
    "first whole, then decimal": st.sampled_from([1, 2.5, 0.5]),
    "few, then many": st.sampled_from(["c", "a", "A", "b", "0"]),
}


@st.composite
def rows_in_batches(draw: Any) -> tuple[list[dict[str, Any]], list[Any], list[int]]:
    """Return rows, their classes, and where batches begin and end."""
    names = draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=4, unique=True))
    n_rows = draw(st.integers(2, 40))
    turn = draw(st.integers(0, n_rows))
    gaps = draw(st.booleans())
    classes = draw(st.sampled_from([["no", "yes"], ["b", "a", "c"], [0, 1, 2, 3]]))
    rows, y = [], []
    for i in range(n_rows):
        row = {}
        for name in names:
            values = LATER.get(name, VALUES[name]) if i >= turn else VALUES[name]
            row[name] = draw(st.none() | values) if gaps else draw(values)
        rows.append(row)
        y.append(draw(st.sampled_from(classes[: 1 + (i >= turn) * len(classes)])))
    ends = draw(st.lists(st.integers(1, n_rows - 1), max_size=12, unique=True))
    return rows, y, [0, *sorted(ends), n_rows]


SETTINGS: dict[str, Any] = {
    "criterion": st.sampled_from(["gini", "entropy"]),
    "nominal": st.sampled_from(["subset", "one_vs_rest", "multiway"]),
    "max_depth": st.none() | st.integers(1, 4),
    "min_samples_leaf": st.integers(1, 3),
    "min_samples_split": st.integers(2, 5),
    "min_impurity": st.sampled_from([0.0, 0.2]),
    "threshold_at": st.sampled_from(["midpoint", "observed"]),
    "unseen": st.sampled_from(["missing", "majority"]),
    "guard_many_values": st.booleans(),
}
OTHERS: list[dict[str, Any]] = [
    {"criterion": "twoing"},
    {"criterion": "gain_ratio"},
    {"splitter": "random", "random_state": 3},
    {"max_features": 1, "random_state": 1},
    {"missing": "divide"},
    {"missing": "surrogates"},
    {"missing": "most_likely_in_training"},
    {"threshold_at": "training"},
    {"max_leaf_nodes": 4},
    {"min_samples_leaf": 0.2},
    {"min_weight_fraction_leaf": 0.1},
    {"min_impurity_decrease": 0.02},
    {"max_p_value": 0.3},
    {"numeric": "mdlp"},
    {"class_weight": "balanced"},
    {"leaf": "laplace"},
    {"leaf": "m_estimate"},
    {"thresholds": "class_boundaries"},
]
PRUNED: list[dict[str, Any]] = [
    {"ccp_alpha": 0.02},
    {"prune": "pessimistic"},
    {"prune": ErrorBased()},
    {"prune": CostComplexity(alpha=0.01)},
]


def check(given_rows: Any, options: dict[str, Any], weight: Any = None) -> None:
    rows, y, ends = given_rows
    model = IncrementalTreeClassifier(**options)
    for begin, end in pairwise(ends):
        of_batch = None if weight is None else weight[begin:end]
        model.partial_fit(rows[begin:end], y[begin:end], sample_weight=of_batch)
        of_all = None if weight is None else weight[:end]
        due = DecisionTreeClassifier(**options).fit(rows[:end], y[:end], of_all)
        assert model.tree_.arrays.equals(due.tree_.arrays)
        assert model.text() == due.text()
        assert model.tree_.schema == due.tree_.schema
        assert model.classes_.tolist() == due.classes_.tolist()
        assert np.array_equal(model.predict_proba(rows), due.predict_proba(rows))
        assert model.n_rows_seen_ == end


@given(
    given_rows=rows_in_batches(),
    options=st.fixed_dictionaries({}, optional=SETTINGS),
    may_judge=st.sampled_from([0.0, 0.3, 1e9]),
)
@settings(max_examples=250, deadline=None)
def test_node_by_node(given_rows: Any, options: dict[str, Any], may_judge: float) -> None:
    """With sizes at which only large tables would be updated node by node."""
    with (
        patch.object(update, "_FEW_CELLS", 4),
        patch.object(update, "_MOST_REACHED", 2.0),
        patch.object(update, "_CELLS_TO_JUDGE", may_judge),
    ):
        check(given_rows, options)


@given(
    given_rows=rows_in_batches(),
    options=st.sampled_from(OTHERS),
    further=st.fixed_dictionaries({}, optional={"max_depth": st.integers(1, 3)}),
)
@settings(max_examples=120, deadline=None)
def test_what_is_grown_anew(given_rows: Any, options: Any, further: Any) -> None:
    with patch.object(update, "_FEW_CELLS", 4):
        check(given_rows, {**options, **further})


@given(given_rows=rows_in_batches(), options=st.sampled_from(PRUNED))
@settings(max_examples=60, deadline=None)
def test_pruned(given_rows: Any, options: Any) -> None:
    with patch.object(update, "_FEW_CELLS", 4), patch.object(update, "_MOST_REACHED", 2.0):
        check(given_rows, options)


@given(given_rows=rows_in_batches(), data=st.data())
@settings(max_examples=80, deadline=None)
def test_weights(given_rows: Any, data: Any) -> None:
    some = data.draw(st.sampled_from([[1, 2], [0, 1, 3], [0.5, 0.3, 1.7], [1e-80, 1e70]]))
    n_rows = len(given_rows[1])
    weight = data.draw(st.lists(st.sampled_from(some), min_size=n_rows, max_size=n_rows))
    weight[0] = 1
    check(given_rows, {}, weight)


@given(given_rows=rows_in_batches(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_parameters_may_change(given_rows: Any, data: Any) -> None:
    """What is set between two updates holds for the whole tree."""
    rows, y, ends = given_rows
    model = IncrementalTreeClassifier()
    with patch.object(update, "_FEW_CELLS", 4), patch.object(update, "_MOST_REACHED", 2.0):
        for begin, end in pairwise(ends):
            options = data.draw(st.fixed_dictionaries({"max_depth": SETTINGS["max_depth"]}))
            model.set_params(**options).partial_fit(rows[begin:end], y[begin:end])
            due = DecisionTreeClassifier(**options).fit(rows[:end], y[:end])
            assert model.tree_.arrays.equals(due.tree_.arrays)


LABELS = st.sampled_from("abc")
ROWS = st.lists(st.tuples(st.integers(0, 4), LABELS), min_size=1, max_size=10)


def least_left_over(rows: Any, measure: Any) -> float:
    """Return the least impurity, times rows, that a cut leaves over, or that there is."""

    def whole(part: Any) -> float:
        return len(part) * measure([(label, 1.0) for _, label in part]) if part else 0.0

    cuts = {value for value, _ in rows}
    return min(
        whole([row for row in rows if row[0] <= cut]) + whole([row for row in rows if row[0] > cut])
        for cut in cuts
    )


@pytest.mark.parametrize(("criterion", "measure"), [("gini", gini), ("entropy", entropy)])
@given(rows=ROWS, more=ROWS)
@settings(max_examples=300, deadline=None)
def test_what_is_left_over_never_falls(criterion: str, measure: Any, rows: Any, more: Any) -> None:
    """The bound that :mod:`treewright.stream.others` proves, by brute force over all cuts."""
    options = DecisionTreeClassifier(criterion=criterion)._options()
    of_all = least_left_over(rows + more, measure)
    assert of_all >= least_left_over(rows, measure) - 1e-9
    lost = sum(most_lost_by_row(options, n) for n in range(len(rows) + 1, len(rows + more) + 1))
    assert least_left_over(rows, measure) >= of_all - lost - 1e-9
