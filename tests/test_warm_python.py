"""Promises about commands that are forked from a warm Python: nobody can tell them from those that are started anew."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.command import Place, extractord, started_anew
from tests.homes import SAYINGS, Home
from tests.warm_python import CLONE, serves, warm_python

SECONDS = 240.0


@pytest.mark.parametrize(
    ("argv", "stdin"),
    [
        (("--version",), b""),
        (("sessions", "--json"), b""),
        (("why", "no-such-topic"), b""),
        (("no-such-command",), b""),
        (("config", "--show"), b""),
        (("hook", "user-prompt"), b"no JSON \xff"),
        (("try-tool", "--project", ".", "--memory-dir", "memory"), b'{"id": "1", "tool": "Glob", "input": {"pattern": "*.toml"}}\n'),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_status_and_output_are_the_same(tmp_path: Path, argv: tuple[str, ...], stdin: bytes) -> None:
    """Whatever comes of a command, errors and wrong usage too: each byte of it."""
    home = Home(tmp_path)
    home.talk("shop", SAYINGS[0])
    env = {**os.environ, **home.env()}
    warm, anew = warm_python().run(argv, env, stdin, SECONDS), started_anew(argv, env, stdin)
    assert (warm.returncode, warm.stdout, warm.stderr) == (anew.returncode, anew.stdout, anew.stderr)


def test_each_has_its_own_environment_and_many_run_at_once(tmp_path: Path) -> None:
    """Commands that run beside one another see their own homes only."""
    homes = [Home(tmp_path / f"{number}") for number in range(6)]
    with ThreadPoolExecutor(len(homes)) as pool:
        answers = list(pool.map(lambda home: extractord(home, "memory-dir", "--cwd", home.project("shop"), "--json"), homes))
    assert [answer.only["memory_dir"] for answer in answers] == [str(home.memory("shop")) for home in homes]


def test_much_goes_in_and_out(tmp_path: Path) -> None:
    """More than a pipe holds, in and out, is read and written whole."""
    calls = "".join(f'{{"id": "{number}", "tool": "Nothing", "input": {{"file_path": "{"x" * 500}"}}}}\n' for number in range(2000))
    answer = extractord(Place(tmp_path), "try-tool", "--project", tmp_path, "--memory-dir", tmp_path / "memory", stdin=calls)
    assert (answer.status, len(answer.lines)) == (0, 2001), answer.stderr


def test_one_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    """As with any other process that is waited for."""
    fifo = tmp_path / "asked"
    os.mkfifo(fifo)
    argv = ["once", "--json", "--session", str(fifo)]
    assert warm_python().run(argv, {**os.environ, **Place(tmp_path).env()}, b"", 0.0).returncode == -signal.SIGKILL


@pytest.mark.parametrize("name", ["LC_ALL", "PYTHONHASHSEED", "TZ", "LD_PRELOAD"])
def test_what_an_interpreter_looks_at_when_it_starts_starts_one(name: str) -> None:
    """Such a variable, changed or added, is not for a Python that runs already."""
    assert serves(os.environ)
    assert not serves({**os.environ, name: "other"})


def test_it_is_no_child_of_the_tests() -> None:
    """Who counts or ends the children of the process that runs the tests does not meet it."""
    code = (
        "import os; from tests.warm_python import warm_python; warm_python().run(['--version'], os.environ, b'', 60.0); os.waitpid(-1, 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=CLONE, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].startswith("ChildProcessError"), done.stderr
