"""The memory available to the process."""

from __future__ import annotations

import os
import time
from pathlib import Path

from treewright.control_groups import control_groups

try:
    import resource
except ImportError:  # not Unix
    resource = None  # type: ignore[assignment]

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
    limits = [_free_memory(), _free_addresses(), *map(_left_in_group, control_groups("memory"))]
    return min((limit for limit in limits if limit is not None), default=None)


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


def _free_addresses() -> int | None:
    """Return the bytes of address space left (``ulimit -v``); None where there is no limit."""
    if resource is None:
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return None
    return max(int(limit) - used, 0)


def _left_in_group(group: tuple[Path, int]) -> int | None:
    """Return the bytes left within the limit of a control group; None where there is none."""
    folder, version = group
    names = ("memory.max", "memory.current", "inactive_file")
    if version == 1:
        names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
    try:
        limit = (folder / names[0]).read_text().strip()
        if not limit.isdigit():
            return None
        used = int((folder / names[1]).read_text())
        stat = (folder / "memory.stat").read_text().split()
        # Files that were read stay in memory until somebody needs it.
        cached = int(stat[stat.index(names[2]) + 1]) if names[2] in stat else 0
    except (OSError, ValueError):
        return None
    return max(int(limit) - max(used - cached, 0), 0)
