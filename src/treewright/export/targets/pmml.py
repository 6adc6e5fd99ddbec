"""PMML 4.4: a TreeModel, or a MiningModel of trees, with missing values written out."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

from treewright.export.code.names import identifier
from treewright.export.code.texts import head_of, left_out_of
from treewright.export.exported import Exported
from treewright.export.form import graph as kinds
from treewright.export.form.build import form_of
from treewright.export.form.states import MISSING, UNSEEN, branches_of_codes
from treewright.export.form.unfold import unfolded
from treewright.export.query.expressions import choose
from treewright.text.names import short_name

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.export.form.form import Form
    from treewright.export.form.inputs import Input

_NAMESPACE = "http://www.dmg.org/PMML-4_4"
_OTHERS = "export to c, python, javascript, rust or sql"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
TARGET = "prediction"
_MOST_COUNTED = 2**26
"""Two quotients of smaller whole numbers are never the same number when they are rounded."""
_TRIES = 256


def pmml_source(model: object, *, name: str = "model") -> Exported:
    """Return a model as PMML; see :func:`treewright.export.pmml`."""
    form = form_of(model)
    _check(form)
    flat = unfolded(form)
    if flat is None:
        raise form.refuse(
            "pmml",
            "rows with missing or unseen values are divided among branches, and the tree that"
            " would say so in single steps is too large",
            f"fit with missing='learned_side' or 'majority', or {_OTHERS}",
        )
    if flat.base is not None:
        flat = flat.with_base_in_trees()
    name = identifier(name, otherwise="model")
    writer = _Writer(flat, name)
    root = writer.document(head_of(form, "pmml", name))
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return Exported(
        content=f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n',
        target="pmml",
        entry=TARGET,
        name=name,
        said=f"PMML 4.4, {form.size}",
        left_out=left_out_of(form),
        scales=writer.scales,
    )


def _check(form: Form) -> None:
    graph = form.graph
    reasons = (
        (form.is_rules, "rules are no trees"),
        (graph.models is not None, "linear models in leaves are left to other formats"),
        (graph.has(kinds.LINEAR), "a question there is about one column"),
        (graph.surrogates is not None, "surrogates are evaluated in different ways by its readers"),
        (form.combination == "median", "a weighted median is not among its combinations"),
        (
            form.combination == "scores" and form.link != "identity",
            f"the link {form.link!r} of boosted trees takes a chain of models there",
        ),
        (form.shift != 0, "targets of extreme size are scaled"),
        (
            form.n_trees > 1 and form.classes is not None and _decides_otherwise(form),
            "an ensemble there decides by the largest probability, not by costs",
        ),
    )
    for applies, reason in reasons:
        if applies:
            raise form.refuse("pmml", reason, _OTHERS)
    if form.softens:
        raise form.refuse(
            "pmml",
            "the probabilities of AdaBoost are a softmax of votes, which takes a chain of models"
            " there",
            f"export its ensemble_, which answers with the shares of the votes, or {_OTHERS}",
        )
    named = [(each.name, (each.name, *each.values)) for each in form.inputs]
    for where, values in [*named, ("the target", form.classes or ())]:
        for value in values:
            if isinstance(value, str) and _NOT_XML.search(value):
                raise form.refuse(
                    "pmml",
                    f"{short_name(where)} has the text {short_name(value)}, with a character that"
                    " XML cannot hold",
                    _OTHERS,
                )
    for each in form.inputs:
        if each.is_whole:
            raise form.refuse(
                "pmml",
                f"column {each.name!r} holds dates or whole numbers beyond 2^53",
                _OTHERS,
            )
        if "" in each.values or any(isinstance(v, str) and v != v.strip() for v in each.values):
            raise form.refuse(
                "pmml",
                f"column {each.name!r} has a category that is empty or ends with a space, which"
                " readers of XML drop",
                _OTHERS,
            )


def _decides_otherwise(form: Form) -> bool:
    return form.decision.costs is not None or form.decision.preferred is not None


class _Writer:
    def __init__(self, form: Form, name: str) -> None:
        self.form, self.graph, self.name = form, form.graph, name
        self._counts_of: dict[tuple[float, ...], tuple[float, ...] | None] = {}

    @property
    def scales(self) -> bool:
        """Whether a leaf's shares are divided by a sum that rounding keeps from 1."""
        return None in self._counts_of.values()

    def document(self, head: str) -> ElementTree.Element:
        """Return the whole document."""
        root = ElementTree.Element("PMML", {"xmlns": _NAMESPACE, "version": "4.4"})
        header = ElementTree.SubElement(root, "Header", {"description": head})
        ElementTree.SubElement(header, "Application", {"name": "treewright"})
        self._dictionary(root)
        function = "regression" if self.form.classes is None else "classification"
        if self.form.n_trees == 1 and self.form.combination != "scores":
            self._tree(root, 0, function)
        else:
            self._ensemble(root, function)
        return root

    def _dictionary(self, root: ElementTree.Element) -> None:
        part = ElementTree.SubElement(root, "DataDictionary")
        for each in self.form.inputs:
            field = {"name": each.name, **_type(each)}
            ElementTree.SubElement(part, "DataField", field)
        classes = self.form.classes
        field = {"name": TARGET, "optype": "continuous", "dataType": "double"}
        if classes is not None:
            field |= {"optype": "categorical", "dataType": "string"}
        target = ElementTree.SubElement(part, "DataField", field)
        for label in classes or ():
            ElementTree.SubElement(target, "Value", {"value": said(label)})

    def _schema(self, model: ElementTree.Element) -> None:
        part = ElementTree.SubElement(model, "MiningSchema")
        for each in self.form.inputs:
            given = {"name": each.name, "invalidValueTreatment": "asIs"}
            ElementTree.SubElement(part, "MiningField", given)
        ElementTree.SubElement(part, "MiningField", {"name": TARGET, "usageType": "target"})

    def _output(self, model: ElementTree.Element) -> None:
        if self.form.classes is None:
            return
        part = ElementTree.SubElement(model, "Output")
        for k, label in enumerate(self.form.classes):
            given = {
                "name": f"probability_{k}",
                "optype": "continuous",
                "dataType": "double",
                "feature": "probability",
                "value": said(label),
            }
            ElementTree.SubElement(part, "OutputField", given)

    def _ensemble(self, root: ElementTree.Element, function: str) -> None:
        form = self.form
        model = ElementTree.SubElement(
            root, "MiningModel", {"functionName": function, "modelName": self.name}
        )
        self._schema(model)
        self._output(model)
        is_scores = form.combination == "scores"
        weights = [self._weight(tree) for tree in range(form.n_trees)]
        is_weighted = any(weight != 1.0 for weight in weights)
        method = "sum" if is_scores else "weightedAverage" if is_weighted else "average"
        parts = ElementTree.SubElement(model, "Segmentation", {"multipleModelMethod": method})
        for tree, weight in enumerate(weights):
            given = {"id": str(tree)} | ({"weight": repr(weight)} if is_weighted else {})
            segment = ElementTree.SubElement(parts, "Segment", given)
            ElementTree.SubElement(segment, "True")
            self._tree(segment, tree, function, weight=weight)

    def _weight(self, tree: int) -> float:
        """Return the weight of a tree's vote: what its leaves say of all classes together."""
        form, graph = self.form, self.graph
        if form.classes is None or form.divisor == form.n_trees:
            return 1.0
        node = int(graph.roots[tree])
        while graph.kind[node] != kinds.LEAF:
            node = graph.children(node)[0]
        return float(graph.lines[graph.line_of_leaf[graph.child[node]]].max())

    def _tree(
        self, parent: ElementTree.Element, tree: int, function: str, *, weight: float = 1.0
    ) -> None:
        model = ElementTree.SubElement(
            parent,
            "TreeModel",
            {
                "functionName": function,
                "missingValueStrategy": "none",
                "noTrueChildStrategy": "returnNullPrediction",
                "splitCharacteristic": "multiSplit",
            },
        )
        self._schema(model)
        if parent.tag == "PMML":
            self._output(model)
        top = ElementTree.SubElement(model, "Node", {"id": "0"})
        ElementTree.SubElement(top, "True")
        waiting = [(int(self.graph.roots[tree]), top)]
        while waiting:
            node, element = waiting.pop()
            if self.graph.kind[node] == kinds.LEAF:
                leaf = int(self.graph.child[node])
                self._leaf(element, self.graph.lines[self.graph.line_of_leaf[leaf]] / weight)
                continue
            children = self.graph.children(node)
            for branch, conditions in self._predicates(node):
                child = ElementTree.SubElement(element, "Node")
                _predicate(child, conditions)
                waiting.append((children[branch], child))

    def _leaf(self, element: ElementTree.Element, line: FloatArray) -> None:
        form = self.form
        if form.classes is None:
            element.set("score", repr(float(line[0])))
            return
        element.set("score", said(form.classes[choose(form, line)]))
        shares = tuple(line.tolist())
        if shares not in self._counts_of:
            self._counts_of[shares] = _counts(shares)
        counts = self._counts_of[shares] or shares
        for label, count in zip(form.classes, counts, strict=True):
            given = {"value": said(label), "recordCount": repr(count)}
            ElementTree.SubElement(element, "ScoreDistribution", given)

    def _predicates(self, node: int) -> list[tuple[int, list[dict[str, str]]]]:
        """Return branches in the order they are tried, each with conditions of which one is true.

        The last has none: it is taken where no other is.
        """
        graph = self.graph
        place = int(graph.input[node])
        each = self.form.inputs[place]
        missing = int(graph.missing[node])
        is_missing = {"field": each.name, "operator": "isMissing"}
        if each.is_category:
            branch_of = branches_of_codes(self.form, node)
            otherwise = branch_of[UNSEEN]
            missing = branch_of[MISSING]
            found: dict[int, list[dict[str, str]]] = {}
            for code, branch in branch_of.items():
                if code >= 0 and branch != otherwise:
                    value = said(each.values[code])
                    condition = {"field": each.name, "operator": "equal", "value": value}
                    found.setdefault(branch, []).append(condition)
            if missing != otherwise:
                found.setdefault(missing, []).append(is_missing)
            return [*sorted(found.items()), (otherwise, [])]
        own = slice(int(graph.at[node]), int(graph.at[node] + graph.count[node]))
        is_single = graph.kind[node] == kinds.CUT
        cuts = [float(graph.number[node])] if is_single else graph.cuts[own].tolist()
        last = len(cuts)
        if cuts == [np.inf] and missing == last:  # all that is known is up to the cut
            return [(last, [is_missing]), (0, [])]
        ordered: list[tuple[int, list[dict[str, str]]]] = [
            (
                branch,
                [{"field": each.name, "operator": "lessOrEqual", "value": _number(cut)}]
                + ([is_missing] if missing == branch else []),
            )
            for branch, cut in enumerate(cuts)
        ]
        if missing > last:
            ordered.insert(0, (missing, [is_missing]))
        return [*ordered, (last, [])]


def _counts(shares: tuple[float, ...]) -> tuple[float, ...] | None:
    """Return numbers that, divided by their sum, are the shares to the last bit; None: not found.

    Readers divide what leaves count (probabilities, too) by its sum, and shares rarely add up to
    exactly 1. Shares are quotients of whole numbers, rounded: these are found again. A row that
    was divided has others; then multiples of them are tried, which are rounded in other ways.
    """
    near = [Fraction(share).limit_denominator(_MOST_COUNTED) for share in shares]
    total = math.lcm(*(each.denominator for each in near))
    if total < 2**53 and _are_read_as(shares, counts := tuple(float(n * total) for n in near)):
        return counts
    multiples = (tuple(share * times for share in shares) for times in range(1, _TRIES))
    return next((each for each in multiples if _are_read_as(shares, each)), None)


def _are_read_as(shares: tuple[float, ...], numbers: tuple[float, ...]) -> bool:
    total = 0.0
    for each in numbers:  # one after the other, as readers do
        total += each
    return total > 0 and all(n / total == share for n, share in zip(numbers, shares, strict=True))


def _predicate(child: ElementTree.Element, conditions: list[dict[str, str]]) -> None:
    if not conditions:
        ElementTree.SubElement(child, "True")
        return
    parent = child
    if len(conditions) > 1:
        parent = ElementTree.SubElement(child, "CompoundPredicate", {"booleanOperator": "or"})
    for condition in conditions:
        ElementTree.SubElement(parent, "SimplePredicate", condition)


def _type(each: Input) -> dict[str, str]:
    if each.type == "number":
        return {"optype": "continuous", "dataType": "double"}
    kinds_of = {"text": "string", "flag": "boolean", "numeral": "double"}
    return {"optype": "categorical", "dataType": kinds_of[each.type]}


def _number(value: float) -> str:
    return repr(value) if np.isfinite(value) else ("INF" if value > 0 else "-INF")


def said(value: object) -> str:
    """Return a label or category as PMML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value)) if isinstance(value, float) else str(value)
