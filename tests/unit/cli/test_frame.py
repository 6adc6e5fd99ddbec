"""The frame: front page, help, near misses, exit codes of wrong lines, the table of options."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from unit.cli.typed import run

import treewright
from treewright import __version__, list_examples, other_names
from treewright.cli import commands, names
from treewright.cli.algorithms import ALIASES
from treewright.cli.command import Command
from treewright.cli.help.man_page import man_page
from treewright.cli.help.topics import TOPICS
from treewright.cli.options import ALWAYS, OPTIONS
from treewright.cli.registry import COMMANDS


@pytest.mark.parametrize("line", ["", "--help", "-h", "help"])
def test_the_front_page_is_asked_for_in_four_ways(line: str) -> None:
    done = run(line)
    assert done.code == 0
    assert done.err == ""
    assert done.out.startswith(f"treewright {__version__}: decision trees, grown exactly")
    assert max(map(len, done.out.splitlines())) <= 80
    for name in COMMANDS:
        assert f" {name} " in done.out


def test_the_version_stands_alone() -> None:
    assert run("--version").out == f"treewright {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_page_of_help(name: str) -> None:
    command: Command = COMMANDS[name].load()
    assert command.name == name
    assert len(command.examples) == 3
    page = run(f"{name} --help")
    assert page.code == 0
    lines = page.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert f"usage: {command.usage}" in page.out
    everyday = [option for option in command.all_options if not option.rare]
    assert len(everyday) <= 20
    whole = run(f"{name} --help-all").out
    assert all(option.long in whole for option in command.all_options)


def test_every_file_of_a_command_is_registered() -> None:
    files = {file.stem for file in Path(commands.__file__).parent.glob("*.py")}
    assert files - {"__init__"} == set(COMMANDS)


def test_the_man_page_names_every_command_and_option() -> None:
    page = run("help --man").out.replace("\\-", "-")
    for name, entry in COMMANDS.items():
        assert f".SS {name}" in page
        assert all(option.long in page for option in entry.load().all_options)


def test_the_man_page_that_is_shipped_is_current() -> None:
    """Written anew by ``treewright help --man > docs/man/treewright.1``."""
    path = Path(__file__).parents[3] / "docs" / "man" / "treewright.1"
    # Without a line, the one of the version: a release is not made for it.
    assert path.read_text(encoding="utf-8").splitlines()[1:] == man_page().splitlines()[1:]


@pytest.mark.skipif(shutil.which("man") is None, reason="no man here")
def test_the_man_page_is_read_without_a_complaint(tmp_path: Path) -> None:
    page = tmp_path / "treewright.1"
    page.write_text(man_page() + "\n", encoding="utf-8")
    done = subprocess.run(
        ["man", "--warnings", "-l", str(page)],
        env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert "--target NAME" in done.stdout


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_has_a_page_of_80_columns(topic: str) -> None:
    done = run(f"help {topic}")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize("name", names.ALGORITHMS)
def test_every_algorithm_names_classes_that_there_are(name: str) -> None:
    entry = names.ALGORITHMS[name]
    for each in (entry.classes, entry.numbers):
        assert each is None or hasattr(treewright, each)


def test_words_for_other_programs_name_commands_that_there_are() -> None:
    assert not set(other_names.COMMANDS) & set(COMMANDS)
    assert {line.split()[0] for line in other_names.COMMANDS.values()} <= set(COMMANDS)


def test_no_option_is_without_a_command() -> None:
    used = {name for entry in COMMANDS.values() for name in entry.load().options}
    assert used | set(ALWAYS) == set(OPTIONS)


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("shwo", "no command 'shwo'", "treewright show"),
        ("draw", "no command 'draw'", "treewright show MODEL --out tree.svg"),
        ("train", "no command 'train'", "treewright fit DATA"),
        ("show m.tw --dpeth 2", "show has no option --dpeth", "--depth"),
        ("show m.tw --dep 2", "show has no option --dep", "--depth"),
        ("show", "show needs MODEL", "treewright show MODEL [OPTIONS]; treewright show --help"),
        ("show m.tw --depth two", "--depth takes a whole number, not 'two'", ""),
        ("show m.tw --depth -1", "--depth takes at least 0, not -1", ""),
        ("show m.tw --depth", "--depth needs a value", "treewright show --help"),
        ("help sohw", "no topic 'sohw'", "treewright help show"),
    ],
)
def test_a_wrong_line_is_refused_with_the_right_one(line: str, message: str, hint: str) -> None:
    done = run(line)
    assert done.code == 2
    assert done.out == ""
    told = f"error: {message}\n" + (f"  Hint: {hint}\n" if hint else "")
    assert done.err == told
    name, *rest = line.split()
    document = run(" ".join([name, "--json", *rest]))
    if name != "help":
        assert document.document["error"]["message"] == message
        assert document.document["error"]["exit"] == document.code == 2


def test_what_others_call_algorithms_leads_to_ours() -> None:
    assert set(ALIASES.values()) <= set(names.ALGORITHMS)


def test_the_names_known_without_loading_are_those_of_the_library() -> None:
    assert list_examples() == names.EXAMPLES
