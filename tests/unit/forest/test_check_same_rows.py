"""Data given once more, or to grow further trees on, must be those of the forest."""

from __future__ import annotations

from typing import Any

import pytest

from treewright import RandomForestClassifier, RandomForestRegressor
from treewright.errors import DataError

X: dict[str, list[Any]] = {"size": [1.0, 2.0, 3.0, 4.0] * 5, "colour": ["red", "blue"] * 10}
Y = [0, 1, 1, 0] * 5


@pytest.mark.parametrize(
    ("changed", "y", "message"),
    [
        (dict(X, colour=["red", "grey"] * 10), Y, "column 'colour' is not what it was"),
        (dict(X, size=["1", "2", "3", "4"] * 5), Y, "column 'size' is not what it was"),
        (dict(X, more=[1.0] * 20), Y, "the columns are not those"),
        ({"size": X["size"]}, Y, "the columns are not those"),
        (X, [0, 1, 2, 0] * 5, "the classes are not those"),
    ],
)
def test_trees_are_not_added_to_a_forest_of_another_table(
    changed: Any, y: Any, message: str
) -> None:
    """They would read categories by codes, and columns and classes by numbers, of another table."""
    model = RandomForestClassifier(2, warm_start=True).fit(X, Y)
    before = model.ensemble_
    for n_trees in (2, 4):
        model.set_params(n_estimators=n_trees)
        with pytest.raises(DataError, match=message + r"(.|\n)*Hint: warm_start=False"):
            model.fit(changed, y)
        assert model.ensemble_ is before


def test_rows_that_fill_other_leaves_are_others() -> None:
    model = RandomForestRegressor(2).fit(X, Y)
    assert model._training_data(X, Y, None).problem.table.n_rows == 20
    for rows in ([*range(19)], [*range(20), 0]):
        fewer = {name: [values[row] for row in rows] for name, values in X.items()}
        with pytest.raises(DataError, match="the rows are not those that the forest was grown"):
            model._training_data(fewer, [Y[row] for row in rows], None)


def test_where_leaves_do_not_tell_rows_are_taken_as_given() -> None:
    """Class weights, compacted trees: what leaves hold is not a number of rows."""
    weighed = RandomForestClassifier(2, class_weight="balanced").fit(X, Y)
    compact = RandomForestClassifier(2).fit({"size": X["size"]}, Y).compact()
    assert weighed._training_data(X, Y, None).draws is not None
    assert compact._training_data({"size": X["size"]}, Y, None).draws is not None
