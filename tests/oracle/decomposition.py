"""Bias and variance as the papers write them, one row and one pair of samples at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Domingos:
    """Means over the rows of the parts of 0-1 loss (Domingos 2000)."""

    error: Fraction
    noise: Fraction
    bias: Fraction
    unbiased_variance: Fraction
    biased_variance: Fraction


def domingos(
    predictions: Sequence[Sequence[Any]], target: Sequence[Any], optimal: Sequence[Any]
) -> Domingos:
    """Return the parts; noise is c1 N(x), with c1 as theorem 4 has it for any number of classes."""
    n_rows, n_samples = len(target), len(predictions)
    sums = [Fraction(0)] * 5
    for row in range(n_rows):
        answers = [sample[row] for sample in predictions]
        main = min(set(answers), key=lambda each: (-answers.count(each), each))
        is_best = Fraction(answers.count(optimal[row]), n_samples)
        wrong = Fraction(sum(each != target[row] for each in answers), n_samples)
        noise = Fraction(0)
        if target[row] != optimal[row]:
            others = [each for each in answers if each != optimal[row]]
            hits = Fraction(others.count(target[row]), len(others)) if others else Fraction(0)
            noise = is_best - (1 - is_best) * hits
        differs = [each for each in answers if each != main]
        variance = Fraction(len(differs), n_samples)
        unbiased = biased = Fraction(0)
        if main == optimal[row]:
            unbiased = variance
        elif differs:
            # c2 = -P(y = y* | y != main)
            biased = Fraction(differs.count(optimal[row]), len(differs)) * variance
        parts = (wrong, noise, Fraction(main != optimal[row]), unbiased, biased)
        sums = [total + part for total, part in zip(sums, parts, strict=True)]
    return Domingos(*(total / n_rows for total in sums))


def kohavi_wolpert(
    predictions: Sequence[Sequence[Any]], target: Sequence[Any]
) -> tuple[Fraction, Fraction]:
    """Return bias² and variance of Kohavi and Wolpert 1996.

    The variance of a row is the chance that two models, drawn from the samples with replacement,
    answer differently, halved; the sum over classes is written out for the bias.
    """
    n_samples = len(predictions)
    bias = variance = Fraction(0)
    for row, truth in enumerate(target):
        answers = [sample[row] for sample in predictions]
        for label in {*answers, truth}:
            gap = Fraction(int(label == truth)) - Fraction(answers.count(label), n_samples)
            bias += gap**2 / 2
        pairs = sum(one != two for one in answers for two in answers)
        variance += Fraction(pairs, 2 * n_samples**2)
    return bias / len(target), variance / len(target)


def squared(
    predictions: Sequence[Sequence[float]], target: Sequence[float]
) -> tuple[float, float, float]:
    """Return mean squared error, mean squared bias and mean variance."""
    n_rows, n_samples = len(target), len(predictions)
    error = bias = variance = 0.0
    for row in range(n_rows):
        answers = [sample[row] for sample in predictions]
        mean = sum(answers) / n_samples
        error += sum((each - target[row]) ** 2 for each in answers) / n_samples
        bias += (mean - target[row]) ** 2
        variance += sum((each - mean) ** 2 for each in answers) / n_samples
    return error / n_rows, bias / n_rows, variance / n_rows
