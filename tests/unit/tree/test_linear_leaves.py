"""Linear models in leaves: their numbers, their words, and the table that holds them."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from unit.tree.hand_trees import build, cut, mean_leaf, nominal, numeric, ordinal, schema_of

from treewright.data.fitted_schema import FittedSchema
from treewright.data.read.rows import read_rows
from treewright.errors import ModelFormatError
from treewright.tree.edit import with_leaves
from treewright.tree.linear_leaves import IndicatorTerm, LinearLeaves, LinearModel, NumberTerm
from treewright.tree.tree import Tree

SCHEMA = schema_of(
    numeric("size"),
    numeric("day", "datetime", unit="ns"),
    numeric("wait", "duration", unit="us"),
    numeric("id", "uint"),
    nominal("colour", "red", "green", "blue"),
    ordinal("grade", "poor", "fair", "good"),
)
SIZE = NumberTerm(index=0, column=SCHEMA.columns[0], low=-5.0, high=9.0)
DAY = NumberTerm(index=1, column=SCHEMA.columns[1], low=0.0, high=20_000.0)
WAIT = NumberTerm(index=2, column=SCHEMA.columns[2], low=0.0, high=9.0)
ID = NumberTerm(index=3, column=SCHEMA.columns[3], low=0.0, high=2.0**64)
COOL = IndicatorTerm(index=4, column=SCHEMA.columns[4], codes=frozenset({1, 2}))
BETTER = IndicatorTerm(index=5, column=SCHEMA.columns[5], codes=frozenset({1, 2}))
ROW = {
    "size": 2.5,
    "day": np.datetime64("1970-01-11T12", "ns"),
    "wait": np.timedelta64(36, "h"),
    "id": 2**64 - 1,
    "colour": "blue",
    "grade": "poor",
}


def linear_tree(*, limits: bool = False, missing_branch: int = -1) -> Tree:
    """``size <= 3``: 10 + 2 size + (colour in {green, blue}); else the constant 7."""
    root = cut(
        "size",
        3.0,
        mean_leaf(6, 12.0),
        mean_leaf(2, 7.0),
        missing_branch=missing_branch,
        unseen_branch=missing_branch,
    )
    linear = LinearLeaves(
        terms=(SIZE, COOL),
        start=[0, 0, 2, 2],
        term=[0, 1],
        coefficient=[2.0, 1.0],
        fill=[1.5, 0.0],
        intercept=[0.0, 10.0, 0.0],
        limits=[[0.0, 20.0], [9.0, 14.0], [7.0, 7.0]] if limits else None,
    )
    return build(SCHEMA, root, None, linear=linear)


def row(**changes: object) -> list[dict[str, object]]:
    return [{**ROW, **changes}]


@pytest.mark.parametrize(
    ("term", "changes", "number"),
    [
        (SIZE, {}, 2.5),
        (SIZE, {"size": np.inf}, 9.0),
        (SIZE, {"size": -np.inf}, -5.0),
        (SIZE, {"size": None}, np.nan),
        (DAY, {}, 10.5),
        (DAY, {"day": None}, np.nan),
        (WAIT, {}, 1.5),
        (ID, {}, 2.0**64),
        (ID, {"id": 3}, 3.0),
        (COOL, {}, 1.0),
        (COOL, {"colour": "red"}, 0.0),
        (COOL, {"colour": "pink"}, np.nan),
        (COOL, {"colour": None}, np.nan),
        (BETTER, {}, 0.0),
        (BETTER, {"grade": "good"}, 1.0),
    ],
)
def test_what_a_term_makes_of_a_value(
    term: NumberTerm | IndicatorTerm, changes: dict[str, object], number: float
) -> None:
    table = read_rows(row(**changes), SCHEMA)
    assert term.values(table).tolist() == pytest.approx([number], nan_ok=True)


def test_terms_in_words() -> None:
    assert SIZE.text() == "size"
    assert COOL.text() == "(colour in {green, blue})"
    assert BETTER.text() == "(grade > poor)"
    assert DAY.unit() == "days since 1970-01-01"
    assert WAIT.unit() == "days"
    assert SIZE.unit() is None


def test_a_model_in_words() -> None:
    model = LinearModel(
        intercept=-44.8206,
        coefficients=(0.00089, -1.0, 1.8601),
        terms=(DAY, SIZE, COOL),
        fills=(0.0, 0.0, 0.0),
        limits=(-50.0, 12.25),
    )
    assert str(model) == (
        "-44.82 + 0.00089*day - size + 1.86*(colour in {green, blue}), kept within -50 and 12.25"
    )
    assert model.table() == (
        "- 44.82\n"
        "+  0.00089 * day  [days since 1970-01-01]\n"
        "-  1       * size\n"
        "+  1.86    * (colour in {green, blue})\n"
        "  kept within -50 and 12.25"
    )


def test_an_intercept_that_is_rounding_is_not_shown() -> None:
    model = LinearModel(intercept=1e-12, coefficients=(2.0,), terms=(SIZE,), fills=(0.0,))
    assert str(model) == "0 + 2*size"


def test_prediction_by_leaf() -> None:
    tree = linear_tree(missing_branch=0)
    table = [*row(), *row(size=5.0), *row(colour=None), *row(colour="pink"), *row(size=None)]
    assert tree.predict(table).tolist() == [16.0, 7.0, 15.0, 15.0, 14.0]
    assert tree.apply(table).tolist() == [1, 2, 1, 1, 1]


def test_a_divided_row_gets_its_parts_of_each_leaf() -> None:
    tree = linear_tree()
    assert tree.predict(row(size=None))[0] == pytest.approx(6 / 8 * 14.0 + 2 / 8 * 7.0)
    assert tree.explain({**ROW, "size": None}).answer[0] == pytest.approx(12.25)
    tree.combine = "leaf_counts"
    del tree.plan
    assert tree.predict(row(size=None))[0] == pytest.approx(6 / 8 * 14.0 + 2 / 8 * 7.0)
    assert tree.predict(row())[0] == 16.0


def test_limits_hold_models_and_not_constants() -> None:
    tree = linear_tree(limits=True)
    assert tree.predict([*row(size=3.0), *row(size=-5.0), *row(size=9.0)]).tolist() == [
        14.0,
        9.0,
        7.0,
    ]
    assert tree.linear is not None
    assert tree.linear.model(1).limits == (9.0, 14.0)  # type: ignore[union-attr]


def test_predictions_beyond_the_largest_number_stay_numbers() -> None:
    tree = linear_tree()
    assert tree.linear is not None
    steep = replace(tree.linear, coefficient=np.array([1e308, 1.0]))
    far = tree.with_arrays(tree.arrays, linear=steep)
    predicted = far.predict([*row(size=-1e300), *row(size=-np.inf)])
    assert np.isfinite(predicted).all()
    assert (predicted < -1e307).all()


def test_the_tree_says_what_its_leaves_answer() -> None:
    tree = linear_tree()
    assert tree.text() == (
        "node                rows     sd     answer\n"
        "   0  (all rows)       8  2.165      10.75\n"
        "   1  ├─ size <= 3     6  0.000  →     LM1\n"
        "   2  └─ size > 3      2  0.000  →    7.00\n"
        "\n"
        "LM1 =\n"
        "    10\n"
        "  +  2 * size\n"
        "  +  1 * (colour in {green, blue})"
    )
    assert "LM1 =" not in tree.text(models=False)
    assert "LM1 =" in str(tree)
    assert tree.rules().text() == (
        "IF size <= 3 THEN 10 + 2*size + (colour in {green, blue})  (6 covered)\n"
        "IF size > 3 THEN 7  (2 covered)"
    )
    assert tree.label(1) == tree.linear.model(1)  # type: ignore[union-attr]
    assert tree.label(2) == 7.0
    assert tree.unused_columns == ("day", "wait", "id", "grade")


def test_an_explanation_adds_up() -> None:
    told = linear_tree().explain(ROW)
    assert [(each.term, each.adds) for each in told.addends] == [
        (None, 10.0),
        ("size", 5.0),
        ("(colour in {green, blue})", 1.0),
    ]
    assert told.label == 16.0
    assert str(told).endswith(
        "LM1                        value  coefficient  adds\n"
        "intercept                                        10\n"
        "size                         2.5            2     5\n"
        "(colour in {green, blue})      1            1     1"
    )


def test_plain_form_and_pickle() -> None:
    tree = linear_tree(limits=True)
    node = json.loads(json.dumps(tree.to_dict()))["nodes"][1]
    assert node["model"] == {
        "intercept": 10.0,
        "terms": [
            {"column": 0, "coefficient": 2.0, "fill": 1.5, "kind": "number", "low": -5, "high": 9},
            {"column": 4, "coefficient": 1.0, "fill": 0.0, "kind": "members", "codes": [1, 2]},
        ],
        "limits": [9.0, 14.0],
    }
    copy = pickle.loads(pickle.dumps(tree))
    assert copy.linear.equals(tree.linear)
    assert not copy.linear.coefficient.flags.writeable
    assert copy.predict(row()).tolist() == [14.0]


def test_equality_is_to_the_last_bit() -> None:
    one, two = linear_tree().linear, linear_tree().linear
    assert one is not None
    assert one.equals(two)
    assert not one.equals(None)
    assert not one.equals(linear_tree(limits=True).linear)
    assert not one.equals(replace(one, fill=np.array([1.5, 1e-300])))
    assert not one.equals(replace(one, terms=(SIZE, BETTER)))


def test_a_node_that_becomes_a_leaf_answers_its_value() -> None:
    tree = linear_tree()
    pruned = with_leaves(tree, np.array([True, False, False]))
    assert pruned.linear is not None
    assert pruned.linear.n_models == 0
    assert pruned.predict(row()).tolist() == [10.75]


def broken(**changes: object) -> Tree:
    tree = linear_tree()
    assert tree.linear is not None
    return tree.with_arrays(tree.arrays, linear=replace(tree.linear, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"start": [0, 2, 2]}, r"start of the linear models has shape \(3,\), \(4,\) is due"),
        ({"start": [0, 0, 1, 2], "fill": [1.0]}, "fill of the linear models has shape"),
        ({"start": [0, 2, 2, 2]}, "gives a linear model to a node that asks"),
        ({"start": [0, 0, 3, 2]}, "does not rise from 0 to the last"),
        ({"term": [0, 2]}, "names none of the 2 terms"),
        ({"coefficient": [np.inf, 1.0]}, "coefficient of the linear models is not a finite"),
        ({"limits": [[0.0, 1.0]]}, "limits of the linear models has shape"),
        ({"terms": (replace(SIZE, index=7), COOL)}, "column 'size', which the schema does not"),
        ({"terms": (replace(SIZE, index=1), COOL)}, "column 'size', which the schema does not"),
        ({"terms": (SIZE, replace(COOL, codes=frozenset({3})))}, "not in its domain"),
        ({"term": [0.5, 1.0]}, "term holds float64, but int32 is due"),
    ],
)
def test_a_damaged_table_is_refused_before_it_is_followed(
    changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ModelFormatError, match=message):
        broken(**changes).predict(row())


def test_a_model_without_terms_is_its_intercept() -> None:
    model = LinearModel(intercept=3.0, coefficients=(), terms=(), fills=())
    table = read_rows(row(), FittedSchema(columns=SCHEMA.columns, named=True))
    assert model.predict(table).tolist() == [3.0]
    assert str(model) == "3"
