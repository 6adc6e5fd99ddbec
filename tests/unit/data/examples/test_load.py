"""The example tables load and are what they say."""

from collections import Counter

import numpy as np
import pytest

from treewright.data.examples.load import list_examples, load_example
from treewright.data.read.table import read_table
from treewright.errors import ParameterError


@pytest.mark.filterwarnings("ignore::treewright.errors.IdentifierWarning")  # one has a column Day
@pytest.mark.parametrize("name", list_examples())
def test_every_example_is_a_table_to_learn_from(name: str) -> None:
    example = load_example(name)
    table = read_table(example.X)
    assert example.title
    assert example.source
    assert (example.y is None) == (example.task == "none")
    if example.y is not None:
        assert len(example.y) == table.n_rows
    if example.task == "classification" and example.y is not None:
        assert set(example.y.tolist()) <= set(example.classes)
    if example.ids:
        assert len(example.ids) == table.n_rows


def test_the_fourteen_days() -> None:
    example = load_example("play_tennis")
    assert example.X.columns == ("Outlook", "Temperature", "Humidity", "Wind")
    assert example.ids[:2] == ("D1", "D2")
    assert Counter(example.y.tolist()) == {"Yes": 9, "No": 5}


def test_counts_are_weights() -> None:
    weights = load_example("ab_0").weights
    assert weights is not None
    assert weights.tolist() == [50, 50, 0, 100]


def test_loans_have_every_kind_of_column_gaps_and_a_rare_class() -> None:
    example = load_example("loans")
    table = read_table(example.X)
    assert {spec.kind for spec in table.schema} == {"numeric", "nominal", "ordinal"}
    assert {spec.storage for spec in table.schema} == {"float", "datetime", "value"}
    assert table.n_rows == 2000
    gaps = {name for name in example.X.columns if example.X.column(name).missing.any()}
    assert gaps == {"years_employed", "income", "region", "last_contact"}
    counts = Counter(example.y.tolist())
    assert counts["default"] < 0.05 * table.n_rows < counts["late"] < counts["repaid"]


def test_loans_are_the_same_every_time() -> None:
    first, second = load_example("loans"), load_example("loans")
    assert first.y.tolist() == second.y.tolist()
    for name in first.X.columns:
        np.testing.assert_array_equal(first.X.column(name).data, second.X.column(name).data)
    assert first.X["age"][:5].tolist() == [41, 59, 35, 24, 35]


def test_an_unknown_example_offers_the_nearest() -> None:
    with pytest.raises(ParameterError, match=r"no example called 'play_tenis'[\s\S]*play_tennis"):
        load_example("play_tenis")
