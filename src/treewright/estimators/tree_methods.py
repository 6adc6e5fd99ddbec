"""Methods of a single tree on the estimator itself: text, rules, why, explain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treewright.draw.regions import RegionsPicture
    from treewright.draw.tree_picture import TreePicture
    from treewright.explain.path import Explanation
    from treewright.explain.summary import TreeSummary
    from treewright.explain.why_table import Sort, WhyTable
    from treewright.rules.dnf import DNF
    from treewright.rules.extract import RuleSequence
    from treewright.rules.ruleset import RuleSet
    from treewright.tree.tree import Tree


class HasTreeMethods:
    """A fitted estimator with the methods that read its tree.

    Every method is the one of :class:`~treewright.Tree` with the same name, applied to ``tree_``.
    """

    _model: Any

    def _tree(self) -> Tree:
        tree: Tree = self._model()
        return tree

    def text(self, **options: Any) -> str:
        """Return the tree as text, one line per node; see :meth:`Tree.text` for the options.

        Examples
        --------
        >>> from treewright import ID3Classifier, load_example
        >>> play = load_example("play_tennis")
        >>> print(ID3Classifier(max_depth=1).fit(play.X, play.y).text(ascii=True))
        node                         rows  No  Yes
           0  (all rows)               14   5    9
           1  |- Outlook = Sunny        5   3    2  -> No
           2  |- Outlook = Overcast     4   0    4  -> Yes
           3  `- Outlook = Rain         5   2    3  -> Yes
        """
        return self._tree().text(**options)

    def draw(self, **options: Any) -> TreePicture:
        """Return a picture of the tree; see :meth:`Tree.draw` for the options.

        Examples
        --------
        >>> from treewright import ID3Classifier, load_example
        >>> play = load_example("play_tennis")
        >>> picture = ID3Classifier().fit(play.X, play.y).draw(unit="days")
        >>> picture.subtitle.split(".")[0]
        'ID3Classifier, 5 leaves, 14 days'
        """
        return self._tree().draw(**{"name": type(self).__name__, **options})

    def draw_regions(self, x: str, y: str, *, at: object = None) -> RegionsPicture:
        """Return the regions in the plane of two columns; see :meth:`Tree.draw_regions`."""
        return self._tree().draw_regions(x, y, at=at)

    def rules(self) -> RuleSequence | RuleSet:
        """Return the rules of the model: one per leaf, from left to right."""
        return self._tree().rules()

    def dnf(self, label: object) -> DNF:
        """Return the condition for a class as a disjunction of conjunctions."""
        return self._tree().dnf(label)

    def why(
        self,
        node: int = 0,
        X: object = None,
        y: object = None,
        *,
        sample_weight: object = None,
        top: int | None = 10,
        sort: Sort = "score",
        measures: str | Sequence[str] | None = None,
    ) -> WhyTable:
        """Return every column's best question in a node with its figures; see :meth:`Tree.why`."""
        return self._tree().why(
            node, X, y, sample_weight=sample_weight, top=top, sort=sort, measures=measures
        )

    def summary(self) -> TreeSummary:
        """Return the size of the tree, its error on its own rows, and the columns it asks."""
        from treewright.explain.summary import summarise

        return summarise(self._tree(), type(self).__name__)

    def explain(self, row: object) -> Explanation:
        """Return the path of one row through the tree; see :meth:`Tree.explain`."""
        return self._tree().explain(row)
