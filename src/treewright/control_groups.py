"""The control groups of this process: what a container may use of its machine."""

from __future__ import annotations

from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
"""Where the groups are mounted, of version 1 or 2."""
_OWN = Path("/proc/self/cgroup")
"""Names the groups of this process."""


def control_groups(controller: str) -> list[tuple[Path, int]]:
    """Return the folders of the groups that limit this process, with the version of their files.

    Groups are nested: from the own one up to the root, of which each may set a limit.

    Parameters
    ----------
    controller
        What is limited: ``"cpu"`` or ``"memory"``.
    """
    try:
        lines = _OWN.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return []
    found: list[tuple[Path, int]] = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            base, version = _ROOT, 2
        elif controller in controllers.split(","):
            base, version = _ROOT / controllers, 1
            if not base.exists():
                base = _ROOT / controller
        else:
            continue
        # Inside a container the path may be that of the host, which is not mounted there.
        parts = Path(path.lstrip("/"))
        found += [(base / group, version) for group in (parts, *parts.parents)]
    return found
