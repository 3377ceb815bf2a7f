"""One ``extractord`` command as a person or a script runs it: a child process, everything relocated.

Owns: the relocation variables, whether a command needs an interpreter of its own, and reading ``--json`` answers. Leaves which
home and what must come out to the tests, processes that are forked to ``warm_python``.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.warm_python import serves, warm_python

COMMAND_SECONDS = 240
Line = dict[str, Any]  # one JSON object as printed; CONTRACTS says which fields


@dataclass(frozen=True, slots=True)
class Place:
    """A config home and everything of ours beside it, below one folder."""

    root: Path

    @property
    def config_home(self) -> Path:
        return self.root / "home"

    @property
    def state(self) -> Path:
        return self.root / "state"

    def env(self) -> dict[str, str]:
        """Return the variables that keep a run away from everything else (CONTRACTS, Relocation)."""
        return {
            "HOME": str(self.root),
            "CLAUDE_CONFIG_DIR": str(self.config_home),
            **relocation(self.root),
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command came to."""

    status: int
    lines: tuple[Line, ...]
    stdout: str
    stderr: str

    @property
    def only(self) -> Line:
        """The one object of a command that prints one."""
        assert len(self.lines) == 1, f"one JSON line expected: {self.stdout!r} {self.stderr}"
        return self.lines[0]

    @property
    def summary(self) -> Line:
        """The summary that ``once`` prints last."""
        assert self.lines, f"a summary expected: {self.stdout!r} {self.stderr}"
        found = self.lines[-1]["summary"]
        assert isinstance(found, dict)
        return found


def relocation(root: Path) -> dict[str, str]:
    """Return the variables that put config, state and credentials below ``root``."""
    return {
        "EXTRACTORD_CONFIG": str(root / "config.toml"),
        "EXTRACTORD_STATE_DIR": str(root / "state"),
        "EXTRACTORD_CREDENTIALS": str(root / "credentials"),
    }


def extractord(place: Place, *argv: str | Path, stdin: str = "", env: dict[str, str] | None = None, before: tuple[str, ...] = ()) -> Answer:
    """Run a command, behind ``before``, and return its answer; with ``--json`` every line of it must be one JSON object."""
    words, environ = [*map(str, argv)], {**os.environ, **place.env(), **(env or {})}
    sent = stdin.encode("utf-8", "surrogatepass")
    if not before and serves(environ):
        done = warm_python().run(words, environ, sent, COMMAND_SECONDS)
    else:
        done = started_anew(words, environ, sent, before)
    stdout = done.stdout.decode("utf-8")  # strict: stdout is UTF-8 whatever the transcript held
    lines = json_lines(stdout) if "--json" in argv or "try-tool" in argv else ()
    return Answer(done.returncode, lines, stdout, done.stderr.decode("utf-8", "replace"))


def started_anew(
    argv: Sequence[str], env: Mapping[str, str], stdin: bytes = b"", before: Sequence[str] = ()
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in an interpreter of its own, behind ``before``."""
    command = [*before, sys.executable, "-m", "extractord", *argv]
    return subprocess.run(command, env=env, input=stdin, capture_output=True, timeout=COMMAND_SECONDS, check=False)


def in_process(argv: Sequence[str], env: Mapping[str, str], stdin: bytes) -> bytes:
    """Run a command in this process, for tests that run hundreds; return its stdout. Its workers are processes as ever."""
    from extractord.cli.commands import main

    said = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        patch.setattr(sys, "stdout", io.TextIOWrapper(said, encoding="utf-8", write_through=True))
        status = main([*argv])
    assert status == 0
    return said.getvalue()


def words_below(home: Path, code: str) -> list[str]:
    """Return the words that a Python prints whose home is ``home`` and whose environment holds nothing else."""
    env = {"HOME": str(home), "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout.split()


def json_lines(stdout: str) -> tuple[Line, ...]:
    """Return the objects of a ``--json`` answer."""
    return tuple(json.loads(line) for line in stdout.split("\n") if line)
