"""Tables of the shapes that people have: how long trees and ensembles take, beside their peers.

    make bench                                     a tenth of the full size, installed peers
    python benchmarks/shapes.py --scale 1          the full size: hours
    python benchmarks/shapes.py --shapes gap gaps --tasks RandomForest
    python benchmarks/shapes.py --trees 10 --threads 1 --repeats 3 --clock processor
    python benchmarks/shapes.py --real --tasks RandomForest     the shared tables over 5,000 rows

Each shape is a table made by a seeded generator (`shape_tables.py`); each library fits the same
rows in turn, or predicts them, and the least of several repeats counts. Peers are those of
scikit-learn, sklearnex, LightGBM (also with quantised gradients) and XGBoost that are installed. A
line has our time, that of the fastest peer, their ratio (below 1: treewright is faster), the peer,
and the engine that grew the model; the last lines have the median and the worst ratio of each task.
Peers that read no text get the codes of the values, which is less work.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from shape_tables import SHAPES, Shape, of_real
from tables import tables

# On a busy machine the seconds of the processor are firmer; with one thread they are the time.
CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}
GROWN = ("DecisionTree", "RandomForest", "ExtraTrees")
TASKS = (*GROWN, "GradientBoosting", "predict")
OURS = "treewright"
LEAST_ROWS_OF_REAL = 5_000


class Contender:
    """A library's estimator for a task, and the rows as it reads them."""

    def __init__(self, library: str, make: Callable[[], Any], shape: Shape) -> None:
        self.library = library
        self.make = make
        self.shape = shape
        self.X = shape.X if library == OURS else shape.codes
        self.model: Any = None

    def fit(self) -> None:
        self.model = self.make().fit(self.X, self.shape.y, sample_weight=self.shape.weight)

    def predict(self) -> None:
        self.model.predict(self.X)


def grower(library: Any, task: str, shape: Shape, n_trees: int, n_threads: int) -> Any:
    """Return an estimator with the same settings in every library."""
    kind = getattr(library, task + ("Regressor" if shape.is_numbers else "Classifier"))
    if task == "DecisionTree":
        return kind(random_state=0, **shape.options)
    return kind(n_trees, n_jobs=n_threads, random_state=0, **shape.options)


def booster(
    library: Any, name: str, shape: Shape, n_rounds: int, n_threads: int, **more: Any
) -> Any:
    """Return a booster of the same rounds, learning rate and leaves, without early stopping."""
    kind = getattr(library, name + ("Regressor" if shape.is_numbers else "Classifier"))
    if name == "HistGradientBoosting":
        return kind(max_iter=n_rounds, early_stopping=False, random_state=0)
    settings: dict[str, Any] = {"learning_rate": 0.1, "random_state": 0, "n_jobs": n_threads}
    settings.update(n_estimators=n_rounds, **more)
    if name == "LGBM":
        settings["verbose"] = -1
    elif name == "XGB":
        settings.update(grow_policy="lossguide", max_leaves=31, max_depth=0)
    else:
        settings.update(max_leaf_nodes=31, early_stopping=False)
    return kind(**settings)


def contenders(task: str, shape: Shape, n_trees: int, n_threads: int) -> list[Contender]:
    """Return treewright and the installed peers that have the task."""
    import treewright

    made: list[Contender] = []

    def add(library: str, make: Callable[[], Any]) -> None:
        made.append(Contender(library, make, shape))

    if task == "GradientBoosting":
        add(OURS, partial(booster, treewright, task, shape, n_trees, n_threads))
        for module, name in (
            ("sklearn.ensemble", "HistGradientBoosting"),
            ("lightgbm", "LGBM"),
            ("xgboost", "XGB"),
        ):
            if find_spec(module.partition(".")[0]):
                library = __import__(module, fromlist=["*"])
                add(module, partial(booster, library, name, shape, n_trees, n_threads))
        if find_spec("lightgbm"):
            library = __import__("lightgbm")
            coarse = partial(booster, library, "LGBM", use_quantized_grad=True)
            add("lightgbm quantised", partial(coarse, shape, n_trees, n_threads))
        return made
    grown = "RandomForest" if task == "predict" else task
    add(OURS, partial(grower, treewright, grown, shape, n_trees, n_threads))
    folder = "tree" if task == "DecisionTree" else "ensemble"
    for package in ("sklearn", "sklearnex"):
        if find_spec(package) and not (package == "sklearnex" and grown == "DecisionTree"):
            library = __import__(f"{package}.{folder}", fromlist=["*"])
            add(package, partial(grower, library, grown, shape, n_trees, n_threads))
    return made


def race(
    runners: list[Contender], task: str, repeats: int, clock: Callable[[], float]
) -> dict[str, float]:
    """Return the least seconds of each contender, who run in turn."""
    least = {runner.library: np.inf for runner in runners}
    for runner in runners if task == "predict" else ():
        runner.fit()
    for _ in range(repeats):
        for runner in runners:
            run = runner.predict if task == "predict" else runner.fit
            start = clock()
            run()
            least[runner.library] = min(least[runner.library], clock() - start)
    return least


def engine_of(model: Any) -> str:
    for name in ("ensemble_", "tree_"):
        if hasattr(model, name):
            return str(getattr(getattr(model, name), "engine", "histogram"))
    return ""


def line_of(name: str, task: str, runners: list[Contender], least: dict[str, float]) -> str:
    """Return the line of a race."""
    line = f"{name:17}{task:17}{engine_of(runners[0].model):11}{least[OURS]:9.3f}"
    peers = {library: seconds for library, seconds in least.items() if library != OURS}
    if peers:
        fastest = min(peers, key=lambda library: peers[library])
        line += f"{peers[fastest]:9.3f}{least[OURS] / peers[fastest]:7.2f}  {fastest}"
    return line


def made_tables(arguments: argparse.Namespace) -> Iterator[tuple[str, Shape]]:
    for name in arguments.shapes:
        yield name, SHAPES[name](np.random.default_rng(0), arguments.scale)


def real_tables() -> Iterator[tuple[str, Shape]]:
    for table in tables([], 10**9):
        if len(table.y) > LEAST_ROWS_OF_REAL:
            yield table.name, of_real(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", nargs="*", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--tasks", nargs="*", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--scale", type=float, default=0.1, help="of the full number of rows")
    parser.add_argument("--trees", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall")
    parser.add_argument("--real", action="store_true", help="the shared tables instead, whole")
    arguments = parser.parse_args()
    size = "real tables" if arguments.real else f"{arguments.scale:g} of the full size"
    print(
        f"{size}, {arguments.trees} trees or rounds,"
        f" {arguments.threads} threads, least of {arguments.repeats} ({arguments.clock} seconds)"
    )
    print(f"{'shape':17}{'task':17}{'engine':11}{'ours s':>9}{'peer s':>9}{'ratio':>7}")
    ratios: dict[str, dict[str, float]] = defaultdict(dict)
    for name, shape in real_tables() if arguments.real else made_tables(arguments):
        for task in arguments.tasks:
            runners = contenders(task, shape, arguments.trees, arguments.threads)
            least = race(runners, task, arguments.repeats, CLOCKS[arguments.clock])
            print(line_of(name, task, runners, least), flush=True)
            if len(least) > 1:
                ours = least.pop(OURS)
                ratios[task][name] = ours / min(least.values())
    for task, of_shape in ratios.items():
        worst = max(of_shape, key=lambda name: of_shape[name])
        median = np.median(list(of_shape.values()))
        print(f"{task}: median {median:.2f}, worst {of_shape[worst]:.2f} ({worst})")


if __name__ == "__main__":
    main()
