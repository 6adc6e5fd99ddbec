"""How much memory this process can still have."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from treewright import memory

GB = 2**30


@pytest.fixture
def much_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_free_memory", lambda: 100 * GB)
    monkeypatch.setattr(memory, "_free_addresses", lambda: None)


@pytest.mark.usefixtures("much_is_free")
@pytest.mark.parametrize(
    ("own", "files", "expected"),
    [
        ("0::/", {"memory.max": "max", "memory.current": "5"}, 100 * GB),
        ("0::/", {"memory.max": f"{3 * GB}", "memory.current": f"{GB}", "memory.stat": ""}, 2 * GB),
        (  # the outer of two groups; what was read from files is given back
            "0::/a/b",
            {
                "a/b/memory.max": "max",
                "a/memory.max": f"{4 * GB}",
                "a/memory.current": f"{3 * GB}",
                "a/memory.stat": f"anon 5\ninactive_file {2 * GB}\n",
            },
            3 * GB,
        ),
        (
            "4:memory:/docker/x",
            {
                "memory/memory.limit_in_bytes": f"{2 * GB}",
                "memory/memory.usage_in_bytes": f"{GB}",
                "memory/memory.stat": "inactive_file 1\ntotal_inactive_file 512\n",
            },
            GB + 512,
        ),
        ("0::/", {"memory.max": "1", "memory.current": "nonsense"}, 100 * GB),
    ],
)
def test_the_limit_of_a_container_counts(
    groups_of: Callable[..., None], own: str, files: dict[str, str], expected: int
) -> None:
    groups_of(own, files)
    assert memory._read() == expected


@pytest.mark.skipif(sys.platform != "linux", reason="the address space as Linux tells it")
def test_the_limit_of_addresses_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """``ulimit -v``."""
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (10**6 * GB, 10**6 * GB))
    left = memory._free_addresses()
    assert left is not None
    assert 0 < left < 10**6 * GB
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1000, 1000))
    assert memory._free_addresses() == 0
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY,) * 2)
    assert memory._free_addresses() is None
