"""Jobs side by side on threads, which Ctrl-C ends together."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from threadpoolctl import threadpool_limits

from treewright.threads import n_processors

_SECONDS_BETWEEN = 0.1

Done = TypeVar("Done")


def side_by_side(jobs: Sequence[Callable[[], Done]], n_workers: int) -> Iterator[Done]:
    """Yield what the jobs return, as they end; on Ctrl-C those that are running end too.

    An exception of a job ends the others and is raised.

    >>> sorted(side_by_side([lambda: 1, lambda: 2], 2))
    [1, 2]
    """
    started: set[int] = set()

    def limited(job: Callable[[], Done]) -> Done:
        # The limit holds for the calling thread, so it is set in each. Setting it is not stopped.
        with threadpool_limits(max(1, n_processors() // n_workers)):
            started.add(threading.get_ident())
            try:
                return job()
            finally:
                started.discard(threading.get_ident())

    pool = ThreadPoolExecutor(n_workers, thread_name_prefix="treewright")
    pending: set[Future[Done]] = {pool.submit(limited, job) for job in jobs}
    try:
        while pending:
            ended, pending = wait(pending, timeout=_SECONDS_BETWEEN, return_when=FIRST_COMPLETED)
            for future in ended:
                yield future.result()
        pool.shutdown()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for thread in list(started):  # raised there at its next Python instruction
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt)
            )
        raise
