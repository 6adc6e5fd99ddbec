"""Tree's methods that lead to later packages: text, rules, pruning, explanations, comparisons.

People look for them on the tree, so they are methods of it; the work is done in folders that
import trees. This is the one file that imports inside its functions.
"""

# Every method annotates self as Tree; mypy expects a mixin's methods to accept the mixin.
# mypy: disable-error-code="misc"

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from treewright.errors import TreewrightError
from treewright.parameters import check_flag, is_whole

if TYPE_CHECKING:
    from treewright.compare.diff import TreeDiff
    from treewright.consult.consultation import Consultation
    from treewright.explain.importances import Importances
    from treewright.explain.path import Explanation
    from treewright.explain.summary import TreeSummary
    from treewright.explain.why_table import Sort, WhyTable
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

    def summary(self: Tree) -> TreeSummary:
        """Return the size of the tree, its error on its own rows, and the columns it asks.

        Examples
        --------
        >>> from treewright import C45Classifier, load_example
        >>> play = load_example("play_tennis")
        >>> print(C45Classifier().fit(play.X, play.y).tree_.summary())
        Tree: 14 rows, 3 of 4 columns asked, by gain_ratio
        leaves                   5
        depth                    2
        questions a row answers  1.7 on average
        error on its own rows    0.0 %
        <BLANKLINE>
        column    importance
        Humidity       0.369
        Wind           0.369
        Outlook        0.262
        """
        from treewright.explain.summary import summarise

        return summarise(self, "Tree")

    def why(
        self: Tree,
        node: int = 0,
        X: object = None,
        y: object = None,
        *,
        sample_weight: object = None,
        top: int | None = 10,
        sort: Sort = "score",
        measures: str | Sequence[str] | None = None,
    ) -> WhyTable:
        """Return why a node was split as it was: every column's best question, with its score.

        Parameters
        ----------
        node
            The node, as numbered by :meth:`text`.
        X, y, sample_weight
            The training data; needed only where the tree no longer has its own record of them,
            such as after unpickling.
        top
            How many columns are printed; None prints all.
        sort
            ``"score"`` prints the best first, ``"column"`` in the order of the table.
        measures
            Names of the measures to print, ``"all"``, or None for those that the algorithm compares
            columns by: of ``gain``, ``split_information``, ``gain_ratio``, ``chi2``, ``df``,
            ``p_value``, ``adjusted_p``, ``cost``, ``cost_score``, ``n_cuts``, ``missing_weight``.
        """
        from treewright.explain.why import why

        if not is_whole(node) or not 0 <= node < self.n_nodes:
            raise TreewrightError(
                f"There is no node {node}; the tree has nodes 0 to {self.n_nodes - 1}."
            )
        hint = f"tree.why({node}, X, y)"
        record = self.record(X, y, sample_weight, owner="Tree.why", hint=hint)
        return why(self, node, record, top=top, sort=sort, measures=measures)

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
