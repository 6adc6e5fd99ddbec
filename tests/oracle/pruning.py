"""Pruning, straight from the papers: recursive, on small trees, nothing computed twice as fast.

A tree to be pruned is nested nodes with class weights. Where a method sends rows through the tree,
a case is (row, weight), and a case whose value is missing is divided among the branches.

Every method notes in its ``Margin`` how far its closest decision was from going the other way. An
exact tie is no question of rounding; a difference next to nothing is, and two correct programs may
then differ.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from scipy import stats

from oracle import trees
from oracle.errors import table_deviate
from oracle.table import Row, Split

Variant = Literal["release8", "j48", "c5"]

# Sums of parts of rows that differ by less are equal.
TIE = 1e-10
CLOSE = 1e-7


@dataclass(frozen=True, kw_only=True)
class Node:
    number: int  # of the node in the tree that was grown
    counts: tuple[float, ...]  # weight of each class
    children: tuple["Node", ...] = ()
    split: Split | None = None
    unseen_branch: int | None = None  # of a value the split does not list; None: all branches
    impurity: float = 0.0
    gain: float = 0.0
    # What it answers if no row reached it: the counts of the nearest node above that has some.
    counts_above: tuple[float, ...] = ()
    # Of an error-based leaf that no row reached: the class it keeps.
    given_class: int | None = None

    @property
    def weight(self) -> float:
        return math.fsum(self.counts)

    @property
    def spoken(self) -> tuple[float, ...]:
        return self.counts if self.weight > 0 else self.counts_above


@dataclass
class Margin:
    """How close a decision was; exact ties do not count."""

    least: float = field(default=math.inf)

    def less(self, left: float, right: float, *, or_equal: bool, scale: float = 1.0) -> bool:
        """Whether left < right (or left <= right), equal meaning equal but for rounding."""
        gap = abs(left - right) / max(scale, 1e-300)
        if gap <= TIE:
            return or_equal
        self.least = min(self.least, gap)
        return left < right

    def within(self, left: float, right: float) -> bool:
        """Whether left <= right, where a tie is a question of rounding as well."""
        self.least = min(self.least, abs(left - right))
        return left <= right

    @property
    def is_clear(self) -> bool:
        return self.least > CLOSE


Risk = Callable[[Node], float]


def from_grown(node: trees.Node, classes: Sequence[str], above: tuple[float, ...] = ()) -> Node:
    """A tree of the other oracle, ready to be pruned; its nodes have no numbers."""
    counts = tuple(node.counts[label] for label in classes)
    if isinstance(node, trees.Leaf):
        own = counts if node.weight > 0 else (0.0,) * len(classes)
        return Node(number=-1, counts=own, counts_above=above)
    children = tuple(from_grown(child, classes, counts) for child in node.children)
    return Node(number=-1, counts=counts, children=children, split=node.split, counts_above=above)


def walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from walk(child)


def leaves(node: Node) -> list[Node]:
    return [each for each in walk(node) if not each.children]


def tests(node: Node) -> list[Node]:
    return [each for each in walk(node) if each.children]


def as_leaf(node: Node) -> Node:
    return replace(node, children=(), split=None)


def without(node: Node, numbers: set[int]) -> Node:
    """The tree in which the numbered nodes are leaves."""
    if node.number in numbers:
        return as_leaf(node)
    return replace(node, children=tuple(without(child, numbers) for child in node.children))


def decision(shares: Sequence[float], costs: Sequence[Sequence[float]] | None = None) -> int:
    """The class of most weight, or of least expected cost; the first of several."""
    classes = range(len(shares))
    if costs is None:
        return max(classes, key=lambda k: shares[k])
    return min(classes, key=lambda k: expected_cost(shares, k, costs))


def expected_cost(
    counts: Sequence[float], decided: int, costs: Sequence[Sequence[float]] | None
) -> float:
    """What rows of these classes cost if all are taken for one class: costs[actual][decided]."""
    price = costs or [[float(j != k) for k in range(len(counts))] for j in range(len(counts))]
    return math.fsum(count * price[actual][decided] for actual, count in enumerate(counts))


def training_risk(costs: Sequence[Sequence[float]] | None = None) -> Risk:
    return lambda node: expected_cost(node.counts, decision(node.spoken, costs), costs)


def impurity_risk(node: Node) -> float:
    return node.weight * node.impurity


def total_risk(node: Node, risk: Risk) -> float:
    return math.fsum(risk(leaf) for leaf in leaves(node))


# Cost-complexity (Breiman et al. 1984, chapter 3)


def cost_complexity(root: Node, risk: Risk, margin: Margin) -> list[tuple[float, Node]]:
    """The nested sequence: cut all weakest links, again and again; penalties per unit of weight."""
    total = root.weight
    unit = risk(root) / total
    tree = root
    sequence: list[tuple[float, Node]] = []
    alpha = 0.0
    while True:
        while links := [
            (node.number, (risk(node) - total_risk(node, risk)) / (len(leaves(node)) - 1) / total)
            for node in tests(tree)
        ]:
            due = {n for n, ratio in links if margin.less(ratio, alpha, or_equal=True, scale=unit)}
            if not due:
                break
            tree = without(tree, due)
        sequence.append((alpha, tree))
        if not tree.children:
            return sequence
        alpha = min(ratio for _, ratio in links)


# Reduced error (Quinlan 1987), by what validation rows cost in each node


def reduced_error(
    root: Node,
    risk: Risk,
    margin: Margin,
    *,
    candidates: Literal["any", "bottom_up", "leaf_parents"],
    accept: Literal["not_worse", "better"],
) -> list[int]:
    """The nodes to be cut, in order."""
    or_equal = accept == "not_worse"
    if candidates == "any":
        return _best_first(root, risk, margin, or_equal=or_equal)
    cuts: list[int] = []
    _bottom_up(
        root,
        lambda node, tree: margin.less(risk(node), total_risk(tree, risk), or_equal=or_equal),
        cuts,
        only_leaf_parents=candidates == "leaf_parents",
    )
    return sorted(cuts, reverse=True)


def _best_first(root: Node, risk: Risk, margin: Margin, *, or_equal: bool) -> list[int]:
    cuts: list[int] = []
    tree = root
    while tests(tree):
        helps = {node.number: total_risk(node, risk) - risk(node) for node in tests(tree)}
        most = max(helps.values())
        if not margin.less(0.0, most, or_equal=or_equal):
            break
        # Of equally helpful ones the lowest number.
        best = min(n for n, each in helps.items() if not margin.less(each, most, or_equal=False))
        cuts.append(best)
        tree = without(tree, {best})
    return cuts


def _bottom_up(
    node: Node,
    better_as_leaf: Callable[[Node, Node], bool],
    cuts: list[int],
    *,
    only_leaf_parents: bool = False,
) -> Node:
    """Children first; the question gets the node and what is left below it by then."""
    if not node.children:
        return node
    children = tuple(
        _bottom_up(child, better_as_leaf, cuts, only_leaf_parents=only_leaf_parents)
        for child in node.children
    )
    tree = replace(node, children=children)
    if only_leaf_parents and any(child.children for child in children):
        return tree
    if better_as_leaf(node, tree):
        cuts.append(node.number)
        return as_leaf(node)
    return tree


# What errors cost


@dataclass(frozen=True, kw_only=True)
class Prices:
    """What errors cost, and what a leaf adds to its class weights before it decides."""

    whole: tuple[float, ...]  # class weights of the whole training table
    costs: Sequence[Sequence[float]] | None = None
    added: tuple[float, ...] = ()

    @property
    def unit(self) -> float:
        """The mean over the rows of what taking one for another class costs."""
        if self.costs is None:
            return 1.0
        classes = range(len(self.whole))
        return math.fsum(
            weight * math.fsum(self.costs[j][k] for k in classes if k != j) / (len(classes) - 1)
            for j, weight in enumerate(self.whole)
        ) / math.fsum(self.whole)

    def decide(self, counts: Sequence[float]) -> int:
        more = self.added or (0.0,) * len(counts)
        return decision([c + a for c, a in zip(counts, more, strict=True)], self.costs)

    def of_unseen_error(self, decided: int) -> float:
        """An error of the other classes, as they are frequent, in place of a row that is right."""
        if self.costs is None:
            return 1.0
        others = [j for j in range(len(self.whole)) if j != decided]
        weight = math.fsum(self.whole[j] for j in others)
        mean = math.fsum(self.whole[j] * self.costs[j][decided] for j in others) / weight
        return max(mean - self.costs[decided][decided], 0.0)


# Methods that look at the training rows' classes alone


def pessimistic(
    root: Node, margin: Margin, prices: Prices, *, n_standard_errors: float = 1.0
) -> Node:
    """Quinlan 1987: half an error more for each leaf; judged from the top, before any cut."""
    if not root.children:
        return root

    def risk(node: Node) -> float:
        return training_risk(prices.costs)(node) / prices.unit

    n = root.weight
    corrected = total_risk(root, risk) + len(leaves(root)) / 2
    spread = math.sqrt(max(corrected * (n - corrected) / n, 0.0))
    if margin.less(risk(root) + 0.5, corrected + n_standard_errors * spread, or_equal=True):
        return as_leaf(root)
    below = tuple(
        pessimistic(child, margin, prices, n_standard_errors=n_standard_errors)
        for child in root.children
    )
    return replace(root, children=below)


def chi_square(root: Node, margin: Margin, *, alpha: float = 0.05, yates: bool = False) -> Node:
    """Nodes whose children are all leaves, by SciPy's test of branches x classes."""

    def is_due_to_chance(node: Node, _: Node) -> bool:
        table = [child.counts for child in node.children if child.weight > 0]
        columns = [k for k, count in enumerate(node.counts) if count > 0]
        if len(table) < 2 or len(columns) < 2:
            return True
        observed = [[counts[k] for k in columns] for counts in table]
        p_value = float(stats.chi2_contingency(observed, correction=yates).pvalue)
        return margin.less(alpha, p_value, or_equal=False)

    return _bottom_up(root, is_due_to_chance, [], only_leaf_parents=True)


def one_standard_error(
    root: Node,
    margin: Margin,
    *,
    n_standard_errors: float = 1.0,
    costs: Sequence[Sequence[float]] | None = None,
) -> Node:
    """C5.0: cut the weakest of the links that fit while the errors rise by a standard error."""
    risk = training_risk(costs)
    wrong, n = total_risk(root, risk), root.weight
    # N times the variance of what a row costs; of errors that cost 1 it is E (1 - E / N).
    squares = [[price**2 for price in line] for line in costs] if costs else None
    square = math.fsum(
        expected_cost(leaf.counts, decision(leaf.spoken, costs), squares) for leaf in leaves(root)
    )
    budget = n_standard_errors * math.sqrt(max(square - wrong**2 / n, 0.0))
    tree = root

    def filled(node: Node) -> int:
        return sum(leaf.weight > 1e-3 for leaf in leaves(node))

    while budget > 0:
        links = {}
        for node in tests(tree):
            cost = risk(node) - total_risk(node, risk)
            if filled(node) > 1 and margin.less(cost, budget, or_equal=True):
                links[node.number] = (cost / (filled(node) - 1), cost, node)
        if not links:
            break
        least = min(ratio for ratio, _, _ in links.values())
        tied = {k for k, (ratio, _, _) in links.items() if margin.less(ratio, least, or_equal=True)}
        below = {child.number for k in tied for child in walk(links[k][2]) if child.number != k}
        due = tied - below
        cost = math.fsum(links[k][1] for k in due)
        if not margin.less(cost, budget, or_equal=True):
            break
        budget -= cost
        tree = without(tree, due)
    return tree


def minimum_fraction(root: Node, margin: Margin, *, fraction: float = 0.03) -> Node:
    least = fraction * root.weight

    def has_small_leaf(_: Node, tree: Node) -> bool:
        return any(
            margin.less(child.weight, least, or_equal=False, scale=root.weight)
            for child in tree.children
        )

    return _bottom_up(root, has_small_leaf, [], only_leaf_parents=True)


def critical_value(root: Node, *, value: float) -> Node:
    """Mingers 1987: a weak split stays where it leads to a strong one."""
    if all(node.gain < value for node in tests(root)):
        return as_leaf(root)
    return replace(
        root, children=tuple(critical_value(child, value=value) for child in root.children)
    )


def minimum_error(
    root: Node,
    margin: Margin,
    *,
    m: float | None = 2.0,
    costs: Sequence[Sequence[float]] | None = None,
) -> Node:
    """Niblett & Bratko 1986 (m None: Laplace), Cestnik & Bratko 1991."""
    n_classes = len(root.counts)
    prior = [count / root.weight for count in root.counts]

    def static(node: Node) -> float:
        if m is None:
            shares = [(c + 1.0) / (node.weight + n_classes) for c in node.counts]
        elif node.weight + m == 0.0:
            return 0.0
        else:
            shares = [
                (c + m * p) / (node.weight + m) for c, p in zip(node.counts, prior, strict=True)
            ]
        return expected_cost(shares, decision(shares, costs), costs)

    def backed_up(node: Node) -> float:
        if not node.children:
            return static(node)
        return math.fsum(
            child.weight / node.weight * backed_up(child)
            for child in node.children
            if child.weight > 0
        )

    return _bottom_up(
        root, lambda node, tree: margin.less(static(node), backed_up(tree), or_equal=True), []
    )


def mdl(
    root: Node,
    margin: Margin,
    *,
    n_columns: int,
    n_values_if_one: Callable[[Node], int | None],
    weight: float = 1,
) -> Node:
    """Mehta, Rissanen & Agrawal 1995: bits of the tree, and of the classes given the tree.

    ``n_values_if_one`` gives the values of the column where a node asks for one of them.
    """
    n_classes = len(root.counts)

    def leaf_bits(node: Node) -> float:
        n = node.weight
        if n == 0.0:
            return 1.0
        bits = math.fsum(c * math.log2(n / c) for c in node.counts if c > 0)
        bits += (n_classes - 1) / 2 * math.log2(max(n, 2.0) / 2)
        return 1.0 + bits + math.log2(math.pi ** (n_classes / 2) / math.gamma(n_classes / 2))

    def question_bits(node: Node) -> float:
        assert node.split is not None
        column = math.log2(n_columns)
        if node.split.kind == "cut":
            return column + math.log2(max(node.weight - 1, 1))
        choices = n_values_if_one(node)
        if choices is not None:
            return column + math.log2(choices)
        n_values = len(node.split.branch_of_value)
        n_branches = len(node.children)
        if n_values <= n_branches:
            return column  # a branch for every value
        return column + (n_values - 1) * math.log2(n_branches)

    def bits(node: Node) -> float:
        if not node.children:
            return leaf_bits(node)
        return weight * (1.0 + question_bits(node)) + math.fsum(map(bits, node.children))

    return _bottom_up(
        root, lambda node, tree: margin.less(leaf_bits(node), bits(tree), or_equal=True), []
    )


# Error-based (Quinlan 1993, section 4.2; Release 8's build.c and prune.c; J48)


def added_errors(n: float, e: float, confidence: float, variant: Variant) -> float:
    """Errors to be added to ``e`` among ``n``; the three programs, each in its own words."""
    if variant == "j48":
        if confidence > 0.5:
            return 0.0
        if e < 1.0:
            none = n * (1.0 - confidence ** (1.0 / n))
            one = added_errors(n, 1.0, confidence, variant)
            return none if e == 0.0 else none + e * (one - none)
        if e + 0.5 >= n:
            return max(n - e, 0.0)
        z = float(stats.norm.isf(confidence))
        f = (e + 0.5) / n
        root = math.sqrt(f / n - f * f / n + z * z / (4 * n * n))
        return (f + z * z / (2 * n) + z * root) / (1 + z * z / n) * n - e
    if e < 1e-6:
        return n * (1.0 - math.exp(math.log(confidence) / n))
    if e < 0.9999 and (variant == "release8" or n > 1.0):
        none = n * (1.0 - math.exp(math.log(confidence) / n))
        return none + e * (added_errors(n, 1.0, confidence, variant) - none)
    if e + 0.5 >= n:
        return 0.67 * (n - e)
    squared = table_deviate(confidence) ** 2
    inner = squared * ((e + 0.5) * (1 - (e + 0.5) / n) + squared / 4)
    return n * (e + 0.5 + squared / 2 + math.sqrt(inner)) / (n + squared) - e


def collapse(node: Node, margin: Margin, *, variant: Variant, prices: Prices) -> Node:
    """Cut what does not classify the training rows better; C4.5 from below, J48 from above."""

    def risk(node: Node) -> float:
        return expected_cost(node.counts, prices.decide(node.spoken), prices.costs)

    def is_no_better(node: Node, tree: Node) -> bool:
        least = 1e-3 * prices.unit
        bound = 0.999 * risk(node) if variant == "c5" else risk(node) - least
        return margin.within(bound, total_risk(tree, risk))

    if variant != "j48":
        return _bottom_up(node, is_no_better, [])
    if not node.children:
        return node
    if is_no_better(node, node):
        return as_leaf(node)
    return replace(
        node,
        children=tuple(
            collapse(child, margin, variant=variant, prices=prices) for child in node.children
        ),
    )


@dataclass(frozen=True, kw_only=True)
class ErrorBased:
    """Error-based pruning of one tree with its training rows.

    Listeners are rows that decide nothing; ``changes`` takes down by how much each step, in turn,
    changes what they cost.
    """

    rows: Sequence[Row]
    class_of_row: Sequence[int]
    n_classes: int
    confidence: float
    variant: Variant
    raising: bool
    margin: Margin
    prices: Prices
    weights: Sequence[float] = ()
    copies: Sequence[float] = ()
    min_cases: float = 0.0
    follower_rows: Sequence[Row] = ()
    follower_classes: Sequence[int] = ()
    changes: list[float] = field(default_factory=list)

    def prune(
        self, node: Node, cases: list[tuple[int, float]], followers: list[tuple[int, float]]
    ) -> Node:
        return self._pruned(node, cases, followers)[0]

    def _pruned(
        self, node: Node, cases: list[tuple[int, float]], followers: list[tuple[int, float]]
    ) -> tuple[Node, float]:
        """What is left, and the errors to expect of it."""
        counts = self._counts(cases)
        node = replace(node, counts=counts)
        as_one_leaf = self._estimate(counts)
        if not node.children:
            return node, as_one_leaf
        parts, known = self._divided(node, cases)
        met = [self._is_met(part) for part in parts]
        known_and_met = [share if is_met else 0.0 for share, is_met in zip(known, met, strict=True)]
        divided = self._followers_divided(node, followers, known_and_met)
        children, estimates = [], []
        for child, part, following, is_met in zip(node.children, parts, divided, met, strict=True):
            if is_met:
                left, expected = self._pruned(child, part, following)
            else:
                left, expected = self._empty(child, node), 0.0
                if child.children:
                    before = self._follower_cost(child, following, counts)
                    self.changes.append(self._follower_cost(left, following, counts) - before)
            children.append(left)
            estimates.append(expected)
        tree = replace(node, children=tuple(children))
        largest = self._candidate(tree, known)
        as_tree = self._together(parts, estimates)
        as_branch = math.inf if largest is None else self._of_branch(largest, cases)
        within, slack = self.margin.within, 0.1 * self.prices.unit
        cost = self._follower_cost(tree, followers, counts)
        if within(as_one_leaf, as_tree + slack) and within(as_one_leaf, as_branch + slack):
            leaf = as_leaf(node)
            self.changes.append(self._follower_cost(leaf, followers, counts) - cost)
            return leaf, as_one_leaf
        if largest is not None and within(as_branch, as_tree + slack):
            raised = self._recounted(largest, cases)
            self.changes.append(self._follower_cost(raised, followers, counts) - cost)
            return self._pruned(raised, cases, followers)
        return tree, as_tree

    def _together(self, parts: list[list[tuple[int, float]]], estimates: list[float]) -> float:
        """The errors to expect of all branches; C5.0 makes one leaf of those of few rows."""
        alone, joint = [], []
        for part, expected in zip(parts, estimates, strict=True):
            if not self._is_met(part):
                continue
            is_small = self.variant == "c5" and self.margin.less(
                self._n_rows(part), self.min_cases, or_equal=False
            )
            if is_small:
                joint += part
            else:
                alone.append(expected)
        if joint:
            alone.append(self._estimate(self._counts(joint)))
        return math.fsum(alone)

    def _is_met(self, part: list[tuple[int, float]]) -> bool:
        """Whether rows come here; C5.0 wants a twentieth of one."""
        if self.variant != "c5":
            return bool(part)
        return bool(part) and not self.margin.less(self._n_rows(part), 0.05, or_equal=False)

    def _n_rows(self, part: list[tuple[int, float]]) -> float:
        return math.fsum(self.copies[row] * w / self.weights[row] for row, w in part)

    def _recounted(self, node: Node, cases: list[tuple[int, float]]) -> Node:
        """The same tree with other rows, nothing else changed."""
        node = replace(node, counts=self._counts(cases))
        if not node.children:
            return node
        parts, _ = self._divided(node, cases)
        children = [
            self._recounted(child, part) if self._is_met(part) else self._empty(child, node)
            for child, part in zip(node.children, parts, strict=True)
        ]
        return replace(node, children=tuple(children))

    def _followers_divided(
        self, node: Node, followers: list[tuple[int, float]], known: list[float]
    ) -> list[list[tuple[int, float]]]:
        parts: list[list[tuple[int, float]]] = [[] for _ in node.children]
        total = math.fsum(known)
        for row, w in followers:
            branch = branch_of(node, self.follower_rows[row])
            for b, share in enumerate(known):
                if branch == b or (branch is None and share > 0):
                    parts[b].append((row, w if branch == b else w * share / total))
        return parts

    def _follower_cost(
        self, node: Node, followers: list[tuple[int, float]], above: Sequence[float]
    ) -> float:
        spoken = node.counts if node.weight > 0 else above
        if node.children:
            known = [child.weight for child in node.children]
            parts = self._followers_divided(node, followers, known)
            return math.fsum(
                self._follower_cost(child, part, spoken)
                for child, part in zip(node.children, parts, strict=True)
            )
        decided = self.prices.decide(spoken)
        if node.weight <= 0 and node.given_class is not None:
            given = [float(k == node.given_class) for k in range(self.n_classes)]
            decided = self.prices.decide(given)
        counts = [
            math.fsum(w for row, w in followers if self.follower_classes[row] == k)
            for k in range(self.n_classes)
        ]
        return expected_cost(counts, decided, self.prices.costs)

    def _candidate(self, tree: Node, known: list[float]) -> Node | None:
        """The branch of most known weight, the last of several; C5.0 takes the first."""
        allowed = [b for b in range(len(known)) if self._may_be_raised(tree, b, known[b])]
        if not self.raising or not allowed:
            return None
        best = allowed[0]
        for b in allowed[1:]:
            if not self.margin.less(known[b], known[best], or_equal=self.variant == "c5"):
                best = b
        return tree.children[best]

    def _may_be_raised(self, tree: Node, b: int, share: float) -> bool:
        if self.variant != "c5":
            return True
        child = tree.children[b]
        if child.split is None or self.margin.less(share, 0.1, or_equal=False):
            return False
        assert tree.split is not None
        return child.split.kind != "cut" or child.split.column != tree.split.column

    def _empty(self, child: Node, node: Node) -> Node:
        """A leaf without rows; Release 8 has given it its parent's class when it was grown."""
        kept = decision(child.counts_above) if self.variant == "release8" else None
        return replace(as_leaf(child), counts=(0.0,) * self.n_classes, given_class=kept)

    def _of_branch(self, node: Node, cases: list[tuple[int, float]]) -> float:
        if not node.children:
            return self._estimate(self._counts(cases))
        parts, _ = self._divided(node, cases)
        estimates = [
            self._of_branch(child, part) if self._is_met(part) else 0.0
            for child, part in zip(node.children, parts, strict=True)
        ]
        return self._together(parts, estimates)

    def _estimate(self, counts: Sequence[float]) -> float:
        n = math.fsum(counts)
        decided = self.prices.decide(counts)
        wrong = max(n - counts[decided], 0.0)
        if wrong < TIE:
            wrong = 0.0
        more = added_errors(n, wrong, self.confidence, self.variant)
        if self.prices.costs is None:
            return wrong + more
        counted = expected_cost(counts, decided, self.prices.costs)
        return counted + self.prices.of_unseen_error(decided) * max(more, 0.0)

    def _counts(self, cases: list[tuple[int, float]]) -> tuple[float, ...]:
        return tuple(
            math.fsum(w for row, w in cases if self.class_of_row[row] == k)
            for k in range(self.n_classes)
        )

    def _divided(
        self, node: Node, cases: list[tuple[int, float]]
    ) -> tuple[list[list[tuple[int, float]]], list[float]]:
        """The cases of each branch, and the share of it in the known ones."""
        parts: list[list[tuple[int, float]]] = [[] for _ in node.children]
        unknown = []
        for row, w in cases:
            branch = branch_of(node, self.rows[row])
            if branch is None:
                unknown.append((row, w))
            else:
                parts[branch].append((row, w))
        weights = [math.fsum(w for _, w in part) for part in parts]
        total = math.fsum(weights)
        shares = [w / total if total > 0 else 1.0 / len(parts) for w in weights]
        for part, share in zip(parts, shares, strict=True):
            if share > 0:
                part += [(row, w * share) for row, w in unknown]
        return parts, shares


def branch_of(node: Node, row: Row) -> int | None:
    """The branch of a row; None: all branches."""
    split = node.split
    assert split is not None
    value = row[split.column]
    if value is None:
        return split.missing_branch
    if split.kind == "categories" and value not in split.branch_of_value:
        return node.unseen_branch
    return split.branch_of(value)


def parts_of(node: Node, row: Row, share: float = 1.0) -> list[tuple[Node, float]]:
    """The leaves a row reaches, and how much of it each gets, by the weights of the branches."""
    if not node.children:
        return [(node, share)]
    branch = branch_of(node, row)
    if branch is not None:
        return parts_of(node.children[branch], row, share)
    total = math.fsum(child.weight for child in node.children)
    return [
        part
        for child in node.children
        if child.weight > 0
        for part in parts_of(child, row, share * child.weight / total)
    ]


def answer(node: Node, row: Row) -> list[float]:
    """Class shares for a row: those of the leaves it reaches, by how much of it each gets."""
    reached = parts_of(node, row)
    return [
        math.fsum(share * leaf.spoken[k] / math.fsum(leaf.spoken) for leaf, share in reached)
        for k in range(len(node.counts))
    ]


def validation_counts(
    root: Node, rows: Sequence[Row], class_of_row: Sequence[int], weights: Sequence[float]
) -> dict[int, tuple[float, ...]]:
    """Class weights of validation rows in every node, by its number."""
    reached: dict[int, list[tuple[int, float]]] = {node.number: [] for node in walk(root)}
    for row, k, w in zip(rows, class_of_row, weights, strict=True):
        for leaf, share in parts_of(root, row):
            reached[leaf.number].append((k, w * share))

    def cases(node: Node) -> list[tuple[int, float]]:
        return [case for leaf in leaves(node) for case in reached[leaf.number]]

    return {
        node.number: tuple(
            math.fsum(w for k, w in cases(node) if k == each) for each in range(len(root.counts))
        )
        for node in walk(root)
    }
