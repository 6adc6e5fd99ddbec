"""A thread pool for trees that the core cannot grow in one call: each is made on its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

from treewright.grow.fit import Report
from treewright.grow.problem import Problem
from treewright.tree.tree import Tree

Grower = Callable[[Problem, Report | None], Tree]
"""Make the tree of a problem, as a single-tree estimator does: grow, prune, fit models."""
_LOOK_UP_S = 0.05
_Made = TypeVar("_Made")


class _StoppedError(Exception):
    """Raised in a tree whose result is no longer needed: another failed, or Ctrl-C was pressed."""


def grow_in_thread_pool(
    problem_of: Callable[[int], Problem],
    numbers: range,
    grow: Grower,
    *,
    n_threads: int = 1,
    report: Report | None = None,
) -> list[Tree]:
    """Return the trees of these numbers, in their order; several are made at a time.

    Parameters
    ----------
    problem_of
        Returns the problem that the tree of a number is grown from.
    numbers
        The numbers of the trees.
    grow
        Makes a tree. Most of its time is spent in the core, where threads run side by side.
    n_threads
        Trees made at a time.
    report
        Called with the number of rows placed so far in all trees.
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
            return [result_of(job) for job in jobs]  # the first tree's error wins
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def result_of(job: Future[_Made]) -> _Made:
    """Return the result of a job; wait in short steps, so that Ctrl-C is noticed."""
    while not job.done():
        wait([job], timeout=_LOOK_UP_S)
    return job.result()


def bare(tree: Tree) -> Tree:
    """Return a tree without its training rows and pruning record, to save memory."""
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
