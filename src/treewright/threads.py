"""How many threads work pays for: those this process may use, and fewer for small work.

A model does not depend on the number of threads, so that ``n_jobs=None`` may mean as many as pay.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from treewright.control_groups import control_groups
from treewright.errors import ParameterError
from treewright.parameters import is_whole

if TYPE_CHECKING:
    from pathlib import Path

WORK_THAT_PAYS = 200_000
"""Cells (rows x columns, or rows x trees) from which a second thread pays for its start: they take
a few milliseconds, a team of threads less than a tenth of one."""
_MOST_THREADS = 1024


def n_threads(n_jobs: Any, work: float = 0) -> int:
    """Return the number of threads: -1 is all processors, -2 all but one, and so on.

    None is as many as pay: all processors for large work, but no more than ``OMP_NUM_THREADS``, and
    one for small work or inside a worker of somebody else's pool, whose other workers have the
    other processors.

    Parameters
    ----------
    n_jobs
        As the user has given it.
    work
        Cells that are read: rows x columns, or rows x trees.
    """
    if n_jobs is None:
        if work < WORK_THAT_PAYS or _is_worker():
            return 1
        return min(n_processors(), _limit_of_environment())
    if not is_whole(n_jobs) or n_jobs == 0:
        raise ParameterError(f"n_jobs={n_jobs!r} must be a whole number other than 0, or None.")
    if n_jobs > 0:
        return min(int(n_jobs), _MOST_THREADS)
    return max(1, n_processors() + 1 + int(n_jobs))


def n_processors() -> int:
    """Return the number of processors this process may use.

    Those of its affinity mask, or of the quota of its control group (of a container) if that is
    less: more threads than the quota would be stopped for most of the time.
    """
    if hasattr(os, "sched_getaffinity"):  # Linux
        n_allowed = len(os.sched_getaffinity(0))
    else:
        n_allowed = os.cpu_count() or 1
    quota = cgroup_quota()
    return n_allowed if quota is None else max(1, min(n_allowed, quota))


@lru_cache(maxsize=1)
def cgroup_quota() -> int | None:
    """Return the processors that the control groups of this process allow, rounded up, or None."""
    read = {1: _quota_of_version_1, 2: _quota_of_version_2}
    found = [read[version](group) for group, version in control_groups("cpu")]
    quotas = [quota for quota in found if quota is not None]
    return None if not quotas else max(1, -int(-min(quotas) // 1))


def _quota_of_version_2(group: Path) -> float | None:
    try:
        quota, period = (group / "cpu.max").read_text(encoding="ascii").split()
        return None if quota == "max" else int(quota) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return None


def _quota_of_version_1(group: Path) -> float | None:
    try:
        quota = int((group / "cpu.cfs_quota_us").read_text(encoding="ascii"))
        period = int((group / "cpu.cfs_period_us").read_text(encoding="ascii"))
        return quota / period if quota > 0 else None
    except (OSError, ValueError, ZeroDivisionError):
        return None


def _is_worker() -> bool:
    """Return whether this is a thread or process that somebody else has started for parallel work.

    Processes of multiprocessing, concurrent.futures, loky (joblib) and dask all have a name other
    than the main one's.
    """
    if threading.current_thread() is not threading.main_thread():
        return True
    return multiprocessing.current_process().name != "MainProcess"


def _limit_of_environment() -> int:
    given = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(given) if given.isdecimal() and int(given) > 0 else _MOST_THREADS
