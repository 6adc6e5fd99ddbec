"""What is said about tables, targets and weights that cannot be used, word for word."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning, NotFittedError

from treewright import DecisionTreeClassifier, DecisionTreeRegressor, ID3Classifier, Schema
from treewright.data.read import sparse as sparse_tables
from treewright.errors import (
    ColumnMismatchError,
    DataError,
    IdentifierWarning,
    MemoryLimitError,
    SmallDataWarning,
    TargetError,
)
from treewright.grow import fit as fitting

X = np.arange(8.0).reshape(4, 2)
CLASSES = ["a", "b", "a", "b"]
PEOPLE = pd.DataFrame({"age": [20, 30, 40, 50], "income": [1.0, 2, 3, 4], "region": list("nsns")})


def said(error: type[Exception], work: Any, *arguments: Any, **named: Any) -> str:
    with pytest.raises(error) as caught:
        work(*arguments, **named)
    assert type(caught.value) is error
    return str(caught.value)


def of_fit(x: Any, y: Any = CLASSES, weight: Any = None) -> str:
    return said(DataError, DecisionTreeClassifier().fit, x, y, weight)


def of_target(y: Any) -> str:
    return said(TargetError, DecisionTreeClassifier().fit, X, y)


def test_shapes() -> None:
    assert of_fit(np.empty((0, 2))) == (
        "Found array with 0 sample(s) (shape=(0, 2)) while a minimum of 1 is required.\n"
        "  Hint: the table has no rows; a filter before may have dropped all."
    )
    assert of_fit(np.empty((4, 0))) == (
        "Found array with 0 feature(s) (shape=(4, 0)) while a minimum of 1 is required."
    )
    assert of_fit([1, 2, 3, 4]) == (
        "Expected 2D array, got 1D array instead:\narray=[1 2 3 4].\n"
        "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or"
        " array.reshape(1, -1) if it contains a single sample.\n"
        "  Hint: the table comes first, then the target: fit(X, y), score(X, y)."
    )
    assert of_fit(np.zeros((2, 2, 2))) == ("Found array with dim 3, while dim <= 2 is required.")
    assert of_fit([[1, 2], [3], [4, 5], [6, 7]]) == "row 1 has 1 values, row 0 has 2."
    assert of_fit("people.csv") == (
        "X is the text 'people.csv', not a table.\n  Hint: treewright.read(path) reads a file."
    )


def test_columns_of_mixed_types_and_of_no_type() -> None:
    assert of_fit({"size": [1, "big", 2, 3]}) == (
        "column 'size' mixes numbers and text: row 0 holds 1, row 1 holds 'big'.\n"
        "  Hint: convert the column to one type first."
    )
    assert of_fit({"age": [1, 2, 3, 4], "size": [1, 2, 3]}) == (
        "column 'size' has 3 values, column 'age' has 4."
    )
    assert of_fit({"age": 3, "size": 4}) == (
        "column 'age' of the dict is 3, not a list of values.\n"
        "  Hint: pass one row as [{...}], a list of dicts."
    )


def test_repeated_names() -> None:
    assert of_fit(pd.DataFrame(X, columns=["age", "age"])) == (
        "the table has more than one column called 'age'.\n"
        "  Hint: rename or drop the repeated columns; columns are told apart by name."
    )


def test_values_outside_a_declared_domain() -> None:
    schema = Schema(values={"region": ["n", "e", "w"]})
    model = DecisionTreeClassifier(schema=schema)
    assert said(DataError, model.fit, PEOPLE, CLASSES) == (
        "column 'region', row 1 holds 's', which is not in its declared domain.\n"
        "  Declared: 'n', 'e', 'w'\n"
        "  Hint: add the value to the domain, or make it missing."
    )


def test_columns_that_are_not_those_of_fit() -> None:
    model = DecisionTreeClassifier().fit(PEOPLE, CLASSES)
    opening = "The feature names should match those that were passed during fit.\n"
    assert said(
        ColumnMismatchError, model.predict, PEOPLE.rename(columns={"income": "Income"})
    ) == (
        opening + "Feature names unseen at fit time:\n- Income\n"
        "Feature names seen at fit time, yet now missing:\n- income\n"
        "  Fitted on: age, income, region\n"
        "  Given:     age, Income, region\n"
        "  Hint: rename 'Income' to 'income'."
    )
    assert said(ColumnMismatchError, model.predict, PEOPLE[["age", "region"]]) == (
        opening + "Feature names seen at fit time, yet now missing:\n- income\n"
        "  Fitted on: age, income, region\n"
        "  Given:     age, region\n"
        "  Hint: add the column 'income'; its values may be missing."
    )
    assert said(ColumnMismatchError, model.predict, PEOPLE.assign(height=1)) == (
        opening + "Feature names unseen at fit time:\n- height\n"
        "  Fitted on: age, income, region\n"
        "  Given:     age, income, region, height\n"
        "  Hint: drop the column 'height'."
    )
    assert said(ColumnMismatchError, model.predict, PEOPLE[["income", "age", "region"]]) == (
        opening + "Feature names must be in the same order as they were in fit.\n"
        "  Fitted on: age, income, region\n"
        "  Given:     income, age, region\n"
        "  Hint: X[list(model.feature_names_in_)] puts the columns in the fitted order."
    )
    model = DecisionTreeClassifier().fit(X, CLASSES)
    assert said(ColumnMismatchError, model.predict, np.eye(3)) == (
        "X has 3 features, but DecisionTreeClassifier is expecting 2 features as input."
    )


def test_types_that_are_not_those_of_fit() -> None:
    model = DecisionTreeClassifier().fit(PEOPLE, CLASSES)
    assert said(DataError, model.predict, PEOPLE.assign(age=list("abcd"))) == (
        "column 'age' was fitted on numbers, but row 0 holds the text 'a'.\n"
        "  Hint: convert the column to numbers first."
    )
    strict = DecisionTreeClassifier(unseen="error").fit(PEOPLE, CLASSES)
    assert said(DataError, strict.predict, PEOPLE.assign(region=list("nses"))) == (
        "column 'region', row 2 holds 'e', which was not there at fit.\n"
        "  Hint: unseen='missing' or unseen='majority' gives such rows an answer."
    )
    assert said(DataError, strict.predict, PEOPLE.assign(region=list("nsee"))) == (
        "column 'region', row 2 holds 'e', which was not there at fit (nor were those of 1 more"
        " rows).\n"
        "  Hint: unseen='missing' or unseen='majority' gives such rows an answer."
    )


def test_targets() -> None:
    assert of_target(None) == (
        "DecisionTreeClassifier requires y to be passed, but the target y is None.\n"
        "  Hint: fit(X, y), where y has one value for each row of X."
    )
    assert of_target(["a", None, "b", None]) == (
        "Input y contains NaN.\n  2 of 4 values are missing, the first in row 1.\n"
        "  Hint: leave those rows out: their target is unknown."
    )
    assert of_target([0, 1, np.inf, 1]) == (
        "Input y contains infinity or a value too large for dtype('float64').\n"
        "  1 of 4 values are infinite, the first in row 2.\n"
        "  Hint: leave those rows out, or cap the target."
    )
    assert of_target([0.5, 1, 2, 3]) == (
        "Unknown label type: continuous. DecisionTreeClassifier needs classes, but the target has"
        " 4 distinct decimal numbers.\n  Hint: use DecisionTreeRegressor, or bin the target first."
    )
    assert of_target(["a", 1, "b", 2]) == (
        "the target mixes text and numbers: row 0 holds 'a', row 1 holds 1.\n"
        "  Hint: convert the column to one type first."
    )
    assert of_target(["a", "b", "a"]) == (
        "Found input variables with inconsistent numbers of samples: [4, 3].\n"
        "  X has 4 rows, y has 3.\n"
        "  Hint: select the rows of both alike: keep = ...; fit(X[keep], y[keep])."
    )
    assert said(TargetError, DecisionTreeRegressor().fit, X, CLASSES) == (
        "DecisionTreeRegressor needs numbers, but the target holds text: row 0 is 'a'.\n"
        "  Hint: use DecisionTreeClassifier, or convert the target to numbers."
    )
    assert of_target(sparse.csr_matrix(np.ones((4, 1)))) == (
        "a sparse target is not supported.\n  Hint: pass y.toarray()."
    )


def test_weights() -> None:
    assert of_fit(X, weight=[1, 1]) == "sample_weight has 2 values, the table has 4 rows."
    assert of_fit(X, weight=[1, -1, 1, 1]) == (
        "Negative values in data passed to `sample_weight`: row 1 has -1.\n"
        "  Hint: leave a row out by weight 0."
    )
    assert of_fit(X, weight=[1, 1, np.nan, 1]) == (
        "sample_weight of row 2 is nan; a weight is a finite number."
    )
    assert of_fit(X, weight=[0, 0, 0, 0]) == (
        "sample_weight is zero for every row; there is nothing to learn from."
    )
    assert of_fit(X, weight=list("abcd")) == "sample_weight must be numbers, not object."
    assert of_fit(X, weight=np.ones((4, 2))) == (
        "sample_weight has shape (4, 2); Sample weights must be 1D array or scalar."
    )


def test_an_estimator_that_has_not_learned() -> None:
    message = said(NotFittedError, DecisionTreeClassifier().predict, X)
    assert message.startswith("This DecisionTreeClassifier instance is not fitted yet.")


def test_warnings() -> None:
    with pytest.warns(SmallDataWarning) as caught:
        DecisionTreeClassifier().fit(X[:1], ["a"])
    assert [str(warning.message) for warning in caught] == [
        "the table has a single row (n_samples = 1): the tree is one leaf."
    ]
    names = pd.DataFrame({"name": [f"person {i}" for i in range(60)]})
    with pytest.warns(IdentifierWarning) as caught:
        DecisionTreeClassifier().fit(names, [0, 1] * 30)
    assert [str(warning.message) for warning in caught] == [
        "column 'name' looks like an identifier: all 60 values are distinct, so what it says about"
        " these rows says nothing about others.\n"
        "  Hint: leave it out, by dropping it or with schema=Schema(ignore=['name'])."
    ]
    with pytest.warns(DataConversionWarning, match=re.escape("example using ravel().")):
        DecisionTreeClassifier().fit(X, np.array(CLASSES)[:, np.newaxis])


@pytest.mark.filterwarnings("ignore")
def test_warnings_point_at_the_line_that_called() -> None:
    for work in (
        lambda: DecisionTreeClassifier().fit(X[:1], ["a"]),
        lambda: DecisionTreeClassifier().fit(PEOPLE, CLASSES).predict(PEOPLE.to_numpy()),
        lambda: DecisionTreeClassifier().fit(X, CLASSES).predict({"a": [1.0], "b": [2.0]}),
        lambda: DecisionTreeClassifier().fit(X, np.array(CLASSES)[:, np.newaxis]),
    ):
        with pytest.warns(UserWarning, match=".") as caught:
            work()
        assert caught[0].filename == __file__, caught[0].message


def test_memory_that_would_not_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "available_memory", lambda: 10_000)
    x = np.arange(1000.0)[:, np.newaxis]
    model = DecisionTreeClassifier()
    assert said(MemoryLimitError, model.fit, x, np.arange(1000)) == (
        "a tree of up to 2,000 nodes with the weights of 1,000 classes each could need 0.0 GB, and"
        " 0.0 GB are available.\n"
        "  Hint: max_leaf_nodes or max_depth bounds the tree; or group rare classes."
    )
    assert DecisionTreeClassifier(max_depth=1).fit(x, np.arange(1000) % 2).get_depth() == 1
    monkeypatch.setattr(sparse_tables, "available_memory", lambda: 2**30)
    assert said(MemoryLimitError, model.fit, sparse.csr_matrix((10**6, 10**3)), [0]) == (
        "the sparse table of 1000000 rows and 1000 columns would take 7.5 GiB when dense; 1.0 GiB"
        " are available.\n  Hint: keep fewer columns, or store it as float32."
    )


def test_memory_that_ran_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_: object) -> None:
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr(fitting, "grow", no_memory)
    assert said(MemoryLimitError, DecisionTreeClassifier().fit, X, CLASSES) == (
        "growing a tree on 4 rows and 2 columns ran out of memory.\n"
        "  Hint: max_depth, max_leaf_nodes or min_samples_leaf bounds the tree."
    )


def test_branches_for_declared_values_end_before_the_memory_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(0)
    table = random.integers(0, 300, (3_000, 3)).astype(str)
    classes = random.integers(0, 2, len(table))
    assert ID3Classifier().fit(table, classes).tree_.n_nodes > 50_000
    monkeypatch.setattr(fitting, "available_memory", lambda: 2 * 10**7)  # for some 50,000 nodes
    assert said(MemoryLimitError, ID3Classifier().fit, table, classes) == (
        "growing a tree on 3,000 rows and 3 columns ran out of memory.\n"
        "  Hint: a question opens a branch for each value of its column, 300 for 'x0';\n"
        "  max_depth bounds the tree, and DecisionTreeClassifier opens branches for the values that"
        " a node has."
    )
