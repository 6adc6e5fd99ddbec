"""Tables of the shapes that people have: how long forests and trees take, beside scikit-learn.

    python benchmarks/shapes.py                      every shape, if scikit-learn is there beside it
    python benchmarks/shapes.py --shapes gap gaps    some of them
    python benchmarks/shapes.py --trees 10 --threads 1 --repeats 3

Each shape is a table made by a seeded generator; each learner grows on the same rows in turn, and
the least of several repeats counts. A line has both times and their ratio (below 1: treewright is
faster) and the engine that grew the model; the last lines have the median and the worst ratio.
scikit-learn reads no text: it gets the codes of the values, which is less work.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Shape:
    """A made table: rows as both libraries read them, and what `fit` takes beside them."""

    X: Any
    codes: np.ndarray  # for scikit-learn
    y: np.ndarray
    weight: np.ndarray | None = None
    is_numbers: bool = False


def decimals(random: np.random.Generator, n_rows: int, n_columns: int) -> np.ndarray:
    return random.standard_normal((n_rows, n_columns))


def classes_of(X: np.ndarray, random: np.random.Generator, n_classes: int = 2) -> np.ndarray:
    """Return classes that depend on some columns, with noise; missing values count as 0."""
    known = np.nan_to_num(X[:, :4].astype(np.float64))
    score = 1.2 * known[:, 0] * known[:, 1] + np.sin(2 * known[:, 2]) + np.abs(known[:, 3])
    score += random.standard_normal(len(X))
    edges = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return np.searchsorted(edges, score)


def with_gaps(X: np.ndarray, random: np.random.Generator, share: float) -> np.ndarray:
    made = X.copy()
    made[random.random(X.shape) < share] = np.nan
    return made


def plain(random: np.random.Generator) -> Shape:
    X = decimals(random, 50_000, 20)
    return Shape(X, X, classes_of(X, random))


def numbers(random: np.random.Generator) -> Shape:
    X = decimals(random, 50_000, 20)
    y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + random.standard_normal(len(X))
    return Shape(X, X, y, is_numbers=True)


def gap(random: np.random.Generator) -> Shape:
    X = decimals(random, 50_000, 20)
    y = classes_of(X, random)
    X[17, 3] = np.nan
    return Shape(X, X, y)


def gaps(random: np.random.Generator) -> Shape:
    X = decimals(random, 50_000, 20)
    y = classes_of(X, random)
    X = with_gaps(X, random, 0.1)
    return Shape(X, X, y)


def gaps_numbers(random: np.random.Generator) -> Shape:
    made = numbers(random)
    X = with_gaps(made.X, random, 0.1)
    return Shape(X, X, made.y, is_numbers=True)


def binary(random: np.random.Generator) -> Shape:
    X = (random.random((50_000, 100)) < random.uniform(0.05, 0.6, 100)).astype(np.float64)
    return Shape(X, X, classes_of(X @ random.standard_normal((100, 4)), random))


def wide(random: np.random.Generator) -> Shape:
    X = decimals(random, 4_000, 2_000)
    return Shape(X, X, classes_of(X, random))


def counts(random: np.random.Generator) -> Shape:
    X = random.poisson(random.uniform(0.5, 30.0, 29), (50_000, 29)).astype(np.float64)
    return Shape(X, X, classes_of((X - X.mean(axis=0)) / X.std(axis=0), random, 8))


def names(random: np.random.Generator) -> Shape:
    """Three quarters of the columns are text of 10 to 50 values."""
    numeric = decimals(random, 50_000, 11)
    codes = np.column_stack([random.integers(0, n, 50_000) for n in random.integers(10, 51, 30)])
    effect = random.standard_normal(50)
    y = classes_of(np.column_stack([numeric[:, :2], effect[codes[:, :2]]]), random)
    words = np.array([f"value {i}" for i in range(50)])
    table = {f"x{i}": numeric[:, i] for i in range(11)}
    table.update({f"t{i}": words[codes[:, i]] for i in range(30)})
    return Shape(table, np.column_stack([numeric, codes]), y)


def text(random: np.random.Generator) -> Shape:
    """Half of the columns are text of 20 values."""
    numeric = decimals(random, 50_000, 10)
    codes = random.integers(0, 20, (50_000, 10))
    effect = random.standard_normal(20)
    y = classes_of(np.column_stack([numeric[:, :2], effect[codes[:, :2]]]), random)
    words = np.array([f"value {i}" for i in range(20)])
    table = {f"x{i}": numeric[:, i] for i in range(10)}
    table.update({f"t{i}": words[codes[:, i]] for i in range(10)})
    return Shape(table, np.column_stack([numeric, codes]), y)


def weights(random: np.random.Generator) -> Shape:
    made = plain(random)
    return Shape(made.X, made.X, made.y, weight=random.uniform(0.5, 2.0, len(made.y)))


def many_classes(random: np.random.Generator) -> Shape:
    X = decimals(random, 50_000, 20)
    return Shape(X, X, classes_of(X, random, 30))


def rare_class(random: np.random.Generator) -> Shape:
    X = decimals(random, 50_000, 20)
    likely = X[:, 0] + X[:, 1] + 0.5 * random.standard_normal(len(X))
    return Shape(X, X, (likely > np.quantile(likely, 0.99)).astype(np.int64))


SHAPES: dict[str, Callable[[np.random.Generator], Shape]] = {
    "plain": plain,
    "numbers": numbers,
    "gap": gap,
    "gaps": gaps,
    "gaps_numbers": gaps_numbers,
    "binary": binary,
    "wide": wide,
    "counts": counts,
    "text": text,
    "names": names,
    "weights": weights,
    "many_classes": many_classes,
    "rare_class": rare_class,
}
# On a busy machine the seconds of the processor are firmer; with one thread they are the time.
CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}
LEARNERS = ("RandomForest", "ExtraTrees", "DecisionTree")


def made_by(library: Any, learner: str, shape: Shape, n_trees: int, n_threads: int) -> Any:
    """Return an estimator of a library with the same settings in both."""
    kind = getattr(library, learner + ("Regressor" if shape.is_numbers else "Classifier"))
    if learner == "DecisionTree":
        return kind(random_state=0)
    return kind(n_trees, n_jobs=n_threads, random_state=0)


def race(
    shape: Shape,
    contenders: list[tuple[Callable[[], Any], Any]],
    repeats: int,
    clock: Callable[[], float],
) -> Any:
    """Return the least seconds of each contender, which fit in turn, and the first one's model."""
    least = [np.inf] * len(contenders)
    first = None
    for _ in range(repeats):
        for i, (make, X) in enumerate(contenders):
            start = clock()
            model = make().fit(X, shape.y, sample_weight=shape.weight)
            least[i] = min(least[i], clock() - start)
            first = model if i == 0 else first
    return least, first


def engine_of(model: Any) -> str:
    return str((model.ensemble_ if hasattr(model, "ensemble_") else model.tree_).engine)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", nargs="*", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--learners", nargs="*", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--trees", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall")
    arguments = parser.parse_args()

    import treewright

    peers = None
    if find_spec("sklearn"):
        from sklearn import ensemble, tree

        peers = argparse.Namespace(**vars(ensemble), **{k: vars(tree)[k] for k in tree.__all__})
    print(f"{arguments.trees} trees, {arguments.threads} threads, least of {arguments.repeats}")
    print(f"{'shape':14}{'learner':14}{'engine':12}{'ours s':>8}{'theirs':>8}{'ratio':>7}")
    ratios: dict[str, float] = {}
    for name in arguments.shapes:
        shape = SHAPES[name](np.random.default_rng(0))
        for learner in arguments.learners:
            make = partial(
                made_by,
                learner=learner,
                shape=shape,
                n_trees=arguments.trees,
                n_threads=arguments.threads,
            )
            contenders = [(partial(make, treewright), shape.X)]
            if peers is not None:
                contenders.append((partial(make, peers), shape.codes))
            least, model = race(shape, contenders, arguments.repeats, CLOCKS[arguments.clock])
            line = f"{name:14}{learner:14}{engine_of(model):12}{least[0]:8.2f}"
            if peers is not None:
                ratios[f"{name}, {learner}"] = least[0] / least[1]
                line += f"{least[1]:8.2f}{least[0] / least[1]:7.2f}"
            print(line, flush=True)
    if ratios:
        worst = max(ratios, key=lambda name: ratios[name])
        print(f"median {np.median(list(ratios.values())):.2f}, worst {ratios[worst]:.2f} ({worst})")


if __name__ == "__main__":
    main()
