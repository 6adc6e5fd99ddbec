"""Trees of a forest that do more than grow: each is made on its own, several at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

from treewright.grow.fit import Report
from treewright.grow.problem import Problem
from treewright.tree.tree import Tree

Grower = Callable[[Problem, Report | None], Tree]
"""Makes the tree of a problem, such as the one of an estimator: grows, prunes, fits models."""
_LOOK_UP_S = 0.05
_Made = TypeVar("_Made")


class _StoppedError(Exception):
    """Another tree failed, or the user pressed Ctrl-C: nobody waits for this one."""


def grow_one_by_one(
    problem_of: Callable[[int], Problem],
    numbers: range,
    grow: Grower,
    *,
    n_threads: int = 1,
    report: Report | None = None,
) -> list[Tree]:
    """Make the trees of these numbers, in their order.

    Parameters
    ----------
    problem_of
        Gives what the tree of a number is made from.
    numbers
        The trees.
    grow
        Makes a tree. Most of its time is spent in the core, where threads run side by side.
    n_threads
        Trees made at a time.
    report
        Told how many rows have been placed in all trees.
    """
    stop = threading.Event()
    placed = dict.fromkeys(numbers, 0)

    def make(number: int) -> Tree:
        def told(n_done: int) -> None:
            if stop.is_set():
                raise _StoppedError
            placed[number] = n_done
            if report is not None:
                report(sum(placed.values()))

        return bare(grow(problem_of(number), told))

    if n_threads == 1 or len(numbers) == 1:
        return [make(number) for number in numbers]
    with ThreadPoolExecutor(min(n_threads, len(numbers))) as pool:
        jobs = [pool.submit(make, number) for number in numbers]
        try:
            return [result_of(job) for job in jobs]  # of several errors that of the first tree
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def result_of(job: Future[_Made]) -> _Made:
    """Wait for a job; looking up now and then, as a wait without end might not notice Ctrl-C."""
    while not job.done():
        wait([job], timeout=_LOOK_UP_S)
    return job.result()


def bare(tree: Tree) -> Tree:
    """Return a tree without training rows and pruning record: a forest has many."""
    return Tree(
        arrays=tree.arrays,
        schema=tree.schema,
        classes=tree.classes,
        criterion=tree.criterion,
        combine=tree.combine,
        unseen=tree.unseen,
        leaf=tree.leaf,
        linear=tree.linear,
    )
