"""The command line starts without what only some commands need."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEAVY = ("anthropic", "watchdog", "apscheduler", "structlog", "frontmatter", "rich", "msgspec")
SHOW_MODULES = """
import sys
from extractord.__main__ import main
try:
    sys.exit(main())
finally:
    print("\\n".join(sys.modules), file=sys.stderr)
"""


def _help(*argv: str) -> subprocess.CompletedProcess[str]:
    code = [sys.executable, "-c", SHOW_MODULES, *argv, "--help"]
    done = subprocess.run(code, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("heavy", HEAVY)
def test_help_loads_nothing_heavy(heavy: str) -> None:
    """--help is printed without importing packages that no help needs."""
    loaded = {name.partition(".")[0] for name in _help().stderr.split()}
    assert heavy not in loaded


def test_help_lists_the_commands_in_three_groups() -> None:
    """--help shows every day, set up and plumbing, in this order."""
    text = _help().stdout.lower()
    places = [text.index(group) for group in ("every day", "set up", "plumbing")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "command", ["demo", "once", "inspect", "memory-dir", "try-tool", "sessions", "log", "show", "why", "undo", "forget"]
)
def test_each_command_says_what_it_does(command: str) -> None:
    """COMMAND --help is there for each command and explains it."""
    assert f"extractord {command}" in _help(command).stdout.replace("python -m ", "")


def test_an_unknown_command_is_wrong_usage() -> None:
    """A command that does not exist ends with status 2 and says so on stderr."""
    done = subprocess.run([sys.executable, "-m", "extractord", "no-such-command"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no-such-command" in done.stderr
    assert done.stdout == ""


def test_windows_is_refused_in_words() -> None:
    """On Windows each command says that it does not run there, and where it does, before anything is imported that Windows lacks."""
    code = "import sys; sys.platform = 'win32'; from extractord.__main__ import run; sys.exit(run(['install']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Windows" in done.stderr
    assert "WSL" in done.stderr


@pytest.mark.parametrize(("shell", "offered"), [("bash", "plain,uninstall"), ("zsh", "uninstall"), ("fish", "uninstall")])
def test_a_shell_completes_commands(shell: str, offered: str) -> None:
    """The line that README gives for each shell defines a completion, and asked for `unin` it offers `uninstall`."""

    def asked(instruction: str, **more: str) -> str:
        env = {**os.environ, "_EXTRACTORD_COMPLETE": f"{shell}_{instruction}", **more}
        done = subprocess.run([sys.executable, "-m", "extractord"], env=env, capture_output=True, text=True, check=False)
        return done.stdout

    assert "_EXTRACTORD_COMPLETE" in asked("source")
    word = "unin" if shell == "fish" else "1"
    assert offered in asked("complete", COMP_WORDS="extractord unin", COMP_CWORD=word)
