"""A file is replaced as a whole or not at all: killed, full, forbidden or contested."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from treewright.errors import ModelFileError
from treewright.state.atomic import write_whole

_WRITE_FOR_EVER = """
import sys
from pathlib import Path
from treewright.state.atomic import write_whole
path, mark = Path(sys.argv[1]), sys.argv[2].encode()
print("ready", flush=True)
while True:
    write_whole(path, [mark * 200_000, mark * 200_000])
"""


def writer(path: Path, mark: str) -> subprocess.Popen[str]:
    started = subprocess.Popen(
        [sys.executable, "-c", _WRITE_FOR_EVER, str(path), mark],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert started.stdout is not None
    assert started.stdout.readline() == "ready\n"
    return started


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_a_kill_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "model.tw"
    path.write_bytes(b"o" * 400_000)
    for delay in (0.0, 0.003, 0.011, 0.02):
        started = writer(path, "n")
        time.sleep(delay)
        started.kill()
        started.communicate()
        assert path.read_bytes() in (b"o" * 400_000, b"n" * 400_000)
    write_whole(path, [b"whole"])
    assert path.read_bytes() == b"whole"


def test_two_writers_leave_no_mixture(tmp_path: Path) -> None:
    path = tmp_path / "model.tw"
    write_whole(path, [b"a" * 400_000])
    writers = [writer(path, mark) for mark in "ab"]
    try:
        seen = set()
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            content = path.read_bytes()
            assert content in (b"a" * 400_000, b"b" * 400_000)
            seen.add(content[:1])
    finally:
        for each in writers:
            each.kill()
            each.communicate()
    assert seen == {b"a", b"b"}


@pytest.mark.parametrize("where", ["write", "fsync", "replace"])
def test_a_full_disk_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    path = tmp_path / "model.tw"
    path.write_bytes(b"old")

    def full(*_given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def pieces() -> object:
        yield b"new"
        if where == "write":
            full()

    if where != "write":
        monkeypatch.setattr(os, where, full)
    with pytest.raises(ModelFileError) as told:
        write_whole(path, pieces())  # type: ignore[arg-type]
    assert "model.tw cannot be written: No space left on device. What was there is as it" in str(
        told.value
    )
    assert "Hint: free some space, or save on another disk." in str(told.value)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "model.tw"
    path.write_bytes(b"old")

    def pieces() -> object:
        yield b"new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, pieces())  # type: ignore[arg-type]
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"Hint: make the folder first"):
        write_whole(tmp_path / "none" / "model.tw", [b"x"])
    with pytest.raises(OSError, match="cannot be written"):
        write_whole(tmp_path, [b"x"])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_that_is_closed_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ModelFileError, match=r"Hint: save in a folder that you may write to"):
            write_whole(tmp_path / "model.tw", [b"x"])
    finally:
        tmp_path.chmod(0o700)


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "model.tw", tmp_path / "link.tw"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, [b"new"])
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_whole(tmp_path / "model.tw", [b"new"])
    finally:
        os.umask(mask)
    assert (tmp_path / "model.tw").stat().st_mode & 0o777 == 0o640
