"""From the class weights of a node to its probabilities and its decision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.array_types import Array
from treewright.interrupts import row_blocks

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int64Array


LEAF_ESTIMATES = ("majority", "laplace", "m_estimate")

_ROUNDING = 1e-12
"""Tolerance of equal costs: shares are rounded."""

_LEAST_SHARE = 1e-3
"""Least weight in growing of a class whose errors cost nothing, relative to the costliest."""

_ROWS_AT_ONCE = 1 << 19
"""Rows decided in one call of NumPy: some 10 ms."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LeafRule:
    """How class weights become probabilities, and probabilities a class.

    Parameters
    ----------
    estimate
        ``"majority"`` takes the shares as they are; ``"laplace"`` adds a row to every class,
        (n_k + 1) / (n + K); ``"m_estimate"`` adds `m` rows in the proportions p_k of the whole
        training table, (n_k + m p_k) / (n + m) (Cestnik 1990).
    m
        Weight of the prior in the m-estimate.
    cost_matrix
        Cost of each decision: rows are the actual class, columns the predicted one. The class of
        least expected cost is predicted; None predicts the most probable one.
    grows_by_cost
        Whether costs weight the classes in growing, and errors in pruning, too. If not, they do
        nothing but decide, and probabilities are those of a tree without costs.
    preferred
        The class to predict where it ties with others for most probable; None takes the first.
    """

    estimate: str = "majority"
    m: float = 2.0
    cost_matrix: FloatArray | None = None
    grows_by_cost: bool = True
    preferred: int | None = None

    def smoothed(self, weights: FloatArray, whole: FloatArray) -> FloatArray:
        """Return the class weights of nodes, smoothed by the estimate.

        A node without training rows stays at 0.

        Parameters
        ----------
        weights
            One row of class weights per node.
        whole
            Class weights of the whole training table.
        """
        return np.where(weights.any(axis=1, keepdims=True), weights + self.added(whole), weights)

    def added(self, whole: FloatArray) -> FloatArray:
        """Return the pseudo-counts that the estimate adds to the class weights of a node.

        >>> LeafRule(estimate="m_estimate", m=2.0).added(np.array([30.0, 10.0])).tolist()
        [1.5, 0.5]
        """
        total = whole.sum()
        if self.estimate == "laplace":
            return np.ones_like(whole)
        if self.estimate == "m_estimate" and total > 0:
            by_class: FloatArray = self.m * (whole / total)
            return by_class
        return np.zeros_like(whole)

    def choose(self, shares: FloatArray) -> Int64Array:
        """Return the class predicted for each row of probabilities; of equally good ones the first.

        Among equally probable ones, the preferred one if it is given.

        >>> costs = np.array([[0.0, 1.0], [10.0, 0.0]])
        >>> LeafRule(cost_matrix=costs).choose(np.array([[7 / 8, 1 / 8], [1.0, 0.0]])).tolist()
        [1, 0]
        """
        chosen: Int64Array
        if self.cost_matrix is None:
            chosen = shares.argmax(axis=1)
            if self.preferred is not None:
                most = shares.max(axis=1)
                ties = shares[:, self.preferred] >= most * (1 - _ROUNDING)
                chosen = np.where(ties, self.preferred, chosen)
        else:
            costs = shares @ self.cost_matrix
            least = costs.min(axis=1, keepdims=True, initial=np.inf)
            chosen = (costs <= least * (1 + _ROUNDING)).argmax(axis=1)
        return chosen

    def cost_of(self, weights: FloatArray, chosen: Int64Array) -> FloatArray:
        """Return the cost of predicting a class for rows of these class weights, entry by entry.

        Without a cost matrix that is the weight of the rows of another class.
        """
        if self.cost_matrix is None:
            right = np.take_along_axis(weights, chosen[:, np.newaxis], axis=1)[:, 0]
            wrong: FloatArray = np.maximum(weights.sum(axis=1) - right, 0.0)
            return wrong
        return np.asarray(np.einsum("nk,kn->n", weights, self.cost_matrix[:, chosen]))

    def growing_factors(self, class_weight: FloatArray) -> FloatArray:
        """Return the factor of each class in growing: altered priors (Breiman et al. 1984, 4.4).

        A class is weighted by the sum of the costs of its errors, C(j) = sum_i C(i|j). That is
        exact for two classes, and an approximation for more. The total weight does not change.

        Parameters
        ----------
        class_weight
            Weight of the rows of each class.

        Examples
        --------
        >>> costs = np.array([[0.0, 1.0], [3.0, 0.0]])
        >>> LeafRule(cost_matrix=costs).growing_factors(np.array([10.0, 10.0])).tolist()
        [0.5, 1.5]
        """
        if self.cost_matrix is None or not self.grows_by_cost:
            return np.ones_like(class_weight)
        price = self.cost_matrix.sum(axis=1)
        price = np.maximum(price, _LEAST_SHARE * price.max())
        scale: float = class_weight.sum() / (price @ class_weight)
        factors: FloatArray = price * scale
        return factors

    def for_growing(self) -> LeafRule:
        """Return the rule that trees are grown and pruned with: without costs that only decide."""
        decides_only = self.cost_matrix is not None and not self.grows_by_cost
        return replace(self, cost_matrix=None) if decides_only else self

    def equals(self, other: LeafRule) -> bool:
        """Return whether both rules are the same."""
        mine, theirs = self.cost_matrix, other.cost_matrix
        same_costs = mine is theirs or (
            mine is not None and theirs is not None and np.array_equal(mine, theirs)
        )
        first, second = (
            (rule.estimate, rule.m, rule.grows_by_cost, rule.preferred) for rule in (self, other)
        )
        return first == second and same_costs


BY_MAJORITY = LeafRule()


def labels_of(codes: list[Int64Array], classes: tuple[Array, ...]) -> Array:
    """Return the labels of class positions; one dimension where there is one output."""
    labels: list[Array] = [names[chosen] for names, chosen in zip(classes, codes, strict=True)]
    if len(labels) == 1:
        return labels[0]
    if len({part.dtype.kind for part in labels}) > 1:  # else numbers would turn into text
        labels = [part.astype(object) for part in labels]
    return np.column_stack(labels)


def decide(
    answers: FloatArray, classes: tuple[Array, ...] | None, rule: LeafRule = BY_MAJORITY
) -> Array:
    """Return labels or predicted numbers from answers; one dimension where there is one output."""
    if classes is None:
        return answers[:, 0] if answers.shape[1] == 1 else answers
    if len(answers) > _ROWS_AT_ONCE:
        blocks = row_blocks(len(answers), _ROWS_AT_ONCE)
        return np.concatenate([decide(answers[block], classes, rule) for block in blocks])
    if len(classes) == 1:  # one row costs microseconds
        labels: Array = classes[0].take(rule.choose(answers))
        return labels
    return labels_of([rule.choose(part) for part in by_output(answers, classes)], classes)


def label_of(answer: FloatArray, classes: tuple[Array, ...] | None, rule: LeafRule) -> Any:
    """Return the label of one line of answers; a tuple where there are several outputs."""
    decided = decide(answer[np.newaxis], classes, rule)[0]
    if np.ndim(decided):
        return tuple(decided.tolist())
    return decided.item() if isinstance(decided, np.generic) else decided


def by_output(answers: FloatArray, classes: tuple[Array, ...]) -> list[FloatArray]:
    """Return class probabilities as one array per output."""
    if len(classes) == 1:
        return [answers]
    stops = np.cumsum([len(names) for names in classes])
    return np.split(answers, stops[:-1], axis=1)
