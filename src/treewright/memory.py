"""The memory available to the process."""

from __future__ import annotations

import os
import time
from pathlib import Path

# Reading what the system tells takes a tenth of a tiny fit, which asks twice. So long it is kept:
# within it a process takes a few hundred megabytes at most.
_KEPT_SECONDS = 0.05
_last: tuple[float, int | None] | None = None


def available_memory() -> int | None:
    """Return the bytes that can still be allocated; None where the system does not tell.

    >>> memory = available_memory()
    >>> memory is None or memory > 0
    True
    """
    global _last
    now = time.monotonic()
    if _last is None or not 0.0 <= now - _last[0] < _KEPT_SECONDS:
        _last = (now, _read())
    return _last[1]


def _read() -> int | None:
    limits = [limit for limit in (_free_memory(), _control_group_memory()) if limit is not None]
    return min(limits) if limits else None


def _free_memory() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # neither Linux nor Unix
        return None


def _control_group_memory() -> int | None:
    """Return the bytes left within a container's limit; None where there is none."""
    folder = Path("/sys/fs/cgroup")
    try:
        limit = (folder / "memory.max").read_text().strip()
        used = int((folder / "memory.current").read_text())
    except (OSError, ValueError):
        return None
    return max(int(limit) - used, 0) if limit.isdigit() else None
