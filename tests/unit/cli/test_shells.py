"""Completion: what is offered, and where the scripts of the shells are put."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from unit.cli.typed import run


def offered(words: str, **more: str) -> list[str]:
    """What bash is offered at the end of a line."""
    place = len(words.split()) - (0 if words.endswith(" ") else 1)
    done = run(
        "",
        _TREEWRIGHT_COMPLETE="bash_complete",
        COMP_WORDS=words,
        COMP_CWORD=str(place),
        **more,
    )
    return [line.partition(",")[2] for line in done.out.split()]


def test_commands_options_and_algorithms_are_offered() -> None:
    assert offered("treewright ex") == ["explain", "export"]
    assert offered("treewright fit x.csv --hold") == ["--holdout"]
    assert offered("treewright fit x.csv --algorithm b") == ["bagging", "boosting"]
    assert offered("treewright fit x.csv --task ") == ["classes", "numbers"]
    assert offered("treewright fit example:play_tennis_d") == ["example:play_tennis_d15"]


def test_columns_of_the_table_already_typed_are_offered(loans: Path) -> None:
    assert offered(f"treewright fit {loans / 'loans.csv'} --target o") == ["outcome"]
    found = offered(f"treewright fit {loans / 'loans.csv'} --ignore age,ch")
    assert found == ["age,channel"]


def test_powershell_is_answered_a_line_each() -> None:
    done = run(
        "", _TREEWRIGHT_COMPLETE="powershell_complete", COMP_WORDS="treewright ex", COMP_WORD="ex"
    )
    assert done.out.split() == ["plain,explain", "plain,export"]


@pytest.mark.parametrize("shell", ["zsh", "fish", "powershell"])
def test_a_script_is_written_once_where_its_shell_reads_it(shell: str, tmp_path: Path) -> None:
    for _ in range(2):
        done = run(
            f"--install-completion {shell}",
            HOME=str(tmp_path),
            XDG_DATA_HOME="",
            XDG_CONFIG_HOME="",
            ZDOTDIR="",
        )
        assert done.code == 0
        assert f"completion for {shell}: " in done.err
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert any("TREEWRIGHT_COMPLETE" in file.read_text() for file in written)
    starts = [file for file in written if file.name in (".zshrc", "profile.ps1")]
    assert all(len(file.read_text().splitlines()) == 1 for file in starts)


def test_the_script_of_bash_is_bash(tmp_path: Path) -> None:
    done = run("", _TREEWRIGHT_COMPLETE="bash_source")
    script = tmp_path / "script"
    script.write_text(done.out)
    assert subprocess.run(["bash", "-n", script], check=False).returncode == 0


def test_an_unknown_shell_is_refused() -> None:
    done = run("--install-completion tcsh")
    assert done.code == 2
    assert "bash | zsh | fish | powershell" in done.err
