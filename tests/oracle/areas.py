"""The area under the ROC curve and DeLong's covariance, pair by pair from their definitions."""

from collections.abc import Sequence


def _pair(positive: float, negative: float) -> float:
    return 1.0 if positive > negative else 0.5 if positive == negative else 0.0


def area(is_positive: Sequence[bool], scores: Sequence[float]) -> float:
    positive = [score for score, is_one in zip(scores, is_positive, strict=True) if is_one]
    negative = [score for score, is_one in zip(scores, is_positive, strict=True) if not is_one]
    return sum(_pair(x, y) for x in positive for y in negative) / len(positive) / len(negative)


def covariance(
    is_positive: Sequence[bool], first: Sequence[float], second: Sequence[float]
) -> float:
    """DeLong, DeLong and Clarke-Pearson 1988, equation 5; of one learner where both are alike."""
    rows = range(len(is_positive))
    ones = [row for row in rows if is_positive[row]]
    others = [row for row in rows if not is_positive[row]]
    total = 0.0
    for here, there in ((ones, others), (others, ones)):
        products = 0.0
        for row in here:
            deviations = []
            for scores in (first, second):
                if here is ones:
                    wins = [_pair(scores[row], scores[other]) for other in there]
                else:
                    wins = [_pair(scores[other], scores[row]) for other in there]
                deviations.append(sum(wins) / len(there) - area(is_positive, scores))
            products += deviations[0] * deviations[1]
        total += products / (len(here) - 1) / len(here)
    return total
