"""The command line as a process: exit codes, a closed pipe, Ctrl-C, and a real terminal."""

from __future__ import annotations

import os
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pytest
from unit.cli.test_screens import SCREENS, commands, prepare
from unit.cli.typed import run

COMMAND = [sys.executable, "-m", "treewright"]
unix = pytest.mark.skipif(os.name == "nt", reason="signals and terminals of Unix")


def test_exit_codes_reach_the_shell(grown: Path) -> None:
    for words, code in (
        (["--version"], 0),
        (["show", "no.tw"], 1),
        (["shwo"], 2),
        (["diff", "tennis.tw", "d15.tw", "--at-most", "changes=0"], 3),
    ):
        done = subprocess.run([*COMMAND, *words], cwd=grown, capture_output=True, check=False)
        assert done.returncode == code, done.stderr


@unix
def test_a_closed_pipe_ends_quietly(grown: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "show", "loans.tw", "--json"],
        cwd=grown,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr.read() == b""


@unix
def test_ctrl_c_ends_with_130_and_leaves_the_old_file(loans: Path) -> None:
    (loans / "loans.tw").write_bytes(b"")
    with subprocess.Popen(
        [*COMMAND, "fit", "loans.csv", "--repeats", "500"],
        cwd=loans,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"note: target 'outcome'")  # it is read now
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1].decode()
        assert process.returncode == 130, said
    assert said.endswith("stopped. Nothing saved; loans.tw is as it was.\n")
    assert "Traceback" not in said
    assert (loans / "loans.tw").read_bytes() == b""


def test_ctrl_c_ends_with_130_wherever_it_comes() -> None:
    from treewright.__main__ import start

    for stopped in ({"side_effect": KeyboardInterrupt}, {"return_value": 130}):
        with (
            mock.patch("treewright.cli.main.main", **stopped),
            mock.patch("os._exit", side_effect=SystemExit) as ended,
            pytest.raises(SystemExit),
        ):
            start()
        ended.assert_called_once_with(130)


def test_ctrl_c_ends_a_tour() -> None:
    with (
        mock.patch("treewright.cli.commands.fit.fit_and_judge", side_effect=KeyboardInterrupt),
        pytest.raises(SystemExit) as ended,
    ):
        run("demo forest")
    assert ended.value.code == 130


@unix
def test_streams_that_are_closed_are_no_fault(grown: Path) -> None:
    line = f"{shlex.join(COMMAND)} "
    for words, code in (
        ("show tennis.tw >&-", 0),
        ("show no.tw 2>&-", 1),
        ("fit - --out x.tw <&-", 1),
    ):
        done = subprocess.run(
            line + words, shell=True, cwd=grown, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_under_what_is_printed_is_told_once(grown: Path, unbuffered: str) -> None:
    """Buffered, what did not fit is still there when the process ends, and is tried again."""
    for words in ("show tennis.tw", "show tennis.tw --json", "show no.tw --json", "--version"):
        done = subprocess.run(
            f"{shlex.join(COMMAND)} {words} >/dev/full",
            shell=True,
            cwd=grown,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        assert done.returncode == 1, done.stderr
        first, *hint = done.stderr.splitlines()
        assert first == "error: no space left on the disk"
        assert len(hint) == 1


@unix
def test_a_named_pipe_is_a_table(loans: Path) -> None:
    os.mkfifo(loans / "pipe")
    with subprocess.Popen(["sh", "-c", "cat loans.csv > pipe"], cwd=loans):
        done = run("info pipe --top 1", here=loans)
    assert done.out.startswith("pipe: 2,000 rows")


@unix
def test_nothing_of_a_pipe_is_looked_at_and_lost(loans: Path) -> None:
    """And a model that has no name of its own is not saved."""
    os.mkfifo(loans / "pipe")
    with subprocess.Popen(["sh", "-c", "cat loans.csv > pipe"], cwd=loans):
        done = run("fit pipe --delimiter ';' --no-check", here=loans)
    assert done.code == 0
    assert done.err.startswith("note: from a pipe nothing is saved without --out ")
    assert not (loans / "pipe.tw").exists()
    done = run("show pipe", here=loans)
    assert (done.code, done.err) == (1, "error: pipe is a pipe; a model is read from a file\n")


def typed_at_terminal(words: list[str], keys: list[str], folder: Path, **more: str) -> str:
    """What is seen at a terminal of 80 columns when keys are typed, one reply to each prompt."""
    import fcntl
    import pty
    import struct
    import termios

    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        os.execvpe(COMMAND[0], [*COMMAND, *words], {**kept, "TERM": "xterm", **more})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    seen = b""
    pending = list(keys)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if ready:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        elif pending and seen.rstrip(b" ").endswith((b"?", b"quit")):
            os.write(terminal, pending.pop(0).encode())
    os.close(terminal)
    os.waitpid(process, 0)
    return seen.decode().replace("\r\n", "\n")


@unix
def test_consult_asks_at_a_terminal(grown: Path) -> None:
    seen = typed_at_terminal(["consult", "tennis.tw"], ["Rain\n", "Strong\n"], grown, NO_COLOR="1")
    assert seen == (
        "Outlook: Sunny, Overcast or Rain? Rain\n"
        "Wind: Weak or Strong? Strong\n"
        "No   No 100.0 %; not needed: Temperature, Humidity\n"
    )


@unix
def test_steps_wait_for_a_key(tmp_path: Path) -> None:
    words = ["fit", "example:play_tennis", "--algorithm", "id3", "--steps"]
    seen = typed_at_terminal(words, ["q\n"], tmp_path, NO_COLOR="1")
    assert seen == (
        "step 1 · node 0 (all rows): 14 rows, Yes 9, No 5, entropy 0.940\n"
        "\n"
        "   question     entropy   gain\n"
        "→  Outlook        0.694  0.247\n"
        "   Humidity       0.788  0.152\n"
        "   Wind           0.892  0.048\n"
        "   Temperature    0.911  0.029\n"
        "gain(Outlook) = 0.940 - 5/14 · 0.971 - 4/14 · 0.000 - 5/14 · 0.971 = 0.247\n"
        "[Enter] next step   [a] all   [q] quit  q\n"
        "stopped after step 1; nothing saved\n"
    )
    assert not list(tmp_path.iterdir())


@unix
def test_a_terminal_has_colour_and_width(grown: Path) -> None:
    seen = typed_at_terminal(["show", "loans.tw"], [], grown)
    assert "\x1b[" in seen
    plain = typed_at_terminal(["show", "loans.tw"], [], grown, NO_COLOR="1")
    assert "\x1b[" not in plain
    assert max(map(len, plain.splitlines())) <= 80


@unix
@pytest.mark.slow
@pytest.mark.parametrize("name", ["analyst", "engineer", "lecturer"])
def test_a_walk_through_at_a_terminal_is_the_one_in_a_pipe(name: str, tmp_path: Path) -> None:
    prepare(tmp_path)
    for line, shown in commands((SCREENS / f"{name}.txt").read_text(encoding="utf-8")):
        words = shlex.split(line)
        if words[0] == "consult" or "--steps" in words:
            continue  # they ask, where there is a terminal
        seen = typed_at_terminal(words, [], tmp_path, NO_COLOR="1")
        told = re.sub(r"(?:\r[^\r\n]*)+\r", "", seen)  # progress, which is erased
        told = re.sub(r"^versions .*\n", "", told, flags=re.M)
        told = re.sub(r"format (\d+), [\d,]+ bytes", r"format \1, N bytes", told)
        assert told == re.sub(r"\(exit \d+\)\n$", "", shown), line
        assert max(map(len, told.splitlines()), default=0) <= 80


@unix
def test_names_of_files_are_links_at_a_terminal_with_colour(tmp_path: Path) -> None:
    words = ["fit", "example:play_tennis", "-a", "id3", "--no-check"]
    seen = typed_at_terminal(words, [], tmp_path)
    address = (tmp_path / "play_tennis.tw").as_uri()
    link = f"saved \x1b]8;;{address}\x1b\\\x1b[1mplay_tennis.tw\x1b[0m\x1b]8;;\x1b\\"
    assert link in seen
    plain = typed_at_terminal(words, [], tmp_path, NO_COLOR="1")
    assert "replaced play_tennis.tw" in plain
    assert "\x1b" not in plain


@unix
def test_a_long_name_breaks_the_line_of_what_is_next(tmp_path: Path) -> None:
    name = "a_rather_long_name_of_a_model_in_a_folder.tw"
    words = ["fit", "example:play_tennis", "-a", "id3", "--no-check", "--out", name]
    seen = typed_at_terminal(words, [], tmp_path, NO_COLOR="1").splitlines()
    assert seen[-3:] == [
        f"saved {name}",
        f"next: treewright why {name}, treewright",
        f"rules {name}",
    ]


def test_help_and_info_start_quickly(grown: Path) -> None:
    for words, limit in ((["--help"], 0.4), (["info", "loans.tw"], 0.6)):
        spent = [processor_seconds([*COMMAND, *words], grown) for _ in range(3)]
        assert min(spent) < limit


def processor_seconds(command: list[str], folder: Path) -> float:
    """Processor time of a process."""
    before = os.times()
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    after = os.times()
    return (
        after.children_user - before.children_user + after.children_system - before.children_system
    )


def test_what_reads_models_loads_no_scikit_learn(grown: Path) -> None:
    code = (
        "import sys\nfrom treewright.cli.main import main\n"
        "main(sys.argv[1:])\nprint('sklearn' in sys.modules, file=sys.stderr)"
    )
    lines = (
        "--help",
        "info loans.tw",
        "info loans.csv",
        "show loans.tw",
        "why loans.tw",
        "rules loans.tw",
        "explain loans.tw loans.csv --row 1",
        "diff tennis.tw d15.tw",
        "predict loans.tw loans.csv --only --out answers.csv --force",
    )
    for words in map(str.split, lines):
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            cwd=grown,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr.endswith("False\n"), words
