from __future__ import annotations

import dataclasses
import json
import time
from itertools import product

import numpy as np
import pytest
from unit.tree.hand_trees import (
    build,
    categories,
    chain,
    cut,
    leaf,
    loans,
    mean_leaf,
    nominal,
    numeric,
    play_tennis,
    schema_of,
)
from unit.tree.test_several_cuts_and_sums import intervals, sums

from treewright import (
    CARTClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    load_example,
)
from treewright.errors import DataError, ParameterError, UnsupportedError
from treewright.tree.edit import with_leaves
from treewright.tree.leaf import LeafRule
from treewright.tree.tree import Tree


def pruned(tree: Tree, *nodes: int) -> Tree:
    return with_leaves(tree, np.isin(np.arange(tree.n_nodes), nodes))


def changes(one: Tree, two: Tree) -> list[tuple[str, str, str]]:
    return [(each.change, each.first, each.second) for each in one.diff(two).differences]


def on_x(threshold: float, *leaves, column: str = "x", **options) -> Tree:
    node = cut(column, threshold, *(leaves or (leaf(3, 0), leaf(0, 5))), **options)
    return build(schema_of(numeric("x"), numeric("y")), node, "ab")


def test_one_noisy_day() -> None:
    play, noisy = load_example("play_tennis"), load_example("play_tennis_d15")
    before = ID3Classifier().fit(play.X, play.y).tree_
    after = ID3Classifier().fit(noisy.X, noisy.y).tree_
    diff = before.diff(after, noisy.X)
    (place,) = diff.differences
    assert place.path == ("Outlook = Sunny",)
    assert (place.first, place.second) == ("Humidity = High", "Temperature")
    assert (place.first_size, place.second_size, place.n_rows) == (3, 6, 5)
    assert diff.rows is not None
    assert [noisy.ids[row] for row in diff.rows.label] == ["D15"]
    assert diff.rows.moves == (("Yes", "No", 1),)
    # Of the 36 days that there can be, four change sides (golden: d15-disagreement).
    domains = [play.X.column(name).values for name in play.X.columns]
    days = [dict(zip(play.X.columns, day, strict=True)) for day in product(*domains)]
    changed = before.diff(after, days).rows
    assert changed is not None
    assert [tuple(days[row].values()) for row in changed.label] == [
        ("Sunny", "Hot", "Normal", "Weak"),
        ("Sunny", "Hot", "Normal", "Strong"),
        ("Sunny", "Cool", "High", "Weak"),
        ("Sunny", "Cool", "High", "Strong"),
    ]


def test_a_tree_and_itself_take_one_line() -> None:
    assert str(play_tennis().diff(play_tennis())) == "The same tree: 8 nodes, 5 leaves, depth 2."
    rows = load_example("play_tennis").X
    text = "The same tree: 8 nodes, 5 leaves, depth 2. It treats all 14 rows alike."
    assert str(play_tennis().diff(play_tennis(), rows)) == text


def test_what_pruning_changed() -> None:
    tree = play_tennis()
    diff = tree.diff(pruned(tree, 1), load_example("play_tennis").X)
    assert diff.relation == "smaller"
    assert diff.text() == (
        "The second tree is the first, pruned at 1 place.\n"
        "\n"
        "        nodes  leaves  depth\n"
        "first       8       5      2\n"
        "second      6       4      2\n"
        "2 tests in common, similarity 80.0 %.\n"
        "\n"
        "change  rows  nodes  first            second  where\n"
        "pruned     5  3 → 1  Humidity = High  → No    Outlook = Sunny\n"
        "\n"
        "of 14 rows           rows   share  which\n"
        "other path              5  35.7 %  0, 1, 7, 8, 10\n"
        "other class             2  14.3 %  8, 10\n"
        "other probabilities     5  35.7 %  0, 1, 7, 8, 10\n"
        "Yes → No 2\n"
        "Change of the probability: mean 0.171, largest 0.6."
    )
    assert diff.text(ascii=True).isascii()
    back = pruned(tree, 1).diff(tree)
    assert back.relation == "larger"
    assert str(back).startswith("The first tree is the second, pruned at 1 place.")


def test_a_lone_leaf() -> None:
    tree = play_tennis()
    alone = pruned(tree, 0)
    assert changes(tree, alone) == [("pruned", "Outlook", "→ Yes")]
    assert tree.diff(alone).similarity == 0
    assert alone.diff(alone).similarity == 1
    assert "(all rows)" in str(tree.diff(alone))


def test_a_moved_cut_does_not_part_the_trees() -> None:
    below = leaf(1, 2), leaf(2, 1)
    one = on_x(2.45, cut("y", 1.0, *below), leaf(0, 5))
    two = on_x(2.6, cut("y", 1.5, *below), leaf(5, 0))
    assert changes(one, two) == [
        ("threshold", "x <= 2.45", "x <= 2.6"),
        ("threshold", "y <= 1", "y <= 1.5"),
        ("label", "→ b", "→ a"),
    ]
    diff = one.diff(two, {"x": [2.4, 2.5, 2.5, 9.0], "y": [0.0, 0.0, 9.0, 0.0]})
    assert diff.n_common == 2
    assert str(diff).startswith("The trees have the same shape.")
    assert diff.rows is not None
    assert diff.rows.path.tolist() == [1, 2]


def test_other_columns_part_the_trees() -> None:
    diff = on_x(1.0).diff(on_x(1.0, column="y"))
    assert [each.change for each in diff.differences] == ["question"]
    assert diff.similarity == 0
    assert diff.relation == "different"


def test_values_grouped_in_another_way() -> None:
    schema = schema_of(nominal("c", "u", "v", "w"))
    one = build(schema, categories("c", ("uv", leaf(1, 0)), ("w", leaf(0, 1))), "ab")
    two = build(schema, categories("c", ("u", leaf(1, 0)), ("vw", leaf(0, 1))), "ab")
    assert changes(one, two) == [("question", "c != w", "c = u")]


def test_the_same_groups_in_another_order_of_branches() -> None:
    schema = schema_of(nominal("c", "u", "v", "w"))
    one = build(schema, categories("c", ("uv", leaf(1, 0)), ("w", leaf(0, 1))), "ab")
    two = build(schema, categories("c", ("w", leaf(0, 1)), ("uv", leaf(1, 0))), "ab")
    assert one.diff(two, {"c": ["u", "v", "w"]}).relation == "same"


def test_the_rest_is_what_is_not_the_value() -> None:
    schema = schema_of(nominal("c", "u", "v", "w"))
    one = build(schema, categories("c", ("u", leaf(1, 0)), ("vw", leaf(0, 1))), "ab")
    two = build(schema, categories("c", ("u", leaf(1, 0)), ("", leaf(0, 1))), "ab")
    rest = np.array([1, -1, -1])
    two = two.with_arrays(dataclasses.replace(two.arrays, rest_branch=rest))
    assert one.diff(two).relation == "same"


def test_a_branch_that_only_one_tree_has() -> None:
    (difference,) = play_tennis(humidity_low=True).diff(play_tennis()).differences
    assert (difference.change, difference.first, difference.second) == (
        "branches",
        "Humidity = Low",
        "-",
    )
    diff = play_tennis().diff(play_tennis(humidity_low=True))
    assert diff.n_common == 3
    assert diff.relation == "different"


def test_where_missing_and_unseen_values_go() -> None:
    assert changes(on_x(1.0, missing_branch=0), on_x(1.0)) == [
        ("missing", "missing → x <= 1", "missing → every branch")
    ]
    assert changes(on_x(1.0, unseen_branch=0), on_x(1.0)) == []  # numbers are never unseen
    schema = schema_of(nominal("c", "u", "v"))
    branches = ("u", leaf(1, 0)), ("v", leaf(0, 1))
    one = build(schema, categories("c", *branches, unseen_branch=1), "ab")
    two = build(schema, categories("c", *branches, unseen_branch=0), "ab")
    assert changes(one, two) == [("missing", "unseen → c = v", "unseen → c = u")]


def test_an_own_branch_for_missing_values() -> None:
    leaves = leaf(3, 0), leaf(0, 5), leaf(1, 1)
    own = on_x(1.0, *leaves, missing_branch=2)
    assert own.diff(own).relation == "same"
    assert changes(own, on_x(1.0, *leaves[:2])) == [
        ("missing", "missing → x is missing", "missing → every branch")
    ]
    moved = on_x(2.0, leaf(3, 0), leaf(0, 5), leaf(0, 1), missing_branch=2)
    assert changes(own, moved) == [("threshold", "x", "x"), ("label", "→ a", "→ b")]


def test_other_stand_ins() -> None:
    one = on_x(1.0, surrogates=(("y", 2.0, False),))
    assert one.diff(one).relation == "same"
    for other in ((("y", 3.0, False),), (("y", 2.0, True),), ()):
        assert [each[0] for each in changes(one, on_x(1.0, surrogates=other))] == ["missing"]
    assert changes(one, on_x(1.0)) == [("missing", "else y <= 2", "-")]


def test_stand_ins_of_swapped_branches() -> None:
    schema = schema_of(nominal("c", "u", "v"), numeric("y"))
    sides = ("u", leaf(1, 0)), ("v", leaf(0, 1))
    one = dataclasses.replace(categories("c", *sides), surrogates=(("y", 2.0, False),))
    two = dataclasses.replace(categories("c", *sides[::-1]), surrogates=(("y", 2.0, True),))
    assert build(schema, one, "ab").diff(build(schema, two, "ab")).relation == "same"
    three = dataclasses.replace(two, surrogates=(("y", 2.0, False),))
    diff = build(schema, one, "ab").diff(build(schema, three, "ab"))
    assert [each.change for each in diff.differences] == ["missing"]


def test_several_cuts() -> None:
    one = intervals(numeric("x"), [1.0, 2.0])
    assert one.diff(one).relation == "same"
    assert changes(one, intervals(numeric("x"), [1.0, 3.0])) == [("threshold", "x", "x")]
    two = Tree(
        arrays=intervals(numeric("x"), [1.0]).arrays,
        schema=one.schema,
        classes=(np.array(["a", "b"]),),
        criterion="gini",
    )
    with pytest.raises(UnsupportedError, match="Only the first has: c"):
        one.diff(two)


def test_sums_of_columns() -> None:
    one = sums(("u", 2.0), ("v", 1.0), threshold=3.0)
    assert one.diff(one).relation == "same"
    assert changes(one, sums(("u", 2.0), ("v", 1.0), threshold=4.0)) == [
        ("threshold", "2*u + v <= 3", "2*u + v <= 4")
    ]
    assert changes(one, sums(("u", 2.0), ("v", 1.5), threshold=3.0)) == [
        ("question", "2*u + v <= 3", "2*u + 1.5*v <= 3")
    ]


def test_sums_with_the_columns_in_another_order() -> None:
    one = sums(("u", 2.0), ("v", 1.0), threshold=3.0)
    arrays = dataclasses.replace(
        one.arrays,
        column=np.array([1, -1, -1]),
        term_column=np.array([1, 2]),
        term_coefficient=np.array([1.0, 2.0]),
    )
    schema = schema_of(*(one.schema.columns[i] for i in (2, 1, 0)))
    two = Tree(arrays=arrays, schema=schema, classes=one.classes, criterion="gini")
    assert one.diff(two).relation == "same"


def test_numbers() -> None:
    schema = schema_of(numeric("x"))
    one = build(schema, cut("x", 1.0, mean_leaf(4, 10.0), mean_leaf(4, 20.0)))
    two = build(schema, cut("x", 1.0, mean_leaf(4, 10.0), mean_leaf(4, 21.0)))
    assert changes(one, two) == [("value", "→ 20", "→ 21")]
    assert one.diff(two, tolerance=0.1).relation == "same"
    diff = one.diff(two, {"x": [0.0, 5.0, None]})
    assert diff.rows is not None
    assert diff.rows.probabilities is None
    assert diff.rows.label.tolist() == [1, 2]  # the third is divided between both leaves
    assert diff.rows.path.tolist() == []
    assert diff.rows.largest_change == 1
    assert str(diff).endswith(
        "of 3 rows     rows   share  which\n"
        "other path       0   0.0 %\n"
        "other number     2  66.7 %  1, 2\n"
        "Change of the number: mean 0.5, largest 1."
    )


def lines_of(y_scale: float, *, columns: str = "xyz", **options) -> Tree:
    """Two lines, one on each side of z = 0, learned without noise."""
    x, y, z = np.mgrid[0:5, 0:5, -1:2:2].reshape(3, -1).astype(float)
    data = {"x": x, "y": y, "z": z}
    target = np.where(z > 0, 100 + 2 * x + y_scale * y, x - y)
    model = DecisionTreeRegressor(max_depth=1, leaf_model="linear", **options)
    return model.fit({name: data[name] for name in columns}, target).tree_


def test_linear_models_in_leaves() -> None:
    tree = lines_of(3.0)
    assert tree.linear is not None
    assert tree.diff(tree).relation == "same"
    assert tree.diff(lines_of(3.0, columns="zyx")).relation == "same"
    (difference,) = tree.diff(lines_of(4.0)).differences
    assert (difference.change, difference.path) == ("value", ("z > 0",))
    assert "100 + 2*x + 3*y" in difference.first
    assert "100 + 2*x + 4*y" in difference.second
    flat = tree.with_arrays(tree.arrays)
    assert [each.change for each in tree.diff(flat).differences] == ["value", "value"]
    rows = {"x": [1.0, 1.0], "y": [0.0, 1.0], "z": [1.0, 1.0]}
    changed = tree.diff(lines_of(4.0), rows).rows
    assert changed is not None
    assert (changed.label.tolist(), changed.path.tolist()) == ([1], [])


def test_linear_models_of_categories() -> None:
    X = [{"c": value} for value in "uvw" * 4]
    y = [1.0, 2.0, 4.0] * 4
    one = DecisionTreeRegressor(max_depth=1, leaf_model="linear").fit(X, y).tree_
    Z = [{"c": value} for value in "aauvw" * 4]
    two = (
        DecisionTreeRegressor(max_depth=1, leaf_model="linear").fit(Z, [9.0, 9.0, *y[:3]] * 4).tree_
    )
    assert one.diff(one).relation == "same"
    assert one.diff(two).relation == "different"


def test_extreme_numbers() -> None:
    one, two = (
        DecisionTreeRegressor().fit({"x": [0.0, 2.0]}, [huge, 0.0]).tree_
        for huge in (1e308, -1e308)
    )
    diff = one.diff(two, {"x": [0.0]})
    assert diff.rows is not None
    assert diff.rows.largest_change == np.inf


def test_other_probabilities_of_the_same_class() -> None:
    diff = on_x(1.0).diff(on_x(1.0, leaf(3, 1), leaf(0, 5)), {"x": [0.0, 2.0], "y": [0.0, 0.0]})
    assert (diff.relation, diff.n_reweighed) == ("same", 1)
    assert diff.rows is not None
    assert (diff.rows.label.tolist(), diff.rows.probabilities.tolist()) == ([], [0])
    text = str(diff)
    assert text.startswith("The same questions and classes: 3 nodes, 2 leaves, depth 1.")
    assert "The same class, but other probabilities: 1 leaf." in text


def test_a_cost_matrix_decides_the_class() -> None:
    tree = on_x(1.0, leaf(3, 1), leaf(0, 5))
    costs = np.array([[0.0, 1.0], [10.0, 0.0]])
    careful = Tree(
        arrays=tree.arrays,
        schema=tree.schema,
        classes=tree.classes,
        criterion="gini",
        leaf=LeafRule(cost_matrix=costs),
    )
    assert changes(tree, careful) == [("label", "→ a", "→ b")]
    diff = tree.diff(careful, {"x": [0.0, 2.0], "y": [0.0, 0.0]})
    assert diff.rows is not None
    assert (diff.rows.label.tolist(), diff.rows.probabilities.tolist()) == ([0], [])


def test_several_outputs() -> None:
    X = np.arange(8.0)[:, None]
    y = np.column_stack([["a", "b"] * 4, ["u"] * 4 + ["v"] * 4])
    one = DecisionTreeClassifier().fit(X, y).tree_
    two = DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    diff = one.diff(two, X)
    assert diff.relation == "smaller"
    assert diff.rows is not None
    assert diff.rows.label.tolist() == [1, 3, 5, 7]
    assert diff.rows.moves == ((("b", "u"), ("a", "u"), 2), (("b", "v"), ("a", "v"), 2))
    numbers = np.column_stack([np.arange(8.0), np.arange(8.0) // 4])
    three = DecisionTreeRegressor().fit(X, numbers).tree_
    four = DecisionTreeRegressor(max_depth=1).fit(X, numbers).tree_
    assert three.diff(four, X).relation == "smaller"


def test_divided_rows() -> None:
    tree = play_tennis()
    row = {"Outlook": [None], "Temperature": [None], "Humidity": ["Normal"], "Wind": ["Weak"]}
    diff = tree.diff(pruned(tree, 3), row)
    assert diff.rows is not None
    assert diff.rows.path.tolist() == [0]
    assert diff.rows.label.tolist() == []
    assert diff.rows.probabilities.tolist() == [0]
    assert diff.rows.largest_change == pytest.approx(2 / 14)
    kept = pruned(tree, 3).diff(pruned(tree, 3), row).rows
    assert kept is not None
    assert not kept.is_any


def test_trees_that_predict_different_things_are_refused() -> None:
    classes = on_x(1.0)
    numbers = build(classes.schema, cut("x", 1.0, mean_leaf(1, 2.0), mean_leaf(1, 3.0)))
    with pytest.raises(UnsupportedError, match="predicts classes, the second numbers"):
        classes.diff(numbers)
    other = build(classes.schema, leaf(1, 2), "bc")
    with pytest.raises(UnsupportedError) as raised:
        classes.diff(other)
    assert str(raised.value) == (
        "The trees know different classes.\n"
        "  Only the first has: a\n"
        "  Only the second has: c\n"
        "  Hint: compare trees that were fitted alike."
    )
    two = build(numbers.schema, cut("x", 1.0, mean_leaf(1, 2.0, 1.0), mean_leaf(1, 3.0, 1.0)))
    with pytest.raises(UnsupportedError, match="predicts 1 targets, the second 2"):
        numbers.diff(two)


def test_what_is_no_tree_is_refused() -> None:
    X, y = [[0.0], [1.0]], [0, 1]
    model = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(ParameterError, match=r"is no Tree\.\n  Hint: pass its tree_\."):
        model.tree_.diff(model)
    with pytest.raises(ParameterError, match=r"other='a' is no Tree\.$"):
        model.tree_.diff("a")
    with pytest.raises(ParameterError, match="tolerance=-1 must be at least 0"):
        model.tree_.diff(model.tree_, tolerance=-1)


def test_a_table_that_a_tree_refuses() -> None:
    tree = play_tennis(unseen="error")
    row = {"Outlook": ["Fog"], "Temperature": ["Hot"], "Humidity": ["High"], "Wind": ["Weak"]}
    with pytest.raises(DataError, match="'Fog'"):
        tree.diff(tree, row)


def test_as_plain_data() -> None:
    tree = loans()
    diff = tree.diff(pruned(tree, 2), {name: [None] for name in tree.schema.names})
    plain = json.loads(json.dumps(diff.to_dict()))
    assert plain["relation"] == "smaller"
    (difference,) = plain["differences"]
    assert difference["path"] == ["income > 30000.5"]
    assert difference["first"] == {"node": 2, "says": "income <= 80000", "nodes": 5}
    assert plain["rows"]["n_rows"] == 1
    assert tree.diff(tree).to_dict()["rows"] is None


def test_many_differences_are_counted() -> None:
    labels = [leaf(1, 0), leaf(0, 1)]
    branches = [([f"v{i}"], labels[i % 2]) for i in range(40)]
    schema = schema_of(nominal("c", *(f"v{i}" for i in range(40))))
    one = build(schema, categories("c", *branches), "ab")
    two = build(schema, categories("c", *((v, labels[1]) for v, _ in branches)), "ab")
    text = str(one.diff(two))
    assert "… 8 more; in all: other class 20." in text


def test_the_heaviest_differences_are_shown_first() -> None:
    def tree(*weights: float, missing_branch: int) -> Tree:
        branches = [([f"v{i}"], leaf(*w)) for i, w in enumerate(weights)]
        root = categories("c", *branches, missing_branch=missing_branch)
        return build(schema_of(nominal("c", "v0", "v1", "v2")), root, "ab")

    one = tree((1, 0), (9, 0), (4, 0), missing_branch=0)
    two = tree((0, 1), (0, 9), (0, 4), missing_branch=1)
    diff = one.diff(two)
    assert [each.change for each in diff.differences] == ["missing", "label", "label", "label"]
    table = str(diff).split("\n\n")[2].splitlines()[1:]
    assert [line.split()[-1] for line in table] == ["v1", "v2", "v0", "rows)"]


def test_a_deep_tree() -> None:
    deep = chain(50_000)
    start = time.process_time()
    diff = deep.diff(chain(50_001))
    assert diff.relation == "larger"
    (difference,) = diff.differences
    assert difference.path[0] == "… 49997 tests"
    assert difference.path[1:] == ("x > 49997", "x > 49998", "x > 49999")
    assert time.process_time() - start < 5


def test_surrogates_do_not_make_it_slow() -> None:
    cancer = load_example("breast_cancer")
    tree = CARTClassifier(min_samples_split=2, min_samples_leaf=1).fit(cancer.X, cancer.y).tree_
    assert tree.arrays.n_surrogates > 0
    assert tree.diff(tree, cancer.X).relation == "same"
