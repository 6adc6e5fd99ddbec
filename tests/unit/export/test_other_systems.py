"""Every kind of model in the other systems; those that take long are in the slow suite."""

import pytest
from exportable_models import MAKERS, model

from treewright import DecisionTreeClassifier, export
from treewright.errors import UnsupportedError
from treewright.export.form.build import form_of
from treewright.export.form.unfold import unfolded

N_ROWS = 1_000

# What a target of binary trees cannot express, with words of the reason.
NOT_BINARY = {
    "surrogates": "surrogates",
    "cart": "surrogates",
    "oblique": "one column",
    "m5": "linear models",
    "types_m5": "linear models",
    "boosted_lines": "linear models",
    "rules": "rules",
    "rules_that_vote": "rules",
    "ruleset": "rules",
    "adaboost_numbers": "weighted median",
    "types": "beyond 2",
    "types_divided": "beyond 2",
    "types_boosted": "beyond 2",
    "bagging": "too large",
}
REFUSED = {
    "javascript": {},
    "rust": {},
    "onnx": NOT_BINARY | {"one_leaf": "asks nothing"},
    "treelite": NOT_BINARY
    | {
        "boosted_ordinal": "link 'ordinal'",
        **dict.fromkeys(
            [
                "c45",
                "costs",
                "forest_divided",
                "forest_hard",
                "bagging",
                "boosted",
            ],
            "beyond 2",
        ),
    },
}


def check(target: str, name: str, **options: object) -> None:
    reason = REFUSED.get(target, {}).get(name)
    if reason is not None:
        with pytest.raises(UnsupportedError, match=reason) as error:
            getattr(export, target)(model(name), **options)
        assert "Hint: " in str(error.value)
        return
    made = getattr(export, target)(model(name), n_rows=N_ROWS, **options)
    if made.proof.not_run:
        pytest.skip(made.proof.not_run)
    assert made.proof.holds, str(made.proof)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("target", ["javascript", "onnx", "treelite"])
def test_every_kind_of_model(target: str, name: str) -> None:
    if target in ("onnx", "treelite"):
        pytest.importorskip(target)
    check(target, name)


@pytest.mark.parametrize("name", ["cuts", "types_divided"])
def test_rust(name: str) -> None:
    check("rust", name)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_every_kind_of_model_in_rust(name: str) -> None:
    check("rust", name)


@pytest.mark.parametrize("name", ["cuts", "id3", "types", "c45", "forest", "boosted", "rules"])
def test_duckdb(name: str) -> None:
    pytest.importorskip("duckdb")
    check("sql", name, dialect="duckdb", proba=name != "cuts")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cuts", "id3", "types", "c45", "forest", "boosted", "m5"])
def test_postgresql(name: str) -> None:
    check("sql", name, dialect="postgresql", proba=name != "cuts")


SUMS = ["forest", "forest_divided", "forest_numbers", "boosted_numbers"]


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("target", ["onnx", "treelite"])
def test_sums_of_few_trees_are_equal_to_the_last_bit(target: str, name: str) -> None:
    """They begin with the base scores, as the model's do, and are added tree by tree."""
    pytest.importorskip(target)
    if name in REFUSED[target]:
        return
    proof = getattr(export, target)(model(name), n_rows=N_ROWS).proof
    if proof.not_run:
        pytest.skip(proof.not_run)
    assert proof.largest_difference == 0


PMML = [
    *("cuts", "one_leaf", "id3", "chaid", "divide", "own_branch", "laplace"),
    *("forest", "forest_numbers", "adaboost_votes", "adaboost_divided_votes", "boosted_numbers"),
]


@pytest.mark.slow
@pytest.mark.parametrize("name", PMML)
def test_pmml_by_an_evaluator(name: str) -> None:
    proof = export.pmml(model(name), n_rows=N_ROWS).proof
    assert proof is not None
    if proof.not_run:
        pytest.skip(proof.not_run)
    assert proof.holds, str(proof)
    assert proof.allowed is None
    assert proof.largest_difference == 0


@pytest.mark.parametrize("name", ["adaboost", "adaboost_divided"])
def test_pmml_has_the_votes_of_adaboost_but_not_its_probabilities(name: str) -> None:
    with pytest.raises(
        UnsupportedError, match=r"softmax of votes[^\n]*\n  Hint: export its ensemble_"
    ):
        export.pmml(model(name))


def test_what_leaves_count_in_pmml_gives_their_shares() -> None:
    """Also of a row that is divided, whose shares add up to 1 but for the last place."""
    from xml.etree import ElementTree

    colours = ["red", "green", "blue"] * 80
    sizes = ["s", "m", "l", "xl"] * 60
    label = [str((i * 7 + i // 9) % 4) for i in range(240)]
    tree = DecisionTreeClassifier(max_depth=4).fit({"colour": colours, "size": sizes}, label)
    made = export.pmml(tree, proof=False)
    assert not made.scales
    flat = unfolded(form_of(tree))
    assert flat is not None
    lines = {tuple(line) for line in flat.graph.lines.tolist()}
    assert any(sum(line) != 1 for line in lines)
    found = set()
    for node in ElementTree.fromstring(made.text).iter("{http://www.dmg.org/PMML-4_4}Node"):
        counts = [float(each.get("recordCount", "")) for each in node if each.tag[-5:] == "ution"]
        if counts:
            total = sum(counts)
            found.add(tuple(each / total for each in counts))
    assert found == lines


def test_pmml_is_wellformed_and_says_where_missing_values_go() -> None:
    from xml.etree import ElementTree

    root = ElementTree.fromstring(export.pmml(model("id3"), proof=False).text)
    assert root.tag == "{http://www.dmg.org/PMML-4_4}PMML"
    operators = {each.get("operator") for each in root.iter() if each.get("operator")}
    assert operators == {"equal", "isMissing"} or operators == {"equal"}


def test_a_tree_that_divides_rows_unfolds_into_one_that_does_not() -> None:
    form = form_of(model("id3"))
    assert form.graph.divides
    flat = unfolded(form)
    assert flat is not None
    assert not flat.graph.divides
    assert flat.size == form.size
    assert unfolded(form, most_nodes=5) is None


def test_a_picture_has_nothing_to_prove() -> None:
    made = export.dot(model("cuts"))
    assert made.proof is None
    assert made.text.startswith("// DecisionTreeClassifier, exported by treewright (dot, model)")
    assert export.verify(model("cuts"), made).not_run == "dot answers nothing"
