"""What notebooks show: a picture where there is one, the text, and never too much."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from unit.chart.places import check_apart
from unit.draw.trees import NASTY, loans_tree

from treewright import (
    AdaBoostClassifier,
    C45RulesClassifier,
    DecisionTreeClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RuleSet,
    load_example,
)


def html_of(shown: object) -> str:
    bundle = shown._repr_mimebundle_()  # type: ignore[attr-defined]
    html: str = bundle["text/html"]
    return html


def test_unfitted_estimators_have_scikit_learns_diagram() -> None:
    for learner in (DecisionTreeClassifier(), RandomForestClassifier(), AdaBoostClassifier()):
        html = html_of(learner)
        assert "sk-" in html
        assert "<pre>" not in html.split("</style>")[-1].split("sk-text-repr-fallback")[0]
        assert 'role="img"' not in html


def test_a_fitted_tree_is_drawn_under_the_diagram() -> None:
    loans = load_example("loans")
    learner = DecisionTreeClassifier(max_leaf_nodes=8).fit(loans.X, loans.y)
    html = html_of(learner)
    assert "sk-" in html
    assert 'role="img"' in html
    assert learner._repr_html_().count('role="img"') == 1


def test_results_of_trees() -> None:
    tree = loans_tree(300)
    pruned = tree.prune("error_based")
    assert "Pruned from" in pruned.pruning._repr_html_()
    check_apart(pruned.pruning.draw().svg())
    for shown in (tree.why(), tree.diff(pruned), tree.summary(), tree.rules(), pruned.pruning):
        assert "<pre>" in shown._repr_html_()
    assert "matters most" in tree.importances()._repr_html_()


def test_long_texts_are_cut() -> None:
    rules = loans_tree(120).rules()
    assert "70 more rules" in rules._repr_html_()
    assert len(RuleSet.of_tree(loans_tree(120))._repr_html_()) < 20_000


def test_forests_show_figures_and_not_their_trees() -> None:
    loans = load_example("loans")
    forest = RandomForestClassifier(n_estimators=300, random_state=0).fit(loans.X, loans.y)
    html = html_of(forest)
    assert "is asked most" in html
    assert len(html) < 100_000
    assert "Out of bag 300 trees err by" in forest.out_of_bag()._repr_html_()
    assert forest.ensemble_._repr_html_().startswith("<pre>Ensemble(")
    check_apart(forest.importances("permutation").draw().svg())


def test_boosting_shows_its_rounds() -> None:
    loans = load_example("loans")
    model = GradientBoostingClassifier(n_estimators=20).fit(loans.X, loans.y)
    assert "columns asked" in html_of(model)
    check_apart(model.rounds_.draw().svg())
    assert "<pre>" in html_of(AdaBoostClassifier(n_estimators=5).fit(loans.X, loans.y))


def test_rules_are_shown() -> None:
    loans = load_example("loans")
    assert "<pre>" in html_of(C45RulesClassifier().fit(loans.X, loans.y))


def test_names_are_escaped_everywhere() -> None:
    X = {NASTY: [1.0, 2.0, 3.0, 4.0]}
    learner = DecisionTreeClassifier().fit(X, [NASTY, NASTY, "b", "b"])
    for shown in (learner.tree_, learner.tree_.why(), learner.tree_.rules(), learner.tree_):
        assert "<script>" not in shown._repr_html_()


@pytest.mark.parametrize("n_leaves", [2, 30])
def test_pictures_are_well_formed(n_leaves: int) -> None:
    ElementTree.fromstring(loans_tree(n_leaves)._repr_html_())
