"""What a program of a form consists of: which parts of a template it needs, and its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.export.form import graph as kinds

if TYPE_CHECKING:
    from treewright.array_types import Array
    from treewright.export.form.form import Form

MOST_NODES_AS_IFS = 2_000
MOST_DEPTH_AS_IFS = 40
"""Up to this size a single tree is written as nested questions, which people can read."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Program:
    """The parts of a program.

    Parameters
    ----------
    form
        The model.
    features
        Names of the parts of a template that it needs.
    has_ifs
        Whether its questions are nested ifs rather than tables that are walked.
    """

    form: Form
    features: frozenset[str]
    has_ifs: bool

    @property
    def has_tables(self) -> bool:
        """Whether questions are tables: always, or for rows that are divided."""
        return "tables" in self.features

    def tables(self) -> dict[str, Array]:
        """Return the arrays by the names that templates give them."""
        graph = self.form.graph
        tables: dict[str, Array] = {
            "root": graph.roots,
            "kind": graph.kind,
            "input": graph.input,
            "number": graph.number,
            "at": graph.at,
            "count": graph.count,
            "missing": graph.missing,
            "unseen": graph.unseen,
            "rest": graph.rest,
            "child": graph.child,
            "n_branches": graph.n_branches,
            "whole": graph.whole,
            "cuts": graph.cuts,
            "code": graph.code,
            "branch": graph.branch,
            "term_input": graph.term_input,
            "term_coefficient": graph.term_coefficient,
            "lines": graph.lines,
            "line_of_leaf": graph.line_of_leaf,
        }
        if graph.links is not None:
            tables["links"] = graph.links
        if graph.share is not None:
            tables["share"] = graph.share
        if graph.weights_of_leaf is not None and graph.counts_of_leaf is not None:
            tables["leaf_weight"] = graph.weights_of_leaf
            tables["leaf_counts"] = graph.counts_of_leaf
        surrogates = graph.surrogates
        if surrogates is not None:
            for name in ("start", "kind", "input", "number", "at", "count"):
                tables[f"surrogate_{name}"] = getattr(surrogates, name)
            tables["surrogate_flipped"] = surrogates.flipped.astype(np.int32)
        models = graph.models
        if models is not None:
            names = ("start", "intercept", "input", "coefficient", "fill", "unit", "low", "high")
            for name in names:
                tables[f"model_{name}"] = getattr(models, name)
            tables["model_code_start"] = models.code_start
            tables["model_code"] = models.code
            if models.limits is not None:
                tables["model_limits"] = models.limits
        return tables


def program_of(form: Form, *, allow_ifs: bool = True) -> Program:
    """Return the parts that the program of a form needs."""
    graph = form.graph
    has_ifs = (
        allow_ifs
        and form.combination == "single"
        and graph.links is None
        and graph.surrogates is None
        and graph.n_nodes <= MOST_NODES_AS_IFS
        and graph.depth() <= MOST_DEPTH_AS_IFS
    )
    has_categories = any(each.is_category for each in form.inputs)
    present = {
        "ifs": has_ifs,
        "tables": not has_ifs or graph.divides,
        "classes": form.classes is not None,
        "categories": has_categories,
        "members": graph.has(kinds.MEMBERS),
        "whole": graph.has(kinds.WHOLE_CUTS),
        "cuts": graph.has(kinds.CUTS),
        "linear": graph.has(kinds.LINEAR),
        "lists": bool((graph.count > 0).any()) or graph.surrogates is not None,
        "surrogates": graph.surrogates is not None,
        "divides": graph.divides,
        "links": graph.links is not None,
        "several": form.combination != "single",
        "by_counts": form.by_counts,
        form.combination: True,
        "unsigned": any(each.type == "unsigned" for each in form.inputs),
        "text": any(each.type == "text" for each in form.inputs),
        "numbers": any(each.type == "number" for each in form.inputs),
    }
    models = graph.models
    if models is not None:
        present["models"] = True
        present["centred"] = models.is_centred
        present["limits"] = models.limits is not None
    if form.combination == "scores":
        present[form.link] = True
        present["expit"] = form.link in ("logistic", "half_logistic", "ordinal")
        present["exp"] = form.link not in ("identity", "one")
        present["scale"] = form.shift != 0
    if form.softens:
        present["softens"] = present["exp"] = True
    if form.classes is not None:
        decision = form.decision
        by_leaf = decision.class_of_leaf is not None
        by_cost = decision.costs is not None and not by_leaf
        by_rules = form.combination == "rules" and not by_cost
        present["class_of_leaf"] = by_leaf
        present["costs"] = by_cost
        present["rules_decide"] = by_rules
        present["most_probable"] = not (by_leaf or by_cost or by_rules)
        present["preferred"] = decision.preferred is not None
    features = frozenset(name for name, is_present in present.items() if is_present)
    return Program(form=form, features=features, has_ifs=has_ifs)
