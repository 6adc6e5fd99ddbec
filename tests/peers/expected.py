"""The list of tests of scikit-learn that fail with our classes, and why: ``expected.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

LIST = Path(__file__).with_name("expected.toml")

KINDS = {
    "missing": "something that we do not have yet",
    "difference": "a difference that our documentation names",
    "message": "asserts the words of scikit-learn's errors",
    "random numbers": "exact values that depend on scikit-learn's generator",
    "internals": "asks for private names or compiled objects of scikit-learn",
    "slow": "not run: takes too long",
}


@dataclass(frozen=True)
class Entry:
    """Some tests, by a pattern in which only ``*`` stands for anything."""

    pattern: str
    kind: str
    reason: str
    outcomes: list[str] = field(default_factory=list, compare=False)  # of the tests that match

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile(".*".join(map(re.escape, self.pattern.split("*"))))

    @property
    def file(self) -> str:
        """The file that the tests are in."""
        return self.pattern.partition("::")[0]

    def means(self, test: str) -> bool:
        """Return whether a test is meant."""
        return self._regex.fullmatch(test) is not None

    def complaint(self) -> str | None:
        """Return what is wrong with the entry after a run of its file, if anything is."""
        if self.kind == "slow" or "failed" in self.outcomes:
            return None
        what = "passes" if "passed" in self.outcomes else "means no test that is run"
        return f"{self.pattern} {what}: take it off the list ({self.kind}: {self.reason})"


def read_list(path: Path = LIST) -> list[Entry]:
    """Return the entries of the list, in its order."""
    entries = []
    for group in tomllib.loads(path.read_text("utf-8"))["listed"]:
        kind, reason, tests = group["kind"], group["reason"], group["tests"]
        if kind not in KINDS or not reason:
            raise ValueError(
                f"{path.name}: kind={kind!r} must be one of {', '.join(KINDS)}, with a reason."
            )
        entries += [Entry(test, kind, reason) for test in tests]
    return entries


def find(entries: Sequence[Entry], test: str) -> Entry | None:
    """Return the first entry that means a test."""
    return next((entry for entry in entries if entry.means(test)), None)
