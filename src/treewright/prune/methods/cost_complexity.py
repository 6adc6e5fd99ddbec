"""Minimal cost-complexity pruning: the nested sequence of trees, and the choice of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from treewright.array_types import FloatArray, Int64Array
from treewright.data.read.groups import RowGroups
from treewright.errors import ParameterError, UnsupportedError
from treewright.parameters import check_choice, check_count, check_number
from treewright.prune.base import Cuts, Needs, Pruner
from treewright.prune.bottom_up import weakest_links
from treewright.prune.record import curve_of
from treewright.prune.risk import training_risk
from treewright.prune.routed_rows import RoutedRows
from treewright.prune.rpart_collapse import cuts_as_rpart
from treewright.text.numbers import distinct_figures, figures
from treewright.text.table import TextColumn, lay_out
from treewright.tree.edit import with_leaves
from treewright.tree.impurity import impurity_mass
from treewright.tree.tree import Tree, check_is_tree

_RISKS = ("errors", "impurity")

_ROUNDING = 1e-10
"""Ratios of sums that are not whole numbers differ by rounding where they should be equal: by as
much of the penalty and, as they are differences, of the largest risk."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CostComplexityPath:
    """The nested sequence of trees that are best for increasing penalties per leaf.

    Parameters
    ----------
    tree
        The unpruned tree.
    alphas
        From 0 on, the penalty from which each tree of the sequence is best.
    n_leaves, risks
        Their sizes, and their risk (in the unit of `alphas`).
    alpha_of_node
        The penalty at which each node becomes a leaf; infinite at leaves.
    """

    tree: Tree
    alphas: FloatArray
    n_leaves: Int64Array
    risks: FloatArray
    alpha_of_node: FloatArray

    def __len__(self) -> int:
        return len(self.alphas)

    def __str__(self) -> str:
        return lay_out(
            [
                TextColumn("alpha", distinct_figures(self.alphas.tolist()), right=True),
                TextColumn("leaves", [str(n) for n in self.n_leaves.tolist()], right=True),
                TextColumn("risk", figures(self.risks.tolist()), right=True),
            ]
        )

    def marked(self, alpha: float) -> Any:
        """Return whether each node is a leaf for this penalty."""
        return self.alpha_of_node <= alpha * (1 + _ROUNDING)

    def at(self, alpha: float) -> Tree:
        """Return the tree that is best for a penalty; an infinite one leaves the root."""
        if not (isinstance(alpha, float) and alpha == np.inf):
            check_number("alpha", alpha, low=0.0)
        return with_leaves(self.tree, self.marked(alpha))

    def costs(self, risk: FloatArray, alphas: FloatArray | None = None) -> FloatArray:
        """Return the total cost of the leaves of the trees at some penalties, from node costs."""
        bounds = self.alphas if alphas is None else alphas
        return _along(self.tree, risk, self.alpha_of_node, bounds)[1]

    def steps(self) -> tuple[FloatArray, FloatArray]:
        """Return the penalties and risks after each single cut, in scikit-learn's form.

        From the unpruned tree on, one entry for each node that becomes a leaf: penalties repeat
        where several do at once.
        """
        arrays, total = self.tree.arrays, float(self.tree.arrays.weight[0]) or 1.0
        risk = impurity_mass(self.tree) / total
        below = np.where(arrays.n_branches > 0, 0.0, risk)  # risk of each node's leaves
        parent = arrays.parent.tolist()
        for node in range(len(parent) - 1, 0, -1):
            below[parent[node]] += below[node]
        cut = np.flatnonzero(np.isfinite(self.alpha_of_node))
        cut = cut[np.argsort(self.alpha_of_node[cut], kind="stable")]
        risks = [float(below[0])]
        for node in cut.tolist():
            more = risk[node] - below[node]
            while node >= 0:
                below[node] += more
                node = parent[node]
            risks.append(float(below[0]))
        return np.append(0.0, self.alpha_of_node[cut]), np.array(risks)

    @cached_property
    def typical_alphas(self) -> FloatArray:
        """One penalty inside each interval: geometric means of its ends (Breiman et al. 1984)."""
        roots = np.sqrt(self.alphas)
        return np.append(roots[:-1] * roots[1:], np.inf)


def cost_complexity_path(tree: Tree, *, on: str = "errors") -> CostComplexityPath:
    """Return the nested sequence of cost-complexity pruning (Breiman et al. 1984, chapter 3).

    A node becomes a leaf when the penalty per leaf reaches its weakest-link ratio
    (R(t) - R(T_t)) / (leaves - 1), with its subtree pruned as far as that penalty prunes it.

    Parameters
    ----------
    tree
        A grown tree.
    on : {"errors", "impurity"}
        Risk: misclassified weight or cost, as in CART, or weight x impurity, as in scikit-learn
        (for trees that predict numbers both are the impurity). In either case per unit of weight.
    """
    check_is_tree("tree", tree)
    check_choice("on", on, _RISKS)
    total = float(tree.arrays.weight[0]) or 1.0
    risk = impurity_mass(tree) if on == "impurity" else training_risk(tree)
    links = weakest_links(tree.arrays, risk)
    alpha = _without_rounding(links / total, float(risk.max()) / total)
    asks = tree.arrays.n_branches > 0
    effective = asks & ~_is_cut_before(tree, alpha)
    alpha_of_node = np.where(effective, alpha, np.inf)
    alphas = np.unique(np.append(0.0, alpha[effective]))
    sizes, risks = _along(tree, risk, alpha_of_node, alphas)
    return CostComplexityPath(
        tree=tree,
        alphas=alphas,
        n_leaves=sizes,
        risks=risks / total,
        alpha_of_node=alpha_of_node,
    )


def _without_rounding(alphas: FloatArray, unit: float) -> FloatArray:
    """Return penalties with those that differ by rounding alone set to the lowest of them."""
    order = np.argsort(alphas, kind="stable")
    ascending = np.where(alphas[order] <= _ROUNDING * unit, 0.0, alphas[order])
    below = np.append(-np.inf, ascending[:-1])
    is_new = ascending > below + _ROUNDING * (below + unit)
    same: FloatArray = np.empty_like(alphas)
    same[order] = ascending[is_new][np.cumsum(is_new) - 1]
    return same


def _is_cut_before(tree: Tree, alpha: FloatArray) -> Any:
    """Return whether an ancestor of each node becomes a leaf no later than the node."""
    parent = tree.arrays.parent.tolist()
    least = alpha.tolist()  # penalty at which the node or one above it becomes a leaf
    gone = np.zeros(len(least), dtype=bool)
    for node in range(1, len(least)):
        above = least[parent[node]]
        if above <= least[node]:
            gone[node] = True
            least[node] = above
    return gone


def _along(
    tree: Tree, risk: FloatArray, alpha_of_node: FloatArray, alphas: FloatArray
) -> tuple[Int64Array, FloatArray]:
    """Return the number of leaves and the risk of the trees at some penalties."""
    ever_cut = np.flatnonzero(np.isfinite(alpha_of_node))
    order = ever_cut[np.argsort(alpha_of_node[ever_cut], kind="stable")]
    whole = curve_of(tree, order, {"risk": risk}, {"risk": 1.0})
    n_cuts = np.searchsorted(alpha_of_node[order], alphas * (1 + _ROUNDING), side="right")
    return whole.n_leaves[n_cuts], whole.errors["risk"][n_cuts]


@dataclass(frozen=True, kw_only=True)
class CostComplexity(Pruner):
    """Cost-complexity pruning (Breiman et al. 1984): weakest links first, all ties at once.

    Parameters
    ----------
    alpha : float or None
        The penalty per leaf. None chooses it: by the rows given to
        :meth:`treewright.Tree.prune`, or, in an estimator, by cross-validation.
    cp : float or None
        The same as a share of the risk of the root alone, which is rpart's parameter; give one.
    on : {"errors", "impurity"}
        Risk of a tree: errors, as in CART, or impurity, as in scikit-learn.
    variant : {"book", "rpart"}
        ``"rpart"`` takes back splits by `cp` as rpart does while it grows a tree, which is not
        always a tree of the nested sequence (``treewright.prune.rpart_collapse``).
    rule : {"min", "1-SE"}
        Choose the tree of least error; or the smallest one whose error is within one
        standard error of the least.
    cv : int
        Folds of the cross-validation.
    random_state : int
        Seed of the assignment of rows to folds.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, load_example
    >>> from treewright.prune import CostComplexity
    >>> iris = load_example("iris")
    >>> tree = DecisionTreeClassifier().fit(iris.X, iris.y).tree_
    >>> print(CostComplexity().path(tree))
    alpha  leaves   risk
    0.000       9  0.000
    0.003       7  0.007
    0.007       4  0.027
    0.013       3  0.040
    0.293       2  0.333
    0.333       1  0.667
    >>> CostComplexity(alpha=0.01).prune(tree).n_leaves
    4
    """

    name: ClassVar[str] = "cost_complexity"
    needs: ClassVar[Needs] = "folds"
    alpha: float | None = None
    cp: float | None = None
    on: str = "errors"
    variant: str = "book"
    rule: str = "min"
    cv: int = 10
    random_state: int = 0

    @property
    def has_penalty(self) -> bool:
        """Whether the penalty is given, and not to be chosen."""
        return self.alpha is not None or self.cp is not None

    def check(self) -> None:
        """Refuse parameters outside their range."""
        check_number("alpha", self.alpha, low=0.0, optional=True)
        check_number("cp", self.cp, low=0.0, optional=True)
        if self.alpha is not None and self.cp is not None:
            raise ParameterError(
                f"alpha={self.alpha!r} and cp={self.cp!r} are both the penalty of a leaf.\n"
                "  Hint: give one."
            )
        check_choice("on", self.on, _RISKS)
        check_choice("variant", self.variant, ("book", "rpart"))
        if self.variant == "rpart" and self.cp is None:
            raise ParameterError(
                "variant='rpart' is rpart's way to apply cp, and there is none.\n"
                "  Hint: CostComplexity(cp=0.01, variant='rpart')."
            )
        check_choice("rule", self.rule, ("min", "1-SE"))
        check_count("cv", self.cv, least=2)
        check_count("random_state", self.random_state, least=0)

    def path(self, tree: Tree) -> CostComplexityPath:
        """Return the whole nested sequence of a tree."""
        self.check_tree(tree)
        return cost_complexity_path(tree, on=self.on)

    def check_tree(self, tree: Tree) -> None:
        """Refuse trees that the method cannot prune."""
        super().check_tree(tree)
        if self.variant == "rpart" and (tree.n_outputs > 1 or tree.arrays.n_branches.max() > 2):
            raise UnsupportedError(
                "variant='rpart' judges binary splits for one target, as rpart has them.\n"
                "  Hint: variant='book' prunes every tree."
            )

    def _cuts(self, tree: Tree, validation: RoutedRows | None) -> Cuts:
        if self.variant == "rpart" and self.cp is not None:
            risk = impurity_mass(tree) if self.on == "impurity" else training_risk(tree)
            return cuts_as_rpart(tree, risk, self.cp)
        path = cost_complexity_path(tree, on=self.on)
        alpha = self.alpha if self.cp is None else self.cp * float(path.risks[-1])
        if alpha is None:
            if validation is None:
                raise ParameterError(
                    "CostComplexity has no alpha and no rows to choose it by.\n"
                    "  Hint: CostComplexity(alpha=0.01), .prune(tree, X_valid, y_valid), or"
                    " prune=CostComplexity() in an estimator, which cross-validates."
                )
            costs = path.costs(validation.risk) / (validation.total or 1.0)

            def spread(best: int) -> float:
                losses = validation.losses(path.at(float(path.alphas[best])))
                return standard_error(losses, validation.weight)

            alpha = float(path.alphas[self.choose(costs, spread)])
        return self.cuts_at(path, alpha)

    def cuts_at(self, path: CostComplexityPath, alpha: float) -> Cuts:
        """Return the nodes that are leaves for a penalty, weakest links first."""
        marked = np.flatnonzero(path.marked(alpha))
        order = marked[np.argsort(path.alpha_of_node[marked], kind="stable")]
        return Cuts(
            node=order,
            before=path.alpha_of_node[order],
            after=np.full(len(order), alpha),
            compared="the penalty per leaf from which the leaf is better, and the penalty",
        )

    def choose(self, costs: FloatArray, spread: Callable[[int], float]) -> int:
        """Return the position of the tree to choose, of trees from the largest to the smallest.

        Parameters
        ----------
        costs
            Mean cost of a row under each tree.
        spread
            Function that returns the standard error of the mean cost of one of them.
        """
        # Of equally good trees the smallest.
        best = len(costs) - 1 - int(np.argmin(costs[::-1]))
        if self.rule == "min":
            return best
        return int(np.flatnonzero(costs <= costs[best] + spread(best))[-1])


def standard_error(
    losses: FloatArray, weight: FloatArray, groups: RowGroups | None = None
) -> float:
    """Return the standard error of the weighted mean cost of rows.

    Where rows belong to groups, these are the independent evidence.
    """
    total = float(weight.sum())
    if total <= 0.0 or len(losses) < 2:
        return 0.0
    # Squares of extreme losses would overflow; scaling by a power of two changes no digit.
    unit = int(np.frexp(losses.max())[1])
    losses = np.ldexp(losses, -unit)
    mean = float(weight @ losses) / total
    if groups is None:
        variance = float(weight @ (losses - mean) ** 2 / total / np.count_nonzero(weight))
    else:
        variance = groups.variance_of_mean(losses, weight)
    return float(np.ldexp(np.sqrt(variance), unit))
