"""C4.5 against its reference programs: Weka's J48, J48 -U and Quinlan's C4.5 release 8.

Accuracy over the programs' own folds (to 0.01 point) and the size of the tree of all rows. Numbers
are from ``shared/reference``; what differs is in ``docs/decisions/011-c45-variants.md``.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from agreement.shared_tables import (
    REFERENCE,
    _load,
    declared_table,
    entries,
    figures_of,
    needs_shared,
    outcome,
)
from treewright import C45Classifier, Tree

pytestmark = [
    needs_shared,
    pytest.mark.filterwarnings("ignore::treewright.errors.IdentifierWarning"),
]

LARGE = {"letter", "waveform", "covertype", "olivetti_faces", "adult", "bank_marketing"}

RELEASE_8_DIFFERS = {
    "soybean": "missing values: 93 nodes instead of 94 at equal accuracy",
    "bank_marketing": "missing values: 553 nodes instead of 548 at equal accuracy",
}
"""Where release 8 and we part; everywhere else accuracy and size are equal."""


def tables(program: str, learner: str) -> list[Any]:
    names = []
    for name, entry in entries().items():
        figures = figures_of(name, program, learner)
        if entry.is_classification and figures is not None and "accuracy" in figures:
            names.append(name)
    return [pytest.param(name, marks=pytest.mark.slow) if name in LARGE else name for name in names]


def assert_equal_to_weka(name: str, learner: str, model: C45Classifier) -> None:
    figures = figures_of(name, "weka", learner)
    found = outcome(name, model)
    assert found.accuracy == pytest.approx(figures["accuracy"], abs=0.0101)
    assert (found.tree.n_nodes, found.tree.n_leaves) == (
        figures["TreeSize"],
        figures["NumLeaves"],
    )


@pytest.mark.parametrize("name", tables("weka", "J48"))
def test_as_accurate_and_as_large_as_j48(name: str) -> None:
    assert_equal_to_weka(name, "J48", C45Classifier(variant="j48"))


@pytest.mark.parametrize("name", tables("weka", "J48 -U"))
def test_as_accurate_and_as_large_as_unpruned_j48(name: str) -> None:
    assert_equal_to_weka(name, "J48 -U", C45Classifier(variant="j48", confidence=None))


@pytest.mark.parametrize("name", tables("c4.5", "C4.5 R8"))
def test_as_accurate_and_as_large_as_release_8(name: str) -> None:
    figures = figures_of(name, "c4.5", "C4.5 R8")
    model = C45Classifier(variant="release8", single_precision=True)
    found = outcome(name, model, in_single_precision=True)
    size = figures.get("all_rows", {}).get("size", figures["tree_size_mean_folds"])
    is_equal = found.tree.n_nodes == size and found.accuracy == pytest.approx(
        figures["accuracy"], abs=0.0101
    )
    assert is_equal == (name not in RELEASE_8_DIFFERS), (found.accuracy, found.tree.n_nodes)


def test_release_8_differs_on_less_than_a_tenth_of_the_tables() -> None:
    assert len(RELEASE_8_DIFFERS) < 0.1 * len(tables("c4.5", "C4.5 R8"))


PRINTED = re.compile(
    r"(?P<depth>(?:\|   )*)(?P<column>\S+) (?P<test><=|>|=) (?P<value>.+?)"
    r"(?:: (?P<label>.+) \((?P<weight>[\d.]+)(?:/(?P<wrong>[\d.]+))?\))?$"
)


def printed_nodes(text: str) -> list[tuple[Any, ...]]:
    """Every node that Weka printed: depth, condition, and at leaves label, weight and errors."""
    nodes = []
    for line in text.splitlines():
        found = PRINTED.fullmatch(line.rstrip())
        if found:
            nodes.append(
                (
                    len(found["depth"]) // 4,
                    found["column"],
                    found["test"],
                    _number(found["value"]),
                    found["label"],
                    _number(found["weight"]),
                    _number(found["wrong"]) if found["wrong"] else 0.0,
                )
            )
    return nodes


def our_nodes(tree: Tree, classes: tuple[str, ...]) -> list[tuple[Any, ...]]:
    plain = tree.to_dict()
    nodes = []
    for node in tree.reading_order.tolist()[1:]:
        parent = int(tree.arrays.parent[node])
        branch = node - tree.children(parent).start
        question = plain["nodes"][parent]["question"]
        column = plain["columns"][question["column"]]
        if question["kind"] == "cut":
            test, value = ("<=", ">")[branch], question["threshold"]
        else:
            test, value = "=", column["values"][question["codes"][branch]]
        is_leaf = tree.is_leaf(node)
        counts = tree.arrays.value[node]
        nodes.append(
            (
                int(tree.levels[node]) - 1,
                column["name"],
                test,
                _number(str(value)),
                classes[tree.label(node)] if is_leaf else None,
                float(tree.arrays.weight[node]) if is_leaf else None,
                float(counts.sum() - counts.max()) if is_leaf else 0.0,
            )
        )
    return nodes


def _number(text: str | None) -> Any:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def tables_with_printed_trees() -> list[str]:
    path = REFERENCE / "models.json"
    models = _load(path) if path.exists() else {}
    return [name for name, printed in models.items() if "J48" in printed]


@pytest.mark.parametrize("name", tables_with_printed_trees())
def test_the_tree_j48_printed_is_ours_node_by_node(name: str) -> None:
    printed = printed_nodes(_load(REFERENCE / "models.json")[name]["J48"])
    table = declared_table(name)
    tree = outcome(name, C45Classifier(variant="j48")).tree
    ours = our_nodes(tree, table.classes)
    assert len(ours) == len(printed)
    for mine, theirs in zip(ours, printed, strict=True):
        assert mine[:3] == theirs[:3]
        assert mine[3] == pytest.approx(theirs[3], abs=1e-6)  # six decimals are printed
        assert mine[4] == theirs[4]
        assert mine[5] == pytest.approx(theirs[5], abs=0.00501)  # two decimals
        assert mine[6] == pytest.approx(theirs[6], abs=0.00501)


def test_ten_trees_were_printed() -> None:
    assert len(tables_with_printed_trees()) >= 10
