"""Names of columns at predict time: scikit-learn's rules and words, then what to do."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from treewright.data.read.table import match_table, read_table
from treewright.errors import ColumnMismatchError, DataError


def frame(*names: str) -> pd.DataFrame:
    return pd.DataFrame({name: [float(i)] for i, name in enumerate(names)})


def message_for(fitted: pd.DataFrame, given: pd.DataFrame) -> str:
    with pytest.raises(ColumnMismatchError) as caught:
        match_table(given, read_table(fitted).schema, owner="DecisionTreeClassifier")
    return str(caught.value)


def test_another_order_is_refused() -> None:
    assert message_for(frame("a", "b"), frame("b", "a")) == (
        "The feature names should match those that were passed during fit.\n"
        "Feature names must be in the same order as they were in fit.\n"
        "  Fitted on: a, b\n"
        "  Given:     b, a\n"
        "  Hint: X[list(model.feature_names_in_)] puts the columns in the fitted order."
    )


def test_a_renamed_column_is_recognised() -> None:
    assert message_for(frame("age", "income"), frame("age", "Income")) == (
        "The feature names should match those that were passed during fit.\n"
        "Feature names unseen at fit time:\n- Income\n"
        "Feature names seen at fit time, yet now missing:\n- income\n"
        "  Fitted on: age, income\n"
        "  Given:     age, Income\n"
        "  Hint: rename 'Income' to 'income'."
    )


def test_a_missing_and_an_extra_column_are_named() -> None:
    missing = message_for(frame("age", "income"), frame("age"))
    assert "yet now missing:\n- income\n" in missing
    assert missing.endswith("Hint: add the column 'income'; its values may be missing.")
    extra = message_for(frame("age"), frame("age", "income"))
    assert "unseen at fit time:\n- income\n" in extra
    assert extra.endswith("Hint: drop the column 'income'.")


def test_at_most_five_are_listed() -> None:
    names = [f"c{i}" for i in range(8)]
    message = message_for(frame(*names), frame("z"))
    assert "- c4\n- ...\n" in message
    assert "  Fitted on: c0, c1, c2, c3, c4 and 3 more\n" in message


def test_by_name_takes_any_order_and_leaves_the_rest() -> None:
    fitted = read_table(frame("a", "b")).schema
    table = match_table(frame("c", "b", "a"), fitted, owner="Tree", by_name=True)
    assert [column.tolist() for column in table.columns] == [[2.0], [1.0]]
    with pytest.raises(ColumnMismatchError, match=r"yet now missing:\n- a\n"):
        match_table(frame("b"), fitted, owner="Tree", by_name=True)


def test_names_on_one_side_only_warn_in_scikit_learns_words() -> None:
    named, bare = frame("a", "b"), np.array([[0.0, 1.0]])
    with pytest.warns(UserWarning, match="feature names") as caught:
        match_table(bare, read_table(named).schema, owner="CARTRegressor")
    assert str(caught[0].message) == (
        "X does not have valid feature names, but CARTRegressor was fitted with feature names"
    )
    with pytest.warns(UserWarning, match="feature names") as caught:
        match_table(named, read_table(bare).schema, owner="CARTRegressor")
    assert str(caught[0].message) == (
        "X has feature names, but CARTRegressor was fitted without feature names"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        match_table(bare, read_table(named).schema, owner="Tree", by_name=True)


def test_repeated_names_are_an_error() -> None:
    repeated = pd.DataFrame(np.zeros((2, 3)), columns=["a", "b", "a"])
    with pytest.raises(DataError) as caught:
        read_table(repeated)
    assert str(caught.value) == (
        "the table has more than one column called 'a'.\n"
        "  Hint: rename or drop the repeated columns; columns are told apart by name."
    )


def test_repeated_names_of_other_libraries_are_an_error() -> None:
    repeated = pa.table([pa.array([1.0]), pa.array([2.0])], names=["a", "a"])
    with pytest.raises(DataError, match="more than one column called 'a'"):
        read_table(repeated)


def test_numbers_as_names_are_no_names_and_a_mixture_is_refused() -> None:
    table = read_table(pd.DataFrame(np.zeros((2, 2))))
    assert (table.schema.named, table.schema.names) == (False, ("x0", "x1"))
    with pytest.raises(TypeError, match=r"Feature names are only supported if all input features"):
        read_table(pd.DataFrame(np.zeros((2, 2)), columns=["a", 1]))
