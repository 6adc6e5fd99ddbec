"""Estimators of many trees: their members, and explanations of what they predict together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sklearn.base import ClassifierMixin

from treewright.data.table import Table
from treewright.draw.ensemble_picture import EnsemblePicture, draw_ensemble
from treewright.ensemble.explanation import EnsembleExplanation
from treewright.estimators.base import TableEstimator, TreeEstimator
from treewright.estimators.counterfactual.has_counterfactuals import HasCounterfactuals
from treewright.estimators.dependence.has_dependence import HasDependence
from treewright.explain.shap_values import ShapValues


class HasMembers(HasDependence, HasCounterfactuals, TableEstimator):
    """Many estimators in one: ``model[i]`` is the fitted ``estimators_[i]``.

    The trees themselves are in ``ensemble_``.
    """

    def _member(self) -> TreeEstimator:
        """Return an unfitted tree estimator of the members' kind."""
        raise AssertionError("an ensemble has members")

    def _members(self) -> Sequence[Any]:
        """Return the fitted members, each made when it is accessed."""
        return FittedTrees(self, self._model())

    @property
    def estimators_(self) -> Any:
        """The fitted members; trees are made anew on every access."""
        return list(self._members())

    def explain(self, row: object) -> EnsembleExplanation:
        """Return why one row is predicted as it is: the votes, and what each column adds; print it.

        It tells what `predict` and `predict_proba` answer. What columns add are SHAP values, see
        :meth:`shap_values`: of the probability of the predicted class (before calibration), of the
        number, or in boosting of the score.

        Parameters
        ----------
        row
            A mapping from column names to values (only those that a tree asks are needed), a
            sequence in column order, or a table of one row.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, load_example
        >>> iris = load_example("iris")
        >>> forest = RandomForestClassifier(n_estimators=50).fit(iris.X, iris.y)
        >>> print(forest.explain(iris.X.to_pandas().iloc[70]))
        versicolor  (versicolor 60.0 %, virginica 40.0 %)
        30 of 50 trees say versicolor, 20 virginica
        <BLANKLINE>
        column             value  probability of versicolor
        petal length (cm)    4.8                     +0.225
        petal width (cm)     1.8                     -0.132
        sepal width (cm)     3.2                     +0.092
        sepal length (cm)    5.9                     +0.083
        base                                          0.332
        answer                                        0.600
        """
        model = self._model()
        return self._explanation(model, model.row(row))

    def _explanation(self, model: Any, table: Table, **own: Any) -> EnsembleExplanation:
        """Return the explanation of a row; `own` is what is not the model's own answer."""
        if getattr(self, "_calibration", None) is not None:
            told = self._calibrated_side_by_side(table)[0]
            own |= {"answer": told, "decides": told, "is_calibrated": True}
        explanation: EnsembleExplanation = model.explain_row(table, **own)
        return explanation

    def draw(self, *, n_trees: int = 6, unit: str = "rows") -> EnsemblePicture:
        """Return a picture of some trees, side by side as small icicles.

        Those of typical size; of boosting the first ones and the largest.

        One tree is drawn by ``ensemble_[0].draw()``.

        Parameters
        ----------
        n_trees
            How many trees are drawn.
        unit
            What a row is called, in the plural.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, load_example
        >>> iris = load_example("iris")
        >>> forest = RandomForestClassifier(n_estimators=50, random_state=0).fit(iris.X, iris.y)
        >>> forest.draw().title
        '50 trees; a typical one has 9 leaves'
        """
        return draw_ensemble(self._model(), n_trees=n_trees, name=type(self).__name__, unit=unit)

    def __len__(self) -> int:
        return len(self._members())

    def __getitem__(self, index: int) -> Any:
        return self._members()[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._members())


class SumsTrees(HasMembers):
    """An estimator whose answers are sums over the trees of ``ensemble_``."""

    def _threads_for(self, table: Table) -> int:
        raise AssertionError("an ensemble has threads")

    def _explained(
        self, table: Table, background: Table | None, *, interactions: bool
    ) -> ShapValues:
        explained: ShapValues = self._model().explained(
            table,
            background=background,
            interactions=interactions,
            n_threads=self._threads_for(table),
        )
        return explained


class FittedTrees(Sequence[Any]):
    """The trees of an ensemble as fitted estimators."""

    def __init__(self, owner: HasMembers, trees: Any) -> None:
        names = ["n_features_in_", "feature_names_in_", "n_outputs_"]
        if isinstance(owner._member(), ClassifierMixin):
            names += ["classes_", "n_classes_"]
        self._learned = {name: getattr(owner, name) for name in names if hasattr(owner, name)}
        self._owner, self._trees = owner, trees

    def __len__(self) -> int:
        return len(self._trees)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        member = self._owner._member()
        member.__dict__.update(self._learned, tree_=self._trees[index])
        return member
