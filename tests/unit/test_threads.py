"""How many threads work pays for."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from joblib import Parallel, delayed

from treewright.threads import WORK_THAT_PAYS, cgroup_quota, n_processors, n_threads

LARGE = 100 * WORK_THAT_PAYS


@pytest.fixture(autouse=True)
def no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


@pytest.mark.parametrize(
    ("own", "files", "expected"),
    [
        ("0::/a/b", {"a/b/cpu.max": "max 100000", "cpu.max": "max 100000"}, None),
        ("0::/a/b", {"a/b/cpu.max": "150000 100000"}, 2),
        ("0::/a/b", {"a/b/cpu.max": "max 100000", "a/cpu.max": "100000 100000"}, 1),
        ("0::/", {"cpu.max": "50000 100000"}, 1),
        ("0::/../../host/path", {"cpu.max": "400000 100000"}, 4),
        ("0::/a", {"a/cpu.max": "nonsense"}, None),
        (
            "4:cpu,cpuacct:/docker/x\n3:memory:/docker/x",
            {"cpu/cpu.cfs_quota_us": "300000", "cpu/cpu.cfs_period_us": "100000"},
            3,
        ),
        (
            "4:cpu:/d",
            {"cpu/d/cpu.cfs_quota_us": "-1", "cpu/d/cpu.cfs_period_us": "100000"},
            None,
        ),
    ],
)
def test_the_quota_of_a_container_counts(
    groups_of: Callable[..., None], own: str, files: dict[str, str], expected: int | None
) -> None:
    groups_of(own, files)
    assert cgroup_quota.__wrapped__() == expected


def test_without_control_groups_there_is_no_quota(groups_of: Callable[..., None]) -> None:
    groups_of(None, {})
    assert cgroup_quota.__wrapped__() is None


def test_all_processors_are_those_of_the_quota(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewright.threads.cgroup_quota", lambda: 1)
    assert n_processors() == 1
    assert n_threads(-1) == 1
    assert n_threads(None, LARGE) == 1


def test_none_is_as_many_as_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    assert n_threads(None, WORK_THAT_PAYS - 1) == 1
    assert n_threads(None, LARGE) == n_processors()
    monkeypatch.setenv("OMP_NUM_THREADS", "1,2")
    assert n_threads(None, LARGE) == 1
    assert n_threads(3, 0) == 3


def in_worker(_: int = 0) -> int:
    return n_threads(None, LARGE)


def test_a_worker_of_another_pool_takes_one_thread() -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(in_worker()))
    thread.start()
    thread.join()
    assert found == [1]
    assert Parallel(n_jobs=2, backend="threading")(delayed(in_worker)() for _ in range(2)) == [1, 1]


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="needs two processors to tell")
def test_a_process_of_another_pool_takes_one_thread() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(n_threads_of_large_work, range(2))) == [1, 1]
    assert Parallel(n_jobs=2)(delayed(n_threads_of_large_work)(i) for i in range(2)) == [1, 1]


def n_threads_of_large_work(_: int) -> int:
    from treewright.threads import n_threads as threads

    return threads(None, LARGE)
