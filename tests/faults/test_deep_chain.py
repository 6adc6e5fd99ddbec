"""A tree that is a chain of a hundred thousand nodes: nothing recurses (FAULTS 34)."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from treewright import DecisionTreeClassifier, DecisionTreeRegressor, Tree
from treewright.data.fitted_schema import ColumnSpec, FittedSchema
from treewright.tree.arrays import CUT, LEAF, TreeArrays

DEPTH = 100_000


@pytest.fixture(scope="module")
def chain() -> Tree:
    """The tree of x = 0, 1, ..., DEPTH with alternating classes: each cut takes the lowest row."""
    n_nodes = 2 * DEPTH + 1
    node = np.arange(n_nodes)
    asks = (node % 2 == 0) & (node < n_nodes - 1)  # 0 asks, 1 is its leaf, 2 asks, 3 is its leaf
    level = (node + 1) // 2
    n_rows = np.where(node % 2 == 0, DEPTH + 1 - level, 1)
    first = np.where(node % 2 == 0, level, level - 1)  # the lowest row of the node
    ones = (first + n_rows) // 2 - first // 2
    empty = np.full(n_nodes, -1)
    arrays = TreeArrays(
        first_child=np.where(asks, node + 1, -1),
        n_branches=np.where(asks, 2, 0),
        parent=np.where(node > 0, (node - 1) // 2 * 2, -1),
        column=np.where(asks, 0, -1),
        kind=np.where(asks, CUT, LEAF).astype(np.int8),
        threshold=np.where(asks, level + 0.5, np.nan),
        threshold_int=np.zeros(n_nodes, dtype=np.int64),
        code_offset=empty,
        code_count=np.zeros(n_nodes, dtype=np.int32),
        code=np.empty(0, dtype=np.int32),
        branch_of_code=np.empty(0, dtype=np.int32),
        missing_branch=np.where(asks, 1, -1),
        unseen_branch=np.where(asks, 1, -1),
        n_rows=n_rows,
        weight=n_rows.astype(float),
        impurity=np.where(asks, 0.5, 0.0),
        gain=np.where(asks, 1e-6, 0.0),
        score=np.where(asks, 1e-6, 0.0),
        value=np.column_stack([n_rows - ones, ones]).astype(float),
    )
    schema = FittedSchema(
        columns=(ColumnSpec(name="x0", kind="numeric", storage="float"),), named=False
    )
    return Tree(
        arrays=arrays, schema=schema, classes=(np.array(["even", "odd"]),), criterion="gini"
    )


def test_a_chain_knows_its_size(chain: Tree) -> None:
    """FAULTS 34."""
    chain.arrays.validate(chain.schema)
    assert (chain.depth, chain.n_leaves) == (DEPTH, DEPTH + 1)
    assert len(chain.path(chain.n_nodes - 1)) == DEPTH + 1
    assert chain.expected_tests() == pytest.approx(DEPTH / 2, rel=1e-3)
    assert chain.leaf_levels()[-1] == 2


def test_a_chain_predicts(chain: Tree) -> None:
    """FAULTS 34."""
    rows = np.array([0.0, 1.0, 2.0, 50_001.0, DEPTH - 1.0, DEPTH])[:, np.newaxis]
    assert chain.predict(rows).tolist() == ["even", "odd", "even", "odd", "odd", "even"]
    assert chain.predict(np.full((2, 1), np.nan)).tolist() == ["even", "even"]
    assert chain.decision_path(rows[-1:]).nnz == DEPTH + 1
    assert len(chain.explain([float(DEPTH)]).steps) == DEPTH


def test_a_chain_is_pickled_and_written(chain: Tree) -> None:
    """FAULTS 34."""
    assert pickle.loads(pickle.dumps(chain)).arrays.equals(chain.arrays)
    assert len(json.dumps(chain.to_dict())) > DEPTH


def test_a_chain_is_printed(chain: Tree) -> None:
    """FAULTS 34."""
    lines = chain.text().splitlines()
    assert len(lines) == chain.n_nodes + 1
    assert max(map(len, lines)) < 300
    assert str(chain)


def test_a_chain_is_read_as_rules(chain: Tree) -> None:
    """FAULTS 34."""
    rules = chain.rules()
    assert len(rules) == DEPTH + 1
    assert rules[0].text().startswith("IF x0 <= 0.5 THEN even")
    assert rules[-1].text().startswith("IF x0 > 99999.5 THEN even")


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_a_chain_is_grown(estimator: type[DecisionTreeClassifier]) -> None:
    """FAULTS 34: of alternating targets the cheapest thing to take off is always one row."""
    n_rows = 15_000
    x = np.arange(n_rows, dtype=np.float32)[:, np.newaxis]
    y = np.arange(n_rows) % 2
    model = estimator().fit(x, y)
    assert model.get_depth() == n_rows - 1
    assert (model.predict(x) == y).all()
    assert (pickle.loads(pickle.dumps(model)).predict(x) == y).all()


@pytest.mark.slow
def test_a_chain_of_a_hundred_thousand_is_grown() -> None:
    """FAULTS 34: the rows of all nodes together are 5e9, about half a minute's work."""
    x = np.arange(DEPTH + 1, dtype=np.float32)[:, np.newaxis]
    y = np.arange(DEPTH + 1) % 2
    model = DecisionTreeRegressor().fit(x, y)
    assert model.get_depth() == DEPTH
    some = slice(None, None, 997)  # a row meets 50,000 tests on average
    assert (model.predict(x[some]) == y[some]).all()
    assert (pickle.loads(pickle.dumps(model)).predict(x[some]) == y[some]).all()
    assert len(model.tree_.text().splitlines()) == model.tree_.n_nodes + 1
    assert len(model.tree_.rules()) == DEPTH + 1
