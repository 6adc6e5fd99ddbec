"""Criteria, straight from their definitions, on parts: one list of (target, weight) per branch.

Nothing is accumulated, subtracted or shared between candidate splits: each score starts from the
rows. Sums are ``math.fsum``, so they do not depend on the order of the rows.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

Part = Sequence[tuple[Any, float]]

CLASS_CRITERIA = (
    "gini",
    "entropy",
    "gain_ratio",
    "misclassification",
    "chi2",
    "twoing",
    "hellinger",
    "ordinal_gini",
    "impurity_ratio",
)
VALUE_CRITERIA = (
    "squared_error",
    "absolute_error",
    "poisson",
    "weighted_squared_error",
    "standard_deviation",
    "fifth_root",
)


def weight(part: Part) -> float:
    return math.fsum(w for _, w in part)


def class_weight(part: Part, label: Any) -> float:
    return math.fsum(w for target, w in part if target == label)


def labels_of(part: Part) -> list[Any]:
    return list(dict.fromkeys(target for target, _ in part))


def shares(part: Part) -> list[float]:
    return [class_weight(part, label) / weight(part) for label in labels_of(part)]


def entropy(part: Part) -> float:
    """Shannon 1948, in bits; 0 log 0 = 0 (absent classes are not listed)."""
    return -math.fsum(p * math.log2(p) for p in shares(part))


def gini(part: Part) -> float:
    """Breiman, Friedman, Olshen, Stone 1984, section 4.3."""
    return 1.0 - math.fsum(p * p for p in shares(part))


def misclassification(part: Part) -> float:
    """Breiman et al. 1984, section 4.2."""
    return 1.0 - max(shares(part))


def mean(part: Part) -> float:
    return math.fsum(y * w for y, w in part) / weight(part)


def sse(part: Part) -> float:
    centre = mean(part)
    return math.fsum(w * (y - centre) ** 2 for y, w in part)


def variance(part: Part) -> float:
    """Divided by N, not by N - 1 (Breiman et al. 1984, section 8.3)."""
    return sse(part) / weight(part)


def exact_variance(part: Part) -> Fraction:
    """The same without rounding: a root would make much of an error near 0."""
    pairs = [(Fraction(y), Fraction(w)) for y, w in part]
    total = sum(w for _, w in pairs)
    centre = sum(y * w for y, w in pairs) / total
    return sum((w * (y - centre) ** 2 for y, w in pairs), Fraction(0)) / total


def standard_deviation(part: Part) -> float:
    """Quinlan 1992, section 2."""
    return float(exact_variance(part)) ** 0.5


def fifth_root(part: Part) -> float:
    """Weka's M5P, class Impurity."""
    return float(exact_variance(part)) ** 0.2


def median(part: Part) -> Any:
    """Lower weighted median: the smallest value with half of the weight at or below it."""
    half = weight(part) / 2.0
    for value in sorted(y for y, _ in part):
        if weight([(y, w) for y, w in part if y <= value]) >= half:
            return value
    raise AssertionError("all of the weight lies at or below the largest value")


def absolute_deviation(part: Part) -> float:
    """Mean distance from the median (Breiman et al. 1984, section 8.11)."""
    centre = median(part)
    return math.fsum(w * abs(y - centre) for y, w in part) / weight(part)


def poisson_deviance(part: Part) -> float:
    """Half the mean deviance about the mean (McCullagh & Nelder 1989); 0 where all y are 0."""
    centre = mean(part)
    if centre == 0.0:
        return 0.0
    return math.fsum(w * y * math.log(y / centre) for y, w in part if y > 0) / weight(part)


def gain(parts: Sequence[Part], impurity: Callable[[Part], float]) -> float:
    """Impurity of all rows minus the impurities of the parts, weighted by their shares."""
    everything = [pair for part in parts for pair in part]
    total = weight(everything)
    return impurity(everything) - math.fsum(weight(part) / total * impurity(part) for part in parts)


def split_information(sizes: Sequence[float]) -> float:
    """Entropy of the branch sizes (Quinlan 1986, section 7)."""
    total = math.fsum(sizes)
    return -math.fsum(n / total * math.log2(n / total) for n in sizes if n > 0.0)


def chi2(parts: Sequence[Part]) -> float:
    """Pearson's statistic of the table of branches and classes (Pearson 1900)."""
    everything = [pair for part in parts for pair in part]
    total = weight(everything)
    terms = []
    for part in parts:
        for label in labels_of(everything):
            expected = weight(part) * class_weight(everything, label) / total
            terms.append((class_weight(part, label) - expected) ** 2 / expected)
    return math.fsum(terms)


def twoing(parts: Sequence[Part]) -> float:
    """Breiman et al. 1984, section 4.3: pL pR / 4 (sum over classes of |p(k|L) - p(k|R)|)^2."""
    if len(parts) != 2:
        raise ValueError("twoing is defined for splits in two")
    left, right = parts
    total = weight(left) + weight(right)
    apart = math.fsum(
        abs(class_weight(left, label) / weight(left) - class_weight(right, label) / weight(right))
        for label in labels_of([*left, *right])
    )
    return weight(left) / total * weight(right) / total / 4.0 * apart**2


def hellinger(parts: Sequence[Part]) -> float:
    """Cieslak & Chawla 2008, squared, added over branches and over pairs of classes."""
    everything = [pair for part in parts for pair in part]
    return math.fsum(
        (
            math.sqrt(class_weight(part, k) / class_weight(everything, k))
            - math.sqrt(class_weight(part, j) / class_weight(everything, j))
        )
        ** 2
        for part in parts
        for k, j in combinations(labels_of(everything), 2)
    )


def mean_distance(part: Part, classes: Sequence[Any]) -> float:
    """Ordinal Gini: how far apart the classes of two rows are, on average (Piccarreta 2008)."""
    place = {label: k for k, label in enumerate(classes)}
    total = weight(part)
    return math.fsum(
        class_weight(part, j) / total * class_weight(part, k) / total * abs(place[j] - place[k])
        for j in labels_of(part)
        for k in labels_of(part)
    )


_IMPURITY_OF_CRITERION: dict[str, Callable[[Part], float]] = {
    "gini": gini,
    "entropy": entropy,
    "misclassification": misclassification,
    "gain_ratio": entropy,  # the gain that is divided by the split information
    "impurity_ratio": entropy,  # H / (weighted impurity) - 1 ranks as the gain does in one node
    "squared_error": variance,
    "absolute_error": absolute_deviation,
    "poisson": poisson_deviance,
    "weighted_squared_error": sse,  # textbook section 3.6: sums, weighted by the shares
    "standard_deviation": standard_deviation,
    "fifth_root": fifth_root,
}
_SCORE_OF_CRITERION: dict[str, Callable[[Sequence[Part]], float]] = {
    "chi2": chi2,
    "twoing": twoing,
    "hellinger": hellinger,
}


def raw_score(parts: Sequence[Part], criterion: str, classes: Sequence[Any] = ()) -> float:
    """What the criterion thinks of these parts; for gain_ratio the gain before division.

    `classes` are all that the target has, in their order, for a criterion that judges by it.
    """
    if criterion == "ordinal_gini":
        return gain(parts, lambda part: mean_distance(part, classes))
    if criterion in _SCORE_OF_CRITERION:
        return _SCORE_OF_CRITERION[criterion](parts)
    return gain(parts, _IMPURITY_OF_CRITERION[criterion])
