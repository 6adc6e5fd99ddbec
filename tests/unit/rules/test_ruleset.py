from __future__ import annotations

import json
import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest
from unit.tree.hand_trees import (
    build,
    chain,
    cut,
    leaf,
    loans,
    mean_leaf,
    numeric,
    play_tennis,
    schema_of,
)
from unit.tree.test_several_cuts_and_sums import WHOLE, intervals, sums

from treewright import (
    C45RulesClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    M5Regressor,
    RuleSet,
    load_example,
)
from treewright.errors import (
    DataError,
    MemoryLimitError,
    ParameterError,
    TreewrightError,
    UnsupportedError,
)
from treewright.rules import Rule

PLAY = load_example("play_tennis")
SCHEMA = play_tennis().schema
CLASSES = (np.array(["No", "Yes"], dtype=object),)


def rule(label: str, *conditions: tuple[str, str, object], **figures: Any) -> Rule:
    made = Rule.of(SCHEMA, conditions, label)
    shares = np.array([label == "No", label == "Yes"], dtype=float)
    return Rule(
        conditions=made.conditions, label=label, schema=SCHEMA, distribution=shares, **figures
    )


def rule_set(*rules: Rule, mode: Any = "ordered", default: str = "Yes") -> RuleSet:
    return RuleSet(rules, default=rule(default), classes=CLASSES, mode=mode)


SUNNY = rule("No", ("Outlook", "=", "Sunny"), covers=5.0, errors=2.0)
HUMID = rule("No", ("Humidity", "=", "High"), covers=7.0, errors=3.0)
CALM = rule("Yes", ("Wind", "=", "Weak"), covers=8.0, errors=2.0)
ROW = {"Outlook": "Sunny", "Humidity": "High", "Wind": "Weak", "Temperature": "Hot"}


def test_it_is_a_sequence_of_rules() -> None:
    rules = rule_set(SUNNY, HUMID)
    assert len(rules) == 2
    assert list(rules) == [SUNNY, HUMID]
    assert rules[-1] is HUMID
    assert rules[:1] == (SUNNY,)
    assert repr(rules) == "RuleSet(2 rules, mode='ordered', default='Yes')"
    assert rules.n_conditions == 2


def test_accuracy_confidence_and_interval_of_a_rule() -> None:
    assert SUNNY.accuracy == pytest.approx(0.6)
    assert SUNNY.confidence == pytest.approx(4 / 7)  # (5 - 2 + 1) / (5 + 2)
    assert SUNNY.interval() == pytest.approx((0.2307, 0.8824), abs=1e-4)
    low, high = SUNNY.interval(level=0.5)
    assert 0.23 < low < 0.6 < high < 0.88
    nobody = rule("No")
    assert nobody.accuracy is None
    assert nobody.interval() == (0.0, 1.0)


def test_text_is_a_table() -> None:
    assert str(rule_set(SUNNY, CALM)) == (
        "2 rules, the first that holds decides\n"
        "\n"
        "   if               then  covers   right   95 % interval  confidence\n"
        "1  Outlook = Sunny  No         5  60.0 %  23.1 to 88.2 %  0.571\n"
        "2  Wind = Weak      Yes        8  75.0 %  40.9 to 92.9 %  0.700\n"
        "   otherwise        Yes"
    )
    assert rule_set(SUNNY, CALM).text(max_rules=1).splitlines()[-2:] == [
        "   … 1 more",
        "   otherwise        Yes",
    ]
    assert str(rule_set()).splitlines()[-1] == "  always  Yes"


def test_long_rules_take_several_lines() -> None:
    conditions = [("Outlook", "in", ["Sunny", "Rain"]), ("Humidity", "=", "High")]
    long = rule("No", *conditions, ("Wind", "=", "Weak"), ("Temperature", "=", "Hot"))
    lines = rule_set(long).text().splitlines()
    assert lines[3].startswith(
        "1  Outlook in {Sunny, Rain} and Humidity = High and Wind = Weak  No"
    )
    assert lines[4] == "   and Temperature = Hot"


def test_the_first_rule_that_holds_decides() -> None:
    rules = rule_set(SUNNY, CALM, default="No")
    rows = [ROW, {**ROW, "Outlook": "Rain"}, {**ROW, "Outlook": None, "Wind": "Strong"}]
    assert rules.predict(rows).tolist() == ["No", "Yes", "No"]
    assert rules.apply(rows).tolist() == [0, 1, -1]
    assert rules.predict_proba(rows).tolist() == [[1, 0], [0, 1], [1, 0]]  # type: ignore[union-attr]


def test_rules_vote_with_their_confidence() -> None:
    rules = rule_set(SUNNY, HUMID, CALM, mode="voting")
    votes = [4 / 7 + 5 / 9, 7 / 10]
    (shares,) = rules.predict_proba([ROW])
    assert shares == pytest.approx(np.array(votes) / sum(votes))
    assert rules.predict([ROW]).tolist() == ["No"]
    nobody = {"Outlook": "Rain", "Humidity": "Normal", "Wind": "Strong", "Temperature": "Hot"}
    assert rules.predict([nobody]).tolist() == ["Yes"]


def test_equal_votes_go_to_the_default() -> None:
    even = rule("Yes", ("Wind", "=", "Weak"), covers=5.0, errors=2.0)
    assert rule_set(SUNNY, even, mode="voting").predict([ROW]).tolist() == ["Yes"]
    assert rule_set(SUNNY, even, mode="voting", default="No").predict([ROW]).tolist() == ["No"]


def test_an_explanation_shows_the_rules_that_hold() -> None:
    assert str(rule_set(HUMID, SUNNY, CALM).explain(ROW)) == (
        "No  (rule 1 is the first that holds)\n"
        "\n"
        "        if               then\n"
        "rule 1  Humidity = High  No\n"
        "rule 2  Outlook = Sunny  No\n"
        "rule 3  Wind = Weak      Yes"
    )
    voted = rule_set(SUNNY, CALM, mode="voting").explain(ROW)
    assert voted.decided_by is None
    assert "rule 1  Outlook = Sunny  No    0.571" in str(voted)
    assert str(rule_set(SUNNY).explain({"Outlook": "Rain"})) == (
        "Yes  (no rule holds: the default)"
    )


def test_a_divided_row_gets_the_answer_of_each_rule_for_its_share() -> None:
    tree = play_tennis()
    rules = RuleSet.of_tree(tree)
    assert rules.mode == "shares"
    row = {**ROW, "Outlook": None}
    found = rules.explain(row)
    assert found.met == (0, 2, 3)
    assert found.degrees == pytest.approx((5 / 14, 4 / 14, 5 / 14))
    assert found.answer == pytest.approx(tree.explain(row).answer)
    assert "35.7 %" in str(found)
    with pytest.raises(UnsupportedError, match="no single rule decides"):
        rules.apply([row])


@pytest.mark.parametrize(
    ("made", "rows"),
    [
        (lambda: intervals(WHOLE, [2, 5]), {"n": [0, 2, 3, 5, 6, None]}),
        (lambda: intervals(WHOLE, [2, 5], own_branch=True), {"n": [0, 2, 3, 5, 6, None]}),
        (lambda: intervals(numeric("x"), [0.5, 1.5]), {"x": [0.5, 0.75, 1.5, 2.0, np.inf, np.nan]}),
        (
            lambda: sums(("u", 2.0), ("v", -1.0), threshold=3.0),
            {"u": [1.0, 2.0, np.nan, 3.0], "v": [0.0, 1.0, 0.0, 3.5], "n": [0, 0, 0, None]},
        ),
    ],
)
def test_several_cuts_and_sums_of_columns(made: Any, rows: Any) -> None:
    tree = made()
    rules = RuleSet.of_tree(tree)
    assert rules.predict_proba(rows) == pytest.approx(tree.predict_proba(rows))
    assert rules.predict(rows).tolist() == tree.predict(rows).tolist()


def test_trees_that_never_divide_become_decision_lists() -> None:
    tree = loans()
    rules = RuleSet.of_tree(tree)
    assert [len(each.passages) > 0 for each in rules] == [rules.mode == "shares"] * len(rules)
    plain = DecisionTreeClassifier(missing="majority", unseen="majority").fit(PLAY.X, PLAY.y).tree_
    assert RuleSet.of_tree(plain).mode == "ordered"


def test_several_outputs() -> None:
    y = np.column_stack([PLAY.y, [f"t{i % 3}" for i in range(len(PLAY.y))]])
    for missing in ("divide", "majority"):
        tree = DecisionTreeClassifier(missing=missing, max_depth=2).fit(PLAY.X, y).tree_
        rules = RuleSet.of_tree(tree)
        assert rules.predict(PLAY.X).tolist() == tree.predict(PLAY.X).tolist()
        found, expected = rules.predict_proba(PLAY.X), tree.predict_proba(PLAY.X)
        assert all(np.allclose(a, b) for a, b in zip(found, expected, strict=True))
        with pytest.raises(UnsupportedError, match="These rules predict several classes at once"):
            rules.dnf("No")


def test_numbers() -> None:
    tree = build(schema_of(numeric("x")), cut("x", 0.5, mean_leaf(3, 1.25), mean_leaf(1, 5.0)))
    rules = RuleSet.of_tree(tree)
    assert rules.predict({"x": [0.0, 1.0, np.nan]}).tolist() == [1.25, 5.0, 2.1875]
    assert "1  x <= 0.5  1.25       3" in str(rules)
    with pytest.raises(UnsupportedError, match="no class probabilities"):
        rules.predict_proba({"x": [0.0]})
    with pytest.raises(UnsupportedError, match="Numbers cannot be voted on"):
        RuleSet(rules, default=rules.default, classes=None, mode="voting")
    diabetes = load_example("diabetes")
    grown = DecisionTreeRegressor(max_depth=3).fit(diabetes.X, diabetes.y).tree_
    listed = RuleSet.of_tree(grown)
    assert np.array_equal(listed.predict(diabetes.X), grown.predict(diabetes.X))
    assert np.array_equal(listed.simplify().predict(diabetes.X), grown.predict(diabetes.X))


def test_a_plain_form_for_json() -> None:
    for rules in (RuleSet.of_tree(loans()), RuleSet.of_tree(play_tennis()), rule_set(SUNNY)):
        plain = json.loads(json.dumps(rules.to_dict(), allow_nan=False))
        assert len(plain["rules"]) == len(rules)
        assert [each["text"] for each in plain["rules"]] == [each.premise() for each in rules]
    plain = rule_set(SUNNY).to_dict()
    assert plain["rules"][0]["if"] == [
        {
            "column": 0,
            "text": "Outlook = Sunny",
            "kind": "members",
            "codes": [0],
            "missing": False,
            "unseen": False,
        }
    ]
    assert plain["default"]["then"] == "Yes"
    shared = RuleSet.of_tree(play_tennis()).to_dict()
    assert shared["ways"][2] == [{"crossing": 0, "branch": 1, "share": pytest.approx(4 / 14)}]


def test_pickled_rules_answer_alike() -> None:
    for rules in (RuleSet.of_tree(play_tennis()), rule_set(SUNNY, CALM)):
        rules.predict(PLAY.X)  # prepared for matching, which is not pickled
        copy = pickle.loads(pickle.dumps(rules))
        assert copy.predict(PLAY.X).tolist() == rules.predict(PLAY.X).tolist()
        assert str(copy) == str(rules)


def test_figures_counted_on_other_rows() -> None:
    counted = rule_set(SUNNY, CALM).measured(PLAY.X, PLAY.y)
    assert [(each.n_rows, each.covers, each.errors) for each in counted] == [(5, 5, 2), (8, 8, 2)]
    assert (counted.default.covers, counted.default.errors) == (4, 2)
    assert counted[0].confidence == SUNNY.confidence
    weighted = rule_set(SUNNY).measured(PLAY.X, PLAY.y, sample_weight=[2.0] * 14)
    assert weighted[0].covers == 10
    strange = rule_set(SUNNY).measured(PLAY.X, ["Maybe"] * 14)
    assert strange[0].errors == strange[0].covers == 5
    with pytest.raises(UnsupportedError, match="keep the figures of its leaves"):
        RuleSet.of_tree(play_tennis()).measured(PLAY.X, PLAY.y)


def test_usage_is_the_weight_that_rules_on_a_column_cover() -> None:
    rules = rule_set(SUNNY, rule("Yes", ("Outlook", "=", "Rain"), ("Wind", "=", "Weak"), covers=3))
    assert rules.usage().tolist() == pytest.approx([8 / 11, 0, 0, 3 / 11])
    assert rule_set().usage().tolist() == [0, 0, 0, 0]


def test_unknown_categories_may_be_refused() -> None:
    rules = RuleSet([SUNNY], default=CALM, classes=CLASSES, unseen="error")
    with pytest.raises(DataError, match="which was not there at fit"):
        rules.predict([{**ROW, "Outlook": "Hail"}])
    with pytest.raises(DataError, match="which was not there at fit"):
        rules.explain({**ROW, "Outlook": "Hail"})
    assert rule_set(SUNNY).predict([{**ROW, "Outlook": "Hail"}]).tolist() == ["Yes"]


def test_parameters_are_checked() -> None:
    with pytest.raises(ParameterError, match="mode='vote' must be one of 'ordered', 'voting'"):
        rule_set(SUNNY, mode="vote")
    with pytest.raises(ParameterError, match="keep='all' must be one of 'labels', 'prob"):
        rule_set(SUNNY).simplify(keep="all")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="label='Maybe' is none of the classes"):
        rule_set(SUNNY).dnf("Maybe")
    with pytest.raises(UnsupportedError, match="Rules that vote have no formula"):
        rule_set(SUNNY, mode="voting").dnf("No")


def test_a_deep_chain_of_divided_rows_is_refused_before_it_is_written_out() -> None:
    tree = chain(20_000)
    if RuleSet.of_tree(chain(50)).mode == "shares":
        with pytest.raises(MemoryLimitError, match="too many to write out"):
            RuleSet.of_tree(tree)
    else:
        assert len(RuleSet.of_tree(tree)) == tree.n_leaves


def test_no_rule_at_all_is_the_default() -> None:
    model = C45RulesClassifier().fit([[0.0], [0.0], [0.0]], ["a", "a", "b"])
    assert len(model.ruleset_) == 0
    assert model.predict([[5.0]]).tolist() == ["a"]
    assert model.predict_proba([[5.0]])[0] == pytest.approx([2 / 3, 1 / 3])


def test_of_several_stand_ins_the_first_that_can_tell_decides() -> None:
    schema = schema_of(numeric("x"), numeric("u"), numeric("v"))
    tree = build(
        schema,
        cut(
            "x",
            0.5,
            leaf(3, 1),
            leaf(1, 5),
            missing_branch=1,
            surrogates=(("u", 0.5, False), ("v", 0.5, True)),
        ),
        "ab",
    )
    rows = {
        "x": [0.0, 1.0, None, None, None, None, None],
        "u": [1.0, 0.0, 0.0, 1.0, 0.0, None, None],
        "v": [1.0, 0.0, 0.0, 1.0, None, 0.0, None],
    }
    rules = RuleSet.of_tree(tree)
    assert rules.predict_proba(rows) == pytest.approx(tree.predict_proba(rows))
    # u up to 0.5 is left, v up to 0.5 is right.
    assert rules.predict(rows).tolist() == list("abababb")


def test_leaves_that_answer_by_a_linear_model() -> None:
    diabetes = load_example("diabetes")
    for model in (
        DecisionTreeRegressor(leaf_model="linear", max_depth=3, missing="majority"),
        DecisionTreeRegressor(leaf_model="linear", max_depth=3, missing="divide"),
        M5Regressor(),
    ):
        tree = model.fit(diabetes.X, diabetes.y).tree_
        assert tree.linear is not None
        random = np.random.default_rng(0)
        frame = {
            name: np.where(random.random(442) < 0.05, np.nan, np.asarray(diabetes.X[name], float))
            for name in diabetes.X.columns
        }
        rules = RuleSet.of_tree(tree)
        assert rules.predict(frame) == pytest.approx(tree.predict(frame), rel=1e-12)
        assert rules.simplify().predict(frame) == pytest.approx(tree.predict(frame), rel=1e-12)
        assert str(tree.label(tree.reading_order[-1])) in rules[-1].text()
        json.dumps(rules.to_dict(), allow_nan=False)


@pytest.mark.parametrize("missing", ["divide", "majority", "surrogates"])
@pytest.mark.parametrize("leaf_rule", ["majority", "laplace", "m_estimate"])
@pytest.mark.parametrize("combine", ["branch_fractions", "leaf_counts"])
def test_costs_and_smoothed_leaves(missing: str, leaf_rule: str, combine: str) -> None:
    model = DecisionTreeClassifier(
        missing=missing,
        nominal="subset" if missing == "surrogates" else "multiway",
        leaf=leaf_rule,
        combine=combine,
        cost_matrix=[[0, 1], [3, 0]],
        max_depth=2,
    )
    tree = model.fit(PLAY.X, PLAY.y).tree_
    outlook, humidity = ["Sunny", "Overcast", "Rain", None], ["High", "Normal", None]
    cells = list(product(outlook, humidity, ["Weak", "Strong", None], ["Hot", "Mild", None]))
    names = ("Outlook", "Humidity", "Wind", "Temperature")
    rows = {name: [cell[i] for cell in cells] for i, name in enumerate(names)}
    rules = RuleSet.of_tree(tree)
    assert rules.predict_proba(rows) == pytest.approx(tree.predict_proba(rows))
    assert rules.predict(rows).tolist() == tree.predict(rows).tolist()


def test_rules_made_by_hand_are_sure_of_their_label() -> None:
    by_hand = [Rule.of(SCHEMA, [("Outlook", "=", "Sunny")], "No")]
    otherwise = Rule.of(SCHEMA, [], "Yes")
    for mode in ("ordered", "voting"):
        rules = RuleSet(by_hand, default=otherwise, classes=CLASSES, mode=mode)  # type: ignore[arg-type]
        assert np.asarray(rules.predict_proba(PLAY.X))[:3].tolist() == [[1, 0], [1, 0], [0, 1]]
    numbers = RuleSet(
        [Rule.of(SCHEMA, [("Wind", "=", "Weak")], 2)],
        default=Rule.of(SCHEMA, [], 3.5),
        classes=None,
    )
    assert numbers.predict(PLAY.X)[:3].tolist() == [2, 3.5, 2]
    two = (CLASSES[0], np.array([0, 1]))
    both = RuleSet([], default=Rule.of(SCHEMA, [], ("Yes", 0)), classes=two)
    assert both.predict(PLAY.X)[0].tolist() == ["Yes", 0]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"rules": ["No"]}, ParameterError, "'No' is no Rule.\n  Hint: Rule.of(schema, conditions"),
        ({"rules": 3}, ParameterError, "3 is no Rule."),
        ({"default": None}, ParameterError, "None is no Rule."),
        ({"default": rule("Maybe")}, ParameterError, "label='Maybe' is none of the classes."),
        ({"classes": ["No", "Yes"]}, ParameterError, "must be a tuple of arrays, one for each"),
        ({"classes": None}, UnsupportedError, "Numbers cannot be voted on."),
        ({"mode": "vote"}, ParameterError, "mode='vote' must be one of 'ordered', 'voting'"),
        ({"mode": "shares"}, UnsupportedError, "for rules that say how a tree divides rows."),
        ({"unseen": "eror"}, ParameterError, "Hint: did you mean 'error'?"),
        ({"combine": "votes"}, ParameterError, "combine='votes' must be one of"),
    ],
    ids=str,
)
def test_rules_that_cannot_answer_are_refused(
    given: dict[str, Any], error: type[Exception], message: str
) -> None:
    usual: dict[str, Any] = {"rules": [SUNNY], "default": CALM, "classes": CLASSES}
    with pytest.raises(error) as caught:
        RuleSet(**(usual | {"mode": "voting"} | given))
    assert message in str(caught.value)


def test_labels_by_hand_go_with_the_classes() -> None:
    with pytest.raises(ParameterError, match="label='Yes' must be a number, where there are no"):
        RuleSet([], default=Rule.of(SCHEMA, [], "Yes"), classes=None)
    with pytest.raises(ParameterError, match="label='Yes' must be a tuple of 2 classes"):
        RuleSet([], default=Rule.of(SCHEMA, [], "Yes"), classes=CLASSES * 2)


def test_what_is_printed_is_counted_from_0() -> None:
    assert "2 more" in rule_set(SUNNY, HUMID).text(max_rules=0)
    with pytest.raises(ParameterError, match=r"max_rules=-1 must be at least 0\."):
        rule_set(SUNNY, HUMID).text(max_rules=-1)


@pytest.mark.parametrize(
    ("schema", "conditions", "message"),
    [
        (None, [], "schema=None does not describe a table that was read."),
        (SCHEMA, ("Wind", "=", "Weak"), "'Wind' is no condition."),
        (SCHEMA, [("Wind", "Weak")], "('Wind', 'Weak') is no condition."),
        (SCHEMA, 3, "3 is no condition."),
        (SCHEMA, [(["Wind"], "=", "Weak")], "there is no column ['Wind']."),
        (SCHEMA, [("Wind", "=", ["Weak"])], "['Weak'] is not a value of column 'Wind'"),
        (SCHEMA, [("Wind", 3, "Weak")], "'Wind' 3 'Weak' is no condition on a nominal column"),
    ],
    ids=str,
)
def test_a_rule_by_hand_that_makes_no_sense(schema: Any, conditions: Any, message: str) -> None:
    with pytest.raises(TreewrightError) as caught:
        Rule.of(schema, conditions, "Yes")
    assert message in str(caught.value)
