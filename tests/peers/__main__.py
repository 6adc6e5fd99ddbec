"""Run scikit-learn's own tests on our classes: ``make test-peers``.

    PYTHONPATH=tests python -m peers [test file of scikit-learn ...] [options of pytest]

Every test that fails stands in expected.toml with its kind and reason; any other failure fails the
run, and so does an entry whose tests all pass.
"""

from __future__ import annotations

import gc
import os
import sys
from collections import Counter
from typing import Any

import pytest
from peers.expected import KINDS, find, read_list
from peers.stand_in import PEER, PeerFinder, peer_files, uses_ours


class Peers:
    """The plugin of pytest: chooses tests, excuses listed failures, and ends with the tables."""

    def __init__(self) -> None:
        self.entries = read_list()
        self.files: dict[str, Counter[str]] = {}
        self.causes: Counter[tuple[str, str]] = Counter()
        self.complaints: list[str] = []

    def pytest_sessionstart(self) -> None:
        """Stand before pytest's own finder, which has been put in front by now."""
        sys.meta_path.insert(0, PeerFinder())

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[Any]) -> None:
        """Leave out what has nothing to do with our classes, and what is slow."""
        kept, left_out = [], []
        for item in items:
            given = getattr(item, "callspec", None)
            parameters = list(given.params.values()) if given else []
            entry = find(self.entries, item.nodeid)
            is_slow = entry is not None and entry.kind == "slow"
            is_run = not is_slow and uses_ours(item.function, parameters)
            (kept if is_run else left_out).append(item)
            if is_run or is_slow:
                counts = self.files.setdefault(_file(item), Counter())
                counts["slow"] += is_slow
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Any:
        """Count a test, and excuse it if it fails and is listed."""
        report = yield
        counts, outcome = self.files[_file(item)], report.outcome
        meant_by = [entry for entry in self.entries if entry.means(item.nodeid)]
        if not report.failed and report.when != "call" and not report.skipped:
            return report
        for entry in meant_by:
            entry.outcomes.append(outcome)
        if report.failed and meant_by:
            first = meant_by[0]
            report.outcome, report.wasxfail = "skipped", f"{first.kind}: {first.reason}"
            self.causes[first.kind, first.reason] += 1
            outcome = first.kind
        counts[outcome] += 1
        return report

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail for entries of the list that are no longer true."""
        options = session.config.option
        if options.collectonly or options.keyword or "::" in "".join(session.config.args):
            return  # some tests of a file say nothing about the others
        ran = [entry for entry in self.entries if entry.file in self.files]
        self.complaints = [text for entry in ran if (text := entry.complaint()) is not None]
        if self.complaints:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> Any:
        """Print, after all else, the causes, a line per file, and what is wrong with the list."""
        yield
        write = terminalreporter.write_line
        write("\nlisted failures by cause")
        for (kind, reason), n in sorted(self.causes.items(), key=lambda it: (it[0][0], -it[1])):
            write(f"{n:>5}  {kind}: {reason}")
        write("")
        heads = ["run", "passed", "skipped", *KINDS, "failed"]
        total: Counter[str] = Counter()
        width = max(map(len, self.files), default=0)
        write(f"{'file':<{width}}  " + "  ".join(heads))
        for file, counts in [*sorted(self.files.items()), ("all", total)]:
            counts["run"] += sum(counts.values()) - counts["slow"] if file != "all" else 0
            total.update(counts if file != "all" else {})
            cells = [f"{counts[head] or '':>{len(head)}}" for head in heads]
            write(f"{file:<{width}}  " + "  ".join(cells))
        for complaint in self.complaints:
            write(complaint, red=True)

    def pytest_unconfigure(self) -> None:
        """Let go of fitted models that test modules hold: see tests/conftest.py."""
        for name, module in list(sys.modules.items()):
            if name.startswith("sklearn.") and ".tests." in name:
                vars(module).clear()
        gc.collect()


def _file(item: Any) -> str:
    file: str = item.nodeid.partition("::")[0]
    return file


def main(arguments: list[str]) -> int:
    """Run the tests of the given files of scikit-learn, or of all that concern us."""
    files = [given for given in arguments if (PEER / given.partition("::")[0]).is_file()]
    options = [given for given in arguments if given not in files]
    paths = [PEER / file for file in files] or peer_files()
    settings = ["-c", os.devnull, f"--rootdir={PEER}", "-p", "no:cacheprovider", "-q"]
    settings += ["--tb=short", "--disable-warnings"]
    return int(pytest.main([*settings, *options, *map(str, paths)], plugins=[Peers()]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
