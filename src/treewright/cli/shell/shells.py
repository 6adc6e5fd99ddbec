"""Completion in bash, zsh, fish and PowerShell: answering the shell, and being installed.

click speaks the first three; PowerShell is a class of ours beside them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from click.shell_completion import (
    CompletionItem,
    ShellComplete,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from treewright.cli.failure import Exit, usage

_VARIABLE = "_TREEWRIGHT_COMPLETE"
SHELLS = ("bash", "zsh", "fish", "powershell")

_POWERSHELL = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($word, $line, $place)
    $env:%(complete_var)s = "powershell_complete"
    $env:COMP_WORDS = $line.ToString()
    $env:COMP_WORD = $word
    %(prog_name)s | ForEach-Object {
        $kind, $value = $_ -split ",", 2
        [System.Management.Automation.CompletionResult]::new(
            $value, $value, "ParameterValue", $value)
    }
    Remove-Item Env:%(complete_var)s, Env:COMP_WORDS, Env:COMP_WORD
}
"""


class _PowerShell(ShellComplete):
    """Completion in PowerShell: the line and the word in the environment, an answer a line."""

    name = "powershell"
    source_template = _POWERSHELL

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words typed before, and the one that is being typed."""
        words = split_arg_string(os.environ["COMP_WORDS"])[1:]
        word = os.environ.get("COMP_WORD", "")
        if word and words and words[-1] == word:
            words.pop()
        return words, word

    def format_completion(self, item: CompletionItem) -> str:
        """Return one answer as the script reads it."""
        return f"{item.type},{item.value}"


def _speaker(shell: str) -> ShellComplete:
    from treewright.cli.parse import ClickGroup

    add_completion_class(_PowerShell)
    found = get_completion_class(shell)
    assert found is not None, shell
    return found(ClickGroup("treewright"), {}, "treewright", _VARIABLE)


def complete(instruction: str) -> int:
    """Answer a shell: ``bash_source`` prints its script, ``bash_complete`` the completions."""
    shell, _, what = instruction.partition("_")
    if shell not in SHELLS or what not in ("source", "complete"):
        return Exit.USAGE
    speaker = _speaker(shell)
    print(speaker.source() if what == "source" else speaker.complete())
    return Exit.DONE


def install(words: Sequence[str]) -> int:
    """Write the script of a shell where it is read at its start, and say where.

    Parameters
    ----------
    words
        The shell's name, or nothing: then the shell of the session.
    """
    shell = words[0] if words else Path(os.environ.get("SHELL", "")).name
    if shell not in SHELLS or len(words) > 1:
        raise usage(
            f"no completion for the shell {shell!r}" if shell else "which shell is not known",
            code="unknown-shell",
            hint=f"treewright --install-completion {' | '.join(SHELLS)}",
        )
    script = _speaker(shell).source().strip() + "\n"
    file = _script_file(shell)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(script, encoding="utf-8")
    start = _start_file(shell)
    if start is not None:
        line = f". '{file}'\n"
        present = start.read_text(encoding="utf-8") if start.exists() else ""
        if line not in present:
            start.parent.mkdir(parents=True, exist_ok=True)
            with start.open("a", encoding="utf-8") as opened:
                opened.write(line if not present or present.endswith("\n") else f"\n{line}")
        print(f"completion for {shell}: {file}, read by {start}", file=sys.stderr)
    else:
        print(f"completion for {shell}: {file}", file=sys.stderr)
    return Exit.DONE


def _script_file(shell: str) -> Path:
    home = Path.home()
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    if shell == "bash":  # bash-completion reads this folder by itself
        return data / "bash-completion" / "completions" / "treewright"
    if shell == "fish":
        config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        return config / "fish" / "completions" / "treewright.fish"
    return data / "treewright" / f"completion.{'ps1' if shell == 'powershell' else shell}"


def _start_file(shell: str) -> Path | None:
    """Return the file that must name the script; None where the folder is read as it is."""
    home = Path.home()
    if shell == "bash":
        return home / ".bashrc"
    if shell == "zsh":
        return Path(os.environ.get("ZDOTDIR") or home) / ".zshrc"
    if shell == "powershell":
        folder = "Documents" if os.name == "nt" else ".config"
        return home / folder / "powershell" / "profile.ps1"
    return None
