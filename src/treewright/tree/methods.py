"""Tree's methods that lead to later packages: text, rules, pruning, explanations, comparisons.

People look for them on the tree, so they are methods of it; the work is done in folders that
import trees. This is the one file that imports inside its functions.
"""

# Every method annotates self as Tree; mypy expects a mixin's methods to accept the mixin.
# mypy: disable-error-code="misc"

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from treewright.errors import TreewrightError
from treewright.parameters import check_flag, is_whole

if TYPE_CHECKING:
    from treewright.compare.diff import TreeDiff
    from treewright.consult.consultation import Consultation
    from treewright.explain.importances import Importances
    from treewright.explain.path import Explanation
    from treewright.explain.shap_values import ShapValues
    from treewright.explain.why_table import WhyTable
    from treewright.prune.base import Pruner
    from treewright.prune.record import Pruning as Pruning
    from treewright.rules.dnf import DNF
    from treewright.rules.extract import RuleSequence
    from treewright.tree.tree import Tree


class TreeMethods:
    """Methods of a tree that are implemented in later packages."""

    def importances(self: Tree, *, normalize: bool = True) -> Importances:
        """Return the importances of the columns: shares of the decrease of impurity.

        A node adds its weight x impurity, less that of its children, to the column it asks about
        (Breiman et al. 1984, section 5.3.4, without surrogates; as scikit-learn). A node that asks
        about a linear combination of columns (oblique) divides it among them. Under a cost matrix
        both are those of growing, where classes are weighted by what their errors cost.

        Parameters
        ----------
        normalize
            Normalize the importances to a sum of 1; else they are per unit of training weight.
        """
        from treewright.explain.importances import importances_of_tree

        check_flag("normalize", normalize)
        return importances_of_tree(self, normalize=normalize)

    def text(
        self: Tree,
        *,
        max_depth: int | None = None,
        ascii: bool = False,
        missing: bool = False,
        models: bool = True,
    ) -> str:
        """Return the text of the tree, one line per node, then the linear models of its leaves.

        Parameters
        ----------
        max_depth
            Number of levels shown below the root; the nodes left out are counted.
        ascii
            Draw with ASCII characters only.
        missing
            Mark the branch that missing values take.
        models
            Write out the linear models of the leaves shown.
        """
        from treewright.draw.tree_text import tree_text

        return tree_text(self, max_depth=max_depth, ascii=ascii, missing=missing, models=models)

    def rules(self: Tree) -> RuleSequence:
        """Return the rules of the tree, one per leaf, from left to right; made lazily."""
        from treewright.rules.extract import rules

        return rules(self)

    def dnf(self: Tree, label: object) -> DNF:
        """Return the condition for a class as a disjunction of conjunctions.

        Parameters
        ----------
        label
            The class.
        """
        from treewright.rules.dnf import dnf

        return dnf(self, label)

    def explain(self: Tree, row: object) -> Explanation:
        """Return the path of one row through the tree, to print.

        Parameters
        ----------
        row
            A mapping from column names to values (those of :attr:`unused_columns` may be left
            out), a sequence in column order, or a table of one row.
        """
        from treewright.explain.path import explain

        return explain(self, row)

    def shap_values(
        self: Tree, X: object, *, interactions: bool = False, background: object = None
    ) -> ShapValues:
        """Return the SHAP values of each row: what each column adds to the answer.

        The answer is the probability of each class, or the number. The values are exact Shapley
        values (1953) of the game in which some columns of the row are known: what would the tree be
        expected to answer? Values and base value add up to the prediction.

        - A question whose column is not known is followed along all branches, by the weight of the
          training rows that took them (path-dependent TreeSHAP, Lundberg et al. 2020), or along the
          branch of a background row (interventional).
        - A question about several columns (a linear combination; a missing value and the
          surrogates that stood in) is known where all columns that decided it are.
        - A term of a linear model whose column is not known takes the number that a missing value
          takes there: the mean of the leaf, or in M5 of the training table. Where the model is kept
          within limits, the terms share what the limits leave of their sum, in proportion.
        - The value of a derived column goes to the columns it is derived from, in equal parts.

        Parameters
        ----------
        X : table
            As for ``predict``.
        interactions
            Return the values of pairs of columns: symmetric, and each line sums to the value of its
            column.
        background
            A table of rows that stand for what is not known; the values are the means over them.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, load_example
        >>> play = load_example("play_tennis")
        >>> tree = DecisionTreeClassifier().fit(play.X, play.y).tree_
        >>> found = tree.shap_values(play.X)
        >>> bool(abs(found.answers - tree.predict_proba(play.X)).max() < 1e-12)
        True
        """
        from treewright.explain.shap import explain_tree

        check_flag("interactions", interactions)
        return explain_tree(
            self,
            self._read(X),
            background=None if background is None else self._read(background),
            interactions=bool(interactions),
        )

    def diff(self: Tree, other: Tree, X: object = None, *, tolerance: float = 1e-9) -> TreeDiff:
        """Return the differences from another tree: what pruning, a noisy row or a seed changed.

        Parameters
        ----------
        other
            The other tree, of the same columns and classes, in any order.
        X
            A table whose rows are counted if their path, class (or number) or probabilities change.
        tolerance
            Numbers and probabilities this close are equal (relative for numbers beyond 1).

        Examples
        --------
        >>> from treewright import ID3Classifier, load_example
        >>> play = load_example("play_tennis")
        >>> whole = ID3Classifier().fit(play.X, play.y).tree_
        >>> small = ID3Classifier(max_depth=1).fit(play.X, play.y).tree_
        >>> whole.diff(small, play.X).rows.label.tolist()
        [5, 8, 10, 13]
        """
        from treewright.compare.diff import diff

        return diff(self, other, X, tolerance=tolerance)

    def consult(
        self: Tree,
        *,
        known: Mapping[str, object] | None = None,
        costs: Mapping[str, float] | None = None,
        tolerance: float = 0.0,
        ask: Callable[[str], str] | None = None,
        tell: Callable[[str], object] = print,
    ) -> Consultation:
        """Return a consultation: values are asked for, cheapest first, until it can predict.

        Parameters
        ----------
        known
            Values known beforehand, by column; None for one that is known to be missing.
        costs
            Cost of measuring each column; by default as declared in the schema.
        tolerance
            Numbers this close count as one prediction; for regression only.
        ask
            A callback that shows a text and returns what is typed, like ``input``: the questions
            are then asked and answered before this method returns. Without it, answer them one by
            one.
        tell
            A callback that shows the outcome of such a dialogue.

        Examples
        --------
        >>> from treewright import ID3Classifier, load_example
        >>> play = load_example("play_tennis")
        >>> tree = ID3Classifier().fit(play.X, play.y).tree_
        >>> consultation = tree.consult(known={"Outlook": None}, costs={"Humidity": 3})
        >>> consultation.question.column  # both branches are open, and Wind is the cheaper
        'Wind'
        """
        from treewright.consult.consultation import Consultation
        from treewright.consult.dialogue import converse

        consultation = Consultation(self, known=known, costs=costs, tolerance=tolerance)
        if ask is not None:
            converse(consultation, ask=ask, tell=tell)
        return consultation

    def why(
        self: Tree,
        node: int = 0,
        X: object = None,
        y: object = None,
        *,
        sample_weight: object = None,
    ) -> WhyTable:
        """Return why a node was split as it was: every column's best question, with its score.

        Parameters
        ----------
        node
            The node, as numbered by :meth:`text`.
        X, y, sample_weight
            The training data; needed only where the tree no longer has its own record of them,
            such as after unpickling.
        """
        from treewright.explain.why import why

        if not is_whole(node) or not 0 <= node < self.n_nodes:
            raise TreewrightError(
                f"There is no node {node}; the tree has nodes 0 to {self.n_nodes - 1}."
            )
        hint = f"tree.why({node}, X, y)"
        record = self.record(X, y, sample_weight, owner="Tree.why", hint=hint)
        return why(self, node, record)

    def prune(
        self: Tree,
        pruner: str | Pruner,
        X: object = None,
        y: object = None,
        *,
        sample_weight: object = None,
        validation: tuple[object, object] | None = None,
        test: tuple[object, object] | None = None,
    ) -> Tree:
        """Return a pruned tree; this one is not changed.

        Parameters
        ----------
        pruner
            A pruner of :mod:`treewright.prune`, or its name with the usual settings.
        X, y, sample_weight
            Validation rows, where the pruner needs some; training rows for ``"error_based"``.
        validation
            The same as the pair ``X, y``; for ``"error_based"`` rows that only appear in
            ``tree.pruning.curve``.
        test
            Rows that only appear in ``tree.pruning.curve``.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, load_example
        >>> iris = load_example("iris")
        >>> tree = DecisionTreeClassifier().fit(iris.X, iris.y).tree_
        >>> print(tree.prune("minimum_error").pruning)
        minimum_error: 9 leaves -> 7
        before and after: expected errors of the children, and of the node as a leaf
        <BLANKLINE>
        node  asked              became     before  after  leaves
           4  petal length (cm)  virginica   2.385  2.236       7
        """
        from treewright.prune import pruner_of

        return pruner_of(pruner).prune(
            self, X, y, sample_weight=sample_weight, validation=validation, test=test
        )

    def simplify(self: Tree, *, probabilities: bool = False, missing: bool = True) -> Tree:
        """Return the smallest tree of the same nodes that makes the same predictions.

        Subtrees whose leaves all predict the same become one leaf. No prediction changes for any
        row: this follows from the leaves, not from a table.

        Parameters
        ----------
        probabilities
            Keep the probabilities too, not only the classes.
        missing
            Keep the predictions of rows that are divided among branches too (values missing, or
            unseen in training). Such a row combines several leaves, so below a node that divides
            rows only leaves with exactly the same prediction are merged.
        """
        from treewright.prune.simplify import simplify

        return simplify(self, probabilities=probabilities, missing=missing)
