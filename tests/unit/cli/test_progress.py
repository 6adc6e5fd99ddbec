"""Progress: one line at a time, whoever knows how far the work is."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import pytest

import treewright as tw
from treewright.cli import progress
from treewright.cli.progress import Working
from treewright.cli.screen.screen import Screen
from treewright.cli.session import Session
from treewright.progress import has_listener, show


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextmanager
def at_terminal() -> Iterator[Terminal]:
    """Standard error as a terminal at which progress begins at once."""
    seen = Terminal()
    with (
        mock.patch.object(sys, "stderr", seen),
        mock.patch.object(progress, "_SILENT", 0.01),
        mock.patch.object(progress, "_BETWEEN", 0.01),
    ):
        yield seen


def session(**flags: bool) -> Session:
    return Session(command="fit", screen=Screen(), side=Screen(), **flags)


def until(terminal: Terminal, text: str) -> None:
    end = time.monotonic() + 20
    while text not in terminal.getvalue() and time.monotonic() < end:
        time.sleep(0.01)


def test_what_the_library_says_replaces_what_was_said() -> None:
    with at_terminal() as terminal, Working(session(), "judging, 10-fold cross-validation"):
        until(terminal, "judging")
        show("fold 7 of 10 · 0:12 left")
        until(terminal, "fold 7")
    lines = terminal.getvalue().split("\r")
    assert "judging, 10-fold cross-validation · 0:00" in lines
    assert "fold 7 of 10 · 0:12 left" in [line.strip() for line in lines]
    assert lines[-2:] == [" " * 40, ""]  # it is gone when all is done
    assert not has_listener()


@pytest.mark.parametrize("flag", ["quiet", "json"])
def test_a_quiet_call_shows_nothing_of_the_library_either(flag: str) -> None:
    with at_terminal() as terminal, Working(session(**{flag: True}), "judging"):
        show("fold 7 of 10")
        tw.evaluate.cross_validate(tw.ID3Classifier(), *_tennis(), cv=2)
    assert terminal.getvalue() == ""


def test_folds_of_the_library_are_heard() -> None:
    working = Working(session(quiet=True), "judging")
    with working:
        tw.evaluate.cross_validate(tw.ID3Classifier(), *_tennis(), cv=3, refit=False)
    assert working.said.startswith("fold 3 of 3 · 0:00 left")


def _tennis() -> tuple[object, object]:
    play = tw.load_example("play_tennis")
    return play.X, play.y
