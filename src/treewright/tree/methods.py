"""Tree's methods that lead to later packages: text, rules, pruning, explanations, comparisons.

People look for them on the tree, so they are methods of it; the work is done in folders that
import trees. This is the one file that imports inside its functions.
"""

# Long because every method is documented where people look for it; its work is elsewhere.
# Every method annotates self as Tree; mypy expects a mixin's methods to accept the mixin.
# mypy: disable-error-code="misc"

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from treewright.errors import TreewrightError
from treewright.parameters import check_choice, check_flag

if TYPE_CHECKING:
    from treewright.array_types import Array, FloatArray
    from treewright.compare.diff import TreeDiff
    from treewright.consult.consultation import Consultation
    from treewright.counterfactual.counterfactual import Counterfactual
    from treewright.counterfactual.search import Decided
    from treewright.data.fitted_schema import FittedSchema
    from treewright.data.schema import Schema
    from treewright.data.table import Table
    from treewright.draw.regions import RegionsPicture
    from treewright.draw.tree_picture import TreePicture
    from treewright.draw.tree_words import Layout
    from treewright.explain.importances import Importances
    from treewright.explain.kept_whys import KeptWhys as KeptWhys
    from treewright.explain.path import Explanation
    from treewright.explain.shap_values import ShapValues
    from treewright.explain.summary import TreeSummary
    from treewright.explain.why_table import Sort, WhyTable
    from treewright.prune.base import Pruner
    from treewright.prune.record import Pruning as Pruning
    from treewright.rules.dnf import DNF
    from treewright.rules.extract import RuleSequence
    from treewright.tree.tree import Tree


class TreeMethods:
    """Methods of a tree that are implemented in later packages."""

    @staticmethod
    def build(
        nested: object,
        X: object = None,
        y: object = None,
        *,
        sample_weight: object = None,
        schema: Schema | FittedSchema | None = None,
        classes: Sequence[object] | None = None,
    ) -> Tree:
        """Return a tree written by hand, as it is drawn: questions, and what is at their edges.

        A question is a dict of one entry. ``{"Outlook": {"Sunny": ..., "Rain": ...}}`` asks a
        column and has a branch for each value; ``("Sunny", "Rain")`` is a branch of several
        values, ``None`` that of missing ones. Numbers (and ordinal values) are cut by edges such
        as ``"<= 2.45"`` and ``"> 2.45"``, or by several: ``"<= 17"``, ``"<= 64"``, ``"> 64"``.
        ``{"Petal length <= 2.45": {"yes": ..., "no": ...}}`` asks a test instead; tests are
        ``<= < > >=`` for numbers, ``= != in`` for values (``"Outlook in {Sunny, Rain}"``).

        A leaf is a class, a number (then the tree predicts numbers) or the classes with their
        counts or probabilities, ``{"Yes": 3, "No": 1}``. Where all leaves are whole counts, the
        tree has so many rows.

        Parameters
        ----------
        nested
            The tree.
        X, y, sample_weight
            Rows to fill it with, as by :meth:`refit`; their columns are then those of the tree.
        schema
            Declared kinds and domains of the columns, or the schema of another tree; else columns
            that are cut are numeric, and others nominal with the values that are named.
        classes
            Further classes; with them, numbers in leaves are classes.

        Examples
        --------
        >>> from treewright import Tree, load_example
        >>> nested = {
        ...     "Outlook": {
        ...         "Sunny": {"Humidity": {"High": "No", "Normal": "Yes"}},
        ...         "Overcast": "Yes",
        ...         "Rain": {"Wind": {"Strong": "No", "Weak": "Yes"}},
        ...     }
        ... }
        >>> tree = Tree.build(nested)
        >>> print(tree.text(ascii=True))
        node
           0  (all rows)
           1  |- Outlook = Sunny
           4  |  |- Humidity = High    -> No
           5  |  `- Humidity = Normal  -> Yes
           2  |- Outlook = Overcast    -> Yes
           3  `- Outlook = Rain
           6     |- Wind = Strong      -> No
           7     `- Wind = Weak        -> Yes
        >>> tree.predict([{"Outlook": "Rain", "Wind": "Strong", "Humidity": "High"}]).tolist()
        ['No']

        With rows, the nodes have counts:

        >>> play = load_example("play_tennis")
        >>> print(Tree.build({"Humidity": {"High": "No", "Normal": "Yes"}}, play.X, play.y))
        node                        rows  No  Yes
           0  (all rows)              14   5    9
           1  ├─ Humidity = High       7   4    3  → No
           2  └─ Humidity = Normal     7   1    6  → Yes
        """
        from treewright.grow.by_hand import build

        return build(nested, X, y, sample_weight=sample_weight, schema=schema, classes=classes)

    def refit(self: Tree, X: object, y: object, *, sample_weight: object = None) -> Tree:
        """Return the tree with the same questions, and the counts and answers of these rows.

        Leaves predict the majority (or mean) of their rows. One without rows keeps its class, if it
        was given one; else it predicts as its parent does. The tree no longer has a record of how
        it was grown.

        Parameters
        ----------
        X, y, sample_weight
            The rows, their target and weights; one target, of classes that the tree knows.

        Examples
        --------
        >>> from treewright import Tree
        >>> tree = Tree.build({"size <= 2.5": {"yes": "small", "no": "large"}})
        >>> filled = tree.refit({"size": [1, 2, 3, 4]}, ["small", "small", "large", "small"])
        >>> filled.counts(2)
        NodeCounts(node=2, n_rows=2, classes={'large': 1.0, 'small': 1.0})
        """
        from treewright.grow.refill import refit

        return refit(self, X, y, sample_weight)

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
        levels_from: int | None = None,
        cut_form: str = "midpoint",
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
        levels_from
            Show the level of each node, the root's being this: 0, or 1 as some books count.
        cut_form
            ``"midpoint"`` writes cuts as they are; ``"value"`` as ``x < v`` with the next value v
            of the training rows, see :meth:`cut_at_values`.
        """
        from treewright.draw.tree_text import tree_text

        return tree_text(
            self._in_form(cut_form),
            max_depth=max_depth,
            ascii=ascii,
            missing=missing,
            models=models,
            levels_from=levels_from,
        )

    def draw(
        self: Tree,
        *,
        row: object = None,
        max_depth: int | None = None,
        layout: Layout | None = None,
        distributions: bool = False,
        interactive: bool = False,
        title: str | None = None,
        name: str = "",
        unit: str = "rows",
    ) -> TreePicture:
        """Return a picture of the tree: ``draw().save("tree.svg")``, or show it in a notebook.

        A small tree is drawn as cards from the top down, a larger one with a line for each leaf,
        one of more than 100 leaves as an icicle; each for the width it is drawn at.

        Parameters
        ----------
        row
            A row whose path is drawn strong: as for :meth:`explain`, or the position of a training
            row.
        max_depth
            Number of levels shown below the root; what is below is counted.
        layout
            ``"cards"``, ``"ledger"``, ``"icicle"`` or ``"outline"``; None takes what fits.
        distributions
            Draw into each question the values that it asks about, with the cut marked, from the
            training rows that the tree keeps.
        interactive
            Show the interactive page in a notebook; ``save("tree.html")`` always writes it.
        title
            Title instead of what the tree is found to say.
        name
            What the tree is of, first in the subtitle.
        unit
            What a row is called, in the plural.

        Examples
        --------
        >>> from treewright import ID3Classifier, load_example
        >>> play = load_example("play_tennis")
        >>> tree = ID3Classifier().fit(play.X, play.y).tree_
        >>> tree.draw(row={"Outlook": "Rain", "Wind": "Weak"}).title
        'This row is predicted Yes: Outlook Rain, Wind Weak'
        >>> tree.draw().svg(theme="light")[:38]
        '<svg xmlns="http://www.w3.org/2000/svg'
        """
        from treewright.draw.tree_picture import draw_tree

        return draw_tree(
            self,
            row=row,
            max_depth=max_depth,
            layout=layout,
            distributions=distributions,
            interactive=interactive,
            title=title,
            name=name,
            unit=unit,
        )

    def draw_regions(self: Tree, x: str, y: str, *, at: object = None) -> RegionsPicture:
        """Return a picture of the regions of the tree in the plane of two columns of numbers.

        The regions are exact boxes, not a grid; the training rows are dots, wrong ones ringed.

        Parameters
        ----------
        x, y
            The columns across and upwards.
        at
            A row at whose values the other columns are held, where the tree asks about others.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, load_example
        >>> iris = load_example("iris")
        >>> names = ["petal length (cm)", "petal width (cm)"]
        >>> model = DecisionTreeClassifier(max_leaf_nodes=3).fit(iris.X.select(names), iris.y)
        >>> model.tree_.draw_regions(*names).title.replace("\u202f", " ")
        'Two cuts separate 96 % of the rows'
        """
        from treewright.draw.regions import draw_regions

        return draw_regions(self, x, y, at=at)

    def _repr_html_(self: Tree) -> str:
        return self.draw()._repr_html_()

    def rules(self: Tree, *, cut_form: str = "midpoint") -> RuleSequence:
        """Return the rules of the tree, one per leaf, from left to right; made lazily.

        Parameters
        ----------
        cut_form
            As for :meth:`text`; the conditions are then those that are written.
        """
        from treewright.rules.extract import rules

        return rules(self._in_form(cut_form))

    def _in_form(self: Tree, cut_form: str) -> Tree:
        check_choice("cut_form", cut_form, ("midpoint", "value"))
        return self if cut_form == "midpoint" else self.cut_at_values()

    def cut_at_values(self: Tree, X: object = None) -> Tree:
        """Return the tree whose cuts are at values of the data: ``x < 0.8`` for ``x <= 0.7``.

        The value is the smallest one above the cut among the rows of the node, which go the same
        ways as before; numbers between the old cut and the new one change sides. A cut above which
        there is no row stays.

        Parameters
        ----------
        X : table, optional
            The rows; by default the training rows, as long as the tree has its record of them.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit({"f1": [0.2, 0.6, 0.8]}, ["a", "a", "b"]).tree_
        >>> print(tree.cut_at_values().text(ascii=True))
        node                rows  a  b
           0  (all rows)       3  2  1
           1  |- f1 < 0.8      2  2  0  -> a
           2  `- f1 >= 0.8     1  0  1  -> b
        """
        from treewright.tree.edit import with_cuts_at_values

        return with_cuts_at_values(self, self.training_table(X, hint="tree.cut_at_values(X)"))

    def training_table(self: Tree, X: object, *, hint: str) -> Table:
        """Return a table given, or the training table that is kept."""
        if X is not None:
            return self._read(X)
        kept = self.kept_rows()
        if kept is None:
            raise TreewrightError(f"This tree has no training data.\n  Hint: pass them, {hint}.")
        return kept[0]

    def kept_rows(self: Tree) -> tuple[Table, Array, FloatArray | None] | None:
        """Return the training table, targets (class codes or numbers) and weights that are kept."""
        kept = None if self._record is None else self._record.rows()
        if kept is None or kept[0].schema != self.schema:  # M5 keeps a table of ranks
            return None
        return kept

    def reason_for_one_leaf(self: Tree) -> str | None:
        """Return which limit made the tree a single leaf; None where no limit did.

        Examples
        --------
        >>> from treewright import CARTClassifier, load_example
        >>> play = load_example("play_tennis")
        >>> print(CARTClassifier().fit(play.X, play.y).tree_)
        node              rows  No  Yes
           0  (all rows)    14   5    9  → Yes
        <BLANKLINE>
        one leaf: 14 rows, and a question needs min_samples_split=20; min_samples_split=2, \
min_samples_leaf=1 let small tables be split
        """
        if self.n_nodes > 1 or self._recall is None:
            return None
        return self._recall.reason_for_one_leaf(self)

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
            A mapping from column names to values (only those that are asked on the way are
            needed), a sequence in column order, or a table of one row.
        """
        from treewright.explain.path import explain

        return explain(self, row)

    def counterfactual(
        self: Tree,
        row: object,
        *,
        to: object,
        fixed: Sequence[str] = (),
        costs: Mapping[str, float] | None = None,
        X: object = None,
        decided: Decided | None = None,
    ) -> Counterfactual:
        """Return what would change the answer: the nearest row that gets the wanted one; print it.

        The distance is the sum over the columns of what each change counts, times its cost. A
        number, date or rank counts its change over the median absolute deviation of the column
        (Wachter et al. 2017), a category that changes 1 (Gower 1971), and so does a missing value
        that becomes known; no known value becomes missing. A number moves just across a cut: to a
        whole number where all rows have whole ones, a date to a day where all are days.

        All regions of the tree are compared, so no row is nearer, unless its leaves have linear
        models.

        Parameters
        ----------
        row
            As for :meth:`explain`; columns that no question is about may be left out.
        to
            The wanted class; for a tree that predicts numbers the lowest and the highest wanted
            number, one of which may be None: ``to=(200, None)`` for 200 or more.
        fixed
            Columns that stay as they are.
        costs
            Factor of a change of each column; by default its cost in the schema, which is 1 if none
            was declared.
        X
            Rows that say how far the columns spread. By default the training rows, as long as the
            tree keeps them; else the cuts of the tree are taken instead.
        decided
            Function that predicts for a table in place of the tree, by the same regions.

        Raises
        ------
        NoSuchRowError
            If no row gets the answer while the fixed columns stay as they are.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, load_example
        >>> iris = load_example("iris")
        >>> tree = DecisionTreeClassifier(max_depth=3).fit(iris.X, iris.y).tree_
        >>> print(tree.counterfactual(iris.X.rows([106]), to="virginica"))
        It would be 'virginica' if petal width (cm) were just above 1.75 instead of 1.7
        (and nothing else changed).
        """
        from treewright.counterfactual.find import Asked, of_tree, reference_rows
        from treewright.data.read.rows import read_row
        from treewright.tree.leaf import decide

        table = read_row(row, self.schema, optional=self.unused_columns, unseen=self.unseen)
        reference = reference_rows(X, table, self.used_columns)
        if reference is None and (kept := self.kept_rows()) is not None:
            reference = kept[0]

        def own(rows: Table) -> Array:
            return decide(self.plan.answers(rows), self.classes, self.leaf)

        asked = Asked(
            row=table,
            given=row,
            to=to,
            fixed=fixed,
            costs=costs,
            reference=reference,
            decided=decided or own,
        )
        return of_tree(self, asked)

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
            such as after unpickling, and where it was not saved with the table of this node.
        top
            How many columns are printed; None prints all.
        sort
            ``"score"`` prints the best first, ``"column"`` in the order of the table.
        measures
            Names of the measures to print, ``"all"``, or None for those that the algorithm compares
            columns by: of ``gain``, ``split_information``, ``gain_ratio``, ``chi2``, ``df``,
            ``p_value``, ``adjusted_p``, ``cost``, ``cost_score``, ``n_cuts``, ``missing_weight``.
        """
        from treewright.explain.why import shown, why

        self.check_node(node)
        if X is None and self.kept_whys is not None and not self.has_record:
            kept = self.kept_whys.table(node)
            if kept is not None:
                return shown(kept, top=top, sort=sort, measures=measures)
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
        **settings: object,
    ) -> Tree:
        """Return a pruned tree; this one is not changed.

        Parameters
        ----------
        pruner
            A pruner of :mod:`treewright.prune`, or its name.
        X, y, sample_weight
            Validation rows, where the pruner needs some; training rows for ``"error_based"``.
        validation
            The same as the pair ``X, y``; for ``"error_based"`` rows that only appear in
            ``tree.pruning.curve``.
        test
            Rows that only appear in ``tree.pruning.curve``.
        **settings
            Parameters of the pruner that is named: ``prune("to_depth", depth=2)``.

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

        return pruner_of(pruner, **settings).prune(
            self, X, y, sample_weight=sample_weight, validation=validation, test=test
        )

    def subtree(self: Tree, node: int) -> Tree:
        """Return the tree below a node, the node included, as a tree of its own.

        It has the counts, questions and predictions of its nodes, numbered anew from 0, and no
        record of its training. The prior of ``leaf="m_estimate"`` is that of its root.

        Parameters
        ----------
        node
            The node that becomes the root.

        Examples
        --------
        >>> from treewright import ID3Classifier, load_example
        >>> play = load_example("play_tennis")
        >>> tree = ID3Classifier().fit(play.X, play.y).tree_
        >>> print(tree.subtree(3).text(ascii=True))
        node                    rows  No  Yes
           0  (all rows)           5   2    3
           1  |- Wind = Weak       3   0    3  -> Yes
           2  `- Wind = Strong     2   2    0  -> No
        """
        from treewright.tree.edit import subtree

        self.check_node(node)
        return subtree(self, node)

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
