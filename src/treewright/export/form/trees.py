"""Trees to graphs: the arrays of :class:`~treewright.tree.arrays.TreeArrays`, put side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from treewright.data.codes import INT64_MAX, INT64_MIN
from treewright.errors import UnsupportedError
from treewright.export.form import graph as kinds
from treewright.export.form.graph import Graph, GraphBuilder, LeafModels, Surrogates
from treewright.tree.arrays import CATEGORIES, CUT, INTERVALS, LINEAR
from treewright.tree.linear_leaves import IndicatorTerm, LinearLeaves, stored_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treewright.array_types import Array, BoolArray, FloatArray, Int64Array
    from treewright.boosting.ensemble import BoostedEnsemble
    from treewright.export.form.inputs import Input
    from treewright.tree.arrays import TreeArrays
    from treewright.tree.tree import Tree


class TreesToGraph:
    """Appends trees to one graph.

    Parameters
    ----------
    inputs
        The inputs of the model.
    by_counts
        Whether leaves keep their class weights, by which divided rows combine them.
    """

    def __init__(self, inputs: Sequence[Input], *, by_counts: bool = False) -> None:
        self.builder = GraphBuilder()
        self.by_counts = by_counts
        self.divides = False
        self._inputs = inputs
        most = max((each.index for each in inputs), default=-1)
        self._input_of_column = np.full(most + 2, -1, dtype=np.int64)
        for place, each in enumerate(inputs):
            self._input_of_column[each.index] = place
        self._models = _ModelBuilder(self._input_of_column)
        self._surrogates = GraphBuilder()
        self._votes = False
        self._rules_differ = False

    def add(self, tree: Tree, *, vote: float | None = None) -> None:
        """Append a tree.

        Parameters
        ----------
        tree
            The tree.
        vote
            Where trees vote, the weight of its vote: a leaf says it for its class. Where rows may
            be divided leaves keep their shares, as the vote is then known only at the end.
        """
        arrays = tree.arrays
        asks = arrays.n_branches > 0
        undecided = (arrays.missing_branch < 0) | (arrays.unseen_branch < 0)
        unseen_matters = np.isin(arrays.kind, [CATEGORIES]) | _is_code(tree, asks)
        divided = asks & ((arrays.missing_branch < 0) | (undecided & unseen_matters))
        self.divides = self.divides or bool(divided.any())
        self._votes = self._votes or vote is not None
        if vote is not None and (
            tree.leaf.cost_matrix is not None or tree.leaf.preferred is not None
        ):
            self._rules_differ = True
        leaves = np.flatnonzero(~asks)
        self._add_questions(arrays, leaves)
        self._add_lines(tree, leaves, vote)
        self._models.add(tree.linear, leaves)
        self._add_surrogates(arrays)

    def graph(self) -> Graph:
        """Return the graph of all trees added."""
        if self._votes and self.divides and self._rules_differ:
            raise UnsupportedError(
                "export: the trees of this ensemble vote by costs about rows that they divide.\n"
                "  Hint: export the trees one by one."
            )
        if self._votes and not self.divides:
            self.builder.parts["line"] = self.builder.parts["vote"]
        own = self._surrogates
        surrogates = None
        if own.size("kind"):
            surrogates = Surrogates(
                start=np.concatenate([[0], np.cumsum(own.joined("n", np.int64))]).astype(np.int32),
                kind=own.joined("kind", np.int32),
                input=own.joined("input", np.int32),
                number=own.joined("number", np.float64),
                at=own.joined("at", np.int32),
                count=own.joined("count", np.int32),
                flipped=own.joined("flipped", np.bool_),
            )
        return self.builder.graph(
            models=self._models.models(),
            surrogates=surrogates,
            divides=self.divides,
            by_counts=self.by_counts and self.divides,
        )

    def _add_questions(self, arrays: TreeArrays, leaves: Int64Array) -> None:
        into = self.builder
        base, first_leaf = into.size("kind"), into.size("line")
        n = arrays.n_nodes
        asks = arrays.n_branches > 0
        is_real = ~np.isnan(arrays.threshold)
        kind = np.zeros(n, dtype=np.int64)
        at, count = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        cut = arrays.kind == CUT
        kind[cut] = np.where(is_real[cut], kinds.CUT, kinds.WHOLE_CUTS)
        whole = np.flatnonzero(cut & ~is_real)
        at[whole], count[whole] = into.size("whole") + np.arange(len(whole)), 1
        into.add("whole", arrays.threshold_int[whole].copy())
        self._add_several(arrays, kind, at, count)
        number = np.where(np.isin(kind, [kinds.CUT, kinds.LINEAR]), arrays.threshold, 0.0)
        child = np.where(asks, arrays.first_child + base, 0)
        child[leaves] = first_leaf + np.arange(len(leaves))
        into.add("root", [base])
        into.add("kind", kind)
        into.add("input", np.where(asks, self._input_of_column[arrays.column], 0))
        into.add("number", number)
        into.add("at", at)
        into.add("count", count)
        into.add("missing", arrays.missing_branch)
        into.add("unseen", arrays.unseen_branch)
        into.add("rest", arrays.rest_branch)
        into.add("child", child)
        into.add("n_branches", arrays.n_branches)
        into.add("n_rows", arrays.n_rows)
        into.add("share", _shares(arrays, asks))

    def _add_several(self, arrays: TreeArrays, kind: Array, at: Array, count: Array) -> None:
        """Set kinds and entries of questions with lists: categories, several cuts, sums."""
        into = self.builder
        nodes = np.flatnonzero(arrays.kind == CATEGORIES)
        kind[nodes], count[nodes] = kinds.MEMBERS, arrays.code_count[nodes]
        at[nodes] = arrays.code_offset[nodes] + into.size("code")
        into.add("code", arrays.code)  # with the lists of surrogates
        into.add("branch", arrays.branch_of_code)
        for node in np.flatnonzero(arrays.kind == INTERVALS).tolist():
            first, n = int(arrays.cut_offset[node]), int(arrays.cut_count[node])
            own = slice(first, first + n)
            is_whole = bool(np.isnan(arrays.cut[own]).any())
            name, values = ("whole", arrays.cut_int) if is_whole else ("cuts", arrays.cut)
            kind[node] = kinds.WHOLE_CUTS if is_whole else kinds.CUTS
            at[node], count[node] = into.size(name), n
            into.add(name, values[own])
        nodes = np.flatnonzero(arrays.kind == LINEAR)
        kind[nodes], count[nodes] = kinds.LINEAR, arrays.term_count[nodes]
        at[nodes] = arrays.term_offset[nodes] + into.size("term_input")
        into.add("term_input", self._input_of_column[arrays.term_column])
        into.add("term_coefficient", arrays.term_coefficient)

    def _add_lines(self, tree: Tree, leaves: Int64Array, vote: float | None) -> None:
        into = self.builder
        weights = leaf_weights(tree)[leaves]
        shares = weights
        if tree.classes is not None:
            # As compiled prediction does: summed from the first class to the last.
            totals = np.add.accumulate(weights, axis=1)[:, -1:]
            even = np.full_like(weights, 1 / weights.shape[1])
            shares = np.divide(weights, totals, out=even, where=totals > 0)
        into.add("line", shares)
        if vote is not None:
            voted = np.zeros_like(shares)
            voted[np.arange(len(shares)), tree.leaf.choose(shares)] = vote
            into.add("vote", voted)
        if self.by_counts:
            into.add("weight", tree.arrays.weight[leaves])
            into.add("counts", weights)

    def _add_surrogates(self, arrays: TreeArrays) -> None:
        own, into = self._surrogates, self.builder
        own.add("n", np.diff(arrays.surrogate_start))
        if not arrays.n_surrogates:
            return
        is_cut = arrays.surrogate_kind == CUT
        is_real = ~np.isnan(arrays.surrogate_threshold)
        is_whole = is_cut & ~is_real
        at = np.zeros(arrays.n_surrogates, dtype=np.int64)
        at[is_whole] = into.size("whole") + np.arange(int(is_whole.sum()))
        into.add("whole", arrays.surrogate_threshold_int[is_whole])
        listed = into.size("code") - len(arrays.code)
        at[~is_cut] = arrays.surrogate_code_offset[~is_cut] + listed
        kind = np.where(is_cut, np.where(is_real, kinds.CUT, kinds.WHOLE_CUTS), kinds.MEMBERS)
        own.add("kind", kind)
        own.add("input", self._input_of_column[arrays.surrogate_column])
        own.add("number", np.where(is_real, arrays.surrogate_threshold, 0.0))
        own.add("at", at)
        own.add("count", np.where(is_cut, 1, arrays.surrogate_code_count))
        own.add("flipped", arrays.surrogate_reversed & is_cut)


def _is_code(tree: Tree, asks: BoolArray) -> BoolArray:
    """Return which nodes ask about a column of codes, whose values may be unseen."""
    coded = np.array([spec.storage == "value" for spec in tree.schema.columns] + [False])
    found: BoolArray = asks & coded[tree.arrays.column]
    return found


def leaf_weights(tree: Tree) -> FloatArray:
    """Return the class weights of each node, smoothed by its leaf rule, or its number."""
    value = tree.arrays.value
    if tree.classes is not None and tree.leaf.estimate != "majority":
        value = tree.leaf.smoothed(value, value[0])
    lines: FloatArray = value[tree.speakers]
    return lines


def _shares(arrays: TreeArrays, asks: BoolArray) -> FloatArray:
    """Return each node's share of its parent, summed as compiled prediction does."""
    share = np.ones(arrays.n_nodes)
    for node in np.flatnonzero(asks & ((arrays.missing_branch < 0) | (arrays.unseen_branch < 0))):
        first = int(arrays.first_child[node])
        own = slice(first, first + int(arrays.n_branches[node]))
        total = np.add.accumulate(arrays.weight[own])[-1]
        if total > 0:
            share[own] = arrays.weight[own] / total
        else:
            share[own] = 0.0
    return share


class _ModelBuilder:
    """Collects the linear models of leaves."""

    def __init__(self, input_of_column: Array) -> None:
        self._input_of_column = input_of_column
        self._parts = GraphBuilder()
        self._limits = False

    def add(self, linear: LinearLeaves | None, leaves: Int64Array) -> None:
        into = self._parts
        if linear is None:
            into.add("n", np.zeros(len(leaves)))
            into.add("intercept", np.zeros(len(leaves)))
            into.add("limits", np.tile([-np.inf, np.inf], (len(leaves), 1)))
            return
        self._limits = self._limits or linear.limits is not None
        into.add("n", np.diff(linear.start)[leaves])
        into.add("intercept", linear.intercept[leaves])
        limits = linear.limits
        into.add(
            "limits",
            np.tile([-np.inf, np.inf], (len(leaves), 1)) if limits is None else limits[leaves],
        )
        for leaf in leaves.tolist():
            own = np.arange(int(linear.start[leaf]), int(linear.start[leaf + 1]))
            # As prediction adds them: by the number of the term, whatever their order in the model.
            for entry in own[np.argsort(linear.term[own], kind="stable")].tolist():
                self._add_term(linear, entry)

    def _add_term(self, linear: LinearLeaves, entry: int) -> None:
        into = self._parts
        term = linear.terms[int(linear.term[entry])]
        into.add("input", [int(self._input_of_column[term.index])])
        into.add("coefficient", [linear.coefficient[entry]])
        into.add("fill", [linear.fill[entry]])
        codes = sorted(term.codes) if isinstance(term, IndicatorTerm) else []
        is_number = not isinstance(term, IndicatorTerm)
        into.add("unit", [stored_unit(term.column) if is_number else 1.0])
        into.add("low", [term.low if not isinstance(term, IndicatorTerm) else 0.0])
        into.add("high", [term.high if not isinstance(term, IndicatorTerm) else 0.0])
        into.add("n_codes", [len(codes)])
        into.add("code", np.array(codes, dtype=np.int64))

    def models(self) -> LeafModels | None:
        into = self._parts
        if not into.size("input"):
            return None
        return LeafModels(
            start=np.concatenate([[0], np.cumsum(into.joined("n", np.int64))]),
            intercept=into.joined("intercept", np.float64),
            input=into.joined("input", np.int32),
            coefficient=into.joined("coefficient", np.float64),
            fill=into.joined("fill", np.float64),
            unit=into.joined("unit", np.float64),
            low=into.joined("low", np.float64),
            high=into.joined("high", np.float64),
            code_start=np.concatenate([[0], np.cumsum(into.joined("n_codes", np.int64))]),
            code=into.joined("code", np.int32),
            limits=into.joined("limits", np.float64) if self._limits else None,
            is_centred=False,
        )


def boosted_graph(ensemble: BoostedEnsemble, inputs: Sequence[Input]) -> Graph:
    """Return the trees of a boosted model.

    Boosting compares every number as a float64, also whole ones, since its bins do: a cut of an
    int64 column is the last whole number that, as a float64, is not above the cut.
    """
    into = TreesToGraph(inputs)
    is_whole = np.array([each.is_whole for each in inputs] + [False])
    lines = _Lines()
    for index, tree in enumerate(ensemble):
        into.add(tree)
        parts = cast("dict[str, Array]", ensemble.core.tree(index))
        added = into.builder.parts
        turned = np.flatnonzero(
            (added["kind"][-1] == kinds.WHOLE_CUTS) & is_whole[added["input"][-1]]
        )
        first = into.builder.size("whole") - len(added["whole"][-1])
        for node in turned.tolist():
            cuts, cut = ensemble.core.cuts[int(parts["column"][node])], int(parts["cut"][node])
            assert cuts is not None
            if cut < len(cuts):
                added["whole"][-1][added["at"][-1][node] - first] = last_up_to(float(cuts[cut]))
        lines.add(parts, np.flatnonzero(parts["first_child"] < 0), into)
    graph = into.graph()
    return graph if lines.is_empty else lines.given_to(graph)


def last_up_to(cut: float) -> int:
    """Return the last int64 that, rounded to a float64, is not above a cut.

    >>> last_up_to(2.5), last_up_to(2.0**53)
    (2, 9007199254740993)
    """
    low, high = INT64_MIN, INT64_MAX
    if float(high) <= cut:
        return high
    while high - low > 1:  # low is up to the cut, high is above it: rounding keeps the order
        middle = (low + high) // 2
        if float(middle) <= cut:
            low = middle
        else:
            high = middle
    return low


class _Lines:
    """The lines (linear models) of leaves of boosted trees, as the core adds them."""

    def __init__(self) -> None:
        self._parts = GraphBuilder()

    @property
    def is_empty(self) -> bool:
        return not self._parts.size("input")

    def add(self, parts: dict[str, Array], leaves: Int64Array, trees: TreesToGraph) -> None:
        into = self._parts
        if "line_start" not in parts:
            into.add("n", np.zeros(len(leaves)))
            into.add("limits", np.zeros((len(leaves), 2)))
            return
        start = parts["line_start"].astype(np.int64)
        into.add("n", np.diff(start)[leaves])
        into.add("limits", parts["line_limits"][leaves])
        for leaf in leaves.tolist():
            own = slice(int(start[leaf]), int(start[leaf + 1]))
            into.add("input", trees._input_of_column[parts["line_column"][own]])
            into.add("coefficient", parts["line_coefficient"][own])
            into.add("fill", parts["line_center"][own])

    def given_to(self, graph: Graph) -> Graph:
        into = self._parts
        n = into.size("input")
        models = LeafModels(
            start=np.concatenate([[0], np.cumsum(into.joined("n", np.int64))]),
            intercept=np.zeros(graph.n_leaves),
            input=into.joined("input", np.int32),
            coefficient=into.joined("coefficient", np.float64),
            fill=into.joined("fill", np.float64),
            unit=np.ones(n),
            low=np.zeros(n),
            high=np.zeros(n),
            code_start=np.zeros(n + 1, dtype=np.int64),
            code=np.empty(0, dtype=np.int32),
            limits=into.joined("limits", np.float64),
            is_centred=True,
        )
        return replace(graph, models=models)
