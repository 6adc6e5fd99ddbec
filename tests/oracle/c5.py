"""C5.0's tree, step by step: grown, pruned twice, leaves merged (facts from the GPL edition 2.07).

Slow and plain. Shares nothing with the engine; counts are exact, and doubles where C5.0 has floats.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from oracle.pruning import added_errors

EPSILON, MIN_LEAF = 1e-4, 0.05
Rows = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]
Counts = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Column:
    """Numbers (NaN is missing), or codes below `n_values` (-1 is missing)."""

    data: npt.NDArray[np.float64]
    n_values: int = 0

    @property
    def is_missing(self) -> npt.NDArray[np.bool_]:
        return np.isnan(self.data) if not self.n_values else self.data < 0


@dataclass
class Node:
    label: int
    counts: Counts
    errors: float
    column: int = -1
    cut: float = math.nan
    sets: list[set[int]] | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def weight(self) -> float:
        return float(self.counts.sum())

    def become_leaf(self) -> None:
        self.children, self.sets, self.column = [], None, -1

    def leaves(self) -> list[Node]:
        return [leaf for c in self.children for leaf in c.leaves()] if self.children else [self]


@dataclass(frozen=True)
class Candidate:
    column: int
    gain: float
    information: float
    n_branches: int
    cut: float = math.nan
    sets: list[set[int]] | None = None


def log2(x: float) -> float:
    return math.log2(x) if x > 0 else 0.0


def information(counts: Sequence[float] | Counts) -> float:
    """Bits of all rows together."""
    return sum(counts) * log2(sum(counts)) - sum(n * log2(n) for n in counts)


def groupings(n: int, k: int) -> int:
    """Stirling number of the second kind."""
    if k in (1, n):
        return 1
    return groupings(n - 1, k - 1) + k * groupings(n - 1, k)


class C5:
    def __init__(
        self,
        columns: list[Column],
        y: Rows,
        n_classes: int,
        *,
        groups: bool,
        min_cases: float = 2.0,
        confidence: float = 0.25,
    ) -> None:
        self.columns, self.y, self.n_classes = columns, y, n_classes
        self.groups, self.min_cases, self.confidence = groups, min_cases, confidence
        self.n_rows = len(y)
        self.asked = [0] * len(columns)
        rows, weights = np.arange(len(y)), np.ones(len(y))
        self.n_regrown = 0
        self.root = self.grown(rows, weights)
        self.prune(self.root, rows, weights, regrows=True)
        self.prune_by_standard_error()
        if groups:
            self.merge_groups(self.root, {})
        else:
            self.merge_values(self.root)
        self.move_cuts(self.root)

    # Growing

    def counts(self, rows: Rows, weights: Weights) -> Counts:
        return np.bincount(self.y[rows], weights=weights, minlength=self.n_classes)

    def grown(self, rows: Rows, weights: Weights) -> Node:
        counts = self.counts(rows, weights)
        label = int(np.argmax(counts))
        node = Node(label, counts, float(counts.sum() - counts[label]))
        if counts[label] >= 0.999 * node.weight or node.weight < 2 * self.min_cases:
            return node
        best = self.best_candidate(rows, weights)
        if best is None:
            return node
        node.column, node.cut, node.sets = best.column, best.cut, best.sets
        self.asked[best.column] += 1
        self.divide(node, rows, weights)
        self.asked[best.column] -= 1
        below = sum(child.errors for child in node.children)
        if below >= 0.999 * node.errors:
            node.become_leaf()
        else:
            node.errors = below
        return node

    def parts(self, node: Node, rows: Rows, weights: Weights) -> list[tuple[float, Rows, Weights]]:
        """Weight, rows and their weights of each branch; gaps are divided."""
        values = self.columns[node.column].data[rows]
        missing = self.columns[node.column].is_missing[rows]
        if node.sets is None:
            inside = [~missing & (values <= node.cut), ~missing & (values > node.cut)]
        else:
            inside = [~missing & np.isin(values, list(each)) for each in node.sets]
        known = weights[~missing].sum()
        found = []
        for branch in inside:
            share = weights[branch].sum() / known if known > 0 else 0.0
            taken = branch | missing if missing.any() else branch
            divided = np.where(missing, weights * share, weights)[taken]
            found.append((float(divided.sum()), rows[taken], divided))
        return found

    def divide(self, node: Node, rows: Rows, weights: Weights) -> None:
        node.children = [
            self.grown(part, divided)
            if weight >= MIN_LEAF
            else Node(node.label, np.zeros(self.n_classes), 0.0)
            for weight, part, divided in self.parts(node, rows, weights)
        ]

    def best_candidate(self, rows: Rows, weights: Weights) -> Candidate | None:
        found = []
        numeric = [column for column in self.columns if not column.n_values]
        all_many = not numeric and all(c.n_values + 1 >= 0.3 * self.n_rows for c in self.columns)
        for index, column in enumerate(self.columns):
            if not column.n_values:
                candidate = self.best_cut(index, rows, weights)
            elif self.groups and column.n_values > 2:
                candidate = self.best_groups(index, rows, weights)
            else:
                candidate = self.all_values(index, rows, weights)
            has_many = column.n_values + 1 >= 0.3 * self.n_rows and column.n_values > 0
            if candidate is None or candidate.gain < EPSILON:
                continue
            if has_many and not (self.groups or all_many):
                continue
            found.append(candidate)
        if not found:
            return None
        share = min(max((self.n_rows // self.n_classes - 500) / 500, 0.0), 1.0)
        average = sum(each.gain for each in found) / len(found)
        threshold = (1 - share) * average + share * 0.9 * log2(len(found)) / weights.sum()
        best: Candidate | None = None
        for each in found:
            if each.gain < 0.999 * threshold or each.information <= 0:
                continue
            ratio = each.gain / each.information
            if best is not None:
                so_far = best.gain / best.information
                fewer = (each.n_branches, -each.gain) < (best.n_branches, -best.gain)
                if ratio <= so_far and not (ratio > 0.999 * so_far and fewer):
                    continue
            best = each
        return best

    def best_cut(self, index: int, rows: Rows, weights: Weights) -> Candidate | None:
        column = self.columns[index]
        known = ~column.is_missing[rows]
        values, classes, w = column.data[rows][known], self.y[rows][known], weights[known]
        total, n_known = weights.sum(), w.sum()
        least = max(min(0.1 * n_known / self.n_classes, 25.0), self.min_cases)
        whole = np.bincount(classes, weights=w, minlength=self.n_classes)
        best, cut, gap, n_tried = math.inf, math.nan, 0.0, 0
        low_weight = 0.0
        distinct = np.unique(values)
        for below, above in pairwise(distinct.tolist()):
            is_low = values <= below
            low = np.bincount(classes[is_low], weights=w[is_low], minlength=self.n_classes)
            if low.sum() < least - 1e-5 or n_known - low.sum() < least - 1e-9:
                continue
            n_tried += 1
            left = information(low) + information(np.maximum(whole - low, 0.0))
            if left < best - 1e-9:
                best, cut, gap, low_weight = left, (below + above) / 2, above - below, low.sum()
        if not n_tried:
            return None
        gain = n_known / total * (information(whole) - best) / n_known
        places = min((distinct[-1] - distinct[0]) / gap, n_tried)
        gain -= log2(places) / total
        bits = information([total - n_known, low_weight, n_known - low_weight]) / total
        return Candidate(index, gain, bits, 3, cut=cut) if gain > 0 else None

    def by_value(self, index: int, rows: Rows, weights: Weights) -> tuple[list[Counts], float]:
        """Class weights of each value, and the weight of gaps."""
        codes = self.columns[index].data[rows]
        lines = [
            self.counts(rows[codes == v], weights[codes == v])
            for v in range(self.columns[index].n_values)
        ]
        return lines, float(weights[codes < 0].sum())

    def all_values(self, index: int, rows: Rows, weights: Weights) -> Candidate | None:
        lines, missing = self.by_value(index, rows, weights)
        sizes = [float(line.sum()) for line in lines]
        if self.asked[index] or sum(size >= self.min_cases - 1e-9 for size in sizes) < 2:
            return None
        total = sum(sizes) + missing
        gain = (information(sum(lines)) - sum(map(information, lines))) / total
        n_branches = 3 if len(lines) <= 2 else len(lines) + 1
        bits = information([missing, *sizes]) / total
        sets = [{v} for v in range(len(lines))]
        return Candidate(index, max(gain, 0.0), bits, n_branches, sets=sets)

    def best_groups(self, index: int, rows: Rows, weights: Weights) -> Candidate | None:
        lines, missing = self.by_value(index, rows, weights)
        blocks = [({v}, line) for v, line in enumerate(lines) if line.sum() > EPSILON]
        unseen = {v for v, line in enumerate(lines) if line.sum() <= EPSILON}
        n_known = float(sum(line.sum() for _, line in blocks))
        total, n_values = n_known + missing, len(blocks)
        least = self.min_cases - EPSILON
        if n_values < 2 or not any(line.sum() >= self.min_cases - 1e-9 for _, line in blocks):
            return None
        whole = information(sum(line for _, line in blocks))
        best: tuple[float, float, float, list[set[int]]] | None = None

        def n_large() -> int:
            return sum(line.sum() >= least for _, line in blocks)

        def judge(*, needs_two: bool = False) -> None:
            nonlocal best
            penalty = log2(groupings(n_values, len(blocks)))
            gain = max(whole - sum(information(line) for _, line in blocks), 0.0) / total
            bits = information([missing, *(float(line.sum()) for _, line in blocks)]) / total
            ratio = (gain - penalty / total) / bits
            if needs_two and (len(blocks) < 2 or n_large() < 2):
                return
            if best is None or ratio >= best[0]:
                best = (ratio, gain - penalty / n_known, bits, [set(v) for v, _ in blocks])

        judge()
        n_before = len(blocks)
        at = 0
        while at < len(blocks) - 1:
            for other in blocks[at + 1 :]:
                mine, theirs = blocks[at][1], other[1]
                if np.all(np.abs(mine / mine.sum() - theirs / theirs.sum()) <= 1e-3):
                    blocks[at] = (blocks[at][0] | other[0], mine + theirs)
                    blocks = [each for each in blocks if each is not other]
            at += 1
        if len(blocks) == 1:
            return self.of_groups(index, best, unseen)
        if len(blocks) < n_before:
            judge(needs_two=True)
        while len(blocks) > 2:
            now = max(whole - sum(information(line) for _, line in blocks), 0.0) / total
            most, pair = -EPSILON, None
            for a in range(len(blocks) - 1):
                for b in range(a + 1, len(blocks)):
                    x, y = blocks[a][1], blocks[b][1]
                    if n_large() == 2 and min(x.sum(), y.sum()) >= least:
                        continue
                    left = now - (information(x + y) - information(x) - information(y)) / total
                    if left > most + EPSILON:
                        most, pair = left, (a, b)
            if pair is None:
                break
            a, b = pair
            blocks[a] = (blocks[a][0] | blocks[b][0], blocks[a][1] + blocks[b][1])
            del blocks[b]
            judge()
        return self.of_groups(index, best, unseen)

    def of_groups(
        self,
        index: int,
        best: tuple[float, float, float, list[set[int]]] | None,
        unseen: set[int],
    ) -> Candidate:
        assert best is not None
        sets = [*best[3], unseen] if unseen else best[3]
        return Candidate(index, best[1], best[2], len(sets), sets=sets)

    # Pruning by estimated errors

    def estimate(self, counts: Counts) -> float:
        n, wrong = float(counts.sum()), float(counts.sum() - counts.max())
        wrong = wrong if wrong > 1e-9 else 0.0
        return wrong + added_errors(n, wrong, self.confidence, "c5") if n > 0 else 0.0

    def expected(self, node: Node, rows: Rows, weights: Weights) -> float:
        """Errors to expect if these rows came to a node."""
        if not node.children:
            return self.estimate(self.counts(rows, weights))
        return self.of_branches(
            [
                (weight, self.counts(part, divided), self.expected(child, part, divided))
                for child, (weight, part, divided) in zip(
                    node.children, self.parts(node, rows, weights), strict=True
                )
                if weight >= MIN_LEAF
            ]
        )

    def of_branches(self, branches: list[tuple[float, Counts, float]]) -> float:
        """Those of few rows are estimated together."""
        small = [counts for weight, counts, _ in branches if weight < self.min_cases - 1e-9]
        errors = sum(each for weight, _, each in branches if weight >= self.min_cases - 1e-9)
        return errors + (self.estimate(np.sum(small, axis=0)) if small else 0.0)

    def prune(self, node: Node, rows: Rows, weights: Weights, *, regrows: bool) -> float:
        node.counts = self.counts(rows, weights)
        node.label = int(np.argmax(node.counts))
        as_leaf = self.estimate(node.counts)
        if not node.children:
            return as_leaf
        branches = []
        for child, (weight, part, divided) in zip(
            node.children, self.parts(node, rows, weights), strict=True
        ):
            if weight >= MIN_LEAF:
                errors = self.prune(child, part, divided, regrows=regrows)
                branches.append((weight, child.counts, errors))
            else:
                child.become_leaf()
                child.counts = np.zeros(self.n_classes)
        as_tree = self.of_branches(branches)
        raised = self.branch_to_raise(node)
        as_branch = math.inf if raised is None else self.expected(raised, rows, weights)
        if as_leaf <= as_branch + 0.1 and as_leaf <= as_tree + 0.1:
            node.become_leaf()
            return as_leaf
        if raised is None or as_branch > as_tree + 0.1:
            return as_tree
        had = raised.weight / node.weight
        node.column, node.cut, node.sets = raised.column, raised.cut, raised.sets
        node.children, node.label = raised.children, raised.label
        if regrows and had < 0.95:
            self.n_regrown += 1
            self.divide(node, rows, weights)
        return self.prune(node, rows, weights, regrows=False)

    def branch_to_raise(self, node: Node) -> Node | None:
        best = None
        for child in node.children:
            same_cut = node.sets is None and child.column == node.column
            if not child.children or child.weight < 0.1 * node.weight or same_cut:
                continue
            if best is None or child.weight > best.weight + 1e-9:
                best = child
        return best

    # The second stage

    def prune_by_standard_error(self) -> None:
        wrong = self.training_errors()
        budget = math.sqrt(max(wrong * (1 - wrong / self.n_rows), 0.0))
        while budget > 0:
            links = [link for link in self.links(self.root) if link[1] <= budget + 1e-9]
            if not links:
                return
            least = min(ratio for ratio, _, _ in links)
            tied = [(cost, node) for ratio, cost, node in links if ratio <= least + 1e-9]
            inner = [id(below) for _, node in tied for below in self.below(node)]
            tied = [(cost, node) for cost, node in tied if id(node) not in inner]
            if sum(cost for cost, _ in tied) > budget + 1e-9:
                return
            for cost, node in tied:
                node.become_leaf()
                budget -= cost

    def below(self, node: Node) -> list[Node]:
        return [each for child in node.children for each in [child, *self.below(child)]]

    def links(self, node: Node) -> list[tuple[float, float, Node]]:
        """Cost for each leaf less, cost, and the node, of every subtree."""
        if not node.children:
            return []
        found = [
            link for child in node.children if child.weight > 0.1 for link in self.links(child)
        ]
        leaves = [leaf for leaf in node.leaves() if leaf.weight > 1e-3]
        cost = node.weight - node.counts.max() - sum(x.weight - x.counts.max() for x in leaves)
        if len(leaves) > 1:
            found.append((cost / (len(leaves) - 1), cost, node))
        return found

    def training_errors(self) -> float:
        asked = {node.column for node in [self.root, *self.below(self.root)] if node.children}
        if not any(self.columns[column].is_missing.any() for column in asked):
            return sum(leaf.weight - leaf.counts.max() for leaf in self.root.leaves())
        rows = [[column.data[i] for column in self.columns] for i in range(self.n_rows)]
        return sum(
            first_of_most(self.shares(row), 0) != label
            for row, label in zip(rows, self.y.tolist(), strict=True)
        )

    # Leaves of one class

    def merge_groups(self, node: Node, possible: dict[int, set[int]]) -> None:
        if node.sets is not None and self.columns[node.column].n_values > 2:
            allowed = possible.get(node.column, set(range(self.columns[node.column].n_values)))
            node.sets[-1] = node.sets[-1] & allowed
            if not node.sets[-1]:
                node.sets.pop()
                node.children.pop()
            for values, child in zip(node.sets, node.children, strict=True):
                self.merge_groups(child, {**possible, node.column: values})
            self.merge(node, empty_apart=False)
            return
        for child in node.children:
            self.merge_groups(child, possible)

    def merge_values(self, node: Node) -> None:
        for child in node.children:
            self.merge_values(child)
        if node.sets is not None and self.columns[node.column].n_values > 2:
            self.merge(node, empty_apart=True)

    def merge(self, node: Node, *, empty_apart: bool) -> None:
        assert node.sets is not None
        children: list[Node] = []
        sets: list[set[int]] = []
        for child, values in zip(node.children, node.sets, strict=True):
            label = child.label if child.weight > 0 else node.label
            child.label = label
            for at, other in enumerate(children):
                alike = not child.children and not other.children and other.label == label
                if alike and not (empty_apart and (other.weight > 0) != (child.weight > 0)):
                    other.counts = other.counts + child.counts
                    sets[at] = sets[at] | values
                    break
            else:
                children.append(child)
                sets.append(values)
        node.children, node.sets = children, sets

    # Answers

    def move_cuts(self, node: Node) -> None:
        if node.children and node.sets is None:
            values = self.columns[node.column].data
            node.cut = float(np.nanmax(values[values <= node.cut]))
        for child in node.children:
            self.move_cuts(child)

    def shares(self, row: Sequence[float]) -> Counts:
        return self._shares(self.root, row, self.root)

    def _shares(self, node: Node, row: Sequence[float], above: Node) -> Counts:
        if not node.children:
            told = node if node.weight > EPSILON else above
            return told.counts / told.weight
        value = row[node.column]
        n_values = self.columns[node.column].n_values
        if value < 0 if n_values else math.isnan(value):
            total = sum(child.weight for child in node.children)
            shares = np.zeros(self.n_classes)
            for child in node.children:
                if child.weight > EPSILON:
                    shares += child.weight / total * self._shares(child, row, node)
            return shares
        if node.sets is None:
            return self._shares(node.children[int(value > node.cut)], row, node)
        for values, child in zip(node.sets, node.children, strict=True):
            if value in values:
                return self._shares(child, row, node)
        return node.counts / node.weight

    def predict(self, row: Sequence[float]) -> int:
        return first_of_most(self.shares(row), self.root.label)


def first_of_most(shares: Counts, preferred: int) -> int:
    """The class of the largest share; of equals the preferred one, or else the first."""
    if shares[preferred] >= shares.max() - 1e-12:
        return preferred
    return int(np.argmax(shares >= shares.max() - 1e-12))
