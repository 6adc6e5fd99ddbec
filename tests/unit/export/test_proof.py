"""The proof compares with what an estimator answers, which may be more than what its trees say."""

import pytest
from exportable_models import model

import treewright as tw
from treewright import export


@pytest.mark.parametrize("name", ["adaboost", "adaboost_divided", "adaboost_two"])
def test_votes_are_no_proof_of_an_estimator_that_softens_them(name: str) -> None:
    made = export.python(model(name).ensemble_, n_rows=300)
    assert made.proof is not None
    assert made.proof.holds  # it is the ensemble's
    proof = export.verify(model(name), made, n_rows=300)
    assert not proof.holds
    assert proof.differing > 0
    assert proof.largest_difference > 0.01


def test_costs_that_an_export_leaves_out_are_found() -> None:
    made = export.python(model("adaboost"), proof=False)
    proof = export.verify(model("adaboost_costs"), made, n_rows=300)
    assert proof.differing > 0


class Changed(tw.DecisionTreeClassifier):
    """A tree whose owner answers otherwise than it does."""

    def predict(self, X: object) -> object:
        return super().predict(X)[::-1]


def test_an_estimator_with_a_predict_of_its_own_is_asked() -> None:
    fitted = Changed(max_depth=3).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "c", "d"])
    made = export.python(fitted)
    assert made.proof is not None
    assert not made.proof.holds
