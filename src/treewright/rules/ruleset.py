"""RuleSet: rules that together predict every row: in order, by vote, or each for its share."""

# Long because every method is documented where people look for it; searches are elsewhere.
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np

from treewright.array_types import Array, Probabilities
from treewright.counterfactual.find import Answering, Asked, of_rules, reference_rows
from treewright.data.read.rows import read_row, read_rows
from treewright.errors import MemoryLimitError, UnsupportedError
from treewright.parameters import check_choice
from treewright.rules.answers import Answers, Shared, by_votes
from treewright.rules.counting import LabelledRows, count, with_figures
from treewright.rules.dnf import DNF, dnf_of_list
from treewright.rules.extract import check_label
from treewright.rules.extract import rules as rules_of
from treewright.rules.matching import Matcher
from treewright.rules.routing import needs_passages, walk_passages
from treewright.rules.rule import Rule
from treewright.rules.simplify import simplified_list, without_idle_conditions
from treewright.rules.text import RuleExplanation, paint
from treewright.rules.to_dict import ruleset_to_dict
from treewright.rules.user_rules import check_classes, complete
from treewright.state.pickled_whole import PickledWhole
from treewright.text.notebook import text_html
from treewright.tree.condition import SHORT, Wording
from treewright.tree.leaf import BY_MAJORITY, LeafRule, by_output, decide
from treewright.tree.node_text import way_in_words
from treewright.tree.plan import COMBINE, UNSEEN_CATEGORIES
from treewright.tree.tree import Tree, check_is_tree

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int64Array
    from treewright.counterfactual.counterfactual import Counterfactual
    from treewright.counterfactual.search import Decided
    from treewright.data.fitted_schema import FittedSchema
    from treewright.data.table import Table

Mode: TypeAlias = Literal["ordered", "voting", "shares"]
MODES: tuple[Mode, ...] = ("ordered", "voting", "shares")

_MOST_PASSAGES = 50_000_000
"""Most passages to all leaves; a chain of 10,000 nodes has as many, in half a gigabyte."""


_MOST_IN_NOTEBOOK = 50
"""Rules that a notebook shows."""


class RuleSet(PickledWhole, Sequence[Rule]):
    """Rules that together predict the class or number of any row.

    Parameters
    ----------
    rules
        The rules; their order matters in the mode ``"ordered"``.
    default
        The rule for rows that meet no other: a rule without conditions.
    classes
        The classes of each output, in the order of the probabilities; None for numbers.
    mode
        ``"ordered"``: the first rule that a row meets decides (a decision list). ``"voting"``: all
        rules that it meets vote for their class, their confidence is the vote weight, and ties go
        to the default class (C5.0). ``"shares"``: rules of a tree that divides rows with missing
        values, each of which predicts for its share.
    combine, leaf
        In the mode ``"shares"``, how the tree combines its leaves and decides, see
        :class:`~treewright.Tree`; in the mode ``"voting"``, costs by which shares of votes decide.
    unseen
        ``"error"`` refuses categories unseen in training; anything else lets them meet
        the conditions that allow them.

    Examples
    --------
    >>> from treewright import ID3Classifier, RuleSet, load_example
    >>> play = load_example("play_tennis")
    >>> rules = RuleSet.of_tree(ID3Classifier().fit(play.X, play.y).tree_)
    >>> len(rules), rules[2].text()
    (5, 'IF Outlook = Overcast THEN Yes  (4 covered, 0 wrong)')
    >>> rules.predict(play.X)[:3].tolist()
    ['No', 'No', 'Yes']
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        *,
        default: Rule,
        classes: tuple[Array, ...] | None,
        mode: Mode = "ordered",
        combine: str = "branch_fractions",
        leaf: LeafRule = BY_MAJORITY,
        unseen: str = "missing",
    ) -> None:
        check_choice("mode", mode, MODES)
        check_choice("combine", combine, COMBINE)
        check_choice("unseen", unseen, UNSEEN_CATEGORIES)
        if classes is not None:
            check_classes(classes)
        given = (*rules, default) if isinstance(rules, Iterable) else (rules,)
        *listed, last = complete(given, classes)
        self.rules = tuple(listed)
        self.default = last
        self.classes = classes
        self.mode = mode
        self.combine = combine
        self.leaf = leaf
        self.unseen = unseen
        if mode == "voting" and (classes is None or len(classes) > 1):
            what = "Numbers" if classes is None else "Several classes at once"
            raise UnsupportedError(f"{what} cannot be voted on.\n  Hint: mode='ordered'.")
        if mode == "shares" and not all(rule.passages for rule in self.rules):
            raise UnsupportedError(
                "mode='shares' is for rules that say how a tree divides rows.\n"
                "  Hint: RuleSet.of_tree(tree), or mode='ordered'."
            )

    @classmethod
    def of_tree(cls, tree: Tree) -> RuleSet:
        """Return the rules of a tree, with its predictions for every row, missing values included.

        Where the tree may divide a row, or ask about other columns instead (surrogates), rules
        carry the passages to their leaf, and a divided row combines the predictions of its rules by
        their shares. All rules are made at once, which for a deep chain is quadratic in its depth;
        ``tree.rules()`` makes them lazily.
        """
        check_is_tree("tree", tree)
        rules = list(rules_of(tree))
        mode: Mode = "ordered"
        if needs_passages(tree):
            mode = "shares"
            n_steps = int(tree.levels[tree.arrays.n_branches == 0].sum())
            if n_steps > _MOST_PASSAGES:
                raise MemoryLimitError(
                    f"The ways to the {tree.n_leaves:,} leaves have {n_steps:,} steps, too many to"
                    " write out.\n  Hint: tree.rules() reads the rules one by one."
                )
            ways = (way for _, way in walk_passages(tree))
            rules = [replace(rule, passages=way) for rule, way in zip(rules, ways, strict=True)]
        root = Rule(
            conditions=(), label=tree.label(0), schema=tree.schema, distribution=tree.answers[0]
        )
        return cls(
            rules,
            default=root,
            classes=tree.classes,
            mode=mode,
            combine=tree.combine,
            leaf=tree.leaf,
            unseen=tree.unseen,
        )

    # A sequence of rules

    def __len__(self) -> int:
        return len(self.rules)

    @overload
    def __getitem__(self, index: int) -> Rule: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Rule, ...]: ...

    def __getitem__(self, index: int | slice) -> Rule | tuple[Rule, ...]:
        return self.rules[index]

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __repr__(self) -> str:
        return f"RuleSet({len(self)} rules, mode={self.mode!r}, default={self.default.label!r})"

    def __str__(self) -> str:
        return self.text()

    def __getstate__(self) -> dict[str, Any]:
        kept = ("rules", "default", "classes", "mode", "combine", "leaf", "unseen")
        return {name: self.__dict__[name] for name in kept}

    @property
    def schema(self) -> FittedSchema:
        """The columns of the rules."""
        return self.default.schema

    @property
    def n_conditions(self) -> int:
        """Number of conditions of all rules."""
        return sum(len(rule.conditions) for rule in self.rules)

    def usage(self) -> FloatArray:
        """Return each column's usage: its share in the columns of rules, by weight covered."""
        used = np.zeros(len(self.schema.columns))
        for rule in self.rules:
            used[list(rule.column_indices())] += rule.covers
        total = used.sum()
        return used / total if total > 0 else used

    # Prediction

    def predict(self, X: object) -> Array:
        """Return the predicted class or number of each row; columns are matched by name.

        Parameters
        ----------
        X : table
            As for ``fit``; columns may be in any order, further ones are ignored.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_outputs)
        """
        return self.decide(self.read(X))

    def predict_proba(self, X: object) -> Probabilities:
        """Return the class probabilities of each row; a list of arrays for several outputs.

        In the mode ``"ordered"``, they are the shares of the classes among the training rows that
        the same rule decides on; in the mode ``"voting"``, the shares of the votes. The predicted
        class has the highest one, except where a rule is right about less than half of its rows,
        or votes tie.

        Parameters
        ----------
        X : table
            As for ``fit``; columns may be in any order, further ones are ignored.

        Returns
        -------
        array of shape (n_rows, n_classes), or a list of them, one per output
        """
        if self.classes is None:
            raise UnsupportedError("These rules give numbers and have no class probabilities.")
        parts = by_output(self.answers(self.read(X)), self.classes)
        return parts[0] if len(parts) == 1 else parts

    def apply(self, X: object) -> Int64Array:
        """Return the rule that decides on each row, from 0, -1 for the default; if ordered."""
        return self.apply_to(self.read(X))

    def apply_to(self, table: Table) -> Int64Array:
        """Return the rule that decides on each row of a table that has been read."""
        if self.mode != "ordered":
            raise UnsupportedError(
                f"In the mode {self.mode!r} no single rule decides.\n"
                "  Hint: explain(row) shows the rules that a row meets."
            )
        return self._matcher.first(table)

    def read(self, X: object) -> Table:
        """Return a table matched to the columns of the rules."""
        return read_rows(X, self.schema, owner="RuleSet", unseen=self.unseen)

    def decide(self, table: Table) -> Array:
        """Return the predicted class or number of each row of a table that has been read."""
        if self.mode == "shares" or self.classes is None or len(self.classes) > 1:
            return decide(self.answers(table), self.classes, self.leaf)
        if self.mode == "ordered":
            codes = self._label_codes[self._matcher.first(table)]
        elif self.leaf.cost_matrix is not None:
            return decide(self.answers(table), self.classes, self.leaf)
        else:
            votes = self._votes(table)
            # Ties go to the default class, then to the first.
            default = int(self._label_codes[-1])
            codes = np.where(votes[:, default] >= votes.max(axis=1), default, votes.argmax(axis=1))
        labels: Array = self.classes[0][codes]
        return labels

    def answers(self, table: Table) -> FloatArray:
        """Return class probabilities (outputs side by side) or predicted numbers, row by row."""
        if self.mode == "ordered":
            first = self._matcher.first(table)
            return self._answers.at(table, np.arange(table.n_rows), first)
        if self.mode == "shares":
            return self._shared.combined(self._matcher.matches(table), table)
        votes = self._votes(table)
        total = votes.sum(axis=1, keepdims=True)
        shares = np.divide(votes, total, out=np.zeros_like(votes), where=total > 0)
        return np.where(total > 0, shares, self.default.distribution)

    def _votes(self, table: Table) -> FloatArray:
        assert self.classes is not None
        return by_votes(
            self._matcher.matches(table),
            self._label_codes,
            np.array([rule.confidence for rule in self.rules], dtype=np.float64),
            n_rows=table.n_rows,
            n_classes=len(self.classes[0]),
        )

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(self.rules)

    @cached_property
    def _shared(self) -> Shared:
        return Shared.of(self.rules, classes=self.classes, combine=self.combine)

    @cached_property
    def _answers(self) -> Answers:
        """Prediction of each rule, the default last (index -1)."""
        return Answers((*self.rules, self.default))

    @cached_property
    def _label_codes(self) -> Int64Array:
        """Class of each rule, the default last (index -1)."""
        assert self.classes is not None
        code_of_label = {label: code for code, label in enumerate(self.classes[0].tolist())}
        return np.array([code_of_label[rule.label] for rule in (*self.rules, self.default)])

    # Texts

    def text(
        self,
        *,
        level: float = 0.95,
        max_rules: int | None = None,
        wording: Wording = SHORT,
    ) -> str:
        """Return a table of the rules: conditions, class, weight covered, and accuracy.

        Parameters
        ----------
        level
            Confidence level of the interval of the accuracy (Wilson).
        max_rules
            Number of rules shown; those left out are counted.
        wording
            How conditions are written.
        """
        return paint(self, level=level, max_rules=max_rules, wording=wording)

    def _repr_html_(self) -> str:
        return text_html(self.text(max_rules=_MOST_IN_NOTEBOOK))

    def explain(self, row: object) -> RuleExplanation:
        """Return the rules that a row meets, and which of them decided.

        Parameters
        ----------
        row
            As for ``Tree.explain``: a mapping from column names to values (those that no rule is
            about may be left out), a sequence in column order, or a table of one row.
        """
        table = self.row(row)
        found = [
            (int(rule), float(degree))
            for some in self._matcher.matches(table)
            for rule, degree in zip(some.rules, some.degrees, strict=True)
            if degree > 0
        ]
        decided = found[0][0] if found and (self.mode == "ordered" or len(found) == 1) else None
        label = self.decide(table)[0]
        answer = self.answers(table)[0]
        return RuleExplanation(
            label=label.item() if isinstance(label, np.generic) else label,
            answer=answer,
            met=tuple(rule for rule, _ in found),
            degrees=tuple(degree for _, degree in found),
            decided_by=decided,
            rules=self,
            way=way_in_words(answer, self.classes, self.leaf),
        )

    def counterfactual(
        self,
        row: object,
        *,
        to: object,
        fixed: Sequence[str] = (),
        costs: Mapping[str, float] | None = None,
        X: object = None,
        decided: Decided | None = None,
    ) -> Counterfactual:
        """Return what would change the answer: a near row that gets the wanted one; print it.

        Distances are those of ``Tree.counterfactual``. The nearest row is searched for among the
        rows that meet a rule and those beside them, and each is judged by :meth:`predict`; no proof
        is given that it is the nearest.

        Parameters
        ----------
        row, to, fixed, costs
            As for ``Tree.counterfactual``.
        X
            Rows that say how far the columns spread, and from which the search starts too; by
            default the bounds of the rules are taken.
        decided
            Function that predicts for a table in place of :meth:`decide`.

        Raises
        ------
        NoSuchRowError
            If no row was found that gets the answer.

        Examples
        --------
        >>> from treewright import C45RulesClassifier, load_example
        >>> play = load_example("play_tennis")
        >>> rules = C45RulesClassifier().fit(play.X, play.y).ruleset_
        >>> print(rules.counterfactual(play.X.rows([0]), to="Yes", fixed=["Outlook"]))
        It would be 'Yes' if Humidity were Normal instead of High (and nothing else
        changed).
        The nearest row that was found; a nearer one is not ruled out.
        """
        table, used = self.row(row), self._used_columns
        asked = Asked(
            row=table,
            given=row,
            to=to,
            fixed=fixed,
            costs=costs,
            reference=reference_rows(X, table, used),
            decided=decided or self.decide,
        )
        model = Answering(
            classes=self.classes,
            n_outputs=len(self.default.distribution) if self.classes is None else len(self.classes),
            used=used,
            answers=self.answers,
        )
        return of_rules([rule.conditions for rule in self.rules], model, asked)

    def row(self, row: object) -> Table:
        """Return one row, given in any form, as a table; columns that no rule asks may be absent.

        Parameters
        ----------
        row
            As for :meth:`explain`.
        """
        unused = [i for i in range(len(self.schema)) if i not in self._used_columns]
        names = [self.schema.names[index] for index in unused]
        return read_row(row, self.schema, optional=names, unseen=self.unseen)

    @cached_property
    def _used_columns(self) -> tuple[int, ...]:
        """Positions of the columns that rules are about."""
        used = {index for rule in self.rules for index in rule.column_indices()}
        return tuple(sorted(used))

    def dnf(self, label: object) -> DNF:
        """Return the condition for a class as a disjunction of conjunctions.

        For ordered rules, it is true of exactly the rows that get the class. For the rules of a
        tree that divides rows, it is true of the rows that reach its leaves undivided.

        Parameters
        ----------
        label
            The class.
        """
        check_label(label, self.classes, subject="These rules predict")
        if self.mode == "voting":
            raise UnsupportedError(
                "Rules that vote have no formula: their votes add up.\n"
                "  Hint: the rules of one class are [rule for rule in rules if rule.label == ...]."
            )
        if self.mode == "ordered":
            return dnf_of_list(self.rules, self.default, label)
        terms = tuple(rule.conditions for rule in self.rules if rule.label == label)
        return DNF(terms=terms, schema=self.schema, label=label)

    def to_dict(self) -> dict[str, Any]:
        """Return all rules as plain lists, strings and numbers, ready for JSON."""
        return ruleset_to_dict(self)

    # Rule sets from rule sets

    def simplify(self, *, keep: Literal["labels", "probabilities"] = "labels") -> RuleSet:
        """Return rules without parts that provably change no prediction, whatever the row.

        Dropped are conditions that every row meets and rules that no row can meet; of ordered rules
        also conditions and bounds beyond which earlier rules decide, rules whose rows all meet
        earlier rules, and rules whose rows get the same prediction from later ones. Figures are not
        recounted; :meth:`measured` does that.

        Parameters
        ----------
        keep
            Whether only labels must stay the same, or probabilities too.
        """
        check_choice("keep", keep, ("labels", "probabilities"))
        if self.mode == "shares":
            reached = [all(step.share > 0 for step in rule.passages) for rule in self.rules]
            return self._with(compress(self.rules, reached))
        rules = without_idle_conditions(self.rules)
        if self.mode == "voting":
            return self._with(rules)
        kept = self._with(rules)
        if keep == "labels" and self.classes is not None and len(self.classes) == 1:
            answers = kept._label_codes
        else:
            answers = kept._answers.numbered()
        return self._with(simplified_list(rules, answers))

    def deciding(self, leaf: LeafRule) -> RuleSet:
        """Return the same rules deciding by a leaf rule with costs, which labels ordered rules.

        Their conditions and probabilities stay as they are; errors are those of the labels.
        """
        said = (*self.rules, self.default)
        if self.mode == "ordered":
            assert self.classes is not None
            chosen = leaf.choose(np.array([rule.distribution for rule in said]))
            labels = self.classes[0].tolist()
            said = tuple(
                replace(
                    rule,
                    label=labels[code],
                    errors=max(rule.covers - float(rule.weights[code]), 0.0),
                    confidence=rule.confidence if rule.label == labels[code] else None,
                )
                for rule, code in zip(said, chosen.tolist(), strict=True)
            )
        made = self._with(said[:-1], default=said[-1])
        made.leaf = leaf
        return made

    def measured(self, X: object, y: object, *, sample_weight: object = None) -> RuleSet:
        """Return the same rules with figures counted on other rows.

        Parameters
        ----------
        X, y, sample_weight
            The rows, their classes and weights.
        """
        if self.mode == "shares":
            raise UnsupportedError(
                "The rules of a tree that divides rows keep the figures of its leaves.\n"
                "  Hint: post_prune or C45RulesClassifier make rules that stand alone."
            )
        rows = LabelledRows.read(
            X, y, sample_weight, schema=self.schema, classes=self.classes, owner="RuleSet.measured"
        )
        said = (*self.rules, self.default)
        *rules, default = (
            with_figures(rule, tally, rows, confidence=rule.confidence)
            for rule, tally in zip(said, count(self.rules, rows), strict=True)
        )
        return self._with(rules, default=default)

    def _with(self, rules: Iterable[Rule], *, default: Rule | None = None) -> RuleSet:
        return RuleSet(
            rules,
            default=self.default if default is None else default,
            classes=self.classes,
            mode=self.mode,
            combine=self.combine,
            leaf=self.leaf,
            unseen=self.unseen,
        )
