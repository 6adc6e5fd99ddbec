"""What every test relies on."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent

# A shell that starts the tests in the background has them ignore Ctrl-C; some tests press it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def groups_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put this process into control groups: what it says of its own, and their files."""

    def put(own: str | None, files: dict[str, str]) -> None:
        for name, text in files.items():
            (tmp_path / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "groups" / name).write_text(text)
        if own is not None:
            (tmp_path / "own").write_text(own)
        monkeypatch.setattr("treewright.control_groups._ROOT", tmp_path / "groups")
        monkeypatch.setattr("treewright.control_groups._OWN", tmp_path / "own")

    return put


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let go of models that are parameters of tests, and were fitted there: pytest keeps them."""
    for item in getattr(session, "items", ()):
        for mark in item.iter_markers(name="parametrize"):
            if isinstance(mark.args[1], list):
                mark.args[1].clear()
        if hasattr(item, "callspec"):
            item.callspec.params.clear()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Let go of models that test modules hold, so that the core's leak check has nothing to say.

    The interpreter never clears these modules (pytest still refers to them when it ends), and
    nanobind would report every object of the core that one of them has at its top level.
    """
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        is_test = file is not None and HERE in Path(file).parents
        if is_test and vars(module) is not globals():
            vars(module).clear()
    gc.collect()
